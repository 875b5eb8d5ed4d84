"""Mining as a whole, on random tic-tac-toe with made-up root visits."""

from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import FeatureAbsMove, FeatureItemsetOnly
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search import PlayerSpec
from gdl_miner.agent.values import value_function
from gdl_miner.miner.mining.config import ItemsetConfig, MiningConfig, SoftmaxConfig
from gdl_miner.miner.mining.counting import count_matches
from gdl_miner.miner.mining.learning import LearningPolicy, empty_lists, learn
from gdl_miner.miner.mining.mine import mine, mine_role
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.mining.statistics import FULL_SHARE, phi_coefficient, result_shares
from gdl_miner.miner.mining.training_data import TrainingData
from tests.mining.playouts import random_record
from tests.values.random_values import random_values

CORNERS = [f"(mark {column} {row} x)" for column in (1, 3) for row in (1, 3)]
CONFIG = MiningConfig(
    symmetries=(),
    min_support=10,
    max_q=1.0,
    softmax=SoftmaxConfig(min_count=5),
    itemsets=ItemsetConfig(features=5),
)


def favour_the_centre(name):
    return 8.0 if name.startswith("(mark 2 2") else 1.0


@pytest.fixture(scope="module")
def machine():
    return load_machine("tictactoe.ext")


@pytest.fixture(scope="module")
def record(machine):
    return random_record(machine, 300, seed=5, favour=favour_the_centre)


@pytest.fixture(scope="module")
def mined(machine, record):
    return mine([record], machine, CONFIG, seed=1)


def some_matches(record, first, last):
    steps = slice(record.start[first], record.start[last])
    visits = slice(record.visit_start[steps.start], record.visit_start[steps.stop])
    return replace(
        record,
        ids=record.ids[first:last],
        start=record.start[first : last + 1] - steps.start,
        states=record.states[steps],
        moves=record.moves[steps],
        goals=record.goals[first:last],
        visit_start=record.visit_start[steps.start : steps.stop + 1] - visits.start,
        visit_row=record.visit_row[visits],
        visit_count=record.visit_count[visits],
        players=record.players[first:last],
        playouts=record.playouts[first:last],
    )


def plain_table(record, machine, role, feature, geometry):
    """The 2×2 table of a feature, counted by its plain definition."""
    before, table = record.last_rows(), np.zeros((2, 2))
    for match in range(len(record.ids)):
        share = result_shares(record.goals)[match, role] / FULL_SHARE
        for step in range(record.start[match], record.start[match + 1] - 1):
            if len(machine.legal(record.states[step])[role]) > 1:
                position = Position.of(geometry, record.states[step], before[step].tolist())
                fired = feature.fires(position, int(record.moves[step, role]))
                table[int(not fired)] += [share, 1 - share]
    return table


def test_support_and_phi_are_those_of_the_plain_definition(machine):
    record = random_record(machine, 60, seed=6)
    mined = mine([record], machine, CONFIG, seed=1)
    geometry = geometry_of(machine)
    for role in (0, 1):
        kinds = {}
        for each in mined.features[role]:
            if each.support:
                kinds.setdefault(type(each.feature), each)
        assert len(kinds) >= 6
        for each in kinds.values():
            table = plain_table(record, machine, role, each.feature, geometry)
            assert each.support == table[0].sum()
            assert each.phi == pytest.approx(float(phi_coefficient(*table.ravel())), abs=6e-5)


def test_the_centre_wins_at_random_play(machine, record):
    found = mine([record], machine, MiningConfig(symmetries=(), min_support=10, classes=("FeatureAbsMove",)), seed=1)
    best = max(found.features[0], key=lambda each: each.phi)
    assert best.feature == FeatureAbsMove("(mark 2 2 x)")
    assert best.phi > 0.05
    assert best.q_value < 0.05


def test_the_fit_recovers_what_the_visits_favour(machine, record):
    config = MiningConfig(symmetries=(), classes=("FeatureAbsMove",), softmax=SoftmaxConfig(min_count=5, penalty=0.01))
    found = mine([record], machine, config, seed=1)
    for role, piece in enumerate("xo"):
        weights = {each.feature: each.weight for each in found.features[role]}
        others = [weights[FeatureAbsMove(f"(mark {x} {y} {piece})")] for x, y in ((1, 1), (3, 2), (2, 3))]
        centre = weights[FeatureAbsMove(f"(mark 2 2 {piece})")]
        assert centre - np.mean(others) == pytest.approx(np.log(8), abs=0.05)
        assert found.explained[role] > 0.95


