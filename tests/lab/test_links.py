"""Links: openings that are played for a player, and engines that play by clocks."""

import asyncio
import time

import pytest

from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.referee import Clocks, LocalRandom, PlayerFault, RefereedMatch, referee
from gdl_miner.agent.server.messages import Message, Play, Start
from lab.opponents.engines import EngineError
from lab.opponents.links import OpeningLink, TimedLink
from lab.opponents.series import random_opening

MACHINE = load_machine("tictactoe.ext")


class Answering:
    """A player that answers play messages with texts in turn, or fails with errors."""

    name = "answering"

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[Message] = []

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        self.asked.append(message)
        if not isinstance(message, Play):
            return "ready"
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class FirstMove:
    """An engine that takes the first legal move after some seconds, or fails."""

    def __init__(self, seconds: float = 0.0, fails: bool = False) -> None:
        self.seconds, self.fails, self.seeds, self.moves = seconds, fails, list[int](), 0

    def begin(self, seed: int) -> None:
        self.seeds.append(seed)

    def move(self, match: OngoingMatch, role: int) -> str:
        self.moves += 1
        if self.fails:
            raise EngineError("out of memory")
        time.sleep(self.seconds)
        return match.legal(role)[0]

    def close(self) -> None:
        pass


def test_the_opening_is_played_whatever_the_players_answer() -> None:
    opening = random_opening(MACHINE, 4, 3)
    links = [OpeningLink(LocalRandom(role), MACHINE.roles[role], [joint[role] for joint in opening]) for role in (0, 1)]
    played = asyncio.run(referee(MACHINE, links, Clocks(1, 1), name="m"))
    assert played.joints[:4] == opening
    assert played.faults == ()
    assert [len(link.seconds) for link in links] == [len(played.joints)] * 2


def test_a_fault_in_the_opening_is_kept_and_does_not_change_it() -> None:
    player = Answering(TimeoutError(), OSError("gone"), "(mark 1 1)", TimeoutError())
    link = OpeningLink(player, "x", ["(mark 2 2)", "noop"])

    async def asked() -> list[str]:
        return [await link.ask(Play("m", None), (), 1.0) for _ in range(3)]

    assert asyncio.run(asked()) == ["(mark 2 2)", "noop", "(mark 1 1)"]
    assert link.faults == [
        PlayerFault(1, "x", "late", "no answer within 1 s"),
        PlayerFault(2, "x", "unreachable", "gone"),
    ]
    with pytest.raises(TimeoutError):
        asyncio.run(asked())
    assert len(link.faults) == 2


def refereed(engine: FirstMove, play_clock: float) -> RefereedMatch:
    link = TimedLink("first", engine, MACHINE, 5)
    try:
        return asyncio.run(referee(MACHINE, [link, LocalRandom(1)], Clocks(1, play_clock), name="m"))
    finally:
        link.close()


def test_an_engine_plays_by_the_protocol_and_is_not_asked_without_a_choice() -> None:
    engine = FirstMove()
    played = refereed(engine, 1)
    assert played.faults == ()
    assert engine.seeds == [5]
    match = OngoingMatch(MACHINE)
    for joint in played.joints:
        assert joint[0] == match.legal(0)[0]
        match.advance(joint)
    choices = [joint for joint in played.joints if joint[0] != "noop"]
    assert len(choices) - engine.moves in (0, 1)  # the last field of a full board leaves no choice


def test_a_slow_engine_is_late_and_a_failing_one_unreachable() -> None:
    late = refereed(FirstMove(seconds=0.4), 0.15)
    assert {fault.what for fault in late.faults} == {"late"}
    failing = refereed(FirstMove(fails=True), 1)
    assert {(fault.what, fault.detail) for fault in failing.faults} == {("unreachable", "out of memory")}


def test_the_role_of_an_engine_is_that_of_the_start_message() -> None:
    link = TimedLink("first", FirstMove(), MACHINE, 1)

    async def second() -> list[str]:
        start = Start("m", "O", "", 1.0, 1.0)
        return [await link.ask(start, (), 1.0), await link.ask(Play("m", None), (), 1.0)]

    assert asyncio.run(second()) == ["ready", "noop"]
    link.close()
