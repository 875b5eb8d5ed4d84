"""Tests of runs in an MLflow store. Without MLflow only the message about its absence is tested."""

import sys
from pathlib import Path

import pytest

from gdl_miner.agent.errors import UserError
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.tracking import track_run


def test_without_mlflow_it_says_how_to_get_it(finished_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(UserError, match="scripts/setup tracking"):
        track_run(read_run(finished_run), "sqlite:///nowhere.db")


def test_a_tracked_run_says_what_its_tables_say_and_comes_once(finished_run: Path, tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("sqlalchemy")
    history, store = read_run(finished_run), f"sqlite:///{tmp_path}/mlflow.db"
    first = track_run(history, store)
    run = track_run(history, store)
    client = mlflow.MlflowClient(tracking_uri=store, registry_uri=store)
    experiment = client.get_experiment_by_name(history.content["game"]["name"])
    assert [each.info.run_id for each in client.search_runs([experiment.experiment_id])] == [run]
    assert run != first
    elos = {metric.step: metric.value for metric in client.get_metric_history(run, "elo")}
    assert elos == dict(zip(history.main["step"], history.main["elo"], strict=True))
    assert client.get_run(run).data.params["search.playouts"] == str(history.settings["search"]["playouts"])
    assert {file.path for file in client.list_artifacts(run)} >= {"best.xml", "steps.csv"}
