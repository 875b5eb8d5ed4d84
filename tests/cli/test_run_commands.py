"""`miner inspect`, `compare`, `repeat` and `plots` on runs that exist."""

import json
import re
import shutil
from pathlib import Path

import pytest
from lxml import etree

from gdl_miner.agent.errors import UserError
from gdl_miner.miner.results.agreement import compare_bytes
from tests.cli.conftest import Refusal
from tests.command_line import miner, succeeded
from tests.conftest import SEED


def test_inspect_shows_every_generation_and_the_champion(finished_run: Path) -> None:
    shown = succeeded(miner("inspect", finished_run))
    champion = json.loads((finished_run / "champion.json").read_text())
    assert shown.count("●") == 3
    assert f"champion {champion['individual']} on fresh matches: {champion['win_percent']:.1f} %" in shown
    assert "Measures of the best" in shown
    assert "Features of the best" in shown
    assert re.search(r"work_ratio +\S\S +[\d.]+ +[\d.]+ to [\d.]+", shown)


@pytest.mark.parametrize(("columns", "last"), [(120, "work"), (80, "matches/s"), (60, "mean %"), (45, "95 %")])
def test_inspect_leaves_out_what_a_narrow_terminal_has_no_room_for(finished_run: Path, columns: int, last: str) -> None:
    table = miner("inspect", finished_run, columns=columns).output.partition("Features of the best")[0]
    heading = next(line for line in table.splitlines() if "win %" in line)
    assert "…" not in table
    assert re.search(rf"{last} +\d+ % +\d+ %$", heading.rstrip())


def test_inspect_reads_a_run_that_has_only_begun(copied_run: Path) -> None:
    for name in ("steps.csv", "matches.csv", "timings.csv", "champion.json"):
        (copied_run / name).unlink()
    shown = succeeded(miner("inspect", copied_run))
    assert "not complete: 0 of 2 generations" in shown


def test_watching_a_complete_run_ends_at_once(finished_run: Path) -> None:
    assert "complete: champion" in miner("inspect", finished_run, "--watch").output


def test_a_watched_run_is_shown_anew_when_it_goes_on(
    copied_run: Path, finished_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copied_run / "champion.json").unlink()
    monkeypatch.setattr(
        "gdl_miner.miner.commands.inspect.time.sleep", lambda _: shutil.copy(finished_run / "champion.json", copied_run)
    )
    output = miner("inspect", copied_run, "--watch").output
    assert output.index("not complete: 2 of 2 generations") < output.index("complete: champion")


def test_compare_names_the_settings_that_differ_and_no_others(finished_run: Path, copied_run: Path) -> None:
    config = json.loads((copied_run / "config.json").read_text())
    config["config"]["search"]["uct_c"] = 12.5
    (copied_run / "config.json").write_text(json.dumps(config))
    shown = succeeded(miner("compare", finished_run, copied_run))
    assert "search.uct_c" in shown
    assert re.search(r"search.uct_c: \S+ \(A\); 12.5 \(B\)", shown)
    champion = json.loads((finished_run / "champion.json").read_text())
    low, high = champion["ci95"]
    assert f"{champion['win_percent']:.0f} ({low:.0f}–{high:.0f})" in shown
    assert "search.playouts" not in shown


def test_a_run_compared_with_itself_is_as_good_and_alike(finished_run: Path) -> None:
    output = miner("compare", finished_run, finished_run).output
    assert "+0 ±" in output
    assert "50.0 %" in output
    assert "the same game, rules and settings" in output
    assert "Settings that differ" not in output


def test_compare_fits_a_terminal_of_80_columns_and_names_every_run(finished_run: Path) -> None:
    result = miner("compare", finished_run, finished_run, columns=80)
    lines = result.output.splitlines()
    assert lines[:2] == [f"A  {finished_run}", f"B  {finished_run}"]
    assert "…" not in result.output
    assert [line.split()[0] for line in lines[4:6]] == ["A", "B"]


