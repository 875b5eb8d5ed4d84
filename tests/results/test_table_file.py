import errno
import os
from pathlib import Path

import pandas as pd
import pytest

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.files.new_file import replace_file, storing
from gdl_miner.miner.results.tables import CsvTable, mark_of


def test_a_table_is_read_by_pandas_as_it_was_written(tmp_path: Path) -> None:
    table = CsvTable(tmp_path / "t.csv", ["name", "value", "on", "nothing"])
    table.append([("a b", 0.1 + 0.2, True, None), ('c,"d"', 3, False, None)])
    table.append([("e", -1.5, True, None)])
    read = pd.read_csv(tmp_path / "t.csv")
    assert list(read["name"]) == ["a b", 'c,"d"', "e"]
    assert list(read["value"]) == [0.3, 3.0, -1.5]
    assert list(read["on"]) == [True, False, True]
    assert read["nothing"].isna().all()


def test_a_table_cut_back_and_written_again_has_the_same_bytes(tmp_path: Path) -> None:
    table = CsvTable(tmp_path / "t.csv", ["n"])
    table.append([(1,)])
    length = table.length()
    table.append([(2,)])
    whole = (tmp_path / "t.csv").read_bytes()
    table.cut(length)
    assert table.length() == length
    assert table.mark() == mark_of(whole[:length])
    table.append([(2,)])
    assert (tmp_path / "t.csv").read_bytes() == whole
    assert table.mark() == mark_of(whole)


def test_a_table_cut_to_nothing_gets_its_head_line_again(tmp_path: Path) -> None:
    table = CsvTable(tmp_path / "t.csv", ["n"])
    table.append([(1,)])
    table.cut(0)
    table.append([(1,)])
    assert (tmp_path / "t.csv").read_text() == "n\n1\n"


def test_a_row_of_the_wrong_length_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 cells for 1 columns"):
        CsvTable(tmp_path / "t.csv", ["n"]).append([(1, 2)])


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "f"
    replace_file(path, b"old")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


def test_a_failed_write_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    replace_file(path, b"old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="the disk is full; free some space"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"


def test_other_failures_to_write_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"/f: cannot be written \(Permission denied\)"), storing(tmp_path / "f"):
        raise PermissionError(errno.EACCES, "Permission denied")
