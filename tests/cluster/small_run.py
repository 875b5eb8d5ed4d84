"""A run small enough to be made, and broken, many times: what is asked for and what must come of it."""

import os
from pathlib import Path

GAME = "tictactoe.ext"
MINER = ("-m", "miner")  # Python's arguments
ROOT = Path(__file__).parents[2]
SMALL = """
[evolution]
generations = 2
population = 4
[tournament]
matches_without_knowledge = 24
matches_per_individual = 12
validation_matches = 20
[search]
playouts = 12
[execution]
matches_per_task = 8
"""


def contents(folder: Path) -> dict[str, bytes]:
    """Everything of a run that must not depend on how it went."""
    names = ["generations.csv", "individuals.csv", "matches.csv", "best.xml", "champion.json"]
    paths = [*(folder / name for name in names), *folder.glob("knowledge/*/*.xml"), *folder.glob("records/*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(paths)}


def environment() -> dict[str, str]:
    """In which that call finds this source tree, wherever it runs."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}
