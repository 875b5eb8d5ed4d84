"""The cost of a playout, predicted from the logical operations of a search instead of a clock.

Knowledge makes playouts more expensive. Players are compared at equal time, but results must be the same bytes on every
machine and for any number of workers. Time is therefore predicted: a sample of positions is searched, the search counts
its logical operations (`agent.search.uct.OPERATIONS`), and every operation has a committed cost that was fitted once to
measured times. `scripts/lab work` prints prediction and measurement side by side, and the costs that would fit
best.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.knowledge.parameters import Parameters
from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import OPERATIONS, play_matches, search_arrays
from gdl_miner.agent.values import MOST_COST, PlayableCells, RelaxedCosts

# [operation] nanoseconds on one core with AVX-512 and hundreds of searches in lock-step. Only the proportions matter.
OPERATION_COSTS: Mapping[str, float] = MappingProxyType(
    {
        "playout": 71.0,
        "simulation": 342.0,  # the same for a playout that is not replaced by values
        "step": 10.5,  # a joint move of a playout
        "literal": 0.00258,  # of a step of lanes, rows and loops included: `PositionSample.literals`
        "pass": 124.0,  # a node at which a move is selected
        "compare": 3.19,  # a move compared in selection
        "open": 997.0,  # a node whose legal moves are listed
        "rank": 76.2,  # a choice of a role that knowledge orders at a node
        "score": 25.6,  # a move of such a choice
        "weigh": 57.6,  # a step of a playout in which knowledge draws
        "weighed row": 0.0332,  # a row of the circuit, at every such step
        "choose": 39.3,  # a choice of a role that knowledge draws in a playout
        "candidate": 1.44,  # a move of such a choice
        "board": 77.2,  # a board on which features read the occupants of fields
        "occupant": 0.692,  # a piece put on it
        "test": 6.75,  # a list of pieces or a distance read for a target
        "pattern": 6.39,  # a table of patterns looked up for a target
        "run": 1.55,  # a run of fields read for such a look-up
        "union": 1.6,  # a cell of a table of conditions: four facts, and up to 256 conditions
        "slot": 0.108,  # an amount that conditions may change
        "hit": 5.5,  # an amount that a condition changes
        "value": 118.0,  # a sum of weights for a state that the learned function values
        "valued literal": 0.0065,  # of such a step, at every state that is valued because a move leads to it
        "valued fact": 1.29,  # a fact of a sum that does not follow from that of the state before
        "valued tuple": 1.77,  # a tuple of such a sum
        "playable row": 0.0025,  # a cell that a move names, at every state whose playable cells are looked at
        "playable fact": 0.04,  # a fact of a playable cell, at every such state
        "cost": 0.02,  # a slot that is written or read for relaxed costs, at every state whose costs are looked at
        "moved tuple": 2.85,  # a tuple with a fact that a move changes, in a sum that follows from another
        "distant tuple": 1.71,  # the same where the weights do not fit into the fast memory
    }
)
_READ = ("board", "occupant", "test", "pattern", "run", "union", "slot", "hit")  # by knowledge, as the search counts it
_POSITIONS = 64
_FEWEST = 8  # positions of a sample
_MOVES = 8  # of a position of the sample, after which its derived facts are looked at
_PLAYOUTS = 200  # of a search of the sample at most; with ten times as many, ratios differ by up to a fifth
_NEAR_WEIGHTS = 100_000  # of a network that fits into the fast memory
_LOOPED = 9.0  # literals that cost as much as one in a round of a loop, whose gates are evaluated one by one
_SEED = 1  # the same sample of a game every time, so that the cost of a player does not vary


class SearchWork(NamedTuple):
    """The cost of a playout, in nanoseconds, in searches that trust values alone, that mix them, and that use none."""

    trusting: float
    trusted_playouts: float = math.inf  # of the longest search that trusts values alone
    mixing: float = math.inf
    valued_playouts: float = math.inf  # of the longest search that uses values
    without: float = math.inf

    def of(self, playouts: float) -> float:
        """Return the cost of a playout in a search of so many."""
        return next(cost for longest, cost in self._uses if playouts <= longest)

    def within(self, total: float) -> float:
        """Return the cost of a playout in a search that costs `total`.

        Where a search that trusts values would be too long, and one that mixes them too short, the longest that trusts
        them is the nearest; then it is a share of `total`. It is the same between searches with and without values.
        """
        shorter = [0.0, *(longest for longest, _ in self._uses[:-1])]
        for longest, (limit, own) in reversed(list(zip(shorter, self._uses, strict=True))):
            cost = max(own, total / limit)
            if total / cost > longest:
                return cost
        return self.trusting

    @property
    def _uses(self) -> tuple[tuple[float, float], ...]:
        """The ways to use values: playouts of the longest search of each, ascending, and the cost of a playout."""
        trusted = min(self.trusted_playouts, self.valued_playouts)
        return (trusted, self.trusting), (self.valued_playouts, self.mixing), (math.inf, self.without)


class SeenPlayable(NamedTuple):
    """The facts of playable cells in a sample of positions."""

    facts: float  # of a state, on average
    changed: NDArray[np.float64]  # [fact] how often it is another one than usual after a move, on average
    n_rows: int  # cells that moves name, of all moves together
    n_facts: int


class SeenCosts(NamedTuple):
    """The relaxed costs in a sample of positions."""

    reads: float  # slots that are written and read for a state
    changed: NDArray[np.float64]  # [fact] how often it is another one than usual after a move, on average


class PositionSample:
    """A sample of non-final positions from random matches of a game, and the cost of searching them.

    Positions that a short search solves are not searched: many of random matches are such, and few of those that
    players meet. There a search without a solver visits final states, which costs little, and one with a solver ends.
    """

    def __init__(self, machine: Machine, positions: int = _POSITIONS, seed: int = _SEED) -> None:
        names = [str(number) for number in range(positions)]
        seats = np.zeros((positions, len(machine.roles)), np.int32)
        seeds = [derive_seed(seed, "position", number) for number in range(positions)]
        record = play_matches(machine, [PlayerSpec("random")], seats, seeds, names)
        open_steps = np.setdiff1d(np.arange(len(record.states)), record.start[1:] - 1)
        chosen = open_steps[np.linspace(0, len(open_steps) - 1, min(positions, len(open_steps))).astype(np.int64)]
        self._machine = machine
        states, last_rows = record.states[chosen], record.last_rows()[chosen]
        facts, facts_after = (unpack_states(each, len(machine.fluents)) for each in (states, record.states[chosen + 1]))
        self.facts = float(facts.sum(axis=1).mean())  # of a state, on average
        self.changed = (facts != facts_after).mean(axis=0)  # [fluent] how often a move changes it, on average
        self._playable: SeenPlayable | None = None
        self._costs: SeenCosts | None = None
        self.literals = _literals(machine, states, record.moves[chosen])
        self.steps = len(open_steps) / positions  # joint moves of a match, on average
        moves = _moves_of_choices(machine, states)
        self.moves = float(np.mean(moves or [1]))  # of a choice, on average
        # Of all roles in a match, on average; none is forced.
        self.choices = max(1.0, self.steps * (len(moves) / len(states)))
        searched = _undecided(machine, states, last_rows, derive_seed(seed, "undecided"))
        self.states: NDArray[np.uint64] = states[searched]  # [n, word]
        self.last_rows: NDArray[np.int32] = last_rows[searched]  # [n, role] joint move that led to the state
        self._seeds = [derive_seed(seed, "work", number) for number in range(len(self.states))]

    def playable(self, cells: PlayableCells) -> SeenPlayable:
        """Return what moves of the sample do to the playable cells of the game; found once."""
        if self._playable is None:
            self._playable = _seen_playable(self._machine, self.states, cells)
        return self._playable

    def costs(self, costs: RelaxedCosts) -> SeenCosts:
        """Return what moves of the sample do to the costs of the game; found once."""
        if self._costs is None:
            self._costs = _seen_costs(self._machine, self.states, costs)
        return self._costs

    def moved_tuples(self, function: _native.ValueFunction) -> float:
        """Return how many tuples of a sum change by a move, on average."""
        tuples, fluents = function.tuples_of_fluents(), len(self.changed)
        moved = float(self.changed @ tuples[:fluents])
        if function.cells is not None:
            seen = self.playable(function.cells)
            moved += float(seen.changed @ tuples[fluents : fluents + seen.n_facts])
        if function.costs is not None:
            changed = self.costs(function.costs).changed
            moved += float(changed @ tuples[len(tuples) - len(changed) :])
        return moved

    def amounts(self, player: PlayerSpec) -> dict[str, float]:
        """Return how often the player performs each operation of `OPERATION_COSTS` in a playout, on average."""
        spec = replace(player, playouts=min(player.playouts, _PLAYOUTS) or _PLAYOUTS)
        work = search_arrays(self._machine, self.states, spec, self._seeds, last_rows=self.last_rows).work
        count = dict(zip(OPERATIONS, (work / max(1, int(work[0]))).tolist(), strict=True))
        steps = count["draw"] + count["weigh"]
        return {
            "playout": 1.0,
            "simulation": float(steps > 0),
            "step": steps,
            "literal": (steps + 1.0 + count["open"]) * self.literals * self._relative_cost(player),
            "pass": count["pass"],
            "compare": count["compare"],
            "open": count["open"],
            "rank": count["rank"],
            "score": count["score"],
            "weigh": count["weigh"],
            "weighed row": count["weigh"] * self._machine.circuit.n_rows,
            "choose": count["choose"],
            "candidate": count["candidate"],
            **{name: count[name] for name in _READ},
            **self._valuing(player, count),
        }

    def _relative_cost(self, player: PlayerSpec) -> float:
        """Return the cost of a step of playouts that prefer decisive moves, in steps of those that do not."""
        asked = player.parameters.decisive_moves
        if asked == "off":
            return 1.0
        found = self._machine.decisive_moves(asked)
        return found.cost if found.settled != "off" else 1.0

    def _valuing(self, player: PlayerSpec, count: Mapping[str, float]) -> dict[str, float]:
        """Return the numbers of the operations in a playout that value states.

        Where moves are valued, the sums of the states that they lead to follow from that of the node.
        """
        function, of_moves = player.values, player.parameters.experience > 0
        outputs, tuples, moved, far, facts = 0, 0, 0.0, False, self.facts
        rows, playable, costs = 0.0, 0.0, 0.0
        if function is not None:
            outputs, tuples, far = function.n_outputs, function.n_tuples, function.n_weights > _NEAR_WEIGHTS
            moved = self.moved_tuples(function)
            if function.cells is not None:
                seen = self.playable(function.cells)
                facts, rows, playable = facts + seen.facts, float(seen.n_rows), float(seen.n_facts)
            if function.costs is not None:
                costs = self.costs(function.costs).reads
        sums = count["value"] * outputs
        begun = min(count["open"] * outputs, sums) if of_moves else sums
        return {
            "value": sums,
            "valued literal": count["value"] * _native.step_cost(self._machine.native) * of_moves,
            "valued fact": begun * facts,
            "valued tuple": begun * tuples,
            "playable row": count["value"] * rows,
            "playable fact": count["value"] * playable,
            "cost": count["value"] * costs,
            "moved tuple": sums * moved * of_moves,
            "distant tuple": sums * moved * of_moves * far,
        }

    def work(self, player: PlayerSpec) -> float:
        """Return the cost of a playout of the player in nanoseconds; it is 0 for a player that does not search.

        Where long searches do not trust values, it is the cost in a short one.
        """
        if player.kind == "random":
            return 0.0
        spec = replace(player, parameters=replace(player.parameters, trusted_playouts=0, valued_playouts=0))
        return sum(OPERATION_COSTS[name] * amount for name, amount in self.amounts(spec).items())

    def search_work(self, player: PlayerSpec) -> SearchWork:
        """Return the cost of a playout of the player in short searches and in long ones."""
        parameters, trusting = player.parameters, self.work(player)
        if player.values is None:
            return SearchWork(trusting)
        trusted, valued = (each or math.inf for each in (parameters.trusted_playouts, parameters.valued_playouts))
        mixing = without = math.inf
        if trusted < valued:
            mixing = self.work(replace(player, parameters=parameters.mixed()))
        if valued < math.inf:
            without = self.work(replace(player, parameters=parameters.without_values()))
        return SearchWork(trusting, trusted, mixing, valued, without)

    def work_ratio(self, player: PlayerSpec, opponent: PlayerSpec) -> float:
        """Return the cost of the player's playout divided by that of the opponent's, in searches that cost the same.

        The opponent's search has as many playouts as it says.
        """
        work = self.search_work(opponent).of(opponent.playouts)
        return self.search_work(player).within(opponent.playouts * work) / work


def _undecided(
    machine: Machine, states: NDArray[np.uint64], last_rows: NDArray[np.int32], seed: int
) -> NDArray[np.int64]:
    """Return the numbers of the positions that a search does not solve; all where there are fewer than `_FEWEST`."""
    solver = PlayerSpec("uct", Parameters(solver=True), playouts=_PLAYOUTS)
    seeds = [derive_seed(seed, "position", number) for number in range(len(states))]
    playouts = search_arrays(machine, states, solver, seeds, last_rows=last_rows).playouts
    undecided = np.flatnonzero(playouts.max(axis=1) == _PLAYOUTS)
    return undecided if len(undecided) >= _FEWEST else np.arange(len(states))


def _seen_playable(machine: Machine, states: NDArray[np.uint64], cells: PlayableCells) -> SeenPlayable:
    """Return what some moves of every state do to the playable cells."""
    n_facts = (len(cells.piece_start) - 1) * (len(machine.roles) + cells.several)
    batch, after = _after_moves(machine, states)
    found = unpack_states(batch.playable(after.states, cells), n_facts)
    changed, facts = after.compared(found)
    return SeenPlayable(facts, changed, len(cells.row_cells), n_facts)


def _seen_costs(machine: Machine, states: NDArray[np.uint64], costs: RelaxedCosts) -> SeenCosts:
    """Return what some moves of every state do to the costs, and what it takes to find them.

    The moves of a position are in neighbouring lanes, in which a step of a loop is run again where the cost of one has
    changed.
    """
    batch, after = _after_moves(machine, states)
    found = unpack_states(batch.costs(after.states, costs), len(costs.role_slots) * MOST_COST)
    start = np.cumsum([0, *(moves for moves, _ in after.spans)])
    reads = _native.cost_reads(machine.native, costs, after.states, start)
    return SeenCosts(float(reads.mean()), after.compared(found)[0])


class _AfterMoves(NamedTuple):
    """The states after some moves of given states."""

    states: NDArray[np.uint64]  # [n, word], those of each given state together
    spans: list[tuple[int, int]]  # [given state] number of its moves, and which of them is in the middle

    def compared(self, found: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
        """Compare derived facts, [n, fact], with the usual ones of each given state (lanes/afterstates.hpp).

        Returns how often each is another one, and the mean number of the usual ones.
        """
        changed, facts, first = np.zeros(found.shape[1]), 0.0, 0
        for moves, middle in self.spans:
            own = found[first : first + moves]
            first += moves
            usual = own[[0, middle, -1]].sum(axis=0) > 1
            changed += (own != usual).mean(axis=0)
            facts += float(usual.sum())
        return changed / len(self.spans), facts / len(self.spans)


def _after_moves(machine: Machine, states: NDArray[np.uint64]) -> tuple[_native.StateBatch, _AfterMoves]:
    """Return the states after some moves of every state, spread over all of a role."""
    before: list[NDArray[np.uint64]] = []
    joints: list[list[int]] = []
    spans: list[tuple[int, int]] = []
    for state in states:
        legal = machine.legal(state)
        role = max(range(len(legal)), key=lambda each: len(legal[each]))
        chosen = sorted({0, len(legal[role]) // 2, *np.linspace(0, len(legal[role]) - 1, _MOVES).astype(int).tolist()})
        spans.append((len(chosen), chosen.index(len(legal[role]) // 2)))
        for move in chosen:
            before.append(state)
            joints.append([int(rows[move if each == role else 0]) for each, rows in enumerate(legal)])
    batch = _native.StateBatch(machine.native)
    return batch, _AfterMoves(batch.next(np.array(before), np.array(joints, np.int32)), spans)


def _moves_of_choices(machine: Machine, states: NDArray[np.uint64]) -> list[int]:
    """Return the numbers of legal moves of all choices of roles in these states."""
    players = machine.circuit.choosing_roles
    numbers = [len(legal[role]) for state in states for legal in [machine.legal(state)] for role in players]
    return [number for number in numbers if number > 1]


def _literals(machine: Machine, states: NDArray[np.uint64], joints: NDArray[np.int32]) -> float:
    """Return the cost of a step of lanes in these states in literals read, those of loops in every round.

    The programs of the lanes read others than the circuit does, for example where rows are merged (`step_cost`).
    """
    circuit = machine.circuit
    rounds = _native.loop_rounds(machine.native, states, joints)
    looped = np.diff(circuit.gate_start[circuit.loops], axis=1)[:, 0]
    return float(_native.step_cost(machine.native) + (_LOOPED * rounds - 1) @ looped)


def equal_playouts(playouts: int, ratio: float) -> int:
    """Return how many playouts cost as much as `playouts` playouts that are `ratio` times cheaper; at least one."""
    return max(1, round(playouts / ratio))
