"""The requests of a learner to the run that serves it, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.values import (
    LearnedWeights,
    LearningRates,
    PlayedGames,
    RoundSettings,
    RoundTotals,
    Values,
    ValueShape,
)
from gdl_miner.miner.apprentice import Experience, PolicyTraining, SoftmaxPolicy, TrainedPolicy
from gdl_miner.miner.gifl import GiflFeatures, GiflSettings
from gdl_miner.miner.learners.settings import PruningSettings
from gdl_miner.miner.mining.candidates import Candidate
from gdl_miner.miner.mining.gifl_scores import GainSettings, ScoredFeature
from gdl_miner.miner.mining.mined import MinedKnowledge
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.rating import Rating, Score
from gdl_miner.miner.results.tables import TableRow
from gdl_miner.miner.training.forages import Ants, Colony, FeatureMap, Foraged

__all__ = [
    "START",
    "DiscountsTried",
    "EndStep",
    "Entrant",
    "ExpertGames",
    "FeaturesLearned",
    "FeaturesScored",
    "FindAtoms",
    "ForageResult",
    "FoundAtoms",
    "LearnFeatures",
    "LearnFromGames",
    "LongSearchesTried",
    "MatchResults",
    "MineRecords",
    "NameValues",
    "NamedValues",
    "PlayExpert",
    "PlayForage",
    "PlayMatches",
    "Prune",
    "Pruned",
    "Request",
    "Result",
    "ScoreFeatures",
    "SearchPositions",
    "TrainPolicy",
    "TrainValues",
    "TrainedValues",
    "TrialVerdict",
    "TryDiscounts",
    "TryLongSearches",
    "TryValues",
    "Validate",
    "Validation",
    "ValuesTried",
]

START = "start"  # name of the entrant that a run starts from


@dataclass(frozen=True)
class Entrant:
    """A player with knowledge. Within a run a name always stands for the same knowledge."""

    name: str
    knowledge: Knowledge


@dataclass(frozen=True)
class PlayMatches:
    """Matches to play. Player 0 is the baseline, bare UCT; player i is entrant i - 1.

    Without entrants nobody has knowledge, and the baseline plays against itself.
    """

    step: int
    phase: str  # name of the phase in matches.csv
    round: int  # within the step, from 0
    title: str  # shown to people while the matches are played
    entrants: tuple[Entrant, ...]
    matches: tuple[MatchRequest, ...]
    with_random: bool = False  # whether there is one more player, the last, whose moves are drawn at random


@dataclass(frozen=True)
class MatchResults:
    """The results of matches."""

    goals: Mapping[str, Sequence[int]]  # by match id: [role] 0..100, -1 where the rules give none
    work_ratio: Mapping[str, float]  # by entrant: cost of its playout divided by that of the baseline's playout


@dataclass(frozen=True)
class EndStep:
    """The end of a step, after its matches: the run keeps its records and writes rows to the learner's tables."""

    step: int
    rows: Mapping[str, Sequence[TableRow]]  # by table, in the order in which they are to be written
    best: str | None  # the entrant whose knowledge becomes best.xml
    summary: str = ""  # a line that is shown to people
    standing: str = ""  # a few words that stay on the display
    last: str | None = None  # the entrant whose knowledge becomes last.xml; None: there is no such file


@dataclass(frozen=True)
class SearchPositions:
    """A search for training positions: some of the step's positions are searched deeper, to fit weights to them."""

    step: int
    seed: int
    positions: int
    playouts: int  # per search
    searcher: Entrant | None  # None: the baseline


@dataclass(frozen=True)
class MineRecords:
    """Mining of the records of the latest steps up to this one."""

    step: int
    seed: int
    on_positions: bool  # whether weights are fitted to the training positions of these steps, not to their matches
    candidates: tuple[tuple[Candidate, ...], ...] = ()  # [role] of the fit beside the features of the records; or none


@dataclass(frozen=True)
class TrainValues:
    """Rounds of self-play, side by side, from the same weights; their mean is the result."""

    step: int
    title: str  # shown to people while the games are played
    shape: ValueShape
    start: LearnedWeights | Values | None  # Values: weights by name, learned elsewhere; None: all weights are 0
    shards: tuple[RoundSettings, ...]


