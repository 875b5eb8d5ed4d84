"""`agent table` on the command line."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from gdl_miner.agent.errors import UserError
from tests.command_line import agent


def test_the_help_teaches_the_table() -> None:
    shown = agent("table", "--help").stdout
    assert "--seats" in shown
    assert "agent table --game amazons.ext --open" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seats", "you"], "1 given; tictactoe.ext has x, o"),
        (["--seats", "x=you"], "1 given; tictactoe.ext has x, o"),
        (["--seats", "x=you,y=uct"], "name each role once, as in x=you,o=you"),
        (["--seats", "o=you,x=god"], "god: no such player; there are you, knowledge, uct, random"),
        (["--playouts", "5", "--level", "2"], "give one of them"),
        (["--position", "nosuch.txt"], "--position nosuch.txt: cannot be read"),
        (["--seats", "you,god"], "--seats you,god: god: no such player"),
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
