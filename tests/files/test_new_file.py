from pathlib import Path

import pytest

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.files.new_file import new_file


@pytest.mark.parametrize("name", ["k.xml", "k.xml.gz"])
def test_a_full_disk_is_called_so_and_leaves_what_was_there(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    path.with_name(f"{name}.part").symlink_to("/dev/full")
    with (
        pytest.raises(KnowledgeError, match=r"k\.xml.*: the disk is full; free some space"),
        new_file(path, KnowledgeError) as write,
    ):
        write(b"new" * 100_000)
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_that_cannot_be_there_is_called_so(tmp_path: Path) -> None:
    with (
        pytest.raises(KnowledgeError, match=r"No such file or directory.*a folder that can be written"),
        new_file(tmp_path / "nowhere" / "k.xml", KnowledgeError),
    ):
        pass
