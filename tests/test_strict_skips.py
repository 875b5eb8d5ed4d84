"""Tests that need what the machine lacks are skipped, or fail with --strict-skips."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEST = "tests/gdl/test_check.py::test_no_sheet_that_plays_has_errors"


@pytest.mark.parametrize(
    ("option", "code", "said"),
    [
        ((), 0, "1 skipped"),
        (("--strict-skips=chromium",), 0, "1 skipped"),
        (("--strict-skips=corpus",), 1, "no corpus at"),
        (("--strict-skips",), 1, "(--strict-skips)"),
        (("--strict-skips=coffee",), 4, "coffee: no test needs this; name some of chromium,corpus,docs"),
    ],
)
def test_a_missing_corpus_fails_where_it_must_be_there(
    option: tuple[str, ...], code: int, said: str, tmp_path: Path
) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GDL_MINER", "PYTEST"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", TEST, *option],
        env={**environment, "GDL_MINER_SHARED": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout + done.stderr
