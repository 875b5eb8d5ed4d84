"""Expert iteration with ask/tell (Anthony et al. 2017; with features that grow: Soemers, Piette & Browne 2019).

    atomic features → [ [ self-play of the expert → the apprentice learns and grows ]… → matches ] per step → validation

The expert is a search that the apprentice guides; the apprentice learns to foresee the visits of these searches. A step
ends when so many games have been played that the apprentice is measured. Once it is pruned it grows no more.

A run that starts from a knowledge file begins with its features and their weights, and the file's player is the first
best.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent.knowledge import Feature, Knowledge
from agent.search.seeds import derive_seed
from miner.apprentice import Experience, SoftmaxPolicy, TrainedPolicy
from miner.learners.curve.learner import CurveLearner
from miner.learners.curve.tables import StepTraining
from miner.learners.expert_iteration.config import ExpertConfig
from miner.learners.expert_iteration.state import ExpertState, StepGames
from miner.learners.expert_iteration.tables import EXPERT_FILE
from miner.learners.learner import KnowledgeMaker
from miner.learners.requests import (
    START,
    Entrant,
    ExpertGames,
    FindAtoms,
    FoundAtoms,
    PlayExpert,
    Request,
    Result,
    TrainPolicy,
)
from miner.play.pairing import MatchRequest
from miner.results.tables import Cell

__all__ = ["ExpertIterationLearner"]


class ExpertIterationLearner(CurveLearner[ExpertState]):
    """One run of expert iteration. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    table = EXPERT_FILE

    def __init__(self, config: ExpertConfig, maker: KnowledgeMaker, state: ExpertState | None = None) -> None:
        self._config, self._maker = config, maker
        super().__init__(config.seed, config.expert, maker, state or ExpertState(best=self._start()))
        self._policy = self._state.policy
        self._experience = self._state.experience
        self._games = self._state.games
        self._played = StepGames()  # of the present step
        self._rounds = 0  # of self-play and learning in the present step
        self._new: ExpertGames | None = None  # games that the apprentice has not learned from

    def _next_learning(self) -> Request:
        step, settings = self._state.step, self._config.expert
        if self._policy is None:
            return FindAtoms(step, settings.reach, derive_seed(self._seed, "atoms"))
        if self._new is None:
            return self._self_play()
        experience = self._remembered(self._new.experience)
        new = min(len(self._new.experience), len(experience))
        seed = derive_seed(self._seed, "policy", self._games)
        games = settings.games_from(self._games, step)
        training = settings.training(seed, len(self._new.experience), self._games, games)
        return TrainPolicy(step, self._rounds, self._apprentice(), experience, new, training)

    def _learn(self, request: Request | None, result: Result) -> bool:
        match request, result:
            case FindAtoms(), FoundAtoms():
                self._policy = self._first(result.features)
            case PlayExpert(), ExpertGames():
                self._new = result
            case TrainPolicy(), TrainedPolicy():
                self._take(request, result)
            case _:
                return False
        return True

    def _start(self) -> Entrant | None:
        """Return the player with the features that the run starts from; None where it starts from nothing."""
        start = self._maker.start
        if start is None:
            return None
        return Entrant(START, self._maker.knowledge(start.winning, start.losing, self._config.expert.parameters(), 0))

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
        self._policy, self._experience, self._new = trained.policy, request.experience, None
        self._games, self._rounds = self._games + games, self._rounds + 1
        self._played = self._played.plus(games, new.moves, new.broken_off, trained.error)
        if self._games < settings.measured_after[step]:
            return
        name = f"s{step + 1:03d}"
        state = ExpertState(
            step=step + 1,
            entrant=Entrant(name, self._knowledge(step + 1, trained.policy)),
            best=self._best,
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
        return self._maker.knowledge(policy.lists(1), policy.lists(-1), self._config.expert.parameters(), step)

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
