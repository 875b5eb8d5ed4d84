"""Random playouts on one core: beside other systems, with decisive moves, over a corpus."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import quantiles

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError
from lab.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    BudgetMemory,
    BudgetSeconds,
    Games,
    LanesOption,
    Seconds,
    SharedFolder,
    corpus_in,
    loaded_games,
)
from lab.tables import Column, Row, StudyTable, game_column

_DECISIVE_GAMES = ("ticTacToe", "connectFour", "pentago", "breakthrough", "knightThrough", "cubicup")
_LEVELS = ("decisive", "antidecisive")
_ROUNDS = 8  # kinds of playouts take turns, so that a machine that changes its speed slows all of them
_SIZES = (0, 300, 1_000, 3_000, 10_000, 100_000, 10**12)  # literals of circuits that are summed up together


@dataclass(frozen=True)
class Reference:
    """Random playouts per second of two other systems and the goal of this project; None where there is no figure."""

    rbg: float | None = None
    propnet: float | None = None
    wanted: float | None = None


@cache
def _references() -> Mapping[str, Reference]:
    """Return the figures by name of the rule sheet, in the order of the table."""
    text = Path(__file__).with_name("references.toml").read_text(encoding="utf-8")
    return {name: Reference(**figures) for name, figures in tomllib.loads(text).items()}


class _Rate:
    """Sums over runs of playouts."""

    def __init__(self) -> None:
        self.playouts = self.states = self.finished_states = 0
        self.cpu_seconds = 0.0

    def add(self, totals: _native.PlayoutTotals) -> None:
        self.playouts += totals.playouts
        self.states += totals.states
        self.finished_states += totals.finished_states
        self.cpu_seconds += totals.cpu_seconds

    @property
    def states_per_s(self) -> float:
        return self.states / self.cpu_seconds

    @property
    def playouts_per_s(self) -> float:
        return self.playouts / self.cpu_seconds

    @property
    def length(self) -> float | None:
        return self.finished_states / self.playouts if self.playouts else None


def playouts(
    game: Games = None,
    seconds: Seconds = 2.0,
    lanes: LanesOption = 512,
    shared: SharedFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
) -> Iterator[StudyTable]:
    """Random playouts per second, beside the RBG compiler and the best propositional network."""

    def rows() -> Iterator[Row]:
        for name, machine in loaded_games(game or list(_references()), shared, budget, budget_memory):
            totals = machine.playouts(seconds=seconds, lanes=lanes)
            reference = _references().get(name, Reference())
            speed = totals.playouts / totals.cpu_seconds
            yield {
                "game": name,
                "playouts_per_s": totals.playouts / totals.seconds,
                "playouts_per_cpu_s": speed,
                "states_per_cpu_s": totals.states / totals.cpu_seconds,
                "mean_length": totals.finished_states / totals.playouts if totals.playouts else None,
                "gates": machine.circuit.n_gates,
                "literals": machine.circuit.n_literals,
                "rbg": reference.rbg,
                "times_rbg": _ratio(speed, reference.rbg),
                "propnet": reference.propnet,
                "times_propnet": _ratio(speed, reference.propnet),
                "wanted": reference.wanted,
                "times_wanted": _ratio(speed, reference.wanted),
            }

    columns = (
        game_column(),
        Column("playouts_per_s", "playouts/s"),
        Column("playouts_per_cpu_s", "per CPU s"),
        Column("states_per_cpu_s", "states/CPU s", 13),
        Column("mean_length", "length", 7, ".1f"),
        Column("gates", "gates", 8),
        Column("literals", "literals", 8),
        Column("rbg", "RBG", 10),
        Column("times_rbg", "× RBG", 7, ",.1f"),
        Column("propnet", "propnet", 10),
        Column("times_propnet", "× propnet", 9, ",.1f"),
        Column("wanted", "wanted", 12),
        Column("times_wanted", "× wanted", 8, ".2f"),
    )
    yield StudyTable(columns, rows())


def _ratio(speed: float, reference: float | None) -> float | None:
    return speed / reference if reference else None


def decisive(
    game: Games = None, seconds: Seconds = 2.0, lanes: LanesOption = 512, shared: SharedFolder = None
) -> Iterator[StudyTable]:
    """Rates of playouts that prefer decisive moves, beside those of uniformly random ones in the same run."""

    def rows() -> Iterator[Row]:
        for name, machine in loaded_games(game or _DECISIVE_GAMES, shared):
            settled = {level: machine.decisive_moves(level) for level in _LEVELS}
            kinds = ["off", *(level for level in _LEVELS if settled[level].settled == level)]
            rates = {kind: _Rate() for kind in kinds}
            for number in range(_ROUNDS):
                for kind, rate in rates.items():
                    rate.add(machine.playouts(seconds=seconds / _ROUNDS, lanes=lanes, seed=number, decisive=kind))
            plain = rates["off"]
            row: dict[str, object] = {
                "game": name,
                "auto": machine.decisive_moves("auto").settled,
                "states_per_cpu_s": plain.states_per_s,
                "mean_length": plain.length,
            }
            for level in _LEVELS:
                own = rates.get(level)
                row[f"{level}_cost"] = own and settled[level].cost
                row[f"{level}_states"] = own and own.states_per_s / plain.states_per_s
                row[f"{level}_playouts"] = own and own.playouts_per_s / plain.playouts_per_s
                row[f"{level}_length"] = own and own.length
            yield row

    columns = [
        game_column(),
        Column("auto", "auto", 13),
        Column("states_per_cpu_s", "states/CPU s", 13),
        Column("mean_length", "length", 7, ".1f"),
    ]
    for level, short in zip(_LEVELS, ("decisive", "anti"), strict=True):
        columns += [
            Column(f"{level}_cost", f"{short} cost", 13, ".2f"),
            Column(f"{level}_states", "× states/s", 10, ".2f"),
            Column(f"{level}_playouts", "× playouts/s", 12, ".2f"),
            Column(f"{level}_length", "length", 7, ".1f"),
        ]
    yield StudyTable(columns, rows())


def corpus(
    game: Games = None,
    seconds: Seconds = 0.5,
    lanes: LanesOption = 512,
    shared: SharedFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
) -> Iterator[StudyTable]:
    """Literals times states per second of every game of the corpus, the largest first, and a summary.

    *Step cost* is the cost of a step in literals: the mean over all turns, without goals that are evaluated apart, and
    with eight for every row that can be legal.
    """
    folder = corpus_in(shared)
    names = game or ([] if folder is None else sorted(sheet.stem for sheet in (folder / "games").glob("*.kif")))
    if not names:
        raise ConfigError("there is no corpus of rule sheets; name its folder with --shared, or games with --game")
    found: list[_CircuitSpeed] = []
    for name, machine in loaded_games(names, shared, budget, budget_memory):
        totals = machine.playouts(seconds=seconds, lanes=lanes)
        length = totals.finished_states / totals.playouts if totals.playouts else None
        circuit, speed = machine.circuit, totals.states / totals.cpu_seconds
        cost = _native.step_cost(machine.native)
        found.append(_CircuitSpeed(name, circuit.n_gates, circuit.n_literals, circuit.n_rows, cost, length, speed))
    found.sort(key=lambda each: -each.literals_per_s)
    columns = (
        game_column(32),
        Column("gates", "gates", 8),
        Column("literals", "literals", 9),
        Column("rows", "rows", 7),
        Column("step_cost", "step cost", 10),
        Column("mean_length", "length", 7, ".1f"),
        Column("states_per_cpu_s", "states/CPU s", 14),
        Column("literals_per_cpu_s", "literals/CPU s", 15, ".3g"),
        Column("cost_per_cpu_s", "cost/CPU s", 11, ".3g"),
    )
    yield StudyTable(columns, [each.row() for each in found])
    summary = (
        Column("size", "literals", 20),
        Column("games", "games", 5),
        Column("literals", "literals/CPU s: quartiles", 28),
        Column("cost", "cost/CPU s: quartiles", 28),
    )
    yield StudyTable(summary, _summary(found), in_json=False)


@dataclass(frozen=True)
class _CircuitSpeed:
    game: str
    gates: int
    literals: int
    rows: int
    step_cost: float
    length: float | None
    states_per_s: float

    @property
    def literals_per_s(self) -> float:
        return self.literals * self.states_per_s

    @property
    def cost_per_s(self) -> float:
        return self.step_cost * self.states_per_s

    def row(self) -> Row:
        return {
            "game": self.game,
            "gates": self.gates,
            "literals": self.literals,
            "rows": self.rows,
            "step_cost": self.step_cost,
            "mean_length": self.length,
            "states_per_cpu_s": self.states_per_s,
            "literals_per_cpu_s": self.literals_per_s,
            "cost_per_cpu_s": self.cost_per_s,
        }


def _summary(found: Sequence[_CircuitSpeed]) -> Iterator[Row]:
    """Yield quartiles of literals and of cost per second, for circuits of different sizes."""
    for low, high in pairwise(_SIZES):
        own = [each for each in found if low <= each.literals < high]
        if len(own) >= 2:
            yield {
                "size": f"{low:,} to {high:,}" if high < _SIZES[-1] else f"{low:,} and more",
                "games": len(own),
                "literals": _quartiles([each.literals_per_s for each in own]),
                "cost": _quartiles([each.cost_per_s for each in own]),
            }


def _quartiles(values: list[float]) -> str:
    return "  ".join(f"{value:.2e}" for value in quantiles(values, n=4, method="inclusive"))
