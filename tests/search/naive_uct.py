"""A reference implementation of one UCT search, written directly from its definition (docs/search.md).

It draws the same random numbers from the same seeds as the native search, so that visits must agree exactly. Trees,
tables, selection, backup, proofs and seeds are implemented here and in the modules `naive_…` beside it. Four
things are shared with the native code, and each has a plain twin and tests of its own:

- the rules of the game, `Machine`: moves, next states and goals (tests/reasoner);
- the random part of a playout, one lane of `_native.Lanes`: the joint moves drawn from a seed
  (tests/native/test_lanes.py). Where playouts prefer decisive moves, every move of the lane is checked here;
- the weights that knowledge gives to moves, `_native.Scorer` (tests/knowledge/test_scorer.py);
- what learned weights say of a state, `_native.ValueFunction` (tests/native/test_value_function.py).

Of decisive moves, the native module also tells which rows may be one of several of their role, and the turns
(tests/native/test_decisive_moves.py, tests/native/test_turns.py). A fault in a shared part, and a misunderstanding of
the definition that both searches share, cannot show here.
"""

import math
from dataclasses import dataclass

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search import PlayerSpec, search_position
from tests.search.naive_decisive import NaiveDecisiveMoves
from tests.search.naive_draws import Draws, draw_by, hash_combine, natural_log, power
from tests.search.naive_tree import Goals, Move, Node, Path, Proofs, Table
from tests.search.naive_values import LeafValues, goals_of

PLAYOUT, SELECTION = 0, 1


