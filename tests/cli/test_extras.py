"""The core without the libraries of the extras, and commands whose extra is not installed."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import typer

from gdl_miner.agent import extras
from gdl_miner.agent.commands.application import application
from gdl_miner.miner import cli
from gdl_miner.miner.commands.learning import add_learning

ROOT = Path(__file__).parents[2]
EXTRAS = ("learn", "cluster", "serve", "plots")
# Runs programs one after the other where some libraries cannot be imported, and prints what each of them says.
LACKING = """
import contextlib, io, json, sys
lacking, calls = json.loads(sys.argv[1])
sys.modules.update(dict.fromkeys(lacking))
from gdl_miner.agent.commands.program import run_program
said = []
for program, *arguments in calls:
    sys.argv = [program, *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            run_program(f"gdl_miner.{program}.cli")
            status = 0
        except SystemExit as end:
            status = end.code
    said.append([status or 0, out.getvalue(), err.getvalue()])
print(json.dumps(said))
"""


def run_lacking(lacking: Sequence[str], calls: Sequence[Sequence[object]], folder: Path) -> Any:
    """Return the exit status, the output and the errors of each call where libraries of some extras are lacking."""
    modules = [module for extra in lacking for module in extras._MODULES[extra]]
    words = json.dumps([modules, [[str(word) for word in call] for call in calls]])
    return json.loads(printed(["-c", LACKING, words], folder))


def printed(arguments: Sequence[str], folder: Path) -> str:
    ended = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_each_extra_brings_the_modules_that_are_asked_for() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    brought = packages_distributions()
    for extra, modules in extras._MODULES.items():
        named = {re.split(r"[^\w-]", requirement)[0] for requirement in declared[extra]}
        for module in modules:
            for distribution in brought.get(module, []):
                assert distribution.lower().replace("_", "-") in {*named, "open-spiel"}, (extra, module)
    assert declared["all"] == [f"gdl-miner[{','.join(sorted(EXTRAS))}]"]


CORE = """
import sys
sys.modules.update(dict.fromkeys({modules}))
import gdl_miner
game = gdl_miner.load("tictactoe.ext")
state = game.initial_state()
state.apply("(mark 2 2 x)")
assert gdl_miner.search(state, playouts=50).moves
knowledge = gdl_miner.learn(game, seconds=0.3)
gdl_miner.write_knowledge(knowledge, "best.xml", game)
known = gdl_miner.read_knowledge("best.xml", game)
assert len(gdl_miner.evaluate(state, known).values) == 2
assert gdl_miner.score(game, known, matches=4, playouts=8).score.matches >= 4
assert gdl_miner.VectorEnv(game, 3)
try:
    gdl_miner.learn(game, "values")
except gdl_miner.UserError as error:
    print(error)
"""


def test_the_library_plays_searches_evaluates_and_scores_without_extras(tmp_path: Path) -> None:
    modules = [module for extra in EXTRAS for module in extras._MODULES[extra]]
    assert printed(["-c", CORE.replace("{modules}", repr(modules))], tmp_path) == (
        "gdl_miner.learn: deap is not installed; pip install 'gdl-miner[learn]' brings it "
        "(in a checkout: scripts/setup learn)\n"
    )


def test_commands_of_the_core_need_no_extra(tmp_path: Path) -> None:
    game = ("--game", "tictactoe.ext", "--playouts", 8)
    calls = [
        ("agent", "--help"),
        ("agent", "info", "tictactoe.ext"),
        ("agent", "play", *game, "--x", "uct", "--o", "random"),
        ("agent", "bench", "--game", "tictactoe.ext", "--seconds", 0.1),
        ("miner", "--help"),
        ("miner", "tournament", *game, "--matches", 2, "uct", "random"),
    ]
    said = run_lacking(EXTRAS, calls, tmp_path)
    assert [status for status, *_ in said] == [0] * len(calls), said
    assert "pip install 'gdl-miner[cluster]'" in said[-1][2]  # one process works, and the line says how to have more
    for name in cli._LEARNING:
        assert re.search(rf"{name} .*Not installed: pip install 'gdl-miner\[learn\]' brings", said[-2][1])


@pytest.mark.parametrize(
    ("lacking", "command", "where", "extra"),
    [
        ("serve", "agent serve", "agent serve", "serve"),
        ("serve", "agent table --game tictactoe.ext", "agent table", "serve"),
        ("serve", "agent referee --game tictactoe.ext --players random,random", "agent referee", "serve"),
        ("learn", "miner evolve --game tictactoe.ext --config quick", "miner evolve", "learn"),
        ("learn", "miner explain nosuch.xml", "miner explain", "learn"),
        ("learn", "miner inspect RUN", "inspect", "learn"),
        ("cluster", "miner resume RUN --executor ray", "--executor ray", "cluster"),
        ("cluster", "miner learn --game tictactoe.ext --with values --workers 2", "more processes than one", "cluster"),
        ("cluster", "miner cluster check cluster.yaml", "cluster", "cluster"),
        ("plots", "miner plots RUN", "plots", "plots"),
        ("plots", "miner curves RUN", "miner curves", "plots"),
        ("tracking", "miner track RUN", "sqlite:///results/mlflow.db", "tracking"),
    ],
)
def test_a_command_without_its_extra_says_in_a_line_what_to_install(
    lacking: str, command: str, where: str, extra: str, finished_run: Path, tmp_path: Path
) -> None:
    words = [str(finished_run) if word == "RUN" else word for word in command.split()]
    [[status, output, error]] = run_lacking([lacking], [words], tmp_path)
    assert (status, output) == (2, "")
    assert re.fullmatch(
        rf"error: {re.escape(where)}: \w+ is not installed; pip install 'gdl-miner\[{extra}\]' brings it "
        rf"\(in a checkout: scripts/setup {extra}\)\n",
        error,
    )
    assert not list(tmp_path.iterdir())


def test_a_run_without_ray_and_pictures_has_the_same_bytes_and_says_so(finished_run: Path, tmp_path: Path) -> None:
    [[status, output, error]] = run_lacking(
        ("cluster", "plots"), [("miner", "repeat", finished_run, "--out", tmp_path / "again")], tmp_path
    )
    assert status == 0, error
    assert "agree" in output
    assert "this process does all the work; pip install 'gdl-miner[cluster]'" in error
    assert "runs draw no pictures; pip install 'gdl-miner[plots]'" in error
    assert (tmp_path / "again/report.html").exists()
    assert not list((tmp_path / "again").glob("*.png"))


def test_the_commands_that_may_lack_their_extra_are_those_that_learn() -> None:
    app = application("tiny", "A program.")
    add_learning(app)
    assert tuple(typer.main.get_command(app).commands) == cli._LEARNING  # type: ignore[attr-defined]
