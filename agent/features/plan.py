"""The contributions of features to the scores of moves, collected and laid out as native tables.

A table is looked up once for each target, however many patterns are in it. A table of patterns with different wildcards
has a key for all contents of the fields that any of them compares, and what it adds there is the sum of what the
patterns add.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features.itemset import Itemset
from gdl_miner.agent.features.native_tables import Automaton, Conditions, PatternGroup, PlanTables
from gdl_miner.agent.geometry import Geometry
from gdl_miner.agent.geometry.geometry import OFF_BOARD
from gdl_miner.agent.geometry.grid import KeyLayout

NO_CONDITION = -1
NO_RANK = int(np.iinfo(np.int32).max)  # value of a slot without a match, in first-feature scoring
_MOST_ITEMS = 255
_MOST_KEYS = 1024  # of a table, so that it stays in the cache beside others

_Codes = tuple[int, ...]
_ComparedFields = tuple[int, ...]  # places in a neighbourhood, ascending


class FluentCondition(Protocol):
    """A statement about a state that holds where at least one of its fluents holds, such as an item of an itemset."""

    def fluents(self, geometry: Geometry) -> NDArray[np.int32]:
        """Return the fluents of which at least one must hold."""


@dataclass(frozen=True)
class AnyOf:
    """The statement that at least one of these fluents holds."""

    numbers: tuple[int, ...]

    def fluents(self, geometry: Geometry) -> NDArray[np.int32]:
        """Return the fluents."""
        return np.array(self.numbers, np.int32)


class Hit(NamedTuple):
    """The contribution of one feature where it fires."""

    value: int  # weight, or rank in first-feature scoring
    condition: int = NO_CONDITION  # number of the itemset that must hold too


class KeyLayouts:
    """The neighbourhoods that a knowledge file needs, one per radius and kind of codes."""

    def __init__(self, geometry: Geometry) -> None:
        self.off_board = len(geometry.pieces) + 1
        self._geometry = geometry
        self.layouts: list[KeyLayout] = []
        self.relative: list[bool] = []  # [layout] whether its codes are what a role sees
        self.contents: list[int] = []  # [layout] number of codes of a field

    def index(self, radius: int, *, relative: bool = False) -> int:
        """Return the number of the neighbourhood of a radius, which is added if it is new."""
        for number, layout in enumerate(self.layouts):
            if layout.radius == radius and self.relative[number] == relative:
                return number
        largest = int(self._geometry.seen_by(0).max()) if relative else self.off_board
        self.layouts.append(KeyLayout(radius, self._geometry.dimensions, largest.bit_length()))
        self.relative.append(relative)
        self.contents.append(largest + 1)
        return len(self.layouts) - 1


class PlanBuilder:
    """Builder of the tables of one role and phase. Each feature calls one of the `on_…` methods."""

    def __init__(self, geometry: Geometry, layouts: KeyLayouts, role: int, *, first_feature: bool) -> None:
        self.geometry = geometry
        self.role = role
        self._layouts = layouts
        self._first = first_feature
        self._conditions: dict[tuple[FluentCondition, ...], int] = {}
        self._always: list[Hit] = []
        self._rows: dict[int, list[Hit]] = {}
        self._distances: dict[int, list[Hit]] = {}
        self._nearest: dict[_Codes, list[Hit]] = {}
        self._lines: dict[tuple[int, _Codes], list[Hit]] = {}
        self._patterns: dict[tuple[int, bool], dict[_ComparedFields, dict[_Codes, list[Hit]]]] = {}
        self._slots: dict[tuple[int, tuple[Hit, ...]], int] = {(NO_RANK if first_feature else 0, ()): 0}

    def condition(self, itemset: Itemset | None) -> int:
        """Return the number of an itemset, NO_CONDITION for None."""
        return NO_CONDITION if itemset is None else self._numbered(itemset.items)

    def on_every_move(self, hit: Hit) -> None:
        """Add a feature that fires for every move."""
        self._always.append(hit)

    def on_rows(self, rows: Sequence[int] | NDArray[np.intp], hit: Hit) -> None:
        """Add a feature that fires for these moves in every state."""
        for row in rows:
            self._rows.setdefault(int(row), []).append(hit)

    def on_rows_with(self, rows: Sequence[int] | NDArray[np.intp], fluents: tuple[int, ...], hit: Hit) -> None:
        """Add a feature that fires for these moves in states where at least one of these fluents holds."""
        known = () if hit.condition == NO_CONDITION else list(self._conditions)[hit.condition]
        self.on_rows(rows, Hit(hit.value, self._numbered((*known, AnyOf(fluents)))))

    def on_distance(self, squared: int, hit: Hit) -> None:
        """Add a feature that fires at this squared distance between the target and the nearest last target."""
        self._distances.setdefault(squared, []).append(hit)

    def on_nearest(self, codes: _Codes, hit: Hit) -> None:
        """Add a feature that fires where the nearest occupants are this multiset (sorted codes)."""
        self._nearest.setdefault(codes, []).append(hit)

    def on_line(self, dimension: int, codes: _Codes, hit: Hit) -> None:
        """Add a feature that fires where the nearest occupants along a dimension (0 is the first) are this list."""
        self._lines.setdefault((dimension, codes), []).append(hit)

    def on_pattern(self, radius: int, codes: Sequence[int | None], hit: Hit, *, relative: bool = False) -> None:
        """Add a feature that fires where the fields around the target hold these occupant codes.

        With `relative`, the codes are those of what the role sees. A code of None is a wildcard.
        """
        self._layouts.index(radius, relative=relative)
        fields = tuple(place for place, code in enumerate(codes) if code is not None)
        wanted = tuple(self._layouts.off_board if code == OFF_BOARD else code for code in codes if code is not None)
        self._patterns.setdefault((radius, relative), {}).setdefault(fields, {}).setdefault(wanted, []).append(hit)

    def build(self, rank_weight: Sequence[int]) -> PlanTables:
        """Return the tables. `rank_weight` holds the weights of ranks for first-feature scoring, else nothing."""
        row_slot = np.zeros(len(self.geometry.moves), dtype=np.int32)
        for row, hits in sorted(self._rows.items()):
            row_slot[row] = self._slot(hits)
        always = self._slot(self._always)
        distance_slot = self._distance_slots()
        nearest = self._automaton(self._nearest, unordered=True)
        lines = tuple(self._line_automaton(dimension) for dimension in range(self.geometry.dimensions))
        patterns = tuple(
            group
            for (radius, relative), groups in sorted(self._patterns.items())
            for group in self._pattern_groups(self._layouts.index(radius, relative=relative), groups)
        )
        sees = any(relative for _, relative in self._patterns)
        seen = self.geometry.seen_by(self.role) if sees else np.zeros(0, np.uint8)
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
            conditions=self._condition_tables(),
            distance_slot=distance_slot,
            nearest=nearest,
            lines=lines,
            patterns=patterns,
            seen=np.append(seen[: self._layouts.off_board], seen[-1:]),
            rank_weight=_int32(rank_weight),
        )

    def _numbered(self, items: tuple[FluentCondition, ...]) -> int:
        return self._conditions.setdefault(items, len(self._conditions))

    def _slot(self, hits: Sequence[Hit]) -> int:
        """Return the slot that adds these hits; equal hits share a slot."""
        plain = [hit.value for hit in hits if hit.condition == NO_CONDITION]
        value = min(plain, default=NO_RANK) if self._first else sum(plain)
        conditional = tuple(sorted(hit for hit in hits if hit.condition != NO_CONDITION))
        return self._slots.setdefault((value, conditional), len(self._slots))

    def _condition_tables(self) -> Conditions:
        sizes = [len(set(items)) for items in self._conditions]
        if max(sizes, default=0) > _MOST_ITEMS:
            raise KnowledgeError(f"an itemset of {max(sizes)} items; keep them below {_MOST_ITEMS + 1}")
        having: dict[FluentCondition, list[int]] = {}  # item -> its conditions
        fluents: list[list[int]] = [[] for _ in self.geometry.fluents]
        for items, condition in self._conditions.items():
            for item in dict.fromkeys(items):
                if item not in having:
                    for fluent in item.fluents(self.geometry).tolist():
                        fluents[fluent].append(len(having))
                having.setdefault(item, []).append(condition)
        item_start, item_conditions = _compressed(list(having.values()))
        fluent_start, fluent_items = _compressed(fluents if having else [])
        return Conditions(np.array(sizes, dtype=np.uint8), item_start, item_conditions, fluent_start, fluent_items)

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
            return Automaton(0, _int32(()), _int32(()))
        nodes: set[_Codes] = {()}
        for codes in lists:
            nodes.update(_sub_multisets(codes) if unordered else (codes[:length] for length in range(len(codes) + 1)))
        index = {codes: number for number, codes in enumerate(sorted(nodes, key=lambda codes: (len(codes), codes)))}
        following = np.full((len(index), len(self.geometry.pieces)), -1, dtype=np.int32)
        for codes, number in index.items():
            for code in range(1, len(self.geometry.pieces) + 1):
                longer = (*codes, code)
                following[number, code - 1] = index.get(tuple(sorted(longer)) if unordered else longer, -1)
        slots = _int32(self._slot(lists.get(codes, ())) for codes in index)
        return Automaton(max(map(len, lists)), following.reshape(-1), slots)

    def _pattern_groups(
        self, neighbourhood: int, groups: Mapping[_ComparedFields, Mapping[_Codes, list[Hit]]]
    ) -> Iterator[PatternGroup]:
        """Yield the tables of patterns of one neighbourhood; where hits simply add up, patterns share tables."""
        contents = self._layouts.contents[neighbourhood]
        added: list[ContentsSums] = []
        for fields, patterns in sorted(groups.items()):
            plain = all(hit.condition == NO_CONDITION for hits in patterns.values() for hit in hits)
            if plain and not self._first and fits(len(fields), contents):
                sums = {codes: sum(hit.value for hit in hits) for codes, hits in patterns.items()}
                added.append(ContentsSums.of(fields, sums, contents))
            else:
                codes = np.array(sorted(patterns), np.uint64).reshape(len(patterns), len(fields))
                slots = [self._slot(hits) for _, hits in sorted(patterns.items())]
                yield self._pattern_group(neighbourhood, fields, codes, slots)
        for table in merge_sums(added, contents):
            codes = np.argwhere(table.sums).astype(np.uint64)
            if len(codes):
                slots = [self._slot([Hit(value)]) for value in table.sums[table.sums != 0].tolist()]
                yield self._pattern_group(neighbourhood, table.fields, codes, slots)

    def _pattern_group(
        self, neighbourhood: int, fields: _ComparedFields, codes: NDArray[np.uint64], slots: Sequence[int]
    ) -> PatternGroup:
        """Return a table of patterns; `codes` are [pattern, field]."""
        layout = self._layouts.layouts[neighbourhood]
        mask, keys = np.zeros(layout.words, np.uint64), np.zeros((len(codes), layout.words), np.uint64)
        for field, column in zip(fields, codes.T, strict=True):
            word, shift = layout.entries[field]
            mask[word] |= np.uint64((1 << layout.key_bits) - 1 << shift)
            keys[:, word] |= column << np.uint64(shift)
        return PatternGroup(neighbourhood, mask, keys.reshape(-1), _int32(slots))


def _sub_multisets(codes: _Codes) -> set[_Codes]:
    found: set[_Codes] = {()}
    for code in codes:
        found |= {tuple(sorted((*part, code))) for part in found}
    return found


def _compressed(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the starts of lists in their concatenation, and the concatenation."""
    start = np.cumsum([0, *map(len, lists)])
    return start.astype(np.int32), _int32(value for values in lists for value in values)


