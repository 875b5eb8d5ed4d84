"""The view of one role of a record of matches."""

from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search import PlayerSpec
from gdl_miner.agent.values import value_function
from gdl_miner.miner.mining.role_record import RoleRecord
from tests.mining.playouts import random_record
from tests.search.matrix_games import PENNIES
from tests.values.random_values import random_values


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


@pytest.mark.parametrize("role", [0, 1])
def test_a_move_is_worth_what_the_state_after_it_is_worth(machine, record, role):
    layout, weights = random_values(machine, seed=3)
    values = value_function(layout, weights)
    view = RoleRecord(record, machine, role)
    choices, other, ends = view.root_choices(), 1 - role, 0
    found = view.values_of(choices, PlayerSpec(values=values))
    for place, step in enumerate(choices.step):
        for at in range(choices.start[place], choices.start[place + 1]):
            joint = [0, 0]
            joint[role], joint[other] = choices.row[at], machine.legal(record.states[step])[other][0]
            after = machine.next(record.states[step], joint)
            if machine.terminal(after):
                expected, ends = machine.goals(after)[role], ends + 1
            else:
                expected = values.values(after[None, :])[0][role]
            assert found[at] == pytest.approx(expected / 100, abs=6e-4)
    assert ends


def test_moves_at_once_lead_to_no_state_that_is_worth_something():
    pennies = load_machine(parse_sheet(PENNIES.rules, "pennies"))
    layout, weights = random_values(pennies, seed=3)
    view = RoleRecord(random_record(pennies, 4, seed=1), pennies, 0)
    choices = view.root_choices()
    assert len(choices.row)
    assert not view.values_of(choices, PlayerSpec(values=value_function(layout, weights))).any()
