"""A run's value networks: many are trained side by side, each by one worker, and play each other.

An individual of an evolution is one task of predicted length, so a population keeps as many workers busy as it has
individuals. Where there are more processors than individuals, each task has several threads. Training ends by predicted
work instead of a clock (`miner.play.training_work`): the same network learns from the same games on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import (
    LearnedWeights,
    RoundSettings,
    RoundTotals,
    ValueShape,
    average,
    inherited,
    layout_for,
    train_round,
    values_of,
)
from gdl_miner.miner.play.comparison import ComparisonRule, round_robin
from gdl_miner.miner.play.executor import TaskProgress, WorkerTask, tell
from gdl_miner.miner.play.pairing import OPENING_PLIES, MatchRequest
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.rating import BASELINE, RatingTable, Score, dispersion, fit_table
from gdl_miner.miner.play.training_work import limited
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.entrant import Entrant, KnowledgeMaker
from gdl_miner.miner.runs.matches import BaselineMatches, Depth
from gdl_miner.miner.runs.records import StepRecords
from gdl_miner.miner.runs.run import Run
from gdl_miner.miner.runs.steps import keep_players

_Result: TypeAlias = tuple[int, int, Score]  # two entrants by number from 1 (BASELINE is 0), score of the first

_PRIOR_SD = 400.0  # Elo
_FEWEST = 2  # players of a tournament
_FEWEST_DEEPER = 8  # matches of a player; so few tell little
_MOST_PARTS = 16  # of a training, after each of which weights may count in its mean
_SHORTEST_PART = 0.5  # predicted seconds


@dataclass(frozen=True)
class Network:
    """A shape of value network, and what it has learned."""

    shape: ValueShape
    learned: LearnedWeights


@dataclass(frozen=True)
class NetworkTraining:
    """The training of one network."""

    name: str
    shape: ValueShape
    parents: tuple[Network, ...]  # the network begins with the mean of their weights, without them with 0
    settings: RoundSettings  # its games and seconds are no limit
    seconds: float  # predicted, of one processor
    averaged: float  # share of the training, at its end, over which weights are averaged; 0: the last weights count


@dataclass(frozen=True)
class TrainedNetwork:
    """The weights that a network has learned, and the games that taught them."""

    learned: LearnedWeights
    totals: RoundTotals


@dataclass(frozen=True)
class NetworkPlayer:
    """A network with the parameters of its search. Within a run a name always stands for the same player."""

    name: str
    step: int  # in which the network was trained
    network: Network
    parameters: Parameters


@dataclass(frozen=True)
class PoolPlan:
    """The matches by which players of a pool are rated."""

    depth: float  # most times the playouts of [search] that are equal work
    matches: int  # of each player against all others together, at least
    deeper: float  # times that depth in further matches of the better half
    deeper_matches: int  # most of each of these
    seconds: float  # most predicted seconds of one processor of all matches, and of all deeper ones


@dataclass(frozen=True)
class Pool:
    """The results of a pool."""

    scores: tuple[Score, ...]  # [player] against all others
    table: RatingTable  # player 0 is the origin; with the baseline, it is the last player
    against_baseline: tuple[Score, ...]  # [player]; empty where it did not play
    work_ratio: Mapping[str, float]  # by name: cost of a playout divided by that of the baseline's
    matches: int


def train_networks(
    run: Run, step: int, title: str, trainings: tuple[NetworkTraining, ...]
) -> tuple[TrainedNetwork, ...]:
    """Train networks side by side.

    Args:
        run: the run.
        step: the step.
        title: shown to people meanwhile.
        trainings: the networks, and how they are trained.
    """
    begun = time.monotonic()
    run.reporter.working(title)
    pieces = [WorkerTask(f"g{step:03d}-{training.name}-train", training) for training in trainings]
    trained = run.on_workers(_train, (run.threads(len(pieces)),), pieces)
    run.write_time(StepPart(step, "training", None), None, None, time.monotonic() - begun)
    return tuple(trained)


def _train(game: PreparedGame, threads: int, training: NetworkTraining) -> TrainedNetwork:
    machine = game.machine()
    layout = layout_for(machine, training.shape)
    parents = [(layout_for(machine, parent.shape), parent.learned) for parent in training.parents]
    begun = inherited(layout, parents)
    parts = max(1, min(_MOST_PARTS, round(training.seconds / _SHORTEST_PART)))
    settings = limited(replace(training.settings, threads=threads), layout, game.sample(), training.seconds / parts)
    learned, totals = [begun], []
    for part in range(parts):
        tell(TaskProgress(part, parts))
        seeded = replace(settings, seed=derive_seed(settings.seed, "part", part))
        weights, total = train_round(layout, learned[-1], seeded)
        learned.append(weights)
        totals.append(total)
    return TrainedNetwork(average(learned[-max(1, round(training.averaged * parts)) :]), sum_of(totals))


def sum_of(totals: Sequence[RoundTotals]) -> RoundTotals:
    """Return the totals of several parts of a training."""
    moves = sum(total.moves for total in totals)
    return RoundTotals(
        sum(total.games for total in totals),
        moves,
        sum(total.broken_off for total in totals),
        sum(total.squared_error * total.moves for total in totals) / max(1, moves),
    )


def play_pool(
    run: Run,
    step: int,
    seed: int,
    maker: KnowledgeMaker,
    players: tuple[NetworkPlayer | Entrant, ...],
    groups: tuple[tuple[int, ...], ...],
    plan: PoolPlan,
    with_baseline: bool,
) -> Pool:
    """Let the players of each group meet each other in pairs of matches over openings, and rate all together.

    Then the better half of each group meets with more playouts, and so do the best of the groups.

    Args:
        run: the run.
        step: the step.
        seed: of the matches.
        maker: makes their knowledge.
        players: the players, two at least.
        groups: places in `players` of those that meet each other, two at least; a player may be in several groups.
        plan: the matches.
        with_baseline: whether bare UCT is one more player, the last, in the matches that are not deeper.
    """
    entrants = run.service(_Entrants).of_pool(maker, players)
    everyone = [*range(1, len(players) + 1), *([BASELINE] if with_baseline else [])]
    meeting = [[place + 1 for place in group] + [BASELINE] * with_baseline for group in groups]
    depth = Depth(plan.depth, plan.seconds)
    matches = run.service(BaselineMatches).affordable(depth, sum(map(len, meeting)) * plan.matches / 2)
    results = _meet(run, matches, StepPart(step, "tournament", 0), seed, entrants, meeting, plan.matches)
    halves = [max(_FEWEST, -(-len(group) // 2)) for group in groups]
    deep = matches.deeper(plan.deeper)
    deeper_matches = min(plan.deeper_matches, int(plan.seconds / deep.players.seconds(sum(halves) / 2)))
    if deeper_matches >= max(1, min(_FEWEST_DEEPER, plan.deeper_matches)):
        elo = _table(len(everyone), results, everyone).elo
        ranked = [sorted((place + 1 for place in group), key=lambda player: -elo[player - 1]) for group in groups]
        better = [sorted(group[:half]) for group, half in zip(ranked, halves, strict=True)]
        best = sorted({group[0] for group in ranked})
        part = StepPart(step, "deeper tournament", 1)
        meeting = [*better, *([best] if len(best) > 1 else [])]
        results += _meet(run, deep, part, derive_seed(seed, "deeper"), entrants, meeting, deeper_matches)
    return Pool(
        tuple(_score(player, results) for player in everyone[: len(players)]),
        _table(len(everyone), results, everyone),
        tuple(_against(player, BASELINE, results) for player in everyone[:-1]) if with_baseline else (),
        matches.players.work_ratios(entrants),
        sum(score.matches for _, _, score in results),
    )


def keep_networks(run: Run, step: int, maker: KnowledgeMaker, players: tuple[NetworkPlayer | Entrant, ...]) -> None:
    """Write the knowledge files of players of a step, in place of all earlier files of the step."""
    keep_players(run, step, run.service(_Entrants).of(maker, players))


def reduced(run: Run, network: Network, shape: ValueShape) -> Network:
    """Return a network without the tuples that a smaller shape does not have; the other weights stay."""
    layouts = layout_for(run.machine, shape), layout_for(run.machine, network.shape)
    return Network(shape, inherited(layouts[0], [(layouts[1], network.learned)]))


def entrant_of(run: Run, maker: KnowledgeMaker, player: NetworkPlayer) -> Entrant:
    """Return a player with its knowledge by name."""
    return run.service(_Entrants).of(maker, (player,))[0]


class _Entrants:
    """The entrants of the players of a run.

    Those of the latest pool are remembered, because it takes long to name weights.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._known: dict[str, Entrant] = {}

    def of_pool(self, maker: KnowledgeMaker, players: Sequence[NetworkPlayer | Entrant]) -> tuple[Entrant, ...]:
        """Return the entrants of players, and forget all others."""
        entrants = self.of(maker, players)
        self._known = {entrant.name: entrant for entrant in entrants}
        return entrants

    def of(self, maker: KnowledgeMaker, players: Sequence[NetworkPlayer | Entrant]) -> tuple[Entrant, ...]:
        """Return the entrants of players."""
        return tuple(self._entrant(maker, each) for each in players)

    def _entrant(self, maker: KnowledgeMaker, player: NetworkPlayer | Entrant) -> Entrant:
        if isinstance(player, Entrant):
            return player
        if player.name in self._known:
            return self._known[player.name]
        network = player.network
        values = values_of(layout_for(self._run.machine, network.shape), network.learned.weights)
        return Entrant(player.name, maker.valued(player.parameters, player.step, values))


