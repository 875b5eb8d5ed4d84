"""A player: a seat in one match, which keeps its trees, and the choice of moves in any states of a game."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from gdl_miner.agent import player
from gdl_miner.agent.errors import ConfigError, MoveError
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB
from gdl_miner.api.analysis import DEFAULT_PLAYOUTS, moving_role
from gdl_miner.api.game import Action, GameLike, RoleLike, State, game_of


class Player(player.Player):
    """A player of a game, with or without knowledge.

    `choose` gives its move in any state. `think`, `advance` and `learn` are for one role in one match, in which trees
    are kept from move to move; use it in a `with` statement then, or call `close()`.
    """

    def __init__(
        self,
        game: GameLike,
        role: RoleLike | None = None,
        *,
        knowledge: str | os.PathLike[str] | Knowledge | None = None,
        playouts: int | None = None,
        seconds: float | None = None,
        parameters: Mapping[str, Any] | None = None,
        threads: int = 1,
        in_flight: int | None = None,
        memory_mib: int = DEFAULT_MEMORY_MIB,
        solver: bool | None = None,
        seed: int = 0,
        match: OngoingMatch | None = None,
    ) -> None:
        """Make a player.

        Args:
            game: a game, or what `load` takes.
            role: whose seat it takes in a match; by default the first role that has choices.
            knowledge: a knowledge file, the name of a level of released knowledge (`agent knowledge list`), or what
                `read_knowledge` returns; without it the player is UCT with proofs.
            playouts: of a choice, 1000 if neither limit is given.
            seconds: of a choice, by the clock; the first limit that is reached ends the search.
            parameters: values of parameters, by name, in place of those of the knowledge or the defaults.
            threads: number of trees, each grown by a thread of its own.
            in_flight: playouts that a tree runs at once; by default 1, which searches best, or more if only seconds are
                given.
            memory_mib: largest size of the transposition tables of all trees together, in MiB.
            solver: prove goals in the tree; by default as the parameters or the knowledge say, and without them on.
            seed: of all random choices.
            match: the match that the player goes on with, on the same machine; by default a new one.

        Raises:
            RuleError: the rules are faulty.
            BudgetError: the rules are too large to prepare.
            KnowledgeError: the knowledge cannot be read, belongs to another game, or is no level that the game has.
            ConfigError: there is no such role or parameter, or a number is out of its range.
        """
        if (playouts is not None and playouts <= 0) or (seconds is not None and not seconds > 0):
            raise ConfigError("a player needs more than 0 seconds and more than 0 playouts")
        self.game = game_of(game)
        number = self.game.machine.circuit.choosing_roles[0] if role is None else self.game.role_number(role)
        self._playouts = DEFAULT_PLAYOUTS if playouts is None and seconds is None else playouts
        self._seconds = seconds
        super().__init__(
            self.game.machine,
            self.game.machine.roles[number],
            knowledge=knowledge,
            parameters=parameters,
            threads=threads,
            in_flight=1 if in_flight is None and self._playouts is not None else in_flight,
            memory_mib=memory_mib,
            solver=solver,
            seed=seed,
            match=match,
        )

    def choose(self, state: State, role: RoleLike | None = None) -> Action:
        """Return the player's move in a state, which does not change.

        A new match begins there, so the same state has the same answer, whatever was asked before, unless seconds limit
        the search. `gdl_miner.play` and `gdl_miner.score` take this method as a player.

        Args:
            state: a state of the game that is not terminal.
            role: whose move; by default that of the only role that is to move, `random` left out.

        Raises:
            MoveError: the state is terminal.
            ConfigError: the state is of other rules, `role` is needed or moves by chance, or the player was closed.
        """
        theirs, own = state.game, self.game
        if theirs is not own and (theirs.facts, theirs.actions) != (own.facts, own.actions):
            raise ConfigError(
                f"{theirs.name}: a state of other rules than the player's, {own.name}; make a player of these"
            )
        if state.is_terminal():
            raise MoveError(f"{own.name}: the match is over in this state; there is nothing to choose")
        number = moving_role(state, role)
        legal = state.legal_ids(number)
        if len(legal) == 1:
            return own.actions[int(legal[0])]
        self.role = number
        before = tuple(action.id for action in state.last_moves or ())
        self.begin_match(OngoingMatch(self.machine, state.packed, before))
        thought = self.think(seconds=self._seconds, playouts=self._playouts)
        return own.actions[thought.chosen.row]
