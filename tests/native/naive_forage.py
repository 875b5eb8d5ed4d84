"""A reference implementation of forages, written from their definitions.

It draws the same random numbers as the native code and adds in the same order, in the same precision, so that weights
and deposits must agree.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import ValueLayout
from gdl_miner.miner.learners.culture.forages import Ants, Colony, LandscapeLayer, Population
from tests.native.naive_self_play import CERTAIN, NaiveNetwork, fluents_of, logistic
from tests.search.naive_draws import Draws, exponential, hash_combine, natural_log
from tests.search.naive_values import goals_of

LEAST = 1e-6


def log_logistic(x: float) -> float:
    return x if x < -40 else -natural_log(1 + exponential(-min(x, 40)))


@dataclass
class Seen:
    """A game as the ant sees it."""

    states: list[NDArray[np.uint64]] = field(default_factory=list)
    exploring: list[bool] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)


class NaiveForage:
    """A forage, ant by ant and game by game."""

    def __init__(self, layout: ValueLayout, colony: Colony, ants: Ants) -> None:
        self.machine: Machine = layout.machine
        self.network = NaiveNetwork(layout)
        self.colony, self.ants = colony, ants
        self.settings = colony.settings
        population = colony.population or Population.new(colony.players, layout.n_weights)
        self.start = [[list(row) for row in each] for each in population]
        roles, rows = len(self.machine.roles), len(self.machine.circuit.legal)
        self.feature_goals = np.zeros((roles, layout.n_weights), np.int64)
        self.feature_count = np.zeros_like(self.feature_goals)
        self.move_goals, self.move_count = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        circuit = self.machine.circuit
        self.largest = [0] * roles
        for role, value in zip(circuit.goal_role.tolist(), circuit.goal_value.tolist(), strict=True):
            self.largest[role] = max(self.largest[role], value)
        beliefs = colony.beliefs
        self.beliefs = (
            {}
            if beliefs is None
            else {
                (int(role), state.tobytes()): float(belief)
                for role, state, belief in zip(beliefs.roles, beliefs.states, beliefs.beliefs, strict=True)
            }
        )
        self.goals: list[list[int]] = []
        self.reached: list[list[NDArray[np.uint64]]] = []
        self.squared_error, self.updates, self.moves, self.broken_off = 0.0, 0, 0, 0

    def run(self) -> list[list[list[np.float32]]]:
        """Return the weights, error sums and error sizes of each ant."""
        learned = []
        for ant, player in enumerate(self.ants.players.tolist()):
            role = int(self.ants.roles[ant])
            own = [list(each[player]) for each in self.start]
            self.own_error = 0.0  # of this ant
            for number, seats in enumerate(self.ants.seats[ant].tolist()):
                draws = Draws(hash_combine(hash_combine(self.settings.seed, player), number))
                seen, goals = self.play(role, own[0], seats, draws)
                self.learn(role, own, seen, goals, float(self.settings.steps[number]))
            self.squared_error += self.own_error
            learned.append(own)
        return learned

    def play(
        self, role: int, weights: list[np.float32], seats: list[int], draws: Draws
    ) -> tuple[Seen, list[int] | None]:
        state, seen, moves = self.machine.initial(), Seen(), 0
        over = self.machine.terminal(state)
        while not over and moves < self.settings.move_limit:
            moves += 1
            legal = [rows.tolist() for rows in self.machine.legal(state)]
            drawn, choosing = [], []
            for each, rows in enumerate(legal):
                drawn.append(rows[draws.below(len(rows))] if len(rows) > 1 else rows[0])
                if len(rows) == 1:
                    continue
                is_ant = each == role
                share = self.settings.exploration if is_ant else self.settings.opponent_exploration
                explores = draws.below(2**32) < share * 2**32
                if is_ant:
                    seen.exploring.append(explores)
                if not explores:
                    choosing.append(each)
            joint = list(drawn)
            for each in choosing:
                own = weights if each == role else self.start[0][seats[each]]
                joint[each] = self.best(state, each, own, legal[each], drawn, draws)
            acts = len(legal[role]) > 1
            state = self.machine.next(state, joint)
            over = self.machine.terminal(state)
            if acts:
                seen.states.append(state)
                seen.rows.append(joint[role])
        goals = goals_of(self.machine, state) if over else None
        self.moves += moves
        self.broken_off += not over
        self.goals.append([-1] * len(self.machine.roles) if goals is None else list(goals))
        self.reached.append([each for each in seen.states if not self.machine.terminal(each)])
        return seen, None if goals is None else list(goals)

    def best(
        self,
        state: NDArray[np.uint64],
        role: int,
        weights: list[np.float32],
        rows: list[int],
        drawn: list[int],
        draws: Draws,
    ) -> int:
        before, most, alike, best = fluents_of(state), -np.inf, 0, -1
        strongest, believed = -1.0, -1
        for row in rows:
            after = self.machine.next(state, [row if each == role else drawn[each] for each in range(len(drawn))])
            goal = goals_of(self.machine, after)[role] if self.machine.terminal(after) else None
            worth = self.worth(role, weights, row, before, fluents_of(after), goal)
            belief = self.beliefs.get((role, after.tobytes()), -1.0) if goal is None else -1.0
            if belief > strongest:
                strongest, believed = belief, row
            if worth < most:
                continue
            alike = 1 if worth > most else alike + 1
            most = worth
            if alike == 1 or draws.below(alike) == 0:
                best = row
        return believed if most < CERTAIN and strongest >= 0 else best

    def worth(
        self, role: int, weights: list[np.float32], row: int, before: list[int], after: list[int], goal: int | None
    ) -> float:
        if goal is not None and goal <= 0:
            return -CERTAIN
        if goal is not None and goal == self.largest[role]:
            return CERTAIN
        landscape = self.colony.landscape
        if landscape is None:
            if goal is not None:
                return natural_log(goal / 100 / (1 - goal / 100))
            return self.network.sum_after(weights, role, before, after)
        log_value = (
            natural_log(goal / 100)
            if goal is not None
            else log_logistic(self.network.sum_after(weights, role, before, after))
        )
        ones = [np.float32(1)] * len(landscape.pheromone.features[role])
        number = 1 + abs(self.network.sum_after(ones, role, before, after))
        layers = (landscape.pheromone, landscape.desirability)
        logs = [self.log_mean(layer, role, row, before, after, number) for layer in layers]
        return log_value + (logs[0] + logs[1])

    def log_mean(
        self, layer: LandscapeLayer, role: int, row: int, before: list[int], after: list[int], number: float
    ) -> float:
        total = float(layer.moves[row]) + abs(self.network.sum_after(list(layer.features[role]), role, before, after))
        return layer.influence * natural_log(max(LEAST, total / number))

    def learn(self, role: int, own: list[list[np.float32]], seen: Seen, goals: list[int] | None, step: float) -> None:
        weights, error_sum, error_size = own
        shared = self.network.network.n_outputs == 1
        following = None if goals is None else goals[role] / 100
        target = following
        for number in reversed(range(len(seen.states))):
            state = seen.states[number]
            facts = fluents_of(state)
            view = self.network.view(facts, 0 if shared else role)
            places = [place for part in self.network.selected(view, facts) for place in part]
            if goals is not None:
                for place in places:
                    self.feature_goals[role, place] += goals[role]
                    self.feature_count[role, place] += 1
                self.move_goals[seen.rows[number]] += goals[role]
                self.move_count[seen.rows[number]] += 1
            if self.machine.terminal(state):
                continue
            sign = -1 if view.against != (shared and role == 1) else 1
            total = 0.0
            for place in places:
                total += float(weights[place])
            value = logistic(sign * total)
            coherent = self.settings.coherent
            explored = coherent and number + 1 < len(seen.states) and seen.exploring[number + 1]
            if following is None or explored:
                target = value
            else:
                target = (1 - self.settings.trace) * following + self.settings.trace * target
                error = target - value
                self.own_error += error * error
                self.updates += 1
                part = np.float32(step / len(places))
                gradient = np.float32(sign) * np.float32(error)
                for place in places:
                    if not coherent:
                        weights[place] += part * gradient
                        continue
                    size = error_size[place]
                    rate = abs(error_sum[place]) / size if size > 0 else np.float32(1)
                    weights[place] += part * rate * gradient
                    error_sum[place] += gradient
                    error_size[place] += abs(gradient)
            following = value
