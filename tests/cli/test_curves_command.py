"""`miner curves`: learning curves of methods over games, with bands over the seeds."""

import csv
import json
import shutil
from pathlib import Path
from statistics import fmean, stdev

import pytest
from typer.testing import Result

from gdl_miner.agent.errors import ConfigError
from tests.command_line import miner, succeeded

Sweep = tuple[Path, Result]


def percents(run: Path) -> list[float]:
    """Read the points of the player of each step by hand."""
    with (run / "steps.csv").open(encoding="utf-8") as file:
        found = {
            int(row["step"]): float(row["value"]) for row in csv.DictReader(file) if row["metric"] == "win_percent"
        }
    return [found[step] for step in sorted(found)]


def curves(*arguments: object) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(succeeded(miner("curves", *arguments, "--json")))
    return found


def test_a_curve_is_the_mean_of_its_seeds_and_the_band_goes_around_them(methods: Sweep) -> None:
    out, _ = methods
    for band in ("range", "sd", "none"):
        found = {str(each["label"]): each for each in curves(out, "--band", band)}
        assert list(found) == ["culture", "values"]
        for method, curve in found.items():
            seeds = [percents(out / f"tictactoe.ext-{method}-seed{seed}") for seed in (1, 2)]
            steps = list(zip(*seeds, strict=True))
            assert (curve["game"], curve["seeds"], len(steps)) == ("tictactoe.ext", 2, len(list(curve["steps"])))  # type: ignore[call-overload]
            mean = [fmean(each) for each in steps]
            half = [stdev(each) for each in steps]
            low, high = {
                "range": ([min(each) for each in steps], [max(each) for each in steps]),
                "sd": (
                    [a - b for a, b in zip(mean, half, strict=True)],
                    [a + b for a, b in zip(mean, half, strict=True)],
                ),
                "none": (mean, mean),
            }[band]
            for key, expected in {"mean": mean, "low": low, "high": high}.items():
                assert curve[key] == pytest.approx(expected, abs=1e-3)


def test_runs_alone_are_labelled_by_what_they_differ_in(methods: Sweep, tmp_path: Path) -> None:
    out, _ = methods
    one = shutil.copytree(out / "tictactoe.ext-values-seed1", tmp_path / "one")
    other = shutil.copytree(out / "tictactoe.ext-values-seed2", tmp_path / "other")
    assert [each["label"] for each in curves(one, other)] == ["values"]
    content = json.loads((other / "config.json").read_text())
    content["config"]["values"]["games"] += 1
    content["source"] = "folder/more.toml"
    (other / "config.json").write_text(json.dumps(content))
    assert [each["label"] for each in curves(one, other)] == ["values, more", "values, two"]


def test_a_run_that_ended_earlier_keeps_its_last_value(methods: Sweep, tmp_path: Path) -> None:
    out, _ = methods
    long, short = (shutil.copytree(out / f"tictactoe.ext-values-seed{seed}", tmp_path / str(seed)) for seed in (1, 2))
    table = (short / "steps.csv").read_text().splitlines(keepends=True)
    last = max(int(line.split(",")[0]) for line in table[1:])
    (short / "steps.csv").write_text("".join(line for line in table if not line.startswith(f"{last},")))
    [curve] = curves(long, short)
    ended = percents(short)
    assert len(ended) == len(percents(long)) - 1
    assert list(curve["mean"])[-1] == pytest.approx(fmean([percents(long)[-1], ended[-1]]), abs=1e-3)  # type: ignore[call-overload]


def test_the_figure_is_drawn_in_all_formats_with_text_as_text_and_the_same_bytes_again(
    methods: Sweep, tmp_path: Path
) -> None:
    out, _ = methods
    formats = ["--format", "svg", "--format", "pdf", "--format", "png"]
    told = succeeded(miner("curves", out, *formats, "--out", tmp_path / "figure")).split()
    assert [Path(each).name for each in told] == ["figure.svg", "figure.pdf", "figure.png"]
    drawn = [Path(each).read_bytes() for each in told]
    assert [each[:5] for each in drawn] == [b"<?xml", b"%PDF-", b"\x89PNG\r"]
    text = drawn[0].decode()
    assert all(f">{word}<" in text for word in ("tictactoe.ext", "values", "culture", "points in % of matches"))
    succeeded(miner("curves", out, *formats, "--out", tmp_path / "figure.svg"))
    assert [Path(each).read_bytes() for each in told] == drawn
    by_time = succeeded(miner("curves", out, "--across", "seconds", "--log", "--out", tmp_path / "time"))
    assert ">processor seconds<" in Path(by_time.strip()).read_text()
    assert succeeded(miner("curves", out)).strip() == str(out / "curves.svg")
    (out / "curves.svg").unlink()


def test_a_failed_run_is_left_out_and_what_cannot_be_drawn_is_named(methods: Sweep, tmp_path: Path) -> None:
    out = shutil.copytree(methods[0], tmp_path / "sweep")
    result = out / "tictactoe.ext-values-seed1" / "result.json"
    result.write_text(json.dumps(json.loads(result.read_text()) | {"error": "too large"}))
    told = miner("curves", out, "--json")
    assert {each["label"]: each["seeds"] for each in json.loads(told.stdout)} == {"culture": 2, "values": 1}
    assert "1 runs could not be run, and are left out" in told.stderr
    wrong = miner("curves", out, "--metric", "win_percnt").exception
    assert isinstance(wrong, ConfigError)
    assert "no step has the metric win_percnt; give --metric one of: " in str(wrong)
    assert "win_percent" in str(wrong)
    assert "--log is for seconds" in str(miner("curves", out, "--log").exception)
    assert "nosuch" in str(miner("curves", tmp_path / "nosuch").exception)
    for path in out.glob("*/result.json"):
        shutil.rmtree(path.parent)
    assert "no run of the sweep has ended yet" in str(miner("curves", out).exception)
