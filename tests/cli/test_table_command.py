"""`agent table` and `agent replay` on the command line."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gdl_miner.agent import cli
from gdl_miner.agent.errors import RecordError, UserError


def agent(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, list(arguments))


def test_the_help_teaches_the_table() -> None:
    shown = agent("table", "--help").stdout
    assert "--seats" in shown
    assert "agent table --game amazons.ext --open" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seats", "you"], "1 given; tictactoe.ext has x, o"),
        (["--seats", "you,god"], "god is none of you, knowledge, uct, random"),
        (["--seats", "you,knowledge"], "give it with --knowledge"),
        (["--knowledge", "nosuch.xml"], "nosuch.xml"),
    ],
)
def test_a_mistake_at_the_table_is_told_before_anything_is_served(arguments: list[str], message: str) -> None:
    result = agent("table", "--game", "tictactoe.ext", *arguments)
    assert isinstance(result.exception, UserError)
    assert message in str(result.exception)


def test_a_port_in_use_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = agent("table", "--game", "tictactoe.ext", "--port", str(taken.getsockname()[1]))
    assert isinstance(result.exception, UserError)
    assert "choose another --port" in str(result.exception)


def test_the_table_prints_its_address_and_ctrl_c_ends_it_with_a_browser_at_it() -> None:
    command = [sys.executable, "-m", "gdl_miner.agent", "table", "--game", "tictactoe.ext", "--seats", "uct,uct"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"http://127\.0\.0\.1:\d+/\S+/", process.stdout.readline())
    assert found is not None
    with urllib.request.urlopen(f"{found[0]}news", timeout=20) as news:
        assert news.readline().startswith(b"data: ")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert errors == ""


@pytest.fixture
def match(tmp_path: Path) -> Path:
    path = tmp_path / "match.xml"
    agent("play", "--game", "tictactoe.ext", "--x", "random", "--o", "random", "--record", str(path), "--seed", "3")
    return path


def test_replay_shows_every_position_and_move(match: Path) -> None:
    shown = agent("replay", "--game", "tictactoe.ext", str(match)).stdout
    moves = re.findall(r"^ +\d+  [xo] \(mark", shown, re.MULTILINE)
    assert len(moves) >= 5
    assert shown.count("    1 2 3\n") == len(moves) + 1
    assert shown.splitlines()[-1].startswith("result: x ")


def test_replay_refuses_a_match_that_breaks_the_rules(match: Path) -> None:
    text = match.read_text()
    first, second = re.findall(r"\(mark \d \d [xo]\)", text)[:2]
    assert first[-2] == "x"
    match.write_text(text.replace(f"<MoveFact>{first}", f"<MoveFact>{second[:-2]}x)", 1))
    result = agent("replay", "--game", "tictactoe.ext", str(match))
    assert isinstance(result.exception, RecordError)
    assert "state 1: not the state the rules lead to" in str(result.exception)


def test_replay_names_the_matches_there_are(match: Path) -> None:
    result = agent("replay", "--game", "tictactoe.ext", str(match), "--match", "nosuch")
    assert "no match nosuch; it has tictactoe.ext-3" in str(result.exception)
