"""A learning method of another package: every step learns longer feature lists than the last."""

from __future__ import annotations

from pydantic import Field

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.mining.learning import LearningPolicy, empty_lists, learn, suitable_parameters
from gdl_miner.miner.play.pairing import MatchRequest, make_pair
from gdl_miner.miner.play.rating import Score, fit_ratings
from gdl_miner.miner.results.tables import score_measures
from gdl_miner.miner.runs.entrant import Entrant, KnowledgeMaker
from gdl_miner.miner.runs.matches import play_matches, validate
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.mining import mine_records, search_positions
from gdl_miner.miner.runs.run import Run
from gdl_miner.miner.runs.settings import ExecutionSettings, MiningTable, RecordSettings, SearchSettings, Settings
from gdl_miner.miner.runs.steps import end_step, keep_players
from gdl_miner.miner.runs.task import Learner, Task

MATCHES = 8


class ClimbingConfig(Settings):
    """The configuration of a climb."""

    seed: int = 1
    steps: int = Field(default=2, ge=1)
    validation_matches: int = 6
    search: SearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings

    @property
    def planned_steps(self) -> int:
        """The number of steps."""
        return self.steps

    @property
    def validates(self) -> bool:
        """A climb always validates its champion."""
        return True


def climb(config: ClimbingConfig, maker: KnowledgeMaker) -> Learner:
    """Play, mine what was played, and learn ten more features in every step."""
    moves = yield from Task(count_moves)
    plain = tuple(MatchRequest(f"g000-m{number}", (0, 0), number) for number in range(MATCHES))
    yield from Task(play_matches, 0, "climb", 0, "without knowledge", (), plain)
    yield from Task(end_step, 0, {}, {"moves": moves}, None)
    best: Entrant | None = None
    for step in range(1, config.steps + 1):
        seed = derive_seed(config.seed, "climb", step)
        yield from Task(search_positions, step - 1, seed, 5, 20, best)
        mined = yield from Task(mine_records, step - 1, seed, on_positions=True)
        size = 10 * step
        lists = learn(empty_lists(len(maker.roles)), mined, LearningPolicy(), max_features=size, learning_factor=1.0)
        parameters = suitable_parameters("softmax", size)
        best = Entrant(f"g{step:03d}", maker.knowledge(lists.winning, lists.losing, parameters, step))
        yield from Task(keep_players, step, (best,))
        pairs = [make_pair(f"g{step:03d}-p{number}", 1, number, 2) for number in range(MATCHES // 2)]
        matches = tuple(match for pair in pairs for match in pair.matches)
        results = yield from Task(play_matches, step, "climb", 0, f"step {step}", (best,), matches)
        score = sum((pair.score(results.goals) for pair in pairs), start=Score())
        rating = fit_ratings(2, [(1, 0, score)])[1]
        measured = {**score_measures(score), "elo": rating.elo, "elo_se": rating.se}
        measured["features"] = best.knowledge.n_features
        yield from Task(end_step, step, {best.name: measured}, {}, best.name)
    yield from Task(validate, config.steps + 1, best, config.validation_matches)


def count_moves(run: Run) -> int:
    """Return the number of moves of all roles: a task of this package's own."""
    return len(run.machine.circuit.moves)


CLIMBING = LearningMethod("climbing", "one more feature list in every step", ClimbingConfig, climb)
