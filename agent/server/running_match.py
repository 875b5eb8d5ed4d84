"""A match in progress: one coroutine takes its messages in turn, while its player thinks in threads."""

from __future__ import annotations

import asyncio
import gc
import logging
import math
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from gdl_miner.agent._native import release_memory
from gdl_miner.agent.errors import MoveError, RuleError, UserError
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.server.interpreted_seat import InterpretedSeat
from gdl_miner.agent.server.messages import Play, Start, Stop
from gdl_miner.agent.server.seat import CircuitSeat, Seat

if TYPE_CHECKING:
    from gdl_miner.agent.server.seating import Background, Seating

log = logging.getLogger("gdl_miner.agent.server")

BUSY, READY, DONE, ABORTED, NO_MOVE = "busy", "ready", "done", "aborted", "nil"
LEAST_SEARCH_S = 0.02  # a search is at least this long, unless the answer is due before
FORGOTTEN_AFTER_S = 30.0  # a controller that is silent for this time and a clock is considered gone
LONGEST_HANG_UP_S = 300.0  # of that clock, where the controller has hung up before the answer
LEAST_PART = 1 / 6  # share of a clock that is kept back even if there is nothing to answer yet
LARGEST_PART = 0.7  # largest share of a clock that is kept back for lateness
FORGETTING = 0.995  # factor of the remembered lateness at each measurement
SHARE = 4.0  # the margin is at least this many times the remembered lateness


class Margin:
    """The part of each clock that a player keeps back, for the network and for other work on its machine."""

    def __init__(self, least: float | None = None) -> None:
        """Keep back `least` seconds of every clock, by default 0.2 s and a twentieth of it, but at most half of it."""
        self._least = least
        self._lateness = 0.0

    @property
    def lateness(self) -> float:
        """The remembered lateness, in seconds."""
        return self._lateness

    def __call__(self, clock: float) -> float:
        """Return the seconds of a clock to keep back."""
        least = 0.2 + clock / 20 if self._least is None else self._least
        return max(min(clock / 2, least), min(LARGEST_PART * clock, SHARE * self._lateness))

    def note(self, seconds: float) -> None:
        """Take a measurement: how many seconds after its due time something was ready; early counts as 0."""
        self._lateness = max(seconds, 0.0, FORGETTING * self._lateness)


class MatchState(StrEnum):
    """The states of a match; `RunningMatch` says what leads from one to the next."""

    PREPARING = "preparing"
    READY = "ready"
    SEARCHING = "searching"
    ANSWERED = "answered"
    PONDERING = "pondering"
    OVER = "over"


@dataclass(eq=False)
class _Question:
    """A message of the controller and the answer to it. Times are those of the event loop."""

    message: Start | Play | Stop
    end: float  # when the search for the answer should end
    due: float  # when the answer is sent, whatever the threads do
    latest: float  # when it is sent even if no move is known
    answer: asyncio.Future[str] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    taken: bool = False  # whether the match has come to this message
    asking: int = 0  # clients that wait for the answer
    hung_up: bool = False  # whether the last one did not wait for it

    @property
    def made(self) -> bool:
        """Whether the moves of the message were made, and it has an answer."""
        return self.taken and self.answer.done() and self.answer.exception() is None

    def reply(self, text: str) -> None:
        """Send the answer, unless one was sent."""
        if not self.answer.done():
            self.answer.set_result(text)

    def fail(self, error: Exception) -> None:
        """Send an error; if an answer was sent, log the error."""
        if not self.answer.done():
            self.answer.set_exception(error)
        else:
            unexpected = None if isinstance(error, UserError) else error
            log.warning("match %s: after the answer: %s", self.message.match, error, exc_info=unexpected)


