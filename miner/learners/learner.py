"""What a way to learn and the run that serves it say to each other (ask/tell).

A learner decides, and does nothing else: it never plays, mines, reads a clock or a file. `Learner.ask` names the work
that comes next and `Learner.tell` takes what came of it. The run does the work on any number of workers, keeps it,
writes tables and knowledge files, takes checkpoints, and goes on after an interruption as if there had been none.

A run goes through steps (generations, rounds of training), numbered from 0. What a learner decides follows from its
settings and from what it is told; every random draw derives from the seed of the settings and the names of what it is
for. Then the same settings give the same bytes, whatever the number of workers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

from agent.knowledge import Knowledge, Parameters, Provenance, WeightedFeature
from miner.mining.mined import MinedKnowledge
from miner.play.pairing import MatchRequest
from miner.play.rating import Rating, Score
from miner.results.tables import Row

__all__ = [
    "EndStep",
    "Entrant",
    "KnowledgeMaker",
    "Learner",
    "LearnerState",
    "MatchResults",
    "MineRecords",
    "OtherVersionError",
    "PlayMatches",
    "Request",
    "Result",
    "SearchPositions",
    "Validate",
    "Validation",
]


@dataclass(frozen=True)
class Entrant:
    """A player with knowledge. Within a run a name always means the same knowledge."""

    name: str
    knowledge: Knowledge


@dataclass(frozen=True)
class PlayMatches:
    """Matches to play. Player 0 is the baseline, bare UCT; player i is entrant i - 1. Without entrants nobody knows."""

    step: int
    phase: str  # as matches.csv names it
    round: int  # within the step, from 0
    title: str  # for whoever watches
    entrants: tuple[Entrant, ...]
    matches: tuple[MatchRequest, ...]


@dataclass(frozen=True)
class MatchResults:
    """What came of matches."""

    goals: Mapping[str, Sequence[int]]  # by match id: [role] 0..100, -1 where the rules give none
    work_ratio: Mapping[str, float]  # by entrant: what one of its playouts costs, one of the baseline being 1


@dataclass(frozen=True)
class EndStep:
    """The matches of a step are played: its records are kept, the rows go to the learner's tables."""

    step: int
    rows: Mapping[str, Sequence[Row]]  # by table, in the order in which they are to be written
    best: str | None  # the entrant whose knowledge becomes best.xml
    summary: str = ""  # a line for whoever watches
    standing: str = ""  # a few words that stay in sight


@dataclass(frozen=True)
class SearchPositions:
    """Training positions: some of the step's positions are searched deeper, for weights to be fitted to."""

    step: int
    seed: int
    positions: int
    playouts: int  # of each search
    searcher: Entrant | None  # None: the baseline


@dataclass(frozen=True)
class MineRecords:
    """The records of the latest steps up to this one are mined."""

    step: int
    seed: int
    on_positions: bool  # weights are fitted to the training positions of these steps, not to their matches


@dataclass(frozen=True)
class Validate:
    """An entrant is measured against the baseline on matches that decide nothing."""

    step: int
    entrant: Entrant
    matches: int  # at least so many, in whole pairs


@dataclass(frozen=True)
class Validation:
    """How an entrant did on fresh matches."""

    name: str
    score: Score
    rating: Rating


class OtherVersionError(ValueError):
    """A learner's state was packed by another version; the message says in what it differs."""


Request: TypeAlias = PlayMatches | EndStep | SearchPositions | MineRecords | Validate
# What is told of each request: PlayMatches MatchResults, MineRecords MinedKnowledge, Validate Validation, others None.
Result: TypeAlias = MatchResults | MinedKnowledge | Validation | None


class LearnerState(Protocol):
    """Where a learner stands between two steps."""

    @property
    def step(self) -> int:
        """The step that comes next."""

    def pack(self) -> dict[str, Any]:
        """The state as a JSON object, but for the knowledge of `Learner.members`."""


class Learner(Protocol):
    """Use: `while (request := learner.ask()) is not None: learner.tell(what came of it)`."""

    @property
    def state(self) -> LearnerState:
        """All that it takes to go on as if never interrupted; a new value after every step."""

    @property
    def members(self) -> Sequence[Entrant]:
        """Entrants whose knowledge belongs to the state; the run keeps a file for each."""

    def knowledge(self) -> Entrant | None:
        """The best so far; None before there is any."""

    def ask(self) -> Request | None:
        """The work that comes next; the same until its result is told; None when all is done."""

    def tell(self, result: Result) -> None:
        """Takes what came of the request. Raises ValueError where the request asked for something else."""


@dataclass(frozen=True)
class KnowledgeMaker:
    """Makes the knowledge of one game in one run: all that is the same in every file of the run."""

    game: str
    digest: str  # of the rules
    roles: tuple[str, ...]
    made: Provenance  # of step 0

    def knowledge(
        self,
        winning: tuple[tuple[WeightedFeature, ...], ...],
        losing: tuple[tuple[WeightedFeature, ...], ...],
        parameters: Parameters,
        step: int,
    ) -> Knowledge:
        """Knowledge of a step; `winning` and `losing` are features by role."""
        return Knowledge(
            game=self.game,
            digest=self.digest,
            roles=self.roles,
            winning=winning,
            losing=losing,
            parameters=parameters,
            made=replace(self.made, generation=step),
        )
