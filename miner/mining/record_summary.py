"""Summaries of record files: counts and a sample, made where the files are, part by part, and merged in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gdl_miner.agent.features import Feature
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.record_xml import iterate_records
from gdl_miner.agent.search.records import MatchBatchRecord, concatenate_records
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counting import count_matches
from gdl_miner.miner.mining.counts import FeatureCounts, merge_counts
from gdl_miner.miner.mining.role_record import thin_records
from gdl_miner.miner.mining.training_data import TrainingData
from gdl_miner.miner.play.prepared_game import PreparedGame

_PART = 50_000  # states read at once


@dataclass(frozen=True, eq=False)
class RecordSummary:
    """Everything that mining needs to know of some matches."""

    counts: tuple[FeatureCounts[Feature], ...]  # [role] over all matches
    samples: tuple[tuple[str, MatchBatchRecord], ...]  # by name of the source, in its order
    matches: int
    states: int

    @property
    def sample(self) -> MatchBatchRecord:
        """The sampled matches as one record."""
        return concatenate_records([record for _, record in self.samples])

    def training_data(self, config: MiningConfig, seed: int) -> TrainingData:
        """The matches as training data of one generation."""
        return TrainingData.of([self.sample], [self.counts], config, seed)


def summarise_file(path: Path, machine: Machine, config: MiningConfig, seed: int) -> RecordSummary:
    """Read a file of match records in bounded memory. Raises RecordError as `read_records` does."""
    parts = (
        summarise_record(record, machine, config, f"{path}#{number:09d}")
        for number, record in enumerate(iterate_records(path, machine, _PART))
    )
    found = next(parts)
    for part in parts:
        found = merge_summaries([found, part], config, seed)
    return found


def summarise_record(record: MatchBatchRecord, machine: Machine, config: MiningConfig, name: str) -> RecordSummary:
    """Summarise matches that are in memory; the names decide in which order samples are put together."""
    return RecordSummary(
        count_matches(record, machine, config), ((name, record),), record.n_matches, len(record.states)
    )


def merge_summaries(summaries: Sequence[RecordSummary], config: MiningConfig, seed: int) -> RecordSummary:
    """Merge summaries into one of all their matches, which is the same for any grouping and order."""
    samples = sorted((sample for each in summaries for sample in each.samples), key=lambda sample: sample[0])
    thinned = thin_records([record for _, record in samples], config.sample, seed)
    kept = [(name, record) for (name, _), record in zip(samples, thinned, strict=True) if record.n_matches]
    return RecordSummary(
        tuple(merge_counts(counts) for counts in zip(*(each.counts for each in summaries), strict=True)),
        tuple(kept or samples[:1]),
        sum(each.matches for each in summaries),
        sum(each.states for each in summaries),
    )


def read_file(game: PreparedGame, config: MiningConfig, seed: int, path: Path) -> RecordSummary:
    """Read and count a file of match records."""
    return summarise_file(path, game.machine(), config, seed)
