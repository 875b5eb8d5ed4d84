"""Boards found in rule sheets of others, against labels that come from reading the rules.

All sheets were labelled twice. The second time nothing was known of the first labels, nor of what is found; 152 of 170
labels were the same. The rules decided about the others, also where that made what is found wrong. Where both readings
are right, contents are those of one relation. In the two kalahas the label keeps the number of all seeds, which the
rules declare as a content of pits, although an exhaustive search shows that no pit ever holds them.
"""

import csv
import re
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.reasoner.discovery import Discovery, discover_boards
from gdl_miner.agent.reasoner.machine import load_machine
from tests.corpus import sheet_path


class BoardLabel(NamedTuple):
    """The main board of a sheet as a person sees it. A board has four cells or more."""

    kind: str
    extents: tuple[int, ...] = ()
    cells: int = 0
    contents: frozenset[str] = frozenset()
    """The contents that the rules can give a cell. Where they only mark cells, it is the name of the relation."""


def _read_labels() -> dict[str, BoardLabel]:
    """Read a line for each sheet, with contents such as `p1..p3` written out."""
    with Path(__file__).with_name("corpus_boards.tsv").open(newline="") as file:
        return {
            row["sheet"]: BoardLabel(
                row["kind"],
                tuple(int(each) for each in row["extents"].split("x")),
                int(row["cells"]),
                frozenset(name for each in row["contents"].split(", ") for name in _names(each)),
            )
            if row["extents"]
            else BoardLabel(row["kind"])
            for row in csv.DictReader(file, delimiter="\t")
        }


def _names(text: str) -> Iterator[str]:
    span = re.fullmatch(r"([a-z]*)(\d+)\.\.\1(\d+)", text)
    numbers = range(int(span[2]), int(span[3]) + 1) if span else ()
    yield from (f"{span[1]}{number}" for number in numbers) if span else (text,)


def _found_label(discovery: Discovery) -> BoardLabel:
    if not discovery.boards:
        return BoardLabel("none")
    main = discovery.boards[0]
    return BoardLabel(main.kind, main.extents, main.cells, frozenset(main.pieces))


LABELS = _read_labels()
WRONG = {
    # Each coordinate of the only thing on the board is a fact of its own.
    "asteroids": BoardLabel("none"),
    "asteroidsSerial": BoardLabel("none"),
    "racer": BoardLabel("none"),
    "racer4": BoardLabel("none"),
    # Brushes move in one relation, and the colours of cells are another.
    "battlebrushes": BoardLabel("grid", (8, 8), 64, frozenset({"bluebrush", "greenbrush", "redbrush", "yellowbrush"})),
    # A board of numbers is followed by one of letters, of another size.
    "brain_teaser_extended": BoardLabel("none"),
    # A place has a field for each of two colours.
    "bunk_t": BoardLabel("grid", (9, 2), 18, frozenset({"cell", "cell1", "cell2"})),
    # Pieces have the names of their places, and no move names any.
    "rubiksCubeSuperflip": BoardLabel("none"),
}
"""What is found where it is not what the label says."""

SLOWEST_S = 5.0
BUDGET_S = 1.5  # for preparing a sheet; larger ones are left out
SAMPLE = sorted({*list(LABELS)[::3], *WRONG})


@pytest.mark.peers
@pytest.mark.slow
def test_boards_of_the_corpus() -> None:
    found: dict[str, BoardLabel] = {}
    seconds: dict[str, float] = {}
    for name in SAMPLE:
        if not sheet_path(name).exists():
            continue
        try:
            machine = load_machine(str(sheet_path(name)), budget_s=BUDGET_S)
        except UserError:
            continue
        began = time.process_time()
        discovery = discover_boards(machine.sheet, machine.circuit, machine.native)
        seconds[name] = time.process_time() - began
        found[name] = _found_label(discovery)
    wrong = {name: own for name, own in found.items() if own != LABELS[name]}
    print(f"{len(found) - len(wrong)} of {len(found)} right; wrong: {wrong}")
    print(f"median {statistics.median(seconds.values()):.2f} s, most {max(seconds.values()):.2f} s")
    assert wrong == {name: own for name, own in WRONG.items() if name in found}
    assert found
    assert statistics.median(seconds.values()) <= 0.3
    assert max(seconds.values()) <= SLOWEST_S
