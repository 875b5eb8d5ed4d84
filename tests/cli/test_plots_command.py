"""`miner plots`: the pictures of a run as SVG and PDF."""

from pathlib import Path

from lxml import etree

from tests.cli.conftest import Refusal
from tests.command_line import miner, succeeded


def test_pictures_are_vectors_with_the_same_bytes_each_time(finished_run: Path, tmp_path: Path) -> None:
    bytes_of = []
    for name in ("one", "other"):
        told = succeeded(miner("plots", finished_run, "--format", "svg", "--format", "pdf", "--out", tmp_path / name))
        paths = sorted((tmp_path / name).iterdir())
        assert [path.name for path in paths] == ["features.pdf", "features.svg", "fitness.pdf", "fitness.svg"]
        assert len(told.splitlines()) == 4
        bytes_of.append([path.read_bytes() for path in paths])
    assert bytes_of[0] == bytes_of[1]
    assert bytes_of[0][0].startswith(b"%PDF-")
    assert etree.fromstring(bytes_of[0][3]).tag == "{http://www.w3.org/2000/svg}svg"


def test_without_a_folder_the_pictures_stand_in_that_of_the_run(copied_run: Path) -> None:
    succeeded(miner("plots", copied_run))
    assert (copied_run / "fitness.svg").is_file()


def test_what_has_no_pictures_or_no_folder_of_its_own_is_told(
    finished_run: Path, tmp_path: Path, refusal: Refusal
) -> None:
    assert "draw one run at a time" in refusal("miner", "plots", finished_run, finished_run, "--out", tmp_path)
    assert "nosuch" in refusal("miner", "plots", tmp_path / "nosuch")
