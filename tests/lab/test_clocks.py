"""`scripts/lab opponents` with clocks, from end to end, against a GGP player of random moves."""

import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import Result

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.gdl.renaming import scrambled
from gdl_miner.agent.knowledge import Parameters, write_knowledge
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import load_machine
from lab.opponents.seats import short_name
from tests.command_line import lab, succeeded
from tests.knowledge.plain import knowledge_of
from tests.lab.test_engines import described

HERE = Path(__file__).parent
MACHINE = load_machine("tictactoe.ext")


def player(fault: str = "", game: str = "tictactoe.ext") -> str:
    return f"ggp:{sys.executable} {HERE / 'random_player.py'} {{port}} {game} {fault}"


OPENING = 4  # plies; the players have two or three moves each in tic-tac-toe


def run(*arguments: str, game: str = "tictactoe.ext", play_clock: int = 1) -> Result:
    clocks = ("--start-clock", 2, "--play-clock", play_clock)
    return lab("opponents", game, "--opening-plies", OPENING, *arguments, *clocks, "--matches", 2)


def results(out: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in sorted(out.glob("*/*/match.json"))]


@pytest.mark.slow
def test_a_pair_is_played_kept_and_not_played_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    setup = [player(), "--option", "solver=false", "--out", str(out)]
    first = run(*setup, "ggp:/nowhere/player {port}")
    assert first.exit_code == 0, first.output
    assert "skipped: /nowhere/player: there is no such program" in first.stderr
    rows = first.stdout.splitlines()
    assert rows[0].split()[:2] == ["opponent", "w-l-d"]
    assert [row.split()[0] for row in rows[1:]] == [f"ggp:{Path(sys.executable).name}", "ggp:player"]

    played = results(out)
    assert [match["role"] for match in played] == ["o", "x"]
    assert len({str(match["moves"][:OPENING]) for match in played}) == 1  # both begin with the same opening
    for told in played:
        match = OngoingMatch(MACHINE)
        own = MACHINE.roles.index(told["role"])
        choices = []
        for joint in told["moves"]:
            if match.number >= OPENING and len(match.legal(own)) > 1:
                choices.append((match.number, joint[own]))
            match.advance(joint)
        assert match.ended
        assert list(match.goals) == told["goals"]
        moves = told["own_moves"]
        assert [(move["ply"], move["move"]) for move in moves] == choices
        assert all(move["chosen"] and move["fault"] is None for move in moves)
        assert all(move["playouts"] is not None and move["most_visited"] is not None for move in moves)
        assert any(move["playouts"] > 0 for move in moves)
        assert told["faults"] == []
        assert told["settings"]["start_clock"] == 2

    again = run(*setup, "--json")
    assert again.exit_code == 0, again.output
    assert again.stderr.count(", played before") == 2
    told = json.loads(again.stdout)
    wins = [match["result"] for match in played]
    assert (told["n"], told["wins"], told["losses"]) == (2, wins.count("win"), wins.count("loss"))
    assert told["own_moves"] == sum(len(match["own_moves"]) for match in played)
    assert (told["own_faults"], told["engine_faults"]) == ({"late": 0, "illegal": 0}, {"late": 0, "illegal": 0})
    assert told["not_chosen"] == 0
    assert told["playouts"] > 0
    assert told["other_load"] >= 0

    path = next(iter(sorted(out.glob("*/*/match.json"))))
    path.write_text("{}")
    broken = run(*setup)
    assert "no match against an opponent" in str(broken.exception)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "what"), [("late", "late"), ("illegal", "illegal"), ("die", "unreachable")])
def test_faults_of_the_engine_are_told_apart_from_ours(fault: str, what: str, tmp_path: Path) -> None:
    # The clock is long enough for our answers to be in time on a busy processor, too.
    result = run(player(fault), "--opening-plies", "0", "--json", "--out", str(tmp_path), play_clock=2)
    told = json.loads(succeeded(result))
    assert told["engine_faults"][what] >= 2
    assert told["own_faults"] == {"late": 0, "illegal": 0}


