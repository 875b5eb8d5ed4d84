"""A player: a seat in a match of any game, with or without knowledge."""

from __future__ import annotations

import difflib
import math
import os
import random
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError, MoveError
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.knowledge import Knowledge, Parameters, compile_knowledge, read_knowledge
from gdl_miner.agent.limits import MAX_IN_FLIGHT
from gdl_miner.agent.player.learning import Learning, Lesson
from gdl_miner.agent.player.match import OngoingMatch
from gdl_miner.agent.player.thought import BestLine, Thought, TreeReport, merge, puzzle_searches
from gdl_miner.agent.player.trees import SearchTask, Trees
from gdl_miner.agent.player.trial import Contestant
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.machine import Machine, load_machine, violation_of
from gdl_miner.agent.search.player import PlayerSpec, mixed_move
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import compile_values

DEFAULT_SECONDS = 1.0
DEFAULT_MEMORY_MIB = 512
_NO_STATE_LIMIT = 1 << 30
WITHOUT_KNOWLEDGE = Parameters(solver=True)
"""Parameters of a player without a knowledge file."""
SELF_TAUGHT = Parameters(solver=True, uct_c=12.0, uct_growth="root", value_weight=1.0, experience=1)
"""Parameters of a player without a knowledge file after it has learned values of states."""


@dataclass(eq=False)
class _Thinking:
    """A search for the position after `number` joint moves, and its result."""

    task: SearchTask
    number: int
    rows: NDArray[np.int32]  # legal rows of the role
    names: list[str]  # the same as the rule sheet spells them
    begin: float  # time of the performance counter
    thought: Thought | None = None


