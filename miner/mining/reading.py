"""Counts and a sample of record files, read where they are, a part at a time, and merged in any order."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.knowledge import Feature
from agent.reasoner.machine import Machine
from agent.search.record_xml import iterate_records
from agent.search.records import MatchBatchRecord, concatenate_records
from miner.mining.config import MiningConfig
from miner.mining.counting import count_matches
from miner.mining.counts import FeatureCounts, merge_counts
from miner.mining.sampling import thin_records

__all__ = ["Reading", "merge_readings", "read_record", "read_record_file", "sample_of"]

_PART = 50_000  # states read at once


@dataclass(frozen=True)
class Reading:
    """What mining needs to know of some matches."""

    counts: tuple[FeatureCounts[Feature], ...]  # [role] over all matches
    samples: tuple[tuple[str, MatchBatchRecord], ...]  # by name of the source, in its order
    matches: int
    states: int


def read_record_file(machine: Machine, config: MiningConfig, seed: int, path: Path) -> Reading:
    """Reads a file of match records in bounded memory. Raises RecordError as `read_records` does."""
    parts = (
        read_record(record, machine, config, f"{path}#{number:09d}")
        for number, record in enumerate(iterate_records(path, machine, _PART))
    )
    found = next(parts)
    for part in parts:
        found = merge_readings([found, part], config, seed)
    return found


def read_record(record: MatchBatchRecord, machine: Machine, config: MiningConfig, name: str) -> Reading:
    """Reads matches that are in memory; names decide in which order samples are put together."""
    return Reading(count_matches(record, machine, config), ((name, record),), record.n_matches, len(record.states))


def merge_readings(readings: Sequence[Reading], config: MiningConfig, seed: int) -> Reading:
    """One reading of all their matches; associative, and the same in any order."""
    samples = sorted((sample for reading in readings for sample in reading.samples), key=lambda sample: sample[0])
    thinned = thin_records([record for _, record in samples], config.sample, seed)
    kept = [(name, record) for (name, _), record in zip(samples, thinned, strict=True) if record.n_matches]
    return Reading(
        tuple(merge_counts(counts) for counts in zip(*(reading.counts for reading in readings), strict=True)),
        tuple(kept or samples[:1]),
        sum(reading.matches for reading in readings),
        sum(reading.states for reading in readings),
    )


def sample_of(reading: Reading) -> MatchBatchRecord:
    """The sampled matches as one record."""
    return concatenate_records([record for _, record in reading.samples])