@dataclass(frozen=True, eq=False)
class LearnFromGames:
    """Learning of values from games that were played for another purpose, with one shard in the result."""

    step: int
    number: int  # within the step, from 0
    shape: ValueShape
    start: LearnedWeights | Values  # Values: weights by name, learned elsewhere
    games: PlayedGames
    rates: LearningRates


@dataclass(frozen=True)
class TrainedValues:
    """The result of learning values from games."""

    learned: LearnedWeights
    totals: tuple[RoundTotals, ...]  # [shard]
    values: Values | None = None  # the weights by name, rounded as in knowledge files; None where a file has them


TrialVerdict: TypeAlias = Literal["ahead", "even", "behind"]  # of a player with values, compared with the baseline


@dataclass(frozen=True)
class TryValues:
    """A trial of learned values in deeper searches: matches of a player that has nothing else against the baseline."""

    step: int
    seed: int
    entrant: Entrant
    depth: float  # how many times the playouts of the run both have
    matches: int  # most matches; a sequential test may end them earlier


@dataclass(frozen=True)
class ValuesTried:
    """The result of a trial of values."""

    verdict: TrialVerdict
    points: float  # mean points of a match, from 0 to 1

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown verdict."""
        if self.verdict not in get_args(TrialVerdict):
            raise ValueError(f"a verdict is {', '.join(get_args(TrialVerdict))}, not {self.verdict!r}")


@dataclass(frozen=True)
class TryLongSearches:
    """A trial of learned values in long searches: matches of values mixed with playouts against values alone."""

    step: int
    seed: int
    mixed: Entrant
    alone: Entrant
    depth: float  # how many times the playouts of the run both have
    matches: int  # most matches; a sequential test may end them earlier
    trusted_playouts: int  # of the longest search that trusts values alone if mixed ones are stronger


@dataclass(frozen=True)
class LongSearchesTried:
    """The result of a trial of values in long searches."""

    mixed_is_stronger: bool


@dataclass(frozen=True)
class TryDiscounts:
    """A trial of discounts: players with the values of each meet in searches of more playouts than the run's."""

    step: int
    seed: int
    entrants: tuple[Entrant, ...]
    depth: float  # how many times the playouts of the run they have
    matches: int  # least number of matches of each two of them; whole pairs are played


@dataclass(frozen=True)
class DiscountsTried:
    """The result of a trial of discounts."""

    points: tuple[float, ...]  # [entrant] mean points of a match against the others, from 0 to 1


@dataclass(frozen=True, eq=False)
class PlayForage:
    """A forage of a population, in parts that are played side by side."""

    step: int
    number: int  # within the step, from 0
    forages: int  # of the step
    shape: ValueShape
    colony: Colony
    shards: tuple[Ants, ...]


@dataclass(frozen=True, eq=False)
class ForageResult:
    """The result of a forage, with the features that weights stand for."""

    foraged: Foraged
    features: FeatureMap


@dataclass(frozen=True, eq=False)
class NameValues:
    """Weights of a value network that are to become knowledge."""

    step: int
    shape: ValueShape
    weights: NDArray[np.float32]


@dataclass(frozen=True)
class NamedValues:
    """Weights by name, rounded as in knowledge files."""

    values: Values


@dataclass(frozen=True)
class Prune:
    """A search for the smallest part of an entrant's features that is not weaker than all of them.

    The run keeps the entrant as whole.xml, and the result becomes best.xml.
    """

    step: int
    seed: int
    whole: Entrant
    settings: PruningSettings


@dataclass(frozen=True)
class Pruned:
    """The result of a pruning: the smaller entrant, or the whole where no smaller one is as strong."""

    entrant: Entrant


@dataclass(frozen=True)
class FindAtoms:
    """The search for the features that an apprentice begins with; see `gdl_miner.miner.apprentice.find_atoms`."""

    step: int
    reach: int
    seed: int


