"""A knowledge file as a value: parameters, and weighted features for winning and losing, per role (thesis 5.1.5)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gdl_miner.agent.features import FeatureItemsetOnly, WeightedFeature
from gdl_miner.agent.knowledge.parameters import Parameters
from gdl_miner.agent.values.named_values import Values


@dataclass(frozen=True)
class Provenance:
    """The origin of a knowledge file: the run, generation, seed and program version that made it."""

    run: str
    generation: int
    seed: int
    version: str  # version of this program


@dataclass(frozen=True)
class Knowledge:
    """The knowledge of one individual about one game."""

    game: str  # name of the rule sheet, empty if the file does not say
    digest: str  # digest of the normalised rules, empty if the file does not say
    roles: tuple[str, ...]
    winning: tuple[tuple[WeightedFeature, ...], ...]  # [role]
    losing: tuple[tuple[WeightedFeature, ...], ...]  # [role]
    parameters: Parameters = field(default_factory=Parameters)
    made: Provenance | None = None
    values: Values | None = None  # what states are worth
    symmetries: tuple[str, ...] = ()  # names of those under which a feature stands for its images, too
    symmetries_place: str = field(default="", compare=False)  # file:line from which the first was read

    def __repr__(self) -> str:
        parts = () if self.values is None else self.values.parts
        weights = sum(len(part.facts) + sum(map(len, (each.weights for each in part.tuples))) for part in parts)
        known = [f"{self.n_features} features", "no values" if not parts else f"values of {weights} weights"]
        return f"<Knowledge of {self.game or 'a game without a name'}: {', '.join(known)}>"

    @property
    def n_features(self) -> int:
        """Number of features in all lists."""
        return sum(map(len, (*self.winning, *self.losing)))

    @property
    def empty(self) -> bool:
        """Whether nothing is known: no features, no values, and no parameter but the defaults.

        A learner writes such a file when nothing that it learned helps. A player plays with it as without a file.
        """
        return not self.n_features and self.values is None and self.parameters == Parameters()

    def emptied(self) -> Knowledge:
        """Return an empty file of the same game and origin."""
        nothing = ((),) * len(self.roles)
        return replace(self, winning=nothing, losing=nothing, parameters=Parameters(), values=None, symmetries=())

    def twin(self) -> Knowledge:
        """Return knowledge with the same parameters of the search that tells no moves and no states apart.

        Where features guide the selection of a role, one feature takes their place that all moves have. The search then
        chooses by the same rule, as PUCT with even shares, and does not fall back to UCB1. Symmetries stay, because by
        them the features of one role may be those of another one, too.
        """
        nothing = ((),) * len(self.roles)
        alike = (WeightedFeature(FeatureItemsetOnly(), 1.0),) if self.parameters.features_in_selection else ()
        every = tuple(alike if own or others else () for own, others in zip(self.winning, self.losing, strict=True))
        parameters = replace(self.parameters, features_in_playouts=False, widening=False)
        symmetries = self.symmetries if any(every) else ()
        return replace(
            self, winning=every, losing=nothing, parameters=parameters, made=None, values=None, symmetries=symmetries
        )

    def __post_init__(self) -> None:
        if not len(self.roles) == len(self.winning) == len(self.losing):
            raise ValueError(
                f"{len(self.roles)} roles with {len(self.winning)} winning and {len(self.losing)} losing lists; "
                "give one of each per role"
            )
