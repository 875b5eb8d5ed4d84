"""A second learning method, as small as the protocol allows: every step learns longer feature lists than the last.

It shows that the run, its checkpoints, its report and the commands serve any learner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import Field
from rich.console import RenderableType
from rich.text import Text

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.learner import KnowledgeMaker, OtherVersionError
from gdl_miner.miner.learners.method import StartKind
from gdl_miner.miner.learners.requests import (
    EndStep,
    Entrant,
    MatchResults,
    MineRecords,
    PlayMatches,
    Request,
    Result,
    SearchPositions,
    Validate,
)
from gdl_miner.miner.learners.settings import (
    ExecutionSettings,
    MiningTable,
    RecordSettings,
    SearchSettings,
    Settings,
    parse_settings,
    read_settings,
)
from gdl_miner.miner.mining.learning import LearningPolicy, empty_lists, learn, suitable_parameters
from gdl_miner.miner.mining.mined import MinedKnowledge
from gdl_miner.miner.play.pairing import MatchRequest, make_pair
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.rating import Rating, Score, dispersion, fit_ratings
from gdl_miner.miner.results.history import RunFiles, RunHistory, StepProgress, read_run_files
from gdl_miner.miner.results.report import ReportParts, champion_features, common_cards, common_sections, strength_card

STEPS_FILE = "steps.csv"
STEPS = ("step", "name", "matches", "win_percent", "features")
_MATCHES = 8


class ClimbingConfig(Settings):
    """The configuration of a climb."""

    seed: int = 1
    steps: int = Field(default=2, ge=1)
    validation_matches: int = 6
    search: SearchSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings


@dataclass(frozen=True)
class ClimbingState:
    """The number of the next step and the best entrant so far."""

    step: int = 0
    best: Entrant | None = None

    def pack(self) -> dict[str, Any]:
        """Return the number and the name; the knowledge is in the file of the step."""
        return {"version": 1, "step": self.step, "best": self.best and self.best.name}


class Climbing:
    """A learner that is used as every other."""

    def __init__(self, settings: ClimbingConfig, maker: KnowledgeMaker, state: ClimbingState) -> None:
        self.state = state
        self._settings = settings
        self._maker = maker
        self._score: Score | None = None
        self._done: list[type[Request]] = []  # kinds of requests done in this step

    @property
    def members(self) -> tuple[Entrant, ...]:
        """The best entrant so far."""
        return () if self.state.best is None else (self.state.best,)

    def knowledge(self) -> Entrant | None:
        """Return the best entrant so far."""
        return self.state.best

    def ask(self) -> Request | None:
        """Ask for matches, the end of the step, deeper searches and mining; after the last step, for a validation."""
        step, seed = self.state.step, derive_seed(self._settings.seed, "climb", self.state.step)
        if step > self._settings.steps:
            best = self.state.best
            assert best is not None
            return None if Validate in self._done else Validate(step, best, self._settings.validation_matches)
        if PlayMatches not in self._done:
            return PlayMatches(step, "climb", 0, f"step {step}", self.members, self._matches())
        if EndStep not in self._done:
            rows = {} if self._score is None else {STEPS_FILE: [self._row(self._score)]}
            return EndStep(step, rows, None if self.state.best is None else self.state.best.name)
        if SearchPositions not in self._done:
            return SearchPositions(step, seed, 5, 20, self.state.best)
        return MineRecords(step, seed, on_positions=True)

    def tell(self, result: Result) -> None:
        """Take the result of the request."""
        request = self.ask()
        assert request is not None
        self._done.append(type(request))
        if isinstance(result, MatchResults) and self.state.best is not None:
            self._score = Score()
            for number in range(_MATCHES // 2):
                self._score += make_pair(f"g{self.state.step:03d}-p{number}", 1, 0, 2).score(result.goals)
        if isinstance(request, EndStep) and request.step == self._settings.steps:
            self._begin(self.state.best)
        if isinstance(result, MinedKnowledge):
            self._climb(result)

    def _climb(self, mined: MinedKnowledge) -> None:
        step = self.state.step + 1
        lists = learn(
            empty_lists(len(self._maker.roles)), mined, LearningPolicy(), max_features=10 * step, learning_factor=1.0
        )
        knowledge = self._maker.knowledge(lists.winning, lists.losing, suitable_parameters("softmax", 10 * step), step)
        self._begin(Entrant(f"g{step:03d}", knowledge))

    def _begin(self, best: Entrant | None) -> None:
        self.state = ClimbingState(self.state.step + 1, best)
        self._done, self._score = [], None

    def _matches(self) -> tuple[MatchRequest, ...]:
        step = self.state.step
        if not self.members:
            return tuple(MatchRequest(f"g000-m{number}", (0, 0), number) for number in range(_MATCHES))
        pairs = [make_pair(f"g{step:03d}-p{number}", 1, number, 2) for number in range(_MATCHES // 2)]
        return tuple(match for pair in pairs for match in pair.matches)

    def _row(self, score: Score) -> tuple[int, str, int, float, int]:
        best = self.state.best
        assert best is not None
        features = sum(map(len, (*best.knowledge.winning, *best.knowledge.losing)))
        return self.state.step, best.name, score.matches, score.win_percent, features


class ClimbingHistory(RunHistory):
    """The steps of a climb and their scores."""

    def __init__(self, files: RunFiles) -> None:
        super().__init__(files)
        self.steps = files.tables[STEPS_FILE]

    @property
    def unit(self) -> str:
        """A step is called a step."""
        return "step"

    @property
    def planned(self) -> int:
        """The number of steps that the configuration asks for."""
        return int(self.settings["steps"])

    @property
    def validates(self) -> bool:
        """A climb always validates its champion."""
        return True

    @property
    def step_table(self) -> pd.DataFrame:
        """The rows of the finished steps."""
        return self.steps

    @property
    def progress(self) -> Sequence[StepProgress]:
        """The results of the finished steps."""
        found = []
        for _, row in self.steps.iterrows():
            wins = round(row["matches"] * row["win_percent"] / 100)
            score = Score(wins, 0, int(row["matches"]) - wins)
            rating: Rating = fit_ratings(2, [(1, 0, score)], 400.0, dispersion([score]))[1]
            found.append(
                StepProgress(
                    int(row["step"]),
                    str(row["name"]),
                    score.matches,
                    score.win_percent,
                    score.ci95,
                    rating.elo,
                    rating.se,
                    int(row["features"]),
                )
            )
        return found


class ClimbingMethod:
    """Climbing as a learning method."""

    name = "climbing"
    summary = "one more feature list in every step"
    unit = "step"
    starts_from: StartKind | None = None
    tables: Mapping[str, Sequence[str]] = {STEPS_FILE: STEPS}

    def read_config(self, name_or_path: str, changes: dict[str, dict[str, Any]]) -> ClimbingConfig:
        """Read a configuration by name or path and apply changes to it."""
        return read_settings(ClimbingConfig, name_or_path, changes)

    def parse_config(self, value: object) -> ClimbingConfig:
        """Return the configuration in a config.json."""
        return parse_settings(ClimbingConfig, value)

    def check_game(self, settings: ClimbingConfig, game: PreparedGame) -> None:
        """Accept every game."""

    def check_start(self, settings: ClimbingConfig, game: PreparedGame, start: Knowledge) -> None:
        """Refuse every start: a climb begins without features."""
        raise ConfigError("a climb starts from nothing; leave --start out")

    def begin(self, settings: ClimbingConfig, maker: KnowledgeMaker) -> Climbing:
        """Return a climb at its first step."""
        return Climbing(settings, maker, ClimbingState())

    def resume(
        self,
        settings: ClimbingConfig,
        maker: KnowledgeMaker,
        packed: dict[str, Any],
        knowledge: Callable[[int, str], Knowledge],
    ) -> Climbing:
        """Return a climb between two steps."""
        if packed["version"] != 1:
            raise OtherVersionError(f"it is of version {packed['version']}")
        step, best = packed["step"], packed["best"]
        return Climbing(settings, maker, ClimbingState(step, best and Entrant(best, knowledge(step, best))))

    def read_history(self, folder: Path) -> ClimbingHistory:
        """Read a climb as far as it has come."""
        return ClimbingHistory(read_run_files(folder, self.tables))

    def described(self, history: ClimbingHistory) -> str:
        """Return the number of steps in words."""
        return f"{history.planned} steps"

    def draw_plots(self, history: ClimbingHistory) -> None:
        """Draw nothing, because a climb has no pictures."""

    def report_parts(self, history: ClimbingHistory, knowledge: Knowledge, machine: Machine) -> ReportParts:
        """Return the parts that every report has."""
        cards = [strength_card(history), *common_cards(history)]
        sections = [champion_features(knowledge, machine), *common_sections(history)]
        return ReportParts(f"{history.planned} steps were climbed", cards, sections)

    def terminal_tables(self, history: ClimbingHistory, width: int) -> Sequence[RenderableType]:
        """Return a line for each step."""
        return [Text(f"step {each.step}: {each.win_percent:.1f} %") for each in history.progress]
