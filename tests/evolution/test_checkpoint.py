import json
from collections.abc import Callable
from typing import Any

import pytest

from miner.evolution.checkpoint import pack_state, unpack_state
from miner.evolution.loop import Evolution, EvolutionState
from tests.evolution.conftest import FakeWorld


def test_a_state_survives_text_exactly(start: Callable[..., Evolution[Any]]) -> None:
    evolution = start()
    for _ in range(9):
        state = FakeWorld([]).run(evolution, steps=1).state
        known = {individual.name: individual.chromosome for individual in state.population}
        if state.champion is not None:
            champion = state.champion.individual
            known[champion.name] = champion.chromosome
        text = json.dumps(pack_state(state))
        assert unpack_state(json.loads(text), lambda _, name: (known[name].winning, known[name].losing)) == state


def test_the_start_survives_text() -> None:
    assert unpack_state(json.loads(json.dumps(pack_state(EvolutionState()))), lambda *_: ((), ())) == EvolutionState()


def test_a_checkpoint_with_other_genes_is_refused() -> None:
    packed = pack_state(EvolutionState())
    packed["genes"] = ["x"]
    with pytest.raises(ValueError, match="genes"):
        unpack_state(packed, lambda *_: ((), ()))
