"""Searches of a state: how often each move was tried, what it is worth, the line of play expected, and the tree."""

from __future__ import annotations

import json
import math
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from gdl_miner.agent.errors import ConfigError, MoveError
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.player import OngoingMatch, Player
from gdl_miner.agent.reasoner.circuit import State as Packed
from gdl_miner.agent.reasoner.engines import CircuitEngine
from gdl_miner.agent.reasoner.machine import no_legal_move
from gdl_miner.agent.search.plain_uct import PlainSearch
from gdl_miner.api.evaluation import knowledge_for
from gdl_miner.api.game import Action, RoleLike, State
from gdl_miner.api.plugins import BatchEvaluator, Evaluator, EvaluatorPlugin, evaluator_named, prepared

_Look: TypeAlias = Callable[[Packed, Sequence[int]], dict[int, tuple[int, float]]]
"""It takes a state and the joint move before it, and returns the visits and the sum of goals of the role's moves."""

DEFAULT_PLAYOUTS = 1000
LONGEST_LINE = 12  # joint moves


class SearchedMove(NamedTuple):
    """A legal move with the visits and the value that a search gave it."""

    action: Action
    visits: int
    """Playouts that chose the move."""
    value: float
    """The mean goal of these playouts for the role, 0 to 100; nan if there were none."""
    verdict: int = 0
    """1: proven that no move brings more; -1: proven to bring the least; 0: neither."""


@dataclass(frozen=True)
class TreeNode:
    """A state in the tree of a search."""

    moves: tuple[Action, ...]
    """[role] the joint move that leads here from the node above; empty at the root."""
    visits: int
    value: float
    """Mean goal for the role that searched, 0 to 100; nan without visits."""
    children: tuple[TreeNode, ...] = ()
    """The states after this one, the most visited first."""

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as values for JSON: the keys are `moves`, `visits`, `value` (or null) and `children`."""
        return {
            "moves": [action.text for action in self.moves],
            "visits": self.visits,
            "value": None if math.isnan(self.value) else round(self.value, 3),
            "children": [child.to_dict() for child in self.children],
        }


@dataclass(frozen=True, eq=False)
class Analysis:
    """The result of a search of a state for one role."""

    state: State
    """The state that was searched."""
    role: str
    moves: tuple[SearchedMove, ...]
    """Every legal move, best first."""
    best: Action
    """The move to play. Where several roles choose at the same time it is drawn by the visits, else the first."""
    line: tuple[tuple[Action, ...], ...]
    """[move][role] the joint moves that the search expects, the best move first."""
    playouts: int
    seconds: float
    nodes: int
    """Number of states in the tree."""
    _look: _Look = field(repr=False)

    @property
    def value(self) -> float:
        """The mean goal of the playouts that chose the best move, 0 to 100; nan if there were none."""
        return next(move.value for move in self.moves if move.action == self.best)

    def __str__(self) -> str:
        lines = [f"{self.role}: {self.playouts} playouts in {self.seconds:.2f} s", "visits  value  move"]
        lines += [
            f"{each.visits:6}  {'' if math.isnan(each.value) else f'{each.value:.1f}':>5}  {each.action}"
            + {1: "  (proven best)", -1: "  (proven worst)", 0: ""}[each.verdict]
            for each in self.moves[:20]
        ]
        said = (" ".join(str(move) for move in joint if str(move).lower() != "noop") for joint in self.line)
        return "\n".join([*lines, f"expected: {', '.join(said)}"])

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values for JSON.

        The keys are `role`, `best`, `value` (or null), `playouts`, `seconds`, `nodes`, `line` and `moves`. A move has
        an `id`, `move`, `visits`, `value` (or null) and `verdict`.
        """
        return {
            "role": self.role,
            "best": self.best.text,
            "value": _known(self.value),
            "playouts": self.playouts,
            "seconds": round(self.seconds, 3),
            "nodes": self.nodes,
            "line": [[action.text for action in joint] for joint in self.line],
            "moves": [
                {
                    "id": each.action.id,
                    "move": each.action.text,
                    "visits": each.visits,
                    "value": _known(each.value),
                    "verdict": each.verdict,
                }
                for each in self.moves
            ],
        }

    def to_json(self) -> str:
        """Return `to_dict` as a line of JSON."""
        return json.dumps(self.to_dict())

    def tree(self, depth: int = 2, least_visits: int = 1) -> TreeNode:
        """Return the tree of the search down to so many joint moves, without states of fewer visits.

        It takes some 20 µs for each state that is looked at. A state that several lines reach has the visits of all,
        and a state before the end may have a visit more than in the search.

        Raises ConfigError for a puzzle search without parameters, which has no tree of visits.
        """
        known = {each.action.id: (each.visits, each.visits * each.value if each.visits else 0.0) for each in self.moves}
        visits, total = _sum(known)
        children = self._children(self.state.packed, known, depth, max(1, least_visits))
        return TreeNode((), visits, total / visits if visits else math.nan, children)

    def _children(
        self, packed: Packed, known: dict[int, tuple[int, float]], depth: int, least: int
    ) -> tuple[TreeNode, ...]:
        game, machine = self.state.game, self.state.game.machine
        if depth <= 0 or machine.terminal(packed):
            return ()
        own, found = game.role_number(self.role), list[TreeNode]()
        legal = [rows.tolist() for rows in machine.legal(packed)]
        alone = sum(len(rows) > 1 for rows in legal) == 1 and len(legal[own]) > 1  # then the moves have the visits
        if len(legal[own]) > 1:
            legal[own] = [row for row in legal[own] if known.get(row, (0, 0.0))[0] >= least]
        for joint in product(*legal):
            after = machine.next(packed, joint)
            beyond = {} if machine.terminal(after) else self._look(after, joint)
            visits, total = known[joint[own]] if alone else self._visits(after, beyond, len(legal))
            if visits >= least:
                children = self._children(after, beyond, depth - 1, least)
                moves = tuple(game.actions[row] for row in joint)
                found.append(TreeNode(moves, visits, total / visits, children))
        return tuple(sorted(found, key=lambda node: (-node.visits, [action.id for action in node.moves])))

    def _visits(self, packed: Packed, known: dict[int, tuple[int, float]], further: int) -> tuple[int, float]:
        """Return the visits of a state and the sum of their goals, which the states after it have if others choose."""
        machine = self.state.game.machine
        visits, total = _sum(known)
        if visits or further <= 1 or machine.terminal(packed):
            return visits, total
        for joint in product(*(rows.tolist() for rows in machine.legal(packed))):
            after = machine.next(packed, joint)
            if not machine.terminal(after):
                more, goals = self._visits(after, self._look(after, joint), further - 1)
                visits, total = visits + more, total + goals
        return visits, total


