import errno
import os
import stat
from pathlib import Path

import pytest

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.files.new_file import (
    append_file,
    check_place,
    make_folder,
    new_file,
    remove_unfinished,
    replace_file,
    unfinished_path,
)


@pytest.mark.parametrize("name", ["k.xml", "k.xml.gz"])
def test_a_full_disk_is_called_so_and_leaves_what_was_there(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")

    def fill_disk() -> None:
        with new_file(path, KnowledgeError) as write:
            write(b"new" * 100_000)
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(KnowledgeError, match=r"k\.xml.*: the disk is full; free some space"):
        fill_disk()
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_that_cannot_be_there_is_called_so(tmp_path: Path) -> None:
    with (
        pytest.raises(KnowledgeError, match=r"No such file or directory.*a folder that can be written"),
        new_file(tmp_path / "nowhere" / "k.xml", KnowledgeError),
    ):
        pass


def test_a_place_is_refused_before_long_work_where_nothing_can_be_written(tmp_path: Path) -> None:
    check_place(tmp_path / "k.xml", KnowledgeError)
    for path, what in ((tmp_path, "Is a directory"), (tmp_path / "nowhere" / "k.xml", "No such file or directory")):
        with pytest.raises(KnowledgeError, match=what):
            check_place(path, KnowledgeError)


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    outside, path = tmp_path / "outside", tmp_path / "f"
    outside.write_bytes(b"mine")
    path.symlink_to(outside)
    with pytest.raises(OSError, match="symbolic link"):
        append_file(path, b"more")
    replace_file(path, b"new")
    assert not path.is_symlink()
    assert (path.read_bytes(), outside.read_bytes()) == (b"new", b"mine")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="No such device"):
        append_file(tmp_path / "pipe", b"more")
    with pytest.raises(OSError, match="it is a"):
        append_file(Path("/dev/null"), b"more")


def test_what_is_appended_to_one_of_two_names_of_a_file_does_not_appear_under_the_other(tmp_path: Path) -> None:
    outside, path = tmp_path / "outside", tmp_path / "f"
    outside.write_bytes(b"mine")
    path.hardlink_to(outside)
    append_file(path, b"-new", 2)
    append_file(path, b"er")
    assert (path.read_bytes(), outside.read_bytes()) == (b"mi-newer", b"mine")


def test_contents_are_on_the_disk_before_they_take_their_place_and_then_the_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, synced = tmp_path / "f", list[tuple[bool, bytes, bytes]]()
    path.write_bytes(b"old")

    def fsync(descriptor: int) -> None:
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        content = b"" if folder else Path(f"/proc/self/fd/{descriptor}").read_bytes()
        synced.append((folder, content, path.read_bytes()))

    monkeypatch.setattr(os, "fsync", fsync)
    replace_file(path, b"new")
    assert synced == [(False, b"new", b"old"), (True, b"", b"new")]
    append_file(path, b"er")
    assert synced[2:] == [(False, b"newer", b"newer")]


def test_nobody_can_guess_where_a_file_is_written_first_and_what_is_left_there_is_removed(tmp_path: Path) -> None:
    left = [unfinished_path(tmp_path / "f") for _ in range(2)]
    assert left[0] != left[1]
    left[0].mkdir()
    (left[0] / "part").touch()
    left[1].symlink_to("/dev/full")
    (tmp_path / ".mine.new").touch()
    remove_unfinished(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".mine.new"]


def test_new_folders_have_names_of_their_own(tmp_path: Path) -> None:
    made = [make_folder(tmp_path / "results" / "20260102-030405").name for _ in range(3)]
    assert made == ["20260102-030405", "20260102-030405-2", "20260102-030405-3"]
