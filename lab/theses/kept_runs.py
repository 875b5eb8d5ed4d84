"""Runs of `miner learn` that a command makes once and then keeps."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from gdl_miner.miner.commands.evolve import learn
from gdl_miner.miner.commands.resume import resume
from gdl_miner.miner.commands.workplace import ExecutorKind
from lab.options import report_progress


def keep_run(
    folder: Path,
    game: str,
    method: str,
    sections: Mapping[str, Mapping[str, Any]],
    seed: int,
    executor: ExecutorKind,
    start: Path | None = None,
) -> None:
    """Make a run in a folder, complete it, or leave it as it is when it is complete.

    `start` is the knowledge file that a new run starts from.

    `sections` are those settings in which its configuration differs from the default one; they are written beside the
    folder.
    """
    with redirect_stdout(sys.stderr):
        if (folder / "config.json").exists():
            report_progress(f"{game}: taking the run in {folder}")
            resume(folder, executor=executor)
        else:
            folder.parent.mkdir(parents=True, exist_ok=True)
            config = folder.parent / f"{folder.name}.toml"
            config.write_text("".join(_as_toml(name, settings) for name, settings in sections.items()), "utf-8")
            learn(game, method, config=str(config), seed=seed, start=start, out=folder, executor=executor)


def _as_toml(section: str, settings: Mapping[str, Any]) -> str:
    lines = [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in settings.items()]
    return "\n".join([f"[{section}]", *lines, ""])
