"""A seat in a match for the network: its moves are in the words of the received rules, whatever sheet it plays."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from gdl_miner.agent.errors import ConfigError, MoveError, RuleError
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.player import Player, Thought
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.record_xml import write_records
from gdl_miner.agent.server.preparation import PreparedRules
from gdl_miner.agent.server.record_folder import RecordFolder

DEEPEST_LINE = 64  # joint moves that are counted
SHOWN_LINE = 8  # joint moves that are shown
LEARNING_SHARE = 0.95  # share of the time before the first move in which a player learns; it searches in the rest
LEAST_SECONDS = 0.01  # of that search
LEAST_TRYING_S = 5.0  # before the first move, for knowledge to be tried; in less time it is trusted


def _processors() -> int:
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class SeatOptions:
    """The settings of a seat's search."""

    threads: int = 0  # trees that grow at once; 0: one for each processor
    in_flight: int | None = None  # playouts at once in each tree; None: as many as suit the player
    memory_mib: int = DEFAULT_MEMORY_MIB
    ponder: bool = False
    seed: int = 0
    records: RecordFolder | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)  # those that differ from the knowledge or the defaults
    learn: bool = True  # whether the player learns values of states while the start clock runs, and tries its knowledge

    @property
    def trees(self) -> int:
        """Number of trees that grow at once."""
        return self.threads or _processors()


class Seat(Protocol):
    """The interface of a seat. All methods but `interrupt` and `settle` may take long and belong in a thread."""

    @property
    def role(self) -> int:
        """The number of the seat's role, which is the place of its moves in joint moves."""

    def advance(self, moves: tuple[str, ...] | None) -> None:
        """Take the joint move that was played, None before the first. Raises MoveError for an impossible one."""

    def only_move(self) -> str | None:
        """Return the only legal move, None if there are several."""

    def first_move(self) -> str:
        """Return some legal move at once."""

    def choose(self, seconds: float) -> str:
        """Search for at most `seconds` and return the move to play."""

    def settle(self) -> str | None:
        """End the search of the current position and return its move at once, without waiting for its threads.

        The search then returns the same move, and the record keeps what was known. Return None if none has begun.
        """

    def account(self) -> str:
        """Describe for the log what the last search found; call it before the next search begins."""

    def ponder(self) -> None:
        """Learn or search in the background, if the options say so."""

    def interrupt(self, *, for_good: bool = False) -> None:
        """Let `choose` return at once, and with `for_good` every later `choose` too; any thread may call this."""

    def goal(self) -> int | None:
        """Return the role's goal, None while the match is not over, or if the rules give none."""

    def save(self, name: str) -> Path | None:
        """Write the record of the match and return its path; None if the options give no folder for records."""

    def close(self) -> None:
        """Release threads and processes."""

    def describe(self) -> str:
        """Describe for the log how the seat plays."""


