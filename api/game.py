"""Games and their states: load rules, list legal actions, make them and take them back, draw the board.

Roles go in by name, in upper or lower case, or by number, and come out as the rules spell them. Facts and moves are
texts of the rules, such as `(cell 1 1 b)`, and go in in any spelling.
"""

from __future__ import annotations

import json
import os
import random
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.board import BoardPicture, looks_of, picture_of, position_in_words
from gdl_miner.agent.errors import ConfigError, MoveError, RuleError, RuleWarning
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import RuleSheet, normalise, parse_sheet
from gdl_miner.agent.gdl.finding import Finding
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.reasoner import Circuit, Machine, load_machine
from gdl_miner.agent.reasoner.checking import sheet_warnings
from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.reasoner.machine import illegal_move, match_over, no_legal_move

WAITING = "noop"
"""By custom, the move of a role that has to wait."""


class Action(NamedTuple):
    """A move of a role."""

    id: int
    """Its number among the moves of all roles, from 0; roles share no numbers."""
    role: str
    text: str

    def __str__(self) -> str:
        return self.text


RoleLike: TypeAlias = str | int
"""The name or the number of a role."""
ActionLike: TypeAlias = Action | int | np.integer[Any] | str
"""A move: an action, its id, or its text."""


_CHECK_S = 1.0  # for what shows when rules are grounded, and as much for matches
_FOUND: dict[tuple[str, str], tuple[Finding, ...]] = {}  # by the source and the digest of a sheet

GameLike: TypeAlias = "Game | str | os.PathLike[str] | RuleSheet"
"""A game, or what `load` takes."""


def games() -> tuple[str, ...]:
    """Return the names of the bundled games, which `load` takes."""
    return tuple(bundled())


def load(rules: str | os.PathLike[str] | RuleSheet, *, check: bool = True) -> Game:
    """Return the game of a rule sheet: a bundled game (`connectfour.ext`), the path of a .kif file, or a sheet.

    A large game takes seconds the first time; its circuit is then kept in the cache folder.

    Args:
        rules: the rule sheet.
        check: give a `gdl_miner.RuleWarning` for what `agent check` warns of, as far as a second shows it. The bundled
            games are not looked at.

    Raises:
        RuleError: there is no such sheet, or its rules are faulty.
        BudgetError: the rules are too large for a circuit.
    """
    return _loaded(rules, check)


def loads(text: str, name: str = "<string>", *, check: bool = True) -> Game:
    """Return the game of rules in a text; `name` stands for them in messages. Warns and raises as `load` does."""
    return _loaded(parse_sheet(text, name), check)


def _loaded(rules: str | os.PathLike[str] | RuleSheet, check: bool, callers: int = 2) -> Game:
    """Return a game, and warn of its rules where the caller of so many functions has asked for it."""
    machine = load_machine(rules if isinstance(rules, RuleSheet) else os.fspath(rules))
    for finding in _warnings_of(machine) if check else ():
        warnings.warn(str(finding), RuleWarning, stacklevel=callers + 1)
    return Game(machine)


def _warnings_of(machine: Machine) -> tuple[Finding, ...]:
    """Return what is to be warned of, which is sought once in a process for each rule sheet."""
    sheet = machine.sheet
    if (sheet.source, sheet.digest) not in _FOUND:
        _FOUND[sheet.source, sheet.digest] = tuple(sheet_warnings(machine, _CHECK_S))
    return _FOUND[sheet.source, sheet.digest]


def game_of(game: GameLike) -> Game:
    """Return a game as it is, or the one that `load` returns."""
    return game if isinstance(game, Game) else _loaded(game, check=True, callers=3)


