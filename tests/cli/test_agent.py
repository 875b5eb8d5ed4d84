import json

import pytest
from typer.testing import CliRunner, Result

from gdl_miner.agent import __main__ as program
from gdl_miner.agent import cli

BENCH_KEYS = (
    "game engine isa lanes playouts_per_s states_per_s mean_length mean_goals gates literals ground_s compile_s"
)


def agent(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, list(arguments))


def test_bench_json_has_exactly_the_documented_keys() -> None:
    result = json.loads(agent("bench", "--game", "tictactoe.ext", "--seconds", "0.05", "--json").stdout)
    assert list(result) == BENCH_KEYS.split()
    assert 7 < result["mean_length"] < 8.5
    assert result["playouts_per_s"] > 0


def test_bench_prints_a_table_for_people() -> None:
    shown = agent("bench", "--game", "tictactoe.ext", "--seconds", "0.05").stdout
    assert "per second" in shown
    assert "mean length" in shown


def test_info_names_engine_roles_and_board() -> None:
    result = json.loads(agent("info", "tictactoe.ext", "--json").stdout)
    assert result["engine"] == "circuit"
    assert len(result["roles"]) == 2
    assert result["board"]["dimensions"] == 2


def test_perft_counts_tictactoe_sequences() -> None:
    result = json.loads(agent("perft", "--game", "tictactoe.ext", "--depth", "5", "--json").stdout)
    assert [level["sequences"] for level in result["levels"]] == [1, 9, 72, 504, 3024, 15120]
    assert result["levels"][-1]["terminal_sequences"] == 1440


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "nosuchgame"], "neither a file nor a bundled game"),
        (["bench", "--game", "tictactoe.ext", "--lanes", "65"], "--lanes 65"),
        (["bench", "--game", "tictactoe.ext", "--option", "solver"], "--option is for searches"),
        (["trace", "--game", "tictactoe.ext", "--check", "nosuch.jsonl"], "nosuch.jsonl"),
    ],
)
def test_a_users_mistake_prints_one_line_and_exits_with_2(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["agent", *arguments])
    with pytest.raises(SystemExit) as stop:
        program.main()
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1


def test_version_is_printed() -> None:
    assert agent("--version").stdout.startswith("agent ")


@pytest.mark.parametrize(
    ("command", "default"),
    [
        ("serve", "0.2 and a twentieth of the clock"),
        ("replay", "all"),
        ("referee", "the game and the seed"),
        ("table", "you, then the agent"),
        ("play", "1; against a clock 8 for a player with values, 64 for others"),
    ],
)
def test_help_tells_defaults_that_are_no_values(command: str, default: str) -> None:
    shown = CliRunner().invoke(cli.app, [command, "--help"], env={"COLUMNS": "200"}).stdout
    assert default in " ".join(shown.replace("│", " ").split())
