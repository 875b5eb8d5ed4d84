"""The search for the smallest file that is as strong as the whole, on players of known strength."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from gdl_miner.agent.features import FeatureAbsMove, WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, Parameters, Provenance
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.values import ValuePart, Values
from gdl_miner.miner.play.comparison import Sprt, Verdict
from gdl_miner.miner.play.match_tasks import play_pairs
from gdl_miner.miner.play.pairing import MatchRequest, make_pair
from gdl_miner.miner.play.rating import expected_score
from gdl_miner.miner.usefulness.measure import ListedFeature
from gdl_miner.miner.usefulness.pruning import Pruning, find_smallest, only_features, without_idle_values
from tests.knowledge.plain import knowledge_of

SHEET = load_machine("tictactoe.ext").sheet
ENTRIES = tuple(WeightedFeature(FeatureAbsMove(f"(mark {number} 1 x)"), 100.0 - number) for number in range(100))
WHOLE = knowledge_of(SHEET, [ENTRIES[:60]], [ENTRIES[60:]], made=Provenance("test", 0, 0, "1"))
RANKED: tuple[tuple[ListedFeature, ...], ...] = (tuple((each, each in ENTRIES[:60]) for each in ENTRIES[::-1]), ())


def pruned(
    needed: int, matches: int = 2000, lead: float = -200.0, whole: Knowledge = WHOLE
) -> tuple[Pruning, list[MatchRequest]]:
    """Prune in a world in which a file with fewer than `needed` features is weaker than the whole by 200 Elo.

    Returns the result, and all matches.
    """
    seen: list[MatchRequest] = []

    def play(candidate: Knowledge, size: int, asked: Sequence[MatchRequest]) -> dict[str, tuple[int, int]]:
        strength = lead if candidate.n_features < needed else 0.0
        goals = {}
        for match in asked:
            assert sorted(match.seats) == [0, 1], "player 0 is the candidate, player 1 the whole"
            ahead = strength if match.seats[0] == 0 else -strength
            won = random.Random(match.id).random() < expected_score(ahead)
            goals[match.id] = (100, 0) if won else (0, 100)
        seen.extend(asked)
        return goals

    ranked = RANKED if whole.n_features else ((), ())
    return find_smallest(whole, ranked, 50.0, matches, 1, play, lambda _: None), seen


@pytest.mark.parametrize(("needed", "size"), [(0, 0), (5, 10), (10, 10), (11, 20), (35, 40), (80, 80)])
def test_the_smallest_size_is_found_that_is_as_strong_as_the_whole(needed: int, size: int) -> None:
    pruning, _ = pruned(needed)
    knowledge = pruning.smallest
    assert pruning.size == size == knowledge.n_features
    assert len(pruning.trials) <= 3
    assert all(trial.as_strong == (trial.features >= needed) for trial in pruning.trials)
    kept = {*knowledge.winning[0], *knowledge.losing[0]}
    assert kept == set(ENTRIES[::-1][:size]), "the best by rank, in either list"


def test_where_every_feature_is_needed_the_whole_is_kept() -> None:
    pruning, _ = pruned(100)
    assert (pruning.smallest, pruning.size) == (WHOLE, None)


def test_where_the_test_does_not_end_what_is_likelier_counts() -> None:
    middle = 100 * (expected_score(-50.0) + expected_score(0.0)) / 2
    first = [pruned(100, matches=128, lead=lead)[0].trials[0] for lead in (-50.0, -30.0, 0.0, 20.0)]
    assert {Sprt(-50.0, 0.0).verdict(trial.score) for trial in first} == {Verdict.undecided}
    assert [trial.as_strong for trial in first] == [trial.score.win_percent > middle for trial in first]
    assert {trial.as_strong for trial in first} == {True, False}


def test_every_size_has_matches_of_its_own() -> None:
    _, seen = pruned(100, matches=64)
    assert len({match.id for match in seen}) == len(seen)
    assert len({match.seed for match in seen}) == len(seen) / 2, "the matches of a pair have one seed"


def test_without_features_nothing_is_tried() -> None:
    pruning, seen = pruned(0, whole=replace(WHOLE, winning=((), ()), losing=((), ())))
    assert (pruning.size, pruning.trials, seen) == (None, (), [])


def test_symmetries_go_with_the_last_feature() -> None:
    shared = replace(WHOLE, symmetries=("board (-x, y)",))
    assert only_features(shared, [{(ENTRIES[99], False)}, set()]).symmetries == shared.symmetries
    assert only_features(shared, [set(), set()]).symmetries == ()


VALUES = Values((), True, "", (), (ValuePart(0, 0, 0, {"(cell 2 2 x)": 3.0, "(cell 1 1 o)": -2.0}, ()),))


@pytest.mark.parametrize(
    ("used", "parameters"),
    [
        (False, Parameters(value_weight=0.0, experience=0)),
        (True, Parameters(value_weight=0.5, experience=0)),
        (True, Parameters(value_weight=0.0, experience=1)),
    ],
)
def test_values_that_the_parameters_do_not_use_are_left_out_and_change_no_match(
    used: bool, parameters: Parameters
) -> None:
    machine = load_machine("tictactoe.ext")
    centre = (WeightedFeature(FeatureAbsMove("(mark 2 2 x)"), 2.0),)
    known = replace(WHOLE, winning=(centre, ()), losing=((), ()), values=VALUES, parameters=parameters)
    smaller = without_idle_values(known)
    assert (smaller.values is not None) == used
    if used:
        return
    pairs = [make_pair(f"p{number}", 1, number, 2) for number in range(20)]
    uct = PlayerSpec(playouts=30)
    scores = [play_pairs(machine, (uct, uct.with_knowledge(each, machine)), pairs) for each in (known, smaller)]
    assert scores[0] == scores[1]