@dataclass(frozen=True)
class FoundAtoms:
    """The features that an apprentice begins with."""

    features: tuple[tuple[Feature, ...], ...]  # [role]


@dataclass(frozen=True)
class PlayExpert:
    """Matches of a player against itself, whose moves are drawn by the visits of its searches."""

    step: int
    number: int  # within the step, from 0
    title: str  # shown to people while the matches are played
    knowledge: Knowledge
    playouts: int  # per move
    move_limit: int  # joint moves after which a match is broken off; 0: no limit
    matches: tuple[MatchRequest, ...]


@dataclass(frozen=True, eq=False)
class ExpertGames:
    """The result of matches of a player against itself."""

    experience: Experience
    games: PlayedGames


@dataclass(frozen=True, eq=False)
class TrainPolicy:
    """Learning of an apprentice from experience; see `apprentice.train_policy`. The result is TrainedPolicy."""

    step: int
    number: int  # within the step, from 0
    policy: SoftmaxPolicy
    experience: Experience
    new: int  # examples, the latest of the experience, from which it has not learned yet
    training: PolicyTraining


@dataclass(frozen=True)
class LearnFeatures:
    """Random games, from whose ends features are learned."""

    step: int
    title: str  # shown to people while the games are played
    settings: GiflSettings
    first: int  # number of the first game in the run
    games: int
    shards: int  # parts of the games that are played side by side


@dataclass(frozen=True)
class FeaturesLearned:
    """The features of games, of those that are images of each other one."""

    learned: GiflFeatures


@dataclass(frozen=True)
class ScoreFeatures:
    """Matches in which features act, and which show those that are clearly poor."""

    step: int
    title: str  # shown to people while the matches are played
    knowledge: Knowledge  # of the player that plays both roles
    features: tuple[ScoredFeature, ...]  # of this knowledge, without their images under symmetries
    settings: GainSettings
    playouts: int  # per move
    first: int  # number of the first match in the run
    matches: int
    shards: int  # parts of the matches that are played side by side
    false_drops: float  # expected share of the features said to be poor that may not be so


@dataclass(frozen=True)
class FeaturesScored:
    """Whether each feature is clearly poor."""

    poor: tuple[bool, ...]


@dataclass(frozen=True)
class Validate:
    """A measurement of an entrant against the baseline, in fresh matches that no decision depends on."""

    step: int
    entrant: Entrant
    matches: int  # least number of matches; whole pairs are played


@dataclass(frozen=True)
class Validation:
    """The result of an entrant in fresh matches."""

    name: str
    score: Score
    rating: Rating

    @property
    def helps(self) -> bool:
        """Whether the entrant won more than half of the points: its knowledge is better than none."""
        return self.score.win_percent > 50


Request: TypeAlias = (
    PlayMatches
    | EndStep
    | SearchPositions
    | MineRecords
    | TrainValues
    | TryValues
    | TryLongSearches
    | TryDiscounts
    | LearnFromGames
    | PlayForage
    | NameValues
    | FindAtoms
    | PlayExpert
    | TrainPolicy
    | LearnFeatures
    | ScoreFeatures
    | Prune
    | Validate
)
# The result of PlayMatches is MatchResults, of MineRecords MinedKnowledge, of TrainValues and LearnFromGames
# TrainedValues, of TryValues ValuesTried, of TryLongSearches LongSearchesTried, of TryDiscounts DiscountsTried, of
# PlayForage ForageResult, of NameValues NamedValues, of FindAtoms FoundAtoms, of PlayExpert ExpertGames, of TrainPolicy
# TrainedPolicy, of LearnFeatures FeaturesLearned, of ScoreFeatures FeaturesScored, of Prune Pruned, of Validate
# Validation, of the others None.
Result: TypeAlias = (
    MatchResults
    | MinedKnowledge
    | TrainedValues
    | ValuesTried
    | LongSearchesTried
    | DiscountsTried
    | ForageResult
    | NamedValues
    | FoundAtoms
    | ExpertGames
    | TrainedPolicy
    | FeaturesLearned
    | FeaturesScored
    | Pruned
    | Validation
    | None
)
