"""Evolutions that try the values they have learned in deeper searches."""

import io
import json
import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Parameters, read_knowledge
from gdl_miner.agent.values import Values
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.play.executor import SerialExecutor
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.matches import BaselineMatches
from gdl_miner.miner.runs.reporting import LogReporter
from gdl_miner.miner.runs.run import Run
from gdl_miner.miner.runs.setup import RunSetup
from gdl_miner.miner.runs.trials import (
    LongSearchRule,
    TrialRounds,
    TrialTime,
    Trust,
    _verdict,
    trust_after,
    try_long_searches,
)
from tests.learners.driving import MAKER
from tests.runs.breaking import drive, drive_with_breaks
from tests.runs.quick import quick_run

SMALL: dict[str, dict[str, Any]] = {
    "networks": {"generations": 0},
    "evolution": {
        "generations": 1,
        "population": 3,
        "elitism": 0.34,
        "value_steps": 1,
        "long_matches": 16,
    },
    "tournament": {"matches_without_knowledge": 16, "matches_per_individual": 8, "validation_matches": 10},
    "search": {"playouts": 20, "playouts_without_knowledge": 10},
    "teaching": {"positions": 20, "playouts": 50},
    "pruning": {"matches": 0},
}


def begun(folder: Path, games: int, share: float = 1e6) -> RunSetup:
    lines = {"games": games, "shapes": ["line 2", "line 3", "goals"]}  # they need many games to learn something
    settings = {**SMALL["evolution"], "long_playouts": 400, "trial_share": share}
    return quick_run(folder, "connectfour.ext", EVOLUTION, {**SMALL, "evolution": settings, "values": lines})


@pytest.fixture(scope="module")
def harmful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run whose values come from one game."""
    folder = tmp_path_factory.mktemp("harmful") / "run"
    drive(begun(folder, 1))
    return folder


def trials_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "value_trial.json").read_text())
    return found


def values_of_first(folder: Path) -> list[bool]:
    """Return whether the individuals of the first generation have values."""
    return [read_knowledge(each).values is not None for each in (folder / "knowledge/gen_001").glob("*.xml")]


def shown(folder: Path) -> str:
    return CliRunner().invoke(app, ["inspect", str(folder)], env={"COLUMNS": "160"}).output


def test_values_that_know_nothing_lose_in_deeper_searches_and_are_left_out(harmful: Path) -> None:
    trials = trials_of(harmful)
    assert [(name, trial["verdict"]) for name, trial in trials.items()] == [
        ("start", "behind"),
        ("start-mixed", "behind"),
    ]
    assert trials["start"]["win_percent"] < trials["start-mixed"]["win_percent"] < 43
    for trial in trials.values():
        assert trial["n"] == trial["wins"] + trial["losses"] + trial["draws"] <= 64
        assert trial["baseline_playouts"] == 200
    assert read_knowledge(harmful / "best.xml").values is None
    assert values_of_first(harmful) == [False] * 3
    lost = "% in searches of 200 playouts, behind bare UCT"
    alone, mixed = (f"{trial['win_percent']:.1f} {lost}" for trial in trials.values())
    assert f"trials of values: start {alone}; start-mixed {mixed}" in shown(harmful)
    assert f"Trials of values: start {alone}; start-mixed {mixed}." in (harmful / "report.html").read_text("utf-8")


AHEAD = {"verdict": "ahead", "win_percent": 60.0, "baseline_playouts": 200}


@pytest.mark.parametrize(
    "trials",
    [
        {"start": {"kept": True, "win_percent": 60.0}},
        {"start": {"verdict": "won", "win_percent": 60.0}},
        {"start": {"verdict": "even"}},
        {"start": 3},
        {"start": AHEAD, "long searches": {"trusted_playouts": "few", "valued_playouts": 0}},
        {"start": AHEAD, "long searches": 3},
    ],
)
def test_a_trial_of_another_version_is_named(harmful: Path, tmp_path: Path, trials: object) -> None:
    run = shutil.copytree(harmful, tmp_path / "run")
    (run / "value_trial.json").write_text(json.dumps(trials))
    with pytest.raises(ConfigError, match=r"value_trial\.json: the trial of values is damaged, or of another version"):
        _ = read_run(run).use_of_values


def test_values_that_lose_alone_are_mixed_with_playouts(tmp_path: Path) -> None:
    drive(begun(tmp_path / "run", 100))
    assert [trial["verdict"] for trial in trials_of(tmp_path / "run").values()] == ["behind", "even"]
    start = read_knowledge(tmp_path / "run/knowledge/gen_001/g001-i001.xml").parameters
    assert (start.value_weight, start.experience) == (0.5, 0)
    assert "% in searches of 200 playouts, even with bare UCT" in shown(tmp_path / "run")


def test_good_values_are_kept_and_trusted_in_searches_where_they_are_stronger_alone(tmp_path: Path) -> None:
    run = tmp_path / "run"
    drive(begun(run, 6000))
    alone, long = trials_of(run).values()
    assert alone["verdict"] == "ahead"
    assert values_of_first(run) == [True] * 3
    assert long["baseline_playouts"] == 400
    assert 0 < long["n"] <= 16
    trusted, valued = long["trusted_playouts"], long["valued_playouts"]
    assert (trusted == 0) == (long["win_percent"] < 50)
    assert (valued > 0) == (long["against_baseline"]["verdict"] == "behind")
    found = read_knowledge(run / "knowledge/gen_001/g001-i001.xml").parameters
    assert (found.trusted_playouts, found.valued_playouts) == (trusted, valued)
    assert (f"mixed with playouts in searches of more than {trusted} playouts" in shown(run)) == (trusted > 0)


def test_what_long_searches_tell_decides_which_trust_values() -> None:
    won, even, lost = Score(wins=6, losses=2), Score(wins=4, losses=4), Score(wins=1, losses=7)
    whole = partial(trust_after, tried=3000, known=30, whole=True)
    some = partial(trust_after, tried=300, known=30, whole=False)
    assert whole(won, "even") == Trust(3000, 1500)  # mixed values are stronger
    assert whole(even, "ahead") == Trust(3000, 3000)
    assert (whole(lost, "even"), some(lost, "even")) == (Trust(3000, 0), Trust(300, 3000))
    assert whole(lost, "behind") == Trust(3000, 0, 1500)
    assert some(won, "behind") == Trust(300, 30, 150)


LIMITED = Parameters(value_weight=1.0, trusted_playouts=4, valued_playouts=7)


class LongTrial:
    """A trial in long searches whose matches are won by the player that comes first in an order."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, order: tuple[str, ...] = ()) -> None:
        self.players: dict[str, Parameters] = {}
        self.told = io.StringIO()
        self.order = order
        setup = quick_run(folder, "tictactoe.ext", EVOLUTION, SMALL)
        reporter = LogReporter(self.told)
        self.run = Run(setup.game, "", setup.settings, setup.store, SerialExecutor(), reporter, lambda: None)
        self.run.service(BaselineMatches).tune()
        patch.setattr(TrialRounds, "play", lambda rounds, asked: self._play(rounds, asked))

    def tried(self, playouts: int = 20, seconds: float = 1e9) -> Trust:
        """Try values that were not behind in searches of 10 playouts."""
        alone = Entrant("x", MAKER.valued(LIMITED, 0, Values((), True, "", (), ())))
        return try_long_searches(
            self.run, 0, 1, alone, 10, LongSearchRule(playouts, 8), TrialTime(2.0, seconds), first_round=0
        )

    def _play(self, rounds: TrialRounds, asked: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        self.players |= {each.name: each.knowledge.parameters for each in rounds._entrants}
        names = [*(["bare"] if rounds._with_baseline else []), *(each.name for each in rounds._entrants)]
        first = min(names, key=self.order.index)
        return {match.id: [100 * (names[seat] == first) for seat in match.seats] for match in asked}


@pytest.mark.parametrize(
    ("playouts", "seconds", "said"),
    [
        (19, 1e9, "searches of 19 playouts are not twice as long as those of 10 playouts: values are mixed"),
        (20, 0.0, "0 s are too short to try values in long searches: values are mixed"),
    ],
)
def test_the_reason_why_long_searches_are_not_tried_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, playouts: int, seconds: float, said: str
) -> None:
    trial = LongTrial(tmp_path / "run", monkeypatch)
    trust = trial.tried(playouts, seconds)
    assert trust == Trust(trust.tried, trust.tried)
    assert not trial.players
    assert said in trial.told.getvalue()


