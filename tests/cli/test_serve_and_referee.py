"""`agent serve` and `agent referee` on the command line, and the use of their records."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdl_miner.agent.commands import serve
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.referee.players import RemotePlayer
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.server.http import PlayerServer
from gdl_miner.agent.server.messages import Message
from gdl_miner.agent.server.preparation import PreparationProcess
from gdl_miner.agent.server.running_match import Margin
from gdl_miner.agent.server.seat import SeatOptions
from gdl_miner.agent.version import program_version
from tests.cli.conftest import Refusal
from tests.command_line import agent, miner, succeeded


def served(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "gdl_miner.agent", "serve", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served") / "records"


@pytest.fixture(scope="module")
def url(records: Path) -> Iterator[str]:
    with served("--port", "0", "--name", "Tester", "--threads", "1", "--records", str(records)) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:")
        yield line.split()[-1]
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
        assert server.returncode == 0, errors
        assert "Traceback" not in errors


def test_a_refereed_match_is_told_recorded_replayed_and_mined(url: str, records: Path, tmp_path: Path) -> None:
    path = tmp_path / "match.xml"
    common = ("--game", "tictactoe.ext", "--startclock", "1.5", "--playclock", "1", "--scramble")
    shown = agent("referee", *common, "--players", f"{url},random", "--record", str(path), "--name", "M.1")
    assert shown.exit_code == 0, shown.output
    assert "fault" not in shown.stdout
    assert f"{url}, slowest answer 0." in shown.stdout
    told = json.loads(agent("referee", *common, "--players", f"random,{url}", "--json", "--seed", "2").stdout)
    assert (told["match"], told["faults"]) == ("tictactoe.ext-2", [])
    assert agent("replay", "--game", "tictactoe.ext", str(path), "--match", "M.1").exit_code == 0

    own = sorted(records.glob("*.xml"))
    assert [file.name for file in own] == ["tictactoe.ext-M.1.xml", "tictactoe.ext-tictactoe.ext-2.xml"]
    machine = load_machine("tictactoe.ext")
    assert (read_records(own[0], machine).moves == read_records(path, machine).moves).all()
    out = tmp_path / "features.xml"
    mined = succeeded(miner("mine", "--game", "tictactoe.ext", records, "--out", out, "--policy", "phi"))
    assert "2 matches mined" in mined
    assert read_knowledge(out, machine.sheet).roles == ("x", "o")


@pytest.mark.parametrize("command", [("serve", "--port", 0), ("table", "--game", "tictactoe.ext")])
def test_an_option_that_is_wrong_is_explained(command: tuple[object, ...], refusal: Refusal) -> None:
    problem = "--option speed=3: there is no parameter speed; give one of"
    assert refusal("agent", *command, "--option", "solver", "--option", "speed=3").startswith(f"error: {problem}")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--players", "random"), "1 players for the roles x, o; give one for each"),
        (("--players", "random,nobody"), "nobody: no such player; there are uct, random, a knowledge file"),
        (("--players", "random,random", "--name", "a b"), "--name a b: give one word"),
        (("--players", "random,random", "--name", "a\ufffe"), "give one word"),  # no XML can hold it
        (("--players", "random,random", "--record", "/nowhere/at/all.xml"), "/nowhere/at"),
    ],
)
def test_a_mistake_in_calling_the_referee_is_named(arguments: tuple[str, ...], problem: str) -> None:
    result = agent("referee", "--game", "tictactoe.ext", *arguments)
    assert result.exit_code != 0
    assert problem in str(result.exception)


def test_a_player_that_is_gone_has_no_goal_and_the_exit_status_says_so() -> None:
    arguments = ("referee", "--game", "tictactoe.ext", "--players", "http://127.0.0.1:1,random", "--seed", "1")
    shown = agent(*arguments)
    assert shown.exit_code == 1
    assert "x: no goal, http://127.0.0.1:1; it made no move itself: random ones replaced them all\n" in shown.stdout
    told = json.loads(agent(*arguments, "--json").stdout)
    assert (told["goals"][0], told["own_moves"][0], told["never_moved"]) == (None, 0, [True, False])
    assert told["goals"][1] is not None


def test_an_answer_stays_in_the_line_of_its_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(self: RemotePlayer, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        return "\x1b[2J(mark\nx: 100, me"

    monkeypatch.setattr(RemotePlayer, "ask", answer)
    shown = agent("referee", "--game", "tictactoe.ext", "--players", "http://127.0.0.1:1,random").stdout
    assert "fault: move 1, x: illegal (\\x1b[2J(mark x: 100, me)\n" in shown
    assert "\nx: 100" not in shown


def test_a_referee_needs_positive_clocks() -> None:
    result = agent("referee", "--game", "tictactoe.ext", "--players", "random,random", "--playclock", "0")
    assert result.exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--name", "two words"), "--name two words: give one word of letters, digits and signs, without parentheses"),
        (("--knowledge", "/nowhere"), "/nowhere: no such folder"),
        (("--records", "/dev/null/x"), "/dev/null/x: cannot be made"),
        (("--controllers", ""), "--controllers : no address; give addresses or networks"),
        (("--controllers", "example.org"), "--controllers example.org: no address; give addresses or networks"),
        (("--origin", "example.org"), "--origin example.org: no origin; give one such as https://example.org"),
        (("--log", "/dev/null/x"), "/dev/null/x: cannot be written"),
    ],
)
def test_a_mistake_in_calling_the_server_is_named(arguments: tuple[str, ...], problem: str) -> None:
    result = agent("serve", "--port", "0", *arguments)
    assert result.exit_code != 0
    assert problem in str(result.exception)


@pytest.mark.parametrize(("arguments", "ponders"), [((), True), (("--no-ponder",), False)])
def test_the_server_uses_the_opponents_time_unless_told_not_to(
    arguments: tuple[str, ...], ponders: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(name: str, preparation: PreparationProcess, options: SeatOptions, margin: Margin, longest: float) -> None:
        assert options.ponder == ponders
        raise ConfigError("the options were seen")

    monkeypatch.setattr(PreparationProcess, "warm_up", lambda self, seconds: None)
    monkeypatch.setattr(serve, "GamePlayer", end)
    result = agent("serve", "--port", "0", *arguments)
    assert "the options were seen" in str(result.exception)


def test_the_log_tells_when_the_server_began_and_ended_and_which_files_it_leaves_out(tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    (tmp_path / "best.xml").write_text("")
    with served("--port", "0", "--name", "Tester", "--knowledge", str(tmp_path), "--log", str(log)) as server:
        assert server.stdout is not None
        line = server.stdout.readline().strip()
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=30)
        assert server.returncode == 0
    told = [line.split(" ", 2)[2] for line in log.read_text().splitlines()]
    assert told[:2] == [f"INFO Tester starts, version {program_version()}", f"INFO knowledge of no game in {tmp_path}"]
    assert told[2].startswith(f"WARNING {tmp_path}/best.xml:")
    assert told[3:] == [f"INFO {line}", "INFO ends: SIGTERM"]
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        served("--port", str(taken.getsockname()[1]), "--log", str(log)) as server,
    ):
        _, errors = server.communicate(timeout=30)
    assert errors.startswith("error: cannot listen on 127.0.0.1:")
    assert f"ERROR ends: {errors.removeprefix('error: ').strip()}" in log.read_text()


def test_the_server_listens_when_the_processes_of_the_first_match_are_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    async def start(server: PlayerServer) -> None:
        spare = server._player._seating._spare
        assert spare is not None
        assert spare.pipe.poll()
        raise ConfigError("it was ready")

    monkeypatch.setattr(PlayerServer, "start", start)
    assert "it was ready" in str(agent("serve", "--port", "0").exception)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1:{port}" in str(agent("serve", "--port", str(port)).exception)
