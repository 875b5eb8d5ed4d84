"""The configuration of learning values."""

from __future__ import annotations

from pydantic import Field

from agent.limits import MAX_COUNT, MAX_FACTOR
from miner.learners.settings import ExecutionSettings, MiningTable, RecordSettings, SearchSettings, Settings
from miner.training import RoundSettings, ValueShape

__all__ = ["ValuesConfig", "ValuesSettings"]


class ValuesSettings(Settings):
    """The training games, the network and the matches that measure it."""

    steps: int = Field(ge=1, le=999)
    games: int = Field(ge=1, le=MAX_COUNT)
    shards: int = Field(ge=1, le=64)
    shapes: list[str]
    stages: list[int]
    symmetries: bool
    exploration: float = Field(ge=0, le=1)
    opening: int = Field(ge=0, le=999)
    move_limit: int = Field(ge=1, le=MAX_COUNT)
    step_size: float = Field(gt=0, le=MAX_FACTOR)
    trace: float = Field(ge=0, le=1)
    matches: int = Field(ge=2, le=MAX_COUNT)
    patience: int = Field(ge=1, le=999)
    validation_matches: int = Field(ge=0, le=MAX_COUNT)
    uct_c: float = Field(ge=0, le=100)
    value_weight: float = Field(ge=0, le=1)
    experience: int = Field(ge=0, le=MAX_COUNT)

    @property
    def shape(self) -> ValueShape:
        """What the network looks at."""
        return ValueShape(tuple(self.shapes), tuple(self.stages), self.symmetries)

    def round(self, seed: int) -> RoundSettings:
        """Return the settings of one shard of a step."""
        return RoundSettings(
            games=-(-self.games // self.shards),
            seed=seed,
            exploration=self.exploration,
            opening=self.opening,
            move_limit=self.move_limit,
            step=self.step_size,
            trace=self.trace,
        )


class ValuesConfig(Settings):
    """Everything that decides a run besides the game: the same configuration and game give the same bytes."""

    seed: int = Field(ge=0)
    values: ValuesSettings
    search: SearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings
