"""Weights of large networks are written to tables beside knowledge files, and mean the same there."""

import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.knowledge import table_beside
from gdl_miner.agent.values import (
    ContentsTable,
    TupleWeights,
    ValuePart,
    Values,
    values_of,
)
from tests.command_line import miner, succeeded
from tests.search.positions import machine_of
from tests.values.files import assert_refused, read, read_back, write
from tests.values.random_values import random_values
from tests.values.test_values_in_files import GAMES

GAME = machine_of("tictactoe.ext")
CHOICES = ((".", "o", "x"), (".", "o", "x"))
PAIR = TupleWeights(((1, 1), (1, 2)), ContentsTable(CHOICES, np.array([0, 0.5, -0.25, 0, 1, 0, 0, 0, 0.0001])))
ROW = TupleWeights(((1, 1), (1, 2), (1, 3)), {("x", "x", "."): 0.75})


@pytest.fixture
def always_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl_miner.agent.values.values_xml.MOST_IN_XML", 0)


def only_table(folder: Path) -> Path:
    [path] = folder.glob("values-*.npy")
    return path


def written(folder: Path, *tuples: TupleWeights) -> Path:
    """Write a knowledge file of tictactoe with these tuples and return its path."""
    values = Values((), True, "", (), (ValuePart(0, 0, 0, {"(cell 2 2 x)": 0.5}, tuples),))
    return write(values, GAME, folder / "k.xml")


@pytest.mark.parametrize("game", GAMES)
def test_values_in_a_table_are_those_in_the_file_itself(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = machine_of(game)
    values = values_of(*random_values(machine, 3))
    read_back(values, machine, tmp_path / "itself.xml")
    monkeypatch.setattr("gdl_miner.agent.values.values_xml.MOST_IN_XML", 0)
    read_back(values, machine, tmp_path / "beside.xml")
    assert list(tmp_path.glob("*.npy")) == [path for path in [table_beside(tmp_path / "beside.xml")] if path]
    assert table_beside(tmp_path / "itself.xml") is None


@pytest.mark.usefixtures("always_tables")
@pytest.mark.parametrize("suffix", ["xml", "xml.gz"])
def test_a_file_with_a_table_has_the_same_bytes_when_it_is_written_again(suffix: str, tmp_path: Path) -> None:
    machine = machine_of("breakthrough.ext")
    values = values_of(*random_values(machine, 1))
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        values = read_back(values, machine, tmp_path / folder / f"k.{suffix}")
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()} for folder in ("one", "two"))
    assert one == two
    assert len(one) == 2


def test_few_weights_stay_in_the_file_and_many_do_not(tmp_path: Path) -> None:
    machine = machine_of("breakthrough.ext")
    pieces = (".", "black", "white")
    cells = tuple((x, y) for x in range(1, 5) for y in (1, 2))
    for count in (6000, 6001):
        table = ContentsTable((pieces,) * 8, np.where(np.arange(3**8) < count, 0.5, 0))
        part = ValuePart(0, 0, 0, {}, (TupleWeights(cells, table),))
        path = write(Values((), True, "", (), (part,)), machine, tmp_path / f"{count}.xml")
        assert (table_beside(path) is None) == (count == 6000)


@pytest.mark.usefixtures("always_tables")
def test_a_table_is_a_plain_array_of_whole_numbers_that_the_file_explains(tmp_path: Path) -> None:
    path = written(tmp_path, PAIR, ROW)
    text, table = path.read_text(), only_table(tmp_path)
    assert np.load(table).tolist() == [0, 5000, -2500, 0, 10000, 0, 0, 0, 1]
    assert np.load(table).dtype == np.dtype("<i4")
    digest = sha256(table.read_bytes()).hexdigest()
    assert f'table="{table.name}" sha256="{digest}" decimals="4"' in text
    assert table.name == f"values-{digest[:16]}.npy"
    assert 'contents=". o x"' in text
    assert '<Tuple cells="1 1, 1 2" first="0"/>' in text
    assert '<Contents weight="0.75">x x .</Contents>' in text  # weights that came by name stay so


@pytest.mark.usefixtures("always_tables")
def test_weights_that_are_no_such_whole_numbers_stay_in_the_file(tmp_path: Path) -> None:
    fine = replace(PAIR, weights=ContentsTable(CHOICES, np.linspace(-1, 1, 9) / 7))
    path = written(tmp_path, fine)
    assert not list(tmp_path.glob("*.npy"))
    assert read(path, GAME).parts[0].tuples == (fine,)


@pytest.mark.usefixtures("always_tables")
def test_files_with_the_same_weights_share_a_table(tmp_path: Path) -> None:
    written(tmp_path, PAIR).rename(tmp_path / "first.xml")
    table = only_table(tmp_path)
    stamp = table.stat().st_mtime_ns
    written(tmp_path, PAIR)
    assert only_table(tmp_path).stat().st_mtime_ns == stamp
    table.write_bytes(b"damaged")
    written(tmp_path, PAIR)
    assert read(tmp_path / "first.xml", GAME) == read(tmp_path / "k.xml", GAME)


def damage(path: Path, content: bytes) -> None:
    """Put other bytes into a table and have the file name their hash."""
    table = only_table(path.parent)
    old = sha256(table.read_bytes()).hexdigest()
    table.write_bytes(content)
    path.write_text(path.read_text().replace(old, sha256(content).hexdigest()))


def npy(array: np.ndarray) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        np.save(path.with_name("new.npy"), array, allow_pickle=True)
        damage(path, path.with_name("new.npy").read_bytes())

    return change


def text(old: str, new: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        assert old in path.read_text()
        path.write_text(re.sub(re.escape(old), new, path.read_text(), count=1))

    return change


FAULTS_OF_TABLES: list[tuple[Callable[[Path], None], str, str]] = [
    (lambda path: only_table(path.parent).unlink(), "<Values", "is not in the folder.*; copy it there from"),
    (lambda path: only_table(path.parent).write_bytes(b"\0"), "<Values", "has the hash .*; restore it"),
    (lambda path: damage(path, b"no array"), "<Values", "is no array of NumPy.*; give a .npy file"),
    (npy(np.zeros(9, "<i8")), "<Values", "no list of int32"),
    (npy(np.zeros(9, ">i4")), "<Values", "its header is .*>i4"),
    (npy(np.zeros((3, 3), "<i4")), "<Values", "no list of int32"),
    (npy(np.array([object()])), "<Values", "no array of NumPy"),
    (npy(np.zeros(8, "<i4")), "<Tuple", "weights 0 to 8 of a table of 8; mend first"),
    (npy(np.zeros(10, "<i4")), "<Values", "a table of 10 weights, of which the tuples take 9; restore"),
    (npy(np.full(9, 2**31 - 1, "<i4")), "<Tuple", "is not a number from -1000 to 1000"),
    (text('table="', 'table="../'), "<Values", "pattern"),
    (text('table="values', 'table=".values'), "<Values", "pattern"),
    (text(' table="', ' game="'), "<Values", "game"),
    (text('first="0"', 'first="1"'), "<Tuple", "weights 1 to 9"),
    (text('first="0"', ""), "<Tuple", "a tuple without weights"),
    (text('first="0"', 'first="-1"'), "<Tuple", "-1"),
    (text('first="0"', 'first="0" weights="1"'), "<Tuple", "weights in several places"),
    (text(' contents=". o x"', ""), "<Tuple", "not what may be at the cells; give a Choice for each cell"),
    (text('"0"/>', '"0"><Choice>. o x</Choice></Tuple>'), "<Tuple", "choices of 1 for 2 cells"),
    (text('"0"/>', '"0"><Contents weight="1">x x</Contents></Tuple>'), "<Tuple", "several places"),
    (text(". o x", ". o queen"), "<Tuple", "no queen can stand there; give ., o, x"),
]
FAULTS_OF_LISTS: list[tuple[Callable[[Path], None], str, str]] = [
    (text('weights="0 ', 'weights="'), "<Tuple", "8 weights for contents of 2 cells"),
    (text('weights="0 ', 'weights="1001 '), "<Tuple", "1001"),
    (text('weights="0 ', 'weights="nothing '), "<Tuple", "nothing"),
    (text(' contents=". o x"', ' contents=". o queen"'), "<Tuple", "no queen can stand there; give ., o, x"),
    (text(' contents=". o x"', ' contents=". o (x"'), "<Values", "unbalanced parentheses"),
    (text('0001"/>', '0001"><Choice>. o x</Choice><Choice>. o queen</Choice></Tuple>'), "<Tuple", "no queen can"),
]


@pytest.mark.parametrize(
    ("most", "change", "element", "said"),
    [*((0, *each) for each in FAULTS_OF_TABLES), *((6000, *each) for each in FAULTS_OF_LISTS)],
)
def test_faults_of_weights_are_named_with_their_place(
    most: int, change: Callable[[Path], None], element: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl_miner.agent.values.values_xml.MOST_IN_XML", most)
    path = written(tmp_path, PAIR)
    change(path)
    assert_refused(path, GAME, said, element)


def test_listed_weights_are_those_of_named_contents(tmp_path: Path) -> None:
    path = written(tmp_path, PAIR)
    listed, content = read(path, GAME), path.read_text()
    assert '<Tuple cells="1 1, 1 2" weights="0 .5 -.25 0 1 0 0 0 .0001"/>' in content
    named = "".join(f'<Contents weight="{weight}">{" ".join(each)}</Contents>' for each, weight in PAIR.weights.items())
    path.write_text(re.sub(r'<Tuple cells="1 1, 1 2".*/>', f'<Tuple cells="1 1, 1 2">{named}</Tuple>', content))
    assert read(path, GAME) == listed


def test_few_weights_of_many_contents_are_named(tmp_path: Path) -> None:
    cells, pieces = tuple((1, y) for y in (1, 2, 3)), (CHOICES[0],) * 3
    for count, form in ((1, '<Contents weight="0.5">. . .</Contents>'), (2, 'weights=".5 .5 0 ')):
        sparse = TupleWeights(cells, ContentsTable(pieces, np.where(np.arange(27) < count, 0.5, 0)))
        path = written(tmp_path, sparse)
        assert form in path.read_text()
        assert read(path, GAME).parts[0].tuples == (sparse,)


def test_a_table_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="8 weights for contents of 2 cells"):
        ContentsTable(CHOICES, np.zeros(8))
    with pytest.raises(ValueError, match="nan"):
        ContentsTable(CHOICES, np.full(9, np.nan))


@pytest.mark.usefixtures("always_tables")
def test_commands_read_tables(tmp_path: Path) -> None:
    path = written(tmp_path, PAIR, ROW)
    assert "o at 1 1" in succeeded(miner("explain", path, "--matches", 2, "--playouts", 5, "--positions", 10))
    options = ("--game", "tictactoe.ext", "--matches", 4, "--playouts", 5, "--executor", "serial")
    succeeded(miner("tournament", path, "uct", *options))


@pytest.mark.parametrize("name", ["values-/../x.npy", "../values-1.npy", "other.npy"])
def test_a_file_leads_to_no_table_in_another_folder_nor_to_another_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "k.xml").write_text(f'<Knowledge>\n<Values table="{name}"/>\n</Knowledge>')
    with pytest.raises(KnowledgeError, match=rf"k\.xml:2: '{name}' is no name of a table; restore it"):
        table_beside(tmp_path / "k.xml")
