import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ray
import yaml
from ray.autoscaler._private.util import hash_runtime_conf, prepare_config, validate_config

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["cluster.yaml", "cluster/cluster-aws.yaml"])
def configuration(request: pytest.FixtureRequest) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / request.param).read_text())
    return loaded


def test_the_cluster_file_at_the_root_is_the_one_of_the_cluster_package() -> None:
    assert (ROOT / "cluster.yaml").resolve() == ROOT / "cluster" / "cluster.yaml"


def test_the_cluster_file_satisfies_rays_own_schema(configuration: dict[str, Any]) -> None:
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(configuration, schema)


@pytest.mark.parametrize("workers", [0, 2, 9, 100])
def test_ray_prepares_and_validates_the_cluster_file(configuration: dict[str, Any], workers: int) -> None:
    if configuration["provider"]["type"] == "local":
        configuration["provider"]["worker_ips"] = [f"192.0.2.{number}" for number in range(11, 11 + workers)]
        expected = workers  # nothing else is changed in the file
    else:
        expected = configuration["available_node_types"]["worker"]["max_workers"]
    prepared = prepare_config(configuration)
    validate_config(prepared)
    assert prepared["max_workers"] == expected


def test_nothing_but_the_projects_folder_is_copied(
    configuration: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = configuration["file_mounts"]["~/gdl-miner"]
    monkeypatch.chdir(ROOT)
    assert Path(copied).resolve() == ROOT
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=copied):  # `ray up` reads all files before it calls any machine
        hash_runtime_conf({"~/gdl-miner": copied}, None, {})


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
    assert "--dashboard-host=127.0.0.1" in starts[0]
    assert "~/.ray/auth_token" in configuration["file_mounts"]
    assert "chmod 600 ~/.ray/auth_token" in configuration["setup_commands"]


def test_rays_folder_lies_in_one_that_only_its_owner_can_enter(tmp_path: Path) -> None:
    file = yaml.safe_load((ROOT / "cluster.yaml").read_text())
    head, worker = file["head_start_ray_commands"], file["worker_start_ray_commands"]
    assert head[1] == worker[1]
    assert "RAY_TMPDIR=/tmp/gdl-miner-$UID " in head[2]
    assert "--temp-dir=/tmp/gdl-miner-$UID/ray" in worker[2]
    (tmp_path / "known").mkdir()
    (tmp_path / "known").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "known")
    for name, status in (("new", 0), ("known", 0), ("link", 1)):
        command = head[1].replace("/tmp/gdl-miner-$UID", str(tmp_path / name))
        assert subprocess.run(["bash", "-c", command], capture_output=True).returncode == status
        assert status or (tmp_path / name).stat().st_mode & 0o777 == 0o700


def test_every_command_a_cluster_file_advises_names_the_file_itself() -> None:
    for name in ("cluster.yaml", "cluster/cluster-aws.yaml"):
        comments = [line for line in (ROOT / name).read_text().splitlines() if line.startswith("#") and "ray " in line]
        commands = ("up", "exec", "rsync-down", "dashboard", "down")
        advised = [line for line in comments if any(f"ray {what} " in line for what in commands)]
        assert len(advised) >= 4
        assert all(f" {name}" in line for line in advised)


def test_the_manifest_for_kubernetes_names_this_ray_and_commands_of_the_image() -> None:
    job = yaml.safe_load((ROOT / "cluster/rayjob.yaml").read_text())["spec"]
    pinned = dict(re.findall(r"^([\w-]+)==([\w.]+)", (ROOT / "requirements.txt").read_text(), re.M))
    cluster = job["rayClusterSpec"]
    assert cluster["rayVersion"] == pinned["ray"]
    assert cluster["authOptions"] == {"mode": "token"}
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    [image] = {each["image"] for group in groups for each in group["template"]["spec"]["containers"]}
    assert f"-t {image} ." in (ROOT / "cluster/Dockerfile").read_text()
    assert job["entrypoint"].startswith("miner evolve --game ")
    assert "--or-resume" in job["entrypoint"]


def test_the_slurm_recipe_runs_the_miner_on_the_first_node_of_a_job(tmp_path: Path) -> None:
    programs = {
        "srun": 'echo "srun $*"\n',
        "scontrol": "echo node1; echo node2\n",
        "getent": "echo 127.0.0.9 STREAM node1\n",
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}")
        (tmp_path / name).chmod(0o755)
    job = {"SLURM_SUBMIT_DIR": str(tmp_path), "SLURM_JOB_ID": "17", "SLURM_JOB_NODELIST": "node[1-2]"}
    sizes = {"SLURM_JOB_NUM_NODES": "2", "SLURM_CPUS_PER_TASK": "8", "PATH": f"{tmp_path}:/usr/bin:/bin"}
    command = [str(ROOT / "cluster/slurm.sh"), "--game", "my.kif"]
    said = subprocess.run(command, env=job | sizes, capture_output=True, text=True).stdout
    start = "ray symmetric-run --address 127.0.0.9:20017 --min-nodes 2 --num-cpus 8 --"
    run = "--out results/slurm-17 --or-resume --address 127.0.0.9:20017"
    assert said.splitlines() == [
        "srun mkdir -m 700 /tmp/gdl-miner-17-0",
        f"srun --kill-on-bad-exit=1 {start} miner evolve --game my.kif {run}",
        "srun rm -rf /tmp/gdl-miner-17-0",
    ]
