"""Knowledge in the form that the native scorer takes: versioned and validated arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry.geometry import Array32

FORMAT_VERSION = 3  # the version that agent/native/scoring/knowledge_tables.hpp states


@dataclass(frozen=True, eq=False)
class Automaton:
    """Lists of pieces as paths: node 0 is the start, and `next` gives the following node for an occupant code."""

    depth: int  # length of the longest list, 0 if there is none
    next: Array32  # [node * n_pieces + code - 1] node, -1 where no feature continues
    slot: Array32  # [node] slot of the features that end here


@dataclass(frozen=True, eq=False)
class PatternGroup:
    """Patterns of one radius with the same wildcards."""

    neighbourhood: int  # index into KnowledgeTables.neighbourhoods
    mask: NDArray[np.uint64]  # [word] bits of a key that are compared
    keys: NDArray[np.uint64]  # [pattern * words] distinct, wildcards 0
    slots: Array32  # [pattern] slot of the features with the pattern


@dataclass(frozen=True, eq=False)
class Conditions:
    """Itemsets. An item holds where one of its fluents holds, a condition where all of its `size` items hold."""

    size: NDArray[np.uint8]  # [condition] number of items, all different
    item_start: Array32  # [item + 1] into item_conditions
    item_conditions: Array32  # conditions that have the item
    fluent_start: Array32  # [fluent + 1] into fluent_items; a single 0 if there are no conditions
    fluent_items: Array32  # items that have the fluent


@dataclass(frozen=True, eq=False)
class PlanTables:
    """Features that act for one role in one phase.

    A slot is the contribution of a match: a value, and further (condition, value) hits that count where the condition
    holds. Values are weights, or ranks with first-feature scoring (NO_RANK means no match). Slot 0 adds nothing.
    """

    acts: bool  # whether any feature acts at all
    always: int  # slot of the features that fire for every move
    row_slot: Array32  # [row]
    slot_value: Array32  # [slot]
    slot_start: Array32  # [slot + 1] into the hits
    hit_condition: Array32  # [hit]
    hit_value: Array32  # [hit]
    conditions: Conditions
    distance_slot: Array32  # [distance id], empty if no feature reads the last move
    nearest: Automaton
    lines: tuple[Automaton, ...]  # [dimension]
    patterns: tuple[PatternGroup, ...]  # groups of the same neighbourhood are adjacent
    seen: NDArray[np.uint8]  # [occupant code] what the role sees, empty if no pattern needs it
    rank_weight: Array32  # [rank] weights of first-feature scoring, else empty


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The fields around a target, for one radius, as runs of cells (agent/geometry/grid.py)."""

    relative: bool  # whether keys are made of what the role sees
    run_length: int
    words: int  # words of a key
    run_offset: Array32  # [run] cells from the target to the run
    word_end: Array32  # [word] end of the runs that make up the word
    run_shift: Array32  # [run] bit of the word at which the run starts