class Game:
    """A game whose rules are ready to run.

    `machine` is what runs them, for code that needs more than this class and `State` have.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        sheet = machine.sheet
        self.name: str = sheet.name
        self.roles: tuple[str, ...] = tuple(map(sheet.display, machine.roles))
        """Names of the roles, in the order of the rules."""
        self.role_of_action: tuple[int, ...] = tuple(
            role for role in range(len(self.roles)) for _ in machine.rows(role)
        )
        """[action id] number of the role that makes the move."""
        self.actions: tuple[Action, ...] = tuple(
            Action(row, self.roles[role], sheet.display(machine.circuit.moves[row]))
            for row, role in enumerate(self.role_of_action)
        )
        """[action id] every move that some role can ever make."""
        self.chance = machine.circuit.chance_role if CHANCE_ROLE in machine.roles else None
        """Number of the role `random`, whose moves are drawn; None if there is none."""

    def __repr__(self) -> str:
        return (
            f"<Game {self.name}: roles {', '.join(self.roles)}; {len(self.actions)} actions, {len(self.facts)} facts>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.machine.sheet, self.machine.circuit)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """Every fact that may hold in a state, in the order of the bits of `State.to_array`."""
        return tuple(map(self.machine.sheet.display, self.machine.fluents))

    def role_number(self, role: RoleLike) -> int:
        """Return the number of a role. Raises ConfigError where there is no such role."""
        if isinstance(role, str):
            known = role.lower()
            if known in self.machine.roles:
                return self.machine.roles.index(known)
        elif 0 <= role < len(self.roles):
            return int(role)
        raise ConfigError(f"{self.name} has no role {role}; its roles are {', '.join(self.roles)}")

    def initial_state(self) -> State:
        """Return the state in which matches begin."""
        return State(self, self.machine.initial())

    def state(self, facts: Iterable[str], last_moves: Sequence[ActionLike] = ()) -> State:
        """Return the state in which these facts hold. Facts that hold in every state of the game may be left out.

        No check tells whether play can lead to the state. It has no history, but `last_moves` may name the joint move
        before it, one move for each role: knowledge about moves can depend on it.

        Raises ConfigError for a fact, and MoveError for a move, that the game does not have.
        """
        known = [self.fact(fact) for fact in facts]
        packed = self.machine.state_with(known)
        if last_moves and len(last_moves) != len(self.roles):
            raise MoveError(f"{self.name}: {len(last_moves)} last moves given; give one for each of {self._all_roles}")
        last = tuple(self.action(move, role).id for role, move in enumerate(last_moves))
        return State(self, packed, last)

    def state_from_json(self, text: str) -> State:
        """Return the state that `State.to_json` has written.

        Raises ConfigError where the text is none, or is of other rules.
        """
        try:
            read = json.loads(text)
            facts, digest, last = list(read["facts"]), read.get("digest"), list(read.get("last_moves") or ())
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ConfigError(f"{self.name}: not a state in JSON ({error}); give what State.to_json returns") from None
        if digest not in (None, self.machine.sheet.digest):
            raise ConfigError(f"{self.name}: the state is of other rules; load the game with which it was written")
        return self.state(facts, last)

    def action(self, move: ActionLike, role: RoleLike) -> Action:
        """Return a move of a role as an action, whether or not it is legal in some state.

        Raises MoveError where the role can never make it.
        """
        number = self.role_number(role)
        row = self._row(number, move)
        if row is None:
            raise MoveError(f"{self.name}: {self.roles[number]} can never make the move {str(move)[:200]}")
        return self.actions[row]

    def _row(self, role: int, move: ActionLike) -> int | None:
        """Return the id of a move, None if it is none of the role."""
        if not isinstance(move, str):
            row = move.id if isinstance(move, Action) else move
            return int(row) if isinstance(row, int | np.integer) and row in self.machine.rows(role) else None
        try:
            return self.machine.row(role, normalise(move))
        except (ValueError, RuleError):
            return None

    def fact(self, text: str) -> str:
        """Return a fact in canonical spelling. Raises ConfigError where no state of the game can have it."""
        try:
            fact = normalise(str(text))
            if fact in self._fluents:
                return fact
        except RuleError:
            pass
        raise ConfigError(f"{self.name}: {str(text)[:200]} is no fact of its states; Game.facts has them all")

    @cached_property
    def _fluents(self) -> frozenset[str]:
        return frozenset(self.machine.fluents)

    @property
    def _all_roles(self) -> str:
        return ", ".join(self.roles)


def _restored(sheet: RuleSheet, circuit: Circuit) -> Game:
    return Game(Machine(sheet, circuit))


_Past: TypeAlias = "tuple[NDArray[np.uint64], tuple[int, ...], _Past] | None"
"""The state before the last joint move, the joint move before that state, and its past."""


class State:
    """A state of a game, which `apply` and `undo` change in place.

    States are equal where the same facts hold, whatever led to them. `clone` is quick, and states can be pickled.
    """

    __slots__ = ("_last", "_legal", "_made", "_over", "_packed", "_past", "game")

    def __init__(self, game: Game, packed: NDArray[np.uint64], last: tuple[int, ...] = ()) -> None:
        """Make a state of `packed` facts, as `packed` returns them; `last` has the ids of the joint move before it."""
        self.game = game
        self._packed = packed
        self._last = last
        self._past: _Past = None
        self._made = 0  # length of that past
        self._legal: tuple[NDArray[np.int32], ...] | None = None  # of this state, once it is known
        self._over: bool | None = None  # the same

    # What the state is

    def __str__(self) -> str:
        machine, over = self.game.machine, self.is_terminal()
        return position_in_words(
            self._picture(),
            machine.sheet,
            machine.board,
            machine.facts(self._packed),
            [[machine.circuit.moves[row] for row in rows] for rows in ([] if over else self._rows())],
            machine.goals(self._packed) if over else None,
        )

    def __repr__(self) -> str:
        then = f"over, returns {self.returns()}" if self.is_terminal() else f"{', '.join(self.to_move)} to move"
        return f"<State of {self.game.name} after {self.move_number} moves: {then}>"

    def _repr_svg_(self) -> str | None:
        """Return the board as SVG, with the fields of the last move marked; None without a board. Notebooks show it."""
        picture = self._picture()
        return None if picture is None else picture.svg(standalone=True)

    def _picture(self) -> BoardPicture | None:
        machine = self.game.machine
        board = machine.board
        if board is None:
            return None
        marked = {point for row in self._last for point in board.path(machine.circuit.moves[row])}
        facts, looks = machine.facts(self._packed), looks_of(machine)
        return picture_of(board, machine.fluents, facts, machine.sheet.display, marked, looks)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        same = self.game is other.game or self.game.machine.sheet.digest == other.game.machine.sheet.digest
        return same and self.key == other.key

    @property
    def key(self) -> bytes:
        """The facts as bytes, for dictionaries; equal states of a game have the same."""
        return self._packed.tobytes()

    @property
    def packed(self) -> NDArray[np.uint64]:
        """[words] fact f of the game is bit f % 64 of word f // 64; read-only."""
        return self._packed

    def to_array(self) -> NDArray[np.bool_]:
        """Return [fact] which facts of the game hold, in the order of `Game.facts`."""
        return unpack_states(self._packed, len(self.game.facts))

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that hold, in the order of `Game.facts`."""
        return tuple(map(self.game.machine.sheet.display, self.game.machine.facts(self._packed)))

    def to_json(self) -> str:
        """Return the state as JSON, which `Game.state_from_json` reads.

        Its keys are `game`, `digest` (of the rules), `facts` and `last_moves` (a text for each role, or null).
        """
        last = None if self.last_moves is None else [action.text for action in self.last_moves]
        digest = self.game.machine.sheet.digest
        return json.dumps({"game": self.game.name, "digest": digest, "facts": self.facts, "last_moves": last})

    # What may be done

    def is_terminal(self) -> bool:
        """Return whether the match is over here."""
        if self._over is None:
            self._over = self.game.machine.native.terminal(self._packed)
        return self._over

    def returns(self) -> tuple[int, ...]:
        """Return [role] the goal of each role, 0 to 100, which counts when the match is over.

        Where the rules give a role no goal, as before the end in many games, it is 0.
        """
        return tuple(goal or 0 for goal in self.game.machine.native.goals(self._packed))

    @property
    def to_move(self) -> tuple[str, ...]:
        """The roles that have a choice, `random` among them; several choose at the same time. Empty at the end.

        Where nobody has a choice, it is the first role whose only move is not `noop`, or else the first role.
        """
        return tuple(self.game.roles[role] for role in self._moving())

    def legal_actions(self, role: RoleLike | None = None) -> list[Action]:
        """Return the legal moves of a role, by ascending ids; without a role, those of the only one that is to move.

        There are none in a terminal state. Raises ConfigError where there is no such role, or several are to move.
        """
        actions = self.game.actions
        return [actions[row] for row in self.legal_ids(role).tolist()]

    def legal_ids(self, role: RoleLike | None = None) -> NDArray[np.int32]:
        """Return [n_legal] the ids of what `legal_actions` returns: quicker where there are hundreds of moves."""
        if self.is_terminal():
            return np.empty(0, np.int32)
        if role is not None:
            return self._rows()[self.game.role_number(role)]
        moving = self._moving()
        if len(moving) != 1:
            names = ", ".join(self.game.roles[each] for each in moving)
            raise ConfigError(f"{self.game.name}: {names} choose at the same time; name one of them")
        return self._rows()[moving[0]]

    def legal_action(self, move: ActionLike, role: RoleLike) -> Action:
        """Return a legal move of a role as an action. Raises MoveError for any other move."""
        return self.game.actions[self._legal_row(self.game.role_number(role), move)]

    def chance_outcomes(self) -> list[tuple[Action, float]]:
        """Return the moves of the role `random` and their probabilities; none if it has no choice here."""
        if self.game.chance is None or self.is_terminal():
            return []
        rows = self._rows()[self.game.chance].tolist()
        return [(self.game.actions[row], 1 / len(rows)) for row in rows] if len(rows) > 1 else []

    def _rows(self) -> tuple[NDArray[np.int32], ...]:
        if self._legal is None:
            self._legal = self.game.machine.native.legal(self._packed)
        return self._legal

    def _moving(self) -> list[int]:
        if self.is_terminal():
            return []
        legal, moves = self._rows(), self.game.machine.circuit.moves
        choosing = [role for role, rows in enumerate(legal) if len(rows) > 1]
        if choosing:
            return choosing
        return [next((role for role, rows in enumerate(legal) if len(rows) and moves[rows[0]] != WAITING), 0)]

    # How the match goes on

    def apply(
        self,
        moves: ActionLike | Mapping[RoleLike, ActionLike] | Sequence[ActionLike] | None = None,
        *,
        rng: random.Random | None = None,
    ) -> None:
        """Make a joint move.

        A role with one legal move needs none to be given. So one move is enough where one role is to move, and none
        where nobody has a choice.

        Args:
            moves: a move; a dictionary from roles to moves; or a list of moves, one for each role.
            rng: draws the move of the role `random` if none is given for it.

        Raises:
            MoveError: a move is not legal, a move is missing, or the match is over. The state is as before.
            RuleError: the rules leave a role without a legal move.
        """
        game = self.game
        if self.is_terminal():
            raise match_over(game.machine, self.move_number)
        legal = self._rows()
        joint = self._given(moves)
        for role, row in enumerate(joint):
            if row >= 0:
                continue
            rows = legal[role]
            if len(rows) == 1:
                joint[role] = int(rows[0])
            elif len(rows) == 0:
                raise no_legal_move(game.machine, role)
            elif role == game.chance and rng is not None:
                joint[role] = int(rng.choice(rows.tolist()))
            else:
                raise self._missing(joint)
        past = (self._packed, self._last, self._past)
        self._packed = game.machine.next(self._packed, joint)
        self._last = tuple(joint)
        self._past, self._legal, self._over = past, None, None
        self._made += 1

    def undo(self, count: int = 1) -> None:
        """Take back the last `count` joint moves. Raises MoveError if fewer were made."""
        if not 0 <= count <= self.move_number:
            raise MoveError(f"{self.game.name}: {self.move_number} moves were made; {count} cannot be taken back")
        for _ in range(count):
            assert self._past is not None
            self._packed, self._last, self._past = self._past
        self._legal = self._over = None
        self._made -= count

    def clone(self) -> State:
        """Return a copy with the same history; changes of one leave the other as it is."""
        copy = State(self.game, self._packed, self._last)
        copy._past, copy._legal, copy._over = self._past, self._legal, self._over
        copy._made = self._made
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, object]) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        line, past = [(self._packed, self._last)], self._past
        while past is not None:
            line.append(past[:2])
            past = past[2]
        return _with_past, (self.game, line)

    @property
    def move_number(self) -> int:
        """Number of joint moves made since the first state."""
        return self._made

    @property
    def history(self) -> tuple[tuple[Action, ...], ...]:
        """[move][role] the joint moves made since the first state."""
        made, joint, past = list[tuple[Action, ...]](), self._last, self._past
        while past is not None:
            made.append(tuple(self.game.actions[row] for row in joint))
            _, joint, past = past
        return tuple(reversed(made))

    @property
    def last_moves(self) -> tuple[Action, ...] | None:
        """[role] the joint move that led here; None if it is not known."""
        return tuple(self.game.actions[row] for row in self._last) or None

    def _given(self, moves: ActionLike | Mapping[RoleLike, ActionLike] | Sequence[ActionLike] | None) -> list[int]:
        """Return [role] the ids of the moves that are given, -1 where none is."""
        game = self.game
        joint = [-1] * len(game.roles)
        if moves is None:
            return joint
        if isinstance(moves, Action | int | np.integer):
            row = moves.id if isinstance(moves, Action) else int(moves)
            if not 0 <= row < len(game.actions):
                raise MoveError(f"{game.name}: there is no action {row}; ids go from 0 to {len(game.actions) - 1}")
            joint[game.role_of_action[row]] = self._legal_row(game.role_of_action[row], row)
        elif isinstance(moves, str):
            role = self._role_for(moves)
            joint[role] = self._legal_row(role, moves)
        elif isinstance(moves, Mapping):
            for name, move in moves.items():
                role = game.role_number(name)
                joint[role] = self._legal_row(role, move)
        else:
            if len(moves) != len(joint):
                raise MoveError(f"{game.name}: {len(moves)} moves given; give one for each of {', '.join(game.roles)}")
            joint = [self._legal_row(role, move) for role, move in enumerate(moves)]
        return joint

    def _role_for(self, move: str) -> int:
        """Return the role that is meant to make a move that is given by its text alone."""
        moving = self._moving()
        able = [role for role in moving if self.game._row(role, move) in self._rows()[role]]
        if len(able) > 1:
            raise self._missing([-1] * len(self.game.roles))
        return (able or moving)[0]

    def _legal_row(self, role: int, move: ActionLike) -> int:
        """Return the id of a legal move. Raises MoveError for any other."""
        rows, row = self._rows()[role], self.game._row(role, move)
        if row is not None:
            place = int(rows.searchsorted(row))
            if place < len(rows) and rows[place] == row:
                return row
        if len(rows) == 0:
            raise no_legal_move(self.game.machine, role)
        shown = move if row is None else self.game.actions[row].text
        raise illegal_move(self.game.machine, role, str(shown), rows)

    def _missing(self, joint: Sequence[int]) -> MoveError:
        """Return the error that moves are missing."""
        lacking = [
            role for role, (row, rows) in enumerate(zip(joint, self._rows(), strict=True)) if row < 0 and len(rows) > 1
        ]
        names = ", ".join(self.game.roles[role] for role in lacking)
        drawn = "; or give rng, which draws that of random" if lacking == [self.game.chance] else ""
        example = "{" + ", ".join(f"{self.game.roles[role]!r}: …" for role in lacking) + "}"
        return MoveError(f"{self.game.name}: {names} must choose; give a move for each, as {example}{drawn}")


def _with_past(game: Game, line: list[tuple[NDArray[np.uint64], tuple[int, ...]]]) -> State:
    """Return the state of a line of states with the joint moves before them, from the last state to the first.

    A list is pickled at any length; the nested tuples of a long past are too deep.
    """
    state = State(game, *line[0])
    for packed, last in reversed(line[1:]):
        state._past = (packed, last, state._past)
    state._made = len(line) - 1
    return state
