"""A match and the players in its seats, without searches and clocks: nothing here waits."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any

from gdl_miner.agent.board import MoveNames
from gdl_miner.agent.errors import ConfigError, MoveError
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.knowledge import Knowledge, written_out
from gdl_miner.agent.player import OngoingMatch, Player, Thought
from gdl_miner.agent.player.match import MoveChooser
from gdl_miner.agent.player.worth import MoveWorth
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.line_of_play import position_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed


class SeatKind(StrEnum):
    """Kinds of players that sit in a seat."""

    YOU = "you"
    KNOWLEDGE = "knowledge"  # the agent with the knowledge file
    UCT = "uct"  # the agent without knowledge
    RANDOM = "random"


class Table:
    """A table with one match at a time; roles are numbered in the order of the sheet, moves are global rows."""

    def __init__(
        self,
        machine: Machine,
        knowledge: Knowledge | None = None,
        seats: Sequence[str] | None = None,
        *,
        threads: int = 1,
        memory_mib: int = 512,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
        start: State | None = None,
        knowledge_name: str = "",
        others: Mapping[str, MoveChooser] | None = None,
    ) -> None:
        """Set up a table; by default a person plays the first role, and agents play the others.

        Chance plays the role `random`. The parameters replace those of the knowledge, or the defaults of agents
        without knowledge. Matches begin in the state `start`, by default the initial one. People see the name of the
        knowledge. `others` are players of other packages by their names, which are further kinds of seats.

        Raises ConfigError for a seat that needs knowledge if there is none.
        """
        self.machine = machine
        self.knowledge = None if knowledge is None else written_out(knowledge, machine)
        self.knowledge_name = knowledge_name
        self._threads = threads
        self._memory_mib = memory_mib
        self._seed = seed
        self._parameters = dict(parameters or {})
        self._players: dict[tuple[int, str], Player] = {}
        self._chosen: dict[int, int] = {}  # by role: the row it has chosen in the position now
        self.names = MoveNames(machine)
        self._matches = 0
        agent = SeatKind.UCT if knowledge is None else SeatKind.KNOWLEDGE
        first = next(role for role, name in enumerate(machine.roles) if name != CHANCE_ROLE)
        self.others = dict(others or {})
        self.seats: list[str] = [SeatKind.YOU if role == first else agent for role in range(len(machine.roles))]
        self._chance = machine.circuit.chance_role
        if self._chance < len(machine.roles):
            self.seats[self._chance] = SeatKind.RANDOM
        if seats is not None:
            for role, kind in enumerate(seats):
                self.sit(role, kind)
        self._start = start
        self.match = OngoingMatch(machine, start)

    @cached_property
    def geometry(self) -> Geometry:
        """Geometry of the board, as features use it."""
        return geometry_of(self.machine)

    @cached_property
    def worth(self) -> MoveWorth | None:
        """The worth of moves by the values of the knowledge; None without values."""
        if self.knowledge is None or self.knowledge.values is None:
            return None
        return MoveWorth(self.knowledge.values, self.machine)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of players that may sit here."""
        own = [kind for kind in SeatKind if kind is not SeatKind.KNOWLEDGE or self.knowledge is not None]
        return (*own, *self.others)

    @property
    def agents(self) -> tuple[str, ...]:
        """Kinds of players that are no persons."""
        return tuple(kind for kind in self.kinds if kind != SeatKind.YOU)

    def sit(self, role: int, kind: str) -> None:
        """Put a player in a seat. Raises ConfigError if there is no such role, or no knowledge to play with."""
        if not 0 <= role < len(self.machine.roles):
            raise ConfigError(f"{self.machine.sheet.name} has no role number {role}")
        if role == self._chance and kind != SeatKind.RANDOM:
            raise ConfigError(f"the role {self.machine.roles[role]} moves by chance; nobody else can take its seat")
        if kind == SeatKind.KNOWLEDGE and self.knowledge is None:
            raise ConfigError("no knowledge to play with; start the table with --knowledge")
        if kind not in self.kinds:
            raise ConfigError(f"{kind}: nobody of this name is at the table; there are {', '.join(self.kinds)}")
        self.seats[role] = kind
        self._chosen.pop(role, None)

    def legal(self, role: int) -> list[int]:
        """Return the legal moves of a role now, none after the end of the match."""
        return [] if self.match.ended else self.match.legal_rows(role).tolist()

    def waits_for(self, *kinds: str) -> list[int]:
        """Return the roles in seats of these kinds that have a choice and have not chosen yet."""
        return [
            role
            for role, kind in enumerate(self.seats)
            if kind in kinds and role not in self._chosen and self._has_choice(role)
        ]

    def _has_choice(self, role: int) -> bool:
        legal = self.legal(role)
        return len(legal) > 1 or (
            self.seats[role] == SeatKind.YOU and len(legal) == 1 and len(self.names.path(legal[0])) > 0
        )

    def choose(self, role: int, row: int) -> None:
        """Choose a move for a role; `advance` makes it when all have chosen. Raises MoveError for an illegal move."""
        if row not in self.legal(role):
            raise MoveError(f"{self.machine.sheet.name}: that move is not legal now")
        self._chosen[role] = row

    def chosen(self, role: int) -> int | None:
        """Return the move that a role has chosen in the position now, None if it has not."""
        return self._chosen.get(role)

    def advance(self) -> bool:
        """Make the joint move if every role that has a choice has chosen; return whether it was made."""
        if self.match.ended or self.waits_for(*self.kinds):
            return False
        joint = [self._chosen.get(role, self.legal(role)[0]) for role in range(len(self.seats))]
        self.match.advance_rows(joint)
        for player in self._players.values():
            player.match.advance_rows(joint)
        self._chosen = {}
        return True

    def take_back(self) -> None:
        """Go back to a person's last choice, or by one move if no person plays. Raises MoveError at the start."""
        count = 0
        while self.match.number:
            count += 1
            self.match.take_back()
            if SeatKind.YOU not in self.seats or self._person_may_choose():
                break
        if count == 0:
            raise MoveError("no move to take back")
        self._chosen = {}
        for player in self._players.values():
            player.take_back(count)

    def _person_may_choose(self) -> bool:
        return any(kind == SeatKind.YOU and self._has_choice(role) for role, kind in enumerate(self.seats))

    def start_again(self) -> None:
        """Start another match with the same seats."""
        self.close()
        self._matches += 1
        self._chosen = {}
        self.match = OngoingMatch(self.machine, self._start)

    def take_position(self, facts: str) -> None:
        """Start another match in the state in which some facts hold, and others after it, too.

        Raises ConfigError for facts that make no state of the game to go on from.
        """
        self._start = position_of(self.machine, facts)
        self.start_again()

    def player(self, role: int) -> Player:
        """Return the player that searches for a role, in a person's seat the adviser; it is made on first use."""
        kind = self.seats[role]
        if kind not in (SeatKind.UCT, SeatKind.KNOWLEDGE):
            kind = SeatKind.UCT if self.knowledge is None else SeatKind.KNOWLEDGE
        if (role, kind) not in self._players:
            player = Player(
                self.machine,
                self.machine.roles[role],
                knowledge=self.knowledge if kind is SeatKind.KNOWLEDGE else None,
                parameters=self._parameters,
                threads=self._threads,
                memory_mib=max(16, self._memory_mib // (2 * len(self.seats))),
                seed=derive_seed(self._seed, "match", self._matches),
                match=OngoingMatch(self.machine, self._start),
            )
            for joint in self.match.joints:
                player.advance(joint)
            self._players[role, kind] = player
        return self._players[role, kind]

    def random_row(self, role: int) -> int:
        """Return a move for a random player; the same seed, match and position give the same move."""
        return random.Random(self._seed_of_move(role)).choice(self.legal(role))

    def others_row(self, role: int) -> int:
        """Return the move of a player of another package. Raises as its code does."""
        return self.others[self.seats[role]](self.match, role, self._seed_of_move(role))

    def _seed_of_move(self, role: int) -> int:
        return derive_seed(self._seed, "match", self._matches, "role", role, "move", self.match.number)

    def note(self, role: int, thought: Thought) -> None:
        """Keep the visits of a search for the record."""
        self.match.note(role, thought)

    def record(self) -> MatchBatchRecord:
        """Return the match so far."""
        return self.match.record(f"table-{self._matches + 1}")

    def close(self) -> None:
        """Close all players."""
        for player in self._players.values():
            player.interrupt(for_good=True)
            player.close()
        self._players = {}
