"""What an evolution does with values of states: it learns, tries and inherits them."""

from dataclasses import replace
from typing import Any

import pytest

from gdl_miner.agent.features import Fact, Itemset
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.values import ValuePart, Values
from gdl_miner.miner.learners.evolution.config import use_of
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.runs.task import Task
from gdl_miner.miner.runs.trials import LongSearchRule, ValuesTried
from tests.learners.driving import MAKER, name_of, only, players_of
from tests.learners.evolution.world import World, feature, stages, weighted

HARMFUL = ("start", "start-mixed")
VALUES = Values((), True, "", (), (ValuePart(0, 0, 0, {"(control x)": 5.0}, ()),))
BEGINNING = ["train_values", "try_values", "try_long_searches", "without knowledge"]


def file(**parameters: Any) -> Knowledge:
    return MAKER.knowledge((weighted(a=2.0, b=1.0), ()), ((), ()), Parameters(**parameters), 7, VALUES)


def first_parameters(tasks: list[Task[Any]]) -> list[Parameters]:
    """Return the parameters of the first population."""
    return [each.knowledge.parameters for each in players_of(tasks, 1)]


def trust_of(found: Parameters) -> tuple[bool, int]:
    """Return whether a player may search with values alone, and the playouts of the longest search that does."""
    return found.value_weight > 0.5 or found.experience > 0, found.trusted_playouts


def test_values_are_learned_step_by_step_before_all_else() -> None:
    tasks = World().run(value_steps=3)
    assert stages(tasks)[:6] == ["train_values", "train_values", *BEGINNING]
    assert len({each["settings"].seed for each in only(tasks, "train_values")}) == 3
    [validation] = only(tasks, "validate")
    assert validation["entrant"].knowledge.values.parts[0].facts == {"(control x)": 3.0}


def test_values_that_lose_in_deeper_searches_are_mixed_with_playouts() -> None:
    tasks = World(harmful=("start",)).run(value_steps=1)
    assert stages(tasks)[:5] == ["train_values", "try_values", "try_values", "without knowledge", "mine_records"]
    alone, mixed = (each["entrant"].knowledge for each in only(tasks, "try_values"))
    assert mixed == replace(alone, parameters=replace(alone.parameters, value_weight=0.5, experience=0))
    found = first_parameters(tasks)
    assert (found[0].uct_c, found[0].solver) == (mixed.parameters.uct_c, True)
    assert all(each.knowledge.values == mixed.values for each in players_of(tasks, 1))
    assert {(each.value_weight, each.experience) for each in found} == {(0.5, 0), (0.0, 0)}


def test_values_that_lose_mixed_as_well_are_left_out_as_if_there_had_been_none() -> None:
    tasks, plain = World(harmful=HARMFUL).run(value_steps=2), World().run()
    assert stages(tasks)[:5] == ["train_values", "train_values", "try_values", "try_values", "without knowledge"]
    trial = only(tasks, "try_values")[0]
    assert (trial["depth"], trial["matches"]) == (10.0, 64)
    following = [(name_of(task), repr(task.arguments)) for task in tasks[-len(plain) :]]
    assert following == [(name_of(task), repr(task.arguments)) for task in plain]


def test_values_are_left_out_where_the_limits_of_genes_allow_no_mixture() -> None:
    tasks = World(harmful=("start",)).run({"genes": {"value_weight": 1.0}}, value_steps=1)
    assert stages(tasks)[:4] == ["train_values", "try_values", "without knowledge", "mine_records"]
    assert {each.knowledge.values for each in players_of(tasks, 1)} == {None}


def test_without_matches_values_are_not_tried() -> None:
    assert not only(World().run(value_steps=1, trial_matches=0), "try_values")


@pytest.mark.parametrize(
    ("trials", "use"),
    [
        ([("ahead", 0.7)], "always"),
        ([("even", 0.5)], "any"),
        ([("behind", 0.4)], "none"),
        ([("even", 0.5), ("even", 0.5)], "any"),
        ([("even", 0.5), ("even", 0.51)], "mixed"),
        ([("behind", 0.4), ("even", 0.45)], "mixed"),
        ([("behind", 0.4), ("behind", 0.41)], "none"),
        ([("even", 0.45), ("behind", 0.41)], "any"),
    ],
)
def test_values_are_used_as_they_are_stronger(trials: list[tuple[Any, float]], use: str) -> None:
    assert use_of([ValuesTried(*each, 1, 200) for each in trials]) == use


