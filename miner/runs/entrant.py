"""Players of a run, and the knowledge that they are made with."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gdl_miner.agent.features import WeightedFeature
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.knowledge import Knowledge, Parameters, Provenance
from gdl_miner.agent.values import Values
from gdl_miner.miner.play.rating import Rating, Score

START = "start"  # name of the entrant that a run starts from


@dataclass(frozen=True)
class Entrant:
    """A player with knowledge. Within a run a name always stands for the same knowledge."""

    name: str
    knowledge: Knowledge


@dataclass(frozen=True)
class Validation:
    """The result of an entrant in fresh matches, on which no decision of the run depends."""

    name: str
    score: Score
    rating: Rating

    @property
    def helps(self) -> bool:
        """Whether the entrant won more than half of the points: its knowledge is better than none."""
        return self.score.win_percent > 50


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
    def n_players(self) -> int:
        """The number of roles that have players: all but the one that moves by chance."""
        return sum(role != CHANCE_ROLE for role in self.roles)

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

    def valued(self, parameters: Parameters, step: int, values: Values | None) -> Knowledge:
        """Return the knowledge of a step that has values of states and no features."""
        nothing = ((),) * len(self.roles)
        return self.knowledge(nothing, nothing, parameters, step, values)
