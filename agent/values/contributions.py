"""Contributions: how much each weight of values adds in one state, in log-odds and in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry import NOWHERE
from gdl_miner.agent.reasoner.circuit import State, unpack_states
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values.description import contents_in_words, costs_in_words
from gdl_miner.agent.values.layout import NO_WEIGHT, NOTHING, ValueView, value_function
from gdl_miner.agent.values.named_values import Values, layout_of, weights_of


class Contribution(NamedTuple):
    """A weight and how much it adds to the value of a state for a role."""

    weight: float  # in log-odds; above 0 it speaks for the role
    fluents: tuple[int, ...]  # those that hold, of which the weight depends
    cells: tuple[tuple[int, ...], ...]  # those that the weight looks at, empty where it looks at no board
    words: str  # such as `white at 1 1 and nothing at 1 2`


class StateJudge:
    """The values of one game, laid out once for many states.

    Raises KnowledgeError where the values do not fit the game.
    """

    def __init__(self, values: Values, machine: Machine) -> None:
        self._machine = machine
        self._layout = layout_of(values, machine)
        exact = weights_of(values, self._layout)
        self._weights = exact.astype(np.float64)
        self._function = value_function(self._layout, exact)

    def values(self, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return [n, n_roles] what states [n, words] are worth to each role, 0 to 100."""
        return self._function.values(states, self._machine.native)

    def contributions(self, state: State, role: int) -> list[Contribution]:
        """Return what adds to the value of a state for a role, the strongest first; zeros are left out.

        The value is the logistic function of the sum.
        """
        holds = self._holding(state)
        view, sign = self._view(holds, role)
        found = [*self._of_facts(view, holds), *self._of_tuples(view, [*holds, *self._derived(state)])]
        return _strongest_first(found, sign)

    def changes(self, before: State, after: State, role: int) -> list[Contribution]:
        """Return what a move adds to the value of a state for a role, the strongest first; zeros are left out.

        The weights are those that count in the state `after` the move. They are the same for all moves that lead to the
        same turn and stage, so that the sums say which of these moves is worth how much more.
        """
        held, holds = self._holding(before), self._holding(after)
        view, sign = self._view(holds, role)
        gone = self._of_facts(view, sorted({*held} - {*holds}))
        found = [
            *self._of_facts(view, sorted({*holds} - {*held})),
            *(each._replace(weight=-each.weight, words=f"no longer {each.words}") for each in gone),
            *self._of_tuples(view, [*holds, *self._derived(after)], [*held, *self._derived(before)]),
        ]
        return _strongest_first(found, sign)

    def _holding(self, state: State) -> list[int]:
        return [int(fluent) for fluent in np.flatnonzero(unpack_states(state, len(self._machine.fluents)))]

    def _derived(self, state: State) -> list[int]:
        """Return the facts of playable cells and of costs, numbered after the fluents."""
        layout, machine = self._layout, self._machine
        found: list[int] = []
        if layout.sample is not None:
            playable = layout.sample.cells.in_states(machine, state[None])[0]
            found += (len(machine.fluents) + np.flatnonzero(playable)).tolist()
        if layout.relaxed is not None:
            found += (layout.first_cost + np.flatnonzero(layout.relaxed.in_states(machine, state[None])[0])).tolist()
        return found

    def _view(self, holds: Iterable[int], role: int) -> tuple[ValueView, int]:
        """Return the weights that count in a state for a role, and -1 where they count against it."""
        network = self._layout.network
        holding = set(holds)
        tellers = network.turn_fluents.tolist()
        turn = next((place for place, fluent in enumerate(tellers) if fluent in holding), len(tellers))
        mask = np.unpackbits(network.stage_mask.view(np.uint8), bitorder="little")
        stage = int((network.stage_numbers <= sum(int(mask[fluent]) for fluent in holding)).sum())
        phase = turn * (len(network.stage_numbers) + 1) + stage
        view = network.views[phase * network.n_outputs + network.output(role)]
        return view, -1 if view.against != network.is_opponent(role) else 1

    def _of_facts(self, view: ValueView, holds: Iterable[int]) -> Iterator[Contribution]:
        geometry, display = self._layout.geometry, self._machine.sheet.display
        for fluent in holds:
            place, point = int(view.fact_weight[fluent]), int(geometry.fluent_point[fluent])
            if place == NO_WEIGHT:
                continue
            cells: tuple[tuple[int, ...], ...] = ()
            words = display(self._machine.fluents[fluent])
            if point != NOWHERE:
                cells = (tuple(geometry.points[point].tolist()),)
                words = contents_in_words(cells, (self._layout.content_named(fluent),), display)
            yield Contribution(float(self._weights[place]), (fluent,), cells, words)

    def _of_tuples(self, view: ValueView, facts: list[int], before: list[int] | None = None) -> Iterator[Contribution]:
        """Yield what tuples add where these facts hold, with `before` how much more than where those held."""
        weights = self._weights[self._places(view, facts)]
        if before is not None:
            weights = weights - self._weights[self._places(view, before)]
        chosen: dict[int, list[int]] = {}  # by tuple: its facts that hold
        for fact in facts:
            for number in view.term_tuple[view.term_start[fact] : view.term_start[fact + 1]].tolist():
                chosen.setdefault(number, []).append(fact)
        counting = np.flatnonzero(weights)
        of_tuple = self._facts_of_tuples(view, set(counting.tolist()))
        for number in counting.tolist():
            held = tuple(chosen.get(number, ()))
            cells, words = self._in_words(of_tuple[number], held)
            fluents = tuple(fact for fact in held if fact < len(self._machine.fluents))
            yield Contribution(float(weights[number]), fluents, cells, words)

    @staticmethod
    def _places(view: ValueView, facts: list[int]) -> NDArray[np.int32]:
        """Return [tuple] the places of the weights that tuples select where these facts hold."""
        places = view.tuple_weight.copy()
        for fact in facts:
            terms = slice(int(view.term_start[fact]), int(view.term_start[fact + 1]))
            places[view.term_tuple[terms]] += view.term[terms]
        return places

    def _facts_of_tuples(self, view: ValueView, wanted: set[int]) -> dict[int, list[int]]:
        """Return the fluents and derived facts of some tuples, each ascending."""
        facts = np.repeat(np.arange(len(view.term_start) - 1), np.diff(view.term_start)).tolist()
        found: dict[int, list[int]] = {number: [] for number in wanted}
        for fact, number in zip(facts, view.term_tuple.tolist(), strict=True):
            if number in wanted:
                found[number].append(fact)
        return found

    def _in_words(self, facts: list[int], held: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], str]:
        """Return the cells of a tuple, and in words what is there or which of its facts hold."""
        layout, display = self._layout, self._machine.sheet.display
        if facts[0] >= layout.first_cost:
            cost_of = dict.fromkeys(map(layout.role_of_cost, facts), 0)
            cost_of |= {layout.role_of_cost(fact): layout.cost_of(fact) for fact in held}
            return (), costs_in_words([self._machine.roles[role] for role in cost_of], cost_of.values(), display)
        points = sorted(set(map(layout.point_of, facts)))
        if NOWHERE not in points:
            there = {layout.point_of(fact): layout.content_named(fact) for fact in held}
            cells = tuple(tuple(layout.geometry.points[point].tolist()) for point in points)
            contents = [there.get(point, NOTHING) for point in points]
            playable = facts[-1] >= len(self._machine.fluents)
            return cells, contents_in_words(cells, contents, display, playable=playable)
        names = [display(self._machine.fluents[fluent]) for fluent in held]
        if names:
            return (), " and ".join(names)
        first, last = (display(self._machine.fluents[fluent]) for fluent in (facts[0], facts[-1]))
        return (), f"none of {first} to {last}"


def _strongest_first(found: Iterable[Contribution], sign: int) -> list[Contribution]:
    signed = [each._replace(weight=sign * each.weight) for each in found if each.weight]
    return sorted(signed, key=lambda each: (-abs(each.weight), each.words))


def value_of(contributions: Iterable[Contribution]) -> float:
    """Return the value that contributions add up to, 0 to 100."""
    return 100 / (1 + math.exp(-sum(each.weight for each in contributions)))
