"""The configuration of learning features from the ends of games."""

from __future__ import annotations

from pydantic import Field

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLIES, MAX_SEED
from gdl_miner.miner.learners.gifl.knowledge import FeatureWeights
from gdl_miner.miner.learners.gifl.trees import GiflSettings, TreeSettings
from gdl_miner.miner.runs.settings import ExecutionSettings, MiningTable, RecordSettings, SearchSettings, Settings


class GiflTable(Settings):
    """The training games, how features act, and the matches that measure them."""

    steps: int = Field(ge=1, le=999)
    games: int = Field(ge=1, le=MAX_COUNT)
    shards: int = Field(ge=1, le=64)
    study_games: int = Field(ge=1, le=MAX_COUNT)
    levels: int = Field(ge=1, le=99)
    whole_ends: bool
    win_ends: bool
    level_factor: float = Field(gt=0, le=1)
    temperature: float = Field(ge=0.11, le=100)
    wins_first: bool
    opponent_knowledge: float = Field(ge=0, le=1)
    selection: bool
    puct_c: float = Field(ge=0, le=1e6)
    uct_c: float = Field(ge=0, le=100)
    matches: int = Field(ge=2, le=MAX_COUNT)
    opening_plies: int = Field(ge=0, le=MAX_PLIES)
    random_matches: int = Field(ge=0, le=MAX_COUNT)
    validation_matches: int = Field(ge=0, le=MAX_COUNT)

    def trees(self) -> TreeSettings:
        """Return how games are walked back."""
        return TreeSettings(self.levels, self.whole_ends, self.win_ends)

    def weights(self) -> FeatureWeights:
        """Return the weights of features by level and side."""
        return FeatureWeights(self.level_factor, self.temperature, self.wins_first)

    def parameters(self) -> Parameters:
        """Return the parameters of the player: moves of playouts are drawn by the Gibbs distribution."""
        return Parameters(
            uct_c=self.uct_c,
            scoring="exponential",
            first_feature=True,
            opponent_knowledge=self.opponent_knowledge,
            features_in_selection=self.selection,
            exploration="puct" if self.selection else "ucb",
            puct_c=self.puct_c,
        )


class GiflConfig(Settings):
    """Everything that decides a run besides the game: the same configuration and game give the same bytes."""

    defaults = ("default", "gifl")
    seed: int = Field(ge=0, le=MAX_SEED)
    gifl: GiflTable
    search: SearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings

    @property
    def planned_steps(self) -> int:
        """The largest number of steps."""
        return self.gifl.steps

    @property
    def validates(self) -> bool:
        """Whether the best player is measured in fresh matches in the end."""
        return self.gifl.validation_matches > 0

    def learning(self) -> GiflSettings:
        """Return the settings of the games of a step."""
        return GiflSettings(self.seed, self.gifl.study_games, self.gifl.trees())