def search(
    state: State,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    role: RoleLike | None = None,
    knowledge: str | os.PathLike[str] | Knowledge | None = None,
    evaluator: Evaluator | BatchEvaluator | EvaluatorPlugin | str | None = None,
    parameters: Mapping[str, Any] | None = None,
    threads: int = 1,
    in_flight: int | None = None,
    seed: int = 0,
) -> Analysis:
    """Search a state with UCT and return what each move is worth. The state does not change.

    The same state, playouts, threads and seed give the same result. A search of a game of one role looks for lines to
    the largest goal, unless there is knowledge, an evaluator or a parameter; its playouts are the states it sees.

    Args:
        state: a state that is not terminal.
        playouts: number of matches that are simulated, 1000 if neither limit is given.
        seconds: wall-clock time; the first limit that is reached ends the search.
        role: the role to search for; by default the only one that is to move, `random` left out.
        knowledge: a knowledge file, the name of a level of released knowledge, or what `read_knowledge` returns.
        evaluator: a function that says what goal, 0 to 100, each role may expect in a state. It takes the place of the
            random rest of each playout; such a search is in plain Python and takes no knowledge or parameters. A
            `BatchEvaluator` judges many states at once. Or
            the name of an evaluator of another package with its options, as `material+piece=4` (docs/extending.md).
        parameters: parameters of the search by name (docs/search.md), as `{"uct_c": 20.0}`.
        threads: number of trees, each grown by a thread of its own.
        in_flight: playouts that a tree runs at once; by default 1, which searches best, or more if only seconds are
            given.
        seed: of all random choices.

    Raises:
        MoveError: the state is terminal.
        ConfigError: an argument is out of its range, or there is no such role.
        KnowledgeError: the knowledge cannot be read or is of another game.
        RuleError: the rules leave a role without a legal move.
    """
    if not isinstance(state, State):
        raise ConfigError(f"{state!r:.200} is no state; give one, such as load(…).initial_state()")
    game = state.game
    if state.is_terminal():
        raise MoveError(f"{game.name}: the match is over in this state; there is nothing to search")
    number = moving_role(state, role)
    if not len(state.legal_ids(number)):
        raise no_legal_move(game.machine, number)
    if playouts is None and seconds is None:
        playouts = DEFAULT_PLAYOUTS
    if (playouts is not None and playouts <= 0) or (seconds is not None and not seconds > 0):
        raise ConfigError("a search needs more than 0 seconds and more than 0 playouts")
    state = state.clone()
    if evaluator is not None:
        if knowledge is not None or parameters is not None:
            raise ConfigError("a search by an evaluator takes neither knowledge nor parameters; leave them out")
        if isinstance(evaluator, str | EvaluatorPlugin):
            plugin = evaluator_named(evaluator) if isinstance(evaluator, str) else evaluator
            found: Evaluator | BatchEvaluator | Knowledge = prepared(plugin, game)
        else:
            found = evaluator
        if not isinstance(found, Knowledge):
            if not isinstance(found, BatchEvaluator) and not callable(found):
                raise ConfigError(f"{found!r:.200} is no evaluator; give a function of a state, or a name")
            return _search_plainly(state, number, playouts or 0, seconds or 0.0, found, seed)
        knowledge = found
    elif isinstance(knowledge, Knowledge):
        knowledge = knowledge_for(knowledge, game)
    before = tuple(action.id for action in state.last_moves or ())
    if in_flight is None and playouts is not None:
        in_flight = 1
    player = Player(
        game.machine,
        game.machine.roles[number],
        knowledge=knowledge,
        parameters=parameters,
        threads=threads,
        in_flight=in_flight,
        seed=seed,
        match=OngoingMatch(game.machine, state.packed, before),
    )
    thought = player.think(seconds=seconds, playouts=playouts)
    moves = tuple(SearchedMove(game.actions[m.row], m.visits, m.value, m.verdict) for m in thought.moves)
    line = tuple(tuple(game.actions[row] for row in joint) for joint in player.line(thought, LONGEST_LINE))

    def look(packed: Packed, last: Sequence[int]) -> dict[int, tuple[int, float]]:
        rows, visits, goals = player.look(packed, last)
        return dict(zip(rows.tolist(), zip(visits.tolist(), goals.tolist(), strict=True), strict=True))

    best = game.actions[thought.chosen.row]
    return Analysis(
        state, game.roles[number], moves, best, line, thought.playouts, thought.seconds, thought.nodes, look
    )


