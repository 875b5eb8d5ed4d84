"""`miner resume` continues runs; those that this version cannot continue are refused by name and left as they are."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gdl_miner.agent.errors import ConfigError
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.evolution.genome import GENOME
from gdl_miner.miner.results.store import FORMAT
from gdl_miner.miner.runs.interruption import resume_command

HOLDS = """
import sys
from pathlib import Path
from gdl_miner.miner.runs.run_lock import lock_run
with lock_run(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def interrupted(finished_run: Path, tmp_path: Path) -> Path:
    """A run that was interrupted after its last generation."""
    shutil.copytree(finished_run, tmp_path / "run")
    (tmp_path / "run" / "champion.json").unlink()
    return tmp_path / "run"


def change(path: Path, changed: Callable[[Any], Any]) -> None:
    path.write_text(json.dumps(changed(json.loads(path.read_text()))))


def refusal(run: Path) -> str:
    """Return the message that resuming ends with, and check that it changed no file."""
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    error = CliRunner().invoke(app, ["resume", str(run), "--executor", "serial"]).exception
    assert isinstance(error, ConfigError), repr(error)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    return str(error)


def without_gene(name: str) -> Callable[[Any], Any]:
    """Return a change that makes a checkpoint what it was before a gene was added."""
    position = GENOME.names.index(name)

    def changed(checkpoint: Any) -> Any:
        state = checkpoint["state"]
        del state["genes"][position]
        for individual in state["population"]:
            del individual["values"][position]
        return checkpoint

    return changed


def test_a_checkpoint_from_before_a_gene_was_added_is_refused_by_the_genes_name(interrupted: Path) -> None:
    change(interrupted / "checkpoints/state.json", without_gene("fade"))
    said = refusal(interrupted)
    assert said.startswith(f"{interrupted}/checkpoints/state.json: a checkpoint of another version")
    assert "before there was the gene fade" in said
    version = json.loads((interrupted / "env.json").read_text())["version"]
    assert f"go on with the program that made the run (gdl-miner {version}), or begin a new run" in said


def test_a_checkpoint_with_a_gene_of_a_newer_version_is_refused_by_the_genes_name(interrupted: Path) -> None:
    def changed(checkpoint: Any) -> Any:
        checkpoint["state"]["genes"].append("telepathy")
        return checkpoint

    change(interrupted / "checkpoints/state.json", changed)
    assert "its gene telepathy is none of this version" in refusal(interrupted)


def test_a_run_of_a_newer_format_is_refused_by_its_number(interrupted: Path) -> None:
    change(interrupted / "config.json", lambda config: config | {"format": FORMAT + 1})
    assert f"a run of format {FORMAT + 1}, made by gdl-miner" in refusal(interrupted)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda config: config | {"telepathy": True}, r"(telepathy: Extra inputs"),
        (lambda config: {key: value for key, value in config.items() if key != "search"}, "(search: Field required)"),
        (lambda config: config | {"genes": {"telepathy": 1.0}}, "telepathy is no gene"),
    ],
)
def test_a_configuration_of_another_version_is_refused_by_the_settings_name(
    changed: Callable[[Any], Any], said: str, interrupted: Path
) -> None:
    change(interrupted / "config.json", lambda content: content | {"config": changed(content["config"])})
    assert said in refusal(interrupted)


@pytest.mark.parametrize(
    "content", [[], {}, {"state": None}, {"state": {"genes": 7}}, {"state": [], "tables": {}}, {"tables": []}]
)
def test_a_checkpoint_of_no_known_shape_is_refused(content: Any, interrupted: Path) -> None:
    change(interrupted / "checkpoints/state.json", lambda _: content)
    assert "checkpoints/state.json: " in refusal(interrupted)


def test_a_run_that_was_killed_before_its_report_was_whole_is_finished(finished_run: Path, tmp_path: Path) -> None:
    run = shutil.copytree(finished_run, tmp_path / "run")
    assert CliRunner().invoke(app, ["resume", str(run)]).output == f"{run}: the run is complete\n"
    (run / "report.html").unlink()
    (run / "checkpoints" / "gen_002.npz").touch()  # the file that is removed last
    result = CliRunner().invoke(app, ["resume", str(run), "--executor", "serial"])
    assert result.exit_code == 0, result.output
    assert "The champion scored" in (run / "report.html").read_text("utf-8")
    assert not [*run.glob("checkpoints/*.npz")]
    for name in ("champion.json", "matches.csv"):
        assert (run / name).read_bytes() == (finished_run / name).read_bytes()


@pytest.mark.parametrize(
    ("searched", "here", "said"),
    [
        ("bin", ".", "miner"),
        ("other", ".", "bin/miner"),
        ("other", "elsewhere", "{root}/bin/miner"),
        ("elsewhere", ".", "bin/miner"),  # another miner is there
    ],
)
def test_a_run_says_how_to_go_on_with_the_miner_that_runs(
    searched: str, here: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("bin", "elsewhere"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "miner").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / searched))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "bin" / "miner"), "evolve"])
    monkeypatch.chdir(tmp_path / here)
    assert resume_command(Path("a run")) == f"{said.format(root=tmp_path)} resume 'a run'"
    monkeypatch.setattr(sys, "argv", ["pytest"])
    assert resume_command(Path("run")) == "miner resume run"


def test_a_run_that_another_process_works_on_is_refused_until_that_ends(interrupted: Path) -> None:
    asked = [sys.executable, "-c", HOLDS, str(interrupted)]
    with subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        assert "another process works on this run" in refusal(interrupted)
        other.kill()
    result = CliRunner().invoke(app, ["resume", str(interrupted), "--executor", "serial"])
    assert result.exit_code == 0, result.output
