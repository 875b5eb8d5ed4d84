"""Values of states: the symmetries of a game, value networks, and the named weights of knowledge files."""

from gdl_miner.agent.values.conversion import compile_values, layout_of, value_function, values_of, weights_of
from gdl_miner.agent.values.description import (
    DescribedFact,
    DescribedPart,
    DescribedTuple,
    DescribedValues,
    describe_values,
)
from gdl_miner.agent.values.fact_groups import FactGroups, exclusive_groups, tuples_of_facts
from gdl_miner.agent.values.goal_tuples import goal_tuples
from gdl_miner.agent.values.layout import ValueLayout
from gdl_miner.agent.values.network import ValueNetwork, ValueView, plain_value
from gdl_miner.agent.values.rule_tuples import rule_tuples
from gdl_miner.agent.values.shapes import Points, TupleShape, read_shape, tuples_of_shape
from gdl_miner.agent.values.symmetry import find_symmetries, find_symmetries_of_moves

__all__ = [
    "DescribedFact",
    "DescribedPart",
    "DescribedTuple",
    "DescribedValues",
    "FactGroups",
    "Points",
    "TupleShape",
    "ValueLayout",
    "ValueNetwork",
    "ValueView",
    "compile_values",
    "describe_values",
    "exclusive_groups",
    "find_symmetries",
    "find_symmetries_of_moves",
    "goal_tuples",
    "layout_of",
    "plain_value",
    "read_shape",
    "rule_tuples",
    "tuples_of_facts",
    "tuples_of_shape",
    "value_function",
    "values_of",
    "weights_of",
]
