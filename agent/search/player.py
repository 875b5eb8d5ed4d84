"""The specification of a player: how it searches, with what knowledge and for how long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from weakref import WeakKeyDictionary

from gdl_miner.agent import _native
from gdl_miner.agent.features.native_tables import KnowledgeTables
from gdl_miner.agent.knowledge.compilation import compile_knowledge
from gdl_miner.agent.knowledge.knowledge import Knowledge
from gdl_miner.agent.knowledge.parameters import Parameters
from gdl_miner.agent.limits import MAX_IN_FLIGHT
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import compile_values

LEAST_TABLE = 1000
_FINEST_VALUES = 1000  # the most visits that a value counts as: searches see it to a 1000th of a goal
_SCORERS: WeakKeyDictionary[KnowledgeTables, _native.Scorer] = WeakKeyDictionary()
_NO_NODES = 1e-6  # nodes added per playout, which one playout never adds up to a node


@dataclass(frozen=True)
class PlayerSpec:
    """A player: UCT with or without knowledge, or uniformly random moves. The native module reads it as it is.

    `playouts` is the budget per move. Where it is 0, `seconds` is the budget, and matches are not reproducible.

    `in_flight` is the number of playouts that a search has under way at once. One playout gives the strongest play, and
    is as fast as more of them where hundreds of matches are played together. Up to 512 playouts, with virtual loss,
    make a single match many times faster.

    `max_states` and `max_bytes` (0: no limit) bound the transposition table of each match. When the table is full, the
    least recently visited states are evicted (`eviction` "linked", thesis 5.1.4), or a random half of all states
    ("random", the plain table of thesis table 6.5). `max_states` 0 means four states for each node that the playouts of
    a move add, and at least 1000, which is more than enough for the part of the tree that is still reachable. It means
    a million states where the budget is in seconds.

    With `draws_moves`, the player draws its moves in matches by their shares of the visits, as self-play for learning
    does; otherwise it makes the best move.

    Raises ValueError for an impossible player.
    """

    kind: Literal["uct", "random"] = "uct"
    parameters: Parameters = field(default_factory=Parameters)
    tables: KnowledgeTables | None = None
    values: _native.ValueFunction | None = None
    playouts: int = 1000
    seconds: float = 0.0
    in_flight: int = 1
    max_states: int = 0
    max_bytes: int = 0
    eviction: Literal["linked", "random"] = "linked"
    draws_moves: bool = False

    def __post_init__(self) -> None:
        if self.kind not in ("uct", "random"):
            raise ValueError(f"a player is 'uct' or 'random', not '{self.kind}'")
        if self.eviction not in ("linked", "random"):
            raise ValueError(f"eviction is 'linked' or 'random', not '{self.eviction}'")
        if not 1 <= self.in_flight <= MAX_IN_FLIGHT:
            raise ValueError(f"{self.in_flight} playouts in flight; 1 to {MAX_IN_FLIGHT} are possible")
        if min(self.playouts, self.seconds, self.max_states, self.max_bytes) < 0:
            raise ValueError("playouts, seconds, max_states and max_bytes cannot be negative")
        if self.kind == "uct" and self.playouts == 0 and self.seconds == 0:
            raise ValueError("a searching player needs a budget: playouts or seconds")

    def with_knowledge(self, knowledge: Knowledge, machine: Machine) -> PlayerSpec:
        """Return this player with knowledge and with the parameters of that knowledge.

        Raises:
            KnowledgeError: the knowledge does not fit the game.
        """
        tables = compile_knowledge(knowledge, machine)
        values = None if knowledge.values is None else compile_values(knowledge.values, machine)
        return replace(self, parameters=knowledge.parameters, tables=tables, values=values)

    def greedy(self) -> PlayerSpec:
        """Return a player that makes the best move by its values, or else by its features, and does not search.

        With values it makes the move whose afterstate is worth most; a move that ends the match with the largest goal
        is certain. With features alone it makes the move with the largest weight in selection, and draws among equals.
        It is a search of one playout, which adds no nodes for the moves of the position.

        Raises ValueError where the player has neither values nor features.
        """
        if self.values is not None:
            parameters = Parameters(
                uct_c=0.0, value_weight=1.0, experience=_FINEST_VALUES, solver=True, expansions=_NO_NODES
            )
        elif self.tables is not None:
            parameters = Parameters(exploration="puct", expansions=_NO_NODES, playout_moves=0)
        else:
            raise ValueError("a greedy player needs values of states or features")
        tables = self.tables if self.values is None else None
        return replace(self, parameters=parameters, tables=tables, playouts=1, seconds=0.0, in_flight=1)

    @property
    def reproducible(self) -> bool:
        """Whether the same seed gives the same moves, which it does not where searches end after some seconds."""
        return self.kind == "random" or self.playouts > 0

    @property
    def scorer(self) -> _native.Scorer | None:
        """The native scorer of the tables, which is made once and kept while they are in use."""
        if self.tables is None:
            return None
        scorer = _SCORERS.get(self.tables)
        if scorer is None:
            scorer = _SCORERS[self.tables] = _native.Scorer(self.tables)
        return scorer

    @property
    def table_states(self) -> int:
        """Size limit of the transposition table, in states."""
        if self.max_states:
            return self.max_states
        if not self.playouts:
            return 1_000_000
        return max(LEAST_TABLE, int(4 * self.playouts * max(1.0, self.parameters.expansions)))


def mixed_move(visits: Sequence[int], share: float, below: Callable[[int], int]) -> int | None:
    """Return the place of a move drawn in proportion to its visits, None if `share` is 1 or no move was visited.

    It is for states in which several roles choose at once. The visits of decoupled UCT are a mixed strategy, and the
    most visited move alone can be exploited by an opponent who foresees it. Moves that were visited rarely come from
    exploration, and are left out (Perick et al. 2012; Lanctot, Lisý & Winands 2013).

    Args:
        visits: [move] in the order of the rows.
        share: least visits of a move that may be drawn, as a share of the visits of the most visited one.
        below: gives a random whole number from 0 to below its argument; it is called once.
    """
    most = max(visits, default=0)
    if share >= 1 or most == 0:
        return None
    drawn = [(place, count) for place, count in enumerate(visits) if count and count >= share * most]
    left = below(sum(count for _, count in drawn))
    for place, count in drawn:
        if left < count:
            return place
        left -= count
    raise AssertionError("a number beyond the visits was drawn")
