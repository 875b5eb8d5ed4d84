"""`miner score`: how strong a knowledge file is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from agent.knowledge import Parameters, compile_knowledge, read_knowledge
from agent.reasoner.machine import Machine, load_machine
from agent.search.player import PlayerSpec
from miner.reporting import describe_score
from miner.scoring import ScoreReport, measure_time_ratio, score_players, with_time

__all__ = ["score"]

_BARE = "uct"


def score(
    game: Annotated[str, typer.Option(help="A bundled game (amazons.ext.kif) or the path of a rule sheet.")],
    knowledge: Annotated[Path, typer.Option(help="The knowledge file to score.")],
    matches: Annotated[int, typer.Option(min=2, help="Matches to play, in pairs with roles swapped.")],
    playouts: Annotated[int, typer.Option(min=1, help="Playouts per move.")],
    against: Annotated[str, typer.Option(help="uct: bare UCT; or another knowledge file.")] = _BARE,
    equal_time: Annotated[
        bool, typer.Option("--equal-time", help="Give the opponent as many playouts as fit into the same time.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the matches.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score a knowledge file: win percentage with its 95 % interval, Elo ± standard error, and N W L D.

    A match is won by the greater goal; equal goals are a draw and count half. With [b]--equal-time[/b] the seconds per
    playout of both sides are measured in turns in this process, and the opponent's playouts are scaled by their ratio;
    the matches themselves stay reproducible for that ratio.
    """
    machine = load_machine(game)
    player = _player(knowledge, machine, playouts)
    opponent = PlayerSpec("uct", playouts=playouts) if against == _BARE else _player(Path(against), machine, playouts)
    ratio = None
    if equal_time:
        ratio = measure_time_ratio(machine, player, opponent, seed)
        opponent = with_time(opponent, ratio)
    with Progress(console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("matches", total=matches)
        report = score_players(
            machine, player, opponent, matches, seed, lambda done: progress.update(task, advance=done), ratio
        )
    print(json.dumps(report.as_json()) if as_json else _text(report, knowledge, against))


def _player(path: Path, machine: Machine, playouts: int) -> PlayerSpec:
    """A player with the knowledge of a file. Raises KnowledgeError where it cannot be read or is of another game."""
    knowledge = read_knowledge(path, machine.sheet)
    parameters: Parameters = knowledge.parameters
    return PlayerSpec("uct", parameters, compile_knowledge(knowledge, machine), playouts)


def _text(report: ScoreReport, knowledge: Path, against: str) -> str:
    score, name = report.score, "bare UCT" if against == _BARE else against
    lines = [
        f"{knowledge} against {name}: {describe_score(score, report.rating)}",
        f"N W L D: {score.matches} {score.wins} {score.losses} {score.draws}",
        f"playouts per move: {report.playouts} against {report.opponent_playouts}",
    ]
    if report.time_ratio is not None:
        lines.append(f"a playout takes {report.time_ratio:.2f} times as long as the opponent's; both get the same time")
    return "\n".join(lines)