class CircuitSeat:
    """A seat that searches on the circuit of the game."""

    def __init__(self, prepared: PreparedRules, role: str, options: SeatOptions, last: Machine | None = None) -> None:
        """Make the player of the seat.

        The programs of the machine of the last match are used again if it was of the same game.

        Raises:
            ConfigError: there is no circuit, or the rules do not have the role.
            KnowledgeError: the knowledge does not fit the game.
        """
        if prepared.circuit is None:
            raise ConfigError(f"{prepared.theirs.source}: there is no circuit to play with")
        if role.lower() not in prepared.theirs.roles:
            roles = ", ".join(prepared.theirs.roles)
            raise ConfigError(f"{prepared.theirs.source}: no role {role[:40]}; the roles are {roles}")
        self._prepared = prepared
        self._options = options
        self.machine = Machine(prepared.sheet, prepared.circuit)
        if last is not None:
            self.machine.share_programs(last)
        self._player = Player(
            self.machine,
            prepared.sheet.roles[prepared.theirs.roles.index(role.lower())],
            knowledge=prepared.knowledge,
            parameters=options.parameters,
            threads=options.trees,
            in_flight=options.in_flight,
            memory_mib=options.memory_mib,
            seed=options.seed,
        )
        self.role = prepared.theirs.roles.index(role.lower())
        self._thought: Thought | None = None
        self._dice = random.Random(options.seed)
        self._fault: str | None = None  # what broke off the last search
        self._games = 0  # number of training games that the log named last

    def advance(self, moves: tuple[str, ...] | None) -> None:
        """Take the joint move that was played. Raises MoveError for an impossible one."""
        if moves is not None:
            self._player.advance([self._ours(move) for move in moves])

    def only_move(self) -> str | None:
        """Return the only legal move, None if there are several."""
        legal = self._player.match.legal(self._player.role)
        return self._theirs(legal[0]) if len(legal) == 1 else None

    def first_move(self) -> str:
        """Return some legal move. Raises MoveError if the match is over."""
        legal = self._player.match.legal(self._player.role)
        if not legal:
            raise MoveError(f"{self._prepared.theirs.source}: the match is over; send stop")
        return self._theirs(legal[0])

    def prepare(self, seconds: float) -> str:
        """Use the time before the first move, to learn and then to search; return a description for the log."""
        end = time.perf_counter() + seconds
        if not self._learns or (self._player.knowledge is not None and seconds < LEAST_TRYING_S):
            self.choose(seconds)
            return self.account()
        try:
            lesson = self._player.learn(seconds=seconds * LEARNING_SHARE)
        except RuleError as error:  # such as a role without a move in a line that its games come to
            return f"nothing was learned: {error}"
        self.choose(max(LEAST_SECONDS, end - time.perf_counter()))
        self._games = self._player.games_learned
        of_usual = " of the usual network" if lesson.network == "auto" else ""
        account = f"{lesson.games} training games{of_usual}, {lesson.trial or 'not tried'}; "
        if self._player.knowledge is not None:
            account += f"the knowledge file: {lesson.file_trial or 'not tried'}; "
        if lesson.file_used:
            return f"{account}plays with the file"
        if not lesson.used:
            return f"{account}plays without what they taught"
        parameters = self._player.parameters
        mixed = ", mixed with playouts" if parameters.value_weight < 1 or parameters.trusted_playouts else ""
        longer = f" in searches of more than {parameters.trusted_playouts}" if parameters.trusted_playouts else ""
        return f"{account}plays with what they taught{mixed}{longer}"

    def choose(self, seconds: float) -> str:
        """Search for `seconds` and return the best move, or any legal one where the rules break the search off."""
        self._fault = None
        try:
            self._thought = self._player.think(seconds=seconds)
        except RuleError as error:
            self._thought, self._fault = None, str(error)
            return self._theirs(self._dice.choice(self._player.match.legal(self._player.role)))
        return self._theirs(normalise(self._thought.move))

    def settle(self) -> str | None:
        """Return the best move by what the trees know now, without waiting for them; None if no search has begun."""
        thought = self._player.settle()
        return None if thought is None else self._theirs(normalise(thought.move))

    def account(self) -> str:
        """Describe the last search: its playouts, their rate, the value of its move, and the line it expects.

        That of a single player tells the states it has seen, and the line that it follows.
        """
        thought = self._thought
        if thought is None:
            return "no search" if self._fault is None else f"drawn at random, for the search broke off: {self._fault}"
        line = [self._shown(joint) for joint in self._player.line(thought, DEEPEST_LINE)]
        if len(self.machine.roles) == 1 and (plan := thought.plan) is not None:
            end = "towards a promising state" if plan.goal is None else f"to {plan.goal}"
            known = "known, and none brings more" if plan.proven else "known"
            rate = thought.playouts / max(thought.seconds, 1e-9)
            return f"{thought.playouts} states, {rate:.0f}/s, line of {len(plan.rows)} moves {end} {known}"
        expected = ", ".join(line[:SHOWN_LINE]) + (", ..." if len(line) > SHOWN_LINE else "")
        new = self._player.games_learned != self._games
        learned = f"values of {self._player.games_learned} training games, " if new else ""
        self._games = self._player.games_learned
        value = f"value {thought.value:.1f}" if thought.chosen.visits else "none of which ended"
        return (
            f"{thought.playouts} playouts, {thought.playouts / max(thought.seconds, 1e-9):.0f}/s, "
            f"{value}, {learned}depth {len(line)}, best line {expected or 'unknown'}"
        )

    def ponder(self) -> None:
        """Learn or search in the background, if the options say so."""
        if self._options.ponder:
            self._player.ponder()

    def interrupt(self, *, for_good: bool = False) -> None:
        """Let a search return at once, and with `for_good` every later search too."""
        self._player.interrupt(for_good=for_good)

    def goal(self) -> int | None:
        """Return the role's goal, None while the match is not over, or if the rules give none."""
        return self._player.goal if self._player.ended else None

    def save(self, name: str) -> Path | None:
        """Write the record of the match and return its path; None if the options give no folder for records."""
        if self._options.records is None:
            return None
        machine = self._player.machine
        path = self._options.records.place(machine.sheet.name, name)
        write_records(self._player.match.record(name), machine, path)
        return path

    def close(self) -> None:
        """End all threads of the player."""
        self._player.close()

    def describe(self) -> str:
        """Describe how the seat plays."""
        known = "renamed " if self._prepared.renaming else ""
        if self._player.knowledge is not None:
            taught = "with knowledge"
        else:
            taught = "learns" if self._learns else "without knowledge"
            taught += "" if self._prepared.knowledge is None else " (the file is empty)"
        changes = "".join(f", {name}={value}" for name, value in self._options.parameters.items())
        return f"{known}{self._player.machine.sheet.name}, {self._options.trees} trees, {taught}{changes}"

    @property
    def _learns(self) -> bool:
        return self._options.learn and len(self.machine.circuit.choosing_roles) > 1

    def _ours(self, move: str) -> str:
        try:
            text = normalise(move)
        except RuleError:
            raise MoveError(f"'{move[:80]}' is no move; send one such as (mark 1 2)") from None
        return self._prepared.renaming.there(text) if self._prepared.renaming else text

    def _shown(self, joint: Sequence[int]) -> str:
        """Return a joint move without the roles that only wait."""
        moves = [self._player.machine.circuit.moves[row] for row in joint]
        return " & ".join(map(self._theirs, [move for move in moves if move != "noop"] or moves[:1]))

    def _theirs(self, move: str) -> str:
        text = self._prepared.renaming.back(move) if self._prepared.renaming else move
        return self._prepared.theirs.display(text)
