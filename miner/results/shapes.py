"""The JSON files of a run's folder, as far as they are read again: what they must have, and of which types.

A file may have more. Texts are without control characters, which a terminal would obey.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

Text = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
Count = Annotated[int, Field(ge=0, le=10**12)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Interval = Annotated[list[Number], Field(min_length=2, max_length=2)]


class JsonShape(BaseModel):
    """A JSON object."""

    model_config = ConfigDict(extra="allow", strict=True)


class GameShape(JsonShape):
    """The game of a run."""

    name: Text
    given: Text
    digest: Text


class StartShape(JsonShape):
    """The knowledge that a run starts from."""

    given: Text
    digest: Text
    values: bool


class PluginShape(JsonShape):
    """What another package added to a run."""

    kind: Literal["learner", "feature", "metafact", "evaluator", "opponent"]
    name: Text
    package: Text
    version: Text
    digest: Text


class SearchShape(JsonShape):
    """Settings of searches that all versions have."""

    playouts: Count


class SettingsShape(JsonShape):
    """The part of a configuration that is shown of runs of all methods."""

    seed: int
    search: SearchShape


class ConfigShape(JsonShape):
    """config.json."""

    game: GameShape
    learner: Text
    unit: Text
    steps: Count
    validates: bool
    fingerprint: Text
    source: Text
    config: SettingsShape
    start: StartShape | None = None
    plugins: list[PluginShape] = []


class EnvironmentShape(JsonShape):
    """env.json."""

    version: Text = ""
    command: list[Text] = []
    libraries: dict[Text, Text | None] = {}


class ResultShape(JsonShape):
    """The result of matches against one opponent."""

    n: Count
    draws: Count
    win_percent: Number
    ci95: Interval


class ChampionShape(ResultShape):
    """champion.json."""

    individual: Text
    helps: bool
    elo: Number
    elo_se: Number
    playouts: Count
    baseline_playouts: Count
    baseline_uct_c: Number


class TrialShape(ResultShape):
    """A trial of a pruning."""

    size: Count
    features: Count
    as_strong: bool


class PruningShape(JsonShape):
    """pruning.json."""

    size: Count | None
    features: Count
    features_whole: Count
    bytes: Count
    bytes_whole: Count
    trials: list[TrialShape]


class TestShape(ResultShape):
    """A test of a part."""

    baseline_playouts: Count
    decision: Text


class PartShape(JsonShape):
    """A part of the best player and its tests."""

    kept: bool
    tests: list[TestShape]


class AcceptanceShape(RootModel[dict[Text, PartShape]]):
    """acceptance.json: each part by its name."""


class TuningShape(JsonShape):
    """tuning.json."""

    uct_c: Annotated[Number, Field(ge=0)]


class AnyShape(RootModel[dict[Text, Any]]):
    """An object of any kind."""
