"""`agent info`, `agent board` and `agent show`: what a game is, its board, and its states."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent import _native
from gdl_miner.agent.board import BoardPicture, looks_of, picture_of, position_in_words
from gdl_miner.agent.commands import options
from gdl_miner.agent.errors import BudgetError, ConfigError, unwritable
from gdl_miner.agent.files.new_file import check_place, new_file, replace_file
from gdl_miner.agent.gdl.board import EXTENSION, Board
from gdl_miner.agent.gdl.rules import RuleSheet, parse_sheet, read_sheet, read_text
from gdl_miner.agent.reasoner import cache
from gdl_miner.agent.reasoner.discovery import (
    board_facts,
    board_in_words,
    discovery_in_words,
    left_out_of_facts,
    why_no_board,
)
from gdl_miner.agent.reasoner.engines import Chosen, fallback, states_per_second
from gdl_miner.agent.reasoner.line_of_play import follow
from gdl_miner.agent.reasoner.machine import Machine


def info(
    game: options.GameArgument,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Show a game's roles, size, board, and the engine it gets and why."""
    sheet = read_sheet(game)
    result = _described(sheet, budget, budget_memory)
    if as_json:
        print(json.dumps(result))
        return
    table = Table(show_header=False, box=None)
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in result.items():
        table.add_row(name.replace("_", " "), _cell(value))
    Console().print(table)


def _described(sheet: RuleSheet, budget: float, budget_memory: int) -> dict[str, Any]:
    entry = cache.entry_path(sheet.digest)
    cached = entry.exists()
    result: dict[str, Any] = {
        "game": sheet.name,
        "source": sheet.source,
        "digest": sheet.digest,
        "roles": [sheet.display(role) for role in sheet.roles],
        "rules": len(sheet.rules),
        "board": asdict(sheet.board) if sheet.board is not None else None,
    }
    try:
        machine = options.load(sheet, budget, budget_memory)
    except BudgetError as error:
        chosen = fallback(sheet, str(error), memory_mib=budget_memory)
        speed = states_per_second(chosen.engine, 1.0)
        return result | {"engine": chosen.engine.name, "why": chosen.why, "states_per_s": speed}
    circuit = machine.circuit
    if sheet.board is None:
        result |= _found(machine)
    return result | {
        "engine": "circuit",
        "why": f"the rules ground and compile within {budget:g} s",
        "isa": _native.chosen_instruction_set(),
        "fluents": circuit.n_fluents,
        "moves": [len(moves) for moves in machine.moves],
        "gates": circuit.n_gates,
        "state_gates": circuit.n_state_gates,
        "literals": circuit.n_literals,
        "move_sets": circuit.n_sets,
        "loops": len(circuit.loops),
        "decisive_moves": machine.decisive_moves("auto").words,
        "ground_s": circuit.grounding_s,
        "compile_s": circuit.compile_s,
        "cache": str(entry),
        "from_cache": cached,
    }


def _found(machine: Machine) -> dict[str, Any]:
    """Return the board that the rules of a sheet without board facts show, and whether features use it."""
    board = machine.board
    words = {field.name: getattr(board, field.name) for field in fields(Board)} if board is not None else None
    return {"board": words, "found_board": discovery_in_words(machine.discovery, machine.sheet.display)}


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_cell(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_cell, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def board(
    game: options.GameArgument,
    write: Annotated[bool, typer.Option("--write", "-w", help="Add the board facts to the file, at its end.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the sheet with the board facts to this new file.", show_default=False),
    ] = None,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Show the board that a game's rules show: cells, what is on them, and the cells that moves name.

    Boards are found by what the rules do with arguments, not by names: an argument is a coordinate if rules step along
    its values, a cell holds one piece, and moves change the cells they name. Where the sheet has board facts, they
    count, and what was found is shown beside them. --write and --out add the facts, to be corrected by hand.
    """
    sheet = read_sheet(game)
    if write or out is not None:
        _check(sheet, game, write, out)
    machine = options.load(sheet, budget, budget_memory)
    facts = board_facts(machine.discovery, machine.circuit) if write or out is not None else ""
    if as_json:
        print(json.dumps(machine.discovery.to_json()))
    else:
        _show_board(machine)
    if facts:
        path = _write_facts(sheet, game, facts, out)
        for form in left_out_of_facts(machine.discovery, machine.circuit):
            options.report_progress(
                f"note: board facts name one form of moves, so the fields of ({form} …) are left out"
            )
        options.report_progress(f"wrote {path}")


def _show_board(machine: Machine) -> None:
    sheet, discovery = machine.sheet, machine.discovery
    if sheet.board is not None:
        print(f"declared: {_declared(sheet.board)}")
    for board in discovery.boards:
        print(f"found: {board_in_words(board, sheet.display)}")
    if not discovery.boards:
        print("found: none")
    if sheet.board is None and (why := why_no_board(discovery)):
        print(f"features cannot use it: {why}" if discovery.boards else f"features have no board: {why}")
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


def _write_facts(sheet: RuleSheet, game: str, facts: str, out: Path | None) -> Path:
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
        replace_file(path, whole.encode(), path.stat().st_mode)
        return Path(source)
    with new_file(out, ConfigError) as written:
        written(whole.encode())
    return out


def show(
    game: options.GameArgument,
    moves: Annotated[
        str,
        typer.Option(help="Joint moves to make first: '((mark 1 1) noop) …', or just those of who can choose."),
    ] = "",
    svg: Annotated[Path | None, typer.Option(help="Write the board to this SVG file.", show_default=False)] = None,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
) -> None:
    """Show a state: the board that the sheet describes or the rules show, the other fluents, and what may be done."""
    sheet = read_sheet(game)
    chosen = options.choose(sheet, budget, budget_memory)
    board = chosen.machine.board if chosen.machine is not None else sheet.board
    if svg is not None and board is None:
        raise ConfigError(f"{sheet.source}: no board to draw, since {_why_none(chosen)}; leave out --svg")
    engine = chosen.engine
    state, seen = engine.initial(), list(engine.facts(engine.initial()))
    for _, state in follow(engine, moves):
        seen += engine.facts(state)
    facts = sorted(engine.facts(state))
    picture = _board_picture(board, chosen, seen, facts)
    goals = engine.goals(state) if engine.terminal(state) else None
    legal = [sorted(moves) for moves in engine.legal(state)] if goals is None else []
    print(position_in_words(picture, sheet, board, facts, legal, goals))
    if svg is not None and picture is not None:
        _write_svg(svg, picture.svg(standalone=True))


def _why_none(chosen: Chosen) -> str:
    if chosen.machine is None:
        return "the sheet has no board facts"
    return f"the sheet has no board facts and {why_no_board(chosen.machine.discovery)}"


def _board_picture(board: Board | None, chosen: Chosen, seen: list[str], facts: list[str]) -> BoardPicture | None:
    """Return the board, if there is one; its fields are those that the known fluents of the game name."""
    if board is None:
        return None
    fields = chosen.machine.fluents if chosen.machine is not None else seen
    looks = None if chosen.machine is None else looks_of(chosen.machine)
    return picture_of(board, fields, facts, chosen.sheet.display, looks=looks)


def _write_svg(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(unwritable(path, error, "name another file")) from error
