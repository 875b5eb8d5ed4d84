"""Board facts that say what was found, as a person would write them into a sheet."""

from __future__ import annotations

from collections import Counter

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.discovery.board import board_of_discovery, numbers_of, play_pattern, why_no_board
from gdl_miner.agent.reasoner.discovery.result import DiscoveredMove, Discovery, FoundBoard

__all__ = ["board_facts", "left_out_of_facts"]


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
