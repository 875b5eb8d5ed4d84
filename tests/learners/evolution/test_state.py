import json
from collections.abc import Callable

import pytest

from gdl_miner.miner.learners.evolution.chromosome import FeatureLists
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.loop import Evolution
from gdl_miner.miner.learners.evolution.state import EvolutionState, OtherGenesError, unpack_state
from tests.learners.evolution.conftest import FakeWorld


def features_of(state: EvolutionState) -> Callable[[int, str], tuple[FeatureLists, FeatureLists]]:
    people = [*state.population, *([state.champion.individual] if state.champion else [])]
    known = {individual.name: individual.chromosome for individual in people}
    return lambda _, name: (known[name].winning, known[name].losing)


def test_a_state_survives_text_exactly(start: Callable[..., Evolution]) -> None:
    evolution = start()
    for _ in range(9):
        state = FakeWorld([]).run(evolution, steps=1).state
        assert unpack_state(json.loads(json.dumps(state.pack())), features_of(state)) == state


def test_values_survive_text(start: Callable[..., Evolution], settings: EvolutionConfig) -> None:
    evolution = start(evolution=settings.evolution.model_copy(update={"value_steps": 3}))
    for steps in (1, 2, 3, 3, 3):
        state = FakeWorld([]).run(evolution, steps=1).state
        again = unpack_state(json.loads(json.dumps(state.pack())), features_of(state), state.start)
        assert again.value_steps == state.value_steps == steps
        assert repr(again) == repr(state)


@pytest.mark.parametrize(("harmful", "use"), [(("start",), "mixed"), (("start", "start-mixed"), "none")])
def test_the_use_of_values_survives_text(
    start: Callable[..., Evolution], settings: EvolutionConfig, harmful: tuple[str, ...], use: str
) -> None:
    evolution = start(evolution=settings.evolution.model_copy(update={"value_steps": 1}))
    for expected in ("any", "any", use, use, use):
        state = FakeWorld([], harmful).run(evolution, steps=1).state
        again = unpack_state(json.loads(json.dumps(state.pack())), features_of(state), state.start)
        assert again.use == state.use == expected
        assert repr(again) == repr(state)


def test_optional_genes_survive_text(start: Callable[..., Evolution]) -> None:
    evolution = start(genes={"decisive_moves": ["off", "auto"]})
    for _ in range(9):
        state = FakeWorld([]).run(evolution, steps=1).state
        assert unpack_state(json.loads(json.dumps(state.pack())), features_of(state)) == state
    assert state.pack()["state"]["genes"][-1] == "decisive_moves"


def test_the_start_survives_text() -> None:
    assert unpack_state(json.loads(json.dumps(EvolutionState().pack())), lambda *_: ((), ())) == EvolutionState()


def test_an_unknown_use_of_values_is_refused() -> None:
    packed = EvolutionState().pack() | {"use": "sometimes"}
    with pytest.raises(ValueError, match="any, mixed, none, not as 'sometimes'"):
        unpack_state(packed, lambda *_: ((), ()))


def test_genes_that_are_missing_or_unknown_are_named() -> None:
    packed = EvolutionState().pack()["state"]
    names = packed["genes"]
    for genes, said in [
        ([name for name in names if name != "fade"], "before there was the gene fade"),
        ([*names, "telepathy"], "its gene telepathy is none of this version"),
        (names[::-1], "another order"),
    ]:
        with pytest.raises(OtherGenesError, match=said):
            unpack_state({"state": packed | {"genes": genes}}, lambda *_: ((), ()))
