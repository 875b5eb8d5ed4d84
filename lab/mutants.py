"""Mutation testing: how many small faults in the modules that decide results do their tests notice?

A mutant is a module with one small change, such as `<=` in the place of `<` (DeMillo, Lipton & Sayward 1978). Its tests
kill it where one of them fails; where all pass, it survives. `mutants.toml` names the modules and their tests. Mutants
in Python are a sample of all changes that `python_mutants` knows; those in C++ are written by hand in that file.

A mutant in Python is loaded in the place of its module in a process forked for its tests. So no file changes, and
libraries are loaded only once; a process that such a test starts anew has the module as it is. A mutant in C++ is
compiled in a copy of the sources.
"""

from __future__ import annotations

import ast
import copy
import os
import random
import resource
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast
from unittest.mock import patch

import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.limits import MAX_COUNT
from lab.options import SeedOption, report_progress
from lab.tables import Column, StudyTable

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".toml")
_LONGEST_S = 3600.0  # of the tests of a module
_NATIVE = "gdl_miner.agent._native"
_PRELOADED = ("hypothesis", "hypothesis.strategies", "lxml.etree", "pandas", "pytest", "scipy.special", "scipy.stats")
_PYTEST = ("-x", "-q", "-p", "no:cacheprovider")
# The module is loaded from the place that the first argument names; the others are those of pytest.
_WITH_NATIVE = f"""
import sys, importlib.util
spec = importlib.util.spec_from_file_location("{_NATIVE}", sys.argv[1])
sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])
import pytest
sys.exit(pytest.main(sys.argv[2:]))
"""


class Module(NamedTuple):
    """A module in Python and the tests that are to notice its faults."""

    file: str
    tests: tuple[str, ...]


class NativeMutant(NamedTuple):
    """A mutant that replaces a text by another."""

    name: str
    file: str
    old: str  # it occurs once in the file
    new: str
    tests: tuple[str, ...]

    def apply(self, source: str) -> str:
        """Return the mutant. Raises ConfigError where the old text does not occur exactly once."""
        if (found := source.count(self.old)) != 1:
            raise ConfigError(f"{self.name}: {self.old!r} is {found} times in {self.file}; name one place")
        return source.replace(self.old, self.new)


class Mutant(NamedTuple):
    """A mutant in Python."""

    line: int
    old: str
    new: str
    source: bytes


def modules() -> tuple[Module, ...]:
    """Return the modules in Python of the list."""
    return tuple(Module(each["file"], tuple(each["tests"])) for each in _list()["python"])


def native_changes() -> tuple[NativeMutant, ...]:
    """Return the mutants in C++ of the list."""
    return tuple(NativeMutant(**{**each, "tests": tuple(each["tests"])}) for each in _list()["native"])


def _list() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(LIST.read_text("utf-8"))


def python_mutants(source: bytes) -> list[Mutant]:
    """Return all mutants of a module, in the order of their places.

    Operators, conditions and numbers change, and statements that only have an effect are left out. Annotations, texts
    and what is raised stay.
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for field, node in _places(ast.parse(source)):
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[cast(int, node.end_lineno) - 1] + cast(int, node.end_col_offset)
        old = source[first:last].decode()
        for new in _changed(field, node):
            mutant = source[:first] + new.encode() + source[last:]
            found.append(Mutant(node.lineno, " ".join(old.split()), new, mutant))
    return found


_KEPT = ("annotation", "returns", "decorator_list", "bases")
_TEXTS = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.pattern)


def _places(node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """Yield the expressions and statements in which a change may matter, with the fields that they are of."""
    for name, field in ast.iter_fields(node):
        for child in field if isinstance(field, list) else [field]:
            if name in _KEPT or not isinstance(child, ast.AST) or isinstance(child, _TEXTS):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield name, child
            yield from _places(child)


_OPERATORS: dict[type[ast.AST], Callable[[], Any]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


def _changed(field: str, node: ast.expr | ast.stmt) -> Iterator[str]:
    """Yield what may stand in the place of an expression or a statement, which is of this field of another one."""
    other: Any = copy.deepcopy(node)
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _OPERATORS:
            other.ops = [_OPERATORS[type(operator)]()]
            yield f"({ast.unparse(other)})"
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) if type(operator) in _OPERATORS:
            other.op = _OPERATORS[type(operator)]()
            yield f"({ast.unparse(other)})"
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield f"({ast.unparse(other.operand)})"
        case ast.IfExp():
            other.body, other.orelse = other.orelse, other.body
            yield f"({ast.unparse(other)})"
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1)
        case ast.Constant(value=float(value)):
            yield str(2 * value or 1.0)
        case ast.Name(id=name, ctx=ast.Load()) if name in _NAMES:
            yield _NAMES[name]
        case ast.AugAssign() | ast.Expr(value=ast.Call() | ast.Await()):
            yield "pass"
        case ast.expr() if field in ("test", "ifs"):
            yield f"(not ({ast.unparse(node)}))"


def mutants(
    only: Annotated[
        list[str] | None,
        typer.Option("--module", "-m", help="A module or a mutant in C++ whose name has this; again for more."),
    ] = None,
    each: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Mutants of each module in Python.")] = 15,
    native: Annotated[
        Path | None, typer.Option(help="Folder for the copy and the build of the module in C++; none: Python alone.")
    ] = None,
    seed: SeedOption = 1,
) -> Iterator[StudyTable]:
    """Find the small faults in modules that decide results which their tests do not notice."""
    columns = (Column("module", "module", 40), *(Column(key, key, 9) for key in ("mutants", "killed", "survived")))
    names = [module.file for module in modules()]
    names += [f"{change.file} {change.name}" for change in native_changes()] if native is not None else []
    for name in only or ():
        if not any(name in known for known in names):
            raise ConfigError(f"--module {name}: lab/mutants.toml has no such name; mutants in C++ need --native")
    yield StudyTable(columns, _measure(only or [""], each, native, seed))


def _measure(only: Sequence[str], each: int, native: Path | None, seed: int) -> Iterator[dict[str, object]]:
    for module in modules():
        if any(name in module.file for name in only):
            yield _row(module.file, _python_outcomes(module, each, seed))
    if native is not None:
        build = NativeBuild(native)
        for change in native_changes():
            if any(name in change.name or name in change.file for name in only):
                yield _row(f"{Path(change.file).name}: {change.name}", build.outcomes(change))


def _row(name: str, outcomes: Iterator[str]) -> dict[str, object]:
    survived, count = [], 0
    for outcome in outcomes:
        count += 1
        if outcome:
            survived.append(outcome)
            report_progress(f"survived: {outcome}")
    return {
        "module": name,
        "mutants": count,
        "killed": count - len(survived),
        "survived": len(survived),
        "survivors": survived,
    }


def _python_outcomes(module: Module, each: int, seed: int) -> Iterator[str]:
    """Yield for each mutant of a sample where it is and what it changed if it survived, and nothing if not."""
    for library in _PRELOADED:
        import_module(library)
    path = ROOT / module.file
    found = python_mutants(path.read_bytes())
    sample = sorted(random.Random(f"{seed} {module.file}").sample(found, min(each, len(found))))
    begun = time.monotonic()
    if not passes(path, path.read_bytes(), module.tests, _LONGEST_S):
        raise ConfigError(f"{' '.join(module.tests)}: they fail without any mutant, or take too long; mend that first")
    limit = _limit(begun)
    for mutant in sample:
        survives = passes(path, mutant.source, module.tests, limit)
        yield f"{module.file}:{mutant.line}: {mutant.old} → {mutant.new}" if survives else ""


def _limit(begun: float) -> float:
    """Return the seconds that tests may take with a mutant, where those without one began at a time and have ended."""
    return 30.0 + 10 * (time.monotonic() - begun)


def passes(path: Path, source: bytes, tests: Sequence[str], limit_s: float) -> bool:
    """Whether tests pass in time, in a process of their own that has this source in the place of a file."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os._exit(_tested(path, source, tests))
    end, done, status = time.monotonic() + limit_s, 0, 0
    try:
        while not done and time.monotonic() < end:
            time.sleep(0.02)
            done, status = os.waitpid(child, os.WNOHANG)
    finally:
        if not done:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return done != 0 and os.waitstatus_to_exitcode(status) == 0