@pytest.mark.parametrize(
    ("order", "verdict", "trusted", "valued"),
    [
        (("mixed", "alone", "bare"), "ahead", "half", "any"),
        (("alone", "mixed", "bare"), "ahead", "any", "any"),
        (("bare", "mixed", "alone"), "behind", "known", "half"),
        (("bare", "alone", "mixed"), "behind", "any", "half"),
    ],
)
def test_the_better_use_of_values_meets_bare_uct_in_long_searches_without_the_limits_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...], verdict: str, trusted: str, valued: str
) -> None:
    trial = LongTrial(tmp_path / "run", monkeypatch, order)
    known, trust = trial.tried(playouts=19).tried, trial.tried()
    assert trial.players == {"mixed": LIMITED.mixed(), "alone": Parameters(value_weight=1.0)}
    told = trials_of(tmp_path / "run")["long searches"]
    better = next(name for name in order if name != "bare")
    assert (told["against_baseline"]["player"], told["against_baseline"]["verdict"]) == (better, verdict)
    assert trust.tried == max(20, *told["playouts"].values())
    limits = {"half": trust.tried // 2, "known": known, "any": 0}
    assert (trust.trusted_playouts, trust.valued_playouts) == (limits[trusted], limits[valued])


def test_values_are_ahead_or_behind_by_half_of_100_elo() -> None:
    told = {wins: _verdict(Score(wins=wins, losses=100 - wins)) for wins in (42, 43, 57, 58)}  # of bare UCT
    assert told == {42: "ahead", 43: "even", 57: "even", 58: "behind"}


def test_trials_take_a_share_of_the_time_of_learning(tmp_path: Path) -> None:
    drive(begun(tmp_path / "run", 6000, share=1e-6))
    start, long = trials_of(tmp_path / "run").values()
    assert start["baseline_playouts"] == 20, "as many as the run has, and not ten times as many"
    assert long == {
        "tried_playouts": long["tried_playouts"],
        "trusted_playouts": long["tried_playouts"],
        "valued_playouts": 0,
    }


@pytest.mark.parametrize("games", [2, 6000])
def test_interruptions_change_nothing(tmp_path: Path, games: int) -> None:
    drive(begun(tmp_path / "whole", games))
    assert drive_with_breaks(begun(tmp_path / "run", games), tmp_path / "run", lasts=2) > 2
    agreement = compare_bytes(tmp_path / "whole", tmp_path / "run")
    assert agreement.complete
    assert {"value_trial.json", "best.xml", "matches.csv"} <= set(agreement.same)
