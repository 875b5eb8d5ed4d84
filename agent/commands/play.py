"""`agent play` and `agent replay`: one match, and recorded matches."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any

import typer
from rich.console import Console

from gdl_miner.agent.board import picture_of
from gdl_miner.agent.commands import options
from gdl_miner.agent.commands.plugin_players import plugin_player
from gdl_miner.agent.commands.seats import EVALUATED_PLAYOUTS, OWN_PLAYERS, choosing_player
from gdl_miner.agent.errors import ConfigError, RecordError
from gdl_miner.agent.files.new_file import check_place
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.limits import MAX_PLAYOUTS, MAX_SECONDS
from gdl_miner.agent.player import OngoingMatch, Player
from gdl_miner.agent.player.named_player import knowledge_of_player
from gdl_miner.agent.player.player import usual_in_flight
from gdl_miner.agent.reasoner.engines import Chosen, EngineKind
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.review import replayed_steps
from gdl_miner.agent.search.plain_uct import PlainPlayer, play_plain_match
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.record_xml import read_records, write_records
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_matches

DEFAULT_PLAYOUTS = 1000
CHANCE_SEAT = "chance"  # the player of the role `random`, whose seat nobody chooses


def play(
    context: typer.Context,
    game: options.Game,
    playouts: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts for each move.", show_default=str(DEFAULT_PLAYOUTS)),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.01, max=MAX_SECONDS, help="Seconds for each move instead; not reproducible.", show_default=False
        ),
    ] = None,
    in_flight: options.InFlightOption = None,
    option: options.ParameterOption = None,
    seed: options.SeedOption = 0,
    record: options.RecordOption = None,
    engine: options.Engine = EngineKind.auto,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Play one match. Each role of the game is an option: `--white` uct (the default), random or a knowledge file.

    A level of released knowledge, such as `quick`, is taken as a file is ([b]agent knowledge list[/b]). Packages of
    others add opponents (`minimax+depth=3`) and evaluators (`uct:material@200`): see [b]miner plugins[/b].

    The only role of a game is a `puzzle` by default, unless options of UCT are given: it searches for lines, and
    --playouts is its number of states.
    """
    if record is not None:
        check_place(record, RecordError)
    if playouts is not None and seconds is not None:
        raise ConfigError("--playouts and --seconds are both given; choose one")
    changes = read_changes(option or [])
    game_engine = options.choose(game, budget, budget_memory, engine)
    puzzle = len(game_engine.sheet.roles) == 1 and game_engine.machine is not None and not changes and in_flight is None
    chosen = _seats(game_engine.sheet, context.args, "puzzle" if puzzle else "uct")
    count = 0 if seconds is not None else playouts or DEFAULT_PLAYOUTS
    if changes and game_engine.machine is None:
        raise ConfigError(f"--option needs a circuit ({game_engine.why}); leave it out")
    if game_engine.machine is None:
        result = _played_plainly(game_engine, chosen, PlainPlayer("uct", count, seconds or 0.0), seed, record)
    elif chosen == ["puzzle"] and len(game_engine.sheet.roles) == 1:
        if changes or in_flight is not None:
            raise ConfigError("options of UCT do not belong to a puzzle search; leave them out, or seat uct")
        result = _played_as_puzzle(game_engine.machine, count, seconds, seed, record)
    else:
        at_once = 1 if in_flight is None and seconds is None else in_flight
        bare = PlayerSpec(parameters=Parameters(**changes), playouts=count, seconds=seconds or 0.0)
        players = [_player(game_engine.machine, choice, bare, changes) for choice in chosen]
        if None in players:
            limits = _Limits(seconds, count or None, at_once, changes)
            result = _played_in_turn(game_engine.machine, chosen, limits, seed, record)
        else:
            specs = [_with_flights(player, at_once) for player in players if player is not None]
            result = _played(game_engine.machine, chosen, specs, seed, record)
    if as_json:
        print(json.dumps(result))
    else:
        _print_match(result)


def _played(
    machine: Machine, chosen: list[str], players: list[PlayerSpec], seed: int, record: Path | None
) -> dict[str, Any]:
    """Play a match on a circuit; return what `--json` prints."""
    seats = [list(range(len(players)))]
    with _progress() as show:
        match = play_matches(
            machine,
            players,
            seats,
            [seed % 2**64],
            [f"{machine.sheet.name}-{seed}"],
            progress=lambda _matches, moves, playouts: show(moves, playouts),
        )
    if record is not None:
        write_records(match, machine, record)
    moves = [[machine.circuit.moves[row] for row in joint] for joint in match.moves if joint[0] != NO_MOVE]
    return _described(machine.sheet, chosen, moves, match.goals[0].tolist(), match.playouts[0].tolist()) | {
        "engine": "circuit",
        "seed": seed,
        "reproducible": all(player.reproducible for player in players),
    }