def _tested(path: Path, source: bytes, tests: Sequence[str]) -> int:
    """Run tests with this source in the place of a file, and return pytest's status."""
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silent, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(ROOT)
    for name in [name for name in sys.modules if name.startswith(("gdl_miner.", "lab.")) and name != _NATIVE]:
        del sys.modules[name]
    load = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> object:
        if Path(loader.path).resolve() == path:
            return compile(source, loader.path, "exec", dont_inherit=True)
        return load(loader, name)

    try:
        import pytest

        with patch.object(SourceFileLoader, "get_code", get_code):
            return int(pytest.main([*_PYTEST, *tests]))
    except BaseException:
        return 1


class NativeBuild:
    """A copy of the native sources, in which mutants are compiled."""

    def __init__(self, folder: Path) -> None:
        """Copy the sources to a folder, and compile them. Raises ConfigError where that fails."""
        self._tree, self._build = folder / "tree", folder / "build"
        for path in (ROOT / "CMakeLists.txt", *(ROOT / "agent/native").rglob("*.?pp")):
            self._write(str(path.relative_to(ROOT)), path.read_text("utf-8"))
        options = (
            "-DCMAKE_BUILD_TYPE=Release",
            "-DGDL_INSTRUCTION_SETS=native",
            f"-DPython_EXECUTABLE={sys.executable}",
        )
        self._cmake("-G", "Ninja", *options, "-S", self._tree, "-B", self._build)

    def outcomes(self, change: NativeMutant) -> Iterator[str]:
        """Yield the name of a mutant if it survived, and nothing if not.

        Raises ConfigError where it does not compile, or its tests fail without it.
        """
        source = (ROOT / change.file).read_text("utf-8")
        begun = time.monotonic()
        if not self._pass(source, change, _LONGEST_S):
            raise ConfigError(f"{' '.join(change.tests)}: they fail without any mutant; mend that first")
        survives = self._pass(change.apply(source), change, _limit(begun))
        self._write(change.file, source)
        yield change.name if survives else ""

    def _pass(self, source: str, change: NativeMutant, limit_s: float) -> bool:
        """Whether the tests of a mutant pass, in that many seconds, where its file has this source."""
        self._write(change.file, source)
        self._cmake("--build", self._build)
        [module] = self._build.glob("_native.*.so")
        command = [sys.executable, "-c", _WITH_NATIVE, str(module), *_PYTEST, *change.tests]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=limit_s)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def _write(self, file: str, source: str) -> None:
        """Write a file of the copy, unless it has the same content, so that nothing is compiled in vain."""
        place = self._tree / file
        if not place.exists() or place.read_text("utf-8") != source:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(source, "utf-8")

    def _cmake(self, *arguments: str | Path) -> None:
        done = subprocess.run(["cmake", *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ConfigError(f"cmake {' '.join(map(str, arguments))}: {(done.stdout + done.stderr)[-2000:]}")
