"""The learning of features written directly from its description (Kirci 2010, section 3.2), one state at a time.

States are sets of facts, and the interpreter answers every question; it shares nothing with the circuit and the lanes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.miner.learners.gifl.features import GiflFeature
from gdl_miner.miner.learners.gifl.trees import TreeSettings

Facts = frozenset[str]
Leaf = Facts | None  # None: the winner wins


@dataclass(frozen=True)
class NaiveGame:
    """A game from the initial state to its end."""

    states: list[Facts]
    joints: list[tuple[str, str]]
    winner: int | None


@dataclass(frozen=True)
class NaiveLearner:
    """Learns from one game after another."""

    rules: Interpreter
    noop: str
    terminal_facts: bool
    trees: TreeSettings
    fixed: Facts  # facts that change whatever is played; they are never taken away
    replacement: Mapping[str, str]  # the fact that takes the place of another
    fluents: Facts  # all facts of the game

    def learn(self, game: NaiveGame) -> list[tuple[GiflFeature, int]]:
        movers = [self.mover(joint) for joint in game.joints]
        last = len(movers) - 1
        if game.winner is None or not movers or movers[last] is None:
            return []
        if movers[last] != game.winner:
            return []
        leaf = self.end(game.states[-1])
        return [] if leaf == frozenset() else self.walk(game, movers, last, leaf)

    def walk(self, game: NaiveGame, movers, middle: int, leaf: Leaf) -> list[tuple[GiflFeature, int]]:
        winner, loser = game.winner, 1 - game.winner
        found: list[tuple[GiflFeature, int]] = []
        for level in range(1, self.trees.levels + 1):
            state, joint = game.states[middle], game.joints[middle]
            offence = self.offence(state, joint, winner, leaf)
            if offence is None:
                break
            found.append((GiflFeature(winner, "offensive", sorted_facts(offence), (joint[winner],)), level))

            def usable(state: Facts, joint=joint, offence=offence, leaf=leaf) -> bool:
                if self.rules.terminal(state) or not offence <= state:
                    return False
                return self.leads(state, joint, winner, leaf)

            defence = self.defence(game, movers, middle, usable, loser)
            if defence is None:
                break
            root, leaf, moves = defence
            found.append((GiflFeature(loser, "defensive", sorted_facts(leaf), tuple(sorted(moves))), level))
            earlier = [i for i in range(root) if movers[i] == winner and not leaf <= game.states[i]]
            if not earlier:
                break
            middle = earlier[-1]
        return found

    def mover(self, joint: tuple[str, str]) -> int | None:
        moving = [role for role in (0, 1) if joint[role] != self.noop]
        return moving[0] if len(moving) == 1 else None

    def without(self, state: Facts, fact: str) -> Facts:
        rest = state - {fact}
        return rest | {self.replacement[fact]} if fact in self.replacement else rest

    def end(self, state: Facts) -> Facts | None:
        facts = state - self.fixed
        if not self.terminal_facts:
            return facts if self.trees.whole_ends else None
        if self.trees.win_ends:
            return None
        return frozenset(fact for fact in facts if not self.rules.terminal(self.without(state, fact)))

    def leads(self, state: Facts, joint: tuple[str, str], role: int, leaf: Leaf) -> bool:
        if joint[role] not in self.rules.legal(state, self.rules.roles[role]):
            return False
        after = self.rules.next(state, joint)
        return self.wins(after, role) if leaf is None else leaf <= after

    def wins(self, state: Facts, role: int) -> bool:
        own, other = (self.rules.goal(state, self.rules.roles[each]) for each in (role, 1 - role))
        return self.rules.terminal(state) and (-1 if own is None else own) > (-1 if other is None else other)

    def offence(self, state: Facts, joint: tuple[str, str], winner: int, leaf: Leaf) -> Facts | None:
        if not self.leads(state, joint, winner, leaf):
            return None
        facts = state - self.fixed
        needed = frozenset(fact for fact in facts if not self.leads(self.without(state, fact), joint, winner, leaf))
        for tried in (needed, needed | (facts & (leaf if isinstance(leaf, frozenset) else frozenset()))):
            if self.leads(tried | (state & self.fixed), joint, winner, leaf):
                return tried
        return None

    def defence(self, game, movers, middle, usable, loser):
        for root in range(middle - 1, -1, -1):
            if movers[root] != loser or movers[root + 1] != 1 - loser:
                continue
            if root + 1 != middle and not usable(game.states[root + 1]):
                return None
            state, joint = game.states[root], game.joints[root]
            right, wrong, ending = [], [], []
            for move in sorted(self.rules.legal(state, self.rules.roles[loser])):
                moves = (move, joint[1]) if loser == 0 else (joint[0], move)
                after = self.rules.next(state, moves)
                kind = ending if self.rules.terminal(after) else wrong if usable(after) else right
                kind.append((move, moves))
            right = right or ending
            if right and wrong:
                needed = state - self.fixed
                for move, moves in wrong:
                    needed = frozenset(
                        fact for fact in needed if not self.still(self.without(state, fact), move, moves, loser, usable)
                    )
                return (root, needed, [move for move, _ in right]) if needed else None
        return None

    def still(self, state: Facts, move: str, moves: tuple[str, str], loser: int, usable) -> bool:
        return move in self.rules.legal(state, self.rules.roles[loser]) and usable(self.rules.next(state, moves))


def sorted_facts(facts: Facts) -> tuple[str, ...]:
    return tuple(sorted(facts))
