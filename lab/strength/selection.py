"""Simulated tests of how well rules of allocating matches find the strongest of players of known strength.

Every rule has the same number of matches. `halving` is the tournament of the evolution itself; `equal` is one round of
it; `OCBA` (optimal computing budget allocation: Chen, Lin, Yücesan & Chick 2000) spends half equally and the rest in
stages, on the leader and the rivals that are hardest to tell from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR
from gdl_miner.miner.play.rating import BASELINE, Score, dispersion, expected_score, fit_ratings
from gdl_miner.miner.play.tournament import Tournament, TournamentPlan
from lab.options import SeedOption
from lab.tables import Column, StudyTable

_MATCHES = [16, 32, 64, 128]
_PRIOR_SD = 200.0
_ELITE = 0.25  # share of the population
_STAGES = 4
_CLOSEST = 10.0  # Elo; smaller differences are treated as this one

Strengths = NDArray[np.float64]  # [player] Elo
Ranked = tuple[Sequence[int], float]  # players, best first; matches played


def _tournament(rounds: int, growth: float) -> Callable[[Strengths, float, np.random.Generator], Ranked]:
    def play(strengths: Strengths, matches: float, rng: np.random.Generator) -> Ranked:
        plan = TournamentPlan(len(strengths), 2, matches, rounds, growth)
        tournament = Tournament(plan, 1, 1, _PRIOR_SD)
        while pairs := tournament.ask():
            goals = {}
            for pair in pairs:
                won = rng.random(2) < expected_score(float(strengths[pair.player - 1]))
                for match, win in zip(pair.matches, won.tolist(), strict=True):
                    own = match.seats.index(pair.player)
                    goals[match.id] = [100 if win == (role == own) else 0 for role in range(2)]
            tournament.tell(goals)
        used = sum(score.matches for score in tournament.scores)
        return [player - 1 for player in tournament.ranking()], used / len(strengths)

    return play


def _ocba(strengths: Strengths, matches: float, rng: np.random.Generator) -> Ranked:
    players = len(strengths)
    scores = [_play(float(elo), max(1, round(matches / 4)), rng) for elo in strengths]
    left = players * matches - sum(score.matches for score in scores)
    for stage in range(_STAGES):
        total = sum(score.matches for score in scores) + left / (_STAGES - stage)
        wanted = _shares(_elo(scores)) * total
        missing = np.maximum(0.0, wanted - [score.matches for score in scores])
        pairs = np.rint(missing * (left / (_STAGES - stage)) / max(1e-9, missing.sum()) / 2).astype(int)
        scores = [
            score + _play(float(elo), count, rng) if count else score
            for score, elo, count in zip(scores, strengths, pairs.tolist(), strict=True)
        ]
        left -= 2 * int(pairs.sum())
    elo = _elo(scores)
    return np.argsort(-elo, kind="stable").tolist(), sum(score.matches for score in scores) / players


def _shares(elo: Strengths) -> Strengths:
    """[player] share of the matches that OCBA would have given so far."""
    win = 1 / (1 + 10 ** (-elo / 400))
    spread = 1 / np.sqrt(win * (1 - win))  # standard deviation of one match, on the scale of strength
    best = int(np.argmax(elo))
    shares = (spread / np.maximum(elo[best] - elo, _CLOSEST)) ** 2
    shares[best] = 0.0
    shares[best] = spread[best] * math.sqrt(float(((shares / spread) ** 2).sum()))
    return np.asarray(shares / shares.sum())


def _play(elo: float, pairs: int, rng: np.random.Generator) -> Score:
    points = rng.binomial(2, expected_score(elo), pairs)
    wins = int(points.sum())
    return Score(wins, 0, 2 * pairs - wins, pairs, float((points**2).sum()))


def _elo(scores: Sequence[Score]) -> Strengths:
    results = [(player, BASELINE, score) for player, score in enumerate(scores, 1)]
    ratings = fit_ratings(len(scores) + 1, results, _PRIOR_SD, dispersion(scores))
    return np.array([rating.elo for rating in ratings[1:]])


RULES: dict[str, Callable[[Strengths, float, np.random.Generator], Ranked]] = {
    "equal": _tournament(1, 1.0),
    "halving to one": _tournament(0, 1.0),
    "halving to one, ×2": _tournament(0, 2.0),
    "two rounds, ×2": _tournament(2, 2.0),
    "three rounds, ×2": _tournament(3, 2.0),
    "OCBA": _ocba,
}


def selection(
    matches: Annotated[
        list[int], typer.Option(min=4, max=MAX_COUNT, help="Mean matches per individual; again for more.")
    ] = _MATCHES,
    runs: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Populations to draw.")] = 1000,
    players: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Individuals of each.")] = 12,
    spread: Annotated[
        float, typer.Option(min=0.0, max=MAX_FACTOR, help="Standard deviation of their strengths, in Elo.")
    ] = 60.0,
    seed: SeedOption = 1,
) -> Iterator[StudyTable]:
    """How often rules of allocating matches find the strongest of a population, on players of known strength.

    Strengths are drawn from a normal distribution of mean 80 Elo.
    """
    columns = (
        Column("rule", "rule", 22),
        Column("matches", "matches", 8),
        Column("best", "best found, %", 14, ".1f"),
        Column("regret", "Elo lost", 9, ".1f"),
        Column("elite", "elite, Elo", 10, ".1f"),
        Column("used", "used", 7, ".1f"),
    )
    yield StudyTable(columns, measure_selection(matches, runs=runs, players=players, spread=spread, seed=seed))


def measure_selection(
    matches: Sequence[int], *, runs: int, players: int, spread: float, seed: int
) -> Iterator[dict[str, float | str]]:
    """Yield a row for each number of matches per individual and each rule."""
    elite = max(1, round(_ELITE * players))
    for mean in matches:
        for name, rule in RULES.items():
            rng = np.random.default_rng([seed, mean])  # every rule gets the same populations
            populations = rng.normal(80.0, spread, (runs, players))
            found, lost, elites, used = 0, 0.0, 0.0, 0.0
            for strengths in populations:
                ranked, played = rule(strengths, mean, rng)
                found += ranked[0] == int(strengths.argmax())
                lost += float(strengths.max() - strengths[ranked[0]])
                elites += float(strengths[list(ranked[:elite])].mean())
                used += played
            yield {
                "rule": name,
                "matches": mean,
                "best": 100 * found / runs,
                "regret": lost / runs,
                "elite": elites / runs,
                "used": used / runs,
            }
