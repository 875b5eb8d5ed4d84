"""Values of states as people read them: weights of pieces by cell, facts and tuples, strongest first, also in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.files.elements import Display
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.geometry import NOWHERE
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values.layout import NO_WEIGHT, NOTHING, ValueLayout, ValueView, value_function
from gdl_miner.agent.values.named_values import ValuePart, Values, identity_of, layout_of, places_of, weights_of
from gdl_miner.agent.values.playable import mover_named
from gdl_miner.agent.values.relaxed_costs import MOST_COST

_TURNS = {
    "(-x, y)": "mirrored left to right",
    "(x, -y)": "mirrored top to bottom",
    "(-x, -y)": "turned by half",
    "(y, x)": "mirrored in a diagonal",
    "(-y, -x)": "mirrored in the other diagonal",
    "(y, -x)": "turned by a quarter",
    "(-y, x)": "turned by a quarter the other way",
}
"""Images of a point (x, y) under the turns and reflections of a board, in words."""


@dataclass(frozen=True)
class DescribedFact:
    """The weight of a fact that is not on the board."""

    fact: str
    weight: float
    places: int  # number of facts that share the weight, by symmetry


@dataclass(frozen=True)
class DescribedTuple:
    """The weight of some contents of a tuple."""

    cells: tuple[tuple[int, ...], ...]  # empty for a tuple of groups of facts
    groups: tuple[tuple[str, ...], ...]  # facts of each group of which at most one holds; empty for a tuple of cells
    contents: tuple[str, ...]  # [cell or group] the piece there or the fact that holds, NOTHING for none
    weight: float
    places: int  # number of arrangements that share the weight, by symmetry or all over the board
    anywhere: bool  # whether the same arrangement of cells has the same weight all over the board
    playable: bool = False  # whether contents tell who may move to an empty cell
    costs: tuple[str, ...] = ()  # roles whose costs it looks at; empty for the other kinds of tuples
    each_side: bool = False  # whether each side to move has weights of its own, where an exchange would share them


@dataclass(frozen=True, eq=False)
class DescribedPart:
    """The weights that count in one turn and stage, for one role."""

    turn: int
    stage: int
    role: int
    turn_fact: str  # fact that tells the turn, empty where there are no turns or no single fact tells this one
    pieces: tuple[int, int | None] | None  # least and most pieces in the stage, None where there is one stage only
    boards: Mapping[str, NDArray[np.float64]]  # [piece][point] weight, NaN where the piece has none
    facts: tuple[DescribedFact, ...]  # strongest first
    tuples: tuple[DescribedTuple, ...]  # strongest first

    @property
    def sought(self) -> tuple[DescribedTuple, ...]:
        """The contents of tuples that speak for the role, strongest first."""
        return tuple(each for each in self.tuples if each.weight > 0)

    @property
    def avoided(self) -> tuple[DescribedTuple, ...]:
        """The contents of tuples that speak against the role, strongest first."""
        return tuple(each for each in self.tuples if each.weight < 0)


@dataclass(frozen=True)
class DescribedValues:
    """All parts of the values of a game."""

    parts: tuple[DescribedPart, ...]
    sharing: tuple[str, ...]  # names of the symmetries whose images have the same weight, the identity left out
    exchange: str  # name of the symmetry that makes the other turn of the first; empty if every turn has own weights
    constant_sum: bool  # whether the values to the two roles add up to a constant
    of_start: tuple[float, ...]  # [role] 0..100 what the initial state is worth; 0 to chance

    @property
    def largest(self) -> float:
        """The largest absolute weight of a piece on a cell, the common scale of all boards; 0 if there is none."""
        boards = [weights for part in self.parts for weights in part.boards.values()]
        return max((float(np.nanmax(np.abs(weights))) for weights in boards), default=0.0)


def describe_values(values: Values, machine: Machine) -> DescribedValues:
    """Describe values; what symmetry shares is filled in on the boards.

    Raises:
        KnowledgeError: the values do not fit the game.
    """
    layout = layout_of(values, machine)
    exact = weights_of(values, layout)
    weights = exact.astype(np.float64)
    told = _turn_facts(machine) if layout.turns else ("",)
    exchange = layout.exchange
    return DescribedValues(
        parts=tuple(
            _describe_part(part, layout, weights, told[part.turn]) for part in values.parts if part.facts or part.tuples
        ),
        sharing=tuple(each.name for each in layout.symmetries if each.keeps_roles and not each.is_identity),
        exchange="" if exchange is None else exchange.name,
        constant_sum=values.constant_sum,
        of_start=tuple(value_function(layout, exact).values(machine.initial()[None], machine.native)[0].tolist()),
    )


def _describe_part(part: ValuePart, layout: ValueLayout, weights: NDArray[np.float64], turn_fact: str) -> DescribedPart:
    network, phase = layout.network, part.turn * (len(layout.stages) + 1) + part.stage
    view = network.views[phase * network.n_outputs + network.output(part.role)]
    return DescribedPart(
        turn=part.turn,
        stage=part.stage,
        role=part.role,
        turn_fact=turn_fact,
        pieces=_pieces_in_stage(layout, part.stage),
        boards=dict(_boards(layout, view, weights)),
        facts=tuple(sorted(_facts(part, layout, view), key=lambda each: (-abs(each.weight), each.fact))),
        tuples=tuple(sorted(_tuples(part, layout, view, weights), key=_order)),
    )


def _order(each: DescribedTuple) -> tuple[float, Sequence[Sequence[int]], Sequence[Sequence[str]], Sequence[str]]:
    return -abs(each.weight), each.cells, each.groups, each.costs


def _pieces_in_stage(layout: ValueLayout, stage: int) -> tuple[int, int | None] | None:
    if not layout.stages:
        return None
    bounds = [0, *layout.stages]
    return bounds[stage], bounds[stage + 1] - 1 if stage + 1 < len(bounds) else None


def _boards(
    layout: ValueLayout, view: ValueView, weights: NDArray[np.float64]
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Find the weights of every piece that has some; facts that put the same piece on the same cell are averaged."""
    geometry = layout.geometry
    on_board = (geometry.fluent_point != NOWHERE) & (view.fact_weight != NO_WEIGHT)
    for code, piece in enumerate(geometry.pieces, 1):
        fluents = np.flatnonzero(on_board & (geometry.fluent_piece == code))
        points, own = geometry.fluent_point[fluents], weights[view.fact_weight[fluents]]
        if own.any():
            number = np.bincount(points, minlength=geometry.n_points)
            total = np.bincount(points, own, minlength=geometry.n_points)
            yield piece, np.where(total != 0, total / np.maximum(1, number), np.nan)