def _meet(
    run: Run,
    matches: BaselineMatches,
    part: StepPart,
    seed: int,
    entrants: tuple[Entrant, ...],
    groups: Sequence[Sequence[int]],
    least: int,
) -> list[_Result]:
    """Let each player of a group meet each other, so that those of the largest have `least` matches or a few more."""
    players = sorted({player for group in groups for player in group})
    place = {player: number for number, player in enumerate(players)}
    pairings = {pair for group in groups for pair in combinations(sorted(place[player] for player in group), 2)}

    def play(asked: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        chosen = [replace(match, seats=tuple(players[seat] for seat in match.seats)) for match in asked]
        title = f"generation {part.step}, {part.phase}"
        record = matches.play(part, title, entrants, chosen, unmined=True)
        run.service(StepRecords).keep_round(part.step, part.round or 0, record)
        return matches.goals_of(record)

    rule = ComparisonRule(-(-least // (max(map(len, groups)) - 1)), opening_plies=OPENING_PLIES)
    rounds = round_robin(len(players), run.roles, rule, seed, play, pairings)
    return [(players[each.player], players[each.opponent], each.score) for each in rounds.comparisons]


def _score(player: int, results: Sequence[_Result]) -> Score:
    own = (score for one, _, score in results if one == player)
    other = (score.turned() for _, two, score in results if two == player)
    return sum((*own, *other), start=Score())


def _against(player: int, opponent: int, results: Sequence[_Result]) -> Score:
    return _score(player, [each for each in results if opponent in each[:2]])


def _table(n_players: int, results: Sequence[_Result], players: Sequence[int]) -> RatingTable:
    """Return the strengths of players in their order."""
    place = {player: number for number, player in enumerate(players)}
    placed = [(place[one], place[two], score) for one, two, score in results]
    return fit_table(n_players, placed, _PRIOR_SD, dispersion(score for _, _, score in results))
