"""Candidates of the joint fit: their plain definition, and the weight of one whose truth is known."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.agent.features import (
    Fact,
    FeatureAbsMove,
    FeatureRelPattern,
    Itemset,
    MoveBatch,
    WeightedFeature,
    occurrences,
)
from gdl_miner.agent.geometry import Position, Symmetry, geometry_of
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.mining.candidates import Candidate, candidates_of, columns_of
from gdl_miner.miner.mining.config import MiningConfig, SoftmaxConfig
from gdl_miner.miner.mining.counting import count_matches
from gdl_miner.miner.mining.learning import LearningPolicy, empty_lists, learn
from gdl_miner.miner.mining.mine import MinedKnowledge, mine_role
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.mining.training_data import TrainingData
from tests.mining.playouts import random_record

CORNER, CENTRE = FeatureAbsMove("(mark 1 1 x)"), Fact("(cell 2 2 o)")
GROWN = FeatureRelPattern(1, ("x", *("any",) * 7, "x"))  # compares two fields, which no shape of mining does
NEW: list[Candidate] = [
    (CORNER, Itemset((CENTRE,))),
    (FeatureAbsMove("(mark 1 2 x)"), Itemset((Fact("(cell 1 1 x)"), Fact("(cell 1 3 o)")))),
    (FeatureAbsMove("(mark 1 2 x)"), Itemset((Fact("(cell 1 1 x)"), Fact("(cell 1 3 x)")))),  # an image of itself
    (GROWN, None),
    (GROWN, Itemset((Fact("(cell 1 2 o)"),))),
]
MINED: Candidate = (FeatureAbsMove("(mark 3 3 x)"), None)  # or an image of it is
NEVER: Candidate = (CORNER, Itemset((Fact("(cell 1 1 x)"),)))


@pytest.fixture(scope="module")
def machine() -> Machine:
    return load_machine("tictactoe.ext")


def batch_of_random_moves(machine: Machine) -> MoveBatch:
    searched = RoleRecord(random_record(machine, 200, seed=1), machine, 0)
    return searched.alternatives(searched.sample_choices(1000, 1))


def fires(candidate: Candidate, position: Position, row: int, symmetries: Iterable[Symmetry]) -> int:
    """How many distinct images of a candidate fire: its plain definition."""
    feature, itemset = candidate
    images = {(feature, frozenset(itemset.items if itemset else ()))}
    for symmetry in symmetries:
        images.add((feature.image(symmetry), frozenset(itemset.image(symmetry).items if itemset else ())))
    return sum(move.fires(position, row) and all(item.holds(position) for item in items) for move, items in images)


@pytest.mark.parametrize("symmetries", ["auto", ()])
def test_a_candidate_fires_as_often_as_its_images_do(machine: Machine, symmetries: tuple[str, ...]) -> None:
    sharing, geometry, batch = sharing_of(machine, symmetries), geometry_of(machine), batch_of_random_moves(machine)
    mined = sharing.tied(occurrences(batch, geometry, (FeatureAbsMove,)), 0)
    columns = columns_of(mined, [MINED, NEVER, *NEW], batch, machine, sharing, 0, min_count=1)
    assert columns.keys == (*((feature, None) for feature in mined.features), *NEW)
    counts = np.zeros((len(batch.row), len(columns.keys)), dtype=int)
    np.add.at(counts, (np.repeat(np.arange(len(batch.row)), np.diff(columns.start)), columns.ids), 1)
    positions = [Position.of(geometry, state) for state in batch.states]
    for number, candidate in enumerate(NEW, start=len(mined.features)):
        expected = [
            fires(candidate, positions[state], row, sharing.keeping(0))
            for state, row in zip(batch.state_index.tolist(), batch.row.tolist(), strict=True)
        ]
        assert counts[:, number].tolist() == expected
        assert any(expected)


def test_rare_candidates_are_left_out(machine: Machine) -> None:
    sharing, geometry, batch = sharing_of(machine, ()), geometry_of(machine), batch_of_random_moves(machine)
    mined = occurrences(batch, geometry, (FeatureAbsMove,))
    columns = columns_of(mined, NEW, batch, machine, sharing, 0, min_count=10**6)
    assert columns.keys == tuple((feature, None) for feature in mined.features)


def test_the_fit_weighs_a_candidate_and_individuals_learn_it(machine: Machine) -> None:
    """Searches of both roles that mostly visit corners while the other side has the centre teach just that."""
    record = random_record(machine, 400, seed=2)
    geometry, sharing = geometry_of(machine), sharing_of(machine, "auto")
    step = np.repeat(np.arange(len(record.states)), np.diff(record.visit_start))
    positions = [Position.of(geometry, state) for state in record.states]
    wanted = [
        100 * fires(NEW[0], positions[at], row, sharing.symmetries) + 10
        for at, row in zip(step.tolist(), record.visit_row.tolist(), strict=True)
    ]
    record = replace(record, visit_count=np.array(wanted, record.visit_count.dtype))
    config = MiningConfig(classes=("FeatureAbsMove",), softmax=SoftmaxConfig(penalty=1.0))
    data = TrainingData.of([record], [count_matches(record, machine, config)], config, 1)
    without = mine_role(data, machine, 0, config)
    mined = mine_role(data, machine, 0, config, NEW)
    assert mined.explained > without.explained + 0.1
    found = {(each.feature, known.itemset): known for each in mined.features for known in each.fitted_itemsets}
    assert found[NEW[0]].weight > 1
    assert not any(each.fitted_itemsets for each in without.features)
    roles = [mined, replace(mined, features=())]
    lists = learn(
        empty_lists(2),
        MinedKnowledge.of(machine.roles, roles),
        LearningPolicy(),
        max_features=10,
        learning_factor=1.0,
    )
    assert (lists.winning[0][0].feature, lists.winning[0][0].itemset) == NEW[0]


def test_all_features_of_knowledge_are_candidates_whatever_their_weights() -> None:
    itemset = Itemset((CENTRE,))
    plain, own = WeightedFeature(GROWN, 2.0), WeightedFeature(CORNER, 1.0, itemset)
    lesser = WeightedFeature(GROWN, 0.5)
    knowledge = Knowledge("tictactoe.ext", "", ("x", "o"), winning=((plain, own), ()), losing=((own,), (lesser,)))
    assert candidates_of(knowledge) == (((GROWN, None), (CORNER, itemset)), ((GROWN, None),))
    assert candidates_of(None) == ()
