"""docs/architecture.md names files and folders that exist, and no package is left out of its rooms."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PATH = re.compile(r"`((?:agent|miner|cluster|lab|tests|docs|scripts|configs|results)/[\w./-]*|[\w-]+\.(?:txt|toml))`")


def test_every_file_and_folder_that_the_page_names_exists() -> None:
    named = set(PATH.findall(PAGE))
    assert len(named) > 40
    missing = sorted(name for name in named if not (ROOT / name).exists())
    assert not missing, missing


def test_every_package_has_a_room() -> None:
    packages = {path.parent for path in ROOT.glob("[acm]*/*/__init__.py")}
    rooms = PAGE[PAGE.index("## Rooms") : PAGE.index("## Words")]
    apart = {"games"}  # a package of rule sheets
    missing = sorted(
        f"{package.parent.name}/{package.name}"
        for package in packages
        if package.name not in apart and f"`{package.parent.name}/{package.name}`" not in rooms
    )
    assert not missing, missing


def test_every_recipe_is_there() -> None:
    recipes = re.findall(r"^### (.+)$", PAGE, re.M)
    assert recipes == ["A feature class", "A search option", "A learner", "A game", "A topology"]


def test_a_newcomer_has_at_most_25_words_to_learn() -> None:
    words = PAGE[PAGE.index("## Words") : PAGE.index("## Four walks")]
    assert 10 < len(re.findall(r"^\| (?!word )", words, re.M)) <= 25
