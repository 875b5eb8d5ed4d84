"""The driver of a run: it does the work that the learner asks for and keeps everything in the run's folder."""

from __future__ import annotations

from gdl_miner.agent.search.records import MatchBatchRecord, concatenate_records
from gdl_miner.miner.learners.requests import (
    EndStep,
    FindAtoms,
    LearnFeatures,
    LearnFromGames,
    MatchResults,
    MineRecords,
    NamedValues,
    NameValues,
    PlayExpert,
    PlayForage,
    PlayMatches,
    Prune,
    Pruned,
    Request,
    Result,
    ScoreFeatures,
    SearchPositions,
    TrainPolicy,
    TrainValues,
    TryDiscounts,
    TryLongSearches,
    TryValues,
    Validate,
    Validation,
)
from gdl_miner.miner.play.executor import Executor
from gdl_miner.miner.runs.baseline_matches import BaselineMatches, goals_of
from gdl_miner.miner.runs.context import RunContext
from gdl_miner.miner.runs.discount_trial import DiscountTrial
from gdl_miner.miner.runs.expert_iteration import ExpertIteration
from gdl_miner.miner.runs.feature_learning import FeatureLearning
from gdl_miner.miner.runs.foraging import Foraging
from gdl_miner.miner.runs.pruning import RunPruning
from gdl_miner.miner.runs.report import draw_run
from gdl_miner.miner.runs.reporting import Reporter
from gdl_miner.miner.runs.setup import RunSetup
from gdl_miner.miner.runs.step_mining import StepMining
from gdl_miner.miner.runs.value_training import ValueTraining, name_values
from gdl_miner.miner.runs.value_trial import ValueTrial

__all__ = ["Run"]


class Run:
    """One run of any learner, new or continued."""

    def __init__(self, setup: RunSetup, executor: Executor, reporter: Reporter) -> None:
        self._setup = setup
        self._learner = setup.learner
        self._store = setup.store
        self._own_tables = setup.own_tables
        self._reporter = reporter
        shared = executor.share(setup.game)
        context = RunContext(setup.game, shared, setup.method.unit, setup.settings, setup.store, executor, reporter)
        self._matches = BaselineMatches(context)
        self._mining = StepMining(context)
        self._training = ValueTraining(context)
        self._trial = ValueTrial(context, self._matches)
        self._discount_trial = DiscountTrial(context, self._matches)
        self._foraging = Foraging(context)
        self._pruning = RunPruning(context, self._matches)
        self._expert = ExpertIteration(context)
        self._features = FeatureLearning(context)
        self._played: list[MatchBatchRecord] = []  # records of the present step

    def execute(self) -> None:
        """Run to the end, after cutting the tables back to the checkpoint."""
        self._setup.cut_tables()
        self._matches.tune()
        while (request := self._learner.ask()) is not None:
            stood = self._learner.state
            self._learner.tell(self._done(request))
            if self._learner.state is not stood:
                self._checkpoint()

    def _done(self, request: Request) -> Result:
        """Do the work that the learner asks for and return its result."""
        match request:
            case PlayMatches():
                return self._play(request)
            case EndStep():
                self._end_step(request)
            case SearchPositions():
                self._mining.search_positions(request, self._matches.players)
            case MineRecords():
                return self._mining.mine(request)
            case TrainValues():
                return self._training.train(request)
            case TryValues():
                return self._trial.hold(request)
            case TryLongSearches():
                return self._trial.hold_long(request)
            case TryDiscounts():
                return self._discount_trial.hold(request)
            case LearnFromGames():
                return self._training.learn(request)
            case PlayForage():
                return self._foraging.play(request)
            case NameValues():
                return NamedValues(name_values(self._setup.game, request.shape, request.weights))
            case Prune():
                return self._prune(request)
            case FindAtoms():
                return self._expert.find_atoms(request)
            case PlayExpert():
                return self._expert.play(request)
            case TrainPolicy():
                return self._expert.train(request)
            case LearnFeatures():
                return self._features.learn(request)
            case ScoreFeatures():
                return self._features.score(request)
            case Validate():
                return self._validate(request)
        return None

    def _play(self, request: PlayMatches) -> MatchResults:
        record = self._matches.play(request)
        self._played.append(record)
        return MatchResults(goals_of(record), self._matches.players.work_ratios(request.entrants))

    def _end_step(self, request: EndStep) -> None:
        self._mining.keep(request.step, concatenate_records(self._played))
        self._played = []
        if request.best is not None:
            self._store.write_best(request.step, request.best, request.last)
        for name, rows in request.rows.items():
            self._own_tables[name].append(rows)
        self._reporter.step(request.summary, request.standing)
        draw_run(self._setup)

    def _prune(self, request: Prune) -> Pruned:
        pruned = self._pruning.prune(request)
        draw_run(self._setup)
        return pruned

    def _validate(self, request: Validate) -> Validation:
        validation = self._matches.validate(request)
        if not validation.helps:
            self._store.write_empty_best(request.entrant.knowledge.emptied(), self._setup.game.sheet)
        draw_run(self._setup)
        self._store.forget(request.step + 1)
        self._reporter.validated(validation)
        return validation

    def _checkpoint(self) -> None:
        """Write a checkpoint after a finished step, and drop the kept results that no later step needs."""
        state, members = self._learner.state, self._learner.members
        if members:
            known = [(member.name, member.knowledge) for member in members]
            self._store.write_step_knowledge(state.step, known, self._setup.game.sheet)
        lengths = {table.name: table.length() for table in self._setup.tables}
        self._store.write_json("checkpoints/state.json", {"tables": lengths, **state.pack()})
        self._mining.forget(state.step)
