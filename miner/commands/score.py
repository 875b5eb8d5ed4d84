"""`miner score` measures the strength of a knowledge file."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agent.commands.options import Game, Json
from agent.errors import ConfigError
from agent.knowledge import Parameters, read_knowledge
from agent.limits import MAX_COUNT, MAX_FACTOR, MAX_PLAYOUTS, MAX_SEED
from agent.reasoner.machine import Machine, load_machine
from agent.search.player import PlayerSpec
from miner.commands.workplace import shown_progress
from miner.play.cost_model import PositionSample, equal_playouts
from miner.play.scoring import ScoreReport, measure_time_ratio, score_players
from miner.play.wording import describe_score

__all__ = ["score"]

_BARE = "uct"
_UCT_C = Parameters().uct_c


class Equal(StrEnum):
    """The quantity that both sides get equally."""

    work = "work"
    time = "time"
    playouts = "playouts"


def score(
    game: Game,
    knowledge: Annotated[Path, typer.Option(help="The knowledge file to score.")],
    matches: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches to play, in pairs with roles swapped.")],
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of the opponent.")],
    against: Annotated[str, typer.Option(help="uct: bare UCT; or another knowledge file.")] = _BARE,
    equal: Annotated[Equal, typer.Option(help="The quantity that both sides get equally.")] = Equal.work,
    equal_time: Annotated[bool, typer.Option("--equal-time", help="The same as --equal time.")] = False,
    uct_c: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=MAX_FACTOR, help="UCB1 constant of bare UCT, goals being 0 to 100.", show_default=f"{_UCT_C:g}"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the matches.")] = 1,
    as_json: Json = False,
) -> None:
    """Score a knowledge file: win percentage with its 95 % interval, Elo ± standard error, and N W L D.

    A match is won by the greater goal; equal goals are a draw and count half. Knowledge costs time, so the file gets
    fewer playouts per move than bare UCT. [b]--equal work[/b] compares playouts by their work, counted in logical
    operations of known cost, which is the same on every machine. [b]--equal time[/b] compares them by their seconds,
    measured in turns in this process. [b]--equal playouts[/b] gives both sides as many.
    """
    if uct_c is not None and against != _BARE:
        raise ConfigError(f"--uct-c is the constant of bare UCT, and {against} has its own; leave out one of them")
    machine = load_machine(game)
    player = _player(knowledge, machine, playouts)
    if against == _BARE:
        opponent = PlayerSpec("uct", Parameters(uct_c=_UCT_C if uct_c is None else uct_c), playouts=playouts)
    else:
        opponent = _player(Path(against), machine, playouts)
    equal = Equal.time if equal_time else equal
    ratio = _ratio(machine, player, opponent, equal, seed)
    player = replace(player, playouts=equal_playouts(playouts, ratio))
    with shown_progress() as progress:
        task = progress.add_task("matches", total=matches)
        report = score_players(
            machine, player, opponent, matches, seed, lambda done: progress.update(task, advance=done), equal, ratio
        )
    print(json.dumps(report.as_json()) if as_json else _text(report, knowledge, against))


def _player(path: Path, machine: Machine, playouts: int) -> PlayerSpec:
    """Return a player with the knowledge of a file.

    Raises KnowledgeError where the file cannot be read or is of another game.
    """
    return PlayerSpec(playouts=playouts).with_knowledge(read_knowledge(path, machine.sheet), machine)


def _ratio(machine: Machine, player: PlayerSpec, opponent: PlayerSpec, equal: Equal, seed: int) -> float:
    """Return the cost of the player's playout divided by the cost of the opponent's playout."""
    if equal is Equal.playouts:
        return 1.0
    if equal is Equal.time:
        return measure_time_ratio(machine, player, opponent, seed)
    sample = PositionSample(machine)
    return sample.work(player) / sample.work(opponent)


def _text(report: ScoreReport, knowledge: Path, against: str) -> str:
    score, name = report.score, "bare UCT" if against == _BARE else against
    lines = [
        f"{knowledge} against {name}: {describe_score(score, report.rating)}",
        f"N W L D: {score.matches} {score.wins} {score.losses} {score.draws}",
        f"playouts per move: {report.playouts} against {report.opponent_playouts}",
    ]
    if report.equal != Equal.playouts:
        lines.append(f"a playout costs {report.ratio:.2f} times the {report.equal} of the opponent's; both get as much")
    return "\n".join(lines)
