import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ray
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

ROOT = Path(__file__).parents[2]


@pytest.fixture
def configuration() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "cluster.yaml").read_text())
    return loaded


def test_the_cluster_file_at_the_root_is_the_one_of_the_cluster_package() -> None:
    assert (ROOT / "cluster.yaml").resolve() == ROOT / "cluster" / "cluster.yaml"


def test_the_cluster_file_satisfies_rays_own_schema(configuration: dict[str, Any]) -> None:
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(configuration, schema)


def test_ray_prepares_and_validates_the_cluster_file(configuration: dict[str, Any]) -> None:
    prepared = prepare_config(configuration)
    validate_config(prepared)
    assert prepared["max_workers"] == len(configuration["provider"]["worker_ips"])


def test_a_misspelt_key_would_be_noticed(configuration: dict[str, Any]) -> None:
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**configuration, "setup_comands": []}, schema)


def test_every_ray_of_the_cluster_asks_for_a_token(configuration: dict[str, Any]) -> None:
    starts = [
        command
        for key in ("head_start_ray_commands", "worker_start_ray_commands")
        for command in configuration[key]
        if "ray start" in command
    ]
    assert len(starts) == 2
    assert all("RAY_AUTH_MODE=token" in command for command in starts)
