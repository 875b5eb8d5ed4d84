"""The documentation site builds without a broken link, its pages hold what the program has, and its notebooks run."""

import json
import os
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest

import gdl_miner
from gdl_miner.agent.cli import app as agent
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.miner.cli import app as miner
from gdl_miner.miner.runs.method import OWN_METHODS, method_named
from gdl_miner.miner.runs.settings import Settings
from tests.needs import skip_without

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def built(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    if find_spec("mkdocs") is None:
        skip_without("docs", "no extra docs: scripts/setup docs installs it")
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder), *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "true"},
        capture_output=True,
        text=True,
        timeout=280,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = built(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def words_of(page: Path) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", page.read_text("utf-8"))).split())


@pytest.mark.slow
def test_the_configurations_page_has_every_key_of_every_method(site: Path) -> None:
    page = (site / "reference/configuration.html").read_text("utf-8")
    _, *parts = re.split(r'<h2 id="([\w-]+)"', page)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    expected = {key for method in OWN_METHODS for key in keys_of(method_named(method).settings)}
    assert len(expected) > 150
    lacking = [(name, key) for name, key in expected if f"<td><code>{key}</code></td>" not in sections[name]]
    assert not lacking


def keys_of(model: type[Settings]) -> Iterator[tuple[str, str]]:
    """Yield the sections and keys of a configuration, found by hand."""
    for name, each in model.model_fields.items():
        section = each.annotation
        if isinstance(section, type) and issubclass(section, Settings):
            yield from ((name, key) for key in section.model_fields)
        elif is_dataclass(section):
            hints = typing.get_type_hints(section)
            for field in fields(section):
                inner = hints[field.name]
                if is_dataclass(inner):
                    yield from ((name, f"{field.name}.{deeper.name}") for deeper in fields(inner))
                else:
                    yield name, field.name
        elif name != "genes":
            yield "above-all-sections", name


@pytest.mark.slow
def test_keys_have_their_range_default_and_meaning(site: Path) -> None:
    words = words_of(site / "reference/configuration.html")
    assert "crossover number from 0 to 1 0.75 probability that a child has two parents" in words
    assert "exploration number from 0 to 1 0.05 share of moves drawn at random" in words
    assert "max_q number above 0 to 1 0.05 false discovery rate" in words
    assert 'equal "work" or "playouts" "work"' in words
    assert "uct_c from 5 to 100 28.0 15.0" in words  # the gene


@pytest.mark.slow
def test_the_parameters_page_has_every_parameter_with_its_default_and_range(site: Path) -> None:
    words = words_of(site / "reference/parameters.html")
    for each in fields(Parameters):
        assert f" {each.name} " in words
    assert "UctConstant 40 exploration constant of UCB1, for goals from 0 to 100 uct_c >= 0 5 to 100 by ratio" in words
    assert "Solver False goals are proven in the tree (MCTS-Solver) solver True or False" in words


@pytest.mark.slow
@pytest.mark.parametrize(("program", "app"), [("agent", agent), ("miner", miner)])
def test_every_command_has_its_options_and_examples(site: Path, program: str, app: typing.Any) -> None:
    page = words_of(site / f"reference/{program}.html")
    for command in app.registered_commands:
        name = command.name or command.callback.__name__.replace("_", "-")
        assert f"{program} {name} [OPTIONS]" in page
    assert page.count("Examples:") == page.count("[OPTIONS]") - 2  # those of the program and of a group in it
    assert "Check a game's rules and hint at oddities; exits" in page or program == "miner"
    assert "Check a game's rules and hint at oddities; exits" in page or program == "miner"
    assert "from 1 to 1,000,000" in page
    assert "Check a game's rules and hint at oddities; exits" in page or program == "miner"


@pytest.mark.slow
def test_every_public_name_of_the_library_is_described(site: Path) -> None:
    page = (site / "reference/library.html").read_text("utf-8")
    for name in gdl_miner.__all__:
        assert f"gdl_miner.{name}" in page
    assert "legal_action_mask" in page


@pytest.mark.slow
def test_the_search_finds_the_keys_the_commands_and_the_names(site: Path) -> None:
    entries = json.loads((site / "search/search_index.json").read_text("utf-8"))["docs"]
    found = {entry["location"].partition("#")[0] for entry in entries if "final_seconds" in entry["text"]}
    assert "reference/configuration.html" in found
    boosts = {entry["location"].partition("/")[0]: entry.get("boost", 1) for entry in entries}
    assert boosts["reference"] > boosts["notebooks"] > boosts["lab"]
    titles = " ".join(entry["title"] for entry in entries)
    assert "agent table" in titles
    assert "VectorEnv" in titles


@pytest.mark.slow
def test_the_pages_load_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=\"?(https?:[^\"> ]+)", page.read_text("utf-8"))
        assert not loaded, f"{page}: {loaded}"


@pytest.mark.slow
def test_a_broken_link_is_a_failure(tmp_path: Path) -> None:
    pages = tmp_path / "docs"
    pages.mkdir()
    (pages / "index.md").write_text("[nowhere](missing.md)\n")
    config = tmp_path / "mkdocs.yml"
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    validation = settings[settings.index("validation:") :]
    config.write_text(f"site_name: broken\ndocs_dir: {pages}\n{validation}")
    done = built(tmp_path / "site", "--config-file", str(config))
    assert done.returncode == 1
    assert "missing.md" in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_draws(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("nbclient") is None:
        skip_without("docs", "no extra docs: scripts/setup docs installs it")
    from scripts.site.notebooks import run_notebook

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    outputs = [each for cell in run_notebook(path, tmp_path).cells for each in cell.get("outputs", ())]
    assert any({"image/png", "image/svg+xml"} & set(each.get("data", ())) for each in outputs)


def test_notebooks_are_kept_without_what_they_show() -> None:
    assert len(NOTEBOOKS) == 5
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), path.name
