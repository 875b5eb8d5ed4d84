"""Samples depend on names and the seed alone."""

import numpy as np
import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.records import select_places
from gdl_miner.miner.mining.role_record import held_out_matches, smallest, step_keys, thin_records
from tests.mining.playouts import random_record


@pytest.fixture(scope="module")
def machine():
    return load_machine("tictactoe.ext")


@pytest.fixture(scope="module")
def record(machine):
    return random_record(machine, 200, seed=5)


def test_keys_of_a_match_do_not_depend_on_its_batch(machine):
    whole = random_record(machine, 6, seed=1)
    first = random_record(machine, 3, seed=1)
    steps = np.arange(len(first.states))
    assert step_keys(first, steps, 0, 7).tolist() == step_keys(whole, steps, 0, 7).tolist()
    assert held_out_matches(first, 0.5, 7).tolist() == held_out_matches(whole, 0.5, 7)[:3].tolist()


def test_keys_differ_between_steps_roles_and_seeds(record):
    steps = np.arange(len(record.states))
    keys = np.concatenate([step_keys(record, steps, role, seed) for role in (0, 1) for seed in (0, 1)])
    assert len(np.unique(keys)) == len(keys)


def test_the_smallest_keys_are_chosen_in_the_order_of_their_places():
    keys = np.array([5, 1, 9, 2, 7], dtype=np.uint64)
    assert smallest(keys, 3).tolist() == [0, 1, 3]
    assert smallest(keys, 9).tolist() == [0, 1, 2, 3, 4]


def test_a_sample_holds_whole_matches_within_its_budget(record):
    (thinned,) = thin_records([record], 300, seed=1)
    assert 250 < len(thinned.states) <= 300
    assert set(thinned.ids) < set(record.ids)
    assert thinned == select_places(record, np.array([record.ids.index(name) for name in thinned.ids]))


def test_the_sample_is_the_same_however_the_matches_are_divided(record):
    parts = [select_places(record, part) for part in np.array_split(np.arange(200), 3)]
    apart = [name for each in thin_records(parts, 300, seed=1) for name in each.ids]
    assert apart == list(thin_records([record], 300, seed=1)[0].ids)
    again = thin_records([thin_records(parts[:2], 400, seed=1)[0], *thin_records(parts, 400, seed=1)[1:]], 300, seed=1)
    assert [name for each in again for name in each.ids] == apart


def test_few_states_are_all_taken(record):
    assert thin_records([record], len(record.states), seed=1)[0] is record
