"""The board of a discovery: as the value that features use, as facts for a sheet, and in words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl.board import Board, PartialPoint
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.discovery.result import DiscoveredMove, Discovery, FoundBoard
from gdl_miner.agent.reasoner.discovery.static_relations import is_integer
from gdl_miner.agent.reasoner.discovery.terms import words_of
from gdl_miner.agent.reasoner.sample import Transitions

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
        coordinates = tuple(coordinate for coordinate in point if coordinate is not None)
        return coordinates if len(coordinates) == self.dimensions else None


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


def board_facts(discovery: Discovery, circuit: Circuit) -> str:
    """Return the board facts of the board that was found, with comments.

    Moves of several forms are described by the form of most moves. Raises ConfigError if facts cannot say what was
    found.
    """
    board, why = board_of_discovery(discovery), why_no_board(discovery)
    if board is None:
        raise ConfigError(f"no board facts to write: {why}; leave out --write")
    [main] = discovery.boards
    form = _main_form(main, circuit)
    why = _why_no_facts(main, form)
    if why or form is None:
        raise ConfigError(f"board facts cannot say what was found: {why}; the board is used as it is, without --write")
    return "\n".join(
        (
            "; ---- Board, as the rules show it ----",
            "",
            f"(boarddimnum {board.dimensions})",
            f"(boardboundaries {board.low:g} {board.high:g})",
            f"(boardfunctor {board.board_functor})",
            f"(boardpattern {' '.join(board.board_pattern)})",
            f"(playfunctor {form.functor})",
            f"(playpattern {' '.join(play_pattern(form))})",
            *([f"(boardhexagonal {' '.join(map(str, board.hexagonal))})"] if board.hexagonal else []),
            *([f"(boardperiods {' '.join(map(str, board.periods))})"] if board.periods else []),
            "",
        )
    )


def left_out_of_facts(discovery: Discovery, circuit: Circuit) -> tuple[str, ...]:
    """Return the names of the moves whose cells board facts cannot name beside those of the main form."""
    [main] = discovery.boards
    form = _main_form(main, circuit)
    return tuple(move.functor for move in main.moves if move != form)


def _main_form(main: FoundBoard, circuit: Circuit) -> DiscoveredMove | None:
    """Return the form with the most rows whose target is named and has its dimensions in order, None if none has."""
    rows = Counter(move.removeprefix("(").partition(" ")[0] for move in circuit.moves)
    forms = [move for move in main.moves if move.target and None not in move.target and _in_order(move)]
    return max(forms, key=lambda move: (rows[move.functor], move.functor, move.arity), default=None)


def _in_order(move: DiscoveredMove) -> bool:
    places = [place for place in move.target if place is not None]
    return places == sorted(places)


def _why_no_facts(main: FoundBoard, form: DiscoveredMove | None) -> str:
    if main.places:
        return "they need coordinates, and cells have names"
    if any(name != str(number) for own in map(numbers_of, main.names) for name, number in own.items()):
        return "they need coordinates that are integers in order"
    if not main.closed:
        return "they hold for all cells that rules can name, also those that no match uses"
    if len(main.content) > 1:
        return f"they know one piece argument, and ({main.relation} …) has {len(main.content)}"
    if form is None:
        return "no move names all coordinates of its target in the order of the board"
    return ""


_FEWEST = 3  # arrivals of a piece that tell whose it is


def owners_of_pieces(board: Board, circuit: Circuit, sample: Transitions) -> dict[str, int]:
    """Return the role of each piece that moves of this role alone, and of no other, bring to their targets.

    Pieces that several roles bring, such as the arrows of the Game of the Amazons, belong to nobody, and so do pieces
    that hardly ever arrive in the sample.
    """
    on_board = [board.field(fluent) for fluent in circuit.fluents]
    on_point: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for fluent, cell in enumerate(on_board):
        if cell is not None:
            on_point[cell[0]].append(fluent)
    arrived: dict[str, Counter[int]] = defaultdict(Counter)
    for step, joint in enumerate(sample.rows.tolist()):
        for role in _movers(joint, circuit):
            point, _ = board.target(circuit.moves[joint[role]])
            for fluent in on_point.get(point, ()) if point is not None else ():
                cell = on_board[fluent]
                if cell is not None and sample.after[step, fluent] and not sample.before[step, fluent]:
                    arrived[cell[1] or board.board_functor][role] += 1
    return {
        piece: min(roles)
        for piece, roles in sorted(arrived.items())
        if len(roles) == 1 and min(roles.values()) >= _FEWEST
    }


def _movers(joint: Sequence[int], circuit: Circuit) -> list[int]:
    """Return the roles whose moves may bring pieces; those of chance bring nobody's."""
    return [role for role in range(len(joint)) if circuit.roles[role] != CHANCE_ROLE]


_MOST_PIECES = 12  # listed


def discovery_in_words(discovery: Discovery, display: Callable[[str], str]) -> str:
    """Return the boards of a game, and why features cannot use them if they cannot."""
    if not discovery.boards:
        return "none: the rules show no board"
    said = "; ".join(board_in_words(board, display) for board in discovery.boards)
    why = why_no_board(discovery)
    return f"{said}; not used by features, since {why}" if why else said


def board_in_words(board: FoundBoard, display: Callable[[str], str]) -> str:
    """Return a board in a line: `grid of 8 x 6, 48 cells, in (cell column row …)`."""
    size = " x ".join(map(str, board.extents)) if board.kind != "graph" else "named cells"
    if board.hexagonal:
        size += " hexagons" if board.kind != "graph" else " on hexagons"
    words = ["dim" if place in board.coordinates else "piece" for place in range(board.arity)]
    pieces = [display(piece) for piece in board.pieces[:_MOST_PIECES]]
    more = f" and {len(board.pieces) - _MOST_PIECES} more" if len(board.pieces) > _MOST_PIECES else ""
    fluents = " or ".join(f"({display(relation)} {' '.join(words)})" for relation in board.relations)
    said = f"{board.kind} of {size}, {board.cells} cells, fluents {fluents}"
    said += f", pieces {', '.join(pieces)}{more}"
    if board.neighbours:
        said += f", neighbours in {len(board.neighbours)} directions"
    moves = [_move_in_words(move, display) for move in board.moves]
    return f"{said}, moves {', '.join(moves)}" if moves else said


def _move_in_words(move: DiscoveredMove, display: Callable[[str], str]) -> str:
    words = ["skip"] * move.arity
    for place in move.source:
        words[place] = "from"
    for target in move.target:
        if target is not None:
            words[target] = "to" if move.source else "dim"
    if move.piece is not None:
        words[move.piece] = "piece"
    return f"({display(move.functor)} {' '.join(words)})"
