"""Each parameter of a knowledge file acts: changing it alone changes a search or the learned knowledge."""

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

from gdl_miner.agent.features import (
    FEATURE_CLASSES,
    Fact,
    FeatureAbsMove,
    FeatureRelEuclidProximity,
    Itemset,
    WeightedFeature,
)
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.knowledge.parameters import OPTIONS, even_class_weights
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search import PlayerSpec
from gdl_miner.agent.values import values_of
from tests.knowledge.plain import knowledge_of
from tests.search.matches import played
from tests.search.matrix_games import PENNIES
from tests.search.positions import machine_of
from tests.values.random_values import random_values

BASE = Parameters(bias=20.0, widening=True, widening_visits=12, widening_moves=3, base_value=2.0)
OTHER = {
    "class_weights": even_class_weights() | {"FeatureAbsMove": 3.0},
    "itemset_class_weights": even_class_weights() | {"FeatureRelEuclidProximity": 5.0},
    "winning_weight": 0.2,
    "losing_weight": 4.0,
    "impact": 3.0,
    "base_value": 9.0,
    "uct_c": 5.0,
    "expansions": 0.4,
    "exploration": "puct",
    "puct_c": 9.0,
    "bias": 90.0,
    "fade": 0.2,
    "solver": True,
    "value_weight": 0.5,
    "experience": 4,
    "decisive_moves": "antidecisive",
    "opponent_knowledge": 0.5,
    "trusted_playouts": 1,
    "valued_playouts": 1,
    "scoring": "exponential",
    "widening": False,
    "widening_visits": 3,
    "widening_moves": 1,
    "widening_growth": 1.1,
    "scoring_visits": 7,
    "playout_moves": 3,
    "first_feature": True,
    "features_in_playouts": False,
    "features_in_selection": False,
}
# These parameters act only with certain values of others.
UNDER = {
    "puct_c": {"exploration": "puct"},
}
VALUED = {"value_weight", "experience", "trusted_playouts", "valued_playouts"}  # these parameters act only with values
# These options act only where knowledge does not.
WITHOUT_KNOWLEDGE = {row.name: option.bare for row, option in OPTIONS if row.name not in OTHER}
WHERE_SEVERAL_CHOOSE = {"mixed_share"}  # these options act only there

LEARNED_BY = {"max_features", "learning_factor"}  # act when an individual learns: tests/mining/test_learning.py


@cache
def visits(changed: str = "", base: str = "") -> bytes:
    """Return the root visits of two matches of connect four between players with knowledge about every move."""
    machine = machine_of("connectfour.ext")
    parameters = replace(BASE, **UNDER.get(base, {}), **({changed: OTHER[changed]} if changed else {}))
    near = WeightedFeature(FeatureRelEuclidProximity(1), 2.0, Itemset((Fact("(control red)"),)))
    winning, losing = [], []
    for moves in machine.moves:
        named = [WeightedFeature(FeatureAbsMove(move), 0.5 + number) for number, move in enumerate(moves)]
        winning.append((*named[::2], near))
        losing.append(tuple(named[1::2]))
    values = values_of(*random_values(machine, 5)) if base in VALUED else None
    knowledge = knowledge_of(machine, winning, losing, parameters, values=values)
    player = PlayerSpec(playouts=60).with_knowledge(knowledge, machine)
    return played(machine, player, 2, [3, 4]).visit_count.tobytes()


def test_every_parameter_is_tried() -> None:
    assert {each.name for each in fields(Parameters)} == set(OTHER) | set(WITHOUT_KNOWLEDGE) | LEARNED_BY
    assert {each.element for each in FEATURE_CLASSES} == set(even_class_weights())


@pytest.mark.parametrize("name", OTHER)
def test_another_value_changes_the_search(name: str) -> None:
    assert visits(name, name) != visits("", name)


@pytest.mark.parametrize("name", WITHOUT_KNOWLEDGE)
def test_an_option_changes_a_search_without_knowledge(name: str) -> None:
    players = [
        PlayerSpec(playouts=60, parameters=parameters)
        for parameters in (Parameters(), Parameters(**{name: WITHOUT_KNOWLEDGE[name]}))
    ]
    simultaneous = name in WHERE_SEVERAL_CHOOSE
    machine = load_machine(parse_sheet(PENNIES.rules, "pennies")) if simultaneous else machine_of("connectfour.ext")
    record = played(machine, players, [[0, 0]] * 8 + [[1, 1]] * 8, [*range(8), *range(8)])
    bare, changed = np.split(record.visit_count, [record.visit_start[record.start[8]]])
    made = np.split(record.moves, [record.start[8]])
    assert bare.tolist() != changed.tolist() or made[0].tolist() != made[1].tolist()
