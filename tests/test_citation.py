"""What is to be cited names the version that the package has."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_citation_has_what_its_format_asks_for_and_the_version_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]


def test_the_bibtex_entry_and_the_changelog_have_that_version() -> None:
    entry = re.search(r"```bibtex\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    assert entry
    assert f"version = {{{PROJECT['version']}}}" in entry[1]
    newest = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert newest
    assert newest[1] == PROJECT["version"]
