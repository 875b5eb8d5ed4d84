"""The learner of expert iteration, without a run: what it asks for, and what it makes of the results."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gdl_miner.agent.features import FeatureAbsMove, WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, Provenance
from gdl_miner.agent.values import LearnedWeights, PlayedGames, RoundTotals, ValuePart, Values
from gdl_miner.miner.apprentice import Experience, PolicyError, TrainedPolicy
from gdl_miner.miner.learners.expert_iteration.learner import ExpertIterationLearner
from gdl_miner.miner.learners.expert_iteration.method import EXPERT_ITERATION
from gdl_miner.miner.learners.expert_iteration.state import unpack_state
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    Entrant,
    ExpertGames,
    FindAtoms,
    FoundAtoms,
    LearnFromGames,
    MatchResults,
    PlayExpert,
    PlayMatches,
    Result,
    TrainedValues,
    TrainPolicy,
    TrainValues,
    Validate,
    Validation,
)
from gdl_miner.miner.play.rating import Rating, Score

GAME = "tictactoe.ext"
MAKER = KnowledgeMaker(GAME, "", ("x", "o"), Provenance("test", 0, 1, "1"))


def learner(start: Knowledge | None = None, **settings: Any) -> ExpertIterationLearner:
    changes = {"expert": {"matches": 4, "validation_matches": 4, "value_steps": 0, **settings}}
    return ExpertIterationLearner(EXPERT_ITERATION.read_config("quick", changes), replace(MAKER, start=start))


FEATURES = ((FeatureAbsMove("(mark 1 1 x)"), FeatureAbsMove("(mark 2 2 x)"), FeatureAbsMove("(mark 3 3 x)")), ())


def played(games: int) -> ExpertGames:
    """Return one example for each game."""
    examples = Experience(
        np.zeros(games, np.int32),
        np.zeros((games, 1), np.uint64),
        2 * np.arange(games + 1, dtype=np.int64),
        np.arange(2 * games, dtype=np.int32),
        np.full(2 * games, 0.5),
    )
    start, goals = 9 * np.arange(games + 1, dtype=np.int64), np.zeros((games, 2), np.int32)
    goals[0] = -1
    return ExpertGames(
        examples, PlayedGames(np.zeros((9 * games, 1), np.uint64), start, np.zeros(9 * games, np.bool_), goals)
    )


def valued(number: float) -> TrainedValues:
    """Return values of one weight."""
    weights = np.full(1, number, np.float32)
    totals = RoundTotals(1, 1, 0, 0.25)
    return TrainedValues(LearnedWeights(weights, weights, weights), (totals,), worth(number))


def worth(number: float) -> Values:
    return Values((), True, "", (), (ValuePart(0, 0, 0, {"(control x)": number}, ()),))


def answer(request: object, wins: bool) -> Result:
    match request:
        case FindAtoms():
            return FoundAtoms(FEATURES)
        case TrainValues():
            return valued(1.0 if request.start is None else float(request.start.weights[0]) + 1)
        case LearnFromGames():
            start = request.start
            return valued((weight_of(start) if isinstance(start, Values) else float(start.weights[0])) + 0.5)
        case PlayExpert():
            return played(len(request.matches))
        case TrainPolicy():
            weights = tuple(own + 0.5 for own in request.policy.weights)
            policy = type(request.policy)(request.policy.features, weights, request.policy.velocities)
            return TrainedPolicy(policy, PolicyError(request.new, 2 * request.new, 1.0, 0.5, 0.1), ((), ()))
        case PlayMatches():
            goals = {
                match.id: [100 if (player == 1) == wins else 0 for player in match.seats] for match in request.matches
            }
            return MatchResults(goals, {each.name: 1.0 for each in request.entrants})
        case Validate():
            return Validation(request.entrant.name, Score(1), Rating(0.0, 1.0))
    return None


def asked(learning: ExpertIterationLearner, *, wins: Callable[[int], bool]) -> list[Any]:
    requests = []
    while (request := learning.ask()) is not None:
        assert type(request) is type(learning.ask())
        requests.append(request)
        learning.tell(answer(request, wins(request.step)))
    return requests


def test_a_step_plays_and_learns_until_the_apprentice_is_measured() -> None:
    requests = asked(learner(measured_after=[3, 8], games_at_once=4), wins=lambda step: True)
    measured = ["PlayMatches", "EndStep"]
    assert [type(each).__name__ for each in requests] == [
        "FindAtoms", "PlayExpert", "TrainPolicy", *measured,
        "PlayExpert", "TrainPolicy", "PlayExpert", "TrainPolicy", *measured, "Validate",
    ]  # fmt: skip
    games = [each for each in requests if isinstance(each, PlayExpert)]
    assert [len(each.matches) for each in games] == [3, 4, 1]
    seeds = [match.seed for each in games for match in each.matches]
    assert len(set(seeds)) == 8
    assert games[0].knowledge.n_features == 0
    assert [each.weight for each in games[1].knowledge.winning[0]] == [0.5, 0.5, 0.5]
    assert games[2].knowledge.winning[0][0].weight == 1.0


def weight_of(values: Values | None) -> float:
    assert values is not None
    return values.parts[0].facts["(control x)"]


def test_values_are_learned_first_and_learn_on_from_the_games_of_the_expert() -> None:
    requests = asked(
        learner(measured_after=[3, 8], games_at_once=4, value_steps=2, values_learn_on=True), wins=lambda step: True
    )
    measured = ["PlayMatches", "EndStep"]
    self_play = ["PlayExpert", "LearnFromGames", "TrainPolicy"]
    assert [type(each).__name__ for each in requests] == [
        "TrainValues", "TrainValues", "FindAtoms", *self_play, *measured, *self_play, *self_play, *measured, "Validate",
    ]  # fmt: skip
    games = [each for each in requests if isinstance(each, PlayExpert)]
    assert [weight_of(each.knowledge.values) for each in games] == [2.0, 2.5, 3.0]
    assert {each.knowledge.parameters.value_weight for each in games} == {1.0}
    first, second = [each.entrants for each in requests if isinstance(each, PlayMatches)]
    assert [(each.name, weight_of(each.knowledge.values)) for each in first] == [("s001", 2.5), ("start", 2.0)]
    assert [(each.name, weight_of(each.knowledge.values)) for each in second] == [("s002", 3.5), ("s001", 2.5)]
    assert first[1].knowledge.n_features == 0


def test_values_of_a_file_learn_on_or_stay_as_they_are() -> None:
    start = Knowledge(GAME, "", ("x", "o"), ((), ()), ((), ()), values=worth(4.0))
    for learns_on, expected in ((True, [4.0, 4.5]), (False, [4.0, 4.0])):
        settings: dict[str, Any] = {"measured_after": [8], "games_at_once": 4, "value_steps": 2}
        requests = asked(learner(start, **settings, values_learn_on=learns_on), wins=lambda step: True)
        assert not any(isinstance(each, TrainValues) for each in requests)
        assert [weight_of(each.knowledge.values) for each in requests if isinstance(each, PlayExpert)] == expected


def test_features_of_a_file_without_values_get_values_that_are_learned_first() -> None:
    start = Knowledge(GAME, "", ("x", "o"), ((WeightedFeature(FEATURES[0][1], 0.75),), ()), ((), ()))
    requests = asked(learner(start, measured_after=[3], value_steps=1), wins=lambda step: False)
    assert [type(each).__name__ for each in requests[:3]] == ["TrainValues", "FindAtoms", "PlayExpert"]
    first = requests[2].knowledge
    assert (first.winning, weight_of(first.values)) == (start.winning, 1.0)
    [measured] = [each for each in requests if isinstance(each, PlayMatches)]
    best = measured.entrants[1]
    assert (best.name, best.knowledge.winning, weight_of(best.knowledge.values)) == ("start", start.winning, 1.0)


def test_experience_is_remembered_up_to_the_size_of_the_buffer() -> None:
    requests = asked(learner(measured_after=[3, 8], games_at_once=4, buffer=5), wins=lambda step: True)
    learned = [each for each in requests if isinstance(each, TrainPolicy)]
    assert [(len(each.experience), each.new) for each in learned] == [(3, 3), (5, 4), (5, 1)]


def test_pruning_leaves_the_largest_weights_and_ends_the_growth() -> None:
    learning = learner(measured_after=[4, 8], games_at_once=3, pruned_after=4, kept_features=2, games_per_feature=1)
    learned = [each for each in asked(learning, wins=lambda step: True) if isinstance(each, TrainPolicy)]
    assert [each.policy.n_features for each in learned] == [3, 3, 2, 2]
    assert [each.training.growth for each in learned] == ["correlation", "correlation", "none", "none"]
    assert [each.training.new_features for each in learned] == [3, 1, 3, 1]


def test_an_apprentice_that_starts_from_knowledge_has_its_weights_and_the_other_atoms() -> None:
    winning = (WeightedFeature(FEATURES[0][1], 0.75), WeightedFeature(FeatureAbsMove("(mark 1 3 x)"), 0.5))
    losing = (WeightedFeature(FEATURES[0][2], 0.25),)
    start = Knowledge(GAME, "", ("x", "o"), (winning, ()), (losing, ()))
    requests = asked(learner(start, measured_after=[3]), wins=lambda step: False)
    first = next(each for each in requests if isinstance(each, PlayExpert)).knowledge
    assert (first.winning, first.losing) == (start.winning, start.losing)
    assert first.parameters.exploration == "puct"
    policy = next(each for each in requests if isinstance(each, TrainPolicy)).policy
    known = (FEATURES[0][1], FeatureAbsMove("(mark 1 3 x)"), FEATURES[0][2])
    assert policy.features == ((*known, FEATURES[0][0]), ())
    assert policy.weights[0].tolist() == [0.75, 0.5, -0.25, 0.0]
    [measured] = [each for each in requests if isinstance(each, PlayMatches)]
    assert [each.name for each in measured.entrants] == ["s001", "start"]
    assert next(each for each in requests if isinstance(each, Validate)).entrant.name == "start"


def reader(members: Sequence[Entrant]) -> Callable[[int, str], Knowledge]:
    known = {member.name: member.knowledge for member in members}
    return lambda step, name: known[name]


def test_a_learner_goes_on_from_its_packed_state() -> None:
    settings: dict[str, Any] = {
        "measured_after": [3, 8, 9],
        "games_at_once": 4,
        "buffer": 6,
        "value_steps": 2,
        "values_learn_on": True,
    }
    expected = asked(learner(**settings), wins=lambda step: step != 2)
    halves, found = learner(**settings), []
    while (request := halves.ask()) is not None:
        stood = halves.state
        found.append(request)
        halves.tell(answer(request, request.step != 2))
        if halves.state is not stood:
            config = EXPERT_ITERATION.read_config(
                "quick", {"expert": {"matches": 4, "validation_matches": 4, **settings}}
            )
            state = unpack_state(halves.state.pack(), reader(halves.members))
            halves = ExpertIterationLearner(config, MAKER, state)
    assert [type(each) for each in found] == [type(each) for each in expected]
    for one, other in zip(found, expected, strict=True):
        if isinstance(one, TrainPolicy):
            assert one.policy.features == other.policy.features
            assert [each.tolist() for each in one.policy.weights] == [each.tolist() for each in other.policy.weights]
            assert (one.experience.states == other.experience.states).all()
            assert one.experience.shares.tolist() == other.experience.shares.tolist()
            assert one.training == other.training
        elif isinstance(one, LearnFromGames):
            assert [each.tolist() for each in one.start] == [each.tolist() for each in other.start]
            assert one.games.start.tolist() == other.games.start.tolist()
        elif isinstance(one, TrainValues):
            assert (one.shards, one.shape, one.title) == (other.shards, other.shape, other.title)
        else:
            assert one == other


def test_a_result_of_another_request_is_refused() -> None:
    with pytest.raises(ValueError, match="MatchResults is no result of FindAtoms"):
        learner().tell(MatchResults({}, {}))
