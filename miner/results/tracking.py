"""Copies of runs in an MLflow store, for users who look at all their experiments there.

The run's folder remains the authoritative version. MLflow is not needed for anything else; the extra `tracking`
installs the packages that a store in a local file needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from gdl_miner.agent.errors import UserError, first_line
from gdl_miner.agent.extras import named_extra
from gdl_miner.agent.values.table_file import PATTERN as TABLES
from gdl_miner.miner.results.history import RunHistory
from gdl_miner.miner.results.store import ACCEPTANCE, BEST, LAST, PRUNING, VALUE_TRIAL, WHOLE
from gdl_miner.miner.results.tables import STEPS_FILE

_FILES = (BEST, LAST, WHOLE, PRUNING, ACCEPTANCE, VALUE_TRIAL, "report.html", "config.json", "env.json")
_FOLDER = "gdl-miner.folder"  # the tag that names a run's folder
_LONGEST = 500  # characters of a parameter that every store accepts


def track_run(history: RunHistory, store: str) -> str:
    """Copy settings, measurements and results into a store in place of an earlier copy; return the id of the copy.

    `store` is an MLflow tracking URI. Raises UserError where MLflow is not installed or the store fails.
    """
    mlflow = _mlflow(store)
    try:
        return _copy(history, mlflow.MlflowClient(tracking_uri=store, registry_uri=store), store)
    except mlflow.exceptions.MlflowException as error:
        what = first_line(error)
        raise UserError(f"{store}: MLflow says: {what}; give another --store") from error


def _mlflow(store: str) -> ModuleType:
    with named_extra(store, "tracking"):
        import mlflow
        import mlflow.exceptions
    module: ModuleType = mlflow
    return module


def _copy(history: RunHistory, client: Any, store: str) -> str:
    name, folder = history.content["game"]["name"], str(history.folder.resolve())
    experiment = client.get_experiment_by_name(name)
    number = client.create_experiment(name, _artifacts(store)) if experiment is None else experiment.experiment_id
    for earlier in client.search_runs([number], f"tags.`{_FOLDER}` = '{folder}'"):
        client.delete_run(earlier.info.run_id)
    tags = {_FOLDER: folder, "gdl-miner.version": str(history.environment.get("version", ""))}
    run: str = client.create_run(number, run_name=history.folder.name, tags=tags).info.run_id
    for key, value in _flat("", history.settings):
        client.log_param(run, key, str(value)[:_LONGEST])
    for _, row in history.main.iterrows():
        for column, figure in row.items():
            if column != "step" and isinstance(figure, int | float) and math.isfinite(figure):
                client.log_metric(run, str(column), float(figure), step=int(row["step"]))
    for key, figure in (history.champion or {}).items():
        if isinstance(figure, int | float):
            client.log_metric(run, f"champion_{key}", float(figure))
    tables = [path.name for path in sorted(history.folder.glob(TABLES))]
    for file in (*_FILES, *tables, STEPS_FILE):
        if (history.folder / file).exists():
            client.log_artifact(run, str(history.folder / file))
    client.set_terminated(run, "FINISHED" if history.complete else "KILLED")
    return run


def _artifacts(store: str) -> str | None:
    """Return the place for files: beside the database where it is a local file, else None, and MLflow decides."""
    scheme, _, path = store.partition(":///")
    return (Path(path).resolve().parent / "mlartifacts").as_uri() if scheme == "sqlite" else None


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the settings with their dotted names."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _flat(f"{prefix}.{key}" if prefix else str(key), each)
    elif prefix:
        yield prefix, value