def _facts(part: ValuePart, layout: ValueLayout, view: ValueView) -> Iterator[DescribedFact]:
    geometry = layout.geometry
    for fact, weight in part.facts.items():
        fluent = geometry.fluent_index[fact]
        if geometry.fluent_point[fluent] == NOWHERE and weight:
            yield DescribedFact(fact, weight, int((view.fact_weight == view.fact_weight[fluent]).sum()))


def _tuples(
    part: ValuePart, layout: ValueLayout, view: ValueView, weights: NDArray[np.float64]
) -> Iterator[DescribedTuple]:
    """Find the weights of tuples; contents that a symmetry exchanges are named once if they have the same weight."""
    key = (part.turn, part.stage, part.role)
    tuples = {
        own.identity: own for laid in layout.parts if (laid.turn, laid.stage, laid.role) == key for own in laid.tuples
    }
    for pattern in part.tuples:
        own = tuples[identity_of(pattern, layout)]
        images = int((view.tuple_weight == own.first).sum())
        for place, (contents, weight) in zip(
            places_of(layout, own, pattern.weights), pattern.weights.items(), strict=True
        ):
            alike = _alike(place, layout, weights)
            if weight and place == min(alike):
                shared = images * len(alike)
                yield DescribedTuple(
                    pattern.cells,
                    pattern.groups,
                    contents,
                    weight,
                    shared,
                    pattern.anywhere,
                    pattern.playable,
                    pattern.costs,
                    pattern.each_side,
                )


def _alike(place: int, layout: ValueLayout, weights: NDArray[np.float64]) -> list[int]:
    """Return the place of a weight, and those to which it is tied and that have the same weight.

    They are the contents that a symmetry exchanges when it maps the cells of a tuple onto each other.
    """
    following = layout.network.next_tied
    found = [place]
    other = int(following[place]) if len(following) else place
    while other != place:
        if weights[other] == weights[place]:
            found.append(other)
        other = int(following[other])
    return found


def _turn_facts(machine: Machine) -> tuple[str, ...]:
    """Return for each turn the first fact that holds in no other turn, an empty text if there is none."""
    fluents, values = _native.turns(machine.native)
    own = [np.flatnonzero((values.sum(axis=0) == 1) & (row == 1)) for row in values]
    return tuple(machine.fluents[int(fluents[each[0]])] if len(each) else "" for each in own)


