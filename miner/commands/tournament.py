"""`miner tournament` plays a round robin of knowledge files, bare UCT and random players."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent.commands.options import Game, Json, OpeningPlies, SeedOption
from gdl_miner.agent.commands.program import INTERRUPTED
from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.limits import MAX_COUNT, MAX_IN_FLIGHT, MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.commands.plugin_players import matches_in_python, plugin_of_player, resolved_player
from gdl_miner.miner.commands.workplace import (
    DEFAULT_EXECUTOR,
    Address,
    ExecutorKind,
    Executors,
    Workers,
    check_choice,
    open_executor,
    shown_progress,
)
from gdl_miner.miner.play.comparison import ComparisonRule, PlayMatches, RoundRobin, Sprt, Verdict, round_robin
from gdl_miner.miner.play.cost_model import PositionSample
from gdl_miner.miner.play.executor import Executor
from gdl_miner.miner.play.match_tasks import matches_on
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.player_names import PlayerName
from gdl_miner.miner.play.rating import RatingTable, superiority

_DEADLINE_S = 3600.0


def tournament(
    players: Annotated[
        list[str],
        typer.Argument(
            help="Knowledge files, uct (bare UCT) or random. Options of the search follow: uct+solver, "
            "uct+fpu=20+c=10, best.xml+values=0.5. NAME@N gives a player N playouts of its own; "
            "FILE@greedy makes the best move by its values, or else by its features, without a search; FILE@twin has "
            "the parameters of FILE without its knowledge, and chooses as if all moves were alike. "
            "Packages of others add opponents (minimax+depth=3) and evaluators (uct:material+piece=4@200): see "
            "miner plugins.",
            metavar="PLAYER…",
        ),
    ],
    game: Game,
    matches: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches of every pairing; with --sprt at most.")],
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of bare UCT.")],
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="ELO0 ELO1: a pairing ends once its lead is known to be above or below.", metavar="ELO0 ELO1"
        ),
    ] = None,
    opening_plies: OpeningPlies = OPENING_PLIES,
    seed: SeedOption = 1,
    equal_playouts: Annotated[
        bool, typer.Option("--equal-playouts", help="As many playouts for everybody, whatever they cost.")
    ] = False,
    in_flight: Annotated[
        int,
        typer.Option(
            min=1, max=MAX_IN_FLIGHT, help="Playouts of each search at once; 1 thinks best, 64 are much faster."
        ),
    ] = 1,
    workers: Workers = None,
    executor: Executors = DEFAULT_EXECUTOR,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Play a round robin: ratings as Elo ± standard error, likelihood of superiority, and a cross table.

    Every pairing plays pairs of matches with the seats swapped, the same seed and the same random opening, which
    suits no game of a few moves (give [b]--opening-plies 0[/b] there). The first player is the origin of the scale.
    With [b]--sprt 0 30[/b] a pairing stops when a sequential test (errors 5 %) accepts that the earlier named player
    leads the other by at least 30 Elo (H1), or by nothing at all (H0). Knowledge and options cost playouts: a player
    with them gets as many per move as cost the work of bare UCT's, unless it has a number of its own or
    [b]--equal-playouts[/b] is given. The work of opponents of other packages is their own affair.

    A few matches with many playouts are much faster with [b]--in-flight 64[/b], which fills the lanes that few matches
    leave empty. Searches then choose before earlier playouts have ended.
    """
    check_choice(executor, workers, address)
    if len(players) < 2:
        raise UserError("a tournament needs two players or more; name knowledge files, uct or random")
    plugins = {name: plugin.record() for name in players if (plugin := plugin_of_player(name)) is not None}
    test, contestants = _test(sprt), [name if name in plugins else PlayerName.read(name) for name in players]
    machine = load_machine(game)
    sample = None if equal_playouts else PositionSample(machine)
    found = [
        resolved_player(machine, each, playouts) if isinstance(each, str) else each.player(machine, playouts, sample)
        for each in contestants
    ]
    specs = [each if isinstance(each, str) else replace(each, in_flight=in_flight) for each in found]
    rule = ComparisonRule(matches, test, opening_plies)
    match = play_shown(rule, machine, specs, seed, executor, workers, address, playouts)
    ratings = match.ratings()
    order = sorted(range(len(players)), key=lambda player: (-ratings.elo[player], player))
    if as_json:
        used = {"plugins": list(plugins.values())} if plugins else {}
        print(json.dumps({**round_robin_json(players, match, ratings, order, test), **used}))
    else:
        _print(players, match, ratings, order, test)


def _test(hypotheses: tuple[float, float] | None) -> Sprt | None:
    if hypotheses is None:
        return None
    try:
        return Sprt(*hypotheses)
    except ValueError as error:
        raise ConfigError(f"--sprt: {error}; give for instance --sprt 0 30") from None


