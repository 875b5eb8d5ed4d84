"""Plug-ins are found without being loaded, and a broken one costs only those who name it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gdl_miner
from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.features import feature_class, item_class
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.plugins import GROUPS, PluginKind, installed_plugins, plugin_named
from gdl_miner.api.plugins import evaluator_class, evaluator_named, opponent_class, opponent_named
from gdl_miner.cluster.worker import code_here, differences
from gdl_miner.miner.cli import app
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.runs.method import method_named, method_names
from tests.plugins.packages import make_package

LOADERS: dict[PluginKind, Callable[[str], object]] = {
    "learner": method_named,
    "feature": feature_class,
    "metafact": item_class,
    "evaluator": evaluator_class,
    "opponent": opponent_class,
}
BROKEN = {
    "import lost_module\n": "cannot be loaded (ModuleNotFoundError: No module named 'lost_module')",
    "raise SystemExit('no licence')\n": "cannot be loaded (SystemExit: no licence)",
    "def f(:\n": "cannot be loaded (SyntaxError: invalid syntax (broken_one.py, line 1))",
    "1 / 0\n": "cannot be loaded (ZeroDivisionError: division by zero)",
    "OTHER = 1\n": "cannot be loaded (AttributeError: module 'broken_one' has no attribute 'THING')",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "site").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture(autouse=True)
def no_modules_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "broken_one", raising=False)
    before = dict(sys.modules)
    monkeypatch.setattr(sys, "modules", before)


@pytest.mark.parametrize("kind", LOADERS)
@pytest.mark.parametrize(("source", "why"), BROKEN.items(), ids=range(len(BROKEN)))
def test_a_broken_plug_in_is_named_in_one_line_where_it_is_used(
    kind: PluginKind, source: str, why: str, folder: Path
) -> None:
    make_package(folder, "broken_one", kind, "Broken", source)
    with pytest.raises(ConfigError) as caught:
        LOADERS[kind]("Broken")
    said = f"broken_one 1.0: the {kind} Broken (broken_one:THING) {why}; mend broken_one, or uninstall it"
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("yield 5", "the learner broken yielded 5; a learner yields tasks"),
        ("return 7", "the learner returned int; write it as a generator that yields tasks"),
        ("yield from ()", "the learner broken yielded no task; it has to keep and measure a player"),
    ],
)
def test_a_learner_that_yields_no_tasks_is_told_so(body: str, why: str, folder: Path, tmp_path: Path) -> None:
    source = (
        "from dataclasses import replace\nfrom gdl_miner.miner.runs.method import method_named\n"
        f"def learn(config, maker):\n    {body}\n"
        "THING = replace(method_named('values'), name='broken', learn=learn)\n"
    )
    make_package(folder, "broken_one", "learner", "broken", source)
    with pytest.raises(ConfigError) as caught:
        gdl_miner.learn(gdl_miner.load("tictactoe.ext"), "broken", folder=tmp_path / "run")
    assert str(caught.value) == why


@pytest.mark.parametrize(
    ("kind", "noun"),
    [
        ("learner", "is no LearningMethod of this name"),
        ("feature", "is no Feature whose XML element has this name"),
        ("metafact", "is no Item whose XML element has this name"),
        ("evaluator", "is no subclass of EvaluatorPlugin"),
        ("opponent", "is no subclass of OpponentPlugin"),
    ],
)
def test_what_is_of_the_wrong_type_is_named_in_one_line(kind: PluginKind, noun: str, folder: Path) -> None:
    make_package(folder, "wrong_type", kind, "Wrong", "THING = 7\n")
    with pytest.raises(ConfigError) as caught:
        LOADERS[kind]("Wrong")
    assert str(caught.value) == f"wrong_type 1.0: the {kind} Wrong (wrong_type:THING) {noun}; " + (
        "mend wrong_type, or uninstall it"
    )


@pytest.mark.parametrize("kind", LOADERS)
def test_two_of_one_name_are_refused_where_the_name_is_used(kind: PluginKind, folder: Path) -> None:
    make_package(folder, "one_of_two", kind, "Twice", "THING = 1\n")
    make_package(folder, "two_of_two", kind, "Twice", "THING = 2\n", version="2.0")
    with pytest.raises(ConfigError) as caught:
        LOADERS[kind]("Twice")
    assert str(caught.value) == (
        f"Twice: one_of_two 1.0 and two_of_two 2.0 both have a {kind} of this name; uninstall one of them"
    )


def test_a_broken_plug_in_costs_nothing_where_it_is_not_used(folder: Path) -> None:
    for kind in GROUPS:
        make_package(folder, f"broken_{kind}", kind, "Broken", "raise RuntimeError('loaded')\n")
        assert [each.name for each in installed_plugins(kind)] == ["Broken"]
        assert plugin_named(kind, "Broken").package == f"broken_{kind}"
    assert method_names()[-1] == "Broken"
    assert method_named("values").name == "values"
    assert "Broken" not in Parameters().class_weights
    assert MiningConfig().feature_classes
    assert MiningConfig().item_classes


@pytest.mark.parametrize("arguments", [["--help"], ["learn", "--help"], ["inspect", "nowhere"]])
def test_nothing_is_loaded_before_it_is_named(arguments: list[str], folder: Path) -> None:
    for kind in GROUPS:
        make_package(folder, f"loud_{kind}", kind, "Loud", "print('loaded')\n")
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    command = [sys.executable, "-m", "gdl_miner.miner", *arguments]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    assert "loaded" not in done.stdout
    assert done.stdout or "nowhere: this is no run" in done.stderr


def test_the_digest_of_a_plug_in_is_that_of_its_sources(folder: Path) -> None:
    (folder / "many_files").mkdir()
    for name in ("__init__", "rules"):
        (folder / "many_files" / f"{name}.py").write_text("THING = 1\n")
    make_package(folder, "one_file", "feature", "One", "THING = 1\n")
    make_package(folder, "many", "feature", "Many", "")
    described = folder / "many-1.0.dist-info" / "entry_points.txt"
    described.write_text("[gdl_miner.features]\nMany = many_files.rules:THING\n")
    found = {each.name: each for each in installed_plugins("feature")}
    assert len(found["Many"].digest) == len(found["One"].digest) == 12
    assert found["Many"].digest != found["One"].digest
    assert "many_files" not in sys.modules
    assert found["One"].record() == {
        "kind": "feature",
        "name": "One",
        "package": "one_file",
        "version": "1.0",
        "digest": found["One"].digest,
    }


def test_the_command_lists_plug_ins_and_what_is_wrong_with_them(folder: Path) -> None:
    def shown(*options: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["plugins", *options], env={"COLUMNS": "200"})
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.exit_code, result.output

    assert shown() == (0, "no plug-ins are installed; docs/extending.md says how to write one\n")
    make_package(
        folder,
        "quiet",
        "metafact",
        "MetafactQuiet",
        "from gdl_miner.agent.features.itemset import Fact\nclass THING(Fact):\n    element = 'MetafactQuiet'\n",
    )
    status, said = shown()
    assert status == 0
    assert said.splitlines()[1].split() == ["metafact", "MetafactQuiet", "quiet", "1.0", "quiet:THING"]
    make_package(folder, "lost", "learner", "lost", "import lost_module\n")
    make_package(folder, "taken", "learner", "values", "THING = 1\n")
    status, said = shown()
    assert status == 1
    assert "lost 1.0: the learner lost (lost:THING) cannot be loaded (ModuleNotFoundError: No module named" in said
    assert "taken 1.0: the learner values (taken:THING) has a name of gdl-miner's own, which is" in said
    status, said = shown("--json")
    listed = json.loads(said)["plugins"]
    assert [each["name"] for each in listed] == ["lost", "values", "MetafactQuiet"]
    assert [each["fault"] is None for each in listed] == [False, False, True]


def test_a_name_that_no_package_has_is_refused() -> None:
    with pytest.raises(UserError, match="Nothing: no package that is installed has this metafact; there are: none"):
        plugin_named("metafact", "Nothing")


def test_a_class_that_lacks_a_method_is_named_in_one_line(folder: Path) -> None:
    source = "import gdl_miner\nclass THING(gdl_miner.{}Plugin):\n    depth: int = 3\n"
    make_package(folder, "unfinished_opponent", "opponent", "Half", source.format("Opponent"))
    make_package(folder, "unfinished_evaluator", "evaluator", "Half", source.format("Evaluator"))
    for kind, named in (("opponent", opponent_named), ("evaluator", evaluator_named)):
        with pytest.raises(ConfigError) as caught:
            named("Half+depth=2")
        assert str(caught.value).startswith(
            f"unfinished_{kind} 1.0: the {kind} Half (unfinished_{kind}:THING) cannot be made (Can't instantiate"
        )
        assert "\n" not in str(caught.value)


def test_machines_with_other_plug_ins_are_other_machines(folder: Path) -> None:
    before = code_here()
    make_package(folder, "newer", "learner", "new", "THING = 1\n")
    after = code_here()
    assert differences(before, after) == f"the learner new missing in place of {after['the learner new']}"
    assert after["the learner new"].startswith("newer 1.0 (")
    (folder / "newer.py").write_text("THING = 2\n")
    assert differences(after, code_here()).startswith("the learner new newer 1.0 (")
