"""`miner track` copies runs into an MLflow store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.tracking import track_run


def track(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, finished or not.", metavar="RUN…")],
    store: Annotated[str, typer.Option(help="MLflow's tracking URI.")] = "sqlite:///results/mlflow.db",
) -> None:
    """Copy settings, measurements and results of runs into an MLflow store, to look at them there with others.

    Needs the extra [b]tracking[/b]. A copy takes the place of an earlier one; the run's folder stays the truth.
    """
    for run in runs:
        print(f"{run}: copied to {store} as {track_run(read_run(run), store)}")
