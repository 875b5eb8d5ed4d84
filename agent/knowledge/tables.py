"""The hand-over of knowledge to the native scorer: arrays only, versioned, validated."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORMAT_VERSION", "Automaton", "KnowledgeTables", "Neighbourhood", "PatternGroup", "PlanTables"]

FORMAT_VERSION = 1  # of agent/native/scorer.hpp

Array32 = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Automaton:
    """Lists of pieces as paths: node 0 is the start, `next` leads on by occupant code."""

    next: Array32  # [node * n_pieces + code - 1] node, -1 where no feature continues
    slot: Array32  # [node] slot of the features that end here


@dataclass(frozen=True, eq=False)
class PatternGroup:
    """Patterns of one radius with the same wildcards."""

    neighbourhood: int  # index into KnowledgeTables.neighbourhoods
    mask: NDArray[np.uint64]  # [word] bits of a key that are compared
    keys: NDArray[np.uint64]  # [pattern * words] distinct, wildcards 0
    slots: Array32  # [pattern]


@dataclass(frozen=True, eq=False)
class PlanTables:
    """Features that act for one role in one phase.

    A slot is what a match adds: a value, and further (condition, value) hits that count where the condition holds.
    Values are weights, or with first-feature scoring ranks (NO_RANK is no match). Slot 0 adds nothing.
    """

    acts: bool
    always: int  # slot of the features that fire for every move
    row_slot: Array32  # [row]
    slot_value: Array32  # [slot]
    slot_start: Array32  # [slot + 1] into the hits
    hit_condition: Array32  # [hit]
    hit_value: Array32  # [hit]
    distance_slot: Array32  # [distance id], empty if no feature looks at the last move
    nearest: Automaton
    lines: tuple[Automaton, ...]  # [dimension]
    patterns: tuple[PatternGroup, ...]
    rank_weight: Array32  # [rank] weights of first-feature scoring, else empty


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The fields around every point, for one radius; n_points is off the board.

    A key holds one code of `key_bits` bits per entry, 64 // key_bits entries to a word, the first entry lowest.
    """

    entries: int
    words: int
    points: Array32  # [point * entries]