class RunningMatch:
    """One match, from START to STOP or ABORT. Make it and use it in one event loop.

    The coroutine `run` alone changes the match. It takes messages and seats from a queue, one after the other::

        PREPARING -- a seat is taken --> READY -- PLAY --> SEARCHING(deadline)
                                                             |  the search ends, or the deadline comes
                          +-------- PLAY ----------+         v
                          |                        |      ANSWERED
                    SEARCHING(deadline) <-- PONDERING <------+  the search has ended, too

        each state -- STOP, ABORT, rules that are no game, long silence --> OVER

    - PREPARING: Processes read and compile the rules. PLAY waits for a seat. At its deadline the answer is `nil`.
    - READY: A player has the seat. It learns until the start clock ends. The interpreter may have the seat first. The
      player on the circuit then makes the moves of the match so far and takes its place.
    - SEARCHING: The seat makes the joint move of the message and searches. At the deadline, what the search knows is
      the answer; if no search has begun, some legal move is. STOP, ABORT and the same PLAY again do not wait. Another
      PLAY waits until this one is answered.
    - ANSWERED: The answer is sent. A search that is late may still run.
      The same PLAY again has the same answer, unless it is another turn in which all make the same moves as before.
    - PONDERING: The search is logged. The player learns or searches until the next message.
    - OVER: The record is written, and the seat is closed.

    Nothing holds a lock. The seat does one long work at a time (learning, a search, the start of pondering), and each
    of these waits for the end of the one before. Only `advance` and `first_move`, which are short, do not wait.
    """

    def __init__(self, start: Start, received: float, seating: Seating, background: Background, margin: Margin) -> None:
        self.start = start
        self.seat: Seat | None = None
        self.joints: list[tuple[str, ...]] = []  # [move][role] joint moves made so far, in the words of the controller
        self._seating = seating
        self._background = background
        self._margin = margin
        self._queue: asyncio.Queue[_Question | Seat | Exception | None] = asyncio.Queue()  # None: leave the match
        self._open: dict[Start | Play | Stop, _Question] = {}  # questions without an answer
        self._early: list[_Question] = []  # PLAY messages that wait for a seat
        self._thinking: asyncio.Task[None] | None = None  # the last long work of the seat
        self._move: str | None = None  # a legal move of the position; None while the seat makes moves
        self._asked = False  # whether there was a PLAY message
        self._leaving = False
        self._over = asyncio.Event()
        self._answered: _Question | None = None  # the last PLAY message
        self._told = NO_MOVE  # the answer to the PLAY message before the one that is taken
        self._silent_since = received
        self._clock = start.start_clock  # of the last message
        self._start = self._question(start, received, start.start_clock)

    @property
    def state(self) -> MatchState:
        """The state of the match."""
        if self._over.is_set():
            return MatchState.OVER
        if self.seat is None:
            return MatchState.PREPARING
        if any(question.taken and isinstance(question.message, Play) for question in self._open.values()):
            return MatchState.SEARCHING
        if not self._asked:
            return MatchState.READY
        return MatchState.PONDERING if self._thinking is None or self._thinking.done() else MatchState.ANSWERED

    @property
    def forgotten(self) -> bool:
        """Whether the controller of the match has long been silent, or hung up and has not come again."""
        if any(question.asking for question in self._open.values()):
            return False
        clock = min(self._clock, LONGEST_HANG_UP_S) if self._open else self._clock
        return asyncio.get_running_loop().time() - self._silent_since > clock + FORGOTTEN_AFTER_S

    async def answer(self, message: Start | Play | Stop, received: float) -> str:
        """Answer a message of this match that came at the time `received` of the event loop.

        Raises UserError if the rules, the role or the moves are wrong; after wrong moves the match goes on unchanged.
        """
        question = self._open.get(message)
        if question is None and (known := self._known_answer(message)) is not None:
            return known
        if question is None:
            clock = self.start.play_clock if isinstance(message, Play) else math.inf
            question = self._question(message, received, clock)
            self._queue.put_nowait(question)
            if isinstance(message, Stop) and self.seat is not None:
                self.seat.interrupt(for_good=True)
        self._clock = self.start.start_clock if isinstance(message, Start) else self.start.play_clock
        question.asking += 1
        try:
            return await asyncio.shield(question.answer)
        finally:
            if self._open.get(message) is question:
                del self._open[message]
                if isinstance(message, Play) and question.answer.done():
                    self._answered = question
            self._silent_since = now = asyncio.get_running_loop().time()
            self._margin.note(now - question.due)

    def hung_up(self, message: Start | Play | Stop) -> None:
        """Take note that a client has hung up before its message was answered."""
        question = self._open.get(message)
        if question is not None:
            question.asking -= 1
            question.hung_up = question.asking == 0
            self._silent_since = asyncio.get_running_loop().time()

    def _known_answer(self, message: Start | Play | Stop) -> str | None:
        """Return the answer to a message that comes again because its answer was lost; None for any other.

        The moves of the last PLAY may also be those of another turn. Then the move of this seat is the last answer, and
        the match is not ending.
        """
        name, last, seat = self.start.match, self._answered, self.seat
        if isinstance(message, Start):
            return BUSY if self._asked else READY
        if last is None or message != last.message or not last.made:
            return None
        known, moves = last.answer.result(), last.message.moves if isinstance(last.message, Play) else None
        if known == NO_MOVE and moves is None:
            return None
        own = () if seat is None or moves is None or known == NO_MOVE else moves[seat.role : seat.role + 1]
        ends = self._leaving or any(isinstance(each, Stop) for each in self._open)
        if moves is None or last.hung_up or ends or (own and not _same_move(own[0], known)):
            log.warning("match %s: the same message came again; answered as before", name)
            return known
        log.warning("match %s: the same moves came twice; taken for another turn", name)
        return None

    async def leave(self) -> None:
        """End the match, and wait for its end."""
        self._leaving = True
        if self.seat is not None:
            self.seat.interrupt(for_good=True)
        self._queue.put_nowait(None)
        await self._over.wait()

    async def run(self) -> None:
        """Take messages and seats until the match is over."""
        self._background.start(self._prepare())
        try:
            while (event := await self._queue.get()) is not None:
                if isinstance(event, Exception):
                    log.warning("match %s: left, for %s", self.start.match, event)
                    self._start.fail(event)
                    break
                if not isinstance(event, _Question):
                    await self._take_seat(event)
                elif await self._take_question(event):
                    break
        finally:
            await self._end()

    def _question(self, message: Start | Play | Stop, received: float, clock: float) -> _Question:
        """Make the question of a message; its clock answers it when it is due."""
        margin = self._margin(clock) if clock < math.inf else 0.0
        end = received + clock - margin
        latest = received + (1 - LEAST_PART) * clock
        question = self._open[message] = _Question(message, end, end + margin / 3, max(end + margin / 3, latest))
        if clock < math.inf:
            self._call_at(question.due, question)
        return question

    def _call_at(self, when: float, question: _Question) -> None:
        timer = asyncio.get_running_loop().call_at(when, self._clock_ends, question)
        # Clocks may be long; without this the timer would keep the match and its rules for as long.
        question.answer.add_done_callback(lambda _: timer.cancel())

    def _clock_ends(self, question: _Question) -> None:
        """Answer a question by what is known; where that is nothing, wait as long as a move would still be in time."""
        if question.answer.done():
            return
        try:
            nothing = self._move is None or not (question.taken or isinstance(question.message, Start))
            if nothing and asyncio.get_running_loop().time() < question.latest - LEAST_SEARCH_S:
                self._call_at(question.latest, question)
            else:
                question.reply(self._known(question))
        except Exception as error:
            question.fail(error)

    def _known(self, question: _Question) -> str:
        name, seat = self.start.match, self.seat
        if isinstance(question.message, Start):
            if seat is None:
                log.warning("match %s: the rules are still being prepared; the interpreter plays until then", name)
            return READY
        if not question.taken:
            return BUSY
        known = None
        if seat is not None:
            known = seat.settle() if self._move is not None else None
            seat.interrupt()
        if known is None:
            log.warning("match %s: no search has begun in time; played the first legal move", name)
            return self._move or NO_MOVE
        log.warning("match %s: the search is late; played what it knew", name)
        return known

    async def _prepare(self) -> None:
        """Bring the seats of the match, and then its START message, to the queue."""
        try:
            await self._seating.bring(self.start, self._offer)
        except Exception as error:
            self._queue.put_nowait(error)
        else:
            self._queue.put_nowait(self._start)

    def _offer(self, seat: Seat) -> None:
        if self._over.is_set():
            self._background.start(self._close(seat))
        else:
            self._queue.put_nowait(seat)

    async def _take_seat(self, seat: Seat) -> None:
        """Let a player go on with the match in place of the one before."""
        name, last = self.start.match, self.seat
        if self._leaving or (last is not None and isinstance(seat, InterpretedSeat)):
            return await self._close(seat)
        try:
            move = await self._background.in_thread(lambda: _caught_up(seat, self.joints))
        except MoveError as error:
            log.warning("match %s: %s; the interpreter goes on", name, error)
            return await self._close(seat)
        self.seat, self._move = seat, move
        if self._leaving:
            seat.interrupt(for_good=True)
        log.info("match %s: %s plays %s", name, self.start.role, seat.describe())
        if last is not None:
            self._background.start(self._close(last, self._thinking))
            self._thinking = None
        early, self._early = self._early, []
        for question in early:
            await self._take_question(question)
        return None

    async def _take_question(self, question: _Question) -> bool:
        """Answer a question, and return whether the match is over."""
        message, seat = question.message, self.seat
        if isinstance(message, Stop):
            await self._stop(message)
            return True
        if self._leaving:
            return False
        if isinstance(message, Start):
            self._get_ready(seat)
        elif question.taken or not question.answer.done():  # else it was answered while it waited for another one
            question.taken = self._asked = True
            if seat is None:
                self._early.append(question)
            else:
                try:
                    await self._play(question, message.moves, seat)
                except Exception as error:
                    self._fail(question, error)
        return False

    def _fail(self, question: _Question, error: Exception) -> None:
        """Refuse a question whose moves are wrong; one that has come again has the answer that it had."""
        last = self._answered
        if isinstance(error, MoveError) and last is not None and last.message == question.message and last.made:
            log.warning("match %s: the same message came again; answered as before", self.start.match)
            question.reply(last.answer.result())
        else:
            question.fail(error)

    def _get_ready(self, seat: Seat | None) -> None:
        """Let the player learn until the start clock ends, if the match has not begun."""
        left = self._start.end - asyncio.get_running_loop().time()
        if isinstance(seat, CircuitSeat) and not self.joints and left >= LEAST_SEARCH_S:
            self._begin(lambda: self._learn(seat))
        else:
            self._start.reply(READY)

    def _begin(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Let the seat begin a long work as soon as it has ended the one before."""
        last = self._thinking

        async def begun() -> None:
            if last is not None:
                await asyncio.wait([last])
            await work()

        self._thinking = self._background.start(begun())

    async def _learn(self, seat: CircuitSeat) -> None:
        loop = asyncio.get_running_loop()
        left = max(LEAST_SEARCH_S, self._start.end - loop.time())
        try:
            account = await self._background.in_thread(lambda: seat.prepare(left))
            if self._leaving:
                return
            log.info("match %s: %s", self.start.match, account)
            self._margin.note(loop.time() - self._start.end)
            await self._background.in_thread(seat.ponder)
            self._start.reply(READY)
        except Exception as error:
            self._queue.put_nowait(error)

    async def _play(self, question: _Question, moves: tuple[str, ...] | None, seat: Seat) -> None:
        """Make a joint move, begin the search for the next one, and wait for the answer."""
        self._move = None
        await self._advance(seat, moves)
        self._move = move = await self._background.in_thread(seat.first_move)
        only = await self._background.in_thread(seat.only_move)
        number = len(self.joints) + 1
        self._begin(lambda: self._think(question, seat, number, move, choice=only is None))
        await asyncio.wait([question.answer])
        self._told = NO_MOVE if question.answer.exception() else question.answer.result()

    async def _think(self, question: _Question, seat: Seat, number: int, move: str, *, choice: bool) -> None:
        """Search for the move of this number if there is a choice, answer, log what was found, and ponder.

        No search begins after the answer. `move` is the answer without a search.
        """
        searches = choice and not question.answer.done()
        try:
            if searches:
                move = await self._search(seat, question.end)
            question.reply(move)
            account = await self._background.in_thread(seat.account) if searches else "not searched"
            log.info("match %s, move %d: %s, %s", self.start.match, number, move, account)
            if not self._leaving:
                await self._background.in_thread(seat.ponder)
        except Exception as error:
            question.fail(error)

    async def _search(self, seat: Seat, end: float) -> str:
        """Search until the time `end` of the event loop, or a moment if that has come, and return the best move."""
        loop = asyncio.get_running_loop()
        left = max(LEAST_SEARCH_S, end - loop.time())
        end = loop.time() + left
        move = await self._background.in_thread(lambda: seat.choose(left))
        self._margin.note(loop.time() - end)
        return move

    async def _advance(self, seat: Seat, moves: tuple[str, ...] | None) -> None:
        """Let a seat make the joint move that was played. Raises MoveError for an impossible one."""
        await self._background.in_thread(lambda: seat.advance(moves))
        if moves is None:
            return
        self.joints.append(moves)
        own, told, self._told = moves[seat.role], self._told, NO_MOVE
        if told != NO_MOVE and not _same_move(own, told):
            log.warning("match %s: answered %s, but the controller made the move %s", self.start.match, told, own[:80])

    async def _stop(self, message: Stop) -> None:
        """Make the last joint move and log the goal."""
        seat = self.seat
        if seat is not None:
            try:
                await self._advance(seat, message.moves)
                goal = await self._background.in_thread(seat.goal)
                if goal is None:
                    text = "match %s: stopped, and no goal is known: its last position may not be the end"
                    log.warning(text, message.match)
                else:
                    log.info("match %s: over, goal %s", message.match, goal)
            except MoveError as error:
                log.warning("match %s: stopped, without its last moves: %s", message.match, error)

    async def _end(self) -> None:
        """Write the record, close the seat, and answer the questions that are left."""
        self._leaving = True
        try:
            if self.seat is not None:
                self.seat.interrupt(for_good=True)
            await self._seating.abandon(self.start)
            if self._thinking is not None:
                await asyncio.wait([self._thinking])
            if self.seat is not None:
                await self._save(self.seat)
                await self._close(self.seat)
        finally:
            self.seat = self._thinking = None
            self._over.set()
            while not self._queue.empty():
                event = self._queue.get_nowait()
                if isinstance(event, InterpretedSeat | CircuitSeat):
                    self._background.start(self._close(event))
            for question in self._open.values():
                question.reply({Start: ABORTED, Stop: DONE}.get(type(question.message), NO_MOVE))

    async def _save(self, seat: Seat) -> None:
        match = self.start.match
        if not self.joints:
            return
        try:
            path = await self._background.in_thread(lambda: seat.save(match))
            if path is not None:
                log.info("match %s: recorded in %s", match, path)
        except UserError as error:
            log.warning("match %s: %s", match, error)

    async def _close(self, seat: Seat, thinking: asyncio.Task[None] | None = None) -> None:
        """Close a seat once it has ended its work, and release its memory, also that of reference cycles."""
        if thinking is not None:
            await asyncio.wait([thinking])
        await self._background.in_thread(seat.close)
        await self._background.in_thread(_release)


def _same_move(one: str, other: str) -> bool:
    try:
        return normalise(one) == normalise(other)
    except RuleError:
        return False


def _release() -> None:
    gc.collect()
    release_memory()


def _caught_up(seat: Seat, joints: list[tuple[str, ...]]) -> str:
    """Make the joint moves of the match so far at a new seat; return a legal move of the position.

    Raises MoveError if a move is impossible, or the match is over.
    """
    for joint in joints:
        seat.advance(joint)
    return seat.first_move()