def test_genes_fit_a_terminal_of_80_columns_without_a_number_cut_off(finished_run: Path) -> None:
    shown = succeeded(miner("genes", finished_run, finished_run, columns=80))
    assert "…" not in shown
    assert re.search(r"uct_c +\d+ +\d+ +\d+ +\d+", shown)
    assert max(map(len, shown.splitlines())) <= 80


def test_runs_of_two_methods_are_compared_without_the_settings_of_one_alone(
    finished_run: Path, copied_run: Path, tmp_path: Path
) -> None:
    content = json.loads((copied_run / "config.json").read_text())
    settings = {name: content["config"][name] for name in ("seed", "search", "records", "mining", "execution")}
    changes = {"learner": "other", "unit": "step", "config": {**settings, "seed": 99, "other": {"steps": 2}}}
    (copied_run / "config.json").write_text(json.dumps({**content, **changes}))
    output = miner("compare", finished_run, copied_run).output
    assert "learner: evolution (A); other (B)" in output
    assert f"seed: {SEED} (A); 99 (B)" in output
    assert "other.steps" not in output
    assert "evolution.generations" not in output


def test_compare_prints_one_json_object_per_run(finished_run: Path) -> None:
    entries = json.loads(miner("compare", finished_run, finished_run, "--json").stdout)
    assert [entry["generations"] for entry in entries] == [2, 2]
    assert entries[0]["settings"]["search.playouts"] == 10
    assert (entries[0]["lead"], entries[0]["los"]) == (None, None)
    assert (entries[1]["lead"], entries[1]["los"]) == (0, 0.5)
    assert entries[1]["lead_se"] > 0


def test_repeat_names_a_table_that_has_lost_rows(copied_run: Path) -> None:
    table = copied_run / "steps.csv"
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:-1]))
    assert "steps.csv: one ends before the other" in miner("repeat", copied_run, "--executor", "serial").output


def test_repeat_says_that_the_bytes_agree(copied_run: Path) -> None:
    shown = succeeded(miner("repeat", copied_run, "--executor", "serial"))
    assert "agree" in shown
    assert "byte for byte" in shown
    assert (copied_run.with_name("run-again") / "report.html").exists()


def test_repeat_finds_a_single_changed_digit(copied_run: Path, tmp_path: Path) -> None:
    table = copied_run / "matches.csv"
    table.write_text(table.read_text().replace("100 0", "0 100", 1))
    result = miner("repeat", copied_run, "--executor", "serial", "--out", tmp_path / "again")
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
        succeeded(miner(*arguments))


def test_an_incomplete_run_is_not_repeated(copied_run: Path) -> None:
    (copied_run / "champion.json").unlink()
    with pytest.raises(UserError, match="finish it first with `miner resume"):
        succeeded(miner("repeat", copied_run))


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


def test_pictures_are_vectors_with_the_same_bytes_each_time(finished_run: Path, tmp_path: Path) -> None:
    bytes_of = []
    for name in ("one", "other"):
        told = succeeded(miner("plots", finished_run, "--format", "svg", "--format", "pdf", "--out", tmp_path / name))
        paths = sorted((tmp_path / name).iterdir())
        assert [path.name for path in paths] == ["features.pdf", "features.svg", "fitness.pdf", "fitness.svg"]
        assert len(told.splitlines()) == 4
        bytes_of.append([path.read_bytes() for path in paths])
    assert bytes_of[0] == bytes_of[1]
    assert bytes_of[0][0].startswith(b"%PDF-")
    assert etree.fromstring(bytes_of[0][3]).tag == "{http://www.w3.org/2000/svg}svg"


def test_without_a_folder_the_pictures_stand_in_that_of_the_run(copied_run: Path) -> None:
    succeeded(miner("plots", copied_run))
    assert (copied_run / "fitness.svg").is_file()


def test_what_has_no_pictures_or_no_folder_of_its_own_is_told(
    finished_run: Path, tmp_path: Path, refusal: Refusal
) -> None:
    assert "draw one run at a time" in refusal("miner", "plots", finished_run, finished_run, "--out", tmp_path)
    assert "nosuch" in refusal("miner", "plots", tmp_path / "nosuch")
