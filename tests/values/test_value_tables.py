"""Weights of large networks are written to tables beside knowledge files, and mean the same there."""

import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, table_beside, write_knowledge
from gdl_miner.agent.values import (
    ContentsTable,
    TupleWeights,
    ValuePart,
    Values,
    compile_values,
    layout_of,
    values_of,
    weights_of,
)
from gdl_miner.miner.cli import app
from tests.search.positions import machine_of
from tests.values.random_values import random_values
from tests.values.test_values_in_files import GAMES, knowledge_with

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
    machine = machine_of("tictactoe.ext")
    values = Values((), True, "", (), (ValuePart(0, 0, 0, {"(cell 2 2 x)": 0.5}, tuples),))
    write_knowledge(knowledge_with(machine, values), folder / "k.xml", machine.sheet)
    return folder / "k.xml"


def read(path: Path) -> Knowledge:
    return read_knowledge(path, machine_of("tictactoe.ext").sheet)


@pytest.mark.parametrize("game", GAMES)
def test_values_in_a_table_are_those_in_the_file_itself(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = machine_of(game)
    knowledge = knowledge_with(machine, values_of(*random_values(machine, 3)))
    write_knowledge(knowledge, tmp_path / "itself.xml", machine.sheet)
    monkeypatch.setattr("gdl_miner.agent.values.values_xml.MOST_IN_XML", 0)
    write_knowledge(knowledge, tmp_path / "beside.xml", machine.sheet)
    found = [read_knowledge(tmp_path / name, machine.sheet) for name in ("itself.xml", "beside.xml")]
    assert found == [knowledge, knowledge]
    layouts = [(layout_of(each.values, machine), each.values) for each in found if each.values is not None]
    one, other = (weights_of(values, layout) for layout, values in layouts)
    assert one.tolist() == other.tolist()
    assert list(tmp_path.glob("*.npy")) == [path for path in [table_beside(tmp_path / "beside.xml")] if path]
    assert table_beside(tmp_path / "itself.xml") is None


@pytest.mark.usefixtures("always_tables")
@pytest.mark.parametrize("suffix", ["xml", "xml.gz"])
def test_a_file_with_a_table_has_the_same_bytes_when_it_is_written_again(suffix: str, tmp_path: Path) -> None:
    machine = machine_of("breakthrough.ext")
    knowledge = knowledge_with(machine, values_of(*random_values(machine, 1)))
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_knowledge(knowledge, tmp_path / folder / f"k.{suffix}", machine.sheet)
        knowledge = read_knowledge(tmp_path / folder / f"k.{suffix}", machine.sheet)
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
        path = tmp_path / f"{count}.xml"
        write_knowledge(knowledge_with(machine, Values((), True, "", (), (part,))), path, machine.sheet)
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
    values = read(path).values
    assert values is not None
    assert values.parts[0].tuples == (fine,)


@pytest.mark.usefixtures("always_tables")
def test_files_with_the_same_weights_share_a_table(tmp_path: Path) -> None:
    written(tmp_path, PAIR).rename(tmp_path / "first.xml")
    table = only_table(tmp_path)
    stamp = table.stat().st_mtime_ns
    written(tmp_path, PAIR)
    assert only_table(tmp_path).stat().st_mtime_ns == stamp
    table.write_bytes(b"damaged")
    written(tmp_path, PAIR)
    assert read(tmp_path / "first.xml") == read(tmp_path / "k.xml")


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


def compiled(path: Path) -> None:
    values = read(path).values
    assert values is not None
    compile_values(values, machine_of("tictactoe.ext"))


@pytest.mark.usefixtures("always_tables")
@pytest.mark.parametrize(
    ("change", "element", "said"),
    [
        (lambda path: only_table(path.parent).unlink(), "<Values", "is not in the folder.*; copy it there from"),
        (lambda path: only_table(path.parent).write_bytes(b"\0"), "<Values", "has the hash .*; restore it"),
        (lambda path: damage(path, b"no array"), "<Values", "is no array of NumPy.*; give a .npy file"),
        (npy(np.zeros(9, "<i8")), "<Values", "no list of int32"),
        (npy(np.zeros(9, ">i4")), "<Values", "no list of int32"),
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
    ],
)
def test_faults_of_tables_are_named_with_their_place(
    change: Callable[[Path], None], element: str, said: str, tmp_path: Path
) -> None:
    path = written(tmp_path, PAIR)
    change(path)
    with pytest.raises(KnowledgeError, match=said) as caught:
        compiled(path)
    line = next(number for number, each in enumerate(path.read_text().splitlines(), 1) if element in each)
    assert f"k.xml:{line}" in str(caught.value)


def test_listed_weights_are_those_of_named_contents(tmp_path: Path) -> None:
    path = written(tmp_path, PAIR)
    listed, content = read(path), path.read_text()
    assert '<Tuple cells="1 1, 1 2" weights="0 .5 -.25 0 1 0 0 0 .0001"/>' in content
    named = "".join(f'<Contents weight="{weight}">{" ".join(each)}</Contents>' for each, weight in PAIR.weights.items())
    path.write_text(re.sub(r'<Tuple cells="1 1, 1 2".*/>', f'<Tuple cells="1 1, 1 2">{named}</Tuple>', content))
    assert read(path) == listed


def test_few_weights_of_many_contents_are_named(tmp_path: Path) -> None:
    cells, pieces = tuple((1, y) for y in (1, 2, 3)), (CHOICES[0],) * 3
    for count, form in ((1, '<Contents weight="0.5">. . .</Contents>'), (2, 'weights=".5 .5 0 ')):
        sparse = TupleWeights(cells, ContentsTable(pieces, np.where(np.arange(27) < count, 0.5, 0)))
        path = written(tmp_path, sparse)
        assert form in path.read_text()
        values = read(path).values
        assert values is not None
        assert values.parts[0].tuples == (sparse,)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (text('weights="0 ', 'weights="'), "8 weights for contents of 2 cells"),
        (text('weights="0 ', 'weights="1001 '), "1001"),
        (text('weights="0 ', 'weights="nothing '), "nothing"),
        (text(' contents=". o x"', ' contents=". o queen"'), "no queen can stand there; give ., o, x"),
        (text(' contents=". o x"', ' contents=". o (x"'), "unbalanced parentheses"),
        (text('0001"/>', '0001"><Choice>. o x</Choice><Choice>. o queen</Choice></Tuple>'), "no queen can stand there"),
    ],
)
def test_faults_of_listed_weights_are_named_with_their_place(
    change: Callable[[Path], None], said: str, tmp_path: Path
) -> None:
    path = written(tmp_path, PAIR)
    change(path)
    with pytest.raises(KnowledgeError, match=said) as caught:
        compiled(path)
    number = int(re.findall(r"k\.xml:(\d+)", str(caught.value))[0])
    assert re.match(r" *<(Tuple|Values)", path.read_text().splitlines()[number - 1])


def test_a_table_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="8 weights for contents of 2 cells"):
        ContentsTable(CHOICES, np.zeros(8))
    with pytest.raises(ValueError, match="nan"):
        ContentsTable(CHOICES, np.full(9, np.nan))


@pytest.mark.usefixtures("always_tables")
def test_commands_read_tables(tmp_path: Path) -> None:
    path = written(tmp_path, PAIR, ROW)
    run = CliRunner().invoke
    shown = run(app, ["explain", str(path), "--matches", "2", "--playouts", "5", "--positions", "10"])
    assert shown.exit_code == 0, shown.output
    assert "o at 1 1" in shown.output
    given = ["--game", "tictactoe.ext", str(path), "uct", "--matches", "4", "--playouts", "5", "--executor", "serial"]
    played = run(app, ["tournament", *given])
    assert played.exit_code == 0, played.output
