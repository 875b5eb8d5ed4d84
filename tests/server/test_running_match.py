"""The states of a match, with players whose searches end when the test lets them."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest

from gdl_miner.agent.errors import MoveError, RuleError
from gdl_miner.agent.server import running_match
from gdl_miner.agent.server.messages import Play, Start, Stop
from gdl_miner.agent.server.running_match import Margin, MatchState, RunningMatch
from gdl_miner.agent.server.seat import Seat
from gdl_miner.agent.server.seating import Background, Seating

CLOCK_S = 0.4


class HeldSeat:
    """A player whose searches end by `go_on`, or never; its moves are `first`, `known` and `best`."""

    def __init__(self) -> None:
        self.made: list[tuple[str, ...]] = []
        self.calls: list[str] = []
        self.role = 0
        self.go_on = threading.Event()

    def advance(self, moves: tuple[str, ...] | None) -> None:
        if moves == ("wrong",):
            raise MoveError("wrong")
        if moves is not None:
            self.made.append(moves)

    def only_move(self) -> str | None:
        return None

    def first_move(self) -> str:
        return "first"

    def choose(self, seconds: float) -> str:
        self.calls.append("choose")
        self.go_on.wait(20)
        return "best"

    def settle(self) -> str | None:
        return "known"

    def account(self) -> str:
        return ""

    def ponder(self) -> None:
        self.calls.append("ponder")

    def interrupt(self, *, for_good: bool = False) -> None:
        if for_good:
            self.go_on.set()

    def goal(self) -> int | None:
        return 100

    def save(self, name: str) -> Path | None:
        self.calls.append("save")
        return None

    def close(self) -> None:
        self.calls.append("close")

    def describe(self) -> str:
        return ""


class HeldSeating:
    """Brings a seat when the test lets it."""

    def __init__(self, seat: Seat | Exception) -> None:
        self._seat = seat
        self.go_on = asyncio.Event()

    async def bring(self, start: Start, offer: Callable[[Seat], None]) -> None:
        await self.go_on.wait()
        if isinstance(self._seat, Exception):
            raise self._seat
        offer(self._seat)

    async def abandon(self, start: Start) -> None:
        self.go_on.set()


class Played:
    """A match that runs, and its messages."""

    def __init__(self, seat: Seat | Exception, clock: float = CLOCK_S) -> None:
        self._loop = asyncio.get_running_loop()
        self._background = Background()
        self.seating = HeldSeating(seat)
        start, seating = Start("m", "x", "", clock, clock), cast(Seating, self.seating)
        self.match = RunningMatch(start, self._loop.time(), seating, self._background, Margin(clock / 4))
        self._running = asyncio.create_task(self.match.run())
        self.started = self.asked(start)

    def asked(self, message: Start | Play | Stop) -> asyncio.Task[str]:
        return asyncio.create_task(self.match.answer(message, self._loop.time()))

    def play(self, *moves: str) -> asyncio.Task[str]:
        return self.asked(Play("m", moves or None))

    async def until(self, state: MatchState) -> None:
        async with asyncio.timeout(20):
            while self.match.state is not state:
                await asyncio.sleep(0.005)

    async def end(self) -> None:
        await self.match.leave()
        await self._running
        await self._background.close()


def played(seat: Seat | Exception, course: Callable[[Played], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        match = Played(seat)
        try:
            await course(match)
        finally:
            await match.end()
        assert match.match.state is MatchState.OVER

    asyncio.run(run())


def test_a_match_goes_from_state_to_state() -> None:
    seat = HeldSeat()

    async def course(match: Played) -> None:
        assert match.match.state is MatchState.PREPARING
        match.seating.go_on.set()
        assert await match.started == "ready"
        assert match.match.state is MatchState.READY
        first = match.play()
        await match.until(MatchState.SEARCHING)
        again = match.play()
        seat.go_on.set()
        assert (await first, await again) == ("best", "best")
        await match.until(MatchState.PONDERING)
        assert await match.asked(Stop("m", ("last",))) == "done"
        assert match.match.state is MatchState.OVER

    played(seat, course)
    assert seat.made == [("last",)]
    assert seat.calls == ["choose", "ponder", "save", "close"]


def test_a_late_search_is_answered_by_what_it_knows_and_the_next_waits_for_its_end() -> None:
    seat = HeldSeat()

    async def course(match: Played) -> None:
        match.seating.go_on.set()
        assert await match.play() == "known"
        await match.until(MatchState.ANSWERED)
        second = match.play("one")
        assert await second == "known"  # its own search has not begun
        assert seat.calls == ["choose"]
        third = match.play("two")
        await match.until(MatchState.SEARCHING)
        seat.go_on.set()
        assert await third == "best"
        await match.until(MatchState.PONDERING)

    played(seat, course)
    assert seat.made == [("one",), ("two",)]
    assert seat.calls[:2] == ["choose", "ponder"]


def test_a_message_that_waits_too_long_for_another_is_refused_and_its_moves_are_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seat, go_on = HeldSeat(), threading.Event()
    monkeypatch.setattr(seat, "advance", lambda moves: go_on.wait(20) and HeldSeat.advance(seat, moves))

    async def course(match: Played) -> None:
        match.seating.go_on.set()
        assert await match.started == "ready"
        first, other = match.play("one"), match.play("other")
        assert (await first, await other) == ("nil", "busy")
        go_on.set()
        await match.until(MatchState.PONDERING)

    played(seat, course)
    assert seat.made == [("one",)]


def test_a_message_that_comes_again_has_the_same_answer_and_its_moves_are_made_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seat = HeldSeat()
    seat.go_on.set()

    async def course(match: Played) -> None:
        start = match.match.start
        match.seating.go_on.set()
        assert (await match.started, await match.asked(start)) == ("ready", "ready")
        assert (await match.play(), await match.play()) == ("best", "best")
        assert [await match.play("mine", "yours") for _ in range(3)] == ["best"] * 3
        assert await match.asked(start) == "busy"
        assert seat.made == [("mine", "yours")]
        assert "came twice" not in caplog.text
        assert [await match.play("BEST", "yours") for _ in range(2)] == ["best"] * 2  # perhaps another turn

    played(seat, course)
    assert seat.made == [("mine", "yours"), ("BEST", "yours"), ("BEST", "yours")]
    assert "the same message came again; answered as before" in caplog.text
    assert caplog.text.count("the same moves came twice; taken for another turn") == 1


def test_a_message_that_comes_again_while_the_match_ends_is_no_other_turn(caplog: pytest.LogCaptureFixture) -> None:
    seat = HeldSeat()
    seat.go_on.set()

    async def course(match: Played) -> None:
        match.seating.go_on.set()
        await match.play()
        assert await match.play("BEST", "yours") == "best"
        ended, again = match.asked(Stop("m", ("best", "yours"))), match.play("BEST", "yours")
        assert (await ended, await again) == ("done", "best")

    played(seat, course)
    assert seat.made == [("BEST", "yours"), ("best", "yours")]
    assert "taken for another turn" not in caplog.text
    assert "the controller made" not in caplog.text


def test_another_move_than_the_answer_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    seat = HeldSeat()
    seat.go_on.set()

    async def course(match: Played) -> None:
        match.seating.go_on.set()
        for moves in ((), ("mine", "yours"), ("best", "yours")):
            assert await match.play(*moves) == "best"

    played(seat, course)
    assert caplog.text.count("match m: answered best, but the controller made the move mine") == 1
    assert caplog.text.count("the controller made") == 1


def test_moves_that_cannot_be_made_twice_were_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seat = HeldSeat()
    seat.go_on.set()

    def advance(moves: tuple[str, ...] | None) -> None:
        if moves is not None and moves in seat.made:
            raise MoveError("made before")
        HeldSeat.advance(seat, moves)

    monkeypatch.setattr(seat, "advance", advance)

    async def course(match: Played) -> None:
        match.seating.go_on.set()
        assert [await match.play("best") for _ in range(2)] == ["best", "best"]
        with pytest.raises(MoveError):
            assert await match.play("wrong")

    played(seat, course)
    assert seat.made == [("best",)]


def test_a_controller_that_hangs_up_and_stays_away_is_gone_long_before_its_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running_match, "FORGOTTEN_AFTER_S", 0.0)
    monkeypatch.setattr(running_match, "LONGEST_HANG_UP_S", 0.0)

    async def run() -> None:
        played = Played(HeldSeat(), clock=3600.0)
        await asyncio.sleep(0)
        assert not played.match.forgotten
        played.match.hung_up(played.match.start)
        await asyncio.sleep(0)
        assert played.match.forgotten
        first = played.asked(played.match.start)  # it comes again
        await asyncio.sleep(0)
        assert not played.match.forgotten
        await played.end()
        assert await first == "aborted"

    asyncio.run(run())


def test_moves_that_come_before_the_player_are_made_when_it_has_come() -> None:
    seat = HeldSeat()

    async def course(match: Played) -> None:
        assert await match.started == "ready"
        assert [await match.play(move) for move in ("one", "two")] == ["nil", "nil"]
        match.seating.go_on.set()
        async with asyncio.timeout(20):
            while seat.calls != ["ponder", "ponder"]:
                await asyncio.sleep(0.005)
        seat.go_on.set()
        assert await match.play("three") == "best"

    played(seat, course)
    assert seat.made == [("one",), ("two",), ("three",)]


def test_after_wrong_moves_the_match_goes_on() -> None:
    seat = HeldSeat()
    seat.go_on.set()

    async def course(match: Played) -> None:
        match.seating.go_on.set()
        with pytest.raises(MoveError):
            await match.play("wrong")
        assert await match.play("right") == "best"

    played(seat, course)
    assert seat.made == [("right",)]


def test_a_match_that_is_left_while_it_is_prepared_or_searches_ends_at_once() -> None:
    async def prepared(match: Played) -> None:
        await match.match.leave()
        assert await match.started == "aborted"

    async def searched(match: Played) -> None:
        match.seating.go_on.set()
        playing = match.play()
        await match.until(MatchState.SEARCHING)
        await match.match.leave()
        assert await playing == "best"

    played(HeldSeat(), prepared)
    played(HeldSeat(), searched)


def test_rules_that_are_no_game_end_the_match() -> None:
    async def course(match: Played) -> None:
        match.seating.go_on.set()
        with pytest.raises(RuleError):
            await match.started
        await match.until(MatchState.OVER)

    played(RuleError("no game"), course)


def test_a_match_is_freed_long_before_its_clocks_end() -> None:
    async def run() -> None:
        seat = HeldSeat()
        seat.go_on.set()
        played = Played(seat, clock=3600.0)
        played.seating.go_on.set()
        assert await played.play() == "best"
        await played.end()
        match = weakref.ref(played.match)
        del played
        await asyncio.sleep(0)
        gc.collect()
        assert match() is None

    asyncio.run(run())
