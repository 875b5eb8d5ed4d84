"""The schema of knowledge files and the native reader agree with the table of parameters."""

import math
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from gdl_miner.agent import knowledge
from gdl_miner.agent.files.untrusted_xml import schema_of
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.knowledge.parameter_row import MOST, ParameterRow, ParameterValue
from gdl_miner.agent.knowledge.parameters import PARAMETERS
from gdl_miner.agent.search import PlayerSpec, search_position
from tests.search.positions import machine_of

SCHEMA_FILE = Path(knowledge.__file__).with_name("knowledge.xsd")
SCHEMA = schema_of("gdl_miner.agent.knowledge", "knowledge.xsd")
SINGLE = [row for row in PARAMETERS if row.class_weights is None]
IMPOSSIBLE = {
    int: ("0.5", "many", "1e3", ""),
    float: ("INF", "NaN", "many", ""),
    bool: ("0", "yes", ""),
    str: ("other", ""),
}


def name_of(row: ParameterRow) -> str:
    return row.name


def fits_the_schema(row: ParameterRow, text: str) -> bool:
    file = f'<Knowledge><Parameters><{row.element}>{text}</{row.element}></Parameters><Player role="a"/></Knowledge>'
    return bool(SCHEMA.validate(etree.fromstring(file)))


def possible_values(row: ParameterRow) -> tuple[ParameterValue, ...]:
    if row.kind in (bool, str):
        return row.choices or (True, False)
    ends = (row.gene.low, row.gene.high, row.allowed.least, min(row.allowed.most, MOST))
    return (row.default, row.evolved, *(row.kind(end) for end in ends if end in row.allowed))


def outside(row: ParameterRow) -> tuple[Any, ...]:
    if row.kind is str:
        return ("other",)
    least, most = row.allowed.least, min(row.allowed.most, MOST if row.kind is int else math.inf)
    return (least - 1, most + 1, math.nan, *([least] if row.allowed.above else []))


@pytest.mark.parametrize("row", SINGLE, ids=name_of)
def test_possible_values_are_taken_by_parameters_and_by_the_schema(row: ParameterRow) -> None:
    for value in possible_values(row):
        assert type(value) is row.kind
        assert getattr(Parameters(**{row.name: value}), row.name) == value
        assert fits_the_schema(row, str(value))
        assert row.read(str(value)) == value


@pytest.mark.parametrize("row", SINGLE, ids=name_of)
def test_impossible_values_are_refused_by_the_schema(row: ParameterRow) -> None:
    too_low = [str(min(0, row.allowed.least) - 1)] if row.kind in (int, float) else []
    assert [text for text in (*IMPOSSIBLE[row.kind], *too_low) if fits_the_schema(row, text)] == []


@pytest.mark.parametrize("row", [row for row in SINGLE if row.kind is not bool], ids=name_of)
def test_values_out_of_range_are_refused(row: ParameterRow) -> None:
    for value in outside(row):
        with pytest.raises(ValueError, match=row.name):
            Parameters(**{row.name: value})


def test_the_schema_has_the_elements_of_the_table() -> None:
    root = etree.parse(SCHEMA_FILE).getroot()
    schema = {"xs": "http://www.w3.org/2001/XMLSchema"}
    elements = root.xpath("xs:complexType[@name='Parameters']/xs:all/xs:element/@name", namespaces=schema)
    assert sorted(elements) == sorted({row.element for row in PARAMETERS})


def test_the_range_of_a_gene_is_possible_and_holds_its_default() -> None:
    for row in PARAMETERS:
        if row.kind in (int, float):
            assert row.gene.low in row.allowed
            assert row.gene.high in row.allowed
            assert row.gene.low <= float(row.evolved) <= row.gene.high
        assert type(row.evolved) is row.kind


class Watched:
    """Parameters that record the names of those that were read."""

    def __init__(self) -> None:
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(Parameters(), name)


def test_the_native_reader_reads_what_the_table_says() -> None:
    machine = machine_of("tictactoe.ext")
    watched: Any = Watched()
    search_position(machine, machine.initial(), PlayerSpec(parameters=watched, playouts=1, max_states=10), 0)
    assert watched.read == {row.name for row in PARAMETERS if row.native}
