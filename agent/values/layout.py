"""The layout of a value network: which weights facts and tuples of cells select, shared over symmetries.

The native module gets it as arrays (`ValueNetwork`), whose plain twin is `plain_value`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.geometry import NOWHERE, Geometry, Symmetry, geometry_of
from gdl_miner.agent.values.fact_groups import FactGroups
from gdl_miner.agent.values.playable import PlayableCells, PlayableSample, content_name, playable_sample
from gdl_miner.agent.values.random_play import blank_of
from gdl_miner.agent.values.relaxed_costs import COST_NAMES, MOST_COST, RelaxedCosts, relaxed_costs
from gdl_miner.agent.values.tuples import CellTuple, TupleLayout, ring_of

if TYPE_CHECKING:
    from gdl_miner.agent.reasoner.machine import Machine

MOST_WEIGHTS = 2**26  # of a layout
NO_WEIGHT = -1
NOTHING = "."  # content of a cell without a piece, and of a group of facts of which none holds
WEIGHT_UNIT = 1 / 65536  # searches count in whole units


@dataclass(frozen=True, eq=False)
class ValueView:
    """The weights that the facts of a state select, in one phase and for one role."""

    fact_weight: NDArray[np.int32]  # [fluent] place of its weight, or NO_WEIGHT
    term_start: NDArray[np.int32]  # [fluent or derived fact + 1] into the two arrays below
    term_tuple: NDArray[np.int32]  # tuple to which the fact belongs
    term: NDArray[np.int32]  # what the fact adds to the place of the weight that the tuple selects
    tuple_weight: NDArray[np.int32]  # [tuple] place of the weight that is selected where none of its fluents holds
    against: bool  # whether the sum counts against the role


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """Which weights a state selects; the logistic function of their sum is its value. See values/value_network.hpp."""

    players: tuple[int, ...]  # the roles that choose; to the one that moves by chance no state is worth anything
    chance_role: int  # the number of roles if there is none
    n_outputs: int  # number of players, or 1 where the value to the second player is one minus that to the first
    turn_fluents: NDArray[np.int32]  # the turn is the place of the first that holds, their number if none does
    stage_mask: NDArray[np.uint64]  # [words] fluents whose number tells the stage
    stage_numbers: NDArray[np.int32]  # ascending: the numbers from which the next stage begins
    views: tuple[ValueView, ...]  # [phase * n_outputs + output], phase = turn * stages + stage
    n_weights: int
    next_tied: NDArray[np.int32]  # [n_weights] the next place with the same weight, in rings; empty if all are alone
    cells: PlayableCells | None = None  # whose facts come after the fluents; None if no tuple asks for them
    costs: RelaxedCosts | None = None  # whose facts come after those; None if no tuple asks for them

    def output(self, role: int) -> int:
        """Return the output that tells the value to a player."""
        return 0 if self.n_outputs == 1 else self.players.index(role)

    def is_opponent(self, role: int) -> bool:
        """Whether the value to a player is one minus that of its output."""
        return self.n_outputs < len(self.players) and role == self.players[1]


@dataclass(frozen=True)
class PartLayout:
    """The places of the weights that count in the states of one turn and stage, for one role."""

    turn: int
    stage: int
    role: int
    facts: dict[int, int] = field(default_factory=dict)  # fluent to the place of its weight, which its images share
    tuples: list[TupleLayout] = field(default_factory=list)


@dataclass(eq=False)
class ValueLayout:
    """The places of the weights that facts and tuples select in a value network.

    In a game of two players that take turns, with goals of a constant sum and a symmetry that exchanges the players,
    the weights of the second player's turns are those of the first one's, seen by the other player. Tuples may have
    weights of their own for each side to move (`CellTuple.each_side`).

    Raises:
        ConfigError: there are too many weights, or another piece counts as nothing than the one that moves replace.
    """

    machine: Machine
    symmetries: Sequence[Symmetry]  # over which weights are shared; the identity may be left out
    tuples: Sequence[CellTuple]  # their images under symmetries need not be named
    constant_sum: bool  # whether the goals of two roles always have the same sum
    blank: int  # occupant code of the piece that counts as nothing, EMPTY if there is none
    stages: Sequence[int] = ()  # numbers of pieces, without blanks, from which the next stage begins
    facts: bool = True  # whether every fact has a weight
    groups: Sequence[FactGroups] = ()  # tuples of groups of facts of which at most one holds
    costs: Sequence[tuple[int, ...]] = ()  # tuples of roles whose costs together select a weight
    parts: list[PartLayout] = field(init=False, default_factory=list)  # by turn, stage and role
    n_weights: int = field(init=False, default=0)
    _ordered: dict[tuple[int, bool], list[tuple[list[int], list[int]]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.network = self._network()

    @cached_property
    def geometry(self) -> Geometry:
        """The board."""
        return geometry_of(self.machine)

    @cached_property
    def sample(self) -> PlayableSample | None:
        """The playable cells of the game; None if no tuple asks for them."""
        return playable_sample(self.machine, self.turns) if any(each.playable for each in self.tuples) else None

    @cached_property
    def relaxed(self) -> RelaxedCosts | None:
        """The costs of the game; None if no tuple asks for them."""
        return relaxed_costs(self.machine) if self.costs else None

    @cached_property
    def first_cost(self) -> int:
        """The first fact of costs, numbered after the fluents and the facts of playable cells."""
        return len(self.machine.fluents) + (0 if self.sample is None else self.sample.cells.n_facts)

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """Fluents that tell the turns, see `find_turns`."""
        return find_turns(self.machine)

    def _network(self) -> ValueNetwork:
        if self.sample is not None and self.blank != blank_of(self.machine):
            raise ConfigError("playable cells hold no piece; let only the piece count as nothing that most cells have")
        varied = () if self.relaxed is None else self.relaxed.roles
        if not {role for roles in self.costs for role in roles} <= set(varied):
            raise ConfigError("what it costs a role to reach its best goal does not change in this game")
        n_stages = len(self.stages) + 1
        circuit = self.machine.circuit
        players = circuit.choosing_roles
        roles = players[:1] if self.constant_sum else players
        exchange = self.exchange
        views: list[ValueView] = []
        shared: list[ValueView] = []  # [phase * outputs] those without tuples that each side has of its own
        for turn, stage, role in itertools.product(range(len(self.turns) + 1), range(n_stages), roles):
            if exchange is not None and (other := self.exchanged_turns[turn]) < turn:
                part = PartLayout(turn, stage, players[1])
                view = _seen_by_the_other(
                    shared[other * n_stages + stage], exchange.fluents, self._images_of_facts(exchange)
                )
            else:
                part = PartLayout(turn, stage, role)
                view = self._with_tuples(self._view_of_facts(part), part, each_side=False)
            shared.append(view)
            views.append(self._with_tuples(view, part, each_side=True))
            if part.tuples or not view.against:
                self.parts.append(part)
        pieces = np.zeros(self.geometry.state_words * 64, np.uint8)
        pieces[: len(self.machine.fluents)] = [self._is_piece(fluent) for fluent in range(len(self.machine.fluents))]
        return ValueNetwork(
            players=players,
            chance_role=circuit.chance_role,
            n_outputs=len(roles),
            turn_fluents=np.array(self.turns, np.int32),
            stage_mask=np.packbits(pieces, bitorder="little").view(np.uint64),
            stage_numbers=np.array(self.stages, np.int32),
            views=tuple(views),
            n_weights=self.n_weights,
            next_tied=self._next_tied(),
            cells=None if self.sample is None else self.sample.cells,
            costs=self.relaxed,
        )

    def _next_tied(self) -> NDArray[np.int32]:
        """Tie the weights of contents that a symmetry makes of each other where it maps their tuple to itself."""
        rings = np.arange(self.n_weights, dtype=np.int32)
        for turn, own in ((part.turn, own) for part in self.parts for own in part.tuples):
            other = (image for image in self._images(own, turn) if image.fluents != own.fluents)
            exchanges = [each for each in map(own.exchange, other) if each is not None]
            if exchanges:
                rings[own.first : own.first + own.size] = own.first + ring_of(exchanges, own.size)
        alone = (rings == np.arange(self.n_weights)).all()
        return np.empty(0, np.int32) if alone else rings

    def choices(self, own: TupleLayout) -> tuple[tuple[str, ...], ...]:
        """Return the names of what may be at each cell or in each group of a tuple, in the order of its weights."""
        geometry = self.geometry
        if self.roles_of(own):
            return (COST_NAMES,) * len(own.fluents)
        if not own.points:
            return tuple((NOTHING, *(geometry.fluents[fluent] for fluent in group)) for group in own.fluents)
        return tuple((NOTHING, *map(self.content_named, fluents)) for fluents in own.fluents)

    def roles_of(self, own: TupleLayout) -> tuple[int, ...]:
        """Return the roles whose costs a tuple looks at; none for a tuple of cells or of groups of facts."""
        if own.points or own.fluents[0][0] < self.first_cost:
            return ()
        return tuple(self.role_of_cost(group[0]) for group in own.fluents)

    def role_of_cost(self, fact: int) -> int:
        """Return the role of a fact of costs."""
        return (fact - self.first_cost) // MOST_COST

    def cost_of(self, fact: int) -> int:
        """Return the cost that a fact of costs names."""
        return (fact - self.first_cost) % MOST_COST + 1

    def content_named(self, fact: int) -> str:
        """Return the name of the content of a cell that a fluent, or a fact of a playable cell, is."""
        beyond = fact - len(self.machine.fluents)
        if self.sample is not None and beyond >= 0:
            return content_name(self.machine, beyond % self.sample.cells.kinds)
        return str(self.geometry.pieces[self.geometry.fluent_piece[fact] - 1])

    def point_of(self, fact: int) -> int:
        """Return the point of a fluent, or of a fact of a playable cell; NOWHERE for a fact of none."""
        beyond = fact - len(self.machine.fluents)
        if fact >= self.first_cost:
            return NOWHERE
        if self.sample is not None and beyond >= 0:
            return beyond // self.sample.cells.kinds
        return int(self.geometry.fluent_point[fact])

    def _images_of_facts(self, symmetry: Symmetry) -> NDArray[np.int32]:
        """Return [fluent or derived fact] its image."""
        images = [symmetry.fluents]
        if self.sample is not None:
            images.append(len(symmetry.fluents) + self.sample.cells.images(symmetry))
        if self.relaxed is not None:
            images.append(self.first_cost + self.relaxed.images(symmetry))
        return np.concatenate(images)

    @cached_property
    def exchange(self) -> Symmetry | None:
        """The symmetry that makes the turns of the second player of those of the first."""
        if not self.constant_sum or not self.turns:
            return None
        exchanging = (each for each in self.symmetries if not each.keeps_roles and self._exchanged_by(each))
        return next(exchanging, None)

    @cached_property
    def exchanged_turns(self) -> list[int]:
        """[turn] the turn that the exchange makes of it."""
        return [] if self.exchange is None else self._exchanged_by(self.exchange)

    def _exchanged_by(self, symmetry: Symmetry) -> list[int]:
        """Return [turn] the turn that a symmetry makes of it; nothing where it keeps them, or makes no turn of one."""
        last, place = len(self.turns), {fluent: turn for turn, fluent in enumerate(self.turns)}
        images = [place.get(int(symmetry.fluents[fluent]), last) for fluent in self.turns]
        images += sorted({*range(last + 1)} - {*images})
        swapped = len(images) == last + 1 and all(images[image] == turn for turn, image in enumerate(images))
        return images if swapped and images != list(range(last + 1)) else []

    @cached_property
    def _sharing(self) -> list[Symmetry]:
        identity = Symmetry.identity(self.machine)
        return [identity, *(each for each in self.symmetries if each.keeps_roles and not each.is_identity)]

    @cached_property
    def _shared_images(self) -> list[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """[symmetry over which weights are shared] the images of points and of facts."""
        return [(each.points, self._images_of_facts(each)) for each in self._sharing]

    def _is_piece(self, fluent: int) -> bool:
        geometry = self.geometry
        return bool(geometry.fluent_point[fluent] != NOWHERE and geometry.fluent_piece[fluent] != self.blank)

    @cached_property
    def _on_point(self) -> list[tuple[int, ...]]:
        """[point] the fluents that put a piece there."""
        found: list[list[int]] = [[] for _ in range(self.geometry.n_points)]
        for fluent in filter(self._is_piece, range(len(self.machine.fluents))):
            found[int(self.geometry.fluent_point[fluent])].append(fluent)
        return [tuple(each) for each in found]

    @cached_property
    def _content(self) -> NDArray[np.int32]:
        """[fluent or fact of a playable cell] number of the content that it is: its piece, or who may move there."""
        piece = self.geometry.fluent_piece.astype(np.int32)
        if self.sample is None:
            return piece
        cells = self.sample.cells
        return np.concatenate([piece, len(self.geometry.pieces) + 1 + np.arange(cells.n_facts) % cells.kinds])

    def _contents(self, turn: int, playable: bool) -> list[tuple[int, ...]]:
        """Return [point] the facts that say what is there in a turn."""
        if not playable or self.sample is None:
            return self._on_point
        first, kinds = len(self.machine.fluents), self.sample.cells.kinds
        return [
            (*fluents, *(first + point * kinds + kind for kind in self.sample.kinds[turn])) if fluents else fluents
            for point, fluents in enumerate(self._on_point)
        ]

    def _by_content(self, turn: int, playable: bool) -> list[tuple[list[int], list[int]]]:
        """Return [point] the contents that can be there in a turn, ascending, and their facts; found once."""
        if (turn, playable) not in self._ordered:
            ordered = [sorted(facts, key=self._content.__getitem__) for facts in self._contents(turn, playable)]
            self._ordered[turn, playable] = [(self._content[facts].tolist(), facts) for facts in ordered]
        return self._ordered[turn, playable]

    def _tuples(self, turn: int) -> Iterator[TupleLayout]:
        """Yield all tuples of a turn, each with its weights after those that are taken."""
        contents = {playable: self._contents(turn, playable) for playable in {each.playable for each in self.tuples}}
        for points, *kind in self.tuples:
            facts = tuple(contents[kind[1]][point] for point in points)
            yield TupleLayout(tuple(points), facts, self.n_weights, *kind)
        for groups in self.groups:
            yield TupleLayout((), groups, self.n_weights)
        for roles in self.costs:
            yield TupleLayout((), self.facts_of_costs(roles), self.n_weights)

    def facts_of_costs(self, roles: Sequence[int]) -> FactGroups:
        """Return for each role its facts, the least cost first."""
        first = [self.first_cost + role * MOST_COST for role in roles]
        return tuple(tuple(range(start, start + MOST_COST)) for start in first)

    def _images(self, own: TupleLayout, turn: int) -> Iterator[TupleLayout]:
        """Find the images of a tuple of a turn, itself among them."""
        by_content = self._by_content(turn, own.playable) if own.anywhere else []
        for points, facts in self._shared_images:
            image = own.image(points, facts)
            if own.anywhere:
                yield from image.translations(self.geometry, self._content, by_content)
            else:
                yield image

    def _take(self, count: int) -> int:
        first = self.n_weights
        if first + count > MOST_WEIGHTS:
            raise ConfigError(f"the tuples have more than {MOST_WEIGHTS:,} weights; take fewer or shorter tuples")
        self.n_weights += count
        return first

    def _view_of_facts(self, part: PartLayout) -> ValueView:
        fact_weight = self._fact_weights(part)
        n_facts = self.first_cost + (0 if self.relaxed is None else self.relaxed.n_facts)
        nothing = np.empty(0, np.int32)
        return ValueView(fact_weight, np.zeros(n_facts + 1, np.int32), nothing, nothing, nothing, against=False)

    def _with_tuples(self, view: ValueView, part: PartLayout, *, each_side: bool) -> ValueView:
        """Return a view with the tuples of a part, too, those that each side has of its own or the others."""
        starts = itertools.pairwise(view.term_start.tolist())
        known = list(zip(view.term_tuple.tolist(), view.term.tolist(), strict=True))
        terms = [known[first:last] for first, last in starts]
        tuple_weight: list[int] = view.tuple_weight.tolist()
        done: set[Hashable] = set()
        for own in self._tuples(part.turn):
            if own.each_side != each_side or own.key in done:
                continue
            self._take(own.size)
            part.tuples.append(own)
            for image in self._images(own, part.turn):
                if image.key in done:
                    continue
                done.add(image.key)
                for step, fluents in zip(own.steps, image.fluents, strict=True):
                    for digit, fluent in enumerate(fluents, 1):
                        terms[fluent].append((len(tuple_weight), digit * step))
                tuple_weight.append(own.first)
        flat: NDArray[np.int32] = np.array([term for each in terms for term in each], np.int32).reshape(-1, 2)
        return replace(
            view,
            term_start=np.cumsum([0, *map(len, terms)]).astype(np.int32),
            term_tuple=np.ascontiguousarray(flat[:, 0]),
            term=np.ascontiguousarray(flat[:, 1]),
            tuple_weight=np.array(tuple_weight, np.int32),
        )

    def _fact_weights(self, part: PartLayout) -> NDArray[np.int32]:
        places = np.full(len(self.machine.fluents), NO_WEIGHT, np.int32)
        for fluent in range(len(self.machine.fluents) if self.facts else 0):
            is_blank = self.geometry.fluent_point[fluent] != NOWHERE and not self._is_piece(fluent)
            if is_blank or fluent in self.turns or places[fluent] != NO_WEIGHT:
                continue
            part.facts[fluent] = place = self._take(1)
            for symmetry in self._sharing:
                places[symmetry.fluents[fluent]] = place
        return places


def find_turns(machine: Machine) -> tuple[int, ...]:
    """Return fluents that tell the turns of a game, one for each turn but the last.

    The result is empty where the game has no turns, or some turn has no fluent of its own.
    """
    fluents, values = _native.turns(machine.native)
    tellers = []
    for turn in range(len(values) - 1):
        own = np.flatnonzero((values.sum(axis=0) == 1) & (values[turn] == 1))
        if not len(own):
            return ()
        tellers.append(int(fluents[own[0]]))
    return tuple(tellers)


def movers_before(machine: Machine) -> tuple[int, int] | None:
    """Return, for each turn of a game of two roles that move in turn, the role that moved before.

    None for other games, and where the initial state does not show who moves.
    """
    turns = find_turns(machine)
    if len(turns) != 1 or len(machine.roles) != 2:
        return None
    initial = machine.initial()
    choosing = [role for role, rows in enumerate(machine.legal(initial)) if len(rows) > 1]
    if len(choosing) != 1:
        return None
    [mover] = choosing
    is_first = bool(initial[turns[0] // 64] >> np.uint64(turns[0] % 64) & np.uint64(1))
    return (1 - mover, mover) if is_first else (mover, 1 - mover)


def value_function(layout: ValueLayout, weights: NDArray[np.float32]) -> _native.ValueFunction:
    """Return the native function of a layout with weights in units of log-odds."""
    whole = np.round(weights.astype(np.float64) / WEIGHT_UNIT).astype(np.int32)
    return _native.ValueFunction(layout.machine.native, layout.network, whole)


def _seen_by_the_other(view: ValueView, fluents: NDArray[np.int32], facts: NDArray[np.int32]) -> ValueView:
    """Return the view in which a fact selects what its image selects in a view, and which counts for the other role.

    `fluents` and `facts` are the images of the fluents, and of these and the derived facts.
    """
    parts = [np.arange(view.term_start[image], view.term_start[image + 1]) for image in facts]
    order = np.concatenate(parts)
    return ValueView(
        fact_weight=view.fact_weight[fluents],
        term_start=np.cumsum([0, *map(len, parts)]).astype(np.int32),
        term_tuple=view.term_tuple[order],
        term=view.term[order],
        tuple_weight=view.tuple_weight,
        against=not view.against,
    )


def plain_value(network: ValueNetwork, weights: NDArray[np.float32], facts: NDArray[np.int32], role: int) -> float:
    """Return what a state is worth to a player, 0..1.

    `facts` are its fluents and, numbered after these, the facts of playable cells (`PlayableCells.plain`) and of costs.
    """
    fluents = facts[facts < len(network.views[0].fact_weight)]
    turn = next((i for i, fluent in enumerate(network.turn_fluents) if fluent in facts), len(network.turn_fluents))
    mask = np.unpackbits(network.stage_mask.view(np.uint8), bitorder="little")
    number = int(mask[fluents].sum())
    stage = int((network.stage_numbers <= number).sum())
    phase = turn * (len(network.stage_numbers) + 1) + stage
    view = network.views[phase * network.n_outputs + network.output(role)]
    places = view.tuple_weight.copy()
    total = 0.0
    for fluent in fluents:
        if view.fact_weight[fluent] != NO_WEIGHT:
            total += float(weights[view.fact_weight[fluent]])
    for fact in facts:
        for at in range(view.term_start[fact], view.term_start[fact + 1]):
            places[view.term_tuple[at]] += view.term[at]
    total += sum(float(weights[place]) for place in places)
    value = 1 / (1 + math.exp(total if view.against else -total))
    return 1 - value if network.is_opponent(role) else value
