"""UCT in plain Python over any engine, one playout after another, for games that have no circuit.

Every role searches for itself; the moves of all roles in a state are chosen by UCB1, each for its own role's goal
(decoupled UCT). The moves of the role `random` are drawn uniformly. Equal states share one node. Each playout adds one
node.

The search of a single player keeps the best line that a playout has ever made, and moves along it.

A judge of states can take the place of the random rest of each playout. It says what goal each role may expect. It can
judge many states at once: then so many playouts are under way, each with a virtual loss until its state is judged
(Chaslot, Winands & van den Herik 2008).
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.knowledge.parameters import Parameters
from gdl_miner.agent.limits import LONGEST_MATCH
from gdl_miner.agent.reasoner.engines import TextEngine

Judge: TypeAlias = Callable[[Any], Sequence[float]]
"""It takes a state of the engine that is not terminal, and returns [role] a value on the scale of goals, 0 to 100."""
BatchJudge: TypeAlias = Callable[[Sequence[Any]], Sequence[Sequence[float]]]
"""It takes states that are not terminal, and returns [state][role] what a judge returns of each."""
PlainProgress = Callable[[int, int], None]  # called with the numbers of joint moves made and playouts finished


class PlainPlayer(NamedTuple):
    """The player of a seat. A search ends after `playouts` or `seconds`; 0 means no limit."""

    kind: Literal["uct", "random"] = "uct"
    playouts: int = 0
    seconds: float = 0.0


class PlainMatch(NamedTuple):
    """A match from the initial state to its end."""

    moves: list[tuple[str, ...]]  # [step][role]
    goals: list[int | None]  # [role]
    playouts: list[int]  # [role]


class PlainThought(NamedTuple):
    """Result of a search."""

    move: str  # the most visited; the first in the alphabet among equals
    playouts: int  # finished playouts


class _Arm:
    __slots__ = ("payoff", "visits")

    def __init__(self) -> None:
        self.visits: int = 0
        self.payoff: float = 0  # sum of goals


class _Node:
    def __init__(self, engine: TextEngine[Any], state: Any) -> None:
        self.state = state
        self.visits = 0
        self.goals = _payoffs(engine, state) if engine.terminal(state) else None
        legal = [set[str]()] * len(engine.roles) if self.goals else engine.legal(state)
        self.arms: list[dict[str, _Arm]] = [{move: _Arm() for move in sorted(moves)} for moves in legal]


_Descent: TypeAlias = list[tuple[_Node, list[_Arm]]]


def _visit(path: _Descent) -> None:
    for node, arms in path:
        node.visits += 1
        for arm in arms:
            arm.visits += 1


def _pay(path: _Descent, goals: Sequence[float]) -> None:
    for _, arms in path:
        for arm, goal in zip(arms, goals, strict=True):
            arm.payoff += goal


def _payoffs(engine: TextEngine[Any], state: Any) -> Sequence[float]:
    return [goal or 0 for goal in engine.goals(state)]


class PlainSearch:
    """The searches of one role in one match. The tree of a search is kept for the next one."""

    def __init__(
        self,
        engine: TextEngine[Any],
        rng: random.Random,
        judge: Judge | None = None,
        batches: tuple[BatchJudge, int] | None = None,
    ) -> None:
        """Begin with an empty tree. `batches` has the place of `judge` with the number of states judged at once."""
        self._engine = engine
        self._rng = rng
        self._judge = judge
        self._batches = batches
        self._chance = engine.roles.index(CHANCE_ROLE) if CHANCE_ROLE in engine.roles else None
        self._exploration = Parameters().uct_c
        self._nodes: dict[frozenset[str], _Node] = {}
        self._end = math.inf
        self._made = 0  # playouts of the last search
        self._best: dict[frozenset[str], str] = {}  # of a single player: the moves of its best line, by their states
        self._best_goal: float = 0  # at its end

    @property
    def nodes(self) -> int:
        """Number of states in the tree."""
        return len(self._nodes)

    def think(self, state: Any, role: int, playouts: int, seconds: float) -> PlainThought:
        """Search a state that is not terminal until a limit is reached; 0 means no limit.

        Raises RuleError where a role has no legal move.
        """
        self._end = time.perf_counter() + seconds if seconds else math.inf
        self._made = 0
        if self._on_best_line(state) is None:
            self._best, self._best_goal = {}, 0
        root, _ = self._node(state)
        while (not playouts or self._made < playouts) and time.perf_counter() < self._end:
            left = playouts - self._made if playouts else math.inf
            made = self._playout(root) if self._batches is None else self._playouts(root, *self._batches, left)
            self._made += made
        return self.known(state, role)

    def known(self, state: Any, role: int) -> PlainThought:
        """Return what the last search found of its state, also if an error of the engine ended it.

        The move is empty if the search had not listed the moves of the state.
        """
        root = self._nodes.get(frozenset(self._engine.facts(state)))
        if root is None:
            return PlainThought("", 0)
        move, _ = max(root.arms[role].items(), key=lambda found: found[1].visits)
        return PlainThought(self._on_best_line(root.state) or move, self._made)

    def arms(self, state: Any, role: int) -> dict[str, tuple[int, float]]:
        """Return the visits of each legal move of a role and the sum of its goals; none if the tree lacks the state."""
        node = self._nodes.get(frozenset(self._engine.facts(state)))
        return {} if node is None else {move: (arm.visits, arm.payoff) for move, arm in node.arms[role].items()}

    def _on_best_line(self, state: Any) -> str | None:
        """Return the move of the best line in a state, None if the line does not go through it."""
        return self._best.get(frozenset(self._engine.facts(state)))

    def _keep_line(self, path: list[tuple[_Node, list[_Arm]]], rest: list[tuple[Any, str]], goal: float) -> None:
        """Keep the line of a playout of a single player, in the tree and beyond it, if it brings more than the best."""
        if goal <= self._best_goal:
            return
        made = [(node.state, next(move for move, arm in node.arms[0].items() if arm is arms[0])) for node, arms in path]
        self._best = {frozenset(self._engine.facts(state)): move for state, move in made + rest}
        self._best_goal = goal

    def _node(self, state: Any) -> tuple[_Node, bool]:
        """Return the node of a state, and whether it is new."""
        key = frozenset(self._engine.facts(state))
        node = self._nodes.get(key)
        if node is not None:
            return node, False
        node = self._nodes[key] = _Node(self._engine, state)
        if node.goals is None:
            _require_moves(self._engine, node.arms)
        return node, True

    def _playout(self, root: _Node) -> bool:
        """Make a playout. Return False where the time ran out first; it then leaves the statistics as they were."""
        found = self._descend(root)
        if found is None:
            return False
        path, node = found
        rest: list[tuple[Any, str]] = []
        goals = node.goals or (self._judge(node.state) if self._judge else self._finish(node.state, rest))
        if goals is None:
            return False
        if len(goals) == 1 and self._judge is None:
            self._keep_line(path, rest, goals[0])
        _visit(path)
        _pay(path, goals)
        return True

    def _playouts(self, root: _Node, judge: BatchJudge, size: int, most: float) -> int:
        """Make playouts whose new states are judged together, at most `most`, and return how many."""
        made, leaves = 0, list[tuple[_Descent, _Node]]()
        while len(leaves) < size and made < most and (found := self._descend(root)) is not None:
            path, node = found
            _visit(path)  # until it is paid, a visit is a loss to all roles, so that others go elsewhere
            made += 1
            if node.goals is None:
                leaves.append((path, node))
            else:
                _pay(path, node.goals)
                if made >= size:  # where all lines end, there is nothing to judge
                    break
        for (path, _), goals in zip(leaves, judge([node.state for _, node in leaves]) if leaves else (), strict=True):
            _pay(path, goals)
        return made

    def _descend(self, root: _Node) -> tuple[_Descent, _Node] | None:
        """Return the way from the root to a new node or an end, and that node; None where the time runs out first."""
        path: _Descent = []
        node, new = root, False
        while node.goals is None and not new:
            if time.perf_counter() > self._end:
                return None
            joint = [self._select(node, role) for role in range(len(node.arms))]
            path.append((node, [node.arms[role][move] for role, move in enumerate(joint)]))
            node, new = self._node(self._engine.next(node.state, joint))
        return path, node

    def _select(self, node: _Node, role: int) -> str:
        arms = node.arms[role]
        if role == self._chance:
            return self._rng.choice(list(arms))
        fresh = [move for move, arm in arms.items() if arm.visits == 0]
        if fresh:
            return self._rng.choice(fresh)
        log = math.log(node.visits)

        def bound(move: str) -> float:
            arm = arms[move]
            return arm.payoff / arm.visits + self._exploration * math.sqrt(log / arm.visits)

        return max(arms, key=bound)

    def _finish(self, state: Any, line: list[tuple[Any, str]]) -> Sequence[float] | None:
        """Play at random to the end and return the goals; return None where the time runs out first.

        The states and the moves of the first role are added to `line`.
        """
        engine = self._engine
        while not engine.terminal(state):
            if len(line) >= LONGEST_MATCH:
                raise RuleError(f"a match went on for more than {LONGEST_MATCH:,} moves; let the rules end it")
            if time.perf_counter() > self._end:
                return None
            legal = [sorted(moves) for moves in engine.legal(state)]
            _require_moves(engine, legal)
            joint = [self._rng.choice(moves) for moves in legal]
            line.append((state, joint[0]))
            state = engine.next(state, joint)
        return _payoffs(engine, state)


def _require_moves(engine: TextEngine[Any], legal: Sequence[object]) -> None:
    for role, moves in zip(engine.roles, legal, strict=True):
        if not moves:
            raise RuleError(f"{role} has no legal move in a state that is not terminal; mend the rules")


def play_plain_match(
    sheet: RuleSheet,
    engine: TextEngine[Any],
    players: Sequence[PlainPlayer],
    seed: int,
    progress: PlainProgress | None = None,
) -> PlainMatch:
    """Play one match. The same seed gives the same match, unless a player has a limit in seconds.

    Raises RuleError where a role has no legal move in a state that is not terminal.
    """
    dice = [random.Random(f"{seed} {role}") for role in range(len(players))]
    searches = [PlainSearch(engine, rng) for rng in dice]
    state, moves, playouts = engine.initial(), list[tuple[str, ...]](), [0] * len(players)
    try:
        while not engine.terminal(state):
            if len(moves) >= LONGEST_MATCH:
                raise RuleError(f"a match went on for more than {LONGEST_MATCH:,} moves; let the rules end it")
            legal = [sorted(known) for known in engine.legal(state)]
            _require_moves(engine, legal)
            joint = []
            for role, player in enumerate(players):
                move = dice[role].choice(legal[role])
                if player.kind == "uct" and engine.roles[role] != CHANCE_ROLE and len(legal[role]) > 1:
                    move, made = searches[role].think(state, role, player.playouts, player.seconds)
                    playouts[role] += made
                joint.append(move)
                if progress is not None:
                    progress(len(moves), sum(playouts))
            moves.append(tuple(joint))
            state = engine.next(state, joint)
    except RuleError as error:
        raise RuleError(f"{sheet.source}: {error}") from None
    return PlainMatch(moves, list(engine.goals(state)), playouts)
