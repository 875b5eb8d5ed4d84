import json
from pathlib import Path

import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.record_xml import read_records
from tests.command_line import agent
from tests.search.chance_games import RACE
from tests.search.test_plain_uct import CODE


def test_play_seats_players_by_role_and_prints_moves_and_result() -> None:
    shown = agent("play", "--game", "tictactoe.ext", "--x", "uct", "--o=random", "--playouts", "200").stdout
    assert "x is uct, o is random" in shown
    assert shown.strip().splitlines()[-1].startswith("result: x ")


def test_play_gives_the_same_match_for_the_same_seed_and_another_for_another() -> None:
    def moves(seed: str) -> object:
        command = ("play", "--game", "connectfour.ext", "--playouts", "30", "--json", "--seed", seed)
        return json.loads(agent(*command).stdout)["moves"]

    assert moves("4") == moves("4")
    assert moves("4") != moves("5")


def test_play_writes_a_record_that_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "match.xml"
    result = agent("play", "--game", "tictactoe.ext", "--playouts", "50", "--record", str(path), "--json")
    record = read_records(path, load_machine("tictactoe.ext"))
    assert record.goals[0].tolist() == json.loads(result.stdout)["goals"]
    assert record.playouts.sum() > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--white", "uct"), "the roles of tictactoe.ext are --x, --o"),
        (("--x",), "--x needs a player"),
        (("--x", "nosuch.xml"), "nosuch.xml: cannot be read (No such file"),
        (
            ("--x", "quik"),
            "quik: no such player; did you mean quick? there are uct, random, a knowledge file, a level of",
        ),
        (("--playouts", "5", "--seconds", "1"), "choose one"),
    ],
)
def test_a_mistake_in_seating_is_named(arguments: tuple[str, ...], message: str) -> None:
    result = agent("play", "--game", "tictactoe.ext", *arguments)
    assert result.exit_code != 0
    assert message in str(result.exception)


def test_bench_of_search_says_how_many_playouts_a_second_it_makes() -> None:
    command = ("bench", "--game", "tictactoe.ext", "--search", "--playouts", "20", "--lanes", "64", "--seconds", "0.05")
    result = json.loads(agent(*command, "--json").stdout)
    assert result["playouts_per_s"] > 10_000
    assert 0 < result["nodes_per_s"] <= result["playouts_per_s"] * 1.1


def test_a_single_player_plays_the_line_of_a_puzzle_search(tmp_path: Path) -> None:
    sheet, path = tmp_path / "code.kif", tmp_path / "match.xml"
    sheet.write_text(CODE)
    one = json.loads(agent("play", "--game", str(sheet), "--json", "--record", str(path)).stdout)
    assert (one["players"], one["goals"], one["reproducible"]) == (["puzzle"], [100], True)
    assert one["moves"] == [[f"(pick {number})"] for number in (3, 1, 4, 2)]
    assert one == json.loads(agent("play", "--game", str(sheet), "--json").stdout)
    assert read_records(path, load_machine(str(sheet))).goals.tolist() == [[100]]
    tree = json.loads(agent("play", "--game", str(sheet), "--json", "--option", "solver").stdout)
    assert tree["players"] == ["uct"]
    refused = agent("play", "--game", str(sheet), "--robot", "puzzle", "--in-flight", "2")
    assert refused.exit_code != 0
    assert "options of UCT" in str(refused.exception)
    several = agent("play", "--game", "tictactoe.ext", "--x", "puzzle")
    assert "has 2 roles" in str(several.exception)


def test_chance_plays_the_role_random(tmp_path: Path) -> None:
    sheet = tmp_path / "race.kif"
    sheet.write_text(RACE)
    for engine in ("circuit", "interpreter"):
        command = ("play", "--game", str(sheet), "--playouts", "20", "--json", "--engine", engine)
        played = json.loads(agent(*command).stdout)
        assert played["players"] == ["uct", "chance", "uct"]
        assert played["playouts"][1] == 0
        assert played == json.loads(agent(*command).stdout)
    refused = agent("play", "--game", str(sheet), "--random", "uct")
    assert "the roles of race are --white, --black" in str(refused.exception)
    told = json.loads(agent("referee", "--game", str(sheet), "--players", "random,random", "--json").stdout)
    assert told["players"] == ["random", "chance", "random"]
    assert told["faults"] == []
