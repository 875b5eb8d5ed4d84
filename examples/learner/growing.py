"""A learner: every step searches positions of its best player, mines them, and learns a longer list of features."""

from pydantic import Field

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.measuring import StepTraining, measure
from gdl_miner.miner.mining.learning import LearningPolicy, empty_lists, learn, suitable_parameters
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.runs.entrant import Entrant, KnowledgeMaker
from gdl_miner.miner.runs.matches import play_matches, validate
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.mining import mine_records, search_positions
from gdl_miner.miner.runs.settings import ExecutionSettings, MiningTable, RecordSettings, SearchSettings, Settings
from gdl_miner.miner.runs.steps import end_step
from gdl_miner.miner.runs.task import Learner, Task


class GrowingSettings(Settings):
    """The options of this method, in TOML under [growing]."""

    steps: int = Field(default=3, ge=1, le=100)
    positions: int = Field(default=200, ge=1)
    features: int = Field(default=20, ge=1)  # that every step adds to each list
    matches: int = Field(default=100, ge=2)
    opening_plies: int = 0
    random_matches: int = 0


class GrowingConfig(Settings):
    """The whole configuration: the method's own table, and those that all methods share."""

    seed: int = 1
    validation_matches: int = Field(default=100, ge=2)
    growing: GrowingSettings = GrowingSettings()
    search: SearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings
    validates: bool = True

    @property
    def planned_steps(self) -> int:
        """The number of steps."""
        return self.growing.steps


def grow(config: GrowingConfig, maker: KnowledgeMaker) -> Learner:
    """Yield the tasks of a run; each is sent its result."""
    own, best = config.growing, None
    plain = tuple(MatchRequest(f"g000-m{number}", (0,) * len(maker.roles), number) for number in range(own.matches))
    yield from Task(play_matches, 0, "growing", 0, "without knowledge", (), plain)
    yield from Task(end_step, 0, {}, {}, None)
    for step in range(1, own.steps + 1):
        seed, size, player = derive_seed(config.seed, "growing", step), own.features * step, best and best.entrant
        yield from Task(search_positions, step - 1, seed, own.positions, config.search.playouts, player)
        mined = yield from Task(mine_records, step - 1, seed, on_positions=True)
        lists = learn(empty_lists(len(maker.roles)), mined, LearningPolicy(), max_features=size, learning_factor=1.0)
        knowledge = maker.knowledge(lists.winning, lists.losing, suitable_parameters("softmax", size), step)
        entrant, trained = Entrant(f"g{step:03d}", knowledge), StepTraining(0, own.positions, 0, None)
        best = yield from measure(own, config.seed, len(maker.roles), step, entrant, best, trained, {})
    if best is not None:
        yield from Task(validate, own.steps + 1, best.entrant, config.validation_matches)


GROWING = LearningMethod("growing", "longer feature lists in every step", GrowingConfig, grow)