def test_values_that_are_even_and_mixed_are_weaker_stay_alone() -> None:
    world = World(tried={"start": ValuesTried("even", 0.5, 4, 200), "start-mixed": ValuesTried("even", 0.49, 9, 200)})
    tasks = world.run(value_steps=1)
    assert stages(tasks)[:5] == ["train_values", "try_values", *BEGINNING[1:]]
    alone, mixed = only(tasks, "try_values")
    assert mixed["entrant"].knowledge.parameters.value_weight == 0.5
    [long] = only(tasks, "try_long_searches")
    assert long["alone"] == alone["entrant"] == players_of(tasks, 0)[0]
    assert [each["first_round"] for each in (alone, mixed, long)] == [1, 4, 9]


def test_values_that_are_behind_in_long_searches_are_trusted_in_shorter_ones() -> None:
    tasks = World(trustworthy=False).run(value_steps=1)
    assert stages(tasks)[:5] == [*BEGINNING, "mine_records"]
    [trial] = only(tasks, "try_long_searches")
    assert (trial["rule"], trial["known"]) == (LongSearchRule(2000, 32), 200)
    trusted = set(map(trust_of, first_parameters(tasks)))
    assert trusted <= {(True, 1000), (False, 0)}, "those that trust no values alone need no limit"
    assert (True, 1000) in trusted
    [validation] = only(tasks, "validate")
    assert trust_of(validation["entrant"].knowledge.parameters) in trusted


def test_values_that_are_ahead_in_long_searches_are_trusted_in_all() -> None:
    assert {each.trusted_playouts for each in first_parameters(World().run(value_steps=1))} == {0}


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
    tasks = World().run(changes, value_steps=1, **changes.get("evolution", {}))
    assert stages(tasks)[:3] == ["train_values", "try_values", "without knowledge"]


def test_the_trust_in_the_values_of_a_start_is_that_of_all_individuals() -> None:
    begun = file(trusted_playouts=700, valued_playouts=900)
    limits = {(trust_of(each), each.valued_playouts) for each in first_parameters(World().run(start=begun))}
    assert limits == {((True, 700), 900), ((False, 0), 0)}, "those without values need no limit"
    genes = {"value_weight": [0.3, 0.5], "experience": 0}
    mixing = first_parameters(World().run({"genes": genes}, start=begun))
    assert {(each.trusted_playouts, each.valued_playouts) for each in mixing} == {(0, 900)}


def test_every_individual_has_the_values_and_the_genes_that_need_them_vary() -> None:
    people = players_of(World().run(value_steps=1), 1)
    found = [each.knowledge.parameters for each in people]
    assert len(people) == 8
    assert len({repr(each.knowledge.values) for each in people}) == 1
    assert len({each.value_weight for each in found}) > 2
    assert people[0].knowledge.n_features == 0 < people[1].knowledge.n_features
    shown = [(each.uct_c, each.value_weight, each.experience, each.solver) for each in found[:2]]
    assert shown == [(15.0, 1.0, 2, True), (15.0, 1.0, 2, True)]
    assert min(each.value_weight for each in found) > 0, "values that are ahead of bare UCT are used by all"


def test_where_values_are_not_ahead_of_bare_uct_every_other_does_without_them() -> None:
    tried = {name: ValuesTried("even", 0.5, 4, 200) for name in ("start", "start-mixed")}
    found = first_parameters(World(tried=tried).run(value_steps=1))
    shown = [(each.uct_c, each.value_weight, each.experience, each.solver) for each in found[:3]]
    assert shown == [(15.0, 1.0, 2, True), (15.0, 1.0, 2, True), (28.0, 0.0, 0, False)]
    assert [each.value_weight > 0 for each in found].count(False) == 4


def test_where_values_are_ahead_of_bare_uct_individuals_meet_the_player_with_the_values_alone() -> None:
    tasks = World().run(value_steps=1)
    start = players_of(tasks, 0)[0]
    rounds = [each for each in only(tasks, "play_matches") if each["phase"] == "tournament"]
    for each in rounds:
        assert each["entrants"][-1] == start
        assert {max(match.seats) for match in each["matches"]} == {9}
        assert {min(match.seats) > 0 for match in each["matches"]} == {True}, "bare UCT does not play"
        assert {match.opening_plies for match in each["matches"]} == {OPENING_PLIES}
    assert [each["depth"].times for each in rounds] == [1.0, 10.0] * 3, "the better half meets it in longer searches"
    ended = only(tasks, "end_step")[1:]
    assert [each["measures"]["elo_origin"] for each in ended] == ["the values alone"] * 3
    for played in only(World(harmful=("start",)).run(value_steps=1), "play_matches"):
        assert all(0 in match.seats for match in played["matches"]), "mixed values meet bare UCT"


def test_all_individuals_use_their_values_where_the_limits_of_the_genes_say_so() -> None:
    tasks = World().run({"genes": {"value_weight": [0.5, 1.0]}}, value_steps=1)
    assert min(each.value_weight for each in first_parameters(tasks)) >= 0.5