@dataclass(frozen=True, eq=False)
class KnowledgeTables:
    """A knowledge file compiled for one game, as `_native.Scorer` takes it."""

    version: int
    rules_digest: str
    n_roles: int
    state_words: int
    n_points: int
    n_pieces: int
    cells: NDArray[np.uint8]  # [cell] occupant codes of the empty board; n_pieces + 1 is off the board
    point_cell: Array32  # [point]
    copies: NDArray[np.uint16]  # [copy * 2] cells beyond joined ends of the board, each with the cell that it copies
    fluent_cell: NDArray[np.uint16]  # [fluent] cell that the fluent occupies; the last cell if it is no board fluent
    fluent_piece: NDArray[np.uint8]  # [fluent] occupant code
    row_target: Array32  # [row] point, -1 if the move has no target
    distance_id: Array32  # [point * n_points] rank of the distance; empty if no feature uses distances
    nearest_length: int  # a multiple of 8
    nearest: NDArray[np.uint16]  # [point * nearest_length] cells of the other points, nearest first; empty if unused
    line_length: int  # a multiple of 8
    lines: NDArray[np.uint16]  # [(dimension * n_points + point) * line_length] cells; empty if unused
    neighbourhoods: tuple[Neighbourhood, ...]
    plans: tuple[PlanTables, ...]  # [role * 2 + phase]
    base: int  # weight of a move without features, in 1/256
    first_feature: bool
    exponential: bool
    exponential_weight: NDArray[np.uint32]  # [sum - exponential_low], empty for additive scoring
    exponential_low: int

    def validate(self) -> None:
        """Check the version, the shapes and every index. Raises ValueError."""
        if self.version != FORMAT_VERSION:
            raise ValueError(f"knowledge tables of version {self.version}; this program reads {FORMAT_VERSION}")
        n_fluents, n_cells = len(self.fluent_cell), len(self.cells)
        _require(len(self.fluent_piece) == n_fluents <= self.state_words * 64, "fluents")
        _require(len(self.point_cell) == self.n_points, "point_cell")
        _require(len(self.copies) % 2 == 0, "copies")
        for cells in (self.point_cell, self.copies, self.fluent_cell, self.nearest, self.lines):
            _within(cells, 0, n_cells, "cells")
        _within(self.cells, 0, self.n_pieces + 2, "cells")
        _within(self.fluent_piece, 0, self.n_pieces + 1, "fluent_piece")
        _within(self.row_target, -1, self.n_points, "row_target")
        _require(len(self.distance_id) in (0, self.n_points**2), "distance_id")
        _require(self.nearest_length % 8 == self.line_length % 8 == 0, "lists")
        _require(len(self.nearest) == self.n_points * self.nearest_length, "nearest")
        for neighbourhood in self.neighbourhoods:
            self._validate_neighbourhood(neighbourhood)
        _require(len(self.plans) == self.n_roles * 2, "plans")
        for plan in self.plans:
            self._validate_plan(plan)
        expected = 1 - 2 * self.exponential_low if self.exponential else 0
        _require(len(self.exponential_weight) == expected, "exponential_weight")

    def _validate_neighbourhood(self, around: Neighbourhood) -> None:
        _require(len(around.run_offset) == len(around.run_shift), "neighbourhoods")
        _require(len(around.word_end) == around.words, "neighbourhoods")
        _require(1 <= around.run_length <= 8, "neighbourhoods")
        _starts(np.append(0, around.word_end), len(around.run_offset), "neighbourhoods")
        _within(around.run_shift, 0, 64, "neighbourhoods")
        if self.n_points:
            first = int(self.point_cell.min()) + int(around.run_offset.min())
            last = int(self.point_cell.max()) + int(around.run_offset.max()) + around.run_length - 1
            _require(first >= 0 and last < len(self.cells), "neighbourhoods")

    def _validate_plan(self, plan: PlanTables) -> None:
        n_slots = len(plan.slot_value)
        _starts(plan.slot_start, len(plan.hit_condition), "slot_start")
        _require(len(plan.slot_start) == n_slots + 1 and n_slots > 0, "slot_start")
        _require(len(plan.hit_value) == len(plan.hit_condition), "hit_value")
        _within(plan.hit_condition, 0, len(plan.conditions.size), "hit_condition")
        self._validate_conditions(plan.conditions)
        _within(np.array([plan.always]), 0, n_slots, "always")
        _require(len(plan.row_slot) == len(self.row_target), "row_slot")
        if len(plan.distance_slot):
            _require(len(self.distance_id) == self.n_points**2, "distance_id")
            _within(self.distance_id, 0, len(plan.distance_slot), "distance_id")
        for slots in (plan.row_slot, plan.distance_slot, plan.nearest.slot, *(each.slot for each in plan.lines)):
            _within(slots, 0, n_slots, "slots")
        for automaton in (plan.nearest, *plan.lines):
            _require(len(automaton.next) == len(automaton.slot) * self.n_pieces, "automaton")
            _require((automaton.depth > 0) == (len(automaton.slot) > 0), "automaton")
            _within(automaton.next, -1, len(automaton.slot), "automaton")
        if any(each.depth for each in plan.lines):
            _require(len(self.lines) == len(plan.lines) * self.n_points * self.line_length, "lines")
        for group in plan.patterns:
            _require(0 <= group.neighbourhood < len(self.neighbourhoods), "patterns")
            needed = self.n_pieces + 2 if self.neighbourhoods[group.neighbourhood].relative else len(plan.seen)
            _require(len(plan.seen) == needed, "seen")
            words = self.neighbourhoods[group.neighbourhood].words
            _require(len(group.mask) == words and len(group.keys) == len(group.slots) * words, "patterns")
            _within(group.slots, 0, n_slots, "patterns")
        if self.first_feature:
            ranks = np.concatenate([plan.slot_value, plan.hit_value])
            _within(ranks[ranks != np.iinfo(np.int32).max], 0, len(plan.rank_weight), "ranks")

    def _validate_conditions(self, conditions: Conditions) -> None:
        _starts(conditions.item_start, len(conditions.item_conditions), "item_start")
        _starts(conditions.fluent_start, len(conditions.fluent_items), "fluent_start")
        _within(conditions.item_conditions, 0, len(conditions.size), "item_conditions")
        _within(conditions.fluent_items, 0, len(conditions.item_start) - 1, "fluent_items")
        n_starts = len(self.fluent_cell) + 1 if len(conditions.size) else 1
        _require(len(conditions.fluent_start) == n_starts, "fluent_start")
        counts = np.bincount(conditions.item_conditions, minlength=len(conditions.size))
        _require(np.array_equal(counts, conditions.size), "conditions")


def _require(condition: bool, name: str) -> None:
    if not condition:
        raise ValueError(f"knowledge tables: {name} has the wrong shape")


def _within(values: NDArray[np.integer], low: int, end: int, name: str) -> None:
    if len(values) and not (low <= int(values.min()) and int(values.max()) < end):
        raise ValueError(f"knowledge tables: {name} holds an index outside {low}..{end - 1}")


def _starts(starts: Array32, end: int, name: str) -> None:
    if not len(starts) or starts[0] != 0 or starts[-1] != end or (np.diff(starts) < 0).any():
        raise ValueError(f"knowledge tables: {name} does not ascend from 0 to {end}")