def _int32(values: Iterable[int]) -> NDArray[np.int32]:
    return np.fromiter(values, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class ContentsSums:
    """The sums that patterns add, by the contents of the fields that they compare."""

    fields: tuple[int, ...]  # places in the neighbourhood, ascending
    sums: NDArray[np.int64]  # [content of the first field, of the second, …]

    @classmethod
    def of(cls, fields: tuple[int, ...], patterns: Mapping[tuple[int, ...], int], contents: int) -> "ContentsSums":
        """Return the sums of patterns that compare the same fields.

        Args:
            fields: the places that they compare, ascending.
            patterns: what each pattern adds, by the contents that it wants on these places.
            contents: the number of contents that a field can have.
        """
        sums = np.zeros((contents,) * len(fields), np.int64)
        for wanted, adds in patterns.items():
            sums[wanted] += adds
        return cls(fields, sums)

    def over(self, fields: Sequence[int]) -> NDArray[np.int64]:
        """Return the sums by the contents of further fields, too; they are broadcast over those."""
        sizes = dict(zip(self.fields, self.sums.shape, strict=True))
        return self.sums.reshape([sizes.get(field, 1) for field in fields])


def fits(fields: int, contents: int) -> bool:
    """Whether a table of so many fields is small enough."""
    return bool(contents**fields <= _MOST_KEYS)


def merge_sums(groups: Sequence[ContentsSums], contents: int) -> list[ContentsSums]:
    """Return fewer groups that add the same.

    The largest groups come first. Each joins the table that grows least by it, if one is small enough then.
    """
    tables: list[list[ContentsSums]] = []
    unions: list[set[int]] = []
    for group in sorted(groups, key=lambda each: (-len(each.fields), each.fields)):
        growth = [len(set(group.fields) - union) for union in unions]
        room = [place for place, union in enumerate(unions) if fits(len(union) + growth[place], contents)]
        if room:
            place = min(room, key=lambda place: growth[place])
            tables[place].append(group)
            unions[place] |= set(group.fields)
        else:
            tables.append([group])
            unions.append(set(group.fields))
    return [_together(tuple(sorted(union)), table) for union, table in zip(unions, tables, strict=True)]


def _together(fields: tuple[int, ...], groups: Sequence[ContentsSums]) -> ContentsSums:
    parts = [group.over(fields) for group in groups]
    sums = np.zeros(np.broadcast_shapes(*(part.shape for part in parts)), np.int64)
    for part in parts:
        sums += part
    return ContentsSums(fields, sums)
