"""`miner inspect`, `compare` and `repeat` on runs that exist."""

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gdl_miner.agent.errors import UserError
from gdl_miner.miner.cli import app
from gdl_miner.miner.results.agreement import compare_bytes
from tests.conftest import SEED


def miner(*arguments: str | Path | int, columns: int = 120) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments], env={"COLUMNS": str(columns)})


@pytest.fixture
def copy(finished_run: Path, tmp_path: Path) -> Path:
    """A run that a test may change."""
    shutil.copytree(finished_run, tmp_path / "copy")
    return tmp_path / "copy"


def test_inspect_shows_every_generation_and_the_champion(finished_run: Path) -> None:
    result = miner("inspect", finished_run)
    assert result.exit_code == 0, result.output
    champion = json.loads((finished_run / "champion.json").read_text())
    assert result.output.count("●") == 3
    assert f"champion {champion['individual']} on fresh matches: {champion['win_percent']:.1f} %" in result.output
    assert "Measures of the best" in result.output
    assert "Features of the best" in result.output
    assert re.search(r"work_ratio +\S\S +[\d.]+ +[\d.]+ to [\d.]+", result.output)


@pytest.mark.parametrize(("columns", "last"), [(120, "work"), (80, "matches/s"), (60, "mean %"), (45, "95 %")])
def test_inspect_leaves_out_what_a_narrow_terminal_has_no_room_for(finished_run: Path, columns: int, last: str) -> None:
    table = miner("inspect", finished_run, columns=columns).output.partition("Features of the best")[0]
    heading = next(line for line in table.splitlines() if "win %" in line)
    assert "…" not in table
    assert re.search(rf"{last} +\d+ % +\d+ %$", heading.rstrip())


def test_inspect_reads_a_run_that_has_only_begun(copy: Path) -> None:
    for name in ("steps.csv", "matches.csv", "timings.csv", "champion.json"):
        (copy / name).unlink()
    result = miner("inspect", copy)
    assert result.exit_code == 0, result.output
    assert "not complete: 0 of 2 generations" in result.output


def test_watching_a_complete_run_ends_at_once(finished_run: Path) -> None:
    assert "complete: champion" in miner("inspect", finished_run, "--watch").output


def test_a_watched_run_is_shown_anew_when_it_goes_on(
    copy: Path, finished_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copy / "champion.json").unlink()
    monkeypatch.setattr(
        "gdl_miner.miner.commands.inspect.time.sleep", lambda _: shutil.copy(finished_run / "champion.json", copy)
    )
    output = miner("inspect", copy, "--watch").output
    assert output.index("not complete: 2 of 2 generations") < output.index("complete: champion")


def test_compare_names_the_settings_that_differ_and_no_others(finished_run: Path, copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    config["config"]["search"]["uct_c"] = 12.5
    (copy / "config.json").write_text(json.dumps(config))
    result = miner("compare", finished_run, copy)
    assert result.exit_code == 0, result.output
    assert "search.uct_c" in result.output
    assert "12.5" in result.output
    assert "search.playouts" not in result.output


def test_a_run_compared_with_itself_is_as_good_and_alike(finished_run: Path) -> None:
    output = miner("compare", finished_run, finished_run).output
    assert "+0 ±" in output
    assert "50.0 %" in output
    assert "the same game, rules and settings" in output
    assert "setting  A" not in output


def test_compare_fits_a_terminal_of_80_columns_and_names_every_run(finished_run: Path) -> None:
    result = CliRunner().invoke(app, ["compare", str(finished_run), str(finished_run)], env={"COLUMNS": "80"})
    lines = result.output.splitlines()
    assert lines[:2] == [f"A  {finished_run}", f"B  {finished_run}"]
    assert "…" not in result.output
    assert [line.split()[0] for line in lines[4:6]] == ["A", "B"]


def test_genes_fit_a_terminal_of_80_columns_without_a_number_cut_off(finished_run: Path) -> None:
    result = miner("genes", finished_run, finished_run, columns=80)
    assert result.exit_code == 0, result.output
    assert "…" not in result.output
    assert re.search(r"uct_c +\d+ +\d+ +\d+ +\d+", result.output)
    assert max(map(len, result.output.splitlines())) <= 80


def test_runs_of_two_methods_are_compared_without_the_settings_of_one_alone(
    finished_run: Path, copy: Path, tmp_path: Path
) -> None:
    content = json.loads((copy / "config.json").read_text())
    settings = {name: content["config"][name] for name in ("seed", "search", "records", "mining", "execution")}
    changes = {"learner": "other", "unit": "step", "config": {**settings, "seed": 99, "other": {"steps": 2}}}
    (copy / "config.json").write_text(json.dumps({**content, **changes}))
    output = miner("compare", finished_run, copy).output
    assert re.search(r"learner +evolution +other", output)
    assert re.search(rf"seed +{SEED} +99", output)
    assert "other.steps" not in output
    assert "evolution.generations" not in output


def test_compare_prints_one_json_object_per_run(finished_run: Path) -> None:
    entries = json.loads(miner("compare", finished_run, finished_run, "--json").stdout)
    assert [entry["generations"] for entry in entries] == [2, 2]
    assert entries[0]["settings"]["search.playouts"] == 10
    assert (entries[0]["lead"], entries[0]["los"]) == (None, None)
    assert (entries[1]["lead"], entries[1]["los"]) == (0, 0.5)
    assert entries[1]["lead_se"] > 0


def test_repeat_names_a_table_that_has_lost_rows(copy: Path) -> None:
    table = copy / "steps.csv"
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:-1]))
    assert "steps.csv: one ends before the other" in miner("repeat", copy, "--executor", "serial").output


def test_repeat_says_that_the_bytes_agree(copy: Path) -> None:
    result = miner("repeat", copy, "--executor", "serial")
    assert result.exit_code == 0, result.output
    assert "agree" in result.output
    assert "byte for byte" in result.output
    assert (copy.with_name("copy-again") / "report.html").exists()


def test_repeat_finds_a_single_changed_digit(copy: Path, tmp_path: Path) -> None:
    table = copy / "matches.csv"
    table.write_text(table.read_text().replace("100 0", "0 100", 1))
    result = miner("repeat", copy, "--executor", "serial", "--out", tmp_path / "again")
    assert result.exit_code == 1
    assert "matches.csv: differs in line" in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["inspect", "nowhere"], "this is no run"),
        (["compare", "one"], "name two or more"),
        (["repeat", "nowhere"], "this is no run"),
    ],
)
def test_mistakes_say_what_to_do(arguments: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        raise miner(*arguments).exception or AssertionError


def test_an_incomplete_run_is_not_repeated(copy: Path) -> None:
    (copy / "champion.json").unlink()
    with pytest.raises(UserError, match="finish it first with `miner resume"):
        raise miner("repeat", copy).exception or AssertionError


def test_a_run_interrupted_before_it_could_begin_says_how_to_go_on_and_does(
    finished_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    config = finished_run.parent / "tiny.toml"
    with monkeypatch.context() as patched:
        patched.setattr("gdl_miner.cluster.launch.open_ray", interrupted)
        begun = miner(
            "evolve", "--game", "tictactoe.ext.kif", "--config", config, "--out", tmp_path / "run", "--seed", SEED
        )
    assert begun.exit_code == 130
    assert f"miner resume {tmp_path / 'run'}" in " ".join(begun.output.split())
    ended = miner("resume", tmp_path / "run", "--executor", "serial")
    assert ended.exit_code == 0, ended.output
    assert compare_bytes(finished_run, tmp_path / "run").complete
