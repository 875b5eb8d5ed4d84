"""What records say about a role."""

from dataclasses import replace

import numpy as np
import pytest

from agent.reasoner.machine import load_machine
from miner.mining.decisions import (
    decision_steps,
    held_out_matches,
    root_choices,
    sampling_keys,
    smallest,
)
from tests.mining.playouts import random_record


@pytest.fixture(scope="module")
def machine():
    return load_machine("tictactoe.ext")


@pytest.fixture(scope="module")
def record(machine):
    return random_record(machine, 6, seed=1)


def without_visits(record):
    return replace(
        record,
        visit_start=np.zeros_like(record.visit_start),
        visit_row=record.visit_row[:0],
        visit_count=record.visit_count[:0],
    )


@pytest.mark.parametrize("role", [0, 1])
def test_decisions_are_the_states_with_several_legal_moves(machine, record, role):
    expected = [
        step
        for step in range(len(record.states))
        if record.moves[step, role] >= 0 and len(machine.legal(record.states[step])[role]) > 1
    ]
    assert decision_steps(record, machine, role).tolist() == expected


@pytest.mark.parametrize("role", [0, 1])
def test_records_without_visits_give_the_same_decisions(machine, record, role):
    asked = decision_steps(without_visits(record), machine, role)
    assert asked.tolist() == decision_steps(record, machine, role).tolist()


def test_root_choices_hold_all_legal_moves_with_shares_that_sum_to_one(machine, record):
    found = root_choices(record, machine, 0)
    assert found.step.tolist() == decision_steps(record, machine, 0).tolist()
    for i, step in enumerate(found.step):
        here = slice(found.start[i], found.start[i + 1])
        assert found.row[here].tolist() == machine.legal(record.states[step])[0].tolist()
        assert found.share[here].sum() == pytest.approx(1.0)


def test_keys_of_a_match_do_not_depend_on_its_batch(machine):
    whole = random_record(machine, 6, seed=1)
    first = random_record(machine, 3, seed=1)
    steps = np.arange(len(first.states))
    assert sampling_keys(first, steps, 0, 7).tolist() == sampling_keys(whole, steps, 0, 7).tolist()
    assert held_out_matches(first, 0.5, 7).tolist() == held_out_matches(whole, 0.5, 7)[:3].tolist()


def test_keys_differ_between_steps_roles_and_seeds(record):
    steps = np.arange(len(record.states))
    keys = np.concatenate([sampling_keys(record, steps, role, seed) for role in (0, 1) for seed in (0, 1)])
    assert len(np.unique(keys)) == len(keys)


def test_the_smallest_keys_are_chosen_over_all_arrays():
    keys = [np.array([5, 1, 9], dtype=np.uint64), np.array([], dtype=np.uint64), np.array([2, 7], dtype=np.uint64)]
    assert [part.tolist() for part in smallest(keys, 3)] == [[0, 1], [], [0]]
    assert [part.tolist() for part in smallest(keys, 9)] == [[0, 1, 2], [], [0, 1]]
