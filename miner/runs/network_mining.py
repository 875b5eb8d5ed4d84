"""A run's mining of tuples for networks: positions are searched by the best player, and what it misses is mined."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import search_positions
from gdl_miner.agent.values import Cells, ValueShape, layout_for
from gdl_miner.miner.mining.training_data import TrainingPosition, choose_training_positions
from gdl_miner.miner.mining.tuples import mine_tuples
from gdl_miner.miner.play.executor import WorkerTask
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.entrant import KnowledgeMaker
from gdl_miner.miner.runs.matches import BaselineMatches
from gdl_miner.miner.runs.networks import NetworkPlayer, entrant_of
from gdl_miner.miner.runs.records import StepRecords
from gdl_miner.miner.runs.run import Run

_POSITIONS_OF_TASK = 256


@dataclass(frozen=True)
class MinedShape:
    """A shape of tuples that was mined; `text` is empty where nothing was found."""

    text: str
    n_weights: int  # of a network with this shape alone
    gain: float  # share of what searches see beyond the network that the tuples foresee in positions held out
    positions: int


def mine_shape(
    run: Run,
    step: int,
    seed: int,
    maker: KnowledgeMaker,
    player: NetworkPlayer,
    positions: int,
    playouts: int,
    most: int,
) -> MinedShape:
    """Search positions of a finished step, and mine tuples from what the searches see beyond a player's network.

    Args:
        run: the run.
        step: the step.
        seed: decides which positions are chosen.
        maker: makes the player's knowledge.
        player: who searches.
        positions: of each role, at most.
        playouts: of each search.
        most: number of tuples.
    """
    begun = time.monotonic()
    chosen = choose_training_positions(run.service(StepRecords).of(step, "gen"), run.machine, positions, seed)
    run.reporter.working(f"searching {len(chosen)} positions of {run.unit} {step} for tuples")
    entrant = entrant_of(run, maker, player)
    searcher = run.service(BaselineMatches).players.searcher(entrant, playouts)
    pieces = [
        WorkerTask(f"g{step:03d}-tuples-{first:06d}", chosen[first : first + _POSITIONS_OF_TASK])
        for first in range(0, len(chosen), _POSITIONS_OF_TASK)
    ]
    residual = np.concatenate([np.empty(0), *run.on_workers(_residuals, (searcher,), pieces)])
    layout = layout_for(run.machine, player.network.shape)
    known = np.isfinite(residual)
    states = np.array([position.state for position in chosen])[known]
    found = mine_tuples(layout, states, residual[known], most)
    run.write_time(StepPart(step, "mining", None), None, None, time.monotonic() - begun)
    if not found.tuples:
        return MinedShape("", 0, 0.0, len(states))
    cells = layout.geometry.points
    shape = Cells(tuple(tuple(tuple(cells[point].tolist()) for point in points) for points in found.tuples))
    alone = layout_for(run.machine, _alone(player.network.shape, shape))
    return MinedShape(str(shape), alone.n_weights, found.gain, len(states))


def _alone(shape: ValueShape, cells: Cells) -> ValueShape:
    return ValueShape((cells,), shape.stages, shape.symmetries)


def _residuals(
    game: PreparedGame, searcher: PlayerSpec, positions: tuple[TrainingPosition, ...]
) -> NDArray[np.float64]:
    """Return what searches of positions say beyond the values of the states, to the first player.

    A position is worth what the search thinks of its most visited move. It is NaN where more than one role chooses, or
    where no value to the first role follows.
    """
    machine, values = game.machine(), searcher.values
    assert values is not None
    states = np.array([position.state for position in positions])
    found = search_positions(machine, states, searcher, [position.seed for position in positions])
    static = np.asarray(values.values(states, machine.native), np.float64) / 100
    residual, first = np.full(len(positions), np.nan), machine.circuit.choosing_roles[0]
    for place, results in enumerate(found):
        if len(results) != 1 or (results[0].role != first and values.n_outputs > 1):
            continue
        [result] = results
        worth = float(result.means[int(np.argmax(result.visits))]) / 100
        difference = worth - static[place, result.role]
        residual[place] = difference if result.role == first else -difference
    return residual
