"""The pages of the documentation site that are not in `docs`, as hooks of MkDocs.

The commands, the library and the configurations are described by the program itself. Pages of other folders, such as
`results/README.md`, get a place on the site. Links in all pages lead to files of the repository, as readers of the
repository need them; here they are led to the pages of these files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from configuration import configuration_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from notebooks import RUN
from parameters import parameters_page
from reference import command_page, library_page

ROOT = Path(__file__).parents[2]
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CITATION.cff": "CITATION.cff",
    "CONTRIBUTING.md": "contributing.md",
    "results/README.md": "results.md",
    "agent/games/README.md": "games.md",
    "agent/native/README.md": "native.md",
    "agent/knowledge/knowledge.xsd": "schemas/knowledge.xsd",
    "agent/search/match.xsd": "schemas/match.xsd",
}
"""Files of other folders, and their places on the site."""

DESCRIBED = {
    "agent/knowledge/parameters.py": "reference/parameters.md",
    "configs/default.toml": "reference/configuration.md",
    "examples/README.md": "examples.md",
}
"""Files and pages of folders of which a generated page tells all."""

GENERATED: dict[str, Callable[[], str]] = {
    "reference/agent.md": lambda: command_page("agent", "gdl_miner.agent.cli"),
    "reference/miner.md": lambda: command_page("miner", "gdl_miner.miner.cli"),
    "reference/lab.md": lambda: command_page("scripts/lab", "lab.studies"),
    "reference/library.md": library_page,
    "reference/configuration.md": configuration_page,
    "reference/parameters.md": parameters_page,
    "examples.md": lambda: _examples(ROOT / "examples"),
}
_BOOSTS = {"reference": 4.0, "lab": 0.25, "changelog.md": 0.25}
"""How much pages count in the search: records have every word, but few seek them."""

_LANGUAGES = {".py": "python", ".toml": "toml"}
_LINK = re.compile(r"(\]\()([^)\s]+)(\))")
_CODE = re.compile(r"(^```.*?^```$|^ {4}[^\n]*$|`[^`\n]*`)", re.M | re.S)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the records of the laboratory to the navigation, the newest first."""
    records = sorted((path.name for path in (ROOT / "docs/lab").glob("20*.md")), reverse=True)
    assert config.nav is not None
    [laboratory] = [part["Laboratory"] for part in config.nav if "Laboratory" in part]
    laboratory.append({"Records": [f"lab/{name}" for name in records]})
    return config


@event_priority(100)  # before notebooks become pages
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of other folders and the generated ones, and take notebooks that were run with what they show."""
    for path in RUN.glob("*.ipynb"):
        if (notebook := files.get_file_from_path(f"{RUN.name}/{path.name}")) is not None:
            notebook.src_dir = str(RUN.parent)
    for source, place in ELSEWHERE.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    for place, page in GENERATED.items():
        files.append(File.generated(config, place, content=page()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to files of the repository to their places on the site. Raises PluginError where one has none."""
    here = page.file.src_uri
    if boost := _BOOSTS.get(here.partition("/")[0]):
        page.meta["search"] = {"boost": boost}
    sources = {place: source for source, place in ELSEWHERE.items()}
    source = sources.get(here, f"docs/{here}")

    def led(match: re.Match[str]) -> str:
        path, mark, anchor = match[2].partition("#")
        if not path or re.match(r"\w+:", path):
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if (ROOT / target).is_dir():
            target += "/README.md"
        place = (
            ELSEWHERE.get(target)
            or DESCRIBED.get(target)
            or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        )
        if place is None:
            raise PluginError(f"{source}: {match[2]} has no place on the site; name it in scripts/site/pages.py")
        return f"{match[1]}{posixpath.relpath(place, posixpath.dirname(here) or '.')}{mark}{anchor}{match[3]}"

    parts = _CODE.split(markdown)  # every second one is code
    return "".join(part if number % 2 else _LINK.sub(led, part) for number, part in enumerate(parts))


def _examples(folder: Path) -> str:
    """Return a page with what the examples of packages are, and their sources."""
    parts = ["# Examples of packages\n"]
    for example in sorted(path.parent for path in folder.glob("*/README.md")):
        parts.append("#" + (example / "README.md").read_text("utf-8"))
        parts += [_source(path) for path in sorted(example.iterdir()) if path.suffix in _LANGUAGES]
    return "\n".join(parts)


def _source(path: Path) -> str:
    """Return a block with the text of a file."""
    return f'```{_LANGUAGES[path.suffix]} title="{path.name}"\n{path.read_text("utf-8")}```\n'