def _played_as_puzzle(
    machine: Machine, states: int, seconds: float | None, seed: int, record: Path | None
) -> dict[str, Any]:
    """Play a match of a single player; return what `--json` prints."""
    seen: list[int] = []
    with Player(machine, machine.roles[0], seed=seed % 2**64) as player, _progress() as show:
        while not player.ended:
            thought = player.think(seconds=seconds, playouts=states or None)
            seen.append(thought.playouts)
            player.advance([thought.move])
            show(len(seen), sum(seen))
        match = player.match
        if record is not None:
            write_records(match.record(f"{machine.sheet.name}-{seed}"), machine, record)
    moves = [list(joint) for joint in match.joints]
    return _described(machine.sheet, ["puzzle"], moves, match.goals, [sum(seen)]) | {
        "engine": "circuit",
        "seed": seed,
        "reproducible": seconds is None,
    }


@dataclass(frozen=True)
class _Limits:
    """How much the players of a match search."""

    seconds: float | None
    playouts: int | None
    in_flight: int | None
    changes: Mapping[str, Any]


def _played_in_turn(
    machine: Machine, chosen: list[str], limits: _Limits, seed: int, record: Path | None
) -> dict[str, Any]:
    """Play a match in which a player is in plain Python, move by move; return what `--json` prints."""
    match = OngoingMatch(machine)
    with ExitStack() as closing, _progress() as show:
        seats = [
            choosing_player(
                machine,
                "random" if choice == CHANCE_SEAT else choice,
                closing=closing,
                seconds=limits.seconds,
                playouts=limits.playouts,
                in_flight=limits.in_flight,
                changes=limits.changes,
            )
            for choice in chosen
        ]
        while not match.ended:
            joint = []
            for role, choose in enumerate(seats):
                legal = match.legal_rows(role)
                of_move = derive_seed(seed, "role", role, "move", match.number)
                joint.append(int(legal[0]) if len(legal) == 1 else choose(match, role, of_move))
            match.advance_rows(joint)
            show(match.number, 0)
    kept = match.record(f"{machine.sheet.name}-{seed}")
    if record is not None:
        write_records(kept, machine, record)
    moves = [list(joint) for joint in match.joints]
    return _described(machine.sheet, chosen, moves, match.goals, kept.playouts[0].tolist()) | {
        "engine": "circuit",
        "seed": seed,
        "reproducible": limits.seconds is None,
    }


def _played_plainly(
    game: Chosen, chosen: list[str], bare: PlainPlayer, seed: int, record: Path | None
) -> dict[str, Any]:
    """Play a match on a slow engine; return what `--json` prints."""
    played = f"and the {game.engine.name} plays {game.sheet.name} ({game.why})"
    for choice in chosen:
        if choice not in ("uct", "random", CHANCE_SEAT):
            raise ConfigError(f"{choice}: this player needs a circuit, {played}; seat uct or random")
    if record is not None:
        raise ConfigError(f"--record: records need a circuit, {played}; leave it out")
    options.report_fallback(game)
    players = [bare if choice == "uct" else PlainPlayer("random") for choice in chosen]
    with _progress() as show:
        match = play_plain_match(game.sheet, game.engine, players, seed, show)
    moves = [list(joint) for joint in match.moves]
    return _described(game.sheet, chosen, moves, match.goals, match.playouts) | {
        "engine": game.engine.name,
        "seed": seed,
        "reproducible": bare.seconds == 0 or "uct" not in chosen,
    }


def _seats(sheet: RuleSheet, arguments: list[str], default: str) -> list[str]:
    """Return the player of each role, in the order of the roles, from the remaining arguments of the command line.

    Raises:
        ConfigError: an option is not a role, or has no value.
    """
    players = [role for role in sheet.roles if role != CHANCE_ROLE]
    chosen = dict.fromkeys(players, default)
    parts = [
        part for argument in arguments for part in (argument.split("=", 1) if argument[:2] == "--" else [argument])
    ]
    roles = ", ".join(f"--{sheet.display(role)}" for role in players)
    for name, value in zip(parts[::2], [*parts[1::2], None], strict=False):
        if name[:2] != "--" or name[2:].lower() not in chosen:
            raise ConfigError(f"no such option: {name}; the roles of {sheet.name} are {roles}")
        if value is None:
            raise ConfigError(f"{name} needs a player, such as uct, random or a knowledge file")
        chosen[name[2:].lower()] = value
    return [chosen.get(role, CHANCE_SEAT) for role in sheet.roles]


