"""Every command prints the keys that docs/json.md promises, as one line and nothing else."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from gdl_miner.agent.cli import app as agent
from gdl_miner.miner.cli import app as miner

APPS = {"agent": agent, "miner": miner}
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "json.md").read_text()
PROMISED = {
    command: re.findall(r"`(\w+)`", keys) for command, keys in re.findall(r"^\| `([^`]+)` \| (.*) \|$", PAGE, re.M)
}
GAME = "--game tictactoe.ext"
SMALL = "--matches 4 --playouts 2"
ARGUMENTS = {
    "agent analyse": f"{GAME} --playouts 5",
    "agent board": "tictactoe.ext",
    "agent check": "tictactoe.ext",
    "agent info": "tictactoe.ext",
    "agent bench": f"{GAME} --seconds 0.02",
    "agent bench --search": f"{GAME} --seconds 0.02 --playouts 5",
    "agent knowledge list": GAME,
    "agent knowledge show": f"quick {GAME}",
    "agent perft": f"{GAME} --depth 1",
    "agent play": f"{GAME} --playouts 2",
    "agent referee": f"{GAME} --players random,random --startclock 1 --playclock 1",
    "agent replay": f"{GAME} OUT/match.xml",
    "agent review": f"{GAME} OUT/match.xml --role x --own-playouts 5 --playouts 50",
    "miner score": f"{GAME} {SMALL} --knowledge RUN/best.xml",
    "miner sweep": "tictactoe.ext --config RUN/../tiny.toml --executor serial --out OUT/sweep",
    "miner tournament": f"{GAME} --matches 2 --playouts 2 --executor serial uct random",
    "miner league": f"{GAME} --matches 2 --playouts 2 --executor serial RUN",
    "miner tune": f"{GAME} {SMALL} --executor serial",
    "miner compare": "RUN RUN",
    "miner curves": "RUN",
    "miner genes": "RUN RUN",
    "miner mine": f"{GAME} RUN --out OUT/mined.xml",
    "miner explain": f"RUN/best.xml {SMALL} --positions 10",
    "miner prune": f"RUN/best.xml {SMALL} --positions 10 --check 2 --out OUT/small.xml",
    "miner plugins": "",
    "miner cluster check": f"{ROOT}/cluster.yaml",
}
WITH_FAULTS = "miner cluster check"  # of a file whose addresses are examples


def printers(name: str, command: Any) -> list[str]:
    """Return the names of a command and of those below it that have the option --json."""
    below = [
        each for word, part in getattr(command, "commands", {}).items() for each in printers(f"{name} {word}", part)
    ]
    return [name, *below] if any("--json" in option.opts for option in command.params) else below


def test_the_page_names_every_command_that_prints_json() -> None:
    able = {name for program, app in APPS.items() for name in printers(program, get_command(app))}
    assert {command.partition(" --")[0] for command in PROMISED} == able
    assert PROMISED.keys() == ARGUMENTS.keys()


@pytest.mark.parametrize("command", ARGUMENTS)
def test_a_command_prints_the_promised_keys_and_nothing_else(command: str, finished_run: Path, tmp_path: Path) -> None:
    record = [*GAME.split(), "--playouts", "2", "--record", str(tmp_path / "match.xml")]
    assert CliRunner().invoke(APPS["agent"], ["play", *record]).exit_code == 0
    told = ARGUMENTS[command].replace("RUN", str(finished_run)).replace("OUT", str(tmp_path)).split()
    program, *words = command.split()
    position = "{}\n"  # for commands that read some
    result = CliRunner().invoke(APPS[program], [*words, *told, "--json"], input=position)
    assert result.exit_code == (command == WITH_FAULTS), result.output
    assert result.stdout.count("\n") == 1
    printed = json.loads(result.stdout)
    assert list(printed[0] if isinstance(printed, list) else printed) == PROMISED[command]
