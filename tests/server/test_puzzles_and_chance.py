"""A served player in games of one role, and in games in which the role `random` moves by chance."""

import logging
import random
from collections.abc import Iterator

import pytest

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.server.seat import SeatOptions
from tests.search.positions import machine_of
from tests.search.test_puzzles import TILES
from tests.server.serving import Serving, rules_text, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    with serving(options=SeatOptions(threads=2)) as running:
        yield running


def test_a_single_player_plays_its_line_and_the_log_tells_it(server: Serving, caplog: pytest.LogCaptureFixture) -> None:
    sheet = parse_sheet(TILES, "tiles.kif")
    match = OngoingMatch(load_machine(sheet))
    with caplog.at_level(logging.INFO, "gdl_miner.agent.server"):
        assert server.send(f"(START P1 robot ({rules_text(sheet)}) 2 1)") == "ready"
        last = "NIL"
        while not match.ended:
            move = server.send(f"(PLAY P1 {last})")
            match.advance([move])
            last = f"({move})"
        assert server.send(f"(STOP P1 {last})") == "done"
    assert match.goals == (60,) or match.goals == (100,)
    assert f"line of {match.number} moves to {match.goals[0]} known" in caplog.text
    assert f"goal {match.goals[0]}" in caplog.text


def test_the_moves_of_chance_come_with_those_of_the_others(server: Serving) -> None:
    match, chooser = OngoingMatch(machine_of("race")), random.Random(3)
    assert server.send(f"(START C1 black ({rules_text(match.machine.sheet)}) 1 1)") == "ready"
    last = "NIL"
    while not match.ended:
        move = server.send(f"(PLAY C1 {last})")
        joint = [chooser.choice(match.legal(0)), chooser.choice(match.legal(1)), move]
        match.advance(joint)
        last = f"({' '.join(joint)})"
    assert server.send(f"(STOP C1 {last})") == "done"


def test_the_seat_of_chance_is_refused(server: Serving) -> None:
    answer = server.send(f"(START C2 random ({rules_text(machine_of('race').sheet)}) 1 1)")
    assert "moves by chance" in answer
    assert "(status available)" in server.send("(info)")
