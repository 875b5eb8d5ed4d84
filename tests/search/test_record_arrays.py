import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.files import array_archive
from gdl_miner.agent.files.array_archive import load_arrays, pack_arrays
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import (
    MatchBatchRecord,
    concatenate_records,
    load_record,
    pack_record,
    select_matches,
    without_visits,
)
from gdl_miner.agent.search.uct import play_matches
from tests.search.matches import played


@pytest.fixture(scope="module")
def record() -> MatchBatchRecord:
    return played(load_machine("tictactoe.ext"), PlayerSpec(playouts=12), 9)


def test_a_record_survives_its_file_exactly(record: MatchBatchRecord, tmp_path: Path) -> None:
    (tmp_path / "r.npz").write_bytes(pack_record(record))
    assert load_record(tmp_path / "r.npz", load_machine("tictactoe.ext").circuit) == record


def test_a_record_travels_whole_and_takes_a_quarter_of_its_arrays() -> None:
    large = played(load_machine("breakthrough.ext"), PlayerSpec(playouts=12), 9)
    sent = pickle.dumps(large, pickle.HIGHEST_PROTOCOL)
    assert pickle.loads(sent) == large
    arrays = (large.states, large.moves, large.visit_start, large.visit_row, large.visit_count)
    assert len(sent) < sum(each.nbytes for each in arrays) / 4


def test_visits_are_left_out_of_all_matches_but_those_named(record: MatchBatchRecord) -> None:
    kept = frozenset(record.ids[2:4])
    found = without_visits(record, kept)
    for name in record.ids:
        whole, bare = select_matches(record, [name]), select_matches(found, [name])
        empty = replace(
            whole,
            visit_start=np.zeros_like(whole.visit_start),
            visit_row=whole.visit_row[:0],
            visit_count=whole.visit_count[:0],
        )
        assert bare == (whole if name in kept else empty)
        assert whole != empty


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
        load_record(path, load_machine("tictactoe.ext").circuit)
    with pytest.raises(RecordError, match="missing"):
        load_record(tmp_path / "other.npz", load_machine("tictactoe.ext").circuit)


def filled(value: int, place: int = 0) -> Callable[[Any], Any]:
    def fill(array: Any) -> Any:
        array.reshape(-1)[place] = value
        return array

    return fill


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("moves", filled(10**6), "moves of role 0 has"),
        ("moves", filled(-5), "moves of role 0 has -5"),
        ("moves", lambda array: array.astype(float), "moves has entries of float64, not int32"),
        ("visit_row", filled(2**31 - 1), "visit_row has"),
        ("visit_count", filled(-100), "visit_count has -100"),
        ("goals", filled(2**31 - 1), "goals has"),
        ("goals", lambda array: np.hstack([array, array]), r"moves is \(\d+, 2\), not"),
        ("players", filled(-3), "players has -3"),
        ("playouts", filled(-3), "playouts has -3"),
        ("states", filled(2**64 - 1), "states has fluents that the game does not have"),
        ("states", lambda array: np.hstack([array, array]), "states of 2 words are of another game"),
        ("states", lambda array: array.reshape(-1), "states has 1 dimensions, not 2"),
        ("start", filled(2**31 - 1, 1), "start does not ascend"),
        ("start", lambda array: array[:0], "start is"),
        ("visit_start", filled(2**60, 1), "visit_start does not lead"),
        ("ids", lambda array: np.arange(len(array)), "ids has entries of int64, not str_"),
    ],
)
def test_a_record_of_what_no_match_has_is_refused(
    name: str, change: Callable[[Any], Any], said: str, record: MatchBatchRecord, tmp_path: Path
) -> None:
    path = tmp_path / "r.npz"
    path.write_bytes(pack_record(record))
    arrays = {each: array.copy() for each, array in load_arrays(path).items()}
    path.write_bytes(pack_arrays({**arrays, name: change(arrays[name])}))
    with pytest.raises(RecordError, match=rf"r\.npz: the record is missing or damaged \(.*{said}"):
        load_record(path, load_machine("tictactoe.ext").circuit)


def test_an_archive_that_unpacks_to_too_much_is_refused(
    record: MatchBatchRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.npz").write_bytes(pack_record(record))
    monkeypatch.setattr(array_archive, "MAX_BYTES", 100)
    with pytest.raises(RecordError, match="larger than"):
        load_record(tmp_path / "r.npz", load_machine("tictactoe.ext").circuit)
