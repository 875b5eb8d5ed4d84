import dataclasses

import numpy as np
import pytest

from gdl_miner.agent.features import (
    Fact,
    FeatureAbsMove,
    FeatureAbsPieceInArea,
    FeatureItemsetOnly,
    FeatureRelEuclidProximity,
    Itemset,
    WeightedFeature,
)
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.usefulness.ablation import ablate, without_class, without_feature
from gdl_miner.miner.usefulness.measure import measure
from gdl_miner.miner.usefulness.observations import Effort, observe_matches, observe_records
from tests.knowledge.plain import knowledge_of
from tests.mining.playouts import random_record

CENTRE = WeightedFeature(FeatureAbsMove("(mark 2 2 x)"), 3.0)
CORNER = WeightedFeature(FeatureAbsPieceInArea(1, (1.0, 1.0), "x"), 1.0)
NEAR = WeightedFeature(FeatureRelEuclidProximity(1), 0.5)
EARLY = WeightedFeature(FeatureItemsetOnly(), 1.0, Itemset((Fact("(control x)"),)))
PARAMETERS = Parameters(scoring="exponential", impact=2.0, losing_weight=0.5, features_in_playouts=False, bias=100.0)


@pytest.fixture(scope="module")
def machine() -> Machine:
    return load_machine("tictactoe.ext")


@pytest.fixture(scope="module")
def knowledge(machine: Machine) -> Knowledge:
    return knowledge_of(machine, [[CENTRE, CORNER, EARLY]], [[NEAR]], PARAMETERS)


def test_support_match_rate_and_payoff_are_those_of_the_moves_made(machine: Machine, knowledge: Knowledge) -> None:
    record = random_record(machine, 40, 3)
    uses = measure(knowledge, machine, observe_records([record], machine, 1, 10_000))[0]
    geometry, steps = geometry_of(machine), RoleRecord(record, machine, 0).decisions
    last, match = record.last_rows(), record.match_of_step()
    assert uses.decisions == len(steps)
    for use in uses.features:
        goals = [
            int(record.goals[match[step], 0])
            for step in steps
            if use.entry.feature.fires(
                Position.of(geometry, record.states[step], last[step].tolist()), int(record.moves[step, 0])
            )
        ]
        assert use.support == len(goals)
        assert use.match_rate == pytest.approx(len(goals) / len(steps))
        assert use.payoff == pytest.approx(np.mean(goals))


def test_effective_weights_carry_side_class_and_impact(machine: Machine, knowledge: Knowledge) -> None:
    uses = measure(knowledge, machine, observe_records([random_record(machine, 5, 3)], machine, 1, 100))[0]
    weights = {use.entry: use.weight for use in uses.features}
    assert weights == {CENTRE: 6.0, CORNER: 2.0, EARLY: 2.0, NEAR: -0.5}


def test_features_come_best_first_and_the_preferred_move_leads(machine: Machine, knowledge: Knowledge) -> None:
    record = random_record(machine, 60, 3, lambda move: 20.0 if "2 2" in move else 1.0)
    uses = measure(knowledge, machine, observe_records([record], machine, 1, 10_000))[0]
    assert uses.features[0].entry == CENTRE
    assert uses.features[0].contribution > 5 * uses.features[0].error
    values = [use.contribution for use in uses.features]
    assert values == sorted(values, reverse=True)
    assert 0 < uses.explained < 1


def test_fresh_observations_depend_on_the_seed_alone(machine: Machine, knowledge: Knowledge) -> None:
    effort = Effort(matches=6, playouts=5, positions=12)
    one, same, other = (observe_matches(knowledge, machine, effort, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.roles[0].share, same.roles[0].share)
    assert not np.array_equal(one.goals, other.goals) or not np.array_equal(one.roles[0].share, other.roles[0].share)
    for role in one.roles:
        assert len(role.start) - 1 <= 12
        assert np.add.reduceat(role.share, role.start[:-1]) == pytest.approx(1.0)


def test_a_part_taken_away_is_gone_and_nothing_else(knowledge: Knowledge) -> None:
    assert without_feature(knowledge, 0, CORNER).winning == ((CENTRE, EARLY), ())
    assert without_feature(knowledge, 1, CORNER) == knowledge
    rest = without_class(knowledge, "FeatureRelEuclidProximity")
    assert rest == dataclasses.replace(knowledge, losing=((), ()))


def test_knowledge_beats_itself_without_what_makes_it_play(machine: Machine) -> None:
    centre = [WeightedFeature(FeatureAbsMove(f"(mark 2 2 {role})"), 9.0) for role in machine.roles]
    corner = [WeightedFeature(FeatureAbsMove(f"(mark 1 2 {role})"), 0.001) for role in machine.roles]
    whole = knowledge_of(machine, zip(centre, corner, strict=True), (), PARAMETERS)
    parts = [
        ("centre", dataclasses.replace(whole, winning=tuple((each,) for each in corner))),
        ("side", dataclasses.replace(whole, winning=tuple((each,) for each in centre))),
    ]
    told: list[int] = []
    found = ablate(whole, parts, machine, matches=200, playouts=2, seed=1, progress=told.append)
    assert [each.score.matches for each in found] == [200, 200]
    assert sum(told) == 400
    assert found[0].contribution > 5 > abs(found[1].contribution)
