"""Table 6.3 of the thesis: random matches per second of its reasoning engines, beside those of this program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gdl_miner.agent.reasoner.machine import Machine
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "SPEEDS", "ThesisSpeed", "measure_speeds"]


@dataclass(frozen=True)
class ThesisSpeed:
    """Random matches per second in the thesis, on one core of an Athlon 64 X2 4000+ at 2.1 GHz."""

    yap: float  # YAP Prolog
    gtc: float  # the first game tree compiler
    gtc2: float  # the second


# By the name that the rule sheet has in the collection of the Dresden server.
SPEEDS = {
    "8puzzle": ThesisSpeed(132.69, 531.04, 5849.11),
    "amazing": ThesisSpeed(295.34, 374.16, 6054.98),
    "blocks": ThesisSpeed(3830.79, 233_648.83, 283_470.64),
    "checkers": ThesisSpeed(5.51, 8.82, 44.20),
    "chess": ThesisSpeed(1.13, 1.51, 2.46),
    "chineseCheckers6": ThesisSpeed(46.90, 54.50, 874.65),
    "connectFour": ThesisSpeed(236.54, 785.92, 2330.49),
    "crisscross": ThesisSpeed(179.82, 148.24, 1951.87),
    "lightsOut": ThesisSpeed(128.82, 535.44, 4060.41),
    "nim": ThesisSpeed(762.65, 867.13, 19_230.91),
    "othello": ThesisSpeed(2.34, 0.80, 2.99),
    "pancakes": ThesisSpeed(485.51, 393.82, 33_954.03),
    "pawnToQueen": ThesisSpeed(35.30, 37.77, 119.67),
    "peg": ThesisSpeed(75.07, 77.52, 254.33),
    "sum15": ThesisSpeed(1060.32, 5721.91, 14_856.77),
    "ticTacToe": ThesisSpeed(906.37, 4532.34, 34_390.02),
}

COLUMNS = (
    Column("game", "game", 17),
    Column("matches_per_s", "matches/s", 11),
    Column("yap", "YAP Prolog", 11, ",.1f"),
    Column("gtc", "GTC", 11, ",.1f"),
    Column("gtc2", "GTC2", 11, ",.1f"),
    Column("times_gtc2", "× GTC2", 9, ",.0f"),
)


def measure_speeds(
    games: Iterable[tuple[str, Machine]], *, seconds: float, lanes: int
) -> Iterator[dict[str, CellValue]]:
    """Play each game at random for `seconds` on one core, and yield its matches per processor second.

    `games` are names of SPEEDS with their machines. The machines of the two sides differ by more than a decade, so the
    ratio says how far both the program and the processor have come.
    """
    for name, machine in games:
        totals, theirs = machine.playouts(seconds=seconds, lanes=lanes), SPEEDS[name]
        speed = totals.playouts / totals.cpu_seconds
        yield {
            "game": name,
            "matches_per_s": speed,
            "yap": theirs.yap,
            "gtc": theirs.gtc,
            "gtc2": theirs.gtc2,
            "times_gtc2": speed / theirs.gtc2,
        }
