"""`agent format`: output, writing in place and refusals."""

from pathlib import Path

import pytest

from gdl_miner.agent.gdl.formatting import format_sheet
from tests.command_line import agent

UNTIDY = "(role a)(init x) ; begins\n(<= terminal   (true x)\n (true y))"
TIDY = format_sheet(UNTIDY)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "untidy.kif"
    path.write_text(UNTIDY)
    return path


def test_format_prints_the_sheet_and_leaves_the_file(sheet: Path) -> None:
    result = agent("format", str(sheet))
    assert (result.exit_code, result.stdout) == (0, TIDY)
    assert sheet.read_text() == UNTIDY


def test_check_tells_by_its_exit_whether_anything_would_change_and_changes_nothing(sheet: Path) -> None:
    assert agent("format", str(sheet), "--check").exit_code == 1
    assert sheet.read_text() == UNTIDY
    assert agent("format", str(sheet), "--write").exit_code == 0
    assert agent("format", str(sheet), "--check").exit_code == 0


def test_write_replaces_the_file_and_keeps_its_permissions_and_neighbours(sheet: Path) -> None:
    sheet.chmod(0o640)
    result = agent("format", str(sheet), "--write")
    assert (result.exit_code, result.stdout) == (0, "")
    assert sheet.read_text() == TIDY
    assert sheet.stat().st_mode & 0o777 == 0o640
    assert list(sheet.parent.iterdir()) == [sheet]


def test_write_follows_a_link_to_the_file(sheet: Path) -> None:
    link = sheet.with_name("link.kif")
    link.symlink_to(sheet)
    agent("format", str(link), "--write")
    assert link.is_symlink()
    assert sheet.read_text() == TIDY


@pytest.mark.parametrize(
    ("text", "message"),
    [(b"(role a", "is never closed"), (b"(role \xff)", "not UTF-8 text"), (b"(role \x01)", "cannot stand in a word")],
)
def test_a_sheet_that_cannot_be_written_again_is_left_as_it_is(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "bad.kif"
    path.write_bytes(text)
    assert message in str(agent("format", str(path), "--write").exception)
    assert path.read_bytes() == text


def test_a_bundled_game_is_printed_and_not_written() -> None:
    assert agent("format", "amazons.ext").stdout.startswith("; The Game of the Amazons")
    assert "--write needs the path of a file" in str(agent("format", "amazons.ext", "--write").exception)
