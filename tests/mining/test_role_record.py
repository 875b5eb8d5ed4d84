"""The view of one role of a record of matches."""

from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.mining.role_record import RoleRecord
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
    assert RoleRecord(record, machine, role).decisions.tolist() == expected


@pytest.mark.parametrize("role", [0, 1])
def test_records_without_visits_give_the_same_decisions(machine, record, role):
    asked = RoleRecord(without_visits(record), machine, role).decisions
    assert asked.tolist() == RoleRecord(record, machine, role).decisions.tolist()


def test_root_choices_hold_all_legal_moves_with_shares_that_sum_to_one(machine, record):
    found = RoleRecord(record, machine, 0).root_choices()
    assert found.step.tolist() == RoleRecord(record, machine, 0).decisions.tolist()
    for i, step in enumerate(found.step):
        here = slice(found.start[i], found.start[i + 1])
        assert found.row[here].tolist() == machine.legal(record.states[step])[0].tolist()
        assert found.share[here].sum() == pytest.approx(1.0)
