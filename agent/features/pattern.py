"""The fields around the target: occupants or whose they are, empty fields, what is off the board, wildcards."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.board import Layout, Point, draw_piece, square
from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features.feature import Feature, Instances, number_keys
from gdl_miner.agent.features.itemset import Itemset
from gdl_miner.agent.features.picture import draw_parts, draw_sign, looks_on
from gdl_miner.agent.files.elements import Display, Element, add_child, read_integer, read_terms
from gdl_miner.agent.geometry import EMPTY, ENEMY, NOWHERE, OWN, Geometry, Position, Symmetry
from gdl_miner.agent.geometry.geometry import NOBODY, OFF_BOARD, SEEN_ENEMY, SEEN_OFF, SEEN_OWN
from gdl_miner.agent.geometry.lattice import hexagonal_distance

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.plan import Hit, PlanBuilder

MAX_RADIUS = 3
ANY = "any"
EMPTY_FIELD = "empty"
OFF = "off"
_PREFIX = "piece:"


@dataclass(frozen=True)
class FeatureRelPattern(Feature):
    """The fields around the target, itself included, look like this.

    `entries` run over the offsets {-radius..radius}^dimensions lexicographically (the last coordinate fastest). An
    entry is a piece, OWN or ENEMY (a piece of the role that moves, or of another role), EMPTY_FIELD, OFF (outside the
    board) or ANY. A piece that is called like one of the last three is written `piece:name` (`entry_of`). In a pattern
    with OWN or ENEMY other pieces belong to nobody.
    """

    element: ClassVar[str] = "FeatureRelPattern"
    children: ClassVar[Mapping[str, str]] = {"Radius": "Radius", "Entries": "Term"}
    colour: ClassVar[str] = "#e0883a"
    radius: int
    entries: tuple[str, ...]

    def __post_init__(self) -> None:
        entries = tuple(
            entry_of(entry.removeprefix(_PREFIX)) if entry.startswith(_PREFIX) else entry for entry in self.entries
        )
        object.__setattr__(self, "entries", entries)

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the feature fires; this is its plain definition."""
        target = position.target(row)
        if target == NOWHERE:
            return False
        geometry = position.geometry
        role = int(geometry.row_role[row]) if self.is_relative(geometry) else None
        codes = (*position.occupants, OFF_BOARD)
        around = geometry.neighbours(self.radius)[target].tolist()
        shown = zip(self.entries, around, strict=True)
        return all(entry in (ANY, _entry(geometry, codes[point], role)) for entry, point in shown)

    def is_relative(self, geometry: Geometry) -> bool:
        """Whether the pattern says whose pieces are, by OWN or ENEMY."""
        return any(entry in (OWN, ENEMY) and entry not in geometry.piece_code for entry in self.entries)

    def write(self, element: Element, display: Display) -> None:
        """Append Radius and Entries."""
        add_child(element, "Radius", str(self.radius))
        add_child(element, "Entries", " ".join(_show(entry, display) for entry in self.entries))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read Radius and Entries."""
        return cls(read_integer(element, "Radius"), read_terms(element, "Entries"))

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        side = 2 * self.radius + 1
        seen = [(self._offset(place), entry) for place, entry in enumerate(self.entries) if entry != ANY]
        if 0 < len(seen) <= self.radius + 1:  # few fields, as along a ray, are clearer in words than as a drawing
            said = {EMPTY_FIELD: "empty", OFF: "off the board", OWN: "an own piece", ENEMY: "an enemy piece"}
            seen.sort(key=lambda each: sum(step * step for step in each[0]))
            at: dict[str, list[tuple[int, ...]]] = {}
            for offset, entry in seen:
                at.setdefault(said.get(entry) or display(entry), []).append(offset)
            return "; ".join(f"{words} {_directions(offsets)}" for words, offsets in at.items())
        short = {EMPTY_FIELD: ".", ANY: "?", OFF: "#"}
        entries = [short.get(entry) or display(entry) for entry in self.entries]
        rows = [" ".join(entries[i : i + side]) for i in range(0, len(entries), side)]
        return f"around it [{' / '.join(rows)}]"

    def _offset(self, place: int) -> tuple[int, ...]:
        """Return the offset from the target to the entry at a place."""
        side, rest, steps = 2 * self.radius + 1, len(self.entries), []
        while rest > 1:
            rest //= side
            step, place = divmod(place, rest)
            steps.append(step - self.radius)
        return tuple(steps)

    def draw(self, itemset: Itemset | None, geometry: Geometry) -> str:
        """Draw the fields around the target; the itemset is not drawn."""
        if geometry.dimensions not in (2, 3):
            return ""
        if geometry.hexagonal:
            return self._draw_hexagons(geometry)
        side = 2 * self.radius + 1
        layers = side if geometry.dimensions == 3 else 1
        parts, looks = [], looks_on(geometry)
        for place, entry in enumerate(self.entries):
            column, row, layer = (*(step + self.radius for step in self._offset(place)), 0)[:3]
            x, y = layer * (side + 0.6) + column, side - 1 - row
            centre = column == row == self.radius and (layers == 1 or layer == self.radius)
            parts.append(square(x, y, _kind_of(entry, centre=centre)) + _draw_entry(entry, x, y, looks))
        return draw_parts(layers * (side + 0.6) - 0.6, side, parts)

    def _draw_hexagons(self, geometry: Geometry) -> str:
        """Draw the fields up to as many steps from the target as the radius says, and others that are compared."""
        offsets = np.array(list(itertools.product(range(-self.radius, self.radius + 1), repeat=2)), np.int64)
        near = hexagonal_distance(offsets, geometry.hexagonal) <= self.radius
        entries = {
            tuple(offset): entry
            for offset, entry, close in zip(offsets.tolist(), self.entries, near.tolist(), strict=True)
            if close or entry != ANY
        }
        layout, looks = Layout(entries, hexagonal=geometry.hexagonal), looks_on(geometry)

        def draw(offset: Point, x: float, y: float) -> str:
            entry = entries[offset]
            return layout.field(x, y, _kind_of(entry, centre=not any(offset))) + _draw_entry(entry, x, y, looks)

        parts = [draw(offset, *layout.place(offset)) for offset in layout.points]
        return draw_parts(layout.width, layout.height, parts)

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Say so if the number of entries is not that of fields, or the board does not have a piece."""
        if not geometry.n_points:
            return "the game has no board; remove the feature"
        expected = (2 * self.radius + 1) ** geometry.dimensions
        if not 1 <= self.radius <= MAX_RADIUS:
            return f"radius {self.radius}; write 1 to {MAX_RADIUS}"
        if len(self.entries) != expected:
            return f"radius {self.radius} takes {expected} entries, not {len(self.entries)}; write one per field"
        relative = self.is_relative(geometry)
        for entry in self.entries:
            if entry in (ANY, EMPTY_FIELD, OFF):
                continue
            code = geometry.piece_code.get(entry.removeprefix(_PREFIX))
            if code is None and entry not in (OWN, ENEMY):
                known = ", ".join(geometry.pieces)
                return f"the board has no piece {entry}; write one of {known}, own, enemy, empty, off or any"
            if relative and code is not None and geometry.owners[code - 1] != NOBODY:
                return f"{entry} belongs to a role, and other entries are own or enemy; write own or enemy there, too"
        if relative and set(geometry.owners) <= {NOBODY}:
            return "no piece of the board belongs to a role; write pieces instead of own and enemy"
        return None

    def image(self, symmetry: Symmetry) -> FeatureRelPattern:
        """Return the pattern turned, reflected and with other pieces."""
        images = {entry: entry for entry in (ANY, EMPTY_FIELD, OFF)}
        if self.is_relative(symmetry.geometry):
            images |= {OWN: OWN, ENEMY: ENEMY}  # roles are exchanged with their pieces
        for entry in set(self.entries) - images.keys():
            images[entry] = entry_of(symmetry.piece(entry.removeprefix(_PREFIX)))
        shown = symmetry.offsets(self.radius)
        kept = shown if NOWHERE in shown else range(len(shown))  # a whole permutation keeps every place
        lost = [entry for place, entry in enumerate(self.entries) if entry != ANY and place not in kept]
        if lost:
            raise KnowledgeError(
                f"a pattern of radius {self.radius} has {lost[0]} at a corner, and '{symmetry.name}' takes it "
                "out of the radius; write any there, give a larger radius, or remove the symmetry"
            )
        entries = tuple(ANY if place == NOWHERE else images[self.entries[place]] for place in shown)
        return FeatureRelPattern(self.radius, entries)

    def renamed(self, pieces: Mapping[str, str]) -> FeatureRelPattern:
        """Return the pattern with other pieces."""
        images = {entry: entry for entry in (ANY, EMPTY_FIELD, OFF)}
        images |= {entry: entry for entry in (OWN, ENEMY) if entry not in pieces}
        for entry in self.entries:
            if entry not in images:
                images[entry] = entry_of(pieces[entry.removeprefix(_PREFIX)])
        return FeatureRelPattern(self.radius, tuple(images[entry] for entry in self.entries))

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the pattern to the native tables."""
        geometry, relative = plan.geometry, self.is_relative(plan.geometry)
        special = {ANY: None, EMPTY_FIELD: EMPTY, OFF: OFF_BOARD}
        seen = np.arange(OFF_BOARD + 1, dtype=np.uint8)  # [occupant code] its code in a pattern
        if relative:
            seen = geometry.seen_by(plan.role)
            special |= {OFF: SEEN_OFF, OWN: SEEN_OWN, ENEMY: SEEN_ENEMY}
        entries = tuple(
            special[entry] if entry in special else int(seen[geometry.piece_code[entry.removeprefix(_PREFIX)]])
            for entry in self.entries
        )
        plan.on_pattern(self.radius, entries, hit, relative=relative)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find one pattern for each shape per sample."""
        geometry = view.geometry
        asked = enumeration.shapes_for(geometry.dimensions, geometry.hexagonal)
        kept_by = [(shape.radius, shape.kept(geometry.dimensions, geometry.hexagonal)) for shape in asked]
        shapes = list({(radius, *kept.tolist()): (radius, kept) for radius, kept in kept_by}.values())
        if not geometry.n_points or not shapes:
            return Instances.none(view.n_samples)
        tables = {radius: geometry.neighbours(radius) for radius, _ in shapes}
        relative = enumeration.relative and not set(geometry.owners) <= {NOBODY}
        seen = _codes_seen(geometry, relative=relative)
        roles = geometry.row_role[view.row]
        columns: list[NDArray[np.int64]] = []
        firsts: list[NDArray[np.int64]] = []  # [column] a sample that shows the pattern
        for radius, kept in shapes:
            keys, samples = _number_patterns(view, tables[radius][:, np.flatnonzero(kept)], seen)
            columns.append(keys)
            firsts.append(samples)

        def make(column: int, key: int) -> Feature:
            (radius, compared), sample = shapes[column], int(firsts[column][key])
            codes = view.occupants[view.state_index[sample], tables[radius][view.target[sample]]].tolist()
            shown = zip(codes, compared.tolist(), strict=True)
            role = int(roles[sample]) if relative else None
            return cls(radius, tuple(_entry(geometry, code, role) if kept else ANY for code, kept in shown))

        return number_keys(columns, enumeration.min_count, make)