@pytest.mark.parametrize("seed", range(1, 7))
def test_features_explain_what_values_of_moves_do_not(machine, record, seed):
    """Searches that follow values, and like corners beside, teach corners alone to who has the values."""
    layout, weights = random_values(machine, seed=seed)
    valuing = PlayerSpec(values=value_function(layout, weights))
    view = RoleRecord(record, machine, 0)
    choices = view.root_choices()
    corners = {row for row, name in enumerate(machine.moves[0]) if name in CORNERS}
    liked = np.array([row - machine.rows(0).start in corners for row in choices.row.tolist()])
    visits = np.exp(3.0 * view.values_of(choices, valuing) + liked)
    first = view.machine.rows(0)
    own = (record.visit_row >= first.start) & (record.visit_row < first.stop)
    step = np.repeat(np.arange(len(record.states)), np.diff(record.visit_start))
    chosen = own & np.isin(step, choices.step)
    count = record.visit_count.copy()
    count[chosen] = np.rint(1000 * visits)
    searched = replace(record, visit_count=count)
    config = MiningConfig(symmetries=(), classes=("FeatureAbsMove",), softmax=SoftmaxConfig(min_count=5, penalty=0.01))
    data = TrainingData.of([searched], [count_matches(searched, machine, config)], config, 1, valuing=valuing)
    weights = {each.feature.move: each.weight for each in mine_role(data, machine, 0, config).features}
    inner = [weight for move, weight in weights.items() if move not in CORNERS]
    assert {round(weights[move] - float(np.mean(inner)), 2) for move in CORNERS} == {1.0}
    assert np.ptp(inner) < 0.02


def test_what_phi_learns_is_the_same_without_the_fit(machine, record, monkeypatch):
    monkeypatch.setattr("gdl_miner.miner.mining.mine.fit_role", None)  # it cannot be called
    config = replace(CONFIG, max_q=0.05)
    alone = mine([record], machine, config.without_fit(), seed=1)
    assert alone.choices == (0, 0)
    assert not any(each.fitted for features in alone.features for each in features)
    monkeypatch.undo()
    found = mine([record], machine, config, seed=1)
    assert len(found.features[0]) > len(alone.features[0])
    policy = LearningPolicy("phi", max_q=config.max_q)
    learned, expected = (
        learn(empty_lists(2), mined, policy, max_features=400, learning_factor=1.0) for mined in (alone, found)
    )
    assert learned == expected
    assert learned.winning[0]


def test_the_division_of_matches_among_records_does_not_matter(machine, record, mined):
    parts = [some_matches(record, 0, 120), some_matches(record, 120, 300)]
    assert mine(parts, machine, CONFIG, seed=1, weights=[1, 1]) == mined


def test_the_order_of_records_does_not_matter(machine):
    records = [random_record(machine, 80, seed=s, prefix=f"s{s}-") for s in (1, 2)]
    first, second = (mine(each, machine, CONFIG, seed=1, weights=[1, 1]) for each in (records, records[::-1]))
    assert [(e.feature, e.phi, e.itemset) for e in first.features[0]] == [
        (e.feature, e.phi, e.itemset) for e in second.features[0]
    ]
    weights = [[each.weight for each in found.features[0]] for found in (first, second)]
    assert weights[0] == pytest.approx(weights[1], abs=2e-4)


def test_old_records_fade(machine):
    old, new = (random_record(machine, 100, seed=s, prefix=f"s{s}-") for s in (1, 2))
    alone = mine([new], machine, CONFIG, seed=1)
    faded = mine([old, new], machine, replace(CONFIG, fading=1e-6), seed=1)
    equal = mine([old, new], machine, replace(CONFIG, fading=1.0), seed=1)
    phi = [{each.feature: each.phi for each in found.features[0]} for found in (alone, faded, equal)]
    shared = set(phi[0]) & set(phi[1]) & set(phi[2])
    assert all(abs(phi[0][f] - phi[1][f]) < 1e-3 for f in shared)
    assert any(abs(phi[0][f] - phi[2][f]) > 1e-2 for f in shared)


def test_matches_that_were_broken_off_are_not_counted(machine, record):
    broken = replace(record, goals=np.where(np.arange(300)[:, None] < 100, -1, record.goals).astype(np.int32))
    config = replace(CONFIG, softmax=SoftmaxConfig(min_count=10**6))
    found, expected = (mine([each], machine, config, seed=1) for each in (broken, some_matches(record, 100, 300)))
    assert found.features == expected.features
    assert found.decisions == expected.decisions


def test_features_of_random_results_do_not_pass_the_correction(machine):
    record = random_record(machine, 200, seed=9)
    coins = np.random.default_rng(0).permuted(np.tile([[100, 0]], (200, 1)), axis=1).astype(np.int32)
    shuffled = replace(record, goals=coins)
    found = mine([shuffled], machine, MiningConfig(symmetries=(), softmax=SoftmaxConfig(min_count=10**6)), seed=1)
    assert sum(each.q_value <= 0.05 for role in found.features for each in role) <= 2


def test_only_enabled_classes_are_mined(machine, record):
    found = mine(
        [record], machine, MiningConfig(symmetries=(), classes=("FeatureAbsMove", "FeatureItemsetOnly")), seed=1
    )
    assert {type(each.feature) for role in found.features for each in role} <= {FeatureAbsMove, FeatureItemsetOnly}


def test_no_records_teach_nothing(machine):
    found = mine([], machine, CONFIG, seed=1)
    assert found.features == ((), ())
    assert found.notes


def test_an_unknown_class_is_refused_by_name():
    with pytest.raises(ConfigError, match="FeatureMagic"):
        MiningConfig(classes=("FeatureMagic",))
