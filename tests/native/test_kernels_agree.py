"""Choices at nodes and the reading of pieces are the same with every instruction set."""

import numpy as np
import pytest

from gdl_miner.agent.features import FeatureAbsMove, FeatureRelDimKNearest, FeatureRelEuclidKNearest, WeightedFeature
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search import PlayerSpec
from gdl_miner.agent.search.benchmark import random_positions
from gdl_miner.agent.search.uct import search_arrays
from tests.instruction_sets import BASELINE, FASTER_SETS
from tests.knowledge.plain import knowledge_of
from tests.search.positions import machine_of


def visits(game: str, pieces: tuple[str, str], **parameters: object) -> bytes:
    """Return the visits of searches whose knowledge distinguishes moves by the pieces around their targets."""
    machine = machine_of(game)
    one, other = pieces
    around = [
        WeightedFeature(FeatureRelEuclidKNearest((one, other, other)), 0.7),
        WeightedFeature(FeatureRelEuclidKNearest((one,)), 0.4),
        WeightedFeature(FeatureRelDimKNearest(1, (one, other)), 1.1),
        WeightedFeature(FeatureRelDimKNearest(2, (other,)), 0.9),
    ]
    winning = [
        (*around, *(WeightedFeature(FeatureAbsMove(move), 0.1 + number % 7) for number, move in enumerate(moves)))
        for moves in machine.moves
    ]
    knowledge = knowledge_of(machine, winning, (), Parameters(features_in_playouts=False, **parameters))
    player = PlayerSpec(playouts=60).with_knowledge(knowledge, machine)
    states = random_positions(machine, 24, 5)
    return search_arrays(machine, states, player, np.arange(24, dtype=np.uint64)).visit_count.tobytes()


@pytest.mark.parametrize("isa", FASTER_SETS)
@pytest.mark.parametrize("parameters", [{"bias": 20.0, "fade": 0.5}, {"exploration": "puct"}, {"first_feature": True}])
@pytest.mark.parametrize(
    ("game", "pieces"), [("connectfour.ext", ("white", "red")), ("breakthrough.ext", ("white", "black"))]
)
def test_searches_with_knowledge_visit_the_same_moves(game, pieces, parameters, isa, monkeypatch):
    found = []
    for name in (BASELINE, isa):
        monkeypatch.setenv("GDL_MINER_ISA", name)
        found.append(visits(game, pieces, **parameters))
    assert found[1] == found[0]