def _player(machine: Machine, choice: str, bare: PlayerSpec, changes: Mapping[str, Any]) -> PlayerSpec | None:
    """Return the player of a name, None where it plays in plain Python."""
    if choice in ("random", CHANCE_SEAT):
        return PlayerSpec("random")
    if choice == "uct":
        return bare
    if choice == "puzzle":
        raise ConfigError(f"puzzle: {machine.sheet.name} has {len(machine.roles)} roles; seat uct, random or a file")
    found = plugin_player(machine, choice, bare.playouts or EVALUATED_PLAYOUTS)
    if found is not None:
        return found[0]
    knowledge = knowledge_of_player(choice, machine.sheet, OWN_PLAYERS)
    parameters = replace(knowledge.parameters, **changes)
    return bare.with_knowledge(replace(knowledge, parameters=parameters), machine)


def _with_flights(player: PlayerSpec, at_once: int | None) -> PlayerSpec:
    """Return the player with so many playouts at once; with None, as many as suit it against the clock."""
    return replace(player, in_flight=at_once or usual_in_flight(player.parameters, values=player.values is not None))


def _described(
    sheet: RuleSheet, chosen: list[str], moves: list[list[str]], goals: Sequence[int | None], playouts: list[int]
) -> dict[str, Any]:
    return {
        "game": sheet.name,
        "roles": [sheet.display(role) for role in sheet.roles],
        "players": chosen,
        "moves": [[sheet.display(move) for move in joint] for joint in moves],
        "goals": list(goals),
        "playouts": playouts,
    }


def _print_match(result: dict[str, Any]) -> None:
    seats = zip(result["roles"], result["players"], strict=True)
    print(f"{result['game']}: " + ", ".join(f"{role} is {player}" for role, player in seats))
    for number, joint in enumerate(result["moves"], 1):
        shown = [f"{role} {move}" for role, move in zip(result["roles"], joint, strict=True) if move.lower() != "noop"]
        print(f"{number:4}  {', '.join(shown)}")
    print("result: " + ", ".join(f"{role} {goal}" for role, goal in zip(result["roles"], result["goals"], strict=True)))
    if not result["reproducible"]:
        print("a clock ended the searches: the same seed may give another match")


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show a line that counts moves and playouts, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda _moves, _playouts: None
        return
    with Console(stderr=True).status("searching") as status:
        yield lambda moves, playouts: status.update(f"move {moves + 1}, {playouts:,} playouts")


def replay(
    game: options.Game,
    record: Annotated[Path, typer.Argument(help="A match record (.xml or .xml.gz).", show_default=False)],
    match: Annotated[str | None, typer.Option(help="Id of the match to show.", show_default="all")] = None,
    board: Annotated[bool, typer.Option(help="Show the positions between the moves.")] = True,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Play recorded matches again, move by move, checking every state, move and goal against the rules."""
    machine = options.load(game, budget, budget_memory)
    records = read_records(record, machine)
    chosen = [number for number, name in enumerate(records.ids) if match is None or name == match]
    if not chosen:
        raise RecordError(f"{record}: no match {match}; it has {', '.join(records.ids[:8])}")
    for number in chosen:
        steps = list(replayed_steps(machine, records, number, record))
        if as_json:
            goals = [None if goal < 0 else int(goal) for goal in records.goals[number]]
            print(json.dumps({"match": records.ids[number], "goals": goals, "steps": steps}))
        else:
            _print_record(machine, records, number, steps, board=board)


def _print_record(
    machine: Machine, records: MatchBatchRecord, number: int, steps: list[dict[str, Any]], *, board: bool
) -> None:
    sheet = machine.sheet
    print(f"match {records.ids[number]}: {len(steps) - 1} moves")
    for count, step in enumerate(steps):
        if board:
            facts = machine.facts(records.states[int(records.start[number]) + count])
            picture = picture_of(machine.board, machine.fluents, facts, sheet.display) if machine.board else None
            print(indent(picture.text(), "  ") if picture else "  " + " ".join(step["facts"]))
        if step["moves"] is not None:
            moves = zip(machine.roles, step["moves"], strict=True)
            shown = [f"{machine.sheet.display(role)} {move}" for role, move in moves if move.lower() != "noop"]
            print(f"{count + 1:4}  {', '.join(shown)}")
    goals = zip(machine.roles, records.goals[number].tolist(), strict=True)
    shown = [f"{machine.sheet.display(role)} {'no goal' if goal < 0 else goal}" for role, goal in goals]
    print(f"result: {', '.join(shown)}")
