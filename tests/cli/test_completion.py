"""What the shells' completion answers, and the programs started as modules of Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gdl_miner.agent.games import bundled
from gdl_miner.agent.version import program_version

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent
# Bash calls the function of a program for each Tab, with the words of the line and the number of the present one.
TAB = """
{script}
COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); [[ "{line}" != *" " ]] || ((++COMP_CWORD))
"$(complete -p {program} | sed -E 's/.*-F ([^ ]+).*/\\1/')" {program}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def ran(*command: object, code: int = 0, cwd: Path = ROOT, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "COLUMNS": "200", **settings}
    words = [str(word) for word in command]
    ended = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stderr
    return ended


def script_of(program: str, shell: str) -> str:
    """The script that a shell reads, as `--install-completion` writes it."""
    return ran(program, "--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1").stdout


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("agent ta", {"table"}),
        ("agent show tictac", {"tictactoe.ext", "tictactoe5.ext"}),
        ("agent play --game hex", {"hex5.ext", "hex11.ext"}),
        ("agent show nosuch", {""}),  # bash then completes files
        ("miner learn --with e", {"evolution", "expert-iteration"}),
        ("miner evolve --config thes", {"thesis"}),
        ("miner score --equal-", {"--equal-time"}),
        ("miner cluster ", {"check", "wait", "stop"}),
    ],
)
def test_bash_completes_commands_options_games_methods_and_configurations(line: str, answers: set[str]) -> None:
    program = line.split()[0]
    script = TAB.format(script=script_of(program, "bash"), line=line, program=program)
    assert set(ran("bash", "-c", script).stdout.splitlines()) == answers


def test_zsh_and_fish_are_answered_in_their_own_way() -> None:
    words = {"_TYPER_COMPLETE_ARGS": "agent show connect"}
    assert "#compdef agent" in script_of("agent", "zsh")
    answer = ran("agent", _AGENT_COMPLETE="complete_zsh", **words).stdout
    assert '"connectfour.ext"' in answer
    assert answer.startswith("_arguments")
    assert "complete --command agent" in script_of("agent", "fish")
    fish = {"_AGENT_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args", **words}
    assert ran("agent", **fish).stdout.split() == ["connectfour.ext", "connectfour7.ext"]
    assert {"connectfour.ext", "connectfour7.ext"} < set(bundled())


def test_the_package_as_a_module_says_what_there_is_and_hands_over() -> None:
    module = (sys.executable, "-m", "gdl_miner")
    said = ran(*module).stdout
    assert said == ran(*module, "--help").stdout
    assert "python -m gdl_miner agent …" in said
    assert "python -m gdl_miner miner …" in said
    assert ran(*module, "--version").stdout == f"gdl-miner {program_version()}\n"
    assert ran(*module, "agent", "check", "tictactoe.ext").stdout == (ran("agent", "check", "tictactoe.ext").stdout)
    assert "Usage: python -m gdl_miner miner score " in ran(*module, "miner", "score", "--help").stdout
    wrong = ran(*module, "player", code=2).stderr
    assert wrong == "error: python -m gdl_miner: there is no program player; give agent or miner\n"
    refused = ran(*module, "agent", "info", "nosuch.kif", code=2).stderr
    assert refused.startswith("error: nosuch.kif: ")
    assert refused.count("\n") == 1


@pytest.mark.parametrize("program", ["agent", "miner"])
def test_each_program_is_a_module_too(program: str) -> None:
    module = f"gdl_miner.{program}"
    assert f"Usage: python -m {module} " in ran(sys.executable, "-m", module, "--help").stdout
