"""The champions in docs/champions can be read and played, and docs/champions/README.md describes these files."""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from gdl_miner.agent.knowledge import compile_knowledge, read_knowledge, size_with_table
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import compile_values

DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = sorted(path.parent for path in (DOCS / "champions").glob("*/best.xml"))
FIVE = r"((?:\d+ ){4}\d+)"  # a number for each seed
PAGE = (DOCS / "champions/README.md").read_text("utf-8")
ROWS = re.findall(rf"^\| (\w+) \|.*\| {FIVE} \| {FIVE} \|$", PAGE, re.MULTILINE)


def game_and_seed(folder: Path) -> tuple[str, int]:
    game, seed = folder.name.rsplit("-", 1)
    return game, int(seed)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_champion_and_its_rival_belong_to_the_game(folder: Path) -> None:
    game, seed = game_and_seed(folder)
    machine = load_machine(game)
    champion, rival = (read_knowledge(folder / name, machine.sheet) for name in ("best.xml", "rival.xml"))
    compile_knowledge(champion, machine)
    if champion.values is not None:
        compile_values(champion.values, machine)
    assert rival.values is None
    assert not rival.n_features
    content = json.loads((folder / "config.json").read_text("utf-8"))
    assert (content["game"]["name"], content["config"]["seed"]) == (game, seed)


def test_the_table_tells_the_features_and_the_size_of_every_champion() -> None:
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for folder in FOLDERS:
        game, _ = game_and_seed(folder)
        known = read_knowledge(folder / "best.xml", load_machine(game).sheet)
        lists = [len(winning) + len(losing) for winning, losing in zip(known.winning, known.losing, strict=True)]
        found[game.removesuffix(".ext")].append((max(lists), size_with_table(folder / "best.xml") / 1000))
    assert found
    told = {
        game: list(zip(map(int, features.split()), map(float, sizes.split()), strict=True))
        for game, features, sizes in ROWS
    }
    assert told.keys() == found.keys()
    for game, files in found.items():
        assert [features for features, _ in told[game]] == [features for features, _ in files]
        assert [size for _, size in told[game]] == pytest.approx([size for _, size in files], abs=0.5)
