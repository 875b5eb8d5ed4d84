"""The configuration of learning values: what is refused, with its place."""

from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player.player import SELF_TAUGHT
from gdl_miner.agent.values import ValueShape
from gdl_miner.miner.learners.values.method import VALUES


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("shapes = 'usual'", 'mine.toml:2: values.shapes: give "auto", "large" or a list of shapes such as'),
        ("shapes = [2]", 'give "auto", "large" or a list of shapes such as'),
        ("shapes = ['ring 4']", "shape 'ring 4': give 'line 2' to 'line 6'"),
        ("shapes = ['line 7']", "shape 'line 7'"),
        ("shapes = ['block 3']", "shape 'block 3'"),
        ("shapes = ['facts 5']", "or 'facts 2' to 'facts 4'"),
        ("shapes = ['facts 2x2']", "shape 'facts 2x2'"),
        ("stages = [5, 3]", "ascending order"),
        ("stages = [0]", "from 1"),
        ("experience = 5000", "experience is 5000; give a number, from 0 to 1,000"),
        ("value_weight = 2.0", "value_weight"),
        ("games = 0", "games"),
        ("lambda = 0.5", "lambda"),
    ],
)
def test_impossible_settings_are_refused_with_their_place(line: str, said: str, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text(f"[values]\n{line}\n")
    with pytest.raises(ConfigError, match=r"mine\.toml:\d+: ") as error:
        VALUES.read_config(str(config), {})
    assert said in str(error.value)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[discount]\nfactors = []\n", "discount.factors"),
        ("[discount]\nfactors = [0.0]\n", "discount.factors"),
        ("[discount]\nfactors = [1.0, 1.5]\n", "discount.factors"),
        ("[discount]\nfactors = [0.9, 1.0, 0.9]\n", "discount.factors: name each factor once"),
        ("[discount]\ndepth = 0.5\n", "discount.depth"),
        ("[discount]\nmatches = 1\n", "discount.matches"),
        ("[long_searches]\nplayouts = -1\n", "long_searches.playouts"),
        ("[long_searches]\nmatches = 0\n", "long_searches.matches"),
        (
            "[discount]\nfactors = [1.0, 0.9]\n[search]\nplayouts = 50000000\n",
            "discount.depth makes 500,000,000 playouts of search.playouts, and 100,000,000 are possible; lower one of "
            "them, or set discount.factors = [1.0]",
        ),
    ],
)
def test_impossible_trials_are_refused(written: str, said: str, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text(written)
    with pytest.raises(ConfigError, match=r"mine\.toml") as error:
        VALUES.read_config(str(config), {})
    assert said in str(error.value)


def test_deep_searches_are_possible_where_no_discounts_are_tried() -> None:
    changes: dict[str, dict[str, Any]] = {"discount": {"factors": [0.9]}, "search": {"playouts": 50_000_000}}
    assert VALUES.read_config("default", changes).discount.factors == [0.9]


def test_the_configuration_for_matches_learns_large_networks_and_explores_as_players_that_learn_do() -> None:
    default, match = (VALUES.read_config(name, {}) for name in ("default", "match"))
    assert match.values.shape == ValueShape("large")
    assert match.values.games == 2 * default.values.games
    assert (default.discount.factors, match.discount.factors) == ([1.0], [1.0, 0.98])
    assert (default.tries_long_searches, match.tries_long_searches) == (False, True)
    assert (match.long_searches.playouts, match.trusted_playouts) == (3000, 1500)
    assert (match.values.uct_c, match.values.uct_growth) == (SELF_TAUGHT.uct_c, SELF_TAUGHT.uct_growth) == (12, "root")
    changed = {key: getattr(default.values, key) for key in ("games", "shapes", "uct_c", "uct_growth")}
    assert match.values.model_copy(update=changed) == default.values