def play_shown(
    rule: ComparisonRule,
    machine: Machine,
    specs: Sequence[PlayerSpec | str],
    seed: int,
    executor: ExecutorKind,
    workers: int | None,
    address: str | None,
    playouts: int = 0,
) -> RoundRobin:
    """Play a round robin as a command that shows its progress, and that keeps nothing when it is interrupted.

    Players of plug-ins are given by their names, with the playouts per move of those that search.
    """
    workplace = open_executor(executor, workers, address, _DEADLINE_S)
    roles = len(machine.circuit.choosing_roles)
    try:
        with shown_progress() as progress:
            task = progress.add_task("matches", total=rule.most_matches(len(specs), roles))
            play = _way_to_play(workplace, machine, specs, playouts, lambda count: progress.update(task, advance=count))
            return round_robin(len(specs), roles, rule, seed, play)
    except KeyboardInterrupt:
        print("interrupted; a tournament keeps nothing", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        workplace.close()


def _way_to_play(
    workplace: Executor,
    machine: Machine,
    players: Sequence[PlayerSpec | str],
    playouts: int,
    played: Callable[[int], None],
) -> PlayMatches:
    native = [each for each in players if isinstance(each, PlayerSpec)]
    if len(native) == len(players):
        return matches_on(workplace, machine, native, played)
    return matches_in_python(workplace, machine, players, playouts, played)


def _print(
    players: Sequence[str], match: RoundRobin, ratings: RatingTable, order: Sequence[int], test: Sprt | None
) -> None:
    console = Console()
    table = Table(box=None, padding=(0, 1), title="Ratings", title_justify="left", title_style="bold")
    for heading in ("", "player", "Elo", "±", "LOS", "%", "N", "W", "L", "D"):
        table.add_column(heading, justify="left" if heading == "player" else "right", no_wrap=heading != "player")
    for place, player in enumerate(order):
        rating, score = ratings.rating(player), match.score_of(player)
        below = ratings.lead(player, order[place + 1]) if place + 1 < len(order) else None
        table.add_row(
            str(place + 1),
            players[player],
            f"{rating.elo:+.0f}",
            f"{rating.se:.0f}",
            "" if below is None else f"{100 * superiority(below.elo, below.se):.1f} %",
            f"{score.win_percent:.1f}",
            *(str(count) for count in (score.matches, score.wins, score.losses, score.draws)),
        )
    console.print(table)
    console.print(cross_table(players, match, order))
    if test is not None:
        for pairing in match.comparisons:
            console.print(
                f"{players[pairing.player]} against {players[pairing.opponent]}: {_say(pairing.verdict, test)} "
                f"(LLR {test.log_likelihood_ratio(pairing.score):+.2f} after {pairing.score.matches} matches)",
                highlight=False,
                soft_wrap=True,
            )
    console.print(f"± is the standard error; {players[0]} is the origin; LOS: likelihood of being better than the next")


def cross_table(players: Sequence[str], match: RoundRobin, order: Sequence[int]) -> Table:
    """Return the table of points of each player against each other; `order` names the players, the first one first."""
    scores = {(each.player, each.opponent): each.score for each in match.comparisons}
    scores |= {(each.opponent, each.player): each.turned for each in match.comparisons}
    table = Table(box=None, padding=(0, 1), title="Points in % against", title_justify="left", title_style="bold")
    table.add_column("")
    table.add_column("player")
    for place in range(len(order)):
        table.add_column(str(place + 1), justify="right", no_wrap=True)
    for place, player in enumerate(order):
        cells = ["–" if player == other else f"{scores[player, other].win_percent:.1f}" for other in order]
        table.add_row(str(place + 1), players[player], *cells)
    return table


def _say(verdict: Verdict, test: Sprt) -> str:
    return {
        Verdict.stronger: f"H1 accepted, leads by {test.elo1:g} Elo or more",
        Verdict.not_stronger: f"H0 accepted, leads by {test.elo0:g} Elo or less",
        Verdict.undecided: "not decided",
    }[verdict]


def round_robin_json(
    players: Sequence[str], match: RoundRobin, ratings: RatingTable, order: Sequence[int], test: Sprt | None = None
) -> dict[str, Any]:
    """Return the ranking and all pairings as JSON; `order` names the players, the first one first."""

    def described(player: int) -> dict[str, Any]:
        rating, score = ratings.rating(player), match.score_of(player)
        return {
            "player": players[player],
            "elo": round(rating.elo, 2),
            "elo_se": round(rating.se, 2),
            "win_percent": round(score.win_percent, 4),
            "n": score.matches,
            "wins": score.wins,
            "losses": score.losses,
            "draws": score.draws,
        }

    pairings = []
    for each in match.comparisons:
        lead = ratings.lead(each.player, each.opponent)
        entry = {
            "player": players[each.player],
            "opponent": players[each.opponent],
            "n": each.score.matches,
            "wins": each.score.wins,
            "losses": each.score.losses,
            "draws": each.score.draws,
            "lead": round(lead.elo, 2),
            "lead_se": round(lead.se, 2),
            "los": round(superiority(lead.elo, lead.se), 4),
        }
        if test is not None:
            entry |= {"llr": round(test.log_likelihood_ratio(each.score), 4), "sprt": str(each.verdict)}
        pairings.append(entry)
    return {"ranking": [described(player) for player in order], "pairings": pairings}
