"""`miner resume` continues runs; those that this version cannot continue are refused by name and left as they are."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import pack_record
from gdl_miner.miner.results import store
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.runs.interruption import resume_command
from gdl_miner.miner.runs.journal import sealed_line
from gdl_miner.miner.runs.mirror import Mirror, keep_mirror, kept_mirror
from tests.command_line import miner, succeeded
from tests.conftest import TINY
from tests.search.matches import played

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
def interrupted(copied_run: Path) -> Path:
    """A run that was interrupted before its last task, the validation."""
    run = copied_run
    for name in ("champion.json", "checkpoints/ended"):
        (run / name).unlink()
    (run / JOURNAL).write_text("".join((run / JOURNAL).read_text().splitlines(keepends=True)[:-1]))
    return run


def change(path: Path, changed: Callable[[Any], Any]) -> None:
    path.write_text(json.dumps(changed(json.loads(path.read_text()))))


def refusal(run: Path) -> str:
    """Return the message that resuming ends with, and check that it changed no file."""
    before = contents(run)
    error = miner("resume", run, "--executor", "serial").exception
    assert isinstance(error, ConfigError), repr(error)
    assert contents(run) == before
    return str(error)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda config: config | {"telepathy": True}, r"(telepathy: Extra inputs"),
        (
            lambda config: {key: value for key, value in config.items() if key != "search"},
            "config.search: Field required",
        ),
        (lambda config: config | {"genes": {"telepathy": 1.0}}, "telepathy is no gene"),
    ],
)
def test_a_configuration_of_another_version_is_refused_by_the_settings_name(
    changed: Callable[[Any], Any], said: str, interrupted: Path
) -> None:
    change(interrupted / "config.json", lambda content: content | {"config": changed(content["config"])})
    assert said in refusal(interrupted)


def test_a_journal_of_another_learner_is_refused_with_its_line_and_the_maker(interrupted: Path) -> None:
    """The digest of the arguments stands for what another version of a learner would ask for."""
    journal = interrupted / JOURNAL
    lines = journal.read_text().splitlines(keepends=True)
    entry = json.loads(lines[2])
    del entry["sum"]
    journal.write_text("".join([*lines[:2], sealed_line({**entry, "digest": "0" * 16}).decode(), *lines[3:]]))
    version = json.loads((interrupted / "env.json").read_text())["version"]
    said = refusal(interrupted)
    assert said.startswith(f"{journal}:3: the run would go on differently from here (other arguments)")
    assert said.endswith(f"go on with the program that made it (gdl-miner {version}), or begin a new run")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[]", "an object"),
        ("{}", "task: Field required"),
        ('{"task": "a"', "Invalid JSON"),
        ('{"task": 7, "digest": "a", "step": 1, "files": {}, "result": null, "arrays": 0}', "task: "),
        ('{"task": "a", "digest": "a", "step": 1, "files": [], "result": null, "arrays": 0}', "files: "),
    ],
)
def test_a_line_of_no_known_shape_is_refused_with_its_number(line: str, said: str, interrupted: Path) -> None:
    journal = interrupted / JOURNAL
    first, _, rest = journal.read_text().partition("\n")
    journal.write_text(f"{first}\n{line}\n{rest}")
    assert re.search(
        rf"journal\.jsonl:2: damaged, or of another version \(.*{said}.*; go on with", refusal(interrupted)
    )


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda table: table.write_text(table.read_text()[:-20]), "rows are missing; restore the table"),
        (lambda table: table.unlink(), "the table is missing; restore it"),
        (lambda table: table.write_text("x" + table.read_text()), "the columns are those of another version"),
        (lambda table: table.write_text(table.read_text().replace("1", "2")), "rows were changed since; restore"),
    ],
)
@pytest.mark.parametrize("complete", [False, True])
def test_a_table_that_was_changed_is_refused(
    damage: Callable[[Path], object], said: str, complete: bool, interrupted: Path, finished_run: Path
) -> None:
    if complete:
        shutil.rmtree(interrupted)
        shutil.copytree(finished_run, interrupted)
    damage(interrupted / "steps.csv")
    assert f"steps.csv: {said}" in refusal(interrupted)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("config.json", '"seed": ', '"seed": 1', "fingerprint is"),
        ("config.json", '"unit": "', '"unit": "x', "unit is xgeneration"),
        ("config.json", '"steps": ', '"steps": 1', "steps is 1"),
        (JOURNAL, '"result":', '"result": ', "damaged, or of another version (its hash is another)"),
    ],
)
def test_what_the_run_wrote_and_somebody_changed_is_refused(
    name: str, old: str, new: str, said: str, interrupted: Path
) -> None:
    path = interrupted / name
    path.write_text(path.read_text().replace(old, new, 1))
    refused = refusal(interrupted)
    assert refused.startswith(str(path))
    assert said in refused


@pytest.mark.parametrize(
    "place",
    ["matches.csv", JOURNAL, "config.json", ".best.xml.new", "checkpoints", "checkpoints/tasks", "knowledge/a"],
)
def test_a_folder_with_links_is_refused_and_nothing_outside_of_it_changes(place: str, interrupted: Path) -> None:
    linked, outside = interrupted / place, interrupted.parent / "outside"
    if linked.exists():
        linked.rename(outside)
    else:
        outside.write_text("mine")
    linked.symlink_to(outside)
    before = contents(interrupted.parent)
    said = refusal(interrupted)
    assert said.startswith(f"{linked}: a symbolic link, through which writing could leave the folder")
    assert contents(interrupted.parent) == before


def test_a_folder_with_a_named_pipe_is_refused(interrupted: Path) -> None:
    os.mkfifo(interrupted / "records" / "gen_000.xml.gz.part")
    assert "gen_000.xml.gz.part: a named pipe" in refusal(interrupted)
    error = miner("inspect", interrupted).exception
    assert isinstance(error, ConfigError), repr(error)


def test_a_run_goes_on_by_its_copy_of_the_rules_wherever_the_sheet_is(interrupted: Path, tmp_path: Path) -> None:
    moved = {"given": str(tmp_path / "moved" / "tictactoe.ext.kif")}
    change(interrupted / "config.json", lambda content: content | {"game": {**content["game"], **moved}})
    succeeded(miner("resume", interrupted, "--executor", "serial"))
    assert (interrupted / "champion.json").exists()


@pytest.mark.parametrize("kept", [True, False])
def test_a_game_whose_rules_have_changed_is_refused(kept: bool, interrupted: Path, tmp_path: Path) -> None:
    copy, mine = interrupted / "rules.kif", tmp_path / "mine.kif"
    mine.write_text(copy.read_text() + "(<= (legal ?r noop) (role ?r))")
    changed = {"given": str(mine)}
    if kept:
        copy.write_text(mine.read_text())
    else:
        copy.unlink()
        change(interrupted / "config.json", lambda content: content | {"game": {**content["game"], **changed}})
    assert f"{copy if kept else mine}: the rules are not those the run began with" in refusal(interrupted)


def test_a_command_with_or_resume_goes_on_with_its_own_run_only_also_from_a_mirror(
    interrupted: Path, tmp_path: Path
) -> None:
    url = f"file://{tmp_path}/mirror"
    keep_mirror(interrupted, url)
    Mirror(url, interrupted, pytest.fail).copy(last=True)
    content = json.loads((interrupted / "config.json").read_text())
    (tmp_path / "same.toml").write_text(TINY)
    command = ["evolve", "--game", "tictactoe.ext", "--executor", "serial", "--or-resume", "--out", interrupted]
    command += ["--config", tmp_path / "same.toml"]
    error = miner(*command, "--seed", content["config"]["seed"] + 1).exception
    seed = content["config"]["seed"]
    said = f"another game, configuration, seed or start: seed was {seed} and now is {seed + 1}; give another --out"
    assert said in str(error)
    command += ["--seed", content["config"]["seed"]]
    other = shutil.copytree(interrupted, tmp_path / "other")
    change(other / "config.json", lambda content: content | {"source": "other"})
    Mirror(f"{url}-2", other, pytest.fail).copy(last=True)
    assert "the mirror of another run" in str(miner(*command, "--mirror", f"{url}-2").exception)
    assert kept_mirror(interrupted) == url
    shutil.rmtree(interrupted)
    new = [each for each in command if each != "--or-resume"]
    assert "a run is mirrored there; continue it with --or-resume" in str(miner(*new, "--mirror", url).exception)
    assert f"{interrupted} is fetched from {url}" in miner(*command, "--mirror", url).stderr
    assert (interrupted / "champion.json").exists()
    assert "the run is complete" in succeeded(miner(*command))


@pytest.mark.parametrize("before", ["replace_file", "unlink"])
def test_a_run_that_was_killed_while_it_tidied_up_ends_when_it_is_resumed(
    before: str, finished_run: Path, copied_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    run = copied_run
    assert succeeded(miner("resume", run)) == f"{run}: the run is complete\n"
    (run / "checkpoints/ended").unlink()
    record = played(load_machine("tictactoe.ext"), PlayerSpec(playouts=2), 1)
    (run / "checkpoints/gen_002.npz").write_bytes(pack_record(record))
    with monkeypatch.context() as patch:
        patch.setattr(store, before, killed) if before == "replace_file" else patch.setattr(Path, before, killed)
        with pytest.raises(KeyboardInterrupt):
            RunStore(run).end()
    succeeded(miner("resume", run, "--executor", "serial"))
    assert [path.name for path in (run / "checkpoints").rglob("*") if path.is_file()] == ["ended", "journal.jsonl"]
    assert compare_bytes(finished_run, run).complete


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
    succeeded(miner("resume", interrupted, "--executor", "serial"))
