"""`agent board`: the board of a game, as its sheet describes it or as its rules show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.board import picture_of
from gdl_miner.agent.commands.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    GAME_HELP,
    BudgetMemory,
    BudgetSeconds,
    Json,
    report_progress,
)
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import check_place, new_file
from gdl_miner.agent.files.replaced_file import replace_file
from gdl_miner.agent.gdl.board import EXTENSION, Board
from gdl_miner.agent.gdl.rules import RuleSheet, parse_sheet, read_sheet, read_text
from gdl_miner.agent.reasoner.discovery import board_facts, board_in_words, left_out_of_facts, why_no_board
from gdl_miner.agent.reasoner.machine import Machine, load_machine


def board(
    game: Annotated[str, typer.Argument(help=GAME_HELP, show_default=False)],
    write: Annotated[bool, typer.Option("--write", "-w", help="Add the board facts to the file, at its end.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the sheet with the board facts to this new file.", show_default=False),
    ] = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Show the board that a game's rules show: cells, what is on them, and the cells that moves name.

    Boards are found by what the rules do with arguments, not by names: an argument is a coordinate if rules step along
    its values, a cell holds one piece, and moves change the cells they name. Where the sheet has board facts, they
    count, and what was found is shown beside them. --write and --out add the facts, to be corrected by hand.
    """
    sheet = read_sheet(game)
    if write or out is not None:
        _check(sheet, game, write, out)
    machine = load_machine(sheet, budget_s=budget, memory_mib=budget_memory, progress=report_progress)
    facts = board_facts(machine.discovery, machine.circuit) if write or out is not None else ""
    if as_json:
        print(json.dumps(machine.discovery.to_json()))
    else:
        _show(machine)
    if facts:
        path = _write(sheet, game, facts, out)
        for form in left_out_of_facts(machine.discovery, machine.circuit):
            report_progress(f"note: board facts name one form of moves, so the fields of ({form} …) are left out")
        report_progress(f"wrote {path}")


def _show(machine: Machine) -> None:
    sheet, found = machine.sheet, machine.discovery
    if sheet.board is not None:
        print(f"declared: {_declared(sheet.board)}")
    for each in found.boards:
        print(f"found: {board_in_words(each, sheet.display)}")
    if not found.boards:
        print("found: none")
    if sheet.board is None and (why := why_no_board(found)):
        print(f"features cannot use it: {why}" if found.boards else f"features have no board: {why}")
    if machine.board is not None:
        picture = picture_of(machine.board, machine.fluents, machine.facts(machine.initial()), sheet.display)
        print(f"\n{picture.text()}")


def _declared(declared: Board) -> str:
    fluent = " ".join((declared.board_functor, *declared.board_pattern))
    move = " ".join((declared.play_functor, *declared.play_pattern))
    span = f"{declared.low:g} to {declared.high:g}"
    return f"{declared.dimensions} dimensions, coordinates {span}, fluents ({fluent}), moves ({move})"


def _check(sheet: RuleSheet, game: str, write: bool, out: Path | None) -> None:
    """Refuse to write what would lose or contradict something."""
    if write and out is not None:
        raise ConfigError("--write adds to the file itself and --out names a new one; give one of them")
    if write and not Path(game).exists():
        raise ConfigError(f"{game} is a bundled game; --write needs the path of a file, or name a new one with --out")
    declared = [rule for rule in sheet.rules if rule.head.name in EXTENSION]
    if declared:
        where = declared[0].position
        raise ConfigError(f"{where}: the sheet has board facts; correct them by hand, or remove them first")
    if out is not None:
        if out.exists():
            raise ConfigError(f"{out} exists; name a new file")
        check_place(out, ConfigError)


def _write(sheet: RuleSheet, game: str, facts: str, out: Path | None) -> Path:
    """Write the text of the sheet and the facts, to the sheet's own file where no other is named."""
    text, source = read_text(game)
    if "\ufffd" in text:
        raise ConfigError(f"{source}: not UTF-8 text, so some of it would be lost; save it as UTF-8 first")
    separator = "" if text.endswith("\n") else "\n"
    whole = f"{text}{separator}\n{facts}"
    if parse_sheet(whole, source).board is None:
        raise ConfigError(f"{sheet.source}: the board facts would not be read; write them by hand (docs/rules.md)")
    if out is None:
        path = Path(source).resolve()
        mode = path.stat().st_mode
        replace_file(path, whole.encode())
        path.chmod(mode)
        return Path(source)
    with new_file(out, ConfigError) as written:
        written(whole.encode())
    return out
