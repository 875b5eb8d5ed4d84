"""Checks of the cost model: predicted and measured time ratios, and the operation costs that would fit best."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Annotated

import numpy as np
import typer
from scipy.optimize import nnls

from gdl_miner.agent.features import WeightedFeature
from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.knowledge import Knowledge, Parameters, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import search_arrays
from gdl_miner.agent.values import Blocks, Lines, ValueShape, layout_for, value_function
from gdl_miner.miner.learners.expert_iteration.atoms import find_atoms
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.cost_model import OPERATION_COSTS, PositionSample
from gdl_miner.miner.play.prepared_game import PreparedGame
from lab.options import Games, PlayoutsOption, report_progress
from lab.speed.full_size import full_size_knowledge
from lab.tables import Column, Row, StudyTable, game_column
from lab.theses.thesis import DEPTHS

_POSITIONS = 256
_PLAYOUTS = 200
_TURNS = 5
_TURN_S = 0.05  # least processor time of a player in a turn
_BARE = "none"  # the knowledge of bare UCT
_SHAPES = (Blocks((2, 2)), Lines(4))  # tuples of the large network, as far as the board has them
_REACH = 2  # of atomic patterns
_THIN = 10  # thin knowledge keeps one of this many features
_RIDGE = 0.02  # strength with which fitted costs are pulled towards the present ones


@dataclass(frozen=True)
class MeasuredCost:
    """The time that a playout of a player takes, and the operations that it performs."""

    game: str
    knowledge: str
    seconds: float  # processor time
    amounts: Mapping[str, float]  # [operation] mean number in a playout


def work(
    game: Games = None,
    knowledge: Annotated[
        Path | None, typer.Option(help="Folder with files GAME.xml; by default knowledge of full size is mined.")
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(help="A knowledge file of a bundled game; again for more. They are measured as they play."),
    ] = None,
    playouts: PlayoutsOption = _PLAYOUTS,
    fit: Annotated[bool, typer.Option("--fit", help="Print the operation costs that fit these times best.")] = False,
) -> Iterator[StudyTable]:
    """Compare predicted work with measured time, both in playouts of bare UCT.

    Knowledge is measured in the tree and in playouts, whole and thin; with --file only the files are, as they play.
    Time is that of the processor, in turns with bare UCT. A file whose work/time is above 1 gets too few playouts in
    matches at equal work.
    """
    measured: list[MeasuredCost] = []
    read = {path: read_knowledge(path) for path in file or ()}
    for name in dict.fromkeys(known.game for known in read.values()):
        report_progress(f"{name}: measuring")
        files = {str(path): known for path, known in read.items() if known.game == name}
        measured += file_costs(load_machine(name), files, playouts)
    for name in () if file else game or sorted(DEPTHS):
        machine = load_machine(name)
        report_progress(f"{machine.sheet.name}: measuring")
        given = None if knowledge is None else knowledge / f"{machine.sheet.name}.xml"
        known = full_size_knowledge(machine) if given is None else read_knowledge(given, machine.sheet)
        measured += costs(machine, known, playouts)
    columns = (
        game_column(),
        Column("knowledge", "knowledge", 40),
        Column("microseconds", "us/playout", 10, ".2f"),
        Column("time_ratio", "time", 7, ".2f"),
        Column("work_ratio", "work", 7, ".2f"),
        Column("error", "work/time", 9, ".2f"),
    )
    yield StudyTable(columns, ratios(measured))
    if fit:
        fitted = ({"operation": name, "cost": cost} for name, cost in fitted_costs(measured).items())
        yield StudyTable((Column("operation", "operation", 24), Column("cost", "cost", 12, ".4g")), fitted)


def file_costs(machine: Machine, files: Mapping[str, Knowledge], playouts: int = _PLAYOUTS) -> list[MeasuredCost]:
    """Measure in turns bare UCT and the players of files by their names, in this order.

    Raises KnowledgeError where the knowledge does not fit the game.
    """
    bare = PlayerSpec(playouts=playouts)
    players = {_BARE: bare}
    for name, knowledge in files.items():
        player = bare.with_knowledge(knowledge, machine)
        if player.values is not None and 0 < player.parameters.trusted_playouts < playouts:
            player = replace(player, parameters=player.parameters.mixed())
        players[name] = player
    return _measured(machine, players)


def costs(machine: Machine, knowledge: Knowledge, playouts: int = _PLAYOUTS) -> list[MeasuredCost]:
    """Measure in turns bare UCT, values, and the knowledge, in this order.

    Values are those of small and large networks, for states or for moves. Knowledge acts in the tree or in playouts:
    the whole file, a thin one, and the patterns with which an apprentice begins.
    """
    players = {_BARE: PlayerSpec(playouts=playouts), **_valuing(machine, playouts)}
    files = {"all": knowledge, "a tenth": _thin(knowledge), "atoms": _atoms(machine, knowledge)}
    for size, file in files.items():
        for place, in_playouts in (("in the tree", False), ("in playouts", True)):
            parameters = replace(
                file.parameters, features_in_selection=not in_playouts, features_in_playouts=in_playouts
            )
            acting = replace(file, parameters=parameters)
            players[f"{size} {place}"] = PlayerSpec(playouts=playouts).with_knowledge(acting, machine)
    return _measured(machine, players)


def _measured(machine: Machine, players: Mapping[str, PlayerSpec]) -> list[MeasuredCost]:
    """Return the costs of the players, of which the first is bare UCT.

    Each is measured right after bare UCT in every turn. The median of these ratios ignores other load on the machine.
    """
    sample = PositionSample(machine, _POSITIONS)
    for player in players.values():  # this makes native scorers before time is taken
        search_arrays(machine, sample.states[:1], replace(player, playouts=1), [1])
    bare: list[float] = []
    found: dict[str, list[float]] = {name: [] for name in players}
    for _ in range(_TURNS):
        for name, player in players.items():
            bare.append(_seconds(machine, sample, players[_BARE]))
            found[name].append(1.0 if name == _BARE else _seconds(machine, sample, player) / bare[-1])
    counted = PositionSample(machine)
    return [
        MeasuredCost(machine.sheet.name, name, median(bare) * median(found[name]), counted.amounts(player))
        for name, player in players.items()
    ]


def ratios(found: Sequence[MeasuredCost]) -> Iterator[Row]:
    """Yield the ratios of each cost to that of bare UCT in the same game."""
    bare = {cost.game: cost for cost in reversed(found) if cost.knowledge == _BARE}
    for cost in found:
        time_ratio = cost.seconds / bare[cost.game].seconds
        work_ratio = _work(cost) / _work(bare[cost.game])
        yield {
            "game": cost.game,
            "knowledge": cost.knowledge,
            "microseconds": 1e6 * cost.seconds,
            "time_ratio": time_ratio,
            "work_ratio": work_ratio,
            "error": work_ratio / time_ratio,
        }


def fitted_costs(found: Sequence[MeasuredCost]) -> dict[str, float]:
    """Fit operation costs, none below 0, that predict the measured times with the least squared relative error.

    Costs that the times do not tell apart stay near the present ones (ridge regression: Hoerl & Kennard 1970). Only
    proportions of costs matter, so the present ones are scaled to the times first.
    """
    amounts = np.array([[cost.amounts[name] for name in OPERATION_COSTS] for cost in found])
    shares = amounts / np.array([[1e9 * cost.seconds] for cost in found])  # of the time, at 1 ns an operation
    present = np.array(list(OPERATION_COSTS.values()))
    present /= median(shares @ present)
    ridge = np.full(len(present), _RIDGE**0.5)
    fitted, _ = nnls(np.vstack([shares, np.diag(ridge / present)]), np.concatenate([np.ones(len(found)), ridge]))
    return dict(zip(OPERATION_COSTS, fitted.tolist(), strict=True))


def _valuing(machine: Machine, playouts: int) -> dict[str, PlayerSpec]:
    """Return players with values in place of playouts; the weights are random."""
    geometry, game, rng = geometry_of(machine), PreparedGame(machine.sheet, machine.circuit), np.random.default_rng(1)
    shapes = tuple(shape for shape in _SHAPES if shape.on(geometry))
    players = {}
    for size, tuples in {"facts": (), "tuples": shapes}.items() if shapes else (("facts", ()),):
        layout = layout_for(game.machine(), ValueShape(tuples))
        function = value_function(layout, rng.normal(0, 0.1, layout.n_weights).astype(np.float32))
        for of, experience in (("states", 0), ("moves", 1)):
            parameters = Parameters(uct_c=15.0, experience=experience, solver=True)
            players[f"{size}, {of}"] = PlayerSpec("uct", parameters, values=function, playouts=playouts)
    return players


def _work(cost: MeasuredCost) -> float:
    return sum(OPERATION_COSTS[name] * amount for name, amount in cost.amounts.items())


def _thin(knowledge: Knowledge) -> Knowledge:
    def thinned(lists: tuple[tuple[WeightedFeature, ...], ...]) -> tuple[tuple[WeightedFeature, ...], ...]:
        return tuple(features[::_THIN] for features in lists)

    return replace(knowledge, winning=thinned(knowledge.winning), losing=thinned(knowledge.losing))


def _atoms(machine: Machine, knowledge: Knowledge) -> Knowledge:
    """Return the atomic patterns of the game in place of the features; their weights are random."""
    sharing, rng = sharing_of(machine, "auto"), np.random.default_rng(1)
    found = find_atoms(machine, sharing, _REACH, seed=1)
    winning = tuple(tuple(WeightedFeature(each, 0.1 + float(rng.random())) for each in own) for own in found)
    return replace(knowledge, winning=winning, losing=tuple(() for _ in winning), symmetries=sharing.names)


def _seconds(machine: Machine, sample: PositionSample, player: PlayerSpec) -> float:
    """Processor time of a playout."""
    begun, playouts = time.process_time(), 0
    while playouts == 0 or time.process_time() - begun < _TURN_S:
        seeds = list(range(len(sample.states)))
        playouts += int(search_arrays(machine, sample.states, player, seeds, last_rows=sample.last_rows).work[0])
    return (time.process_time() - begun) / playouts
