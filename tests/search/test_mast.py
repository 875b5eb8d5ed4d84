"""Moves drawn by their mean goals wherever in the tree they were made (MAST)."""

import numpy as np

from agent.gdl import parse_sheet
from agent.knowledge import Parameters
from agent.reasoner.machine import load_machine
from agent.search import PlayerSpec, search_position

# Ten steps; (pick good) at any one of the last nine gives a point, whatever the first move was.
PICKS = "\n".join(
    [
        "(role one) (init (step 0)) (init (points 0))",
        "(<= (legal one (pick ?m)) (kind ?m))",
        "(kind good) (kind bad) (kind poor) (kind worse)",
        "(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))",
        "(<= (next (points ?m)) (does one (pick good)) (true (points ?n)) (succ ?n ?m))",
        "(<= (next (points ?n)) (not (does one (pick good))) (true (points ?n)))",
        "(<= terminal (true (step 10)))",
        "(<= (goal one ?g) (true (points ?n)) (worth ?n ?g))",
        *(f"(succ {n} {n + 1}) (worth {n} {10 * n})" for n in range(10)),
        "(worth 10 100)",
    ]
)


def mean_goal(**parameters: float) -> float:
    machine = load_machine(parse_sheet(PICKS, "picks"))
    total = 0.0
    for seed in range(20):
        (result,) = search_position(
            machine, machine.initial(), PlayerSpec(playouts=200, parameters=Parameters(**parameters)), seed
        )
        total += float(np.nansum(result.means * result.visits) / result.visits.sum())
    return total / 20


def test_moves_that_did_well_are_made_again_in_playouts_and_only_in_as_many_moves_as_allowed():
    uniform, first, all_through = (
        mean_goal(),
        mean_goal(mast_temperature=5.0, playout_moves=2),
        mean_goal(mast_temperature=5.0),
    )
    assert uniform + 1 < first < all_through - 2


def test_a_high_temperature_is_nearly_uniform():
    assert abs(mean_goal(mast_temperature=1e6, playout_moves=0) - mean_goal()) < 5
