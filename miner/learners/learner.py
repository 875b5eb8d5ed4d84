"""The protocol between a learner and the run that serves it (ask/tell).

A learner only decides: it never plays, mines, reads a clock or a file. `Learner.ask` names the work that comes next and
`Learner.tell` takes its result. The run does the work on any number of workers, keeps the results, writes tables and
knowledge files, takes checkpoints, and goes on after an interruption as if there had been none.

A run goes through steps (generations, rounds of training), numbered from 0. A learner's decisions follow from its
settings and from the results it is told; every random draw derives from the seed of the settings and from names that
say what the draw is for. The same settings therefore give the same bytes, whatever the number of workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from gdl_miner.agent.features import WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, Parameters, Provenance
from gdl_miner.agent.values import Values
from gdl_miner.miner.learners.requests import Entrant, Request, Result

__all__ = ["KnowledgeMaker", "Learner", "LearnerState", "OtherVersionError"]


class OtherVersionError(ValueError):
    """A learner's state was packed by another version; the message says how it differs."""


class LearnerState(Protocol):
    """The state of a learner between two steps."""

    @property
    def step(self) -> int:
        """The step that comes next."""

    def pack(self) -> dict[str, Any]:
        """Return the state as a JSON object, without the knowledge of `Learner.members`."""


class Learner(Protocol):
    """The learner of a run. Use: `while (request := learner.ask()) is not None: learner.tell(its result)`."""

    @property
    def state(self) -> LearnerState:
        """The state that is needed to go on as if never interrupted; a new value after every step."""

    @property
    def members(self) -> Sequence[Entrant]:
        """The entrants whose knowledge belongs to the state; the run keeps a file for each."""

    def knowledge(self) -> Entrant | None:
        """Return the best entrant so far; None before there is one."""

    def ask(self) -> Request | None:
        """Return the work that comes next; None when all work is done.

        The answer stays the same until its result is told.
        """

    def tell(self, result: Result) -> None:
        """Take the result of the request. Raises ValueError where the request asked for something else."""


@dataclass(frozen=True)
class KnowledgeMaker:
    """A maker of knowledge that holds the values that all knowledge files of a run have in common."""

    game: str
    digest: str  # digest of the rules
    roles: tuple[str, ...]
    made: Provenance  # provenance at step 0
    start: Knowledge | None = None  # knowledge that the run starts from
    symmetries: tuple[str, ...] = ()  # names of those under which features stand for their images, too

    @property
    def valued_start(self) -> Knowledge | None:
        """The knowledge that the run starts from, if it has values of states."""
        return None if self.start is None or self.start.values is None else self.start

    def knowledge(
        self,
        winning: tuple[tuple[WeightedFeature, ...], ...],
        losing: tuple[tuple[WeightedFeature, ...], ...],
        parameters: Parameters,
        step: int,
        values: Values | None = None,
    ) -> Knowledge:
        """Return the knowledge of a step; `winning` and `losing` are features by role."""
        return Knowledge(
            game=self.game,
            digest=self.digest,
            roles=self.roles,
            winning=winning,
            losing=losing,
            parameters=parameters,
            made=replace(self.made, generation=step),
            values=values,
            symmetries=self.symmetries if any(winning) or any(losing) else (),
        )
