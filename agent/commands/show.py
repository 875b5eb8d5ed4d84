"""`agent show`: a state of a game for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gdl_miner.agent.board import BoardPicture, picture_of
from gdl_miner.agent.commands.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    GAME_HELP,
    BudgetMemory,
    BudgetSeconds,
    report_progress,
)
from gdl_miner.agent.errors import ConfigError, unwritable
from gdl_miner.agent.gdl.board import Board
from gdl_miner.agent.gdl.rules import RuleSheet, read_sheet
from gdl_miner.agent.reasoner.discovery import why_no_board
from gdl_miner.agent.reasoner.engines import Chosen, choose_engine
from gdl_miner.agent.reasoner.line_of_play import follow

MOST_MOVES = 12  # legal moves listed for a role


def show(
    game: Annotated[str, typer.Argument(help=GAME_HELP, show_default=False)],
    moves: Annotated[
        str,
        typer.Option(help="Joint moves to make first: '((mark 1 1) noop) …', or just those of who can choose."),
    ] = "",
    svg: Annotated[Path | None, typer.Option(help="Write the board to this SVG file.", show_default=False)] = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
) -> None:
    """Show a state: the board that the sheet describes or the rules show, the other fluents, and what may be done."""
    sheet = read_sheet(game)
    chosen = choose_engine(sheet, budget_s=budget, memory_mib=budget_memory, progress=report_progress)
    board = chosen.machine.board if chosen.machine is not None else sheet.board
    if svg is not None and board is None:
        raise ConfigError(f"{sheet.source}: no board to draw, since {_why_none(chosen)}; leave out --svg")
    engine = chosen.engine
    state, seen = engine.initial(), list(engine.facts(engine.initial()))
    for _, state in follow(engine, moves):
        seen += engine.facts(state)
    facts = sorted(engine.facts(state))
    picture = _picture(board, chosen, seen, facts)
    if picture is not None:
        print(picture.text(), end="\n\n")
        if svg is not None:
            _write(svg, picture.svg(standalone=True))
    for line in (sheet.display(fact) for fact in facts if board is None or board.field(fact) is None):
        print(line)
    for line in _outlook(sheet, engine, state):
        print(line)


def _why_none(chosen: Chosen) -> str:
    if chosen.machine is None:
        return "the sheet has no board facts"
    return f"the sheet has no board facts and {why_no_board(chosen.machine.discovery)}"


def _picture(board: Board | None, chosen: Chosen, seen: list[str], facts: list[str]) -> BoardPicture | None:
    """Return the board, if there is one; its fields are those that the known fluents of the game name."""
    if board is None:
        return None
    fields = chosen.machine.fluents if chosen.machine is not None else seen
    return picture_of(board, fields, facts, chosen.sheet.display)


def _outlook(sheet: RuleSheet, engine: Any, state: Any) -> list[str]:
    """Return who may do what, or how the match ended."""
    roles = [sheet.display(role) for role in engine.roles]
    if engine.terminal(state):
        goals = zip(roles, engine.goals(state), strict=True)
        results = (f"{role} {'no goal' if goal is None else goal}" for role, goal in goals)
        return [f"the match is over: {', '.join(results)}"]
    lines = []
    for role, legal in zip(roles, engine.legal(state), strict=True):
        listed = ", ".join(sheet.display(move) for move in sorted(legal)[:MOST_MOVES])
        more = f" and {len(legal) - MOST_MOVES} more" if len(legal) > MOST_MOVES else ""
        lines.append(f"{role} may do: {listed}{more}" if legal else f"{role} has no legal move")
    return lines


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(unwritable(path, error, "name another file")) from error
