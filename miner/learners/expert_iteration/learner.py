"""A learner by expert iteration (Anthony et al. 2017; with features that grow: Soemers, Piette & Browne 2019).

    training games of values… → atomic features
    → [ [ self-play of the expert → the apprentice learns and grows ]… → matches ] per step
    → long searches of the best → validation

The expert is a search that the apprentice guides; the apprentice learns to foresee the visits of these searches. Values
of states, where there are any, stand in for playouts. A step ends when so many games have been played that the
apprentice is measured. Once it is pruned it grows no more.

A run that starts from a knowledge file begins with its features, their weights and its values. The player with what a
run begins with is the first best; where values are learned first, it has these alone.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gdl_miner.agent.features import Feature
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import Values, layout_for
from gdl_miner.miner.learners.expert_iteration.config import ExpertConfig
from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.learners.expert_iteration.policy import SoftmaxPolicy
from gdl_miner.miner.learners.expert_iteration.self_play import (
    ExpertGames,
    find_first_features,
    learn_policy,
    play_expert,
)
from gdl_miner.miner.learners.expert_iteration.training import PolicyError
from gdl_miner.miner.learners.expert_iteration.transfer import read_features
from gdl_miner.miner.learners.long_searches import try_and_validate
from gdl_miner.miner.learners.measuring import Best, StepTraining, matches_of, measure
from gdl_miner.miner.learners.values.learner import first_values
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.prepared_game import WITH_CHANCE, PreparedGame, refuse_chance
from gdl_miner.miner.runs.entrant import START, Entrant, KnowledgeMaker
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.steps import keep_players
from gdl_miner.miner.runs.task import Learner, Task
from gdl_miner.miner.runs.trials import TrialTime


@dataclass
class _Games:
    """What came of the self-play of a step."""

    games: int = 0
    moves: int = 0
    broken_off: int = 0
    error: PolicyError = field(default_factory=PolicyError)


def iterate(config: ExpertConfig, maker: KnowledgeMaker) -> Learner:
    """Let the apprentice learn from the expert, step by step."""
    settings, seed, start = config.expert, config.seed, maker.start
    values = None if start is None else start.values
    taught_moves = playouts = 0
    if values is None and settings.value_steps:
        trained = yield from first_values(config.values, seed, settings.value_steps)
        values, taught_moves = trained.values, settings.value_steps * trained.totals.moves
    first = _start(config, maker, values)
    if settings.value_steps and first is not None and (start is None or start.values is None):
        yield from Task(keep_players, 0, (first,))
    best = None if first is None else Best(first)
    atoms = yield from Task(find_first_features, 0, settings.reach, derive_seed(seed, "atoms"))
    policy, experience, games = _first_policy(start, atoms), None, 0
    for step in range(settings.steps):
        played, rounds = _Games(), 0
        while games < settings.measured_after[step]:
            if settings.pruned_after and games == settings.pruned_after:
                policy = policy.pruned(settings.kept_features)
            new = yield from _self_play(config, maker, step, rounds, games, policy, values)
            examples = len(new.experience)
            experience = _remembered(experience, new.experience, settings.buffer)
            together = settings.games_from(games, step)
            training = settings.training(derive_seed(seed, "policy", games), examples, games, together)
            taught = yield from Task(
                learn_policy, step, rounds, policy, experience, min(examples, len(experience)), training
            )
            policy, games, rounds = taught.policy, games + together, rounds + 1
            played.games += together
            played.moves += new.moves
            playouts += new.moves * settings.playouts
            played.broken_off += new.broken_off
            played.error += taught.error
        entrant = Entrant(f"s{step + 1:03d}", _player(config, maker, step + 1, policy, values))
        best = yield from _measure(config, maker, step + 1, entrant, best, policy, played)
    if best is not None:
        time = TrialTime(
            config.long_searches.share,
            moves=taught_moves,
            shape=config.values.shape,
            playouts=playouts,
            matches=matches_of(settings, settings.steps),
        )
        last, matches = settings.steps + 1, settings.validation_matches
        yield from try_and_validate(config.long_searches, config.search, seed, last, best.entrant, time, matches)


def _self_play(
    config: ExpertConfig,
    maker: KnowledgeMaker,
    step: int,
    rounds: int,
    games: int,
    policy: SoftmaxPolicy,
    values: Values | None,
) -> Generator[Task[Any], Any, ExpertGames]:
    settings, roles = config.expert, len(maker.roles)
    numbers = range(games, games + settings.games_from(games, step))
    matches = tuple(
        MatchRequest(f"self-{number:06d}", (0,) * roles, derive_seed(config.seed, "self-play", number))
        for number in numbers
    )
    last = settings.measured_after[step]
    title = f"self-play for step {step + 1}, games {numbers[0] + 1} to {numbers[-1] + 1} of {last}"
    knowledge = _player(config, maker, step, policy, values)
    return (
        yield from Task(play_expert, step, rounds, title, knowledge, settings.playouts, settings.move_limit, matches)
    )


def _measure(
    config: ExpertConfig,
    maker: KnowledgeMaker,
    step: int,
    entrant: Entrant,
    best: Best | None,
    policy: SoftmaxPolicy,
    played: _Games,
) -> Generator[Task[Any], Any, Best]:
    error = played.error
    rms = (error.squared_error / max(1, error.alternatives)) ** 0.5
    training = StepTraining(played.games, played.moves, played.broken_off, rms)
    examples = max(1, error.examples)
    own = {
        "features": policy.n_features,
        "cross_entropy": error.cross_entropy / examples,
        "expert_entropy": error.expert_entropy / examples,
    }
    return (yield from measure(config.expert, config.seed, len(maker.roles), step, entrant, best, training, own))


def _start(config: ExpertConfig, maker: KnowledgeMaker, values: Values | None) -> Entrant | None:
    """Return the player with what the run starts from; None where that is nothing."""
    start, nothing = maker.start, ((),) * len(maker.roles)
    if start is None and values is None:
        return None
    winning, losing = (nothing, nothing) if start is None else (start.winning, start.losing)
    parameters = config.parameters(with_values=values is not None)
    return Entrant(START, maker.knowledge(winning, losing, parameters, 0, values))


def _first_policy(start: Knowledge | None, atoms: Sequence[Sequence[Feature]]) -> SoftmaxPolicy:
    """Return the apprentice before its first game: what the run starts from, and the atomic features beside it."""
    if start is None:
        return SoftmaxPolicy.new(atoms)
    known = SoftmaxPolicy.of_lists(start.winning, start.losing)
    return known.grown(
        [[each for each in new if each not in own] for own, new in zip(map(set, known.features), atoms, strict=True)]
    )


def _remembered(old: Experience | None, new: Experience, buffer: int) -> Experience:
    return (new if old is None else Experience.joined([old, new])).latest(buffer)


def _player(
    config: ExpertConfig, maker: KnowledgeMaker, step: int, policy: SoftmaxPolicy, values: Values | None
) -> Knowledge:
    parameters = config.parameters(with_values=values is not None)
    return maker.knowledge(policy.lists(1), policy.lists(-1), parameters, step, values)


def _check(config: ExpertConfig, game: PreparedGame, start: Knowledge | None) -> None:
    """Raise ConfigError where values are to be learned, and the network of the settings does not fit.

    All features of the game are accepted. Without a board, moves alone are features.
    """
    refuse_chance(game.sheet, "expert iteration learns features of moves in games without chance", WITH_CHANCE)
    if config.expert.value_steps:
        layout_for(game.machine(), config.values.shape)


EXPERT_ITERATION = LearningMethod(
    name="expert-iteration",
    summary="a policy over patterns, which grow one by one, guides the search that it learns from",
    settings=ExpertConfig,
    learn=iterate,
    starts_from=read_features,
    check=_check,
)
