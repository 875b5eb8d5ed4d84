"""A type name means one thing: names that two definitions share are listed here with the reason."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("agent", "miner", "cluster", "api", "lab")

_NATIVE_TYPE = re.compile(
    r"^\s*(?:struct|class|enum class|union)\s+([A-Z]\w*)\s*(?:final\s*)?(?::[^:;{][^;{]*)?\{", re.M
)
_NATIVE_ALIAS = re.compile(r"^\s*using\s+([A-Z]\w*)\s*=", re.M)

# The same value on both sides of the border between Python and C++.
MIRRORED = {"Circuit", "GroundRules", "KnowledgeTables", "Machine", "PlanTables", "PlayerSpec"}
MIRRORED |= {"LearnedWeights", "ValueNetwork", "ValueView", "ForageSettings", "Landscape", "LandscapeLayer"}
MIRRORED |= {"PlayableCells", "RelaxedCosts"}
ALLOWED = {
    "CellReader": "a template in C++ and its specialisation",
    "Game": "an option of command lines, and for users of the library an object",
    "Player": "a seat of the agent, and for users of the library the same with a choice in any state",
    "State": "the field's word: an array in the reasoner, and for users of the library an object",
}


def defined_types() -> Iterator[tuple[str, str]]:
    """Name and file of every class and every alias of a type."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if name := _python_type(node):
                    yield name, str(path.relative_to(ROOT))
    for path in sorted((ROOT / "agent/native").rglob("*.[hc]pp")):
        text = path.read_text(encoding="utf-8")
        for pattern in (_NATIVE_TYPE, _NATIVE_ALIAS):
            for name in pattern.findall(text):
                yield name, str(path.relative_to(ROOT))


def _python_type(node: ast.AST) -> str | None:
    """Name of a class, or of an alias in CamelCase; type variables are not types of their own."""
    if isinstance(node, ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, value = node.target, node.value
    else:
        return None
    if not isinstance(target, ast.Name) or not re.fullmatch(r"_?[A-Z]\w*[a-z]\w*", target.id):
        return None
    makes_variable = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "TypeVar"
    return None if makes_variable else target.id


def test_a_type_name_means_one_thing() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for name, file in defined_types():
        places[name].append(file)
    shared = {name: files for name, files in places.items() if len(files) > 1}
    assert len(places) > 500, "the search for types finds hardly any"
    suffixes = {name: sorted(Path(file).suffix for file in files) for name, files in shared.items()}
    mirrored = {name for name in shared if suffixes[name] == [".hpp", ".py"]}
    assert mirrored >= MIRRORED, "these types no longer have one definition in Python and one in C++"
    unexplained = {name: files for name, files in shared.items() if name not in MIRRORED | set(ALLOWED)}
    assert not unexplained, f"rename all but one of these types, or allow them here with a reason: {unexplained}"
    assert set(ALLOWED) <= set(shared), "these names are no longer shared; take them off the list"
