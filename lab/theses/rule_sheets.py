"""Tables 5.1 and 6.1 to 6.3 of the thesis (Łańcucki): rule sheets, and how fast they are reasoned about."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import typer

from gdl_miner.agent.errors import ConfigError, RuleError
from gdl_miner.agent.gdl.check import conformance
from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.reasoner.sample import random_match
from gdl_miner.agent.search.seeds import derive_seed
from lab.options import (
    Games,
    LanesOption,
    Seconds,
    SeedOption,
    SharedFolder,
    corpus_in,
    loaded_games,
    named_games,
    report_progress,
)
from lab.tables import Column, Row, StudyTable, game_column


@dataclass(frozen=True)
class _Sheet:
    """A sheet of tables 5.1 and 6.3, which the thesis measured on two machines of 2011 and 2006."""

    generating_s: float  # table 5.1: C++ from the rules
    compiling_s: float  # with -O3
    source_kb: int  # of the C++
    yap: float  # table 6.3: random matches per second on one core; YAP Prolog
    gtc: float  # the first game tree compiler
    gtc2: float  # the second


# By the name that the rule sheet has in the collection of the Dresden server.
_SHEETS = {
    "8puzzle": _Sheet(0.154, 4.722, 144, 132.69, 531.04, 5849.11),
    "amazing": _Sheet(0.204, 5.201, 180, 295.34, 374.16, 6054.98),
    "blocks": _Sheet(0.154, 4.742, 128, 3830.79, 233_648.83, 283_470.64),
    "checkers": _Sheet(0.354, 8.663, 368, 5.51, 8.82, 44.20),
    "chess": _Sheet(0.554, 8.862, 404, 1.13, 1.51, 2.46),
    "chineseCheckers6": _Sheet(0.204, 5.986, 224, 46.90, 54.50, 874.65),
    "connectFour": _Sheet(0.154, 5.109, 164, 236.54, 785.92, 2330.49),
    "crisscross": _Sheet(0.204, 5.339, 200, 179.82, 148.24, 1951.87),
    "lightsOut": _Sheet(0.155, 4.611, 132, 128.82, 535.44, 4060.41),
    "nim": _Sheet(0.104, 4.762, 124, 762.65, 867.13, 19_230.91),
    "othello": _Sheet(0.204, 5.694, 212, 2.34, 0.80, 2.99),
    "pancakes": _Sheet(0.154, 4.771, 144, 485.51, 393.82, 33_954.03),
    "pawnToQueen": _Sheet(0.204, 5.388, 188, 35.30, 37.77, 119.67),
    "peg": _Sheet(0.154, 5.047, 160, 75.07, 77.52, 254.33),
    "sum15": _Sheet(0.154, 4.724, 128, 1060.32, 5721.91, 14_856.77),
    "ticTacToe": _Sheet(0.154, 4.838, 136, 906.37, 4532.34, 34_390.02),
}
_CONFORMING = (253, 270)  # table 6.2: of the sheets of the Dresden server

# Table 6.1: mean number of moves, mean length of a match, and random matches per second.
_EVOLVED = {
    "amazons.ext": (22, 131, 51.8),
    "checkers.ext": (10, 99, 44.2),
    "cubicup.ext": (4, 56, 278.23),
    "connectfour.ext": (7, 22, 2330.49),
    "othello.ext": (7, 61, 2.99),
}

_Sampled = Annotated[int, typer.Option("--matches", min=1, max=10_000, help="Random matches of each game.")]


def preparation(game: Games = None, shared: SharedFolder = None) -> Iterator[StudyTable]:
    """Table 5.1: how long it takes until a rule sheet can be played, and how large the result is.

    The thesis generated C++ and compiled it; this program grounds the rules and makes a circuit. The sheets of the
    thesis are not part of the program: [b]--shared[/b] names a folder with them, and games that are not found are left
    out. Circuits of earlier calls are not used.
    """

    def rows() -> Iterator[Row]:
        for name, machine in loaded_games(named_games({each: each for each in _SHEETS}, game, "the thesis"), shared):
            circuit, theirs = load_machine(machine.sheet, cache=False).circuit, _SHEETS[name]
            yield {
                "game": name,
                "generating_s": theirs.generating_s,
                "compiling_s": theirs.compiling_s,
                "source_kb": theirs.source_kb,
                "grounding_s": circuit.grounding_s,
                "circuit_s": circuit.compile_s,
                "gates": len(circuit.gate_start) - 1,
            }

    columns = (
        game_column(),
        Column("generating_s", "generating s", 12, ".3f"),
        Column("compiling_s", "-O3 s", 7, ".3f"),
        Column("source_kb", "KB of C++", 9),
        Column("grounding_s", "grounding s", 11, ".3f"),
        Column("circuit_s", "circuit s", 9, ".3f"),
        Column("gates", "gates", 9),
    )
    yield StudyTable(columns, rows())


def evolved_games(
    game: Games = None, seconds: Seconds = 5.0, matches: _Sampled = 100, seed: SeedOption = 1
) -> Iterator[StudyTable]:
    """Table 6.1: moves to choose from, length and speed of random matches in the games of the evolutions.

    The mean number of moves is over all states of random matches with a move to make; moves of all players count as
    their product. The games are the bundled ones, whose rules are not those of the thesis in every detail.
    """

    def rows() -> Iterator[Row]:
        for name in named_games({each: each for each in _EVOLVED}, game, "the thesis"):
            machine = load_machine(name)
            report_progress(f"{name}: {matches} random matches, and {seconds:g} s of them")
            totals = machine.playouts(seconds=seconds)
            moves, length, speed = _EVOLVED[name]
            yield {
                "game": name,
                "their_moves": moves,
                "moves": _mean_moves(machine, matches, seed),
                "their_length": length,
                "length": totals.finished_states / totals.playouts - 1,
                "their_matches_per_s": speed,
                "matches_per_s": totals.playouts / totals.cpu_seconds,
            }

    columns = (
        game_column(),
        Column("their_moves", "thesis: moves", 13),
        Column("moves", "moves", 7, ".1f"),
        Column("their_length", "thesis: length", 14),
        Column("length", "length", 7, ".1f"),
        Column("their_matches_per_s", "thesis: matches/s", 17, ",.1f"),
        Column("matches_per_s", "matches/s", 11),
    )
    yield StudyTable(columns, rows())


def _mean_moves(machine: Machine, matches: int, seed: int) -> float:
    """Return the mean number of joint moves in the states of random matches that are not the last."""
    counts = [
        math.prod(map(len, machine.legal(state)))
        for number in range(matches)
        for state, _ in pairwise(random_match(machine, random.Random(derive_seed(seed, "random match", number))))
    ]
    return sum(counts) / len(counts)


def conforming_sheets(shared: SharedFolder = None) -> Iterator[StudyTable]:
    """Table 6.2: how many rule sheets conform to mGDL, by algorithm 6.1 of the thesis.

    [b]--shared[/b] names a folder with sheets in corpus/games. The thesis took all 270 sheets of the Dresden server.
    Sheets that do not conform may do so all the same: the test is inconclusive for them.
    """
    corpus = corpus_in(shared)
    paths = sorted((corpus / "games").glob("*.kif")) if corpus is not None else []
    if not paths:
        raise ConfigError("no rule sheets are there to be tested; name a folder with corpus/games/*.kif by --shared")

    def rows() -> Iterator[Row]:
        conforming, others = 0, []
        for path in paths:
            try:
                conforms = conformance(read_sheet(path)).conforming
            except RuleError as error:
                report_progress(f"{error}; left out")
                continue
            conforming += conforms
            others += [] if conforms else [path.stem]
        for source, fitting, of in (("thesis", *_CONFORMING), ("here", conforming, conforming + len(others))):
            inconclusive = of - fitting
            yield {
                "sheets": source,
                "tested": of,
                "conforming": fitting,
                "percent": 100 * fitting / of,
                "inconclusive": inconclusive,
                "names": " ".join(others) if source == "here" else None,
            }

    columns = (
        Column("sheets", "sheets", 8),
        Column("tested", "tested", 6),
        Column("conforming", "conforming", 10),
        Column("percent", "%", 5, ".1f"),
        Column("inconclusive", "inconclusive", 12),
        Column("names", "which", 6),
    )
    yield StudyTable(columns, rows())


def reasoning_speed(
    game: Games = None, seconds: Seconds = 10.0, lanes: LanesOption = 512, shared: SharedFolder = None
) -> Iterator[StudyTable]:
    """Table 6.3: random matches per second on one core, beside the reasoning engines of the thesis.

    The sheets of the thesis are not part of the program: [b]--shared[/b] names a folder with them, and games that are
    not found are left out. The machines of the two sides differ by more than a decade, so the ratio says how far both
    the program and the processor have come.
    """
    asked = named_games({each: each for each in _SHEETS}, game, "the thesis")

    def rows() -> Iterator[Row]:
        for name, machine in loaded_games(asked, shared):
            totals, theirs = machine.playouts(seconds=seconds, lanes=lanes), _SHEETS[name]
            speed = totals.playouts / totals.cpu_seconds
            yield {
                "game": name,
                "matches_per_s": speed,
                "yap": theirs.yap,
                "gtc": theirs.gtc,
                "gtc2": theirs.gtc2,
                "times_gtc2": speed / theirs.gtc2,
            }

    columns = (
        game_column(),
        Column("matches_per_s", "matches/s", 11),
        Column("yap", "YAP Prolog", 11, ",.1f"),
        Column("gtc", "GTC", 11, ",.1f"),
        Column("gtc2", "GTC2", 11, ",.1f"),
        Column("times_gtc2", "× GTC2", 9, ",.0f"),
    )
    yield StudyTable(columns, rows())
