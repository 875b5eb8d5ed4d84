"""Expert iteration with ask/tell (Anthony et al. 2017; with features that grow: Soemers, Piette & Browne 2019).

    training games of values… → atomic features
    → [ [ self-play of the expert → values learn on → the apprentice learns and grows ]… → matches ] per step
    → validation

The expert is a search that the apprentice guides; the apprentice learns to foresee the visits of these searches. Values
of states, where there are any, stand in for playouts. A step ends when so many games have been played that the
apprentice is measured. Once it is pruned it grows no more.

A run that starts from a knowledge file begins with its features, their weights and its values. The player with what a
run begins with is the first best; where values are learned first, it has these alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gdl_miner.agent.features import Feature
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import Values
from gdl_miner.miner.apprentice import Experience, SoftmaxPolicy, TrainedPolicy
from gdl_miner.miner.learners.curve.learner import CurveLearner
from gdl_miner.miner.learners.curve.tables import StepTraining
from gdl_miner.miner.learners.expert_iteration.config import ExpertConfig
from gdl_miner.miner.learners.expert_iteration.state import ExpertState, StepGames
from gdl_miner.miner.learners.expert_iteration.tables import EXPERT_FILE
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    START,
    Entrant,
    ExpertGames,
    FindAtoms,
    FoundAtoms,
    LearnFromGames,
    PlayExpert,
    Request,
    Result,
    TrainedValues,
    TrainPolicy,
    TrainValues,
)
from gdl_miner.miner.learners.values.training import training_before
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.results.tables import Cell

__all__ = ["ExpertIterationLearner"]


class ExpertIterationLearner(CurveLearner[ExpertState]):
    """One run of expert iteration. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    table = EXPERT_FILE

    def __init__(self, config: ExpertConfig, maker: KnowledgeMaker, state: ExpertState | None = None) -> None:
        self._config, self._maker = config, maker
        given = None if maker.start is None else maker.start.values
        super().__init__(config.seed, config.expert, maker, state or ExpertState(best=self._start(given)))
        self._value_steps = config.expert.value_steps if given is None else 0
        known = self._state.entrant or self._state.best
        self._values = None if known is None else known.knowledge.values
        self._learned = self._state.learned
        self._policy = self._state.policy
        self._experience = self._state.experience
        self._games = self._state.games
        self._played = StepGames()  # of the present step
        self._rounds = 0  # of self-play and learning in the present step
        self._new: ExpertGames | None = None  # games that the apprentice has not learned from
        self._valued = False  # whether values have learned from them

    def _next_learning(self) -> Request:
        step, settings, trained = self._state.step, self._config.expert, self._state.value_steps
        if trained < self._value_steps:
            return training_before(self._config.values, self._seed, trained, self._value_steps, self._learned)
        if self._policy is None:
            return FindAtoms(step, settings.reach, derive_seed(self._seed, "atoms"))
        if self._new is None:
            return self._self_play()
        if self._values is not None and settings.values_learn_on and not self._valued:
            start = self._values if self._learned is None else self._learned
            network = self._config.values
            return LearnFromGames(step, self._rounds, network.shape, start, self._new.games, network.rates)
        experience = self._remembered(self._new.experience)
        new = min(len(self._new.experience), len(experience))
        seed = derive_seed(self._seed, "policy", self._games)
        games = settings.games_from(self._games, step)
        training = settings.training(seed, len(self._new.experience), self._games, games)
        return TrainPolicy(step, self._rounds, self._apprentice(), experience, new, training)

    def _learn(self, request: Request | None, result: Result) -> bool:
        match request, result:
            case TrainValues(), TrainedValues():
                self._begin_with(result)
            case LearnFromGames(), TrainedValues():
                self._learned, self._values, self._valued = result.learned, result.values, True
            case FindAtoms(), FoundAtoms():
                self._policy = self._first(result.features)
            case PlayExpert(), ExpertGames():
                self._new = result
            case TrainPolicy(), TrainedPolicy():
                self._take(request, result)
            case _:
                return False
        return True

    def _begin_with(self, trained: TrainedValues) -> None:
        """Take the values of a step of training games; the player with them becomes the first best."""
        self._learned, self._values = trained.learned, trained.values
        self._best = self._start(trained.values)
        steps = self._state.value_steps + 1
        self._state = replace(self._state, best=self._best, value_steps=steps, learned=trained.learned)

    def _start(self, values: Values | None) -> Entrant | None:
        """Return the player with what the run starts from; None where that is nothing."""
        start, nothing = self._maker.start, ((),) * len(self._maker.roles)
        if start is None and values is None:
            return None
        winning, losing = (nothing, nothing) if start is None else (start.winning, start.losing)
        parameters = self._config.parameters(with_values=values is not None)
        return Entrant(START, self._maker.knowledge(winning, losing, parameters, 0, values))

    def _first(self, atoms: Sequence[Sequence[Feature]]) -> SoftmaxPolicy:
        """Return the apprentice before its first game: what the run starts from, and the atomic features beside it."""
        start = self._maker.start
        if start is None:
            return SoftmaxPolicy.new(atoms)
        known = SoftmaxPolicy.of_lists(start.winning, start.losing)
        return known.grown(
            [
                [each for each in new if each not in own]
                for own, new in zip(map(set, known.features), atoms, strict=True)
            ]
        )

    def _self_play(self) -> PlayExpert:
        step, settings = self._state.step, self._config.expert
        games, roles = settings.games_from(self._games, step), len(self._maker.roles)
        numbers = range(self._games, self._games + games)
        matches = tuple(
            MatchRequest(f"self-{number:06d}", (0,) * roles, derive_seed(self._seed, "self-play", number))
            for number in numbers
        )
        last = settings.measured_after[step]
        title = f"self-play for step {step + 1}, games {numbers[0] + 1} to {numbers[-1] + 1} of {last}"
        knowledge = self._knowledge(step, self._apprentice())
        return PlayExpert(step, self._rounds, title, knowledge, settings.playouts, settings.move_limit, matches)

    def _take(self, request: TrainPolicy, trained: TrainedPolicy) -> None:
        """Go on with the trained apprentice: to further games of the step, or to the matches that measure it."""
        step, settings, new = self._state.step, self._config.expert, self._new
        assert new is not None
        games = settings.games_from(self._games, step)
        self._policy, self._experience, self._new, self._valued = trained.policy, request.experience, None, False
        self._games, self._rounds = self._games + games, self._rounds + 1
        self._played = self._played.plus(games, new.games.moves, new.games.broken_off, trained.error)
        if self._games < settings.measured_after[step]:
            return
        name = f"s{step + 1:03d}"
        state = ExpertState(
            step=step + 1,
            entrant=Entrant(name, self._knowledge(step + 1, trained.policy)),
            best=self._best,
            value_steps=self._state.value_steps,
            learned=self._learned,
            games=self._games,
            policy=self._policy,
            experience=self._experience,
            played=self._played,
        )
        self._played, self._rounds = StepGames(), 0
        self._begin(state)

    def _apprentice(self) -> SoftmaxPolicy:
        """Return the apprentice that guides the games that come next: pruned, when the time has come."""
        policy, settings = self._policy, self._config.expert
        assert policy is not None
        due = settings.pruned_after and self._games == settings.pruned_after
        return policy.pruned(settings.kept_features) if due else policy

    def _remembered(self, new: Experience) -> Experience:
        old = self._experience
        return (new if old is None else Experience.joined([old, new])).latest(self._config.expert.buffer)

    def _knowledge(self, step: int, policy: SoftmaxPolicy) -> Knowledge:
        parameters = self._config.parameters(with_values=self._values is not None)
        return self._maker.knowledge(policy.lists(1), policy.lists(-1), parameters, step, self._values)

    def _training(self) -> StepTraining:
        played = self._state.played
        rms = (played.error.squared_error / max(1, played.error.alternatives)) ** 0.5
        return StepTraining(played.games, played.moves, played.broken_off, rms)

    def _own_cells(self) -> tuple[Cell, ...]:
        policy, error = self._state.policy, self._state.played.error
        examples = max(1, error.examples)
        features = 0 if policy is None else policy.n_features
        return features, error.cross_entropy / examples, error.expert_entropy / examples

    def _ended(self, step: int) -> ExpertState:
        return ExpertState(step=step, best=self._best, ended=True, games=self._games)
