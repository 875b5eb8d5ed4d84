"""The match records of a run's steps, kept in memory and in the folder as long as they are mined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl_miner.agent.search.records import MatchBatchRecord, concatenate_records, select_matches
from gdl_miner.miner.mining.counting import CountCache
from gdl_miner.miner.results.store import KeptKind

if TYPE_CHECKING:
    from gdl_miner.miner.runs.run import Run


class StepRecords:
    """The records of one run: matches by step, training positions by step, and the rounds of the present step."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._known: dict[tuple[KeptKind, int], MatchBatchRecord] = {}
        self._rounds: dict[int, dict[int, MatchBatchRecord]] = {}  # [step][round]
        self.counts = CountCache(run.executor, run.shared_game, run.settings.mining)

    def keep_round(self, step: int, number: int, record: MatchBatchRecord) -> None:
        """Keep the matches of a round until its step has ended."""
        self._rounds.setdefault(step, {})[number] = record
        self._run.store.keep_round(step, number, record)

    def end_step(self, step: int) -> None:
        """Join the rounds of a finished step, and write as many of the matches as XML as the configuration says.

        Records that no later step mines are dropped.
        """
        kept = self._rounds.pop(step, {})
        numbers = self._run.store.kept_rounds(step)
        store, circuit = self._run.store, self._run.machine.circuit
        record = concatenate_records(
            [kept[number] if number in kept else store.kept_round(step, number, circuit) for number in numbers]
        )
        self.keep(step, record, "gen")
        written = select_matches(record, record.ids[: self._run.settings.records.matches_written])
        self._run.store.write_record(step, written, self._run.machine)
        self._forget(step)

    def keep(self, step: int, record: MatchBatchRecord, kind: KeptKind) -> None:
        """Keep the matches, or the training positions, of a finished step."""
        self._known[kind, step] = record
        self._run.store.keep_record(step, record, kind)

    def of(self, step: int, kind: KeptKind) -> MatchBatchRecord:
        """Return a record of a step, from the folder where it is no longer in memory.

        Raises RecordError where the file is missing or damaged.
        """
        if (kind, step) not in self._known:
            self._known[kind, step] = self._run.store.kept_record(step, kind, self._run.machine.circuit)
        return self._known[kind, step]

    def _forget(self, step: int) -> None:
        """Drop what is no longer needed after a step: rounds of earlier steps, and records that are too old to mine."""
        oldest = step + 1 - self._run.settings.records.generations_mined
        self._known = {key: record for key, record in self._known.items() if key[1] >= oldest}
        self.counts.forget(oldest)
        self._run.store.forget(oldest, step)
