"""Heartbeats: what a process does for itself while it works, and what the driver does where it hears none."""

import faulthandler
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from gdl_miner.cluster import executor
from gdl_miner.cluster.executor import _Pulse
from gdl_miner.cluster.worker import Job, _Heart


@pytest.mark.parametrize(("stalled", "left"), [(0.0, [110.0]), (90.0, [20.0]), (100.0, [])])
def test_a_process_that_hangs_ends_itself_soon_after_the_deadline(
    stalled: float, left: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    armed: list[float] = []
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda seconds, **_: armed.append(seconds))
    heart = _Heart.__new__(_Heart)
    heart._job = Job(print, "", None, "", deadline_s=100.0, beat_s=2.0)
    heart._arming, heart._over, heart._stalled = threading.Lock(), threading.Event(), stalled
    heart._send()
    assert armed == left


def test_a_monitor_that_is_frozen_is_made_anew_and_one_that_starts_slowly_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, ready, killed = [0.0], [False], []
    fake: Any = SimpleNamespace(
        get=lambda answer: {"t0": answer},
        kill=lambda monitor, no_restart: killed.append(now[0]),
    )
    monkeypatch.setattr(executor, "ray", fake)
    monkeypatch.setattr(executor, "ready_of", lambda asked, timeout_s: asked if ready[0] else [])
    monkeypatch.setattr(executor, "time", SimpleNamespace(monotonic=lambda: now[0]))
    pulse = _Pulse(SimpleNamespace(take=SimpleNamespace(remote=lambda _: "beat")), "mark", 2.0)

    def take(at: float, answered: bool) -> object:
        now[0], ready[0] = at, answered
        return pulse.take()

    assert take(0.0, answered=False) is None
    assert take(500.0, answered=False) is None  # it starts
    assert take(501.0, answered=True) == {"t0": "beat"}
    assert [take(at, answered=False) for at in (503.0, 532.9, 533.0)] == [None, None, None]
    assert killed == [533.0]
    assert take(900.0, answered=False) is None  # it starts again
    assert take(901.0, answered=True) == {"t0": "beat"}
    assert pulse.paused
    assert killed == [533.0]
