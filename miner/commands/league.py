"""`miner league` lets everything that was learned about a game play against each other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent.commands.options import Game, Json, OpeningPlies, SeedOption
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Parameters, read_knowledge, size_with_table
from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR, MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.released import knowledge_file
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.commands.tournament import cross_table, play_shown, round_robin_json
from gdl_miner.miner.commands.workplace import DEFAULT_EXECUTOR, Address, Executors, Workers, check_choice
from gdl_miner.miner.play.comparison import ComparisonRule, RoundRobin
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.player_names import twin_of
from gdl_miner.miner.play.rating import RatingTable
from gdl_miner.miner.play.scoring import Equal, cost_ratio
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.store import BEST


@dataclass(frozen=True)
class LeaguePlayer:
    """A player of a league, and what it took to learn what it knows."""

    name: str
    spec: PlayerSpec
    learner: str = ""  # the learning method; empty where nobody learned
    seconds: float | None = None  # of learning; None where no run tells
    kilobytes: float | None = None  # size of the file, with the table of its values
    features: int | None = None
    weights: int | None = None  # of values

    def as_json(self) -> dict[str, str | float | None]:
        """Return what `round_robin_json` does not know."""
        return {
            "learner": self.learner or None,
            "seconds": self.seconds,
            "kilobytes": self.kilobytes,
            "features": self.features,
            "weights": self.weights,
            "playouts": self.spec.playouts,
        }


def league(
    game: Game,
    matches: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches of every pairing.")],
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of bare UCT.")],
    members: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Folders of runs, or knowledge files.",
            metavar="[RUN|FILE]…",
            show_default="all finished runs in results/GAME",
        ),
    ] = None,
    equal: Annotated[Equal, typer.Option(help="The quantity that all players get equally.")] = Equal.work,
    uct_c: Annotated[
        float, typer.Option(min=0, max=MAX_FACTOR, help="UCB1 constant of bare UCT, goals being 0 to 100.")
    ] = Parameters.uct_c,
    opening_plies: OpeningPlies = OPENING_PLIES,
    seed: SeedOption = 1,
    workers: Workers = None,
    executor: Executors = DEFAULT_EXECUTOR,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Let all that was learned about a game play a round robin, whatever the learning method.

    Every run takes part with its best knowledge, and so does its *twin*, which has the same parameters of the search
    but no knowledge, where it differs from bare UCT. Files that know nothing are left out. Elo is relative to bare UCT,
    with the standard error. Beside it stands what the knowledge cost: the seconds of learning, the size of the file,
    the numbers of its features and of its weights of values, and the playouts that a player has for the work, or the
    time ([b]--equal time[/b]), of bare UCT's.
    """
    check_choice(executor, workers, address)
    machine = load_machine(game)
    players = _players(machine, members or _finished(machine), playouts, uct_c)
    sample = PositionSample(machine)
    players = [_with_equal_playouts(machine, sample, player, players[0].spec, equal, seed) for player in players]
    rule, specs = ComparisonRule(matches, opening_plies=opening_plies), [player.spec for player in players]
    match = play_shown(rule, machine, specs, seed, executor, workers, address)
    ratings = match.ratings()
    order = sorted(range(len(players)), key=lambda player: (-ratings.elo[player], player))
    names = [player.name for player in players]
    if as_json:
        found = round_robin_json(names, match, ratings, order)
        found["ranking"] = [
            {**ranked, **players[player].as_json()} for ranked, player in zip(found["ranking"], order, strict=True)
        ]
        print(json.dumps(found))
        return
    console = Console()
    console.print(_table(players, match, ratings, order))
    console.print(cross_table(names, match, order))
    console.print(f"± is the standard error; uct is the origin, with a constant of {uct_c:g}; s: seconds of learning")


def _finished(machine: Machine) -> list[Path]:
    """Return the folders of the finished runs of a game in results."""
    folder = Path("results") / machine.sheet.name
    found = sorted(path.parent for path in folder.glob(f"*/{BEST}") if (path.parent / "champion.json").exists())
    if not found:
        raise ConfigError(
            f"{folder}: there is no finished run; give folders of runs or knowledge files, or make a run with `miner "
            f"learn --game {machine.sheet.name}`"
        )
    return found


def _players(machine: Machine, members: Sequence[Path], playouts: int, uct_c: float) -> list[LeaguePlayer]:
    """Return bare UCT, then the members in their order, each followed by its twin where nobody is like it.

    Raises ConfigError where no member knows anything.
    """
    players = [LeaguePlayer("uct", PlayerSpec("uct", Parameters(uct_c=uct_c), playouts=playouts))]
    short = len({member.name for member in members}) == len(members)
    twins: list[Knowledge] = []
    for member in members:
        path = member / BEST if member.is_dir() else knowledge_file(member, machine.sheet)
        knowledge = read_knowledge(path, machine.sheet)
        if knowledge.values is None and not knowledge.n_features:
            continue
        player = _learned(machine, member.name if short else str(member), path, knowledge, playouts)
        twin = LeaguePlayer(f"{player.name}@twin", twin_of(knowledge, machine, playouts))
        players.append(player)
        alike = knowledge.twin()
        if alike not in twins and all(twin.spec != other.spec for other in players):
            twins.append(alike)
            players.append(twin)
    if len(players) == 1:
        raise ConfigError("nobody knows anything here: the files have neither features nor values; give others")
    return players


def _learned(machine: Machine, name: str, path: Path, knowledge: Knowledge, playouts: int) -> LeaguePlayer:
    """Return the player of a knowledge file; the run in whose folder it is says how it was learned."""
    spec = PlayerSpec("uct", playouts=playouts).with_knowledge(knowledge, machine)
    learner, seconds = "", None
    if all((path.parent / each).exists() for each in ("env.json", "config.json")):
        history = read_run(path.parent)
        learner = str(history.content["learner"]) + (" from a file" if "start" in history.content else "")
        seconds = float(history.timings["seconds"].sum())
    weights = None if knowledge.values is None else knowledge.values.n_weights
    return LeaguePlayer(name, spec, learner, seconds, size_with_table(path) / 1000, knowledge.n_features, weights)


def _with_equal_playouts(
    machine: Machine, sample: PositionSample, player: LeaguePlayer, bare: PlayerSpec, equal: Equal, seed: int
) -> LeaguePlayer:
    """Return the player with as many playouts as bare UCT has for the same work, or in the same time."""
    if player.spec == bare:
        return player
    ratio = cost_ratio(machine, sample, player.spec, bare, equal, seed)
    return replace(player, spec=replace(player.spec, playouts=equal_playouts(bare.playouts, ratio)))


def _table(players: Sequence[LeaguePlayer], match: RoundRobin, ratings: RatingTable, order: Sequence[int]) -> Table:
    table = Table(box=None, padding=(0, 1), title="League", title_justify="left", title_style="bold")
    for heading in ("", "player", "learner", "Elo", "±", "%", "playouts", "s", "kB", "features", "weights"):
        words = heading in ("player", "learner")
        table.add_column(heading, justify="left" if words else "right", overflow="fold", no_wrap=not words)
    for place, number in enumerate(order):
        player, rating = players[number], ratings.rating(number)
        figures = (player.seconds, player.kilobytes, player.features, player.weights)
        table.add_row(
            str(place + 1),
            player.name,
            player.learner,
            f"{rating.elo:+.0f}",
            f"{rating.se:.0f}",
            f"{match.score_of(number).win_percent:.1f}",
            str(player.spec.playouts),
            *("" if figure is None else f"{figure:.0f}" for figure in figures),
        )
    return table
