"""The README's sh and python blocks, and those of docs/library.md, run as written.

Long commands have additional options, from `SHORTENED`.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gdl_miner.agent.games import bundled
from gdl_miner.agent.released import read_index
from tests.conftest import TINY

ROOT = Path(__file__).parents[1]

# The evolutions take a quarter of an hour and half a minute as written; here they have one generation.
SHORTENED = {
    "scripts/miner evolve --game amazons.ext.kif": "--config TINY --playouts 4 --generations 1 --executor serial",
    "scripts/miner evolve --game tictactoe.ext --config quick --seed 7": "--generations 1 --executor serial",
    "scripts/agent bench --game connectfour.ext": "--seconds 0.2",
}
# The first serves until it is stopped (tests/site/test_tutorial.py reads such a page), and the second is this run.
NOT_RUN = ("scripts/agent table ", "scripts/test")


def readme_commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line.split(" #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith(NOT_RUN)]


@pytest.mark.slow
@pytest.mark.parametrize("command", readme_commands())
def test_readme_command_runs(command: str, tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    shortened = SHORTENED.get(command, "").replace("TINY", str(tmp_path / "tiny.toml"))
    script, *arguments = shlex.split(f"{command} {shortened}")
    program = Path(script).name
    assert (ROOT / "scripts" / program).is_file()
    if arguments[0] in ("evolve", "learn"):
        arguments += ["--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-m", f"gdl_miner.{program}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()


def test_the_readme_claims_what_was_measured_of_released_knowledge() -> None:
    at_equal_work = [each.strength[0]["win_percent"] for each in read_index() if each.level == "quick"]
    clear = sum(percent >= 90 for percent in at_equal_work)
    assert f"| {clear} of {len(bundled())} bundled games, against" in (ROOT / "README.md").read_text("utf-8")


def readme_programs() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("program", readme_programs())
def test_readme_program_runs(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.slow
def test_the_blocks_of_the_library_page_run_one_after_the_other(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 3
    (tmp_path / "blocks.py").write_text("\n".join(blocks))
    command = [sys.executable, str(tmp_path / "blocks.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "('left', 'right')\n(100, 0)" in done.stdout
