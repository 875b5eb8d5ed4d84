"""`miner export` on the command line."""

from pathlib import Path

import pytest

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.knowledge import Parameters, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.table.offline import playable_page
from gdl_miner.agent.values import ValueShape, layout_for, values_of
from tests.command_line import miner
from tests.knowledge.plain import knowledge_of
from tests.values.random_values import random_weights

FILE = Path(__file__).parents[2] / "docs" / "champions" / "hex5.ext-1" / "best.xml"


def test_a_file_becomes_one_page_that_names_its_game_and_loads_nothing(tmp_path: Path) -> None:
    page = tmp_path / "hex.html"
    shown = miner("export", FILE, "--html", page)
    assert shown.exit_code == 0
    assert f"page: {page}" in shown.stdout.replace("\n", "")
    text = page.read_text("utf-8")
    assert "<title>hex5.ext</title>" in text
    assert len(text) < 200_000
    assert not any(word in text for word in (" src=", "@import", "url(", "import("))


def test_what_a_page_cannot_play_is_refused_with_the_option_that_helps(tmp_path: Path) -> None:
    machine, file = load_machine("connectfour7.ext"), tmp_path / "decisive.xml"
    write_knowledge(knowledge_of(machine, parameters=Parameters(decisive_moves="decisive")), file, machine.sheet)
    refused = miner("export", file, "--html", tmp_path / "page.html")
    assert isinstance(refused.exception, UserError)
    assert "--option decisive_moves=off" in str(refused.exception)
    assert not (tmp_path / "page.html").exists()
    assert miner("export", file, "--html", tmp_path / "page.html", "--option", "decisive_moves=off").exit_code == 0


@pytest.mark.slow
def test_the_largest_networks_make_pages_below_two_megabytes() -> None:
    machine = load_machine("connectfour7.ext")
    layout = layout_for(machine, ValueShape("large"))
    assert layout.n_weights > 400_000
    values = values_of(layout, random_weights(layout, 1, 0.2), digits=4)
    assert len(playable_page(machine, knowledge_of(machine, values=values)).encode()) < 2_000_000


@pytest.mark.parametrize("option", ["nosuch=1", "uct_c=x"])
def test_an_option_that_is_none_is_refused(option: str, tmp_path: Path) -> None:
    refused = miner("export", FILE, "--html", tmp_path / "page.html", "--option", option)
    assert isinstance(refused.exception, UserError)