def values_in_words(values: DescribedValues, roles: Sequence[str], display: Display) -> str:
    """Return sentences that say what the weights mean, and with what images they are shared."""
    said = [
        "The weights of all that holds in a state are added. The sum says what result to expect, in log-odds: 0 means "
        "50\u00a0%, +1 means 73\u00a0%, +2 means 88\u00a0% and −1 means 27\u00a0%."
    ]
    if values.constant_sum:
        said.append("What is good for one role is as bad for the other.")
    of_start = [
        f"{worth:.0f}\u00a0% to {display(role)}"
        for role, worth in zip(roles, values.of_start, strict=True)
        if role != CHANCE_ROLE
    ]
    said.append(f"The start of a match is worth {' and '.join(of_start[: 1 if values.constant_sum else None])}.")
    if any(part.boards for part in values.parts):
        said.append(
            "Cells have the coordinates of the maps, the one below the map first. A blank cell has no weight: nothing "
            "was learned there, as where a match has ended."
        )
    if any(part.boards and part.tuples for part in values.parts):
        said.append(
            "A map has the weights of single pieces. Combinations add to them, also with empty cells, and the weight "
            "of a combination comes on top of those of its parts, so no weight alone is what a piece or a move is "
            "worth. Only the strongest combinations are listed; the others together often count for more."
        )
    if values.sharing:
        said.append(f"Images have the same weight: {sharing_in_words(values.sharing)}.")
    if values.exchange:
        said.append(
            "When the other role is to move, the same weights say what the state is worth to that role, under this "
            f"symmetry: {symmetry_in_words(values.exchange)}. After your own move it is the other role's turn: your "
            "pieces then count as those of the other role do here, with the sign turned round."
        )
    if any(each.each_side for part in values.parts for each in part.tuples):
        said.append(
            "Some combinations have weights of their own for each side to move, and count only while it is to move."
        )
    return " ".join(said)


def symmetry_in_words(name: str) -> str:
    """Return the name of a symmetry with the turn of a board of two dimensions in words: `board turned by half`."""
    for points, words in _TURNS.items():
        name = name.replace(f"board {points}", f"board {words}")
    return name


def sharing_in_words(names: Sequence[str]) -> str:
    """Return names of symmetries; all turns and reflections of a square board as such, if there is nothing else."""
    if set(names) == {f"board {points}" for points in _TURNS}:
        return "all turns and reflections of the board"
    return ", ".join(map(symmetry_in_words, names))


def tuple_in_words(each: DescribedTuple, display: Display) -> str:
    """Return in words what a tuple looks like: `white at 1 1 and nothing at 1 2`, or which facts hold and which not."""
    if each.cells:
        words = contents_in_words(each.cells, each.contents, display, playable=each.playable)
        return f"{words}, and so anywhere on the board" if each.anywhere else words
    if each.costs:
        return costs_in_words(each.costs, map(int, each.contents), display)
    said = [
        display(fact) if fact != NOTHING else _none_of([display(other) for other in group])
        for fact, group in zip(each.contents, each.groups, strict=True)
    ]
    *first, last = said
    return f"{', '.join(first)} and {last}" if first else last


def costs_in_words(roles: Sequence[str], costs: Iterable[int], display: Display) -> str:
    """Return in words what it costs some roles to reach their best goals: `white 3 moves and black 1 move from …`."""
    said = [f"{display(role)} {_moves_in_words(cost)}" for role, cost in zip(roles, costs, strict=True)]
    return f"{' and '.join(said)} from the best goal if nobody stood in the way"


def _moves_in_words(cost: int) -> str:
    if cost == MOST_COST:
        return f"{cost} moves or more"
    return f"{cost} move{'' if cost == 1 else 's'}"


def contents_in_words(
    cells: Sequence[tuple[int, ...]], contents: Sequence[str], display: Display, *, playable: bool = False
) -> str:
    """Return in words what stands at some cells, equal contents together: `white at 1 1, 2 2 and nothing at 1 2`.

    Where contents tell who may move to an empty cell, that is said, too.
    """
    at: dict[str, list[str]] = {}
    for cell, piece in zip(cells, contents, strict=True):
        at.setdefault(piece, []).append(" ".join(map(str, cell)))
    said = [f"{_content_in_words(piece, display, playable)} at {', '.join(found)}" for piece, found in at.items()]
    *first, last = said
    return f"{'; '.join(first)} and {last}" if first else last


def _content_in_words(content: str, display: Display, playable: bool) -> str:
    mover = mover_named(content)
    if mover is not None:
        return f"nothing ({display(mover) if mover else 'several roles'} may move there)"
    if content == NOTHING:
        return "nothing (no move leads there)" if playable else "nothing"
    return display(content)


def _none_of(facts: Sequence[str]) -> str:
    if len(facts) <= 2:
        return " and ".join(f"not {fact}" for fact in facts)
    return f"none of {facts[0]} to {facts[-1]}"


def part_in_words(part: DescribedPart, roles: Sequence[str], display: Display) -> str:
    """Return for whom and in which states the weights count: `worth to white while (control white)`."""
    words = f"worth to {display(roles[part.role])}"
    if part.turn_fact:
        words += f" while {display(part.turn_fact)}"
    elif part.turn:
        words += f" in turn {part.turn + 1}"
    if part.pieces is not None:
        least, most = part.pieces
        words += f", {least} pieces or more" if most is None else f", {least} to {most} pieces"
    return words
