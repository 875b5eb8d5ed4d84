"""A run that is small enough to be made and broken many times: its configuration and its contents."""

import os
import sys
from pathlib import Path

GAME = "tictactoe.ext"
MINER = ("-m", "gdl_miner.miner")  # arguments of Python
ROOT = Path(__file__).parents[2]
SMALL = """
[networks]
generations = 0
[evolution]
generations = 2
population = 4
value_steps = 0
[tournament]
matches_without_knowledge = 24
matches_per_individual = 12
validation_matches = 20
[search]
playouts = 12
[pruning]
matches = 128
positions = 20
[execution]
matches_per_task = 8
"""
# For each learning method, a configuration of a run that is short, and long enough to be disturbed.
DISTURBED = {
    "evolution": SMALL.replace("generations = 2", "generations = 3").replace(
        "generations = 0",
        "generations = 3\npopulation = 4\nseconds = 0.1\nfinal_seconds = 0.4\nmatches = 8\n"
        "deeper_matches = 4\nmatch_share = 10.0",
    )
    + "deadline_s = 20.0\n",
    # With more than 5000 weights, so that there are tables beside the knowledge files.
    "values": "[values]\nsteps = 4\ngames = 40000\nvalidation_matches = 40\nsymmetries = false\nstages = [3, 5, 7]\n"
    "shapes = ['block 2x3', 'line 3']\n[search]\nplayouts = 30\n",
    "culture": "[culture]\nsteps = 4\nindividuals = 40\nopponents = 20\nants = true\nbeliefs = true\n"
    "validation_matches = 40\n[search]\nplayouts = 30\n",
    "expert-iteration": "[expert]\nmeasured_after = [4, 12, 24]\ngames_at_once = 4\ngames_per_feature = 2\n"
    "validation_matches = 40\n[search]\nplayouts = 30\n",
    "gifl": "[gifl]\nsteps = 4\ngames = 4000\nvalidation_matches = 40\n[search]\nplayouts = 30\n",
}


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a run that must not depend on its course, with their bytes."""
    tables = [path for path in folder.glob("*.csv") if path.name != "timings.csv"]
    files = [folder / name for name in ("best.xml", "champion.json")]
    patterns = ("knowledge/*/*", "last.xml", "whole.xml", "pruning.json", "acceptance.json", "values-*", "records/*")
    others = [path for pattern in patterns for path in folder.glob(pattern)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted([*tables, *files, *others])}


def environment() -> dict[str, str]:
    """Return an environment in which Python finds this source tree, and what this process finds, from any folder."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
