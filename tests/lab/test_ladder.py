"""`scripts/lab ladder`: the matches are those of a round robin, they are kept, and players and games can be added."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import gdl_miner
from gdl_miner.agent.errors import UserError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.gdl.renaming import scrambled
from gdl_miner.agent.knowledge import Parameters, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.comparison import Comparison, ComparisonRule, RoundRobin, Verdict, round_robin
from gdl_miner.miner.play.executor import SerialExecutor
from gdl_miner.miner.play.match_tasks import matches_on
from gdl_miner.miner.play.rating import Score, fit_table
from lab.ladder.game_class import game_class
from lab.ladder.standing import ALL, LadderGame, standings
from tests.command_line import lab, succeeded
from tests.lab.test_clocks import player
from tests.lab.test_engines import described
from tests.search.chance_games import RACE
from tests.search.matrix_games import ROCK_PAPER_SCISSORS

SMALL = ("--playouts", 8, "--pairs", 2, "--opening-plies", 2)
TICTACTOE = ("--game", "tictactoe.ext")


def ladder(out: Path, *arguments: object) -> list[dict[str, Any]]:
    """The rows of a ladder."""
    return [
        json.loads(line) for line in succeeded(lab("ladder", *arguments, *SMALL, "--out", out, "--json")).splitlines()
    ]


def kept(out: Path, game: str = "tictactoe.ext") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "matches" / f"{game}.jsonl").read_text().splitlines()]


def told(out: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((out / "ladder.json").read_text())
    return content


def test_a_game_is_a_round_robin(tmp_path: Path) -> None:
    rows = ladder(tmp_path, "uct", "random", "uct+solver@30", *TICTACTOE)
    machine = load_machine("tictactoe.ext")
    specs = [PlayerSpec(playouts=8), PlayerSpec("random"), PlayerSpec("uct", Parameters(solver=True), playouts=30)]
    play = matches_on(SerialExecutor(), machine, specs, lambda _: None)
    seed = derive_seed(1, "ladder", machine.sheet.name)
    naive = round_robin(3, 2, ComparisonRule(4, opening_plies=2), seed, play)
    ratings = naive.ratings()
    for row in rows[:3]:
        number = ["uct", "random", "uct+solver@30"].index(row["player"])
        assert row["elo"] == pytest.approx(ratings.elo[number], abs=0.06)
        assert (row["wins"], row["losses"], row["draws"], row["n"]) == (
            (score := naive.score_of(number)).wins,
            score.losses,
            score.draws,
            8,
        )
    assert [row["class"] for row in rows] == [ALL] * 3 + ["2 players, in turn, board"] * 3
    with (tmp_path / "ladder.csv").open() as table:
        assert [row["player"] for row in csv.DictReader(table)] == [row["player"] for row in rows]
    about = told(tmp_path)
    assert about["standing"] == rows
    assert len(about["pairings"]) == 3
    assert {"command", "commit", "started", "processor", "processors", "seed", "conditions"} <= about.keys()
    assert about["sessions"][0]["other_load"] >= 0
    page = (tmp_path / "index.html").read_text()
    assert page.count("class='interval'") == 6


def test_what_is_kept_is_not_played_again(tmp_path: Path) -> None:
    first = ladder(tmp_path, "uct", "random", *TICTACTOE)
    lines = kept(tmp_path)
    assert ladder(tmp_path, "uct", "random", *TICTACTOE) == first
    assert kept(tmp_path) == lines
    path = tmp_path / "matches" / "tictactoe.ext.jsonl"
    path.write_text(path.read_text()[:-9])  # as a crash leaves it
    assert ladder(tmp_path, "uct", "random", *TICTACTOE) == first
    assert kept(tmp_path) == lines
    ladder(tmp_path, "uct", "random", "uct@3", *TICTACTOE)
    assert kept(tmp_path)[: len(lines)] == lines
    assert len(kept(tmp_path)) == 3 * len(lines)
    ladder(tmp_path, "uct", "random", *TICTACTOE, "--equal-playouts")
    assert len(kept(tmp_path)) == 4 * len(lines)
    assert len(told(tmp_path)["sessions"]) == 5


def test_a_file_that_changes_is_another_player(tmp_path: Path) -> None:
    machine, path = load_machine("tictactoe.ext"), tmp_path / "own.xml"
    for weight in (1.0, 2.0):
        known = gdl_miner.fact_values("tictactoe.ext", {"(cell 2 2 x)": (weight, -weight)})
        write_knowledge(known, path, machine.sheet)
        ladder(tmp_path / "out", "uct", path, *TICTACTOE)
    seats = [line["seats"] for line in kept(tmp_path / "out")]
    labels = {name for names in seats for name in names} - {"uct"}
    assert len(seats) == 8
    assert len(labels) == 2
    assert all(label.startswith(f"{path}#") for label in labels)


def test_players_are_left_out_of_games_that_they_do_not_play(tmp_path: Path) -> None:
    sheet = tmp_path / "mine.kif"
    sheet.write_text(scrambled(load_machine("tictactoe.ext").sheet, None)[0].replace("50", "40"))
    rows = ladder(tmp_path / "out", "uct", "random", "quick", *TICTACTOE, "--game", sheet)
    assert {row["player"]: row["games"] for row in rows if row["class"] == ALL} == {"uct": 2, "random": 2, "quick": 1}
    games = told(tmp_path / "out")["games"]
    assert [list(game["left_out"]) for game in games] == [[], ["quick"]]
    assert "neither a file nor released knowledge of mine" in games[1]["left_out"]["quick"]


def test_programs_of_others_meet_everybody(tmp_path: Path) -> None:
    engine = described("breakthrough.ext")
    rows = ladder(tmp_path, "uct", "random", engine, "--game", "breakthrough.ext", *TICTACTOE)
    games = {row["player"]: row["games"] for row in rows if row["class"] == ALL}
    assert games == {"uct": 2, "random": 2, engine: 1}
    lines = kept(tmp_path, "breakthrough.ext")
    assert len(lines) == 12
    linked = [line for line in lines if engine in line["seats"]]
    assert len(linked) == 8
    assert all(line["faults"] == [] and line["plies"] > 2 for line in linked)


@pytest.mark.slow
def test_ggp_players_meet_by_clocks(tmp_path: Path) -> None:
    names = ("uct", "random", player())
    clocks = ("--start-clock", 2, "--play-clock", 1)
    arguments = (*names, *TICTACTOE, *clocks, "--pairs", 1, "--opening-plies", 4, "--out", tmp_path, "--json")
    rows = [json.loads(line) for line in succeeded(lab("ladder", *arguments)).splitlines()]
    assert {row["player"]: row["n"] for row in rows if row["class"] == ALL} == dict.fromkeys(names, 4)
    assert all(line["conditions"] == "clocks 2 1" and line["faults"] == [] for line in kept(tmp_path))


def test_each_class_has_ratings_of_its_own() -> None:
    wins, losses = Score(3, 0, 1, 2, 5.0), Score(1, 0, 3, 2, 1.0)
    games = [
        LadderGame(name, "", kind, RoundRobin(3, (Comparison(*pairing, score, Verdict.undecided),)), {})
        for name, kind, pairing, score in (("a", "one", (0, 1), wins), ("b", "two", (1, 2), losses))
    ]
    rated = list(standings(games, ("x", "y", "z")))
    assert [(each.kind, each.name, each.games) for each in rated if each.kind != ALL] == [
        ("one", "x", 1),
        ("one", "y", 1),
        ("two", "z", 1),
        ("two", "y", 1),
    ]
    whole = {each.name: each for each in rated if each.kind == ALL}
    table = fit_table(3, [(0, 1, wins), (1, 2, losses)])
    assert [whole[name].rating.elo for name in "xyz"] == pytest.approx(table.elo, rel=0.2)
    assert (whole["y"].games, whole["y"].score.matches) == (2, 8)
    low, high = whole["z"].ci95
    assert high - low == pytest.approx(2 * 1.96 * whole["z"].rating.se, rel=1e-3)


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        ("tictactoe.ext", "2 players, in turn, board"),
        (RACE, "2 players, in turn, chance, no board"),
        (ROCK_PAPER_SCISSORS.rules, "2 players, at once, no board"),
    ],
)
def test_classes_of_games(rules: str, kind: str) -> None:
    machine = load_machine(rules) if rules.endswith(".ext") else load_machine(parse_sheet(rules, "game.kif"))
    assert game_class(machine) == kind


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["uct"], "two players or more"),
        (["uct", "uct"], "each named once"),
        (["uct", "nobody.xml"], "nobody.xml: no such player"),
        (["uct", "agent"], "plays by clocks; give --play-clock"),
        (["uct", "ggp:http://127.0.0.1:1"], "GGP players play by clocks; give --play-clock"),
        (["uct", "uct@30", "--play-clock", "1"], "leave what follows the @ out"),
        (["uct", "random", "--play-clock", "1", "--executor", "ray"], "one after the other on this machine"),
        (["uct", "random", "--corpus", "--game", "tictactoe.ext"], "leave --game out"),
        (["uct", "quick", "--game", "tictactoe5.ext", "--game", "nowhere"], "nowhere"),
    ],
)
def test_what_is_impossible_is_explained(arguments: list[str], says: str, tmp_path: Path) -> None:
    result = lab("ladder", *arguments, "--out", tmp_path, *SMALL)
    assert says in f"{result.exception}{result.stderr}"


def test_matches_by_other_rules_are_refused(tmp_path: Path) -> None:
    ladder(tmp_path, "uct", "random", *TICTACTOE)
    path = tmp_path / "matches" / "tictactoe.ext.jsonl"
    path.write_text(path.read_text().replace('"digest": "', '"digest": "0'))
    result = lab("ladder", "uct", "random", *TICTACTOE, *SMALL, "--out", tmp_path)
    assert isinstance(result.exception, UserError)
    assert "follow other rules" in str(result.exception)
