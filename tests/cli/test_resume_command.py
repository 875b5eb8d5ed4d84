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
from gdl_miner.miner.results.store import FORMAT
from gdl_miner.miner.runs.interruption import resume_command

JOURNAL = "checkpoints/journal.jsonl"
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
    run = shutil.copytree(finished_run, tmp_path / "run")
    (run / "champion.json").unlink()
    (run / "checkpoints" / "ended").unlink()
    journal = run / JOURNAL
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    return run


def change(path: Path, changed: Callable[[Any], Any]) -> None:
    path.write_text(json.dumps(changed(json.loads(path.read_text()))))


def refusal(run: Path) -> str:
    """Return the message that resuming ends with, and check that it changed no file."""
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    error = CliRunner().invoke(app, ["resume", str(run), "--executor", "serial"]).exception
    assert isinstance(error, ConfigError), repr(error)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    return str(error)


def changed_line(run: Path, number: int, changed: Callable[[Any], Any]) -> None:
    """Change the content of a line of a run's journal."""
    lines = (run / JOURNAL).read_text().splitlines()
    lines[number - 1] = json.dumps(changed(json.loads(lines[number - 1])))
    (run / JOURNAL).write_text("\n".join(lines) + "\n")


def test_a_run_of_another_version_of_the_learner_is_refused_at_its_first_other_task(interrupted: Path) -> None:
    changed_line(interrupted, 3, lambda entry: entry | {"digest": "0" * 16})
    said = refusal(interrupted)
    assert said.startswith(f"{interrupted}/{JOURNAL}:3: the run would go on differently from here (other arguments)")
    version = json.loads((interrupted / "env.json").read_text())["version"]
    assert f"go on with the program that made it (gdl-miner {version}), or begin a new run" in said


def test_a_task_of_another_function_is_named(interrupted: Path) -> None:
    changed_line(interrupted, 1, lambda entry: entry | {"task": "telepathy.listen"})
    assert "gdl_miner.miner.runs.matches.play_matches where it says telepathy.listen" in refusal(interrupted)


def test_a_result_that_is_none_of_its_task_is_refused(interrupted: Path) -> None:
    changed_line(interrupted, 1, lambda entry: entry | {"result": {"class": "MatchResults", "goals": 7}})
    assert f"{JOURNAL}:1: the result is damaged" in refusal(interrupted)


def test_arrays_that_are_missing_are_named(interrupted: Path) -> None:
    changed_line(interrupted, 1, lambda entry: entry | {"arrays": 1})
    assert "arrays/00000.npz" in refusal(interrupted)


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


@pytest.mark.parametrize("line", ["7", "[]", "{}", '{"task": "x"}', "{", "\x00"])
def test_a_line_of_no_known_shape_is_refused(line: str, interrupted: Path) -> None:
    with (interrupted / JOURNAL).open("a") as journal:
        journal.write(f"{line}\n")
    number = len((interrupted / JOURNAL).read_text().splitlines())
    assert f"{JOURNAL}:{number}: damaged, or of another version" in refusal(interrupted)


def test_a_line_that_was_cut_off_is_as_if_it_were_not_there(interrupted: Path, finished_run: Path) -> None:
    with (interrupted / JOURNAL).open("a") as journal:
        journal.write('{"task": "gdl_miner.miner.runs.matches.val')
    result = CliRunner().invoke(app, ["resume", str(interrupted), "--executor", "serial"])
    assert result.exit_code == 0, result.output
    assert (interrupted / "champion.json").read_bytes() == (finished_run / "champion.json").read_bytes()
    assert len((interrupted / JOURNAL).read_text().splitlines()) == len(
        (finished_run / JOURNAL).read_text().splitlines()
    )


def test_a_complete_run_is_not_resumed(finished_run: Path) -> None:
    assert CliRunner().invoke(app, ["resume", str(finished_run)]).output == f"{finished_run}: the run is complete\n"


def test_a_run_that_was_killed_before_its_report_was_whole_is_finished(finished_run: Path, interrupted: Path) -> None:
    run = interrupted
    (run / "report.html").unlink()
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
