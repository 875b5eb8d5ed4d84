"""`agent referee`: a match between players over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from gdl_miner.agent.commands import options
from gdl_miner.agent.commands.seats import choosing_player
from gdl_miner.agent.errors import RecordError, escaped
from gdl_miner.agent.extras import check_extra
from gdl_miner.agent.files.new_file import check_place
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.limits import MAX_SECONDS
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import Clocks, LocalPlayer, LocalRandom, PlayerLink, RefereedMatch
from gdl_miner.agent.referee import referee as run_match
from gdl_miner.agent.referee.players import RemotePlayer, new_client
from gdl_miner.agent.search.record_xml import write_records
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.server.running_match import Margin


def referee(
    game: options.Game,
    players: Annotated[
        str,
        typer.Option(
            help="A player for each role but random, in order, by commas: URLs, random, or of this process uct, a "
            "knowledge file, a level of agent knowledge list, or one of another package (minimax+depth=3)."
        ),
    ],
    startclock: Annotated[float, typer.Option(min=0.1, max=MAX_SECONDS, help="Seconds to get ready.")] = 30.0,
    playclock: Annotated[float, typer.Option(min=0.1, max=MAX_SECONDS, help="Seconds for each move.")] = 10.0,
    record: options.RecordOption = None,
    name: Annotated[str | None, typer.Option(help="Id of the match.", show_default="the game and the seed")] = None,
    seed: options.SeedOption = 0,
    scramble: Annotated[bool, typer.Option("--scramble", help="Replace every word of the rules.")] = False,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Run a match: clocks are kept, late and illegal moves replaced by random legal ones and reported.

    A player that makes no move itself in the whole match has no goal, and the exit status is then 1. Players of this
    process share its processor, and do not learn during the start clock, as those of [b]agent serve[/b] do.
    """
    check_extra("serve", "agent referee")
    if record is not None:
        check_place(record, RecordError)
    machine = options.load(game, budget, budget_memory)
    match = name or f"{machine.sheet.name}-{seed}"
    options.check_word("--name", match)
    outcome = asyncio.run(
        _run(machine, players.split(","), Clocks(startclock, playclock), match, seed, scramble, quiet=as_json)
    )
    if record is not None:
        write_records(outcome.record, machine, record)
    result = _described(machine, players.split(","), outcome)
    if as_json:
        print(json.dumps(result))
    else:
        _print(result)
    if any(outcome.never_moved):
        raise typer.Exit(1)


async def _run(
    machine: Machine, players: list[str], clocks: Clocks, name: str, seed: int, scramble: bool, *, quiet: bool
) -> RefereedMatch:
    def watch(number: int, joint: Sequence[str]) -> None:
        if not quiet:
            shown = [
                f"{machine.sheet.display(role)} {machine.sheet.display(move)}"
                for role, move in zip(machine.roles, joint, strict=True)
                if move != "noop"
            ]
            print(f"{number:4}  {', '.join(shown)}", flush=True)

    def link(player: str, seed: int) -> PlayerLink:
        if player == "random":
            return LocalRandom(seed)
        if "://" in player:
            return RemotePlayer(player, client)
        seconds = clocks.play - Margin()(clocks.play)
        return LocalPlayer(player, machine, choosing_player(machine, player, closing=closing, seconds=seconds), seed)

    with ExitStack() as closing:
        async with new_client() as client:
            links = [link(player.strip(), derive_seed(seed, "seat", seat)) for seat, player in enumerate(players)]
            return await run_match(machine, links, clocks, name=name, seed=seed, scramble=scramble, watch=watch)


def _described(machine: Machine, players: Sequence[str], outcome: RefereedMatch) -> dict[str, Any]:
    display = machine.sheet.display
    return {
        "game": machine.sheet.name,
        "match": outcome.record.ids[0],
        "roles": [display(role) for role in machine.roles],
        "players": _seated(machine, players),
        "moves": [[display(move) for move in joint] for joint in outcome.joints],
        "goals": [None if gone else goal for goal, gone in zip(outcome.goals, outcome.never_moved, strict=True)],
        "never_moved": list(outcome.never_moved),
        "own_moves": list(outcome.own_moves),
        "slowest_s": [round(seconds, 3) for seconds in outcome.slowest],
        "faults": [fault._asdict() for fault in outcome.faults],
    }


def _seated(machine: Machine, players: Sequence[str]) -> list[str]:
    """Return the player of each role; nobody plays the role `random`."""
    seated = iter(players)
    return ["chance" if role == CHANCE_ROLE else next(seated) for role in machine.roles]


def _print(result: dict[str, Any]) -> None:
    for fault in result["faults"]:
        detail = escaped(" ".join(fault["detail"].split()))  # players write it; it is to stay in its line
        print(f"fault: move {fault['move']}, {fault['role']}: {fault['what']} ({detail})")
    seats = zip(
        result["roles"], result["players"], result["goals"], result["never_moved"], result["slowest_s"], strict=True
    )
    for role, player, goal, never_moved, slowest in seats:
        if never_moved:
            print(f"{role}: no goal, {player}; it made no move itself: random ones replaced them all")
        else:
            print(f"{role}: {'no goal' if goal is None else goal}, {player}, slowest answer {slowest:.2f} s")
