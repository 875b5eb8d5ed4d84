"""Counts do not depend on how matches are divided among records."""

import numpy as np
import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.records import select_places
from gdl_miner.miner.mining import counting
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counting import count_matches
from gdl_miner.miner.mining.counts import merge_counts
from gdl_miner.miner.mining.mine import mine, mine_role
from gdl_miner.miner.mining.training_data import TrainingData
from tests.mining.playouts import random_record

CONFIG = MiningConfig(symmetries=(), min_support=10, max_q=1.0)


@pytest.fixture(scope="module")
def machine():
    return load_machine("tictactoe.ext")


@pytest.fixture(scope="module")
def record(machine):
    return random_record(machine, 200, seed=5)


def by_feature(counts):
    return {feature: row.tolist() for feature, row in zip(counts.features, counts.sums, strict=True)}


@pytest.mark.parametrize("chunk", [7, 100, 10**6])
def test_counts_are_the_same_in_chunks_of_any_size(machine, record, chunk, monkeypatch):
    whole = count_matches(record, machine, CONFIG)[0]
    monkeypatch.setattr(counting, "_CHUNK", chunk)
    parts = count_matches(record, machine, CONFIG)[0]
    assert by_feature(parts) == by_feature(whole)
    assert parts.totals.tolist() == whole.totals.tolist()
    assert parts.matches == whole.matches == 200


def test_counts_made_apart_and_merged_in_any_order_teach_the_same(machine, record):
    places = np.random.default_rng(1).permutation(200)
    apart = [select_places(record, part) for part in np.array_split(places, 5)]
    counts = [merge_counts(count_matches(part, machine, CONFIG)[role] for part in reversed(apart)) for role in (0, 1)]
    found, expected = (
        mine_role(TrainingData.of([record], [each], CONFIG, 1), machine, 1, CONFIG)
        for each in (counts, count_matches(record, machine, CONFIG))
    )
    assert found == expected


def test_counts_take_all_matches_where_the_sample_does_not(machine, record):
    whole = mine([record], machine, CONFIG, seed=1)
    sampled = mine([record], machine, MiningConfig(symmetries=(), min_support=10, max_q=1.0, sample=500), seed=1)
    assert sampled.decisions == whole.decisions
    assert sampled.choices[0] < whole.choices[0]
    phi = [{each.feature: each.phi for each in found.features[0]} for found in (whole, sampled)]
    assert all(phi[0][feature] == phi[1][feature] for feature in set(phi[0]) & set(phi[1]))
