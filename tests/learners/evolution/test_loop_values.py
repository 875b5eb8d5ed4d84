"""What an evolution does with values of states: it learns, tries and inherits them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gdl_miner.agent.features import Fact, Itemset
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.values import ValuePart, Values
from gdl_miner.miner.learners.evolution.config import EvolutionConfig, read_config, use_of
from gdl_miner.miner.learners.evolution.loop import Evolution
from gdl_miner.miner.learners.requests import (
    MineRecords,
    TrainValues,
    TryLongSearches,
    TryValues,
    ValuesTried,
)
from tests.learners.evolution.conftest import MAKER, FakeWorld, feature, kinds, weighted

Start = Callable[..., Evolution]


HARMFUL = ("start", "start-mixed")
VALUES = Values((), True, "", (), (ValuePart(0, 0, 0, {"(control x)": 5.0}, ()),))


def with_steps(settings: EvolutionConfig, steps: int) -> EvolutionConfig:
    return settings.model_copy(update={"evolution": settings.evolution.model_copy(update={"value_steps": steps})})


def file(**parameters: Any) -> Knowledge:
    lists = (weighted(a=2.0, b=1.0), ())
    return MAKER.knowledge(lists, ((), ()), Parameters(**parameters), 7, VALUES)


def trust_of(knowledge: Knowledge) -> tuple[bool, int]:
    """Return whether a player may search with values alone, and the playouts of the longest search that does."""
    found = knowledge.parameters
    return found.value_weight > 0.5 or found.experience > 0, found.trusted_playouts


def test_values_are_learned_step_by_step_before_all_else(settings: EvolutionConfig, world: FakeWorld) -> None:
    evolution = world.run(Evolution(with_steps(settings, 3), MAKER))
    assert kinds(world.asked)[:6] == [*["training"] * 3, "trial", "long trial", "without knowledge"]
    steps = [request for request in world.asked if isinstance(request, TrainValues)]
    assert len({shard.seed for request in steps for shard in request.shards}) == 6
    best = evolution.knowledge()
    assert best is not None
    assert best.knowledge.values is not None
    assert best.knowledge.values.parts[0].facts == {"(control x)": 3.0}


def test_values_that_lose_in_deeper_searches_are_mixed_with_playouts(settings: EvolutionConfig) -> None:
    world = FakeWorld([], harmful=("start",))
    evolution = world.run(Evolution(with_steps(settings, 1), MAKER), steps=5)
    assert kinds(world.asked) == ["training", "trial", "trial", "without knowledge", "mine"]
    alone, mixed = (request.entrant for request in world.asked if isinstance(request, TryValues))
    assert mixed.knowledge.values == alone.knowledge.values
    assert mixed.knowledge.parameters == replace(alone.knowledge.parameters, value_weight=0.5, experience=0)
    found = [member.knowledge for member in evolution.members]
    first = found[0].parameters
    assert (first.uct_c, first.solver) == (mixed.knowledge.parameters.uct_c, True)
    assert {each.values is None for each in found} == {False}
    assert {(each.parameters.value_weight, each.parameters.experience) for each in found} == {(0.5, 0), (0.0, 0)}


def test_values_that_lose_mixed_as_well_are_left_out_as_if_there_had_been_none(settings: EvolutionConfig) -> None:
    world, plain = FakeWorld([], harmful=HARMFUL), FakeWorld([])
    evolution = world.run(Evolution(with_steps(settings, 2), MAKER))
    assert kinds(world.asked)[:5] == ["training", "training", "trial", "trial", "without knowledge"]
    trial = world.asked[2]
    assert isinstance(trial, TryValues)
    assert (trial.depth, trial.matches) == (10.0, 64)
    plain.run(Evolution(settings, MAKER))
    assert list(map(repr, world.asked[4:])) == list(map(repr, plain.asked))
    assert evolution.state.use == "none"


def test_values_are_left_out_where_the_limits_of_genes_allow_no_mixture(settings: EvolutionConfig) -> None:
    world = FakeWorld([], harmful=("start",))
    alone = with_steps(settings, 1).model_copy(update={"genes": {"value_weight": 1.0}})
    evolution = world.run(Evolution(alone, MAKER), steps=4)
    assert kinds(world.asked) == ["training", "trial", "without knowledge", "mine"]
    assert evolution.state.use == "none"
    assert {member.knowledge.values for member in evolution.members} == {None}


def test_without_matches_values_are_not_tried(settings: EvolutionConfig, world: FakeWorld) -> None:
    config = with_steps(settings, 1)
    untried = config.evolution.model_copy(update={"trial_matches": 0})
    world.run(Evolution(config.model_copy(update={"evolution": untried}), MAKER))
    assert "trial" not in kinds(world.asked)


EVEN = ValuesTried("even", 0.5)


@pytest.mark.parametrize(
    ("trials", "use"),
    [
        ([ValuesTried("ahead", 0.7)], "any"),
        ([EVEN], "any"),
        ([ValuesTried("behind", 0.4)], "none"),
        ([EVEN, ValuesTried("even", 0.5)], "any"),
        ([EVEN, ValuesTried("even", 0.51)], "mixed"),
        ([ValuesTried("behind", 0.4), ValuesTried("even", 0.45)], "mixed"),
        ([ValuesTried("behind", 0.4), ValuesTried("behind", 0.41)], "none"),
        ([ValuesTried("even", 0.45), ValuesTried("behind", 0.41)], "any"),
    ],
)
def test_values_are_used_as_they_are_stronger(trials: list[ValuesTried], use: str) -> None:
    assert use_of(trials) == use


def test_values_that_are_even_and_mixed_are_weaker_stay_alone(settings: EvolutionConfig, world: FakeWorld) -> None:
    evolution = world.run(Evolution(with_steps(settings, 1), MAKER), steps=1)
    alone = evolution.state.start
    evolution.tell(EVEN)
    mixed = evolution.ask()
    assert isinstance(mixed, TryValues)
    assert mixed.entrant.knowledge.parameters.value_weight == 0.5
    evolution.tell(ValuesTried("even", 0.49))
    assert (evolution.state.start, evolution.state.use) == (alone, "any")
    assert isinstance(evolution.ask(), TryLongSearches)


def test_values_that_are_behind_in_long_searches_are_trusted_in_shorter_ones(settings: EvolutionConfig) -> None:
    world = FakeWorld([], trustworthy=False)
    evolution = world.run(Evolution(with_steps(settings, 1), MAKER), steps=5)
    assert kinds(world.asked) == ["training", "trial", "long trial", "without knowledge", "mine"]
    [trial] = (request for request in world.asked if isinstance(request, TryLongSearches))
    assert (trial.depth * settings.search.playouts, trial.matches) == (2000, 32)
    assert trial.mixed.knowledge.parameters == trial.alone.knowledge.parameters.mixed()
    trusted = {trust_of(member.knowledge) for member in evolution.members}
    assert trusted == {(True, 1000), (False, 0)}, "those that trust no values alone need no limit"
    best = world.run(evolution).knowledge()
    assert best is not None
    assert trust_of(best.knowledge) in trusted


def test_values_that_are_ahead_in_long_searches_are_trusted_in_all(settings: EvolutionConfig) -> None:
    evolution = FakeWorld([]).run(Evolution(with_steps(settings, 1), MAKER), steps=5)
    assert {member.knowledge.parameters.trusted_playouts for member in evolution.members} == {0}


@pytest.mark.parametrize(
    "changes",
    [
        {"search": {"playouts": 200}},
        {"evolution": {"long_playouts": 0}},
        {"genes": {"value_weight": 1.0}},
        {"genes": {"trusted_playouts": [0, 5000]}},
    ],
)
def test_long_searches_are_not_tried_where_the_settings_leave_nothing_to_find_out(changes: dict[str, Any]) -> None:
    world = FakeWorld([])
    changes = {**changes, "evolution": {"value_steps": 1, **changes.get("evolution", {})}}
    world.run(Evolution(read_config("quick", changes), MAKER), steps=3)
    assert kinds(world.asked) == ["training", "trial", "without knowledge"]


def test_the_trust_in_the_values_of_a_start_is_that_of_all_individuals(settings: EvolutionConfig) -> None:
    start = replace(MAKER, start=file(trusted_playouts=700))
    evolution = FakeWorld([]).run(Evolution(settings, start), steps=2)
    assert {member.knowledge.parameters.trusted_playouts for member in evolution.members} == {0, 700}


@pytest.mark.parametrize(("harmful", "trustworthy"), [((), True), ((), False), (("start",), True), (HARMFUL, True)])
def test_going_on_after_a_trial_gives_the_same_run(
    settings: EvolutionConfig, harmful: tuple[str, ...], trustworthy: bool
) -> None:
    config, whole = with_steps(settings, 1), FakeWorld([], harmful, trustworthy)
    whole.run(Evolution(config, MAKER))
    for done in (2, 3):
        state = FakeWorld([], harmful, trustworthy).run(Evolution(config, MAKER), steps=done).state
        again = FakeWorld([], harmful, trustworthy)
        again.run(Evolution(config, MAKER, state))
        start = state.start
        limited = start is not None and start.knowledge.parameters.trusted_playouts > 0
        known = 3 if limited or state.use != "any" else 1  # undecided trials are held again, with the matches as kept
        assert list(map(repr, again.asked)) == list(map(repr, whole.asked[known:]))


def test_every_individual_has_the_values_and_the_genes_that_need_them_vary(settings: EvolutionConfig) -> None:
    evolution = FakeWorld([]).run(Evolution(with_steps(settings, 1), MAKER), steps=5)
    assert len(evolution.members) == 8
    assert len({repr(member.knowledge.values) for member in evolution.members}) == 1
    assert len({member.knowledge.parameters.value_weight for member in evolution.members}) > 2
    start, using, unusing = evolution.members[:3]
    assert start.knowledge.n_features == 0 < using.knowledge.n_features
    found = [each.knowledge.parameters for each in (start, using, unusing)]
    shown = [(each.uct_c, each.value_weight, each.experience, each.solver) for each in found]
    assert shown == [(15.0, 1.0, 1, True), (15.0, 1.0, 1, True), (28.0, 0.0, 0, False)]
    used = [member.knowledge.parameters.value_weight > 0 for member in evolution.members]
    assert used.count(False) == 4, "every other individual does without its values"


def test_all_individuals_use_their_values_where_the_limits_of_the_genes_say_so(settings: EvolutionConfig) -> None:
    limited = with_steps(settings, 1).model_copy(update={"genes": {"value_weight": [0.5, 1.0]}})
    evolution = FakeWorld([]).run(Evolution(limited, MAKER), steps=4)
    assert min(member.knowledge.parameters.value_weight for member in evolution.members) >= 0.5


def test_without_values_the_genes_that_need_them_are_fixed(start: Start) -> None:
    evolution = FakeWorld([]).run(start(), steps=5)
    parameters = [member.knowledge.parameters for member in evolution.members]
    assert {(each.value_weight, each.experience) for each in parameters} == {(1.0, 1)}
    assert {member.knowledge.values for member in evolution.members} == {None}


def test_a_start_gives_its_values_to_all_and_plays_in_the_first_generation_with_its_genes(
    start: Start, settings: EvolutionConfig
) -> None:
    begun = file(uct_c=33.0, exploration="puct", experience=2, playout_moves=4)
    evolution = start(begun, evolution=with_steps(settings, 4).evolution)
    world = FakeWorld([])
    world.run(evolution, steps=2)
    assert kinds(world.asked) == ["without knowledge", "mine"]
    assert {repr(member.knowledge.values) for member in evolution.members} == {repr(VALUES)}
    first = evolution.members[0].knowledge
    assert (first.winning, first.losing) == (begun.winning, begun.losing)
    assert first.parameters == replace(begun.parameters, uct_growth="deep")  # the growth is no gene of this run
    assert evolution.state.population[0].origin == "start"


def test_features_with_conditions_of_a_start_without_values_take_part_in_every_fit(
    start: Start, settings: EvolutionConfig
) -> None:
    condition = Itemset((Fact("(cell 1 b)"),))
    begun = replace(
        file(), values=None, winning=((*weighted(a=1.0), replace(weighted(b=1.0)[0], itemset=condition)), ())
    )
    world = FakeWorld([])
    evolution = world.run(start(begun, evolution=with_steps(settings, 2).evolution))
    asked = [each for each in world.asked if isinstance(each, MineRecords)]
    assert len(asked) == settings.evolution.generations
    assert {each.candidates for each in asked} == {(((feature("b"), condition),), ())}
    assert kinds(world.asked)[:5] == ["training", "training", "trial", "long trial", "without knowledge"]
    assert evolution.validation is not None


def test_a_start_outside_the_limits_of_the_genes_comes_as_near_as_they_allow(start: Start) -> None:
    begun = file(uct_c=3.0, scoring_visits=9, max_features=10)
    evolution = FakeWorld([]).run(start(begun, genes={"scoring_visits": 0}), steps=2)
    parameters = evolution.members[0].knowledge.parameters
    assert (parameters.uct_c, parameters.scoring_visits, parameters.max_features) == (5.0, 0, 10)


def test_going_on_between_steps_of_values_gives_the_same_run(settings: EvolutionConfig) -> None:
    config, whole = with_steps(settings, 3), FakeWorld([])
    reference = whole.run(Evolution(config, MAKER))
    evolution, world = Evolution(config, MAKER), FakeWorld([])
    states = [world.run(evolution, steps=1).state for _ in range(3)]
    assert [state.value_steps for state in states] == [1, 2, 3]
    for state in states:
        again = FakeWorld([])
        finished = again.run(Evolution(config, MAKER, state))
        assert list(map(repr, again.asked)) == list(map(repr, whole.asked[-len(again.asked) :]))
        assert finished.validation == reference.validation
