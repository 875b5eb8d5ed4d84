"""The examples and the table of parameters in docs/formats.md agree with the program."""

import re
from pathlib import Path

from gdl_miner.agent.features import FEATURE_CLASSES
from gdl_miner.agent.knowledge import compile_knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.knowledge.parameter_row import ParameterRow, ParameterValue
from gdl_miner.agent.knowledge.parameters import PARAMETERS
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.record_xml import read_records, write_records
from gdl_miner.agent.values import compile_values

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
KNOWLEDGE, RECORD = re.findall(r"```xml\n(.*?)```", PAGE, re.DOTALL)
GAME = load_machine("tictactoe.ext")


def with_digest(text: str) -> str:
    return text.replace('digest="5a0f"', f'digest="{GAME.sheet.digest}"')


def test_the_example_of_a_knowledge_file_reads_compiles_and_writes_back(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text(with_digest(KNOWLEDGE))
    knowledge = read_knowledge(tmp_path / "one.xml", GAME.sheet)
    compile_knowledge(knowledge, GAME)
    assert knowledge.values is not None
    compile_values(knowledge.values, GAME)
    write_knowledge(knowledge, tmp_path / "two.xml", GAME.sheet)
    assert (tmp_path / "two.xml").read_text() == with_digest(KNOWLEDGE)


def test_the_example_of_a_knowledge_file_shows_every_class() -> None:
    for feature_class in FEATURE_CLASSES:
        assert f"<{feature_class.element} weight=" in KNOWLEDGE
        assert f"| `{feature_class.element}` |" in PAGE


def test_the_example_of_a_match_record_reads_and_writes_back(tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text(with_digest(RECORD))
    write_records(read_records(tmp_path / "one.xml", GAME), GAME, tmp_path / "two.xml")
    assert (tmp_path / "two.xml").read_text() == with_digest(RECORD)


def parameter_table() -> str:
    """Return the table under "Parameters", made from the rows of the program."""
    heads = ("element", "default", "meaning", "name", "values", "evolution", "option")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *map(parameter_line, PARAMETERS)]
    return "\n".join(lines) + "\n"


def parameter_line(row: ParameterRow) -> str:
    number = row.kind in (int, float)
    searched = f"{row.gene.low:g} to {row.gene.high:g}{' by ratio' if row.gene.logarithmic else ''}, " if number else ""
    cells = (
        f"`{row.element}`",
        shown(row.default),
        row.meaning,
        f"`{row.name}`",
        values_of(row),
        searched + evolved_defaults(row) + (", if named" if row.optional else ""),
        words_of(row),
    )
    return f"| {' | '.join(cells)} |"


def evolved_defaults(row: ParameterRow) -> str:
    differs = row.evolved_with_values != row.evolved
    return shown(row.evolved) + (f", with values {shown(row.evolved_with_values)}" if differs else "")


def values_of(row: ParameterRow) -> str:
    if row.kind in (bool, str):
        return " or ".join(row.choices or ("True", "False"))
    return f"{'whole, ' if row.kind is int else ''}{row.allowed}"


def words_of(row: ParameterRow) -> str:
    if row.option is None:
        return ""
    bare = row.default if row.option.bare is None else row.option.bare
    return f"`{row.option.word}`" if row.kind is bool else f"`{row.option.word}={shown(bare)}`"


def shown(value: ParameterValue) -> str:
    return str(value) if isinstance(value, bool | str) else f"{value:g}"


def test_the_table_of_parameters_is_that_of_the_program() -> None:
    assert parameter_table() in PAGE, f"docs/formats.md needs this table under Parameters:\n{parameter_table()}"