class Player:
    """The player of one role in one match; it keeps the position and, from move to move, its search trees.

    Use it in a `with` statement, or call `close()`: this ends the threads that ponder.
    """

    def __init__(
        self,
        game: str | os.PathLike[str] | RuleSheet | Machine,
        role: str,
        *,
        knowledge: str | os.PathLike[str] | Knowledge | None = None,
        parameters: Mapping[str, Any] | None = None,
        threads: int = 1,
        in_flight: int | None = None,
        memory_mib: int = DEFAULT_MEMORY_MIB,
        solver: bool | None = None,
        seed: int = 0,
        match: OngoingMatch | None = None,
    ) -> None:
        """Take the seat of a role.

        `parameters` of the player has the values that it uses, `games_learned` the number of training games that have
        taught the values of states in its searches.

        Args:
            game: a bundled game (`amazons.ext`), the path of a rule sheet, a sheet, or a prepared machine.
            role: a role of the game, in upper or lower case.
            knowledge: a knowledge file, the name of a level of released knowledge, or the knowledge read from a file;
                without it, and with an empty one, the player is UCT with proofs, or, where the role is the only one and
                no parameter is given, a puzzle search (docs/search.md).
            parameters: values of parameters, by name, in place of those of the knowledge or the defaults.
            threads: number of trees, each grown by a thread of its own.
            in_flight: playouts that each tree runs at once, 1 to 512; more are faster, but 1 searches best. By default
                8 where learned values take the place of playouts, and 64 elsewhere.
            memory_mib: largest size of the transposition tables of all trees together, in MiB.
            solver: prove goals in the tree (MCTS-Solver), and end a search when its root is solved; by default as
                the parameters or the knowledge say, and without them on.
            seed: seed of all random choices; the same seed, threads and playouts give the same moves.
            match: the match that the player goes on with, on the same machine; by default a new one.

        Raises:
            RuleError: the rules are faulty.
            BudgetError: the rules are too large to prepare.
            KnowledgeError: the knowledge cannot be read or belongs to another game.
            ConfigError: there is no such role or parameter, or a number is out of its range.
        """
        if threads < 1 or memory_mib < 1 or (in_flight is not None and not 1 <= in_flight <= MAX_IN_FLIGHT):
            raise ConfigError(
                f"a player needs at least one thread, 1 to {MAX_IN_FLIGHT} playouts in flight and 1 MiB of memory"
            )
        if isinstance(game, Machine):
            machine = game
        else:
            machine = load_machine(game if isinstance(game, RuleSheet) else os.fspath(game))
        if role.lower() not in machine.roles:
            roles = ", ".join(map(machine.sheet.display, machine.roles))
            raise ConfigError(f"{machine.sheet.name} has no role {role}; its roles are {roles}")
        if role.lower() == CHANCE_ROLE:
            raise ConfigError(f"{machine.sheet.name}: the role {role} moves by chance; no player takes its seat")
        self.machine = machine
        self.match = OngoingMatch(machine) if match is None else match
        self.role = machine.roles.index(role.lower())
        self.seed = seed
        known = _knowledge(knowledge, machine)
        self._changes = dict(parameters or {}) if solver is None else {**(parameters or {}), "solver": solver}
        self.parameters = used = changed(WITHOUT_KNOWLEDGE if known is None else known.parameters, self._changes)
        self.knowledge = None if known is None else replace(known, parameters=used)
        self._threads = threads
        self._in_flight = in_flight
        self._memory_mib = memory_mib
        self._seat = take_seat(machine, self.knowledge, used, threads, in_flight, memory_mib)  # before it has learned
        self._used = self._seat  # with what it has learned
        puzzle = len(machine.roles) == 1 and known is None and not self._changes
        self._best = BestLine() if puzzle else None
        searches = puzzle_searches(machine, threads, memory_mib) if puzzle else self._uct_searches(self._seat)
        self._trees = Trees(searches, len(machine.roles))
        self.games_learned = 0
        self._learning: Learning | None = None
        self._over = False  # whether it was interrupted for good
        self._searches = 0
        self._thinking: _Thinking | None = None
        self._settling = threading.Lock()
        self._closed = False

    @property
    def legal(self) -> tuple[str, ...]:
        """The role's legal moves, as the rule sheet spells them."""
        return tuple(self.machine.sheet.display(move) for move in self.match.legal(self.role))

    @property
    def ended(self) -> bool:
        """Whether the match is over."""
        return self.match.ended

    @property
    def goal(self) -> int | None:
        """The role's goal in the position now, 0..100; None where the rules give none."""
        return self.match.goals[self.role]

    def learn(self, *, seconds: float) -> Lesson:
        """Learn what states are worth from games against itself.

        A part of the time goes to quick matches against the player that has not learned. If they are clearly won, or
        there is no time or no opponent for them, later searches begin anew and use what was learned, and `parameters`
        has the values of these searches; else they use nothing of it. Where there was time for matches of few playouts
        only, or for none, searches mix what was learned with playouts. A second call goes on where the first one ended.

        A player with a knowledge file goes on with it, unless the file has less than half of the goals in quick matches
        against what was learned, or, where that does not help, against the player without any knowledge.

        Args:
            seconds: wall-clock time; each of the player's threads plays games of its own.

        Raises ConfigError if the player was closed, or the time is not positive.
        """
        if self._closed:
            raise ConfigError("this player was closed; make another")
        if not seconds > 0:  # a NaN is refused, too
            raise ConfigError("learning needs more than 0 seconds")
        if self._learning is None:
            self._learning = self._new_learning()
        if self._over:
            self._learning.stop()
        lesson, seat = self._learning.learn(seconds)
        if lesson.games:
            self._best = None
            self._begin_anew(lesson.games if lesson.used else 0, seat)
        return lesson

    def _new_learning(self) -> Learning:
        plain, known = self._seat, None
        if self.knowledge is not None:
            known = Contestant(self._seat, compile_knowledge(self.knowledge, self.machine))
            unknowing = changed(WITHOUT_KNOWLEDGE, self._changes)
            plain = take_seat(self.machine, None, unknowing, self._threads, self._in_flight, self._memory_mib)
        taught, mixed = (
            replace(plain, parameters=used, in_flight=self._in_flight or usual_in_flight(used, values=True))
            for used in (changed(SELF_TAUGHT, self._changes), changed(SELF_TAUGHT.mixed(), self._changes))
        )
        return Learning(self.machine, plain, taught, mixed, self.seed, self._threads, known)

    def think(self, *, seconds: float | None = None, playouts: int | None = None) -> Thought:
        """Search the position for the role, even if it has only one legal move.

        The position does not change; call `advance` when the moves of all roles are known.

        Args:
            seconds: wall-clock time, 1 s if neither limit is given; playouts that run then are cut off.
            playouts: number of playouts, of a puzzle search of states; if both limits are given, the first one reached
                ends the search.

        Raises:
            ConfigError: the player was closed, or a limit is not positive.
            MoveError: the match is over.
            RuleError: the rules leave a role without a legal move.
        """
        begin = time.perf_counter()
        if self._closed:
            raise ConfigError("this player was closed; make another")
        if (seconds is not None and not seconds > 0) or (playouts is not None and playouts <= 0):
            raise ConfigError("a search needs more than 0 seconds and more than 0 playouts")
        if self.match.ended:
            raise MoveError(f"{self.machine.sheet.name}: the match is over; there is nothing to think about")
        if seconds is None and playouts is None:
            seconds = DEFAULT_SECONDS
        rows, number = self.match.legal_rows(self.role), self.match.number
        names = [self.machine.sheet.display(self.machine.circuit.moves[row]) for row in rows]
        self._use_what_was_learned()
        left = max(1e-6, seconds - (time.perf_counter() - begin)) if seconds is not None else 0.0
        self._thinking = thinking = _Thinking(self._position(), number, rows, names, begin)
        if self._best is not None and self._best.proven:
            return self._settled(thinking, ())
        try:
            first = self._best is not None and playouts is None
            reports = self._trees.search(thinking.task, playouts or 0, left, until_solved=first)
        except _native.RuleViolationError as violation:
            raise violation_of(self.machine, violation) from None
        return self._settled(thinking, reports)

    def settle(self) -> Thought | None:
        """Return the result of the search of the position now, without waiting for it; any thread may call this.

        If the search still runs, this is what its trees have published, at most some milliseconds ago. The search ends,
        and its result is the same: `think` returns it, and the record of the match keeps it. Return None if no search
        of the position has begun.
        """
        thinking = self._thinking
        if thinking is None or thinking.number != self.match.number:
            return None
        if thinking.thought is not None:
            return thinking.thought
        self._trees.interrupt()
        return self._settled(thinking, self._trees.known(thinking.task))

    def _settled(self, thinking: _Thinking, reports: Iterable[TreeReport]) -> Thought:
        """Return the result of a search, which the reports make unless others made it before."""
        with self._settling:
            if thinking.thought is None:
                join = self._best.merge if self._best is not None and thinking is self._thinking else merge
                thought = join(thinking.rows, thinking.names, reports, time.perf_counter() - thinking.begin)
                thought = self._with_draw(thought, thinking.task)
                thinking.thought = thought
                self.match.note(self.role, thought, thinking.number)
            return thinking.thought

    def _with_draw(self, thought: Thought, task: SearchTask) -> Thought:
        """Return a result with the move drawn by its visits, where another role chooses at the same time, too."""
        legal = self.machine.legal(task.state)
        names = self.machine.roles
        choosing = sum(len(rows) > 1 for name, rows in zip(names, legal, strict=True) if name != CHANCE_ROLE)
        if choosing < 2 or thought.plan is not None:
            return thought
        by_row = sorted(thought.moves, key=lambda move: move.row)
        dice = random.Random(derive_seed(task.seed, "mixed move"))
        place = mixed_move([move.visits for move in by_row], self.parameters.mixed_share, dice.randrange)
        return thought if place is None else replace(thought, drawn=by_row[place])

    def line(self, thought: Thought, longest: int = 12) -> tuple[tuple[int, ...], ...]:
        """Return the rows of the joint moves that the last search expects: its move and the answers.

        The thought must be the result of that search. There are `longest` joint moves at most.
        """
        if thought.plan is not None:
            return tuple((row,) for row in thought.plan.rows[:longest])
        return tuple(map(tuple, self._trees.line(thought.chosen.row, longest).tolist()))

    def look(
        self, state: State, last_rows: Sequence[int]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """Return what the trees know of a state: [n_moves] legal rows of the role, their visits, sums of their goals.

        Searches end, and the trees stay as they are (but see `Trees.look`). A state that no tree has reached has no
        visits, and neither has one in which only other roles have a choice.

        Raises ConfigError where the player was closed, or searches for lines, as for a puzzle.
        """
        if self._closed:
            raise ConfigError("this player was closed; make another")
        if self._best is not None:
            raise ConfigError("a puzzle search has no tree of visits; give parameters, as {'solver': True}, for UCT")
        reports = self._trees.look(SearchTask(state, np.array(last_rows, np.int32), 0))
        visits, payoffs = np.zeros(len(reports[0].rows), np.int64), np.zeros(len(reports[0].rows), np.int64)
        for report in reports:
            visits += report.visits
            payoffs += report.payoffs
        return reports[0].rows, visits, payoffs

    def ponder(self) -> None:
        """Use the time until the next `think`, in the background: to learn, where that still pays, or else to search.

        Learning pays as long as the values of twice as many training games win two thirds of the matches against those
        before. Searches use them if they win more than half. A search also ends with the next `advance` or `take_back`.
        """
        if self._closed or self.match.ended:
            return
        if self._learning is not None and self._learning.pays:
            self._learning.study()
        else:
            self._use_what_was_learned()
            self._trees.ponder(self._position())

    def interrupt(self, *, for_good: bool = False) -> None:
        """Make a running `think` return at once with its result so far; any thread may call this.

        With `for_good`, all later searches return at once too, and so does learning.
        """
        self._over = self._over or for_good
        if for_good and self._learning is not None:
            self._learning.stop()
        self._trees.interrupt(for_good=for_good)

    def advance(self, joint: Sequence[str]) -> None:
        """Make the joint move that was played: one move for each role, in the order of the roles, in any spelling.

        Raises MoveError for an illegal move, a wrong number of moves, or a match that is over.
        """
        self._trees.interrupt()
        self.match.advance(joint)
        self._thinking = None
        if self._best is not None:
            self._best.advance(int(self.match.last_rows[0]))

    def take_back(self, count: int = 1) -> None:
        """Undo the last `count` joint moves; the trees keep their nodes. Raises MoveError if fewer were made."""
        self._trees.interrupt()
        self.match.take_back(count)
        self._thinking = None
        if self._best is not None:
            self._best.forget()

    def begin_match(self, match: OngoingMatch) -> None:
        """Go on with another match on the same machine; trees and random choices begin as those of a new player."""
        self.match = match
        self._thinking = None
        self._searches = 0
        puzzle = self._best is not None
        self._best = BestLine() if puzzle else None
        machine, threads, memory = self.machine, self._threads, self._memory_mib
        self._trees.begin_anew(puzzle_searches(machine, threads, memory) if puzzle else self._uct_searches(self._used))

    def close(self) -> None:
        """End all threads and free the tables; the match stays. Closing twice does no harm."""
        self._closed = True
        if self._learning is not None:
            self._learning.stop()
            self._learning.rest()
        self._trees.close()

    def __enter__(self) -> Player:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _use_what_was_learned(self) -> None:
        """End learning in the background; if it found better values, search with them from now on."""
        if self._learning is not None and (better := self._learning.pause()) is not None:
            self._begin_anew(*better)

    def _begin_anew(self, games: int, seat: PlayerSpec) -> None:
        """Search from now on with the values of so many training games, or without values."""
        self.games_learned = games
        self.parameters = seat.parameters
        self._used = seat
        self._trees.begin_anew(self._uct_searches(seat))

    def _uct_searches(self, seat: PlayerSpec) -> list[_native.Thinker]:
        return [_native.Thinker(self.machine.native, seat, self.role) for _ in range(self._threads)]

    def _position(self) -> SearchTask:
        self._searches += 1
        seed = derive_seed(self.seed, "role", self.role, "search", self._searches)
        return SearchTask(self.match.state, self.match.last_rows, seed)


def _knowledge(given: str | os.PathLike[str] | Knowledge | None, machine: Machine) -> Knowledge | None:
    """Return the knowledge to play with; None if there is none, or it is empty."""
    known = given if given is None or isinstance(given, Knowledge) else read_knowledge(Path(given), machine.sheet)
    return None if known is None or known.empty else known


def changed(parameters: Parameters, changes: Mapping[str, Any]) -> Parameters:
    """Return the parameters with changes by name. Raises ConfigError for one that is unknown or out of its range."""
    known = [each.name for each in fields(parameters)]
    for name in changes:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            advice = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise ConfigError(f"parameters of the player: there is no {name}; {advice}")
    try:
        return replace(parameters, **changes)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"parameters of the player: {error}") from None


def usual_in_flight(parameters: Parameters, *, values: bool) -> int:
    """Return how many playouts a tree runs at once where nobody says it (docs/experiments.md has the measurements).

    Playouts need many lanes to be fast. Values that take their place are about as fast with few, and think better.
    Searches against a clock are long, so that they make playouts where long ones do not trust values alone.
    """
    alone = values and parameters.value_weight == 1 and parameters.trusted_playouts == 0
    return 8 if alone else 64


def take_seat(
    machine: Machine,
    knowledge: Knowledge | None,
    parameters: Parameters,
    threads: int,
    in_flight: int | None,
    memory_mib: int,
) -> PlayerSpec:
    """Return the seat of a player whose trees share the memory, a tree for each thread."""
    values = None if knowledge is None or knowledge.values is None else compile_values(knowledge.values, machine)
    return PlayerSpec(
        parameters=parameters,
        tables=None if knowledge is None else compile_knowledge(knowledge, machine),
        values=values,
        playouts=0,
        seconds=math.inf,
        in_flight=in_flight or usual_in_flight(parameters, values=values is not None),
        max_states=_NO_STATE_LIMIT,
        max_bytes=(memory_mib << 20) // threads,
    )
