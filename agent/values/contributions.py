"""What each weight of some values adds in one state, in log-odds and in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry import NOWHERE
from gdl_miner.agent.reasoner.circuit import State, unpack_states
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values.description import contents_in_words
from gdl_miner.agent.values.layout import NO_WEIGHT, NOTHING, ValueView, value_function
from gdl_miner.agent.values.named_values import Values, layout_of, weights_of


class Contribution(NamedTuple):
    """What a weight adds to the value of a state for a role."""

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
        return self._function.values(states)

    def contributions(self, state: State, role: int) -> list[Contribution]:
        """Return what adds to the value of a state for a role, the strongest first; zeros are left out.

        The value is the logistic function of the sum.
        """
        holds = np.flatnonzero(unpack_states(state, len(self._machine.fluents))).tolist()
        view, sign = self._view(holds, role)
        found = [*self._of_facts(view, holds), *self._of_tuples(view, holds)]
        signed = [each._replace(weight=sign * each.weight) for each in found if each.weight]
        return sorted(signed, key=lambda each: (-abs(each.weight), each.words))

    def _view(self, holds: Iterable[int], role: int) -> tuple[ValueView, int]:
        """Return the weights that count in a state for a role, and -1 where they count against it."""
        network = self._layout.network
        holding = set(holds)
        tellers = network.turn_fluents.tolist()
        turn = next((place for place, fluent in enumerate(tellers) if fluent in holding), len(tellers))
        mask = np.unpackbits(network.stage_mask.view(np.uint8), bitorder="little")
        stage = int((network.stage_numbers <= sum(int(mask[fluent]) for fluent in holding)).sum())
        phase = turn * (len(network.stage_numbers) + 1) + stage
        shared = network.n_outputs == 1  # the value to the second role is then one minus that to the first
        view = network.views[phase * network.n_outputs + (0 if shared else role)]
        return view, -1 if view.against != (shared and role == 1) else 1

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
                words = contents_in_words(cells, (self._piece(fluent),), display)
            yield Contribution(float(self._weights[place]), (fluent,), cells, words)

    def _of_tuples(self, view: ValueView, holds: Iterable[int]) -> Iterator[Contribution]:
        places = view.tuple_weight.copy()
        chosen: dict[int, list[int]] = {}  # by tuple: its fluents that hold
        for fluent in holds:
            terms = slice(int(view.term_start[fluent]), int(view.term_start[fluent + 1]))
            for number, term in zip(view.term_tuple[terms].tolist(), view.term[terms].tolist(), strict=True):
                places[number] += term
                chosen.setdefault(number, []).append(fluent)
        counting = np.flatnonzero(self._weights[places]) if len(places) else np.empty(0, np.int64)
        of_tuple = self._fluents_of_tuples(view, set(counting.tolist()))
        for number in counting.tolist():
            held = tuple(chosen.get(number, ()))
            cells, words = self._in_words(of_tuple[number], held)
            yield Contribution(float(self._weights[places[number]]), held, cells, words)

    def _fluents_of_tuples(self, view: ValueView, wanted: set[int]) -> dict[int, list[int]]:
        """Return the fluents of some tuples, each ascending."""
        fluents = np.repeat(np.arange(len(view.term_start) - 1), np.diff(view.term_start)).tolist()
        found: dict[int, list[int]] = {number: [] for number in wanted}
        for fluent, number in zip(fluents, view.term_tuple.tolist(), strict=True):
            if number in wanted:
                found[number].append(fluent)
        return found

    def _in_words(self, fluents: list[int], held: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], str]:
        """Return the cells of a tuple, and in words what is there or which of its facts hold."""
        geometry, display = self._layout.geometry, self._machine.sheet.display
        points = sorted({int(geometry.fluent_point[fluent]) for fluent in fluents})
        if NOWHERE not in points:
            there = {int(geometry.fluent_point[fluent]): self._piece(fluent) for fluent in held}
            cells = tuple(tuple(geometry.points[point].tolist()) for point in points)
            return cells, contents_in_words(cells, [there.get(point, NOTHING) for point in points], display)
        names = [display(self._machine.fluents[fluent]) for fluent in held]
        if names:
            return (), " and ".join(names)
        first, last = (display(self._machine.fluents[fluent]) for fluent in (fluents[0], fluents[-1]))
        return (), f"none of {first} to {last}"

    def _piece(self, fluent: int) -> str:
        geometry = self._layout.geometry
        return str(geometry.pieces[geometry.fluent_piece[fluent] - 1])


def value_of(contributions: Iterable[Contribution]) -> float:
    """Return the value that contributions add up to, 0 to 100."""
    return 100 / (1 + math.exp(-sum(each.weight for each in contributions)))
