"""The Ray executor of the command line, opened after the environment is set that Ray reads when it is imported."""

from __future__ import annotations

import os
import secrets
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdl_miner.cluster.executor import RayExecutor

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
}
# Ray takes the machine's external address even where it is given the loopback address, unless it is told that no other
# machine will join. The name of that setting does not say so.
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


def open_ray(workers: int | None = None, address: str | None = None, deadline_s: float = 900.0) -> RayExecutor:
    """Return an executor on a Ray started here with `workers` processors (default: all), or on a cluster.

    `address` names the cluster to join; `workers` then bounds the tasks at a time. A Ray started here listens on the
    loopback address only and accepts only callers with a token drawn for it. A joined cluster has a token of its own
    (`RAY_AUTH_MODE`, `RAY_AUTH_TOKEN` or `~/.ray/auth_token`).

    Raises UserError where Ray does not start or no cluster answers.
    """
    for name, value in (_QUIET if address is not None else _QUIET | _LOOPBACK).items():
        os.environ.setdefault(name, value)
    if address is None and "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    from gdl_miner.cluster.executor import RayExecutor  # after the environment is set
    from gdl_miner.cluster.session import join_cluster, start_session

    if address is not None:
        return RayExecutor(join_cluster(address, workers), deadline_s=deadline_s)
    processors = workers or len(os.sched_getaffinity(0))
    return RayExecutor(start_session(processors), deadline_s=deadline_s)
