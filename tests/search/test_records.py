import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.search.record_xml import read_records, write_records
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord, concatenate_records
from tests.search.match_records import figure_game, random_record

FIGURE = Path(__file__).parent / "figure_5_2.xml"


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["record.xml", "record.xml.gz"])
def test_records_survive_writing_and_reading(tmp_path: Path, seed: int, name: str) -> None:
    game = figure_game()
    record = random_record(game, random.Random(seed), n_matches=seed)
    write_records(record, game, tmp_path / name)
    assert read_records(tmp_path / name, game) == record


def test_equal_records_are_equal_bytes_even_compressed(tmp_path: Path) -> None:
    game = figure_game()
    record = random_record(game, random.Random(0), n_matches=3)
    write_records(record, game, tmp_path / "one.xml.gz")
    write_records(read_records(tmp_path / "one.xml.gz", game), game, tmp_path / "two.xml.gz")
    assert (tmp_path / "one.xml.gz").read_bytes() == (tmp_path / "two.xml.gz").read_bytes()


def test_the_figure_of_the_thesis_reads_and_writes_back_the_same_elements(tmp_path: Path) -> None:
    game = figure_game()
    record = read_records(FIGURE, game)
    assert record.ids == ("MATCH001",)
    assert record.goals.tolist() == [[6, 58]]
    assert record.moves.tolist() == [[game.row(0, "(mark 3 5 black)"), game.row(1, "noop")], [NO_MOVE, NO_MOVE]]
    write_records(record, game, tmp_path / "again.xml")
    ours = etree.parse(tmp_path / "again.xml").getroot()[0]
    for player in ours.findall("Player"):
        player.attrib.clear()
    assert words(ours) == words(etree.parse(FIGURE).getroot())


def words(element: Any) -> list[Any]:
    """Return tags, attributes and texts of a tree, without indentation."""
    return [element.tag, dict(element.attrib), (element.text or "").strip(), [words(child) for child in element]]


def test_a_record_is_written_like_the_golden_file(tmp_path: Path) -> None:
    game = figure_game()
    write_records(read_records(FIGURE, game), game, tmp_path / "again.xml")
    golden = Path(__file__).parent / "figure_5_2_written.xml"
    assert (tmp_path / "again.xml").read_text() == golden.read_text()


VISITS = '<Visits><Role>red</Role><Visit Count="99999999999">noop</Visit></Visits></State>'


def changed(tmp_path: Path, old: str, new: str) -> Path:
    text = FIGURE.read_text()
    assert old in text
    path = tmp_path / "changed.xml"
    path.write_text(text.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("<Fact>(cell 4 4 black)", "<Fact>(cell 9 9 black)", 11, "no fact .cell 9 9 black."),
        ("(mark 3 5 BLACK)", "(mark 9 9 BLACK)", 16, "black has no move"),
        ("<Role>red</Role>", "<Role>blue</Role>", 6, "no role blue"),
        ("<Role>red</Role>", "<Role>black</Role>", 1, "do not match the roles"),
        ("<Score>6</Score>", "<Score>six</Score>", 4, "six"),
        ("<Score>6</Score>", "", 2, "Score"),
        ("<MoveFact>noop</MoveFact>", "", 20, "MoveFact"),
        ("</State>", VISITS, 24, "99999999999"),
        ("</Match>", "", 31, "mend the XML"),
        ("<Match ", "<Game ", 1, "no match record"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, what: str
) -> None:
    path = changed(tmp_path, old, new)
    with pytest.raises(RecordError, match=f"changed.xml:{line}: .*{what}"):
        read_records(path, figure_game())


def test_a_move_missing_before_the_last_state_is_refused(tmp_path: Path) -> None:
    text = FIGURE.read_text()
    first = text.index("    <Move>")
    last = text.index("  </State>")
    path = tmp_path / "changed.xml"
    path.write_text(text[:first] + text[last:])
    with pytest.raises(RecordError, match="no joint move"):
        read_records(path, figure_game())


def test_records_of_another_game_are_refused_unless_forced(tmp_path: Path) -> None:
    game = figure_game()
    write_records(random_record(game, random.Random(0), n_matches=1), game, tmp_path / "record.xml")
    other = figure_game(name="other rules")
    with pytest.raises(RecordError, match=r"record.xml:2: matches of othello, not of other rules"):
        read_records(tmp_path / "record.xml", other)
    assert read_records(tmp_path / "record.xml", other, force=True).n_matches == 1


def test_a_record_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    record = random_record(figure_game(), random.Random(0), n_matches=1)
    with pytest.raises(RecordError, match="cannot be written"):
        write_records(record, figure_game(), tmp_path / "no such folder" / "record.xml")


def test_last_rows_are_the_joint_moves_before_each_state() -> None:
    record = random_record(figure_game(), random.Random(3), n_matches=4)
    last = record.last_rows()
    for first, end in zip(record.start[:-1].tolist(), record.start[1:].tolist(), strict=True):
        assert last[first].tolist() == [NO_MOVE, NO_MOVE]
        assert last[first + 1 : end].tolist() == record.moves[first : end - 1].tolist()


def test_concatenated_records_hold_the_matches_of_all_in_order() -> None:
    game = figure_game()
    parts = [random_record(game, random.Random(seed), n_matches=2) for seed in (1, 2)]
    whole = concatenate_records(parts)
    assert whole.ids == parts[0].ids + parts[1].ids
    second = parts[1]
    offset = len(parts[0].states)
    assert whole.start[2:].tolist() == (second.start + offset).tolist()
    assert whole.states[offset:].tolist() == second.states.tolist()
    step = len(second.states) - 2
    visits = slice(*second.visit_start[step : step + 2].tolist())
    shifted = slice(*whole.visit_start[offset + step : offset + step + 2].tolist())
    assert whole.visit_row[shifted].tolist() == second.visit_row[visits].tolist()


def test_a_record_with_shapes_that_disagree_is_refused() -> None:
    record = random_record(figure_game(), random.Random(0), n_matches=2)
    values = {name: getattr(record, name) for name in MatchBatchRecord.__dataclass_fields__}
    with pytest.raises(ValueError, match="moves is"):
        MatchBatchRecord(**(values | {"moves": record.moves[1:]}))
    with pytest.raises(ValueError, match="start does not ascend"):
        MatchBatchRecord(**(values | {"start": np.array([0, 0, len(record.states)], dtype=np.int32)}))