@pytest.mark.slow
def test_a_player_that_runs_is_reached_by_its_url(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    with subprocess.Popen([sys.executable, str(HERE / "random_player.py"), port, "tictactoe.ext"]) as process:
        try:
            result = run(f"ggp:http://127.0.0.1:{port}/", "--json", "--engine-seconds", "30")
        finally:
            process.terminate()
    told = json.loads(succeeded(result))
    assert told["n"] == 2
    assert told["engine_faults"] == {"late": 0, "illegal": 0}


@pytest.mark.slow
def test_another_server_runs_the_matches(tmp_path: Path) -> None:
    server = f"{sys.executable} {HERE / 'ggp_server.py'}"
    result = run(player("illegal"), "--server", server, "--json", "--out", str(tmp_path), "--opening-plies", "1")
    told = json.loads(succeeded(result))
    # The second answer of the engine is no part of the opening.
    assert told["engine_faults"] == {"late": 0, "illegal": 2}
    assert told["own_faults"] == {"late": 0, "illegal": 0}
    played = results(tmp_path)
    assert played[0]["moves"][0] == played[1]["moves"][0]
    assert all(move["chosen"] for match in played for move in match["own_moves"])


@pytest.mark.slow
def test_a_server_that_tells_wrong_goals_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRONG_GOALS", "1")
    result = run(player(), "--server", f"{sys.executable} {HERE / 'ggp_server.py'}")
    assert "the server has the goals [100, 100], but by the rules they are" in str(result.exception)


@pytest.mark.slow
def test_knowledge_and_options_reach_the_player_of_a_renamed_game(tmp_path: Path) -> None:
    rules = scrambled(MACHINE.sheet, 4)[0]
    sheet = tmp_path / "renamed.kif"
    sheet.write_text(rules)
    renamed = load_machine(str(sheet))
    write_knowledge(knowledge_of(renamed, parameters=Parameters(uct_c=3.0)), tmp_path / "mine.xml", renamed.sheet)
    given = ["--knowledge", str(tmp_path / "mine.xml"), "--option", "uct_c=7"]
    result = run(player(game=str(sheet)), *given, "--out", str(tmp_path / "out"), game=str(sheet))
    assert result.exit_code == 0, result.output
    logs = [path.read_text() for path in (tmp_path / "out").glob("*/*/player.log")]
    assert len(logs) == 2
    assert all("with knowledge, uct_c=7" in log for log in logs)
    assert all(move["most_visited"] is not None for match in results(tmp_path / "out") for move in match["own_moves"])


@pytest.mark.slow
def test_an_engine_behind_an_adapter_plays_by_the_clocks(tmp_path: Path) -> None:
    engine = described("connectfour.ext")
    clocks = ("--start-clock", 2, "--play-clock", 0.5)
    told = json.loads(succeeded(lab("opponents", "connectfour.ext", engine, "--matches", 2, *clocks, "--json")))
    assert told["engine"] == engine
    assert told["n"] == 2
    assert told["engine_moves"] > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([player("refuse")], "no opponent has played"),
        (["ggp:player"], "it does not say where the player's port goes; give it as {port}"),
        (["ggp:'player {port}"], "No closing quotation"),
        ([player(), "--option", "speed=3"], "there is no parameter speed"),
        ([player(), "--serve", "--no-such-option"], "agent serve: .*No such option"),
        ([player(), "--knowledge", "/nowhere/best.xml"], "/nowhere/best.xml"),
        (["uci:fish?depth=1"], "uci engines play breakthrough.ext, not tictactoe.ext"),
        ([player(), "--server", "/nowhere/server"], "/nowhere/server: the server cannot be started"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], says: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, UserError)
    assert re.search(says, str(result.exception))


def test_a_mistake_is_one_line_and_the_status_2() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "lab", "opponents", "tictactoe.ext", "ggp:/nowhere/player {port}"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-1] == "error: no opponent has played; the lines before say why"


@pytest.mark.slow
def test_the_players_end_with_the_command(tmp_path: Path) -> None:
    words = ["tictactoe.ext", player(), "--start-clock", "60", "--out", str(tmp_path)]
    with subprocess.Popen([sys.executable, "-m", "lab", "opponents", *words], stderr=subprocess.PIPE) as process:
        log = _appearing(tmp_path, "*/*/player.log")
        port = int(_found(log, r"listening on http://127.0.0.1:(\d+)/"))
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 130
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 5)
    assert not results(tmp_path)


def _appearing(folder: Path, pattern: str) -> Path:
    """Return the first file of a pattern as soon as it is there."""
    while not (found := list(folder.glob(pattern))):
        time.sleep(0.1)
    return found[0]


def _found(log: Path, pattern: str) -> str:
    """Return the group of a pattern as soon as it is in a file."""
    while not (found := re.search(pattern, log.read_text())):
        time.sleep(0.1)
    return found[1]


def test_a_short_name_leaves_folders_out() -> None:
    assert short_name("ggp:/opt/sancho/sancho {port} x") == "ggp:sancho"
    assert short_name("uci:/opt/fish --quiet?depth=6&Skill Level=3") == "uci:fish?depth=6&Skill Level=3"
