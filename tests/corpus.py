"""Rule sheets and oracle traces kept outside of the repository; tests that need them skip where they are absent."""

import os
from pathlib import Path

from tests.needs import skip_without

__all__ = ["corpus_folder", "default_corpus", "sheet_path", "trace_path"]


def default_corpus() -> Path:
    """Return the expected folder of the corpus: in `../shared`, or in the folder that GDL_MINER_SHARED names."""
    shared = os.environ.get("GDL_MINER_SHARED")
    return (Path(shared) if shared else Path(__file__).parents[2] / "shared") / "corpus"


def corpus_folder() -> Path:
    """Return the folder with `games/NAME.kif` and `traces/NAME.jsonl`; skip the calling test if there is none."""
    folder = default_corpus()
    if not folder.is_dir():
        skip_without("corpus", f"no corpus at {folder}; set GDL_MINER_SHARED to the folder that holds it")
    return folder


def sheet_path(name: str) -> Path:
    """Return the file of a rule sheet of the corpus."""
    return corpus_folder() / "games" / f"{name}.kif"


def trace_path(name: str) -> Path:
    """Return the file of the traces recorded for a rule sheet of the corpus."""
    return corpus_folder() / "traces" / f"{name}.jsonl"
