"""NST chooses moves by the mean goals of their n-grams, which include the moves before them."""

import pytest

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search import PlayerSpec, play_matches
from tests.search.picks import PICKS, mean_goal
from tests.search.positions import machine_of

# A match has ten steps; a pick that follows the last pick in the cycle a, b, c gives a point. No move is good in
# itself.
TURNS = "\n".join(
    [
        "(role one) (init (step 0)) (init (points 0)) (init (last a))",
        "(<= (legal one (pick ?m)) (kind ?m))",
        "(kind a) (kind b) (kind c) (after a b) (after b c) (after c a)",
        "(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))",
        "(<= (next (last ?m)) (does one (pick ?m)))",
        "(<= good (does one (pick ?m)) (true (last ?l)) (after ?l ?m))",
        "(<= (next (points ?m)) good (true (points ?n)) (succ ?n ?m))",
        "(<= (next (points ?n)) (not good) (true (points ?n)))",
        "(<= terminal (true (step 10)))",
        "(<= (goal one ?g) (true (points ?n)) (worth ?n ?g))",
        *(f"(succ {n} {n + 1}) (worth {n} {10 * n})" for n in range(10)),
        "(worth 10 100)",
    ]
)


def test_moves_that_did_well_are_made_again_in_playouts_and_only_in_as_many_moves_as_allowed() -> None:
    uniform, first, all_through = (
        mean_goal(PICKS),
        mean_goal(PICKS, nst_greed=0.8, playout_moves=2),
        mean_goal(PICKS, nst_greed=0.8),
    )
    assert uniform + 1 < first < all_through - 2


def test_a_move_is_judged_by_the_moves_before_it() -> None:
    uniform, by_moves, by_ngrams = (
        mean_goal(TURNS),
        mean_goal(TURNS, mast_temperature=2.0),
        mean_goal(TURNS, nst_greed=0.9),
    )
    assert by_moves < uniform + 2 < by_ngrams - 2


def test_the_greedier_the_better_where_the_best_is_known() -> None:
    assert mean_goal(PICKS, nst_greed=0.2) < mean_goal(PICKS, nst_greed=0.95) - 3


@pytest.mark.strength
def test_searches_with_ngrams_beat_searches_without_at_equal_playouts() -> None:
    players = [PlayerSpec(playouts=100, parameters=Parameters(nst_greed=0.8)), PlayerSpec(playouts=100)]
    seats = [[0, 1], [1, 0]] * 30
    names = [str(number) for number in range(60)]
    record = play_matches(machine_of("breakthrough.ext"), players, seats, list(range(60)), names)
    assert sum(goals[seat.index(0)] for goals, seat in zip(record.goals.tolist(), seats, strict=True)) > 3600


@pytest.mark.parametrize("greed", [-0.1, 1.5])
def test_a_greed_that_is_no_share_is_refused(greed: float) -> None:
    with pytest.raises(ValueError, match="nst_greed"):
        Parameters(nst_greed=greed)
