"""A learner of values.

    [ training games → matches against bare UCT, the best so far and random moves ] per step
    → long searches of the best → validate it

Where there are several discounts, the training games of the first step are played once with each, and learning goes on
from the values that have most points against the others. A run that starts from a knowledge file learns on from its
values, and the file's player is the first best. When several steps in a row are not ahead of the best, learning ends.
In the end the best is tried in long searches.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.values import LearnedWeights, Values, layout_for
from gdl_miner.miner.learners.long_searches import try_and_validate
from gdl_miner.miner.learners.measuring import Best, StepTraining, matches_of, measure
from gdl_miner.miner.learners.values.settings import ValuesConfig, ValuesSettings
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.runs.entrant import START, Entrant, KnowledgeMaker
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.start import read_values
from gdl_miner.miner.runs.task import Learner, Task
from gdl_miner.miner.runs.trials import TrialTime, try_discounts
from gdl_miner.miner.runs.value_training import TrainedValues, train_values, weights_from


def learn_values(config: ValuesConfig, maker: KnowledgeMaker) -> Learner:
    """Learn values step by step."""
    settings = config.values
    best = None if maker.start is None else Best(Entrant(START, maker.start))
    trained, discount = yield from _first_training(config, maker)
    moves = 0
    for step in range(1, settings.steps + 1):
        if step > 1:
            trained = yield from _training(config, step - 1, trained.learned, discount)
        entrant = Entrant(f"s{step:03d}", _player(config, maker, step, trained.values))
        measured = {"discount": discount}
        training = _step_training(trained)
        moves += training.moves
        best = yield from measure(settings, config.seed, maker.n_players, step, entrant, best, training, measured)
        if best.behind >= settings.patience:
            break
    if best is not None:
        measured_by = matches_of(settings, step)
        time = TrialTime(config.long_searches.share, moves=moves, shape=settings.shape, matches=measured_by)
        yield from try_and_validate(
            config.long_searches, config.search, config.seed, step + 1, best.entrant, time, settings.validation_matches
        )


def first_values(settings: ValuesSettings, seed: int, steps: int) -> Generator[Task[Any], Any, TrainedValues]:
    """Play the training games with which another learning method begins, and return what they taught.

    Args:
        settings: the games, the network and how it learns.
        seed: of the run.
        steps: how many rounds of them there are, at least one.
    """
    learned: LearnedWeights | None = None
    for step in range(steps):
        title = f"learning values, step {step + 1} of {steps}: {settings.games} games"
        trained = yield from Task(train_values, 0, title, settings.shape, learned, settings.round(seed, step))
        learned = trained.learned
    return trained


def _first_training(
    config: ValuesConfig, maker: KnowledgeMaker
) -> Generator[Task[Any], Any, tuple[TrainedValues, float]]:
    """Play the training games of the first step with every discount; return what the best of them taught, and it."""
    factors, start = config.discount.factors, None if maker.start is None else maker.start.values
    candidates = []
    for factor in factors:
        which = f" with the discount {factor}" if len(factors) > 1 else ""
        candidates.append((yield from _training(config, 0, start, factor, which)))
    if len(factors) == 1:
        return candidates[0], factors[0]
    entrants = tuple(
        Entrant(f"discount-{factor}", _player(config, maker, 0, trained.values))
        for factor, trained in zip(factors, candidates, strict=True)
    )
    trial = config.discount
    points = yield from Task(try_discounts, 0, config.seed, entrants, trial.depth, trial.matches)
    chosen = points.index(max(points))
    return candidates[chosen], factors[chosen]


def _training(
    config: ValuesConfig, step: int, start: LearnedWeights | Values | None, discount: float, which: str = ""
) -> Task[TrainedValues]:
    games = config.values.round(config.seed, step, discount)
    title = f"learning from {games.games} games of step {step}{which}"
    return Task(train_values, step, title, config.values.shape, start, games)


def _step_training(trained: TrainedValues) -> StepTraining:
    totals = trained.totals
    return StepTraining(totals.games, totals.moves, totals.broken_off, totals.squared_error**0.5)


def _player(config: ValuesConfig, maker: KnowledgeMaker, step: int, values: Values | None) -> Knowledge:
    """Return the player with these values; features and parameters are those of the start, if there is one."""
    start = maker.start
    if start is None:
        return maker.valued(config.values.parameters(), step, values)
    return maker.knowledge(start.winning, start.losing, start.parameters, step, values)


def _check(config: ValuesConfig, game: PreparedGame, start: Knowledge | None) -> None:
    """Raise ConfigError where the shapes do not fit the game, or the network has no place for the start's values."""
    shape = config.values.shape
    layout_for(game.machine(), shape)
    if start is not None and start.values is not None:
        weights_from(game, shape, start.values)


VALUES = LearningMethod(
    name="values",
    summary="temporal differences over games against itself, which tell what states are worth",
    settings=ValuesConfig,
    learn=learn_values,
    starts_from=read_values,
    check=_check,
)
