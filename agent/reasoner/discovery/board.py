"""The board of a discovery as the value that board facts in a sheet would give, where that can say all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gdl_miner.agent.gdl.board import Board, PartialPoint
from gdl_miner.agent.reasoner.discovery.order import is_integer
from gdl_miner.agent.reasoner.discovery.result import DiscoveredMove, Discovery, FoundBoard
from gdl_miner.agent.reasoner.discovery.terms import words_of

__all__ = [
    "MOST_CELLS",
    "MOST_PIECES",
    "NamedBoard",
    "board_of_discovery",
    "numbers_of",
    "play_pattern",
    "why_no_board",
]

MOST_CELLS = 2500  # of a board that is used without a declaration
MOST_PIECES = 253  # see agent.geometry.geometry.build_geometry


@dataclass(frozen=True, slots=True)
class NamedBoard(Board):
    """A board whose coordinates or cells have any names, and whose moves may have several forms.

    Coordinates are integers: the names themselves if they are integers in order, else their places, from 1. Where cells
    have names, one argument names a cell, and a cell without a place is not on the board.
    """

    coordinates: tuple[int, ...]
    """Positions of the coordinates among the arguments of the board relation."""
    numbers: tuple[Mapping[str, int], ...] = field(hash=False)
    """For each dimension, the coordinate of each name."""
    moves: tuple[DiscoveredMove, ...]
    places: Mapping[str, tuple[int, ...]] = field(hash=False)
    """Coordinates of named cells, empty if cells have coordinates of their own."""

    def field(self, fluent: str) -> tuple[tuple[int, ...], str | None] | None:
        """Return the point and the piece of a board fluent, None for any other fluent."""
        if not fluent.startswith(f"({self.board_functor} "):
            return None
        _, *args = words_of(fluent)
        point = self._named(args, self.coordinates) if len(args) == len(self.board_pattern) else None
        if point is None:
            return None
        content = [argument for place, argument in enumerate(args) if place not in self.coordinates]
        return point, None if not content else content[0] if len(content) == 1 else f"({' '.join(content)})"

    def target(self, move: str) -> tuple[tuple[int, ...] | None, str | None]:
        """Return the target point and the piece of a move, None for each it lacks."""
        form, args = self._form(move)
        if form is None:
            return None, None
        return self._named(args, form.target), None if form.piece is None else args[form.piece]

    def path(self, move: str) -> tuple[tuple[int, ...], ...]:
        """Return the source of a move, if it has one, and its target; nothing if it has no target."""
        form, args = self._form(move)
        target = None if form is None else self._named(args, form.target)
        if form is None or target is None:
            return ()
        source = self._named(args, form.source)
        return (target,) if source is None else (source, target)

    def with_points(self, move: str, image: Callable[[PartialPoint], PartialPoint | None]) -> str | None:
        """Return a move with its source and its target replaced by their images, None if one of them has none."""
        form, args = self._form(move)
        if form is None:
            return move
        words = list(args)
        for places in filter(None, (form.source, form.target)):
            if self.places:
                if not self._rename_cell(words, places[0], image):
                    return None
                continue
            point = tuple(
                None if place is None else own.get(args[place]) for own, place in zip(self.numbers, places, strict=True)
            )
            unnamed = [place is None for place in places]
            if [coordinate is None for coordinate in point] != unnamed:
                continue  # an argument is no coordinate
            moved = image(point)
            if moved is None or [coordinate is None for coordinate in moved] != unnamed:
                return None
            for names, place, coordinate in zip(self._names, places, moved, strict=True):
                if place is not None and coordinate is not None:
                    words[place] = names[coordinate]
        return f"({form.functor} {' '.join(words)})"

    def _rename_cell(
        self, words: list[str], place: int | None, image: Callable[[PartialPoint], PartialPoint | None]
    ) -> bool:
        """Put the image of a named cell in its place among words; return whether it has one."""
        point = None if place is None else self.places.get(words[place])
        if place is None or point is None:
            return True  # an argument is no cell
        moved = image(point)
        named = next((name for name, own in self.places.items() if own == moved), None)
        words[place] = words[place] if named is None else named
        return named is not None

    @property
    def _names(self) -> tuple[dict[int, str], ...]:
        """For each dimension, the name of each coordinate."""
        return tuple({coordinate: name for name, coordinate in own.items()} for own in self.numbers)

    def _form(self, move: str) -> tuple[DiscoveredMove | None, list[str]]:
        functor, *args = words_of(move)
        forms = (form for form in self.moves if (form.functor, form.arity) == (functor, len(args)))
        return next(forms, None), args

    def _named(self, args: list[str], positions: tuple[int | None, ...]) -> tuple[int, ...] | None:
        if self.places:
            [place] = positions or (None,)
            return None if place is None else self.places.get(args[place])
        if len(positions) != self.dimensions:
            return None
        point = [
            None if place is None else own.get(args[place]) for own, place in zip(self.numbers, positions, strict=True)
        ]
        found = tuple(coordinate for coordinate in point if coordinate is not None)
        return found if len(found) == self.dimensions else None


def why_no_board(discovery: Discovery) -> str:
    """Return why the features of boards cannot use what was found, an empty text if they can."""
    if not discovery.boards:
        return "the rules show no board"
    main = discovery.boards[0]
    if len(discovery.boards) > 1:
        return f"the game has {len(discovery.boards)} boards"
    if main.kind == "graph":
        if not main.places:
            return "its cells have names, and the rules name no directions in which they have a place"
    elif not all(main.ordered):
        return "its coordinates have no order"
    if len(main.relations) > 1:
        return f"relations of their own say what is on its cells: {', '.join(main.relations)}"
    if not main.exclusive:
        return "a cell may have several contents"
    if main.cells > MOST_CELLS:
        return f"it has {main.cells} cells, more than {MOST_CELLS}"
    if len(main.pieces) > MOST_PIECES:
        return f"it has {len(main.pieces)} kinds of pieces, more than {MOST_PIECES}"
    return ""


def board_of_discovery(discovery: Discovery) -> Board | None:
    """Return the main board of a discovery, None if features cannot use it exactly (`why_no_board`)."""
    if why_no_board(discovery):
        return None
    [main] = discovery.boards
    numbers = tuple(map(numbers_of, main.names))
    every = [number for own in numbers for number in own.values()]
    if main.places:
        every = [coordinate for place in main.places.values() for coordinate in place]
    low, high = min(every), max(every)
    board_pattern = tuple(
        "dim" if place in main.coordinates else "piece" if main.content == (place,) else "skip"
        for place in range(main.arity)
    )
    moves = [move for move in main.moves if move.target and None not in move.target]
    functor = moves[0].functor if moves else ""
    pattern = play_pattern(moves[0]) if moves else ()
    if _plain(main, numbers, moves):
        return Board(
            len(main.names),
            float(low),
            float(high),
            main.relation,
            board_pattern,
            functor,
            pattern,
            hexagonal=main.hexagonal,
            periods=main.periods,
        )
    return NamedBoard(
        dimensions=2 if main.places else len(main.names),
        low=float(low),
        high=float(high),
        board_functor=main.relation,
        board_pattern=board_pattern,
        play_functor=functor,
        play_pattern=pattern,
        coordinates=main.coordinates,
        numbers=numbers,
        moves=main.moves,
        places=main.places,
        hexagonal=main.hexagonal,
        periods=main.periods,
    )


def numbers_of(names: tuple[str, ...]) -> dict[str, int]:
    """Return the coordinates of names: the names if they are integers in order, else their places, from 1."""
    if all(map(is_integer, names)) and list(names) == sorted(names, key=int):
        return {name: int(name) for name in names}
    return {name: place for place, name in enumerate(names, 1)}


def play_pattern(move: DiscoveredMove) -> tuple[str, ...]:
    """Return the word of each argument of a move in the board extension."""
    return tuple(
        "dim" if place in move.target else "piece" if place == move.piece else "skip" for place in range(move.arity)
    )


def _plain(main: FoundBoard, numbers: tuple[Mapping[str, int], ...], moves: list[DiscoveredMove]) -> bool:
    """Whether board facts can say everything: integers, one content, one form of moves with the dimensions in order."""
    return (
        main.closed
        and not main.places
        and all(name == str(number) for own in numbers for name, number in own.items())
        and len(main.content) <= 1
        and len(moves) == 1
        and list(moves[0].target) == sorted(place for place in moves[0].target if place is not None)
    )
