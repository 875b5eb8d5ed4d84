"""A run's mining of finished steps; their records and training positions are kept as long as they are mined."""

from __future__ import annotations

import time

from gdl_miner.agent.search.records import MatchBatchRecord, select_matches
from gdl_miner.miner.learners.requests import MineRecords, SearchPositions
from gdl_miner.miner.mining.count_cache import CountCache
from gdl_miner.miner.mining.mined import MinedKnowledge
from gdl_miner.miner.mining.tasks import mine_for
from gdl_miner.miner.mining.training_data import TrainingData
from gdl_miner.miner.mining.training_positions import choose_training_positions, search_training_positions
from gdl_miner.miner.play.executor import Task
from gdl_miner.miner.play.match_tasks import MATCHES_PER_TASK
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.context import RunContext
from gdl_miner.miner.runs.players import Players
from gdl_miner.miner.runs.step_records import StepRecords

__all__ = ["StepMining"]


class StepMining:
    """The mining of the latest steps of one run."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._machine = run.game.machine()
        self._records = StepRecords(run.store, "gen")
        self._positions = StepRecords(run.store, "lessons")
        self._counts = CountCache(run.executor, run.shared_game, run.settings.mining)

    def keep(self, step: int, record: MatchBatchRecord) -> None:
        """Keep the matches of a finished step, and write as many as XML as the configuration says."""
        self._records.keep(step, record)
        written = select_matches(record, record.ids[: self._run.settings.records.matches_written])
        self._run.store.write_record(step, written, self._machine)

    def forget(self, state_step: int) -> None:
        """Drop the records that are no longer mined once the step `state_step` comes next."""
        oldest = state_step + 1 - self._run.settings.records.generations_mined
        self._records.forget(oldest)
        self._positions.forget(oldest)
        self._counts.forget(oldest)
        self._run.store.forget(oldest)

    def search_positions(self, request: SearchPositions, players: Players) -> None:
        """Search positions of a finished step deeper, and keep the results as training positions."""
        begun, step = time.monotonic(), request.step
        chosen = choose_training_positions(self._records.of(step), self._machine, request.positions, request.seed)
        self._run.reporter.working(f"searching {len(chosen)} positions of {self._run.unit} {step} deeper")
        work = self._run.kept_tasks(f"g{step:03d}-lessons", chosen, MATCHES_PER_TASK)
        searcher = players.searcher(request.searcher, request.playouts)
        shared = (self._run.shared_game, self._run.executor.share(searcher))
        for _ in work.run(self._run.executor, search_training_positions, shared):
            pass
        record = work.record([position.id for position in chosen])
        self._positions.keep(step, record)
        playouts = int(record.playouts.max(axis=1).sum())
        self._run.write_time(StepPart(step, "teaching", None), None, playouts, time.monotonic() - begun)

    def mine(self, request: MineRecords) -> MinedKnowledge:
        """Mine the latest steps, with a task for each role."""
        first = max(0, request.step + 1 - self._run.settings.records.generations_mined)
        steps = range(first, request.step + 1)
        self._run.reporter.working(f"mining {self._run.unit}s {first} to {request.step}")
        begun = time.monotonic()
        records = [self._records.of(step) for step in steps]
        counts = [self._counts.of(step, record) for step, record in zip(steps, records, strict=True)]
        positions = [self._positions.of(step) for step in steps] if request.on_positions else None
        config = self._run.settings.mining
        data = TrainingData.of(records, counts, config, request.seed, positions=positions)
        share = self._run.executor.share
        shared = (self._run.shared_game, share(config), share(data), share(request.candidates))
        tasks = [Task(f"g{request.step:03d}-mine-{role}", role) for role in range(len(self._machine.roles))]
        roles = dict(self._run.executor.run(mine_for, shared, tasks))
        mined = MinedKnowledge.of(self._machine.roles, [roles[task.id] for task in tasks])
        self._run.write_time(StepPart(request.step, "mining", None), None, None, time.monotonic() - begun)
        return mined
