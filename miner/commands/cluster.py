"""`miner cluster` checks the machines of a cluster file, and helps `ray up` and `ray down`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import Json
from gdl_miner.agent.errors import UserError

File = Annotated[Path, typer.Argument(help="A cluster file of your own machines.", metavar="FILE")]


def check(file: File = Path("cluster.yaml"), as_json: Json = False) -> None:
    """Check all machines of a cluster file at once, before `ray up`: what each has, and what it lacks.

    This machine: the project's folder, ssh, rsync, the token and the key. Each of the others: the login, Python, a
    compiler or a wheel that fits, rsync, the package index, disk, memory, clock, and the ports between the head and the
    workers. Nothing is changed anywhere.

    The exit status is 1 where something is lacking; all of it is listed.
    """
    from gdl_miner.cluster.cluster_file import read_cluster_file
    from gdl_miner.cluster.preflight import check_cluster

    cluster = read_cluster_file(file)
    report = check_cluster(cluster, Path.cwd())
    if as_json:
        print(json.dumps(report.as_json()))
    else:
        for line in report.lines():
            print(line)
    raise typer.Exit(int(bool(report.faults)))


def wait(file: File = Path("~/ray_bootstrap_config.yaml")) -> None:
    """Wait on the head until all workers take part. `ray up` calls this; it fails where a worker does not start."""
    from gdl_miner.cluster.cluster_file import read_cluster_file
    from gdl_miner.cluster.gathering import lost_workers_error, wait_for_workers
    from gdl_miner.cluster.preflight import Report, Wheels, check_machines

    cluster = read_cluster_file(file).on_head()
    lost, processors = wait_for_workers(cluster, lambda text: print(text, file=sys.stderr, flush=True))
    if lost:
        report = Report()
        check_machines(cluster, lost, Wheels(Path.cwd()), report)
        for fault in report.faults:
            print(fault, file=sys.stderr)
        raise lost_workers_error(cluster, lost, processors)
    print(f"{len(cluster.machines)} of {len(cluster.machines)} machines take part, {processors} processors")


def stop(
    file: File = Path("cluster.yaml"),
    workers: Annotated[bool, typer.Option("--workers", help="Typed on the head: leave the head as it is.")] = False,
) -> None:
    """Stop Ray on all machines of a cluster file. `ray down` calls this on the head for the workers."""
    from gdl_miner.cluster.cluster_file import read_cluster_file
    from gdl_miner.cluster.gathering import stop_machines

    cluster = read_cluster_file(file)
    failed = stop_machines(cluster.on_head(), cluster.workers) if workers else stop_machines(cluster, cluster.machines)
    if failed:
        names = "; ".join(f"{machine.address}: {why}" for machine, why in failed)
        raise UserError(f"Ray may still run on {names}; stop it there: ~/gdl-miner/.venv/bin/ray stop")
