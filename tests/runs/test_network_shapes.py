"""The shapes of tuples from which an evolution of networks makes networks."""

from typing import cast

import pytest

from gdl_miner.agent.values import ValueShape, layout_for, read_shape
from gdl_miner.miner.runs.network_shapes import KnownShapes, known_shapes
from gdl_miner.miner.runs.run import Run
from tests.search.positions import machine_of


class _Quiet:
    def working(self, _what: str) -> None: ...


class _Run:
    """The part of a run that knows its game."""

    def __init__(self, game: str) -> None:
        self.machine = machine_of(game)
        self.reporter = _Quiet()


def known_of(game: str, most: int = 50_000) -> KnownShapes:
    return known_shapes(cast(Run, _Run(game)), 1, stages=(), symmetries=True, most_weights=most)


def test_shapes_are_playable_too_where_moves_tell_cells_apart() -> None:
    known = known_of("connectfour7.ext")
    machine = machine_of("connectfour7.ext")
    playable = [text for text in known.n_weights if text.endswith(" playable")]
    assert {"goals playable", "line 4 anywhere playable", "walks 20x4 playable"} <= set(playable)
    for text in ("goals playable", "block 2x2 anywhere playable"):
        assert known.n_weights[text] == layout_for(machine, ValueShape((read_shape(text),))).n_weights
    assert all(known.n_weights[text] <= 50_000 for text in playable)
    assert not any(text.endswith("playable") for text in (*known.auto, *known.large))
    assert {"costs", "facts 2"} <= set(known.n_weights)
    for text in known.n_weights:
        read_shape(text)


@pytest.mark.parametrize("game", ["hex5.ext", "pennies"])
def test_shapes_are_plain_elsewhere(game: str) -> None:
    assert not any(text.endswith("playable") for text in known_of(game).n_weights)
