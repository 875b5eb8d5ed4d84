"""The list of mutants applies to the sources, and a mutant is what its tests see."""

import subprocess
import sys
from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError
from lab.mutants import ROOT, NativeMutant, modules, native_changes, python_mutants
from tests.command_line import lab


def test_each_mutant_in_cpp_changes_one_place_and_each_module_has_tests() -> None:
    changes, files = native_changes(), modules()
    for change in changes:
        source = (ROOT / change.file).read_text("utf-8")
        assert change.apply(source) != source
    for each in (*changes, *files):
        assert each.tests
        assert all((ROOT / test).is_file() for test in each.tests)
    assert len({change.name for change in changes}) == len(changes)
    assert "no such name; mutants in C++ need --native" in str(lab("mutants", "-m", "nosuch").exception)
    with pytest.raises(ConfigError, match=r"'b' is 2 times in x"):
        NativeMutant("", "x", "b", "c", ()).apply("abb")


def test_all_mutants_of_the_modules_are_programs_and_no_two_are_alike() -> None:
    for each in modules():
        source = (ROOT / each.file).read_bytes()
        found = python_mutants(source)
        assert len({mutant.source for mutant in found} | {source}) == len(found) + 1 > 10
        for mutant in found[::7]:
            compile(mutant.source, each.file, "exec")


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("x = a <= b", ["(a < b)"]),
        ("x = a - 2", ["(a + 2)", "3"]),
        ("x = c if not d else 0.5", ["(0.5 if not d else c)", "(d)", "1.0"]),
        ("while more: y += n", ["(not (more))", "pass"]),
        ("z = [min(v) for v in w if v]", ["max", "(not (v))"]),
        ('def f(x: int = 1) -> "tuple[2]": raise E(3)', ["2"]),
    ],
)
def test_operators_conditions_numbers_and_effects_change(line: str, changes: list[str]) -> None:
    assert sorted(mutant.new for mutant in python_mutants(line.encode())) == sorted(changes)


SEEN = """
import sys
from tests.command_line import lab
from lab.mutants import ROOT, passes
path = ROOT / "miner/play/wording.py"
source = path.read_bytes()
mutant = source.replace(b"playouts != 1]", b"playouts == 1]")
assert mutant != source
print(*(passes(path, each, sys.argv[1:], 60.0) for each in (source, mutant, source)))
"""


def test_tests_see_the_mutant_and_nobody_else_does(tmp_path: Path) -> None:
    test = tmp_path / "test_wording.py"
    test.write_text(
        "from gdl_miner.miner.play.wording import count_playouts\n"
        "def test_one():\n    assert count_playouts(1) == '1 playout'\n"
    )
    command = [sys.executable, "-c", SEEN, str(test)]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["True", "False", "True"]
