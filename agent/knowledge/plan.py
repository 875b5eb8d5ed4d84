"""Collects what features add to moves and lays it out as native tables."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent.knowledge.geometry import OFF_BOARD, Geometry
from agent.knowledge.tables import Automaton, Neighbourhood, PatternGroup, PlanTables

__all__ = ["NO_CONDITION", "NO_RANK", "Hit", "Neighbourhoods", "PlanBuilder"]

NO_CONDITION = -1
NO_RANK = int(np.iinfo(np.int32).max)  # value of a slot without a match in first-feature scoring

_Codes = tuple[int, ...]


class Hit(NamedTuple):
    """What one feature adds where it fires."""

    value: int  # weight, or rank in first-feature scoring
    condition: int = NO_CONDITION  # itemset that must hold too


class Neighbourhoods:
    """The neighbourhoods that a knowledge file needs, one per radius."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.off_board = len(geometry.pieces) + 1
        self.key_bits = self.off_board.bit_length()
        self.tables: list[Neighbourhood] = []
        self._index: dict[int, int] = {}

    def index(self, radius: int) -> int:
        """Number of the neighbourhood of a radius; makes it if needed."""
        if radius not in self._index:
            points = self.geometry.neighbours(radius)
            entries = points.shape[1]
            words = -(-entries // (64 // self.key_bits))
            self._index[radius] = len(self.tables)
            self.tables.append(Neighbourhood(entries, words, np.ascontiguousarray(points).reshape(-1)))
        return self._index[radius]

    def pack(self, radius: int, codes: Iterable[int]) -> tuple[int, ...]:
        """The words of a key with one code per entry."""
        words = [0] * self.tables[self.index(radius)].words
        per_word = 64 // self.key_bits
        for entry, code in enumerate(codes):
            words[entry // per_word] |= code << (entry % per_word * self.key_bits)
        return tuple(words)


class PlanBuilder:
    """Tables of one role and phase; feature classes call the `on_…` methods, one of them per feature."""

    def __init__(self, geometry: Geometry, neighbourhoods: Neighbourhoods, *, first_feature: bool) -> None:
        self.geometry = geometry
        self._neighbourhoods = neighbourhoods
        self._first = first_feature
        self._always: list[Hit] = []
        self._rows: dict[int, list[Hit]] = {}
        self._distances: dict[int, list[Hit]] = {}
        self._nearest: dict[_Codes, list[Hit]] = {}
        self._lines: dict[tuple[int, _Codes], list[Hit]] = {}
        self._patterns: dict[tuple[int, tuple[int, ...]], dict[tuple[int, ...], list[Hit]]] = {}
        self._slots: dict[tuple[int, tuple[Hit, ...]], int] = {(self._nothing, ()): 0}

    @property
    def _nothing(self) -> int:
        return NO_RANK if self._first else 0

    def on_every_move(self, hit: Hit) -> None:
        """The feature fires for every move."""
        self._always.append(hit)

    def on_rows(self, rows: Sequence[int] | NDArray[np.intp], hit: Hit) -> None:
        """The feature fires for these moves, whatever the state."""
        for row in rows:
            self._rows.setdefault(int(row), []).append(hit)

    def on_distance(self, squared: int, hit: Hit) -> None:
        """The feature fires at this squared distance between target and nearest last target."""
        self._distances.setdefault(squared, []).append(hit)

    def on_nearest(self, codes: _Codes, hit: Hit) -> None:
        """The feature fires where the nearest occupants are this multiset (sorted codes)."""
        self._nearest.setdefault(codes, []).append(hit)

    def on_line(self, dimension: int, codes: _Codes, hit: Hit) -> None:
        """The feature fires where the nearest occupants along a dimension (0 is the first) are this list."""
        self._lines.setdefault((dimension, codes), []).append(hit)

    def on_pattern(self, radius: int, codes: Sequence[int | None], hit: Hit) -> None:
        """The feature fires where the fields around the target hold these occupant codes; None is a wildcard."""
        pack, off_board = self._neighbourhoods.pack, self._neighbourhoods.off_board
        ones = (1 << self._neighbourhoods.key_bits) - 1
        mask = pack(radius, (0 if code is None else ones for code in codes))
        key = pack(radius, (0 if code is None else off_board if code == OFF_BOARD else code for code in codes))
        self._patterns.setdefault((radius, mask), {}).setdefault(key, []).append(hit)

    def build(self, rank_weight: Sequence[int]) -> PlanTables:
        """Lay everything out. `rank_weight` holds the weights of ranks for first-feature scoring, else nothing."""
        row_slot = np.zeros(len(self.geometry.moves), dtype=np.int32)
        for row, hits in sorted(self._rows.items()):
            row_slot[row] = self._slot(hits)
        always = self._slot(self._always)
        distance_slot = self._distance_slots()
        nearest = self._automaton(self._nearest, unordered=True)
        lines = tuple(self._line_automaton(dimension) for dimension in range(self.geometry.dimensions))
        patterns = tuple(
            self._pattern_group(radius, mask, keys) for (radius, mask), keys in sorted(self._patterns.items())
        )
        hits = [hit for _, conditional in self._slots for hit in conditional]
        start = np.cumsum([0, *(len(conditional) for _, conditional in self._slots)])
        return PlanTables(
            acts=len(self._slots) > 1,
            always=always,
            row_slot=row_slot,
            slot_value=_int32(value for value, _ in self._slots),
            slot_start=start.astype(np.int32),
            hit_condition=_int32(hit.condition for hit in hits),
            hit_value=_int32(hit.value for hit in hits),
            distance_slot=distance_slot,
            nearest=nearest,
            lines=lines,
            patterns=patterns,
            rank_weight=_int32(rank_weight),
        )

    def _slot(self, hits: Sequence[Hit]) -> int:
        """The slot that adds these hits; equal ones are shared."""
        plain = [hit.value for hit in hits if hit.condition == NO_CONDITION]
        value = min(plain, default=NO_RANK) if self._first else sum(plain)
        conditional = tuple(sorted(hit for hit in hits if hit.condition != NO_CONDITION))
        return self._slots.setdefault((value, conditional), len(self._slots))

    def _distance_slots(self) -> NDArray[np.int32]:
        if not self._distances:
            return _int32(())
        known = np.unique(self.geometry.squared_distance).tolist()
        return _int32(self._slot(self._distances.get(squared, ())) for squared in known)

    def _line_automaton(self, dimension: int) -> Automaton:
        lists = {codes: hits for (along, codes), hits in self._lines.items() if along == dimension}
        return self._automaton(lists, unordered=False)

    def _automaton(self, lists: dict[_Codes, list[Hit]], *, unordered: bool) -> Automaton:
        if not lists:
            return Automaton(_int32(()), _int32(()))
        nodes: set[_Codes] = {()}
        for codes in lists:
            nodes.update(_sub_multisets(codes) if unordered else (codes[:length] for length in range(len(codes) + 1)))
        index = {codes: number for number, codes in enumerate(sorted(nodes, key=lambda codes: (len(codes), codes)))}
        following = np.full((len(index), len(self.geometry.pieces)), -1, dtype=np.int32)
        for codes, number in index.items():
            for code in range(1, len(self.geometry.pieces) + 1):
                longer = (*codes, code)
                following[number, code - 1] = index.get(tuple(sorted(longer)) if unordered else longer, -1)
        return Automaton(following.reshape(-1), _int32(self._slot(lists.get(codes, ())) for codes in index))

    def _pattern_group(
        self, radius: int, mask: tuple[int, ...], keys: dict[tuple[int, ...], list[Hit]]
    ) -> PatternGroup:
        ordered = sorted(keys.items())
        return PatternGroup(
            neighbourhood=self._neighbourhoods.index(radius),
            mask=np.array(mask, dtype=np.uint64),
            keys=np.array([word for key, _ in ordered for word in key], dtype=np.uint64),
            slots=_int32(self._slot(hits) for _, hits in ordered),
        )


def _sub_multisets(codes: _Codes) -> set[_Codes]:
    found: set[_Codes] = {()}
    for code in codes:
        found |= {tuple(sorted((*part, code))) for part in found}
    return found


def _int32(values: Iterable[int]) -> NDArray[np.int32]:
    return np.fromiter(values, dtype=np.int32)
