"""The learner of expert iteration: its tasks, what it makes of the results, and what its runs leave."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gdl_miner.agent.features import FeatureAbsMove, FeatureRelPattern, WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, compile_knowledge, knowledge_text, read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import LearnedWeights, RoundTotals, ValuePart, Values
from gdl_miner.miner.learners.expert_iteration import EXPERT_ITERATION
from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.learners.expert_iteration.policy import SoftmaxPolicy
from gdl_miner.miner.learners.expert_iteration.self_play import ExpertGames
from gdl_miner.miner.learners.expert_iteration.training import PolicyError, TrainedPolicy
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.runs.task import Task
from gdl_miner.miner.runs.value_training import TrainedValues
from tests.learners.driving import (
    ENDING,
    GAME,
    TRUSTED,
    Answers,
    driven,
    name_of,
    new_learner,
    only,
    players_of,
    plays,
    validated,
)
from tests.learners.runs import Finished

MOVES = FeatureAbsMove("(mark 1 1 x)"), FeatureAbsMove("(mark 2 2 x)"), FeatureAbsMove("(mark 3 3 x)")
MEASURED = ["keep_players", "play_matches", "end_step"]
TWO_STEPS: dict[str, Any] = {"measured_after": [3, 8], "games_at_once": 4}


def played(matches: tuple[Any, ...], **_: Any) -> ExpertGames:
    """Return one example for each game; the first game was broken off."""
    games = len(matches)
    examples = Experience(
        np.zeros(games, np.int32),
        np.zeros((games, 1), np.uint64),
        2 * np.arange(games + 1, dtype=np.int64),
        np.arange(2 * games, dtype=np.int32),
        np.full(2 * games, 0.5),
    )
    return ExpertGames(examples, moves=9 * games, broken_off=1)


def taught(policy: SoftmaxPolicy, new: int, **_: Any) -> TrainedPolicy:
    """Add 0.5 to every weight."""
    grown = SoftmaxPolicy(policy.features, tuple(own + 0.5 for own in policy.weights), policy.velocities)
    return TrainedPolicy(grown, PolicyError(new, 2 * new, 1.0, 0.5, 0.1), ((), ()))


def valued(start: LearnedWeights | Values | None, more: float) -> TrainedValues:
    """Add to the weight of values that have only one."""
    before = weight_of(start) if isinstance(start, Values) else 0.0 if start is None else float(start.weights[0])
    weights = np.full(1, before + more, np.float32)
    return TrainedValues(LearnedWeights(weights, weights, weights), RoundTotals(1, 1, 0, 0.25), worth(before + more))


def worth(number: float) -> Values:
    return Values((), True, "", (), (ValuePart(0, 0, 0, {"(control x)": number}, ()),))


def weight_of(values: Values | None) -> float:
    assert values is not None
    return values.parts[0].facts["(control x)"]


def answers(wins: Callable[[int], bool] = lambda step: True) -> Answers:
    return {
        "find_first_features": lambda **_: (MOVES, ()),
        "train_values": lambda start, **_: valued(start, 1.0),
        "play_expert": played,
        "learn_policy": taught,
        "play_matches": plays(wins),
        "try_long_searches": lambda **_: TRUSTED,
        "validate": validated,
    }


def tasks_of(
    start: Knowledge | None = None, wins: Callable[[int], bool] = lambda step: True, **expert: Any
) -> list[Task[Any]]:
    settings = {"expert": {"matches": 4, "validation_matches": 4, "value_steps": 0, **expert}}
    return driven(new_learner(EXPERT_ITERATION, settings, start), answers(wins))


def knowledge_of(
    winning: tuple[WeightedFeature, ...] = (), losing: tuple[WeightedFeature, ...] = (), values: Values | None = None
) -> Knowledge:
    return Knowledge(GAME, "", ("x", "o"), (winning, ()), (losing, ()), values=values)


def test_a_step_plays_and_learns_until_the_apprentice_is_measured() -> None:
    tasks = tasks_of(**TWO_STEPS)
    self_play = ["play_expert", "learn_policy"]
    assert [name_of(task) for task in tasks] == [
        "find_first_features", *self_play, *MEASURED, *self_play, *self_play, *MEASURED, "validate",
    ]  # fmt: skip
    games = only(tasks, "play_expert")
    assert [(each["step"], each["number"], len(each["matches"])) for each in games] == [(0, 0, 3), (1, 0, 4), (1, 1, 1)]
    assert len({match.seed for each in games for match in each["matches"]}) == 8
    assert games[0]["knowledge"].n_features == 0
    assert [each.weight for each in games[1]["knowledge"].winning[0]] == [0.5, 0.5, 0.5]
    assert games[2]["knowledge"].winning[0][0].weight == 1.0
    first, second = (each["players"][f"s00{step}"] for step, each in enumerate(only(tasks, "end_step"), 1))
    assert (first["games"], first["moves"], first["broken_off"]) == (3, 27, 1)
    assert (second["games"], second["moves"], second["broken_off"]) == (5, 45, 2)
    assert (second["features"], second["cross_entropy"], second["expert_entropy"]) == (3, 2 / 5, 1 / 5)


def test_values_are_learned_first_and_stay_as_they_are() -> None:
    tasks = tasks_of(**TWO_STEPS, value_steps=2)
    self_play = ["play_expert", "learn_policy"]
    assert [name_of(task) for task in tasks] == [
        "train_values", "train_values", "keep_players", "find_first_features", *self_play, *MEASURED,
        *self_play, *self_play, *MEASURED, *ENDING,
    ]  # fmt: skip
    games = [each["knowledge"] for each in only(tasks, "play_expert")]
    assert [weight_of(each.values) for each in games] == [2.0, 2.0, 2.0]
    assert {each.parameters.value_weight for each in games} == {1.0}
    found = [[(each.name, weight_of(each.knowledge.values)) for each in players_of(tasks, step)] for step in (0, 1, 2)]
    assert found == [[("start", 2.0)], [("s001", 2.0), ("start", 2.0)], [("s002", 2.0), ("s001", 2.0)]]
    assert players_of(tasks, 1)[1].knowledge.n_features == 0


def test_values_of_a_file_stay_as_they_are() -> None:
    tasks = tasks_of(knowledge_of(values=worth(4.0)), measured_after=[8], games_at_once=4, value_steps=2)
    assert not only(tasks, "train_values")
    assert [weight_of(each["knowledge"].values) for each in only(tasks, "play_expert")] == [4.0, 4.0]


def test_features_of_a_file_without_values_get_values_that_are_learned_first() -> None:
    start = knowledge_of((WeightedFeature(MOVES[1], 0.75),))
    tasks = tasks_of(start, wins=lambda step: False, measured_after=[3], value_steps=1)
    assert [name_of(task) for task in tasks[:3]] == ["train_values", "keep_players", "find_first_features"]
    best = players_of(tasks, 1)[1]
    assert best.name == "start"
    for known in (only(tasks, "play_expert")[0]["knowledge"], best.knowledge):
        assert (known.winning, weight_of(known.values)) == (start.winning, 1.0)


def test_experience_is_remembered_up_to_the_size_of_the_buffer() -> None:
    learned = only(tasks_of(**TWO_STEPS, buffer=5), "learn_policy")
    assert [(len(each["experience"]), each["new"]) for each in learned] == [(3, 3), (5, 4), (5, 1)]


def test_pruning_leaves_the_largest_weights_and_ends_the_growth() -> None:
    learned = only(
        tasks_of(measured_after=[4, 8], games_at_once=3, pruned_after=4, kept_features=2, games_per_feature=1),
        "learn_policy",
    )
    assert [each["policy"].n_features for each in learned] == [3, 3, 2, 2]
    assert [each["training"].growth for each in learned] == ["correlation", "correlation", "none", "none"]
    assert [each["training"].new_features for each in learned] == [3, 1, 3, 1]


def test_an_apprentice_that_starts_from_knowledge_has_its_weights_and_the_other_atoms() -> None:
    winning = (WeightedFeature(MOVES[1], 0.75), WeightedFeature(FeatureAbsMove("(mark 1 3 x)"), 0.5))
    start = knowledge_of(winning, (WeightedFeature(MOVES[2], 0.25),))
    tasks = tasks_of(start, wins=lambda step: False, measured_after=[3])
    first = only(tasks, "play_expert")[0]["knowledge"]
    assert (first.winning, first.losing) == (start.winning, start.losing)
    assert first.parameters.exploration == "puct"
    policy = only(tasks, "learn_policy")[0]["policy"]
    assert policy.features == ((MOVES[1], FeatureAbsMove("(mark 1 3 x)"), MOVES[2], MOVES[0]), ())
    assert policy.weights[0].tolist() == [0.75, 0.5, -0.25, 0.0]
    assert [each.name for each in players_of(tasks, 1)] == ["s001", "start"]
    assert only(tasks, "validate")[0]["entrant"].name == "start"


def test_a_run_leaves_a_policy_that_is_pruned_after_it_has_grown(finished: Finished) -> None:
    machine, folder = load_machine(GAME), finished("expert-iteration")
    knowledge = read_knowledge(folder / "last.xml", machine.sheet)
    compile_knowledge(knowledge, machine)
    assert knowledge.parameters.exploration == "puct"
    assert knowledge.parameters.playout_moves == 1
    assert 0 < knowledge.n_features <= 5
    assert {type(each.feature) for each in (*knowledge.winning[0], *knowledge.losing[0])} == {FeatureRelPattern}
    table = read_run(folder).main
    assert table["games"].tolist() == [3, 5, 2]
    first, second, third = table["features"]
    assert (second, third) == (first + 3, 5)  # games 4 to 8 bring three
    assert (table["cross_entropy"] >= table["expert_entropy"]).all()
    assert table["rms_error"].between(0, 1).all()


def test_values_that_are_learned_first_are_those_of_all_players(finished: Finished) -> None:
    folder, sheet = finished("expert-iteration, valued") / "knowledge", load_machine(GAME).sheet
    names = ("gen_001/start.xml", "gen_001/s001.xml", "gen_002/s002.xml")
    known = [read_knowledge(folder / name, sheet) for name in names]
    assert known[0].n_features == 0
    assert known[1].n_features > 0
    assert len({knowledge_text(replace(known[0], values=each.values)) for each in known}) == 1
    assert {each.parameters.value_weight for each in known} == {1.0}
    assert {each.parameters.exploration for each in known if each.n_features} == {"puct"}
