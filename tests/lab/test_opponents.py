"""`scripts/lab opponents` without clocks, and `scripts/lab mistakes`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import write_knowledge
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import load_machine
from lab.opponents.engines.connect_four import ConnectFourSolver
from lab.opponents.match import OpponentMatch
from lab.opponents.mistakes import count_mistakes, judge
from lab.opponents.series import random_opening
from tests.command_line import lab, succeeded
from tests.knowledge.plain import knowledge_of
from tests.lab.test_engines import ENGINES, described


def run(command: str, game: str, *arguments: str, fault: str = "") -> Result:
    limits = ("--playouts", 20, "--matches", 4, "--in-flight", 1)
    return lab(command, game, described(game, fault), *limits, *arguments)


def results(out: Path) -> list[dict[str, Any]]:
    """The matches that are kept, in the order in which they were played."""
    kept = [json.loads(path.read_text()) for path in out.glob("*/*/match.json")]
    roles = load_machine(kept[0]["settings"]["game"]).roles
    return sorted(kept, key=lambda match: (match["pair"], roles.index(match["role"])))


@pytest.mark.parametrize("game", ENGINES)
def test_pairs_share_their_opening_and_swap_the_seats(game: str, tmp_path: Path) -> None:
    result = run("opponents", game, "--opening-plies", "3", "--json", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    assert result.stderr.count("match ") == 4
    told = json.loads(result.stdout)
    lines = results(tmp_path)
    machine = load_machine(game)
    assert [line["role"] for line in lines] == 2 * list(machine.roles)
    assert [line["pair"] for line in lines] == [1, 1, 2, 2]
    assert lines[0]["moves"][:3] == lines[1]["moves"][:3] != lines[2]["moves"][:3] == lines[3]["moves"][:3]
    for line in lines:
        match = OngoingMatch(machine)
        for joint in line["moves"]:
            match.advance(joint)
        assert match.ended
        assert list(match.goals) == line["goals"]
        own = line["goals"][machine.roles.index(line["role"])]
        assert line["result"] == {100: "win", 50: "draw", 0: "loss"}[own]
        assert all(move["ply"] >= 3 and move["playouts"] == 20 for move in line["own_moves"])
        assert all(move["chosen"] and move["fault"] is None for move in line["own_moves"])
    ends = [line["result"] for line in lines]
    assert [end for pair in told["pairs"] for end in pair] == ends
    assert (told["wins"], told["losses"], told["draws"]) == tuple(map(ends.count, ("win", "loss", "draw")))
    assert told["n"] == 4
    assert told["ci95"][0] <= told["win_percent"] <= told["ci95"][1]
    assert told["playouts"] == 20
    assert told["engine_s"] > 0


def test_the_player_may_keep_one_role(tmp_path: Path) -> None:
    game = "connectfour.ext"
    result = run("opponents", game, "--role", "Red", "--json", "--out", str(tmp_path))
    told = json.loads(succeeded(result))
    assert [(line["role"], line["pair"]) for line in results(tmp_path)] == [("red", pair) for pair in (1, 2, 3, 4)]
    assert [len(pair) for pair in told["pairs"]] == [1] * 4
    assert list(told["by_role"]) == ["red"]
    table = run("opponents", game, "--role", "red")
    assert " red " in table.stdout
    assert "white" not in table.stdout


def test_a_role_that_the_game_does_not_have_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^connectfour\.ext has no role green; its roles are white, red$"):
        succeeded(run("opponents", "connectfour.ext", "--role", "green"))


def test_matches_with_playouts_follow_from_the_seed(tmp_path: Path) -> None:
    def moves(name: str, seed: str) -> list[object]:
        assert run("opponents", "connectfour.ext", "--seed", seed, "--out", str(tmp_path / name)).exit_code == 0
        return [match["moves"] for match in results(tmp_path / name)]

    first = moves("first", "5")
    assert first == moves("second", "5")
    assert first != moves("third", "6")


def test_people_get_a_row_with_the_results_of_both_roles() -> None:
    result = run("opponents", "breakthrough.ext")
    assert result.exit_code == 0, result.output
    head, row = result.stdout.splitlines()
    assert head.split()[:2] == ["opponent", "w-l-d"]
    assert re.search(r"\d-\d-\d white, \d-\d-\d black", row)
    assert " 20 " in row


def test_matches_that_are_kept_are_not_played_again(tmp_path: Path) -> None:
    first = run("opponents", "othello.ext", "--out", str(tmp_path), "--json")
    again = run("opponents", "othello.ext", "--out", str(tmp_path), "--json")
    assert again.stdout == first.stdout
    assert again.stderr.count(", played before") == 4


def test_knowledge_and_parameters_reach_the_player(tmp_path: Path) -> None:
    sheet = load_machine("connectfour.ext").sheet
    write_knowledge(knowledge_of(sheet), tmp_path / "nothing.xml", sheet)
    given = ["--knowledge", str(tmp_path / "nothing.xml"), "--option", "uct_c=7", "--option", "solver"]
    result = run("opponents", "connectfour.ext", *given, "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    settings = results(tmp_path)[0]["settings"]
    assert settings["options"] == ["uct_c=7", "solver"]
    assert len(settings["knowledge"]) == 64


def test_moves_are_judged_by_the_signs_of_the_scores() -> None:
    machine = load_machine("connectfour.ext")
    joints: list[tuple[str, ...]] = []
    for height in range(1, 7, 2):
        joints += [(f"(play 4 {height} white)", "noop"), ("noop", f"(play 4 {height + 1} red)")]
    joints += [("(play 5 1 white)", "noop")]
    match = OpponentMatch(0, 0, 1, tuple(joints), (None, None), (), (), 0)

    class Scored(ConnectFourSolver):
        def __init__(self) -> None:
            pass

        def scores(self, match: OngoingMatch) -> dict[int, int]:
            return {2: {4: 3, 5: 2}, 4: {4: -1, 5: 2}, 6: {5: -4, 6: -2}}[match.number]

    judged = judge(machine, Scored(), [match], 2)
    assert [(move.ply, move.before, move.after) for move in judged] == [(2, 1, 1), (4, 1, -1), (6, -1, -1)]
    assert [(move.mistake, move.chance) for move in judged] == [(False, False), (True, True), (False, False)]
    assert judge(machine, Scored(), [match], 7) == []


def test_mistakes_are_moves_that_lose_game_value() -> None:
    result = run("mistakes", "connectfour.ext", "--from-ply", "6", "--json")
    told = json.loads(succeeded(result))
    assert told["n"] == 4
    # The fake solver says that column 4 alone wins: all other moves lose game value where it is not full.
    assert 0 < told["mistakes"] <= told["chances"] <= told["moves"]
    low, high = told["mistake_ci95"]
    assert low < told["mistake_percent"] == pytest.approx(100 * told["mistakes"] / told["moves"], abs=1e-3)
    assert told["mistake_percent"] <= high
    table = run("mistakes", "connectfour.ext", "--from-ply", "6")
    assert "mistakes" in table.stdout.splitlines()[0]
    assert len(table.stdout.splitlines()) == 2


def test_no_moves_have_no_share() -> None:
    assert count_mistakes([]).cells()["mistake_percent"] is None


def test_openings_are_drawn_from_all_moves_and_do_not_end_the_match() -> None:
    machine = load_machine("tictactoe.ext")
    drawn = {random_opening(machine, 1, seed) for seed in range(100)}
    assert len(drawn) == 9
    assert all(not _after(random_opening(machine, 6, seed)).ended for seed in range(50))
    with pytest.raises(ConfigError, match="give fewer opening plies"):
        random_opening(machine, 9, 1)


def _after(joints: tuple[tuple[str, ...], ...]) -> OngoingMatch:
    match = OngoingMatch(load_machine("tictactoe.ext"))
    for joint in joints:
        match.advance(joint)
    return match


def test_changes_are_named_by_parameter_or_option() -> None:
    assert read_changes(["c=30", "scoring_visits=9", "solver=false", "exploration=puct", "fpu"]) == {
        "uct_c": 30.0,
        "scoring_visits": 9,
        "solver": False,
        "exploration": "puct",
        "first_play_urgency": 0.0,
    }


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("speed=3", "there is no parameter speed"),
        ("class_weights=3", "there is no parameter class_weights"),
        ("uct_c", "uct_c needs a value, as in uct_c=40"),
        ("uct_c=much", "could not convert"),
        ("uct_c=-1", "give a number >= 0"),
        ("solver=on", "give true or false"),
        ("exploration=ucb2", "give 'ucb' or 'puct'"),
    ],
)
def test_changes_that_are_wrong_are_explained(given: str, says: str) -> None:
    with pytest.raises(ConfigError, match=f"--option {given}: .*{says}"):
        read_changes([given])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["breakthrough.ext", "uci:/nowhere/fish?depth=2"], "the engine cannot be started"),
        (["breakthrough.ext", described("breakthrough.ext", "die")], "ended"),
        (
            ["othello.ext", described("othello.ext", "a1")],
            "the engine's answer after 3 plies is illegal: othello.ext: white cannot play (place 1 1 white) now",
        ),
    ],
)
def test_an_engine_that_fails_without_clocks_ends_its_matches(arguments: list[str], says: str) -> None:
    result = lab("opponents", *arguments, "--playouts", 5)
    assert isinstance(result.exception, ConfigError)
    assert "no opponent has played" in str(result.exception)
    assert "skipped: " in result.stderr
    assert says in result.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["othello:x?level=1", "--seconds", "1"], "choose one"),
        (["othello:x?level=1", "--serve", "--no-ponder"], "for matches with clocks"),
        (["ggp:player {port}"], "GGP players play by clocks"),
        ([described("othello.ext"), "--out", "/proc/x"], "/proc/x"),
    ],
)
def test_what_does_not_go_without_clocks_is_explained(arguments: list[str], says: str) -> None:
    result = lab("opponents", "othello.ext", *arguments, "--playouts", 5)
    assert isinstance(result.exception, ConfigError)
    assert says in str(result.exception)


def test_mistakes_need_the_solver() -> None:
    with pytest.raises(ConfigError, match=r"othello engines play othello\.ext, not connectfour\.ext"):
        succeeded(lab("mistakes", "connectfour.ext", described("othello.ext")))