@dataclass(frozen=True, eq=False)
class KnowledgeTables:
    """A knowledge file compiled for one game: what `_native.Scorer` takes."""

    version: int
    rules_digest: str
    n_roles: int
    state_words: int
    n_points: int
    n_pieces: int
    fluent_point: Array32  # [fluent] -1 if it is no board fluent
    fluent_piece: NDArray[np.uint8]  # [fluent] occupant code
    row_target: Array32  # [row] -1 if the move has no target
    distance_id: Array32  # [point * n_points] rank of the distance; empty if no feature asks
    nearest: Array32  # [point * (n_points - 1)] the other points, nearest first; empty if no feature asks
    line_length: int
    lines: Array32  # [(dimension * n_points + point) * line_length], -1 ends a line; empty if no feature asks
    key_bits: int
    neighbourhoods: tuple[Neighbourhood, ...]
    condition_start: Array32  # [condition + 1] into items: all of them must hold
    item_start: Array32  # [item + 1] into item_fluents: one of them must hold
    item_fluents: Array32
    plans: tuple[PlanTables, ...]  # [role * 2 + phase]
    base: int  # weight of a move without features, in 1/256
    first_feature: bool
    exponential: bool
    exponential_weight: NDArray[np.uint32]  # [sum - exponential_low], empty for additive scoring
    exponential_low: int
    uct_c: float
    expansions: float
    bias: float
    fade: float
    widening: bool
    widening_visits: int
    widening_moves: int
    widening_growth: float

    def validate(self) -> None:
        """Check versions, shapes and every index; raises ValueError."""
        if self.version != FORMAT_VERSION:
            raise ValueError(f"knowledge tables of version {self.version}; this program reads {FORMAT_VERSION}")
        n_fluents, points = len(self.fluent_point), self.n_points
        _require(len(self.fluent_piece) == n_fluents <= self.state_words * 64, "fluents")
        _within(self.fluent_point, -1, points, "fluent_point")
        _within(self.fluent_piece, 0, self.n_pieces + 1, "fluent_piece")
        _within(self.row_target, -1, points, "row_target")
        _require(len(self.distance_id) in (0, points * points), "distance_id")
        _require(len(self.nearest) in (0, points * max(0, points - 1)), "nearest")
        _within(self.nearest, 0, points, "nearest")
        _within(self.lines, -1, points, "lines")
        for neighbourhood in self.neighbourhoods:
            _require(len(neighbourhood.points) == points * neighbourhood.entries, "neighbourhoods")
            _within(neighbourhood.points, 0, points + 1, "neighbourhoods")
            _require(neighbourhood.words * (64 // self.key_bits) >= neighbourhood.entries, "neighbourhoods")
        _starts(self.condition_start, len(self.item_start) - 1, "condition_start")
        _starts(self.item_start, len(self.item_fluents), "item_start")
        _within(self.item_fluents, 0, n_fluents, "item_fluents")
        _require(len(self.plans) == self.n_roles * 2, "plans")
        for plan in self.plans:
            self._validate_plan(plan)
        expected = 1 - 2 * self.exponential_low if self.exponential else 0
        _require(len(self.exponential_weight) == expected, "exponential_weight")

    def _validate_plan(self, plan: PlanTables) -> None:
        n_slots, n_conditions = len(plan.slot_value), len(self.condition_start) - 1
        _starts(plan.slot_start, len(plan.hit_condition), "slot_start")
        _require(len(plan.slot_start) == n_slots + 1 and n_slots > 0, "slot_start")
        _require(len(plan.hit_value) == len(plan.hit_condition), "hit_value")
        _within(plan.hit_condition, 0, n_conditions, "hit_condition")
        _within(np.array([plan.always]), 0, n_slots, "always")
        _require(len(plan.row_slot) == len(self.row_target), "row_slot")
        if len(plan.distance_slot):
            _within(self.distance_id, 0, len(plan.distance_slot), "distance_id")
        for slots in (plan.row_slot, plan.distance_slot, plan.nearest.slot, *(each.slot for each in plan.lines)):
            _within(slots, 0, n_slots, "slots")
        for automaton in (plan.nearest, *plan.lines):
            _require(len(automaton.next) == len(automaton.slot) * self.n_pieces, "automaton")
            _within(automaton.next, -1, len(automaton.slot), "automaton")
        _require(not len(plan.nearest.slot) or len(self.nearest) > 0 or self.n_points == 1, "nearest")
        _require(
            not any(len(each.slot) for each in plan.lines)
            or len(self.lines) == len(plan.lines) * self.n_points * self.line_length,
            "lines",
        )
        for group in plan.patterns:
            _require(0 <= group.neighbourhood < len(self.neighbourhoods), "patterns")
            words = self.neighbourhoods[group.neighbourhood].words
            _require(len(group.mask) == words and len(group.keys) == len(group.slots) * words, "patterns")
            _within(group.slots, 0, n_slots, "patterns")
        if self.first_feature:
            ranks = np.concatenate([plan.slot_value, plan.hit_value])
            _within(ranks[ranks != np.iinfo(np.int32).max], 0, len(plan.rank_weight), "ranks")

    def same_as(self, other: "KnowledgeTables") -> bool:
        """Whether two compilations agree in every array and value."""
        return _same(self, other)


def _require(condition: bool, name: str) -> None:
    if not condition:
        raise ValueError(f"knowledge tables: {name} has the wrong shape")


def _within(values: NDArray[np.integer], low: int, end: int, name: str) -> None:
    if len(values) and not (low <= int(values.min()) and int(values.max()) < end):
        raise ValueError(f"knowledge tables: {name} holds an index outside {low}..{end - 1}")


def _starts(starts: Array32, end: int, name: str) -> None:
    if not len(starts) or starts[0] != 0 or starts[-1] != end or (np.diff(starts) < 0).any():
        raise ValueError(f"knowledge tables: {name} does not ascend from 0 to {end}")


def _same(left: object, right: object) -> bool:
    if isinstance(left, np.ndarray):
        return isinstance(right, np.ndarray) and left.dtype == right.dtype and np.array_equal(left, right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, KnowledgeTables | PlanTables | Neighbourhood | PatternGroup | Automaton):
        return all(_same(getattr(left, each.name), getattr(right, each.name)) for each in fields(left))
    return left == right