def moving_role(state: State, role: RoleLike | None) -> int:
    """Return the number of a role, by default that of the only one that is to move, `random` left out.

    Raises ConfigError where several are to move, or the role moves by chance.
    """
    game = state.game
    if role is not None:
        number = game.role_number(role)
        if number == game.chance:
            raise ConfigError(f"{game.name}: the role {game.roles[number]} moves by chance; nobody searches for it")
        return number
    moving = [name for name in state.to_move if name.lower() != CHANCE_ROLE]
    if len(moving) != 1:
        choose = f"{', '.join(moving)} choose at the same time" if moving else "only chance is to move"
        raise ConfigError(f"{game.name}: {choose}; name the role to search for")
    return game.role_number(moving[0])


def _search_plainly(
    state: State, number: int, playouts: int, seconds: float, evaluator: Evaluator | BatchEvaluator, seed: int
) -> Analysis:
    game, machine = state.game, state.game.machine

    def checked(returned: Sequence[float]) -> Sequence[float]:
        try:
            values = [float(value) for value in returned]
        except (TypeError, ValueError):  # one number, None, or texts
            values = []
        if len(values) != len(game.roles) or not all(0 <= value <= 100 for value in values):
            raise ConfigError(
                f"the evaluator returned {values or repr(returned)[:200]}; it must return a number from 0 to 100 for "
                f"each of {', '.join(game.roles)}"
            )
        return values

    def judge_all(packed: Sequence[Packed]) -> Sequence[Sequence[float]]:
        assert isinstance(evaluator, BatchEvaluator)
        found = [checked(values) for values in evaluator.judge([State(game, each) for each in packed])]
        if len(found) != len(packed):
            raise ConfigError(f"the evaluator returned values of {len(found)} states; it must judge all {len(packed)}")
        return found

    begin, engine, dice = time.perf_counter(), CircuitEngine(machine), random.Random(seed)
    if isinstance(evaluator, BatchEvaluator):
        if evaluator.size < 1:
            raise ConfigError(f"an evaluator of {evaluator.size} states at once; let it judge at least 1")
        tree = PlainSearch(engine, dice, batches=(judge_all, evaluator.size))
    else:
        tree = PlainSearch(engine, dice, lambda packed: checked(evaluator(State(game, packed))))
    made = tree.think(state.packed, number, playouts, seconds)

    def look(packed: Packed, last: Sequence[int]) -> dict[int, tuple[int, float]]:
        return {machine.row(number, move): found for move, found in tree.arms(packed, number).items()}

    moves = sorted(
        (
            SearchedMove(game.actions[row], visits, total / visits if visits else math.nan)
            for row, (visits, total) in look(state.packed, ()).items()
        ),
        key=lambda move: (-move.visits, -move.value if move.visits else 0.0, move.action.id),
    )
    line, packed = list[tuple[Action, ...]](), state.packed
    while len(line) < LONGEST_LINE and not machine.terminal(packed):
        arms = [tree.arms(packed, role) for role in range(len(game.roles))]
        if not all(found and any(visits for visits, _ in found.values()) for found in arms):
            break
        joint = [machine.row(role, _most_visited(found)) for role, found in enumerate(arms)]
        line.append(tuple(game.actions[row] for row in joint))
        packed = machine.next(packed, joint)
    spent = time.perf_counter() - begin
    return Analysis(
        state, game.roles[number], tuple(moves), moves[0].action, tuple(line), made.playouts, spent, tree.nodes, look
    )


def _most_visited(arms: Mapping[str, tuple[int, float]]) -> str:
    """Return the move with the most visits; among equals that with the larger goals, then the first."""
    return min(arms, key=lambda move: (-arms[move][0], -arms[move][1], move))


def _sum(known: Mapping[int, tuple[int, float]]) -> tuple[int, float]:
    """Return the visits of all moves and the sum of their goals."""
    return sum(visits for visits, _ in known.values()), sum(total for _, total in known.values())


def _known(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 3)
