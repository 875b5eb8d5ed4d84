import shutil
from pathlib import Path

import pytest

from gdl_miner.miner.results.agreement import compare_bytes


@pytest.fixture
def copy(finished_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished_run, tmp_path / "copy")
    return tmp_path / "copy"


def test_a_copy_agrees_whatever_its_clock_said(finished_run: Path, copy: Path) -> None:
    (copy / "timings.csv").write_text("other\n")
    (copy / "env.json").write_text("{}")
    agreement = compare_bytes(finished_run, copy)
    assert agreement.complete
    assert {"steps.csv", "champion.json", "best.xml", "knowledge/gen_001/g001-i001.xml"} <= set(agreement.same)


def test_a_difference_is_placed(finished_run: Path, copy: Path) -> None:
    lines = (copy / "steps.csv").read_text().splitlines(keepends=True)
    (copy / "steps.csv").write_text("".join([*lines[:2], "x" + lines[2], *lines[3:]]))
    (copy / "knowledge" / "gen_001" / "g001-i002.xml").unlink()
    (copy / "best.xml").write_bytes((copy / "best.xml").read_bytes() + b"<!-- more -->\n")
    assert compare_bytes(finished_run, copy).differing == (
        "best.xml: one ends before the other",
        f"knowledge/gen_001/g001-i002.xml: only in {finished_run}/knowledge/gen_001",
        "steps.csv: differs in line 3",
    )


def test_two_empty_folders_agree_in_nothing(tmp_path: Path) -> None:
    assert not compare_bytes(tmp_path, tmp_path).complete