def entry_of(piece: str) -> str:
    """The entry that means a piece, even one called empty, off or any."""
    return _PREFIX + piece if piece in (ANY, EMPTY_FIELD, OFF) or piece.startswith(_PREFIX) else piece


def _codes_seen(geometry: Geometry, *, relative: bool) -> NDArray[np.int64]:
    """Return [role, occupant code] the code that an entry compares."""
    if relative:
        return np.array([geometry.seen_by(role) for role in range(len(geometry.roles))], dtype=np.int64)
    codes = np.minimum(np.arange(OFF_BOARD + 1), len(geometry.pieces) + 1)  # the last one is off the board
    return np.tile(codes, (len(geometry.roles), 1))


def _entry(geometry: Geometry, code: int, role: int | None) -> str:
    """Return the entry for an occupant code; a role tells own pieces from those of others."""
    if code == OFF_BOARD:
        return OFF
    if code == EMPTY:
        return EMPTY_FIELD
    owner = geometry.owners[code - 1] if role is not None else NOBODY
    if owner != NOBODY:
        return OWN if owner == role else ENEMY
    return entry_of(geometry.pieces[code - 1])


def _show(entry: str, display: Display) -> str:
    if entry in (ANY, EMPTY_FIELD, OFF, OWN, ENEMY) or entry.startswith(_PREFIX):
        return entry
    return display(entry)


