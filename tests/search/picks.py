"""A game of one role, in which a search gets better goals if it repeats moves with good goals."""

import numpy as np

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search import PlayerSpec, search_position

# A match has ten steps; every (pick good) gives a point.
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


def mean_goal(rules: str, **parameters: float) -> float:
    """Return the mean goal of playouts from the initial state, over twenty seeds."""
    machine = load_machine(parse_sheet(rules, "picks"))
    total = 0.0
    for seed in range(20):
        (result,) = search_position(
            machine, machine.initial(), PlayerSpec(playouts=200, parameters=Parameters(**parameters)), seed
        )
        total += float(np.nansum(result.means * result.visits) / result.visits.sum())
    return total / 20
