"""A reference implementation of self-play and of its learning, written from their definitions.

It draws the same random numbers as the native code and adds in the same order, in the same precision, so that weights
must agree.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import MOST_COST, LearnedWeights, RoundSettings, ValueLayout, ValueView, plain_costs
from gdl_miner.agent.values.layout import NO_WEIGHT
from tests.search.naive_draws import Draws, exponential, hash_combine, natural_log
from tests.search.naive_tree import Goals
from tests.search.naive_values import goals_of

CERTAIN = 1e9
LOOKED_AT = 8  # most moves of chance that a role looks at


def logistic(x: float) -> float:
    if abs(x) > 40:
        return float(x > 0)
    return 1 / (1 + exponential(-x))


def facts_of(layout: ValueLayout, state: NDArray[np.uint64]) -> list[int]:
    """Return the fluents of a state, and after them the facts of playable cells and of costs."""
    cells, machine = layout.network.cells, layout.machine
    playable = [] if cells is None else cells.plain(machine, state)
    roles = () if layout.relaxed is None else layout.relaxed.roles
    costs = [(role, plain_costs(machine, role, state)) for role in roles]
    return [
        *fluents_of(state),
        *(len(machine.fluents) + each for each in playable),
        *(layout.first_cost + role * MOST_COST + cost - 1 for role, cost in costs if cost),
    ]


def fluents_of(state: NDArray[np.uint64]) -> list[int]:
    return np.flatnonzero(np.unpackbits(state.view(np.uint8), bitorder="little")).tolist()


class NaiveNetwork:
    """The views of a network, and sums of weights."""

    def __init__(self, layout: ValueLayout) -> None:
        self.network = layout.network
        self.piece = np.unpackbits(self.network.stage_mask.view(np.uint8), bitorder="little")

    def view(self, facts: list[int], output: int) -> ValueView:
        turns = self.network.turn_fluents.tolist()
        turn = next((place for place, fluent in enumerate(turns) if fluent in facts), len(turns))
        stage = sum(self.piece[self.fluents(facts)].sum() >= number for number in self.network.stage_numbers)
        phase = turn * (len(self.network.stage_numbers) + 1) + int(stage)
        return self.network.views[phase * self.network.n_outputs + output]

    def fluents(self, facts: list[int]) -> list[int]:
        """Return the facts that are no facts of playable cells."""
        return [fact for fact in facts if fact < len(self.network.views[0].fact_weight)]

    def selected(self, view: ValueView, facts: list[int]) -> tuple[list[int], list[int]]:
        """Return the places of the weights that facts select, and of those that tuples select."""
        fluents = self.fluents(facts)
        own = [int(view.fact_weight[fact]) for fact in fluents if view.fact_weight[fact] != NO_WEIGHT]
        places = view.tuple_weight.tolist()
        for tuple_, term in self.terms(view, facts):
            places[tuple_] += term
        return own, places

    @staticmethod
    def terms(view: ValueView, facts: list[int]) -> list[tuple[int, int]]:
        at = [place for fact in facts for place in range(view.term_start[fact], view.term_start[fact + 1])]
        return [(int(view.term_tuple[place]), int(view.term[place])) for place in at]

    def tied_to(self, place: int) -> list[int]:
        """Return the places with the same weight, if there are several."""
        following, found = self.network.next_tied, []
        while len(following) and (place := int(following[place])) not in found:
            found.append(place)
        return found

    def sum_after(self, weights: list[np.float32], role: int, before: list[int], after: list[int]) -> float:
        """Return the sum for a role of a state that a move leads to, found from the sum before the move."""
        view = self.view(after, self.network.output(role))
        own, places = self.selected(view, before)
        total = 0.0
        for place in [*own, *places]:
            total += float(weights[place])
        moved: dict[int, int] = {}
        for fact in sorted(set(before) ^ set(after)):
            sign = 1 if fact in after else -1
            if self.fluents([fact]) and view.fact_weight[fact] != NO_WEIGHT:
                total += sign * float(weights[view.fact_weight[fact]])
            for tuple_, term in self.terms(view, [fact]):
                moved[tuple_] = moved.get(tuple_, places[tuple_]) + sign * term
        for tuple_, place in moved.items():
            total += float(weights[place]) - float(weights[places[tuple_]])
        return -total if view.against != self.network.is_opponent(role) else total


@dataclass
class Game:
    draws: Draws
    opening: int
    state: NDArray[np.uint64]
    states: list[NDArray[np.uint64]] = field(default_factory=list)
    exploring: list[bool] = field(default_factory=list)


class NaiveSelfPlay:
    """A round of self-play."""

    def __init__(self, layout: ValueLayout, start: LearnedWeights, settings: RoundSettings) -> None:
        self.machine: Machine = layout.machine
        self.layout = layout
        self.network = NaiveNetwork(layout)
        self.settings = settings
        self.weights, self.error_sum, self.error_size = (list(each) for each in start)
        circuit = self.machine.circuit
        self.largest = [0] * len(self.machine.roles)
        for role, value in zip(circuit.goal_role.tolist(), circuit.goal_value.tolist(), strict=True):
            self.largest[role] = max(self.largest[role], value)
        self.started = self.ended = self.moves = self.broken_off = self.updates = 0
        self.squared_error = 0.0

    def run(self) -> LearnedWeights:
        lanes = [self.new_game() for _ in range(self.settings.at_once)]
        while self.ended < self.settings.games:
            playing = []
            for lane, game in enumerate(lanes):
                if game is None:
                    continue
                over = self.machine.terminal(game.state)
                if not over and len(game.exploring) < self.settings.move_limit:
                    playing.append(game)
                    continue
                self.learn(game, goals_of(self.machine, game.state) if over else None)
                self.ended += 1
                self.moves += len(game.exploring)
                self.broken_off += not over
                lanes[lane] = self.new_game()
            for game in playing:
                game.state = self.machine.next(game.state, self.joint(game))
        return LearnedWeights(*(np.array(each, np.float32) for each in (self.weights, self.error_sum, self.error_size)))

    def new_game(self) -> Game | None:
        if self.started == self.settings.games:
            return None
        draws = Draws(hash_combine(self.settings.seed, self.started))
        self.started += 1
        return Game(draws, draws.below(self.settings.opening + 1), self.machine.initial())

    def joint(self, game: Game) -> list[int]:
        opens = len(game.exploring) < game.opening
        explores = opens or game.draws.below(2**32) < self.settings.exploration * 2**32
        legal = [rows.tolist() for rows in self.machine.legal(game.state)]
        chance = self.machine.circuit.chance_role
        drawn = [rows[game.draws.below(len(rows))] if len(rows) > 1 else rows[0] for rows in legal]
        choosers = [role for role, rows in enumerate(legal) if len(rows) > 1 and role != chance]
        game.states.append(game.state)
        game.exploring.append(explores and bool(choosers))
        joint = list(drawn)
        joints = self.looked_at(game, legal, drawn) if choosers and not opens else []
        for role in choosers if joints else []:
            row, wins = self.best(game, role, legal[role], joints)
            wins = wins and (chance == len(legal) or len(legal[chance]) <= LOOKED_AT)
            if wins:
                game.exploring[-1] = False
            if wins or not explores:
                joint[role] = row
        return joint

    def looked_at(self, game: Game, legal: list[list[int]], drawn: list[int]) -> list[list[int]]:
        """Return the joint moves beside which moves are valued: those drawn, with moves of chance where it moves."""
        chance = self.machine.circuit.chance_role
        if chance == len(legal) or len(legal[chance]) == 1:
            return [drawn]
        rows = legal[chance]
        if len(rows) > LOOKED_AT:
            rows = [rows[game.draws.below(len(rows))] for _ in range(LOOKED_AT)]
        return [[row if role == chance else other for role, other in enumerate(drawn)] for row in rows]

    def best(self, game: Game, role: int, rows: list[int], joints: list[list[int]]) -> tuple[int, bool]:
        worths, wins = [0.0] * len(rows), [True] * len(rows)
        for joint in joints:
            moves = [[row if each == role else other for each, other in enumerate(joint)] for row in rows]
            afters = [self.machine.next(game.state, each) for each in moves]
            before = fluents_of(game.state) + self.usual(afters)
            for place, after in enumerate(afters):
                worth, goal = self.worth(role, before, after)
                worths[place] += worth if len(joints) == 1 else logistic(worth)
                wins[place] = wins[place] and goal == self.largest[role]
        most, alike, best = -np.inf, 0, -1
        for place, worth in enumerate(worths):
            if worth < most:
                continue
            alike = 1 if worth > most else alike + 1
            most = worth
            if alike == 1 or game.draws.below(alike) == 0:
                best = place
        return rows[best], wins[best]

    def worth(self, role: int, before: list[int], after: NDArray[np.uint64]) -> tuple[float, int | None]:
        """Return the sum of weights of an afterstate, and its goal where it is terminal."""
        if not self.machine.terminal(after):
            return self.network.sum_after(self.weights, role, before, facts_of(self.layout, after)), None
        goal = goals_of(self.machine, after)[role]
        if 0 < goal < 100:
            return natural_log(goal / 100 / (1 - goal / 100)), goal
        return CERTAIN if goal else -CERTAIN, goal

    def usual(self, afters: list[NDArray[np.uint64]]) -> list[int]:
        """Return the facts of playable cells that two of the first, the middle and the last state have."""
        three = [facts_of(self.layout, afters[place]) for place in (0, len(afters) // 2, -1)]
        counted = Counter(fact for facts in three for fact in facts if not self.network.fluents([fact]))
        return sorted(fact for fact, times in counted.items() if times > 1)

    def learn(self, game: Game, goals: Goals | None) -> None:
        trace, discount = self.settings.trace, self.settings.discount
        for output in range(self.network.network.n_outputs):
            following = None if goals is None else goals[self.network.network.players[output]] / 100
            target = following
            for state, exploring in zip(reversed(game.states), reversed(game.exploring), strict=True):
                facts = facts_of(self.layout, state)
                view = self.network.view(facts, output)
                places = [place for part in self.network.selected(view, facts) for place in part]
                total = 0.0
                for place in places:
                    total += float(self.weights[place])
                value = logistic(-total if view.against else total)
                if following is None or exploring:
                    target = value
                else:
                    target = (1 - trace) * following + trace * target
                    target = discount * target + (1 - discount) / 2
                    self.update(view, places, value, target)
                following = value

    def update(self, view: ValueView, places: list[int], value: float, target: float) -> None:
        error = target - value
        self.squared_error += error * error
        self.updates += 1
        gradient = np.float32(-error if view.against else error)
        step = np.float32(self.settings.step / len(places))
        for place in places:
            size = self.error_size[place]
            rate = abs(self.error_sum[place]) / size if size > 0 else np.float32(1)
            self.weights[place] += step * rate * gradient
            self.error_sum[place] += gradient
            self.error_size[place] += abs(gradient)
            tied = self.network.tied_to(place)
            for each in (self.weights, self.error_sum, self.error_size):
                for other in tied:
                    each[other] = each[place]
