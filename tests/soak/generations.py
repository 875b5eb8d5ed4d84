"""Check that the memory of a run's driver does not grow: run many short generations, with Ray or without."""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.soak.serving import resident_mib

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this check."""
    parser.add_argument("--game", default="tictactoe.ext", help="[default: tictactoe.ext]")
    parser.add_argument("--generations", type=int, default=60, help="[default: 60]")
    parser.add_argument("--executor", choices=["ray", "serial"], default="ray")
    parser.add_argument("--growth", type=float, default=8.0, help="MiB the driver may grow by [default: 8]")


def run(options: argparse.Namespace) -> int:
    """Return 1 if the driver failed, or grew from the second quarter of the generations to the last, else 0."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room) / "run"
        command = [sys.executable, "-m", "gdl_miner.miner", "evolve", "--game", options.game, "--config", "quick"]
        command += ["--generations", str(options.generations), "--executor", options.executor, "--out", str(folder)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
            memory = _watched(driver, folder / "checkpoints/journal.jsonl")
    if driver.returncode != 0 or len(memory) < 8:
        print(f"the run ended with status {driver.returncode} after {len(memory)} generations")
        return 1
    quarter = len(memory) // 4
    begin, end = float(np.median(memory[quarter : 2 * quarter])), float(np.median(memory[-quarter:]))
    print(f"{len(memory)} generations; medians: {begin:.1f} MiB in the second quarter of them, {end:.1f} in the last")
    return 1 if end > begin + options.growth else 0


def _watched(driver: subprocess.Popen[bytes], journal: Path) -> list[float]:
    """Return the driver's MiB at the end of each generation whose end was seen."""
    memory: list[float] = []
    seen = 0  # the ends of generations in the journal so far; the first is that of generation 0
    while driver.poll() is None:
        ended = journal.read_bytes().count(b'.end_step"') if journal.exists() else 0
        if ended > seen and (resident := resident_mib(driver.pid)) > 0:
            seen = ended
            memory.append(resident)
            print(f"{seen - 1} generations, {resident:.1f} MiB", flush=True)
        time.sleep(0.1)
    return memory