def _number_patterns(
    view: BatchView, neighbours: NDArray[np.int32], seen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct patterns of fields [point, entry] around the targets.

    `seen` [role, occupant code] is the code that is compared.

    Returns:
        [sample] number of its pattern, -1 without a target; [number] a sample that shows it. Numbers ascend with the
        codes of the entries, so they do not depend on the order of the samples.
    """
    samples = np.flatnonzero(view.target != NOWHERE)
    roles = view.geometry.row_role[view.row[samples]]
    base = int(seen.max(initial=0)) + 1
    numbers = np.zeros(len(samples), dtype=np.int64)
    bound = 1
    for entry in range(neighbours.shape[1]):
        if bound * base >= 2**62:  # renumber before the key overflows
            distinct, numbers = np.unique(numbers, return_inverse=True)
            bound = len(distinct)
        points = neighbours[view.target[samples], entry]
        codes = seen[roles, view.occupants[view.state_index[samples], points]]
        numbers = numbers * base + codes
        bound *= base
    _, firsts, numbers = np.unique(numbers, return_index=True, return_inverse=True)
    result = np.full(view.n_samples, -1, dtype=np.int64)
    result[samples] = numbers
    return result, samples[firsts]


def _directions(offsets: Sequence[tuple[int, ...]]) -> str:
    """Return in words where fields lie from the target of a move, which comes first if it is among them."""
    own = ["on its field"] if not any(offsets[0]) else []
    others = [offset for offset in offsets if any(offset)]
    said = [f"({', '.join(f'{step:+d}'.replace('-', '−') if step else '0' for step in offset)})" for offset in others]
    return " and ".join([*own, *([f"at {', '.join(said)} from it"] if said else [])])


def _kind_of(entry: str, *, centre: bool) -> str:
    return "goal" if centre else {ANY: "any", OFF: "off"}.get(entry, "cell")


def _draw_entry(entry: str, x: float, y: float, looks: Mapping[str, str]) -> str:
    if entry in (OWN, ENEMY):
        return draw_sign(x, y, "+" if entry == OWN else "−")
    piece = entry.removeprefix(_PREFIX)
    return "" if entry in (ANY, OFF, EMPTY_FIELD) else draw_piece(looks.get(piece, piece), x, y)
