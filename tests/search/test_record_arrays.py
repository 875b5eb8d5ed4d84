from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.files import array_archive
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import (
    MatchBatchRecord,
    concatenate_records,
    load_record,
    pack_record,
    select_matches,
)
from gdl_miner.agent.search.uct import play_matches
from tests.search.matches import played


@pytest.fixture(scope="module")
def record() -> MatchBatchRecord:
    return played(load_machine("tictactoe.ext"), PlayerSpec(playouts=12), 9)


def test_a_record_survives_its_file_exactly(record: MatchBatchRecord, tmp_path: Path) -> None:
    (tmp_path / "r.npz").write_bytes(pack_record(record))
    assert load_record(tmp_path / "r.npz") == record


def test_selected_parts_joined_again_are_the_whole(record: MatchBatchRecord) -> None:
    parts = [select_matches(record, record.ids[start::3]) for start in range(3)]
    assert select_matches(concatenate_records(parts), record.ids) == record


def test_a_selected_match_is_the_match_played_alone(record: MatchBatchRecord) -> None:
    machine = load_machine("tictactoe.ext")
    alone = play_matches(machine, [PlayerSpec(playouts=12)], np.zeros((1, 2), np.int32), [4], ["4"])
    assert select_matches(record, ["4"]) == alone


def test_selecting_nothing_gives_an_empty_record(record: MatchBatchRecord) -> None:
    assert select_matches(record, []).n_matches == 0


def test_a_match_that_is_not_there_is_noticed(record: MatchBatchRecord) -> None:
    with pytest.raises(KeyError, match="nowhere"):
        select_matches(record, ["nowhere"])


def test_a_damaged_file_is_refused_by_name(record: MatchBatchRecord, tmp_path: Path) -> None:
    path = tmp_path / "r.npz"
    path.write_bytes(pack_record(record)[:-200])
    with pytest.raises(RecordError, match=r"r\.npz"):
        load_record(path)
    with pytest.raises(RecordError, match="missing"):
        load_record(tmp_path / "other.npz")


class Trap:
    """An object that makes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self._mark,)


def test_nothing_in_an_archive_is_unpickled(record: MatchBatchRecord, tmp_path: Path) -> None:
    mark, path = tmp_path / "sprung", tmp_path / "r.npz"
    arrays = {each.name: getattr(record, each.name) for each in fields(record)}
    arrays["ids"] = np.array([Trap(mark)] * record.n_matches, dtype=object)
    np.savez(path, **arrays)
    with np.load(path, allow_pickle=True) as trapped:
        assert len(trapped["ids"]) == record.n_matches
    assert mark.exists()  # the trap works
    mark.unlink()
    with pytest.raises(RecordError, match="pickle"):
        load_record(path)
    assert not mark.exists()


def test_an_archive_that_unpacks_to_too_much_is_refused(
    record: MatchBatchRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.npz").write_bytes(pack_record(record))
    monkeypatch.setattr(array_archive, "MAX_BYTES", 100)
    with pytest.raises(RecordError, match="larger than"):
        load_record(tmp_path / "r.npz")
