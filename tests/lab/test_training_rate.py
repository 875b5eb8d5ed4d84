"""`scripts/lab training`."""

import json

import pytest
from typer.testing import CliRunner

from lab.studies import app


def test_the_rate_of_training_is_measured_with_and_without_tuples() -> None:
    rows = []
    for shapes in ([], ["--shape", "line 2"]):
        command = ["training", "--game", "tictactoe.ext", "--seconds", "0.1", *shapes, "--json"]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
        rows += [json.loads(line) for line in result.output.splitlines()]
    facts, pairs = rows
    assert facts["rate"] > 100
    assert 5 <= facts["length"] <= 9
    assert (facts["tuples"], pairs["tuples"]) == (0, 20)
    assert pairs["weights"] > facts["weights"]
    assert pairs["shapes"] == "facts, line 2"


@pytest.mark.parametrize(
    ("shape", "said"),
    [("ring 4", "shape 'ring 4': give 'line 2' to 'line 6'"), ("line 4", "'line 4': no such cells are on the board")],
)
def test_a_shape_that_is_none_or_does_not_fit_is_refused(shape: str, said: str) -> None:
    result = CliRunner().invoke(app, ["training", "--game", "tictactoe.ext", "--shape", shape])
    assert result.exit_code != 0
    assert said in str(result.exception)
