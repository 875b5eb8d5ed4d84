"""Simulated learning curves: how well rules find the best player of a learner whose strength is known.

Each rule has the same matches of a step's player against the best before. `half` takes the player that has half of the
points. `test` is the rule of the learning methods (`gdl_miner.miner.learners.measuring`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR
from gdl_miner.miner.learners.measuring import Best
from gdl_miner.miner.play.rating import Score, expected_score
from gdl_miner.miner.runs.entrant import Entrant
from lab.options import SeedOption
from lab.tables import Column, StudyTable

Course = NDArray[np.float64]  # [step] Elo
StepMatches = Callable[[int, int], Score]  # the score of the player of a step against that of another

_MATCHES = [40, 100]
_NOTHING = Knowledge("", "", (), (), ())


def _half(steps: int, play: StepMatches) -> int:
    best = 0
    for step in range(1, steps):
        best = step if play(step, best).win_percent >= 50 else best
    return best


def _test(steps: int, play: StepMatches) -> int:
    best = Best(Entrant("0", _NOTHING))
    for step in range(1, steps):
        score = play(step, int(best.entrant.name))
        best = best.met(Entrant(str(step), _NOTHING), score, last=step == steps - 1)
    return int(best.entrant.name)


RULES: dict[str, Callable[[int, StepMatches], int]] = {"half": _half, "test": _test}


def _peak(step: Course, fall: float) -> Course:
    top = len(step) // 2
    return np.where(step < top, 60 * step, 60 * top - fall * (step - top))


CURVES: dict[str, Callable[[Course], Course]] = {
    "grows by 60": lambda step: 60 * step,
    "grows by 20": lambda step: 20 * step,
    "grows by 8": lambda step: 8 * step,
    "grows to a limit": lambda step: 400 * (1 - np.exp(-step / 2.5)),
    "stays": lambda step: 0 * step,
    "grows, falls by 20": lambda step: _peak(step, 20),
    "grows, falls by 80": lambda step: _peak(step, 80),
    "falls by 10": lambda step: -10 * step,
    "falls by 20": lambda step: -20 * step,
}


def best_so_far(
    matches: Annotated[
        list[int], typer.Option(min=2, max=MAX_COUNT, help="Matches of each step against the best; again for more.")
    ] = _MATCHES,
    runs: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Learning curves of each kind.")] = 1000,
    steps: Annotated[int, typer.Option(min=2, max=999, help="Steps of each.")] = 12,
    noise: Annotated[
        float, typer.Option(min=0.0, max=MAX_FACTOR, help="Standard deviation of a step's strength, in Elo.")
    ] = 25.0,
    seed: SeedOption = 1,
) -> Iterator[StudyTable]:
    """How much weaker the best of a learning curve is than its strongest player, by the rule that finds it."""
    columns = (
        Column("curve", "Elo a step", 20),
        Column("matches", "matches", 8),
        *(Column(rule, f"{rule}, Elo lost", 15, ".1f") for rule in RULES),
    )
    yield StudyTable(columns, measure_best(matches, runs=runs, steps=steps, noise=noise, seed=seed))


def measure_best(
    matches: Sequence[int], *, runs: int, steps: int, noise: float, seed: int
) -> Iterator[dict[str, float | str]]:
    """Yield a row for each number of matches and each kind of learning curve."""
    for count in matches:
        for number, (name, curve) in enumerate(CURVES.items()):
            lost = dict.fromkeys(RULES, 0.0)
            for rule, choose in RULES.items():
                rng = np.random.default_rng([seed, count, number])  # every rule gets the same curves
                strengths = curve(np.arange(steps, dtype=np.float64)) + rng.normal(0.0, noise, (runs, steps))
                for each in strengths:
                    best = choose(steps, partial(_score, each, count, rng))
                    lost[rule] += float(each.max() - each[best]) / runs
            yield {"curve": name, "matches": count, **lost}


def _score(strengths: Course, matches: int, rng: np.random.Generator, one: int, other: int) -> Score:
    points = rng.binomial(2, expected_score(strengths[one], strengths[other]), matches // 2)
    wins = int(points.sum())
    return Score(wins, 0, 2 * len(points) - wins, len(points), float((points**2).sum()))
