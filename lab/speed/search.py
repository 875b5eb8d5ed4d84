"""The time of searches and of learned values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from statistics import median
from typing import Annotated, get_args

import numpy as np
import typer

from gdl_miner.agent.limits import MAX_PLAYOUTS
from gdl_miner.agent.search import PlayerSpec, play_matches
from gdl_miner.agent.search.benchmark import SearchSpeed, measure_search
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import STAGES
from gdl_miner.agent.values import ShapeChoice, ValueShape, layout_for, value_function
from lab.options import Games, LanesOption, Rounds, Seconds, SharedFolder, loaded_games
from lab.tables import Column, Row, StudyTable, game_column

_SEARCHED = ("connectFour", "breakthrough", "cubicup", "amazons.ext", "othello-comp2007", "checkers.ext", "othello.ext")
_VALUED = ("connectfour.ext", "connectfour7.ext", "breakthrough.ext", "othello.ext", "checkers.ext", "cubicup.ext")
_MATCHES = 64


def search(
    game: Games = None,
    seconds: Seconds = 2.0,
    lanes: LanesOption = 512,
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts of each search.")] = 1000,
    rounds: Rounds = 5,
    shared: SharedFolder = None,
) -> Iterator[StudyTable]:
    """Playouts per second of batched UCT, and where its time goes.

    Searches take turns with random play of the same game, as machines are not equally fast from one second to the next.
    Figures are medians over the rounds. *Times random* is the median of the ratios within a round.
    """

    def rows() -> Iterator[Row]:
        player = PlayerSpec(playouts=playouts)
        for name, machine in loaded_games(game or _SEARCHED, shared):
            searched: list[SearchSpeed] = []
            random: list[float] = []
            for turn in range(rounds):
                totals = machine.playouts(seconds=seconds / rounds, lanes=lanes)
                random.append(totals.playouts / totals.cpu_seconds)
                seed = derive_seed(0, turn)
                searched.append(measure_search(machine, player, seconds=seconds / rounds, lanes=lanes, seed=seed))
            speeds = [speed.playouts_per_s for speed in searched]
            ratios = [speed / alone for speed, alone in zip(speeds, random, strict=True) if alone]
            yield {
                "game": name,
                "playouts_per_cpu_s": median(speeds),
                "random_per_cpu_s": median(random),
                "times_random": median(ratios) if ratios else None,
                **reduce(SearchSpeed.plus, searched).shares,
            }

    columns = (
        game_column(),
        Column("playouts_per_cpu_s", "per CPU s"),
        Column("random_per_cpu_s", "random"),
        Column("times_random", "× random", 9, ".2f"),
        *(Column(stage, stage, max(7, len(stage)), ".0%") for stage in STAGES),
    )
    yield StudyTable(columns, rows())


def values(game: Games = None, seconds: Seconds = 2.0, shared: SharedFolder = None) -> Iterator[StudyTable]:
    """Microseconds for the learned value of one state, with the usual networks of every game.

    The states are those of random matches, one after the other, and the weights are random numbers. A search needs less
    for the moves of a node, because it adds up anew only the tuples that differ from one state to the next.
    """

    def rows() -> Iterator[Row]:
        dice = np.random.default_rng(0)
        for name, machine in loaded_games(game or _VALUED, shared):
            seats = np.zeros((_MATCHES, len(machine.roles)), np.int32)
            names = [f"match {number}" for number in range(_MATCHES)]
            states = play_matches(machine, [PlayerSpec("random")], seats, range(_MATCHES), names).states
            states = states[dice.permutation(len(states))]
            layouts = [layout_for(machine, ValueShape(choice)) for choice in get_args(ShapeChoice)]
            weights = [dice.standard_normal(layout.n_weights, np.float32) for layout in layouts]
            functions = list(map(value_function, layouts, weights))
            spent = _call_seconds([partial(function.values, states) for function in functions], seconds)
            for choice, layout, call in zip(get_args(ShapeChoice), layouts, spent, strict=True):
                yield {
                    "game": name,
                    "shapes": choice,
                    "weights": layout.n_weights,
                    "tuples": len(layout.network.views[0].tuple_weight),
                    "value_us": 1e6 * call / len(states),
                }

    columns = (
        game_column(),
        Column("shapes", "shapes", 8),
        Column("weights", "weights", 8),
        Column("tuples", "tuples", 8),
        Column("value_us", "value µs", 9, ".2f"),
    )
    yield StudyTable(columns, rows())


def _call_seconds(calls: Sequence[Callable[[], object]], seconds: float) -> list[float]:
    """Return the processor seconds of each call: the mean of the faster half of the rounds.

    There are at least three rounds, and more until `seconds` have passed. A round makes all calls one after the
    other, so that a disturbance of the machine affects them alike.
    """
    rounds: list[list[float]] = []
    end = time.perf_counter() + seconds
    while len(rounds) < 3 or time.perf_counter() < end:
        rounds.append([_timed(call) for call in calls])
    faster = np.sort(rounds, axis=0)[: (len(rounds) + 1) // 2]
    return [float(mean) for mean in faster.mean(axis=0)]


def _timed(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin
