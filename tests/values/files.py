"""Values in knowledge files: they survive them, and faults of them are named with their place."""

import re
from pathlib import Path

import pytest

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.knowledge import read_knowledge, write_knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import Values, compile_values, layout_of, values_of, weights_of
from tests.knowledge.plain import knowledge_of


def write(values: Values, machine: Machine, path: Path) -> Path:
    write_knowledge(knowledge_of(machine, values=values), path, machine.sheet)
    return path


def read(path: Path, machine: Machine) -> Values:
    values = read_knowledge(path, machine.sheet).values
    assert values is not None
    return values


def read_back(values: Values, machine: Machine, path: Path) -> Values:
    """Return what is read after values were written; it must be the same, also after it was an array of weights."""
    found = read(write(values, machine, path), machine)
    assert found == values
    layout = layout_of(found, machine)
    assert values_of(layout, weights_of(found, layout)) == values
    return found


def assert_refused(path: Path, machine: Machine, said: str, element: str, further: int = 0) -> None:
    """Check that a file is refused with these words and the line of an element, or one so many lines further."""
    with pytest.raises(KnowledgeError, match=said) as caught:
        compile_values(read(path, machine), machine)
    lines = path.read_text().splitlines()
    line = next(number for number, each in enumerate(lines, 1) if element in each)
    assert re.findall(rf"{path.name}:(\d+)", str(caught.value))[0] == str(line + further)
