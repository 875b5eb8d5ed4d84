"""The start and the end of all command line programs, and the number of their options."""

import os
import signal
import subprocess
import sys
import tomllib
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from gdl_miner.agent.commands.program import run_program
from gdl_miner.agent.version import program_version

ROOT = Path(__file__).parents[2]
PROGRAMS = ["agent", "miner"]
MOST_OPTIONS = 150  # of all programs together: a person can only look through so many
MODULES = ["gdl_miner.agent", "gdl_miner.miner", "lab"]

# A library that takes long to load and hides that it was interrupted, as libraries with native parts may.
_SLOW = """
import time
print("loading", flush=True)
try:
    time.sleep(60)
except BaseException:
    raise ImportError("the library is broken") from None
"""


def start(module: str, folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", module, "--help"],
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("module", MODULES)
def test_ctrl_c_while_libraries_load_ends_quietly(module: str, tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(_SLOW)
    with start(module, tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "loading\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == ("", "")
    assert process.returncode == 130


# A command that is interrupted while one of its objects is finalized, where Python drops exceptions.
_FINALIZED = """
import os, signal, time
import typer

class Held:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)

app = typer.Typer()

@app.command()
def run():
    held = Held()
    del held
    time.sleep(20)
"""


def test_ctrl_c_is_not_lost_where_python_drops_it(tmp_path: Path) -> None:
    (tmp_path / "finalized.py").write_text(_FINALIZED)
    ended = subprocess.run(
        [sys.executable, "-c", "from gdl_miner.agent.commands.program import run_program; run_program('finalized')"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (130, "")


def test_a_library_that_is_broken_is_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise ImportError('the library is broken')")
    with start("gdl_miner.agent", tmp_path) as process:
        assert "the library is broken" in process.communicate(timeout=20)[1]
    assert process.returncode == 1


def shown_by(program: str, *arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr("sys.argv", [program, *arguments])
    with pytest.raises(SystemExit) as stop:
        run_program(f"gdl_miner.{program}.cli")
    assert not stop.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("argument", "shown"),
    [("\x1b[2J", r"\x1b[2J: a control"), ("a\x9b1m", r"a\x9b1m: a control"), ("\u202ea", r"\u202ea: ")],
)
def test_control_characters_never_reach_the_terminal(
    argument: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["agent", "info", argument])
    with pytest.raises(SystemExit) as stop:
        run_program("gdl_miner.agent.cli")
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {shown}")


def test_a_terminal_without_a_width_shows_what_others_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    assert "Usage:" in shown_by("agent", "check", "--help", monkeypatch=monkeypatch, capsys=capsys)


def test_an_instruction_set_that_there_is_not_and_too_little_memory_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = {**os.environ, "GDL_MINER_ISA": "foo"}
    asked = [sys.executable, "-m", "gdl_miner.agent", "info", "tictactoe.ext"]
    ended = subprocess.run(asked, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: GDL_MINER_ISA: unknown or unsupported instruction set 'foo'; ")
    assert ended.stderr.count("\n") == 1
    (tmp_path / "large.py").write_text(
        "def app(prog_name): raise MemoryError('no room')\napp.registered_commands = app.registered_groups = ()"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SystemExit) as stop:
        run_program("large")
    assert stop.value.code == 2
    assert capsys.readouterr().err == (
        "error: there is too little memory (no room); free some, or allow this process more\n"
    )


@pytest.mark.parametrize("width", [60, 120])
@pytest.mark.parametrize(("program", "command"), [("miner", "score"), ("miner", "compare"), ("agent", "table")])
def test_the_lines_of_a_help_end_where_the_terminal_does_not_where_the_sources_do(
    program: str, command: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = shown_by(program, command, "--help", monkeypatch=monkeypatch, capsys=capsys)
    lines = [line.strip() for line in shown.partition("╭")[0].splitlines()]
    broken = [(line, following) for line, following in pairwise(lines) if line and following]
    assert broken
    assert [line for line, following in broken if len(f"{line} {following.split()[0]}") <= width - 2] == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_say_their_version_alike(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = shown_by(program, "--version", monkeypatch=monkeypatch, capsys=capsys)
    assert shown == f"{program} {program_version()}\n"


def test_the_laboratory_calls_itself_by_the_name_of_its_script(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["lab", "--help"])
    with pytest.raises(SystemExit):
        import_module("lab.__main__").main()
    assert "Usage: scripts/lab [OPTIONS] COMMAND" in capsys.readouterr().out
    assert (ROOT / "scripts" / "lab").is_file()


@pytest.mark.parametrize(
    ("program", "libraries"),
    [("agent", {"aiohttp", "pandas", "pydantic"}), ("miner", {"matplotlib", "pandas", "ray", "scipy.stats"})],
)
def test_programs_start_without_the_libraries_that_take_long_to_load(program: str, libraries: set[str]) -> None:
    script = f"import sys, gdl_miner.{program}.cli; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(found.stdout.split())
    assert f"gdl_miner.{program}.cli" in loaded
    assert not libraries & loaded


def options_of(program: str) -> set[tuple[str, str]]:
    """Return the names and the help of a program's options; an option that several commands share counts once."""
    group: Any = get_command(import_module(program).app)
    commands = [group, *group.commands.values()]
    return {
        (" ".join(option.opts), option.help or "")
        for command in commands
        for option in command.params
        if option.param_type_name == "option"
    }


def test_the_programs_of_the_wheel_have_few_options() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    counts = {name: len(options_of(place.replace("__main__:main", "cli"))) for name, place in scripts.items()}
    assert set(counts) == {"agent", "miner"}
    assert sum(counts.values()) <= MOST_OPTIONS, counts
