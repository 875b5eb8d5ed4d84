"""From a knowledge file to the tables of the native scorer."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from agent.errors import KnowledgeError
from agent.knowledge.geometry import BoardNames, GameNames, Geometry, build_geometry
from agent.knowledge.itemset import Itemset
from agent.knowledge.knowledge import Knowledge, WeightedFeature
from agent.knowledge.plan import NO_CONDITION, Hit, Neighbourhoods, PlanBuilder
from agent.knowledge.scoring import EXPONENTIAL_LIMIT, UNIT, Phase, effective_features, exponential_weights, quantise
from agent.knowledge.tables import FORMAT_VERSION, KnowledgeTables, PlanTables

__all__ = ["GameMachine", "check_names", "compile_knowledge", "geometry_of"]

_LARGEST_SUM = 2**30  # of all integer weights of a role, so that sums fit 32 bits


class _Sheet(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def board(self) -> BoardNames | None: ...


class GameMachine(Protocol):
    """What compilation needs of `agent.reasoner.Machine`."""

    @property
    def sheet(self) -> _Sheet:
        """The rule sheet."""

    @property
    def circuit(self) -> GameNames:
        """The names of fluents and moves."""


def geometry_of(machine: GameMachine) -> Geometry:
    """The board of a game."""
    return build_geometry(machine.sheet.board, machine.circuit)


def compile_knowledge(knowledge: Knowledge, machine: GameMachine) -> KnowledgeTables:
    """Lay knowledge out for `_native.Scorer`.

    Raises:
        KnowledgeError: the knowledge names roles, moves, facts, pieces or fields that the game does not have, or its
            weights are too large.
    """
    geometry = geometry_of(machine)
    check_names(knowledge, geometry)
    return _Compiler(knowledge, geometry, machine.sheet.digest).tables()


def check_names(knowledge: Knowledge, geometry: Geometry) -> None:
    """Check that everything a knowledge file names exists in the game; raises KnowledgeError with the place."""
    if knowledge.roles != geometry.roles:
        raise KnowledgeError(
            f"knowledge of {knowledge.game or 'an unnamed game'} is about the roles {', '.join(knowledge.roles)}, "
            f"the game has {', '.join(geometry.roles)}; use a knowledge file of this game"
        )
    for role in range(len(knowledge.roles)):
        for each in (*knowledge.winning[role], *knowledge.losing[role]):
            problem = _misfit(each, geometry, role)
            if problem:
                place = each.place or f"knowledge of {knowledge.game or 'an unnamed game'}"
                raise KnowledgeError(f"{place}: {each.feature.element}: {problem}")


def _misfit(each: WeightedFeature, geometry: Geometry, role: int) -> str | None:
    problem = each.feature.misfit(geometry, role)
    for item in each.itemset.items if each.itemset else ():
        problem = problem or item.misfit(geometry)
    return problem


class _Compiler:
    def __init__(self, knowledge: Knowledge, geometry: Geometry, rules_digest: str) -> None:
        self.knowledge = knowledge
        self.geometry = geometry
        self.rules_digest = rules_digest
        self.neighbourhoods = Neighbourhoods(geometry)
        self.conditions: dict[Itemset, int] = {}

    def tables(self) -> KnowledgeTables:
        geometry, parameters = self.geometry, self.knowledge.parameters
        plans = tuple(self._plan(role, phase) for role in range(len(geometry.roles)) for phase in Phase)
        condition_start, item_start, item_fluents = self._condition_arrays()
        needs_lines = any(len(line.slot) for plan in plans for line in plan.lines)
        exponential = parameters.scoring == "exponential"
        tables = KnowledgeTables(
            version=FORMAT_VERSION,
            rules_digest=self.rules_digest,
            n_roles=len(geometry.roles),
            state_words=geometry.state_words,
            n_points=geometry.n_points,
            n_pieces=len(geometry.pieces),
            fluent_point=geometry.fluent_point,
            fluent_piece=geometry.fluent_piece,
            row_target=geometry.move_target,
            distance_id=_flat(self._distance_ids() if any(len(plan.distance_slot) for plan in plans) else None),
            nearest=_flat(geometry.nearest if any(len(plan.nearest.slot) for plan in plans) else None),
            line_length=geometry.lines.shape[2] if needs_lines else 0,
            lines=_flat(geometry.lines if needs_lines else None),
            key_bits=self.neighbourhoods.key_bits,
            neighbourhoods=tuple(self.neighbourhoods.tables),
            condition_start=condition_start,
            item_start=item_start,
            item_fluents=item_fluents,
            plans=plans,
            base=quantise(parameters.base_value),
            first_feature=parameters.first_feature,
            exponential=exponential,
            exponential_weight=exponential_weights() if exponential else np.empty(0, dtype=np.uint32),
            exponential_low=-EXPONENTIAL_LIMIT if exponential else 0,
            uct_c=parameters.uct_c,
            expansions=parameters.expansions,
            bias=parameters.bias,
            fade=parameters.fade,
            widening=parameters.widening,
            widening_visits=parameters.widening_visits,
            widening_moves=parameters.widening_moves,
            widening_growth=parameters.widening_growth,
        )
        tables.validate()
        return tables

    def _plan(self, role: int, phase: Phase) -> PlanTables:
        first = self.knowledge.parameters.first_feature
        builder = PlanBuilder(self.geometry, self.neighbourhoods, first_feature=first)
        effective = [each for each in effective_features(self.knowledge, role, phase) if each.weight]
        total = quantise(self.knowledge.parameters.base_value) + sum(abs(each.weight) for each in effective)
        if total >= _LARGEST_SUM:
            role_name = self.knowledge.roles[role]
            raise KnowledgeError(
                f"the weights of {role_name} add up to {total // UNIT}; keep them below {_LARGEST_SUM // UNIT}"
            )
        for rank, each in enumerate(effective):
            condition = NO_CONDITION
            if each.itemset is not None:
                condition = self.conditions.setdefault(each.itemset, len(self.conditions))
            each.feature.compile(builder, Hit(rank if first else each.weight, condition))
        return builder.build([each.weight for each in effective] if first else [])

    def _distance_ids(self) -> NDArray[np.int32]:
        return np.unique(self.geometry.squared_distance, return_inverse=True)[1].astype(np.int32)

    def _condition_arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        condition_start, item_start, fluents = [0], [0], [np.empty(0, dtype=np.int32)]
        for itemset in self.conditions:
            for item in itemset.items:
                fluents.append(item.fluents(self.geometry))
                item_start.append(item_start[-1] + len(fluents[-1]))
            condition_start.append(len(item_start) - 1)
        return (
            np.array(condition_start, dtype=np.int32),
            np.array(item_start, dtype=np.int32),
            np.concatenate(fluents).astype(np.int32),
        )


def _flat(array: NDArray[np.int32] | None) -> NDArray[np.int32]:
    return np.empty(0, dtype=np.int32) if array is None else np.ascontiguousarray(array).reshape(-1)