@dataclass
class NaiveSearch:
    """The searches of one role in one match; call `think` once for every move."""

    machine: Machine
    player: PlayerSpec
    role: int = 0  # read only where other roles know less

    def __post_init__(self) -> None:
        self.table = Table(self.player.table_states)
        self.proofs = Proofs(self.machine, self.player.parameters.solver)
        self.leaves = LeafValues(self.machine, self.player, self.proofs)
        self.scorer = None if self.player.tables is None else _native.Scorer(self.player.tables)
        level = self.player.parameters.decisive_moves
        self.decisive = None if level == "off" else NaiveDecisiveMoves(self.machine, level)
        self.lanes = _native.Lanes(self.machine.native, 64, None, level)

    def think(self, state: np.ndarray, seed: int, last_rows: tuple[int, ...] | None = None) -> Node:
        root = self.table.look_up(state) or self.add(state, self.table.clock + 1)
        self.root_last_rows = last_rows
        credit = 0
        for playout in range(self.player.playouts):
            if root.solved:
                break
            credit += round(self.player.parameters.expansions * 1000)
            self.play(root, hash_combine(seed, playout), credit // 1000)
            credit %= 1000
        return root

    def informed(self, role: int) -> bool:
        return self.scorer is not None and self.scorer.acts_in(SELECTION, role)

    def weights(
        self, phase: int, role: int, state: np.ndarray, last_rows: tuple[int, ...] | None, rows: np.ndarray
    ) -> list[int]:
        last = np.asarray([last_rows or [-1] * len(self.machine.roles)], np.int32)
        start = np.asarray([0, len(rows)], np.int64)
        return self.scorer.score(phase, role, state[None, :], last, start, np.asarray(rows, np.int32)).tolist()

    def add(self, state: np.ndarray, keep_since: int) -> Node | None:
        node = self.table.add(state, self.goals(state) if self.machine.terminal(state) else None, keep_since)
        if node is not None:
            node.chance = self.machine.circuit.chance_role
        return node

    def goals(self, state: np.ndarray) -> tuple[int, ...]:
        return goals_of(self.machine, state)

    def play(self, root: Node, seed: int, allowance: int) -> None:
        draws, lane_seed = Draws(seed), hash_combine(seed, 1)
        path: Path = []
        start = self.table.clock + 1
        node = root
        joint = self.root_last_rows
        goals: tuple[int, ...] | None = None
        while goals is None:
            self.table.visit(node)
            values = self.list_moves(node, root)
            if node.goals is not None:
                self.proofs.back_up(path, node.goals)
                goals = node.goals
                break
            if values is not None:
                goals = self.take_values(values, path[-1][0].state, node.state, joint, lane_seed, draws)
                break
            self.rank_moves(node, joint)
            chosen = [self.select(node, role, draws) for role in range(len(self.machine.roles))]
            path.append((node, chosen))
            joint = tuple(move.row for move in chosen)
            state = self.machine.next(node.state, joint)
            known = self.table.look_up(state)
            if known is None and allowance > 0 and (known := self.add(state, start)) is not None:
                allowance -= 1
                if allowance == 0 and known.goals is None and not self.leaves.value_moves:
                    known = None
            if known is not None:
                node = known
            elif self.leaves.value_nodes and not self.machine.terminal(state):
                goals = self.take_values(self.leaves.of_state(state), node.state, state, joint, lane_seed, draws)
            else:
                goals = self.leaves.mix(None, self.play_out(node.state, state, joint, lane_seed, draws), draws)
        for node, chosen in path:
            node.visits += 1
            for role, move in enumerate(chosen):
                move.visits += 1
                move.payoff += goals[role]

    def list_moves(self, node: Node, root: Node) -> list[float] | None:
        """List the moves of a node when it opens. Return what it is worth if that ends the playout."""
        if node.moves is not None or node.goals is not None:
            return None
        node.moves = [[Move(int(row)) for row in rows] for rows in self.machine.legal(node.state)]
        if not self.leaves.value_moves or (node is root and node.chooser is None):
            return None
        values = self.leaves.of_node(node)
        return None if node is root else values

    def take_values(
        self,
        values: list[float],
        parent: np.ndarray,
        state: np.ndarray,
        joint: tuple[int, ...],
        lane_seed: int,
        draws: Draws,
    ) -> tuple[int, ...]:
        """Return what a playout counts with that ends at a node of some values, perhaps after a simulation."""
        goals = self.play_out(parent, state, joint, lane_seed, draws) if self.leaves.simulate else None
        return self.leaves.mix(values, goals, draws)

    def rank_moves(self, node: Node, last_rows: tuple[int, ...] | None) -> None:
        if not node.ranked and node.visits >= self.player.parameters.scoring_visits:
            node.ranked = True
            for role, moves in enumerate(node.moves):
                if len(moves) > 1 and self.informed(role):
                    self.rank(node, role, moves, last_rows)

    def rank(self, node: Node, role: int, moves: list[Move], last_rows: tuple[int, ...] | None) -> None:
        weights = self.weights(SELECTION, role, node.state, last_rows, np.array([move.row for move in moves]))
        whole = sum(weights) if self.player.parameters.exploration == "puct" else max(weights)
        for move, weight in zip(moves, weights, strict=True):
            move.prior = float(np.float32(weight / whole))
        weight_of = {move.row: weight for move, weight in zip(moves, weights, strict=True)}
        moves.sort(key=lambda move: (-weight_of[move.row], move.row))

    def select(self, node: Node, role: int, draws: Draws) -> Move:
        moves = node.moves[role]
        if len(moves) == 1:
            return moves[0]
        if role == self.machine.circuit.chance_role:
            return moves[draws.below(len(moves))]
        if not (node.ranked and self.informed(role)):
            if (known := self.better_than_unvisited(node, moves)) is not None:
                return known
            fresh = [move for move in moves if move.visits == 0]
            return fresh[draws.below(len(fresh))] if fresh else max(moves, key=lambda move: self.bound(node, move))
        moves = moves[: self.width(len(moves), node.visits)]
        fresh = [move for move in moves if move.visits == 0]
        seen = [move for move in moves if move.visits > 0]
        best = max(seen, key=lambda move: self.informed_bound(node, move), default=None)
        if not fresh:
            return best
        mean = sum(move.payoff for move in seen) / sum(move.visits for move in seen) if seen else 0.0
        if best and self.informed_bound(node, best) > mean + self.exploration(node, fresh[0]):
            return best
        alike = [move for move in fresh if move.prior == fresh[0].prior]
        return alike[draws.below(len(alike))]

    def better_than_unvisited(self, node: Node, moves: list[Move]) -> Move | None:
        """Return the best of the moves visited if its bound exceeds that of a move never visited."""
        parameters = self.player.parameters
        seen = [move for move in moves if move.visits > 0]
        if not seen:
            return None
        mean = sum(move.payoff for move in seen) / sum(move.visits for move in seen)
        first = mean + parameters.first_play_urgency + parameters.uct_c * math.sqrt(self.growth(node.visits))
        best = max(seen, key=lambda move: self.bound(node, move))
        return best if self.bound(node, best) > first else None

    def bound(self, node: Node, move: Move) -> float:
        if move.row in node.proven:
            return node.proven[move.row]
        explore = self.player.parameters.uct_c * math.sqrt(self.growth(node.visits) / move.visits)
        return move.payoff / move.visits + explore

    def informed_bound(self, node: Node, move: Move) -> float:
        if move.row in node.proven:
            return node.proven[move.row]
        if self.player.parameters.exploration == "puct":
            return move.payoff / move.visits + self.puct(node, move)
        return self.bound(node, move) + self.bias(move)

    def exploration(self, node: Node, fresh: Move) -> float:
        """Return the exploration term that is added to the mean for an unvisited move."""
        if self.player.parameters.exploration == "puct":
            return self.puct(node, fresh)
        return self.player.parameters.uct_c * math.sqrt(self.growth(node.visits)) + self.bias(fresh)

    def growth(self, visits: int) -> float:
        growth = self.player.parameters.uct_growth
        if growth == "root" or (growth == "deep" and visits > 1000):
            return 0.2184424 * math.sqrt(visits)
        return natural_log(visits) if visits else 0.0

    def puct(self, node: Node, move: Move) -> float:
        scale = self.player.parameters.puct_c * math.sqrt(max(node.visits, 1))
        return scale * move.prior / (move.visits + 1.0)

    def bias(self, move: Move) -> float:
        return self.player.parameters.bias / power(move.visits + 1.0, self.player.parameters.fade) * move.prior

    def width(self, moves: int, visits: int) -> int:
        parameters = self.player.parameters
        if not parameters.widening or visits < parameters.widening_visits:
            return moves
        width, threshold = parameters.widening_moves, parameters.widening_visits * parameters.widening_growth
        while width < moves and visits >= threshold:
            width, threshold = width + 1, threshold * parameters.widening_growth
        return min(width, moves)

    def play_out(
        self, parent: np.ndarray, state: np.ndarray, joint: tuple[int, ...], lane_seed: int, draws: Draws
    ) -> Goals:
        """Return the goals that a simulation ends with."""
        acts, drawn = self.draws_by_knowledge(), 0
        while not self.machine.terminal(state):
            if not acts or drawn == self.player.parameters.playout_moves:
                return self.play_out_in_lane(parent, state, joint, lane_seed)
            legal = self.machine.legal(state) if self.decisive is None else self.decisive.preferred(state)
            joint = tuple(self.draw(role, state, joint, rows, draws) for role, rows in enumerate(legal))
            parent, state, drawn = state, self.machine.next(state, joint), drawn + 1
        return self.goals(state)

    def play_out_in_lane(self, parent: np.ndarray, state: np.ndarray, joint: tuple[int, ...], lane_seed: int) -> Goals:
        """Play on from the state that a joint move of its parent leads to."""
        self.lanes.load(0, parent, lane_seed)
        self.lanes.evaluate()
        for row in joint:
            self.lanes.force(0, row)
        self.lanes.advance()
        self.lanes.evaluate()
        first_lane = np.asarray([1], np.uint64)
        while not self.lanes.terminal()[0] & 1:
            if self.decisive is not None and self.decisive.level != "off":
                self.lanes.choose_preferred(first_lane, first_lane)
            else:
                self.lanes.choose(first_lane)
            if self.decisive is not None:
                chosen = self.lanes.list_chosen(first_lane)[0].tolist()
                assert all(map(list.__contains__, self.decisive.preferred(state), chosen))
                state = self.machine.next(state, chosen)
            self.lanes.advance()
            self.lanes.evaluate()
        return tuple(max(int(goal), 0) for goal in self.lanes.goals(0))

    def draw(self, role: int, state: np.ndarray, joint: tuple[int, ...], rows: np.ndarray, draws: Draws) -> int:
        if len(rows) == 1:
            return int(rows[0])
        if role == self.machine.circuit.chance_role:
            return int(rows[draws.below(len(rows))])
        if role != self.role and not self.opponent_knows(draws):
            return int(rows[draws.below(len(rows))])
        return int(rows[draw_by(self.weights(PLAYOUT, role, state, joint, rows), draws)])

    def opponent_knows(self, draws: Draws) -> bool:
        share = self.player.parameters.opponent_knowledge
        return share == 1 or (share > 0 and draws.below(2**32) / 2**32 < share)

    def draws_by_knowledge(self) -> bool:
        roles = range(len(self.machine.roles))
        return self.scorer is not None and any(self.scorer.acts_in(PLAYOUT, role) for role in roles)

    def best_row(self, root: Node, role: int) -> int:
        """Return the row that the player would play."""

        def worth(move: Move) -> tuple[int, int, int, int]:
            return self.proofs.verdict(root, role, move.row), move.visits, move.payoff, -move.row

        return max(root.moves[role], key=worth).row


def assert_equals_the_twin(machine: Machine, player: PlayerSpec, state: np.ndarray, seed: int) -> int:
    """Compare the visits of a search with those of the naive one; return how many roles search."""
    results = search_position(machine, state, player, seed)
    for result in results:
        twin = NaiveSearch(machine, player, result.role)
        root = twin.think(state, hash_combine(hash_combine(seed, result.role), 0))
        visits = {move.row: move.visits for move in root.moves[result.role]}
        assert dict(zip(result.rows.tolist(), result.visits.tolist(), strict=True)) == visits
    return len(results)
