"""Pictures of a position on a board, as text for a terminal and as SVG, and short names of moves by its fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby

from gdl_miner.agent.board.layout import Layout, Point, board_style, row_of
from gdl_miner.agent.board.piece import draw_piece
from gdl_miner.agent.gdl import RuleSheet
from gdl_miner.agent.gdl.board import Board
from gdl_miner.agent.reasoner.machine import Machine

MOST_MOVES = 12  # legal moves that are listed for a role
_EMPTY = "·"


@dataclass(frozen=True)
class BoardPicture:
    """The fields of a board and the pieces on them."""

    points: tuple[Point, ...]
    """The fields, sorted; all have the same number of dimensions."""
    pieces: Mapping[Point, str]
    """Point to the piece on it, as canonical text."""
    names: Mapping[str, str]
    """Piece to its name for people."""
    marked: Collection[Point] = ()
    """Fields that the last move named."""
    hexagonal: tuple[int, ...] = ()
    """On a board of hexagons, the step to the neighbours beside those along the dimensions."""
    looks: Mapping[str, str] = field(default_factory=dict)
    """Piece to the name by which it is drawn, for pieces that are not drawn by their own (`looks_of`)."""

    @property
    def _layers(self) -> list[tuple[Point, list[Point]]]:
        """Points by the dimensions after the second."""
        ordered = sorted(self.points, key=lambda point: point[2:])
        return [(layer, list(points)) for layer, points in groupby(ordered, key=lambda point: point[2:])]

    @property
    def _symbols(self) -> dict[str, str]:
        """A symbol for each kind of piece: the shortest beginning of its name with which no other name begins."""
        names = {piece: self.names.get(piece, piece).strip("()") or piece for piece in self._kinds()}
        symbols: dict[str, str] = {}
        for piece, name in names.items():
            others = [other for key, other in names.items() if key != piece]
            lengths = range(1, len(name) + 1)
            wanted = (name[:length] for length in lengths if not any(o.startswith(name[:length]) for o in others))
            symbols[piece] = next(wanted, name).replace(" ", "_")
        return symbols

    def _kinds(self) -> list[str]:
        return sorted(set(self.pieces.values()))

    def text(self) -> str:
        """Return the board as text: a line for each row, the highest first, then a legend of the symbols."""
        symbols = self._symbols
        width = max((len(symbol) for symbol in (*symbols.values(), _EMPTY)), default=1)
        width = max([width, *(len(str(point[0])) for point in self.points)])
        layers = [self._text_of_layer(points, symbols, width) for _, points in self._layers]
        titles = [" ".join(map(str, layer)) for layer, _ in self._layers]
        height = max(map(len, layers), default=0)
        blocks = [[title, *[""] * (height - len(rows)), *rows] for title, rows in zip(titles, layers, strict=True)]
        if len(blocks) == 1:
            blocks = [blocks[0][1:]]
        widths = [max(map(len, block)) for block in blocks]
        lines = [
            "    ".join(line.ljust(size) for line, size in zip(row, widths, strict=True)).rstrip()
            for row in zip(*blocks, strict=True)
        ]
        legend = [
            f"{symbol} {self.names.get(piece, piece)}"
            for piece, symbol in symbols.items()
            if symbol != self.names.get(piece, piece)
        ]
        return "\n".join([*lines, *([", ".join(legend)] if legend else [])])

    def _text_of_layer(self, points: list[Point], symbols: Mapping[str, str], width: int) -> list[str]:
        columns = range(min(point[0] for point in points), max(point[0] for point in points) + 1)
        rows = sorted({row_of(point) for point in points}, reverse=True)
        at = {(point[0], row_of(point)): point for point in points}
        margin = max(len(str(row)) for row in rows) if len(points[0]) > 1 else 0
        lines = []
        lowest = rows[-1]
        for row in rows:
            cells = [
                (symbols.get(self.pieces.get(at[column, row], ""), _EMPTY) if (column, row) in at else "").rjust(width)
                for column in columns
            ]
            if self.hexagonal:
                cells[0] = " " * self._indent(row, lowest, rows[0], width + 1) + cells[0]
            lines.append(" ".join([str(row).rjust(margin), *cells] if margin else cells))
        numbers = [str(column).rjust(width) for column in columns]
        if self.hexagonal:
            numbers[0] = " " * self._indent(lowest, lowest, rows[0], width + 1) + numbers[0]
        return [*lines, " ".join([" " * margin, *numbers] if margin else numbers)]

    def _indent(self, row: int, lowest: int, highest: int, width: int) -> int:
        """Return the characters by which a row of hexagons is moved, half a field for each row beside it."""
        leans_right = self.hexagonal[0] * self.hexagonal[1] < 0
        return (row - lowest if leans_right else highest - row) * width // 2

    def svg(self, *, pixels: float = 40.0, turned: bool = False, standalone: bool = False) -> str:
        """Return the board as SVG; with `standalone`, it contains the style of `board_style()`.

        A field is a `<g class="field" data-point="1 2">`. `pixels` is the side of a field. With `turned`, the board is
        drawn as the player on the far side sees it.
        """
        layout = Layout(self.points, turned=turned, hexagonal=self.hexagonal)
        picture = layout.svg(lambda point, x, y: self._field(layout, point, x, y), pixels=pixels, title="the board")
        if not standalone:
            return picture
        head, body = picture.removeprefix("<svg ").split(">", 1)
        return f'<svg xmlns="http://www.w3.org/2000/svg" {head}><style>{board_style()}</style>{body}\n'

    def _field(self, layout: Layout, point: Point, x: float, y: float) -> str:
        place = " ".join(map(str, point))
        kind = "cell dark" if sum(point) % 2 == 0 and not self.hexagonal else "cell"
        piece = self.pieces.get(point)
        drawn = f"<title>{place}</title>{layout.field(x, y, kind)}"
        if piece is not None:
            drawn += draw_piece(self.looks.get(piece, piece), x, y, f"{self.names.get(piece, piece)} {place}")
        last = " last" if point in self.marked else ""
        return f'<g class="field{last}" data-point="{place}">{drawn}</g>'


def picture_of(
    board: Board,
    fields: Iterable[str],
    facts: Iterable[str],
    display: Callable[[str], str],
    marked: Collection[Point] = (),
    looks: Mapping[str, str] | None = None,
) -> BoardPicture:
    """Return the picture of a state.

    The fields are the points that the fluents `fields` of the game name. `facts` are the true fluents: each one that
    names a point puts its piece there, or a cross if the board's pattern has no piece. `display` spells pieces for
    people. `marked` are the fields that the last move named. `looks` are those of pieces (`looks_of`).
    """
    points = sorted({found[0] for fluent in fields if (found := board.field(fluent)) is not None})
    pieces: dict[Point, str] = {}
    for fact in sorted(facts):
        found = board.field(fact)
        if found is not None:
            pieces.setdefault(found[0], found[1] if found[1] is not None else "×")
    return BoardPicture(
        tuple(points),
        pieces,
        {piece: display(piece) for piece in pieces.values()},
        marked,
        board.hexagonal,
        looks or {},
    )


def position_in_words(
    picture: BoardPicture | None,
    sheet: RuleSheet,
    board: Board | None,
    facts: Iterable[str],
    legal: Sequence[Sequence[str]],
    goals: Sequence[int | None] | None,
) -> str:
    """Return a state as text: its board, the facts that are not on it, and who may do what, or how the match ended.

    Args:
        picture: the board, None if the game has none.
        sheet: the rules, which say how things are spelt.
        board: what tells the facts on the board.
        facts: the facts that hold, sorted.
        legal: [role] the legal moves.
        goals: [role] the goals of a terminal state, None for other states.
    """
    lines = [sheet.display(fact) for fact in facts if board is None or board.field(fact) is None]
    roles = [sheet.display(role) for role in sheet.roles]
    if goals is not None:
        results = (f"{role} {'no goal' if goal is None else goal}" for role, goal in zip(roles, goals, strict=True))
        lines.append(f"the match is over: {', '.join(results)}")
    else:
        lines += [_may_do(role, moves, sheet) for role, moves in zip(roles, legal, strict=True)]
    return "\n".join([*([picture.text(), ""] if picture is not None else []), *lines])


def _may_do(role: str, moves: Sequence[str], sheet: RuleSheet) -> str:
    if not moves:
        return f"{role} has no legal move"
    listed = ", ".join(map(sheet.display, moves[:MOST_MOVES]))
    more = f" and {len(moves) - MOST_MOVES} more" if len(moves) > MOST_MOVES else ""
    return f"{role} may do: {listed}{more}"


class MoveNames:
    """The fields and short names of the moves of a game; moves are global rows."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.path = cache(self._path)
        self.label = cache(self._label)

    def piece(self, row: int) -> str | None:
        """Return the piece that a move names, as the sheet spells it; None if it names none."""
        board, move = self._machine.board, self._machine.circuit.moves[row]
        piece = None if board is None else board.target(move)[1]
        return None if piece is None else self._machine.sheet.display(piece)

    def _path(self, row: int) -> tuple[Point, ...]:
        """Return the fields that a move names, the target last."""
        board = self._machine.board
        return () if board is None else board.path(self._machine.circuit.moves[row])

    def _label(self, row: int) -> str:
        """Return the piece and the fields of a move, as `white 4 2 → 4 3`, or the whole move if it names no field."""
        path, piece = self.path(row), self.piece(row)
        if not path:
            return self._machine.sheet.display(self._machine.circuit.moves[row])
        fields = " → ".join(" ".join(map(str, point)) for point in path)
        return fields if piece is None else f"{piece} {fields}"
