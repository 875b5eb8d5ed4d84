import json

from typer.testing import CliRunner

from agent.benchmarks.cli import app


def rows(*arguments: str) -> list[dict[str, object]]:
    result = CliRunner().invoke(app, [*arguments, "--seconds", "0.05", "--json"], catch_exceptions=False)
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_playouts_stand_beside_the_figures_of_other_systems():
    (row,) = rows("playouts", "--game", "amazons.ext")
    assert row["rbg"] == 27_600
    assert row["times_rbg"] == row["playouts_per_cpu_s"] / 27_600


def test_the_stages_of_search_make_up_its_time():
    (row,) = rows("search", "--game", "tictactoe.ext", "--playouts", "20", "--lanes", "64")
    stages = [row[stage] for stage in ("load", "evaluate", "read", "list", "tree", "choose", "advance")]
    assert abs(sum(stages) - 1) < 1e-9
    assert min(stages) > 0


def test_latency_is_of_one_state():
    (row,) = rows("latency", "--game", "connectfour.ext")
    assert 0 < row["legal_us"] < row["expand_us"] < 200
