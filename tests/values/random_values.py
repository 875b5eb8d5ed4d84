"""Value networks with random weights."""

from random import Random

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.geometry import EMPTY, Symmetry, find_symmetries, geometry_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import CellTuple, GoalCosts, ValueLayout, read_shape, value_function


def random_layout(
    machine: Machine, seed: int, *, symmetric: bool = True, playable: bool = False, costs: bool = False
) -> ValueLayout:
    """Return a layout with some tuples of two or three cells, two more anywhere, and mostly several stages.

    Two more and one anywhere have weights of their own for each side.
    With `playable`, there are as many again whose contents tell who may move there, with `costs` tuples of costs.
    """
    random, geometry = Random(seed), geometry_of(machine)
    shaped = [each for shape in ("line 2", "line 3") for each in read_shape(shape).on(geometry)]
    symmetries: tuple[Symmetry, ...] = find_symmetries(machine) if symmetric else ()

    def some(most: int, **kind: bool) -> list[CellTuple]:
        return [CellTuple(points, **kind) for points in random.sample(shaped, min(len(shaped), most))]

    tuples = some(6)
    constant_sum = len(machine.circuit.choosing_roles) == 2 and (symmetric or random.random() < 0.5)
    stages = sorted(random.sample(range(1, 12), random.randrange(4)))
    tuples += some(2, anywhere=True)
    if playable:
        tuples += some(6, playable=True) + some(2, playable=True, anywhere=True)
    tuples += some(2, each_side=True) + some(1, each_side=True, anywhere=True, playable=playable)
    return ValueLayout(
        machine=machine,
        symmetries=symmetries,
        tuples=tuples,
        constant_sum=constant_sum,
        blank=geometry.piece_code.get("b", EMPTY),
        stages=stages,
        costs=GoalCosts().costs(machine) if costs else (),
    )


def random_weights(layout: ValueLayout, seed: int, size: float = 1.0) -> NDArray[np.float32]:
    """Return normal weights with a standard deviation of `size`."""
    return np.random.default_rng(seed).normal(0, size, layout.n_weights).astype(np.float32)


def random_values(
    machine: Machine, seed: int, *, symmetric: bool = True, size: float = 1.0
) -> tuple[ValueLayout, NDArray[np.float32]]:
    """Return a random layout with random weights."""
    layout = random_layout(machine, seed, symmetric=symmetric)
    return layout, random_weights(layout, seed, size)


def random_function(machine: Machine, seed: int, *, symmetric: bool = True, size: float = 0.5) -> _native.ValueFunction:
    """Return the native function of random values."""
    return value_function(*random_values(machine, seed, symmetric=symmetric, size=size))
