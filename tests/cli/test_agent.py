import pytest

from tests.cli.conftest import Refusal
from tests.command_line import agent


def test_bench_prints_a_table_for_people() -> None:
    shown = agent("bench", "--game", "tictactoe.ext", "--seconds", "0.05").stdout
    assert "per second" in shown
    assert "mean length" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("info nosuchgame", "neither a file nor a bundled game"),
        ("bench --game tictactoe.ext --lanes 65", "--lanes 65"),
        ("bench --game tictactoe.ext --option solver", "--option is for searches"),
        ("trace --game tictactoe.ext --check nosuch.jsonl", "nosuch.jsonl"),
    ],
)
def test_a_users_mistake_is_one_line(arguments: str, message: str, refusal: Refusal) -> None:
    error = refusal("agent", *arguments.split())
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1


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
    shown = agent(command, "--help", columns=200).stdout
    assert default in " ".join(shown.replace("│", " ").split())