def test_without_values_the_genes_that_need_them_are_fixed() -> None:
    tasks = World().run()
    assert {(each.value_weight, each.experience) for each in first_parameters(tasks)} == {(1.0, 1)}
    assert {each.knowledge.values for each in players_of(tasks, 1)} == {None}


def test_a_start_gives_its_values_to_all_and_plays_in_the_first_generation_with_its_genes() -> None:
    begun = file(uct_c=33.0, exploration="puct", experience=2, playout_moves=4)
    tasks = World().run(start=begun, value_steps=4)
    assert stages(tasks)[:2] == ["without knowledge", "mine_records"]
    people = players_of(tasks, 1)
    assert {repr(each.knowledge.values) for each in people} == {repr(VALUES)}
    first = people[0].knowledge
    assert (first.winning, first.losing) == (begun.winning, begun.losing)
    assert first.parameters == replace(begun.parameters, uct_growth="deep")  # the growth is no gene of this run
    assert only(tasks, "end_step")[1]["players"][people[0].name]["origin"] == "start"


def test_features_are_fitted_to_what_the_values_of_all_individuals_do_not_know() -> None:
    tasks = World().run({"teaching": {"positions": 10}}, start=file())
    searched, mined = only(tasks, "search_positions"), only(tasks, "mine_records")
    assert len(mined) == 3
    assert {repr(each["valuing"].knowledge.values) for each in mined} == {repr(VALUES)}
    assert searched[0]["searcher"] is mined[0]["valuing"]
    without = World().run({"teaching": {"positions": 10}})
    assert {each["valuing"] for each in only(without, "mine_records")} == {None}
    assert only(without, "search_positions")[0]["searcher"] is None


def test_features_of_a_start_without_values_take_part_in_every_fit() -> None:
    condition = Itemset((Fact("(cell 1 b)"),))
    winning = (*weighted(a=1.0), replace(weighted(b=1.0)[0], itemset=condition))
    tasks = World().run(start=replace(file(), values=None, winning=(winning, ())), value_steps=2)
    mined = only(tasks, "mine_records")
    assert len(mined) == 3
    assert {each["candidates"] for each in mined} == {(((feature("a"), None), (feature("b"), condition)), ())}
    assert stages(tasks)[:5] == ["train_values", *BEGINNING]


def test_a_start_outside_the_limits_of_the_genes_comes_as_near_as_they_allow() -> None:
    tasks = World().run({"genes": {"scoring_visits": 0}}, start=file(uct_c=3.0, scoring_visits=9, max_features=10))
    first = first_parameters(tasks)[0]
    assert (first.uct_c, first.scoring_visits, first.max_features) == (5.0, 0, 10)


@pytest.mark.parametrize(
    ("wins", "parts"),
    [
        (("features", "features and parameters"), ["features", "features and parameters"]),
        (("features",), ["features", "features and parameters"]),
        (("parameters",), ["features", "parameters"]),
        ((), ["features", "parameters"]),
    ],
)
def test_beside_values_only_what_wins_matches_is_kept(wins: tuple[str, ...], parts: list[str]) -> None:
    tasks = World(winning=wins, features_help=200.0).run(value_steps=1)
    features, rest = only(tasks, "accept")
    [validation] = only(tasks, "validate")
    best, start = features["player"], players_of(tasks, 0)[0]
    assert [features["part"], rest["part"]] == parts
    assert (best.knowledge.n_features > 0, features["without"].knowledge.n_features) == (True, 0)
    assert features["without"].knowledge == replace(best.knowledge, winning=((), ()), losing=((), ()))
    assert rest["player"] == (best if "features" in wins else features["without"])
    assert rest["without"].knowledge == start.knowledge
    assert {repr(each["whole"]) for each in (features, rest)} == {repr(best.knowledge)}
    assert (rest["first_round"], features["first_round"]) == (3, 1)
    kept = rest["player"] if parts[1] in wins else rest["without"]
    prunings = only(tasks, "prune")
    assert [(each["whole"], each["none_too"]) for each in prunings] == [(best, False)] * (len(wins) == 2)
    assert validation["entrant"].name == (f"{kept.name}-pruned" if prunings else kept.name)


def test_a_champion_that_is_the_player_with_the_values_is_not_tested() -> None:
    tasks = World(features_help=-200.0).run({"genes": {"uct_c": 15.0}}, value_steps=1, spread=0.0, mutation=0.0)
    assert not only(tasks, "accept")
    [validation] = only(tasks, "validate")
    assert validation["entrant"] == players_of(tasks, 0)[0]


def test_without_values_or_matches_there_is_no_acceptance_and_pruning_may_leave_nothing() -> None:
    world = World(features_help=200.0)
    for tasks in (world.run(), world.run({"acceptance": {"matches": 0}}, value_steps=1)):
        assert not only(tasks, "accept")
        assert [each["none_too"] for each in only(tasks, "prune")] == [True]
