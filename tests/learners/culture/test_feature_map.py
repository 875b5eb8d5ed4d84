"""Which weights belong to which species, and the temporal levels of features."""

import numpy as np
import pytest

from gdl_miner.agent.values import ValueShape, layout_for, movers_before
from gdl_miner.miner.learners.culture.forages import map_features
from tests.native.naive_self_play import NaiveNetwork, fluents_of
from tests.search.matches import RANDOM, played
from tests.search.positions import machine_of


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext", "connectfour.ext"])
def test_the_states_after_a_role_moves_select_weights_of_its_species_alone(game: str) -> None:
    machine = machine_of(game)
    layout = layout_for(machine, ValueShape(levels=True, species=True))
    features, network = map_features(layout), NaiveNetwork(layout)
    assert layout.network.n_outputs == 1
    record = played(machine, RANDOM, 9)
    found = set()
    for match in range(9):
        for step in range(record.start[match], record.start[match + 1] - 1):
            mover = int(step - record.start[match]) % 2
            facts = fluents_of(record.states[step + 1])
            own, _ = network.selected(network.view(facts, 0), facts)
            found |= {(mover, int(features.owners[place])) for place in own}
    assert found == {(0, 0), (1, 1)}


def test_every_number_of_pieces_is_a_temporal_level_with_the_same_features() -> None:
    machine = machine_of("tictactoe.ext")
    layout = layout_for(machine, ValueShape(levels=True, species=True))
    features = map_features(layout)
    assert list(layout.stages) == list(range(1, 10))
    counts = np.bincount(features.ordinals)
    assert len(set(counts)) == 1
    assert counts[0] == 2 * 10  # turns and stages


def test_games_without_turns_have_weights_for_every_role() -> None:
    machine = machine_of("pennies")
    assert movers_before(machine) is None
    layout = layout_for(machine, ValueShape(species=True))
    assert layout.network.n_outputs == len(machine.roles)
    assert set(map_features(layout).owners.tolist()) == set(range(len(machine.roles)))
