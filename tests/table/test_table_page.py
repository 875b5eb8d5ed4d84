"""The table in a real browser: playing by clicks, taking back and saving."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.table import SeatKind
from tests.chromium import chromium
from tests.table.browser import Page, a_page
from tests.table.laid import laid


@pytest.fixture(autouse=True)
def _browser() -> None:
    """Skip where there is no browser."""
    chromium()


YOUR_MOVE = "!!document.querySelector('#status.yours')"


def field(place: str) -> str:
    return f"#board [data-point='{place}']"


def in_a_browser(game: str | Machine, tmp_path: Path, what: Callable[[Page], Awaitable[None]]) -> None:
    async def run(url: str) -> None:
        async with a_page(tmp_path / "profile") as page:
            await page.open(url)
            await page.until(YOUR_MOVE)
            await what(page)
            assert page.problems == []

    with laid(game, [SeatKind.YOU, SeatKind.UCT]) as table:
        asyncio.run(run(table.url))


async def moves_made(page: Page) -> int:
    return int(await page.value("document.querySelectorAll('#history li').length"))


async def make(page: Page, *places: str) -> None:
    """Click on fields, then wait for the agent's answer."""
    before = await moves_made(page)
    for place in places:
        await page.click(field(place))
    await page.until(f"document.querySelectorAll('#history li').length > {before + 1} && {YOUR_MOVE}")


def test_tictactoe_is_played_by_clicking_on_fields(tmp_path: Path) -> None:
    async def play(page: Page) -> None:
        await make(page, "2 2")
        assert await page.value(f'!!document.querySelector("{field("2 2")} .cross")')
        assert await page.value("document.querySelectorAll('#board .ring').length") == 1
        assert await page.value("document.querySelectorAll('#thoughts li:not(.head)').length") == 8
        await page.click("#back")
        await page.until("document.querySelectorAll('#history li').length === 0")
        assert await page.value("document.querySelectorAll('#board .piece').length") == 0
        text = await page.value("fetch('match.xml').then(answer => answer.text())")
        assert "<Matches" in text

    in_a_browser("tictactoe.ext", tmp_path, play)


def test_breakthrough_is_played_by_clicking_on_source_and_target(tmp_path: Path) -> None:
    async def play(page: Page) -> None:
        await make(page, "4 2", "4 3")
        await page.click(field("4 3"))
        assert await page.value("document.querySelectorAll('#board .to').length") == 3
        await make(page, "4 4")
        assert await moves_made(page) == 4

    in_a_browser("breakthrough.ext", tmp_path, play)


def test_amazons_is_played_by_moving_and_then_shooting(tmp_path: Path) -> None:
    async def play(page: Page) -> None:
        await page.click(field("4 1"))
        await page.click(field("4 7"))
        await page.until("document.querySelectorAll('#history li').length === 1")
        await make(page, "6 7")
        assert await page.value("document.querySelectorAll('#board .block').length") == 2

    in_a_browser("amazons.ext", tmp_path, play)


async def press(page: Page, key: str) -> None:
    for kind in ("keyDown", "keyUp"):
        await page.call("Input.dispatchKeyEvent", type=kind, key=key)


def test_a_match_is_played_with_the_keyboard_alone(tmp_path: Path) -> None:
    async def play(page: Page) -> None:
        await page.value(f'document.querySelector("{field("2 2")}").focus()')
        await press(page, "ArrowRight")
        await press(page, "ArrowUp")
        assert await page.value("document.activeElement.dataset.point") == "3 3"
        await press(page, "Enter")
        await page.until(f"document.querySelectorAll('#history li').length === 2 && {YOUR_MOVE}")
        assert await page.value(f'!!document.querySelector("{field("3 3")} .cross")')
        assert await page.value("document.activeElement.dataset.point") == "3 3"
        await press(page, "u")
        await page.until("document.querySelectorAll('#history li').length === 0")
        await press(page, "a")
        await page.until("document.querySelectorAll('#thoughts li').length > 5")
        await press(page, "w")
        await page.until("document.querySelectorAll('#board .drawn.told').length === 9")

    in_a_browser("tictactoe.ext", tmp_path, play)


@pytest.mark.parametrize(("width", "dark"), [(390, False), (1200, True)])
def test_the_page_fits_phones_and_desks(tmp_path: Path, width: int, dark: bool) -> None:
    async def look(page: Page) -> None:
        await page.resize(width, 800, dark)
        assert await page.value("document.documentElement.scrollWidth") <= width
        assert await page.value("document.querySelector('#board svg').getBoundingClientRect().width") > 200

    in_a_browser("cubicup.ext", tmp_path, look)


HOSTILE = """
(role <u>you</u>) (role b) (init (cell 1 1 <u>x</u>)) (init (<u>fact</u> 1)) (init (turn 0)) (succ 0 1) (succ 1 2)
(boarddimnum 2) (boardboundaries 1 2) (boardfunctor cell) (boardpattern dim dim piece)
(playfunctor <u>put</u>) (playpattern dim dim piece)
(<= (legal ?r (<u>put</u> 1 2 <u>x</u>)) (role ?r)) (<= (legal ?r <u>wait</u>) (role ?r))
(<= (next (cell 1 1 <u>x</u>)) (true (cell 1 1 <u>x</u>))) (<= (next (<u>fact</u> 1)) (true (<u>fact</u> 1)))
(<= (next (cell 1 2 ?p)) (does ?r (<u>put</u> 1 2 ?p))) (<= (next (turn ?m)) (true (turn ?n)) (succ ?n ?m))
(<= terminal (true (turn 2))) (<= (goal ?r 50) (role ?r))
"""


def test_names_of_the_rules_are_text_and_never_markup(tmp_path: Path) -> None:
    async def play(page: Page) -> None:
        assert await page.value("document.querySelectorAll('u').length") == 0
        assert "<u>fact</u>" in await page.value("document.body.textContent")
        await page.click("#buttons button")
        await page.until("document.querySelectorAll('#history li').length === 1")
        await page.until("document.querySelectorAll('#thoughts li').length > 0")
        assert await page.value("document.querySelectorAll('u').length") == 0

    in_a_browser(load_machine(parse_sheet(HOSTILE, "hostile")), tmp_path, play)
