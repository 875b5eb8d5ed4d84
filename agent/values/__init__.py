"""Values of states: value networks, how they learn from self-play, and the named weights of knowledge files."""

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
from gdl_miner.agent.values.named_values import NOTHING, TuplePattern, ValuePart, Values
from gdl_miner.agent.values.network import ValueNetwork, ValueView, plain_value
from gdl_miner.agent.values.network_shape import ShapeChoice, ValueShape, layout_for, movers_before
from gdl_miner.agent.values.played_games import PlayedGames
from gdl_miner.agent.values.rounds import (
    LearnedWeights,
    LearningRates,
    RoundSettings,
    RoundTotals,
    average,
    learn_from_games,
    train_round,
)
from gdl_miner.agent.values.rule_tuples import rule_tuples
from gdl_miner.agent.values.shapes import Points, TupleShape, read_shape, tuples_of_shape
from gdl_miner.agent.values.value_picture import (
    decimals_for,
    draw_single_piece,
    draw_tuple,
    draw_weight_scale,
    draw_weights,
)

__all__ = [
    "NOTHING",
    "DescribedFact",
    "DescribedPart",
    "DescribedTuple",
    "DescribedValues",
    "FactGroups",
    "LearnedWeights",
    "LearningRates",
    "PlayedGames",
    "Points",
    "RoundSettings",
    "RoundTotals",
    "ShapeChoice",
    "TuplePattern",
    "TupleShape",
    "ValueLayout",
    "ValueNetwork",
    "ValuePart",
    "ValueShape",
    "ValueView",
    "Values",
    "average",
    "compile_values",
    "decimals_for",
    "describe_values",
    "draw_single_piece",
    "draw_tuple",
    "draw_weight_scale",
    "draw_weights",
    "exclusive_groups",
    "goal_tuples",
    "layout_for",
    "layout_of",
    "learn_from_games",
    "movers_before",
    "plain_value",
    "read_shape",
    "rule_tuples",
    "train_round",
    "tuples_of_facts",
    "tuples_of_shape",
    "value_function",
    "values_of",
    "weights_of",
]
