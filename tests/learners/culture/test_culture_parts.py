"""The parts of culture by themselves: fitness, mating, pheromone and beliefs, with numbers worked out by hand."""

import random
from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.miner.learners.culture.beliefs import Believed, GameSequence, RoleBeliefs, as_arrays
from gdl_miner.miner.learners.culture.forages import FeatureMap, Foraged, Population
from gdl_miner.miner.learners.culture.pheromone import Trails
from gdl_miner.miner.learners.culture.species import Encounter, breed, fitness_of, rank


def test_an_opponent_that_few_have_beaten_counts_more() -> None:
    games = [
        Encounter(0, (7,), won=True),
        Encounter(1, (7,), won=True),
        Encounter(1, (8,), won=True),
        Encounter(1, (8,), won=True),
        Encounter(2, (9,), won=False),
        Encounter(5, (7,), won=True),  # of another species
    ]
    fitness = fitness_of(range(3), games)
    assert fitness == {0: 0.5, 1: 1.5, 2: 0.0}
    assert rank(fitness, random.Random(1)) == [1, 0, 2]


def test_the_fittest_mates_with_the_fit_and_the_weakest_make_room() -> None:
    features = FeatureMap(owners=np.zeros(6, np.int32), ordinals=np.array([0, 1, 2, 0, 1, 2], np.int32), words=1)
    weights = np.arange(24, dtype=np.float32).reshape(4, 6) + 1
    population = Population(weights, weights * 10, weights * 100)
    after, places = breed(population, features, 0, [2, 0, 3, 1], 2, 0.0, random.Random(0))
    assert places == [1]
    child = after.weights[1]
    cuts = [np.where(features.ordinals < cut, weights[2], weights[0]).tolist() for cut in (1, 2)]
    assert child.tolist() in cuts
    assert (after.error_sum[1] == child * 10).all()
    assert (after.weights[[0, 2, 3]] == weights[[0, 2, 3]]).all()
    forgetful, _ = breed(population, features, 0, [2, 0, 3, 1], 2, 1.0, random.Random(0))
    assert sorted(features.ordinals[forgetful.weights[1] == 0].tolist()) in ([0, 0], [1, 1], [2, 2])


def foraged(goals: list[int], count: list[int]) -> Foraged:
    empty = np.zeros((0, 2), np.float32)
    return Foraged(
        learned=Population(empty, empty, empty),
        goals=np.zeros((0, 1), np.int32),
        start=np.zeros(1, np.int64),
        states=np.zeros((0, 1), np.uint64),
        feature_goals=np.array([goals], np.int64),
        feature_count=np.array([count], np.int64),
        move_goals=np.array(goals, np.int64),
        move_count=np.array(count, np.int64),
        squared_error=0.0,
        updates=0,
        moves=0,
        broken_off=0,
    )


def test_pheromone_evaporates_and_desirability_is_the_mean_of_all_forages() -> None:
    trails = Trails.new(1, 2, 2, 0.5)
    assert trails.pheromone.tolist() == [[1.0, 1.0]]
    trails = trails.after(foraged([300, 0], [4, 0]), 0.5).after(foraged([50, 100], [1, 1]), 0.5)
    assert trails.pheromone.tolist() == pytest.approx(np.array([[0.5 * (0.5 + 0.75) + 0.5, 0.5 * 0.5 + 1.0]]))
    landscape = trails.landscape(0.6, 0.8)
    assert landscape.desirability.features.tolist() == pytest.approx(np.array([[0.7, 1.0]]))
    assert landscape.desirability.moves.tolist() == pytest.approx([0.7, 1.0])
    unseen = Trails.new(1, 1, 1, 0.5).landscape(0.6, 0.8)
    assert unseen.desirability.features.tolist() == [[0.5]]


def test_belief_is_the_historic_score_and_the_number_of_players_times_their_scores() -> None:
    believed = Believed().after(100, 1).after(0, None).after(50, 2).after(100, 2)
    assert believed.belief == pytest.approx(250 / 4 / 100 + 2 * (1.0 * 0.75))
    assert Believed().after(100, None).belief == pytest.approx(1.0)


def sequence(player: int, goal: int, *states: str) -> GameSequence:
    return GameSequence(player, 0, goal, tuple(state.encode() for state in states))


def test_only_accepted_players_add_states_and_others_update_their_history() -> None:
    space = RoleBeliefs(10, 0.25)
    space = space.update([sequence(1, 100, "a", "b"), sequence(2, 0, "b", "c")], [1])
    assert list(space.states) == [b"a", b"b"]
    later = space.update([sequence(2, 0, "b", "c")], [])
    assert later.states[b"b"] == replace(space.states[b"b"], goals=100, games=2)
    assert space.states[b"b"].games == 1


def test_the_states_believed_in_least_make_room() -> None:
    space = RoleBeliefs(4, 0.5)
    space = space.update([sequence(1, 100, "a", "b"), sequence(1, 0, "c", "d"), sequence(1, 50, "e")], [1])
    assert sorted(space.states) == [b"a", b"b", b"e"]


def test_beliefs_of_all_roles_become_arrays() -> None:
    state = np.array([5], np.uint64).tobytes()
    spaces = [RoleBeliefs(4, 0.5), RoleBeliefs(4, 0.5, {state: Believed().after(100, 3)})]
    arrays = as_arrays(spaces, 1)
    assert arrays.states.tolist() == [[5]]
    assert arrays.roles.tolist() == [1]
    assert arrays.beliefs.tolist() == [2.0]
