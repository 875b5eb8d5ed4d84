"""The configuration of expert iteration."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from pydantic import Field, model_validator

from gdl_miner.agent.features.pattern import MAX_RADIUS
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR, MAX_PLAYOUTS, MAX_PLIES, MAX_SEED
from gdl_miner.miner.learners.expert_iteration.descent import DescentSettings
from gdl_miner.miner.learners.expert_iteration.growth import GrowthKind
from gdl_miner.miner.learners.expert_iteration.training import PolicyTraining
from gdl_miner.miner.learners.values.settings import ValuesSettings
from gdl_miner.miner.runs.settings import (
    ExecutionSettings,
    LongSearchSettings,
    MiningTable,
    RecordSettings,
    SearchSettings,
    Settings,
)


class ExpertSettings(Settings):
    """The self-play of the expert, the learning and growth of the apprentice, and the matches that measure it."""

    measured_after: list[int] = Field(min_length=1, max_length=999)
    games_at_once: int = Field(ge=1, le=MAX_COUNT)
    playouts: int = Field(ge=1, le=MAX_PLAYOUTS)
    move_limit: int = Field(ge=0, le=MAX_COUNT)
    buffer: int = Field(ge=1, le=10_000_000)
    updates_per_move: float = Field(ge=0, le=MAX_FACTOR)
    batch: int = Field(ge=1, le=MAX_COUNT)
    step_size: float = Field(gt=0, le=MAX_FACTOR)
    penalty: float = Field(ge=0, le=1)
    momentum: float = Field(ge=0, lt=1)
    reach: int = Field(ge=1, le=MAX_RADIUS)
    growth: GrowthKind
    games_per_feature: int = Field(ge=1, le=MAX_COUNT)
    growth_batch: int = Field(ge=1, le=MAX_COUNT)
    pruned_after: int = Field(ge=0, le=MAX_COUNT)
    kept_features: int = Field(ge=1, le=MAX_COUNT)
    matches: int = Field(ge=2, le=MAX_COUNT)
    opening_plies: int = Field(ge=0, le=MAX_PLIES)
    random_matches: int = Field(ge=0, le=MAX_COUNT)
    validation_matches: int = Field(ge=0, le=MAX_COUNT)
    uct_c: float = Field(ge=0, le=MAX_FACTOR)
    puct_c: float = Field(ge=0, le=MAX_FACTOR)
    value_steps: int = Field(ge=0, le=999)
    playout_moves: int = Field(ge=0, le=MAX_COUNT)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.measured_after[0] < 1 or self.measured_after != sorted(set(self.measured_after)):
            raise ValueError(
                f"measured_after is {self.measured_after}; give numbers of games from 1, in ascending order"
            )
        return self

    @property
    def steps(self) -> int:
        """The number of steps; each ends when the apprentice is measured."""
        return len(self.measured_after)

    def parameters(self) -> Parameters:
        """Return the parameters of the player that the apprentice guides, without values of states."""
        return Parameters(
            uct_c=self.uct_c,
            exploration="puct",
            puct_c=self.puct_c,
            scoring="exponential",
            playout_moves=self.playout_moves,
            features_in_playouts=self.playout_moves > 0,
        )

    def games_from(self, games: int, step: int) -> int:
        """Return how many games are played together after `games` games, in a step from 0."""
        left = self.measured_after[step] - games
        until_pruned = self.pruned_after - games
        return min(self.games_at_once, left, until_pruned if until_pruned > 0 else left)

    def training(self, seed: int, examples: int, games_before: int, games: int) -> PolicyTraining:
        """Return how the apprentice learns and grows when `games` games have brought so many examples."""
        ended = 0 < self.pruned_after <= games_before
        new = (games_before + games) // self.games_per_feature - games_before // self.games_per_feature
        return PolicyTraining(
            seed=seed,
            descent=DescentSettings(
                updates=round(self.updates_per_move * examples),
                batch=self.batch,
                step_size=self.step_size,
                penalty=self.penalty,
                momentum=self.momentum,
            ),
            growth="none" if ended else self.growth,
            new_features=new,
            growth_batch=self.growth_batch,
        )


class ExpertConfig(Settings):
    """Everything that decides a run besides the game: the same configuration and game give the same bytes."""

    defaults = ("default", "expert-iteration")
    seed: int = Field(ge=0, le=MAX_SEED)
    expert: ExpertSettings
    values: ValuesSettings
    search: SearchSettings
    long_searches: LongSearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings

    @property
    def planned_steps(self) -> int:
        """The largest number of steps."""
        return self.expert.steps

    @property
    def validates(self) -> bool:
        """Whether the best player is measured in fresh matches in the end."""
        return self.expert.validation_matches > 0

    def parameters(self, *, with_values: bool) -> Parameters:
        """Return the parameters of the player that the apprentice guides."""
        guided = self.expert.parameters()
        if not with_values:
            return guided
        valued = self.values.parameters()
        return replace(
            guided,
            uct_c=valued.uct_c,
            uct_growth=valued.uct_growth,
            value_weight=valued.value_weight,
            experience=valued.experience,
            solver=valued.solver,
        )
