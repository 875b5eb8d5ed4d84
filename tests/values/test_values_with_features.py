"""Searches with both values of states and features, whose moves count as visited before their node is."""

from dataclasses import replace
from typing import Any

import pytest

from gdl_miner.agent.features import FeatureAbsMove, WeightedFeature
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import search_positions
from gdl_miner.agent.values import ValuePart, Values
from tests.instruction_sets import EACH_SET
from tests.knowledge.plain import knowledge_of

EXPLORATIONS = [
    {"bias": 30.0},
    {"exploration": "puct"},
    {"widening": True, "widening_visits": 10},
    {"bias": 30.0, "experience": 1000},  # many more visits than playouts
    {"solver": True},
]


def visits(machine: Machine, changes: dict[str, Any]) -> list[int]:
    """Return the visits of the moves of the first position."""
    parameters = replace(Parameters(scoring="exponential", features_in_playouts=False), **changes)
    lists = tuple((WeightedFeature(FeatureAbsMove(f"(mark 2 2 {role})"), 1.0),) for role in machine.roles)
    values = Values((), True, "", (), (ValuePart(0, 0, 0, {"(cell 1 1 x)": 0.5}, ()),))
    knowledge = knowledge_of(machine, lists, (), parameters, values=values)
    spec = PlayerSpec(playouts=300).with_knowledge(knowledge, machine)
    [[found, *_]] = search_positions(machine, machine.initial()[None], spec, [7])
    return [int(number) for number in found.visits]


@pytest.mark.parametrize("changes", EXPLORATIONS, ids=str)
def test_moves_that_count_as_visited_are_searched_with_features(changes: dict[str, Any]) -> None:
    assert sum(visits(load_machine("tictactoe.ext"), changes)) >= 300


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("changes", EXPLORATIONS, ids=str)
def test_all_instruction_sets_find_the_same_visits(
    changes: dict[str, Any], isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = visits(load_machine("tictactoe.ext"), changes)
    monkeypatch.setenv("GDL_MINER_ISA", isa)
    assert visits(load_machine("tictactoe.ext"), changes) == expected
