"""The table of parameters: every number and switch of knowledge and searches, with its default.

The rows have the order of knowledge files and of the genes. The reader and the writer of knowledge files, the genome,
the options of commands and the table of docs/formats.md are derived from the rows; tests/knowledge/test_parameters.py
checks that knowledge.xsd and the native reader agree with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from gdl_miner.agent.features.feature_classes import FEATURE_CLASSES
from gdl_miner.agent.knowledge.parameter_row import MOST, GeneSpec, Option, ParameterRow, Range, parameter, rows_of

MOST_MIXED = 0.5  # largest share of the value of a new node in searches that do not trust values alone


def even_class_weights() -> dict[str, float]:
    """Return the weight 1 for every feature class of this package; a class of another one has it unless named."""
    return {each.element: 1.0 for each in FEATURE_CLASSES}


@dataclass(frozen=True)
class Parameters:
    """Parameters of the use of knowledge; each of them is a gene of the evolution (thesis 5.1.5).

    The effective weight of a feature is its weight × the weight of its class (the class's itemset weight if the feature
    carries an itemset) × winning_weight or losing_weight × impact.

    Raises:
        ValueError: a value is impossible.
    """

    max_features: int = parameter(
        500,
        "features that evolution keeps in each list",
        element="MaxFeatures",
        gene=GeneSpec(10, 500, 400),
        of="features",
    )
    class_weights: Mapping[str, float] = parameter(
        even_class_weights,
        "factor of the features of each class that carry no itemset",
        element="ClassWeights",
        gene=GeneSpec(0.0, 2.0),
        of="features",
    )
    itemset_class_weights: Mapping[str, float] = parameter(
        even_class_weights,
        "factor of the features of each class that carry an itemset",
        element="ClassWeights",
        gene=GeneSpec(0.0, 2.0),
        of="features",
    )
    learning_factor: float = parameter(
        1.0,
        "how much newly mined knowledge counts against old, in evolution",
        element="LearningFactor",
        gene=GeneSpec(0.0, 1.0, 0.7),
        of="features",
    )
    winning_weight: float = parameter(
        1.0,
        "factor of the weights of winning features",
        element="WinningWeight",
        gene=GeneSpec(0.0, 2.0),
        of="features",
    )
    losing_weight: float = parameter(
        1.0, "factor of the weights of losing features", element="LosingWeight", gene=GeneSpec(0.0, 2.0), of="features"
    )
    impact: float = parameter(
        1.0,
        "factor of all weights",
        element="Impact",
        gene=GeneSpec(0.05, 20.0, 2.5, with_values=1.0, logarithmic=True),
        of="features",
    )
    base_value: float = parameter(
        1.0,
        "score of a move without features, for additive scoring",
        element="BaseValue",
        gene=GeneSpec(0.01, 10.0, logarithmic=True),
        of="features",
    )
    uct_c: float = parameter(
        40.0,
        "exploration constant of UCB1, for goals from 0 to 100",
        element="UctConstant",
        gene=GeneSpec(5.0, 100.0, 28.0, with_values=15.0, logarithmic=True),
        native=True,
        option=Option("c"),
    )
    first_play_urgency: float = parameter(
        100.0,
        "without knowledge: how far the value of a move never visited is above the mean of its node, in goal units; "
        "100: all moves are visited once first",
        element="FirstPlayUrgency",
        gene=GeneSpec(-50.0, 100.0),
        allowed=Range(-100, 100),
        native=True,
        option=Option("fpu", bare=0.0),
    )
    expansions: float = parameter(
        1.0,
        "nodes added to the tree per playout",
        element="Expansions",
        gene=GeneSpec(0.5, 2.0),
        allowed=Range(0, MOST, above=True),
        native=True,
    )
    exploration: Literal["ucb", "puct"] = parameter(
        "ucb",
        "with knowledge in selection: `ucb`, UCB1 with progressive bias, or `puct`, which explores in proportion to "
        "the weights",
        element="Exploration",
        gene=GeneSpec(default="puct"),
        native=True,
        of="features",
    )
    puct_c: float = parameter(
        100.0,
        "exploration constant of PUCT, for goals from 0 to 100",
        element="PuctConstant",
        gene=GeneSpec(10.0, 1000.0, logarithmic=True),
        native=True,
        of="features",
    )
    bias: float = parameter(
        0.0,
        "with `ucb`: strength of progressive bias, in goal units; 0 turns it off",
        element="Bias",
        gene=GeneSpec(0.0, 200.0, 60.0),
        native=True,
        of="features",
    )
    fade: float = parameter(
        1.0,
        "with `ucb`: the bias is divided by (visits + 1) to this power",
        element="Fade",
        gene=GeneSpec(0.0, 2.0, 0.5),
        native=True,
        of="features",
    )
    solver: bool = parameter(
        False,
        "goals are proven in the tree (MCTS-Solver)",
        element="Solver",
        gene=GeneSpec(with_values=True),
        native=True,
        option=Option("solver", bare=True),
    )
    value_weight: float = parameter(
        1.0,
        "with values: share of the learned value of a new node in what a playout brings; 1: there is no playout",
        element="ValueWeight",
        gene=GeneSpec(0.0, 1.0),
        allowed=Range(0, 1, noun="a share"),
        native=True,
        option=Option("values"),
        of="values",
    )
    experience: int = parameter(
        1,
        "with values: visits that the learned value of a move counts as when its node opens; 0: moves are not valued",
        element="Experience",
        gene=GeneSpec(0, 10, with_values=2),
        allowed=Range(0, 1000),
        native=True,
        option=Option("experience"),
        of="values",
    )
    decisive_moves: Literal["off", "decisive", "antidecisive", "auto"] = parameter(
        "off",
        "moves that playouts prefer: `decisive`, those that win at once; `antidecisive`, these, else those that let no "
        "other role win at once; `auto`, `decisive` where that is cheap in the game",
        element="DecisiveMoves",
        native=True,
        option=Option("decisive", bare="auto"),
        optional=True,
    )
    uct_growth: Literal["log", "root", "deep"] = parameter(
        "log",
        "how the exploration of UCB1 grows with the visits n of a node: `log`, as √ln n, `root`, as the fourth root of "
        "n, or `deep`, as `log` up to 1000 visits, where both are equal, and as `root` beyond",
        element="UctGrowth",
        gene=GeneSpec(default="deep"),
        native=True,
        option=Option("growth", bare="root"),
        optional=True,
    )
    mixed_share: float = parameter(
        1.0,
        "where several roles choose at once, the move made is drawn in proportion to its visits, among moves with this "
        "share of the visits of the most visited one or more; 1: the most visited move is made",
        element="MixedShare",
        gene=GeneSpec(0, 1, 1.0),
        allowed=Range(0, 1, noun="a share"),
        native=True,
        option=Option("mixed", bare=0.1),
        optional=True,
    )
    opponent_knowledge: float = parameter(
        1.0,
        "share of the moves of other roles in playouts that features choose; the others are uniformly random",
        element="OpponentKnowledge",
        gene=GeneSpec(0.0, 1.0),
        allowed=Range(0, 1, noun="a share"),
        native=True,
        option=Option("opponent", bare=0.5),
        optional=True,
        of="features",
    )
    trusted_playouts: int = parameter(
        0,
        "with values: playouts of the longest search that trusts values alone; in longer ones the value of a new node "
        "has half of what a playout brings, or less, and moves are not valued; 0: searches of any length trust them",
        element="TrustedPlayouts",
        gene=GeneSpec(0, 100_000),
        native=True,
        option=Option("trust", bare=1000),
        optional=True,
        of="values",
    )
    valued_playouts: int = parameter(
        0,
        "with values: playouts of the longest search that uses values; longer ones search without them; 0: searches of "
        "any length use them",
        element="ValuedPlayouts",
        gene=GeneSpec(0, 100_000),
        native=True,
        option=Option("valued", bare=1000),
        optional=True,
        of="values",
    )
    scoring: Literal["additive", "exponential"] = parameter(
        "additive",
        "how matching features make a score",
        element="Scoring",
        gene=GeneSpec(default="exponential"),
        of="features",
    )
    widening: bool = parameter(
        False,
        "after some visits only the best moves by knowledge stay, and return one by one",
        element="ProgressiveWidening",
        native=True,
        of="features",
    )
    widening_visits: int = parameter(
        40,
        "visits of a node after which widening begins",
        element="WideningVisits",
        gene=GeneSpec(10, 400),
        allowed=Range(1),
        native=True,
        of="features",
    )
    widening_moves: int = parameter(
        5,
        "how many moves stay",
        element="WideningMoves",
        gene=GeneSpec(2, 20),
        allowed=Range(1),
        native=True,
        of="features",
    )
    widening_growth: float = parameter(
        2.0,
        "factor of visits for each move that returns",
        element="WideningGrowth",
        gene=GeneSpec(1.1, 4.0, logarithmic=True),
        allowed=Range(1, above=True),
        native=True,
        of="features",
    )
    scoring_visits: int = parameter(
        0,
        "visits of a node from which knowledge ranks its moves; before, it is searched without",
        element="ScoringVisits",
        gene=GeneSpec(0, 20),
        native=True,
        of="features",
    )
    playout_moves: int = parameter(
        1000,
        "joint moves at the start of a playout that features choose; the others are uniformly random",
        element="PlayoutMoves",
        gene=GeneSpec(1, 100, 4),
        native=True,
        option=Option("moves", bare=4),
        of="features",
    )
    first_feature: bool = parameter(
        False,
        "the first matching feature alone counts, by effective weight without its sign",
        element="FirstFeatureScoring",
        of="features",
    )
    features_in_playouts: bool = parameter(
        True, "knowledge acts in playouts", element="FeaturesInPlayouts", gene=GeneSpec(default=False), of="features"
    )
    features_in_selection: bool = parameter(
        True, "knowledge acts in selection", element="FeaturesInSelection", of="features"
    )

    def __post_init__(self) -> None:
        for row in PARAMETERS:
            row.check(getattr(self, row.name))
        for row in PARAMETERS:
            if not row.allows(getattr(self, row.name)):
                raise ValueError(self._out_of_range(row))

    def acting(self, *, features: bool, values: bool) -> Parameters:
        """Return these parameters, with defaults in place of those that have no effect.

        `features` and `values` say what the knowledge holds.
        """
        held = {"": True, "features": features, "values": values}
        return Parameters(**{row.name: getattr(self, row.name) for row in PARAMETERS if held[row.of]})

    def mixed(self) -> Parameters:
        """Return the parameters of searches that are too long to trust values alone."""
        return replace(
            self, value_weight=min(self.value_weight, MOST_MIXED), experience=0, trusted_playouts=0, valued_playouts=0
        )

    def without_values(self) -> Parameters:
        """Return the parameters of searches that are too long to use values at all."""
        return replace(self, value_weight=0.0, experience=0, trusted_playouts=0, valued_playouts=0)

    def _out_of_range(self, row: ParameterRow) -> str:
        """Return the message about a number that is not allowed; the parameters that shape the tree share one."""
        if row.name not in _SHAPE_OF_THE_TREE:
            return f"{row.name} is {getattr(self, row.name)}; give {row.allowed.noun}, {row.allowed}"
        allowed = {each.name: each.allowed for each in PARAMETERS}
        return (
            f"expansions must be {allowed['expansions']}, widening_moves and widening_visits "
            f"{allowed['widening_moves']} and widening_growth {allowed['widening_growth']}; got {self.expansions}, "
            f"{self.widening_moves}, {self.widening_visits}, {self.widening_growth}"
        )


PARAMETERS = rows_of(Parameters)

_SHAPE_OF_THE_TREE = ("expansions", "widening_moves", "widening_visits", "widening_growth")

# The order in which commands list the options of a search.
_WORDS = (
    "solver",
    "fpu",
    "moves",
    "opponent",
    "values",
    "experience",
    "trust",
    "valued",
    "decisive",
    "c",
    "growth",
    "mixed",
)

OPTIONS: tuple[tuple[ParameterRow, Option], ...] = tuple(
    sorted(
        ((row, row.option) for row in PARAMETERS if row.option is not None),
        key=lambda each: _WORDS.index(each[1].word),
    )
)
