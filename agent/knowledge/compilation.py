"""Compilation of a knowledge file into the tables of the native scorer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import WeightedFeature
from gdl_miner.agent.features.native_tables import FORMAT_VERSION, KnowledgeTables, Neighbourhood, PlanTables
from gdl_miner.agent.features.plan import Hit, KeyLayouts, PlanBuilder
from gdl_miner.agent.geometry import GameMachine, Geometry, geometry_of
from gdl_miner.agent.geometry.grid import Grid, KeyLayout, build_grid
from gdl_miner.agent.knowledge.knowledge import Knowledge
from gdl_miner.agent.knowledge.scoring import (
    EXPONENTIAL_LIMIT,
    UNIT,
    Phase,
    effective_features,
    exponential_weights,
    quantise,
)
from gdl_miner.agent.knowledge.sharing import written_out

_LARGEST_SUM = 2**30  # upper limit of the sum of all integer weights of a role, so that sums fit 32 bits


def compile_knowledge(knowledge: Knowledge, machine: GameMachine) -> KnowledgeTables:
    """Lay knowledge out for `_native.Scorer`.

    Raises:
        KnowledgeError: the knowledge names roles, moves, facts, pieces, fields or symmetries that the game does not
            have, or its weights are too large.
    """
    geometry = geometry_of(machine)
    check_names(knowledge, geometry)
    return _Compiler(written_out(knowledge, machine), geometry, machine.sheet.digest).tables()


def check_names(knowledge: Knowledge, geometry: Geometry) -> None:
    """Check that everything a knowledge file names exists in the game.

    Raises:
        KnowledgeError: something does not; the message says where in the file it is.
    """
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
        self.layouts = KeyLayouts(geometry)

    def tables(self) -> KnowledgeTables:
        geometry, parameters = self.geometry, self.knowledge.parameters
        plans = tuple(self._plan(role, phase) for role in range(len(geometry.roles)) for phase in Phase)
        margin = max((layout.radius for layout in self.layouts.layouts), default=0)
        grid = build_grid(geometry, self.layouts.off_board, margin)
        nearest = _lists(grid, geometry.nearest if any(plan.nearest.depth for plan in plans) else None)
        needs_lines = any(line.depth for plan in plans for line in plan.lines)
        lines = _lists(grid, geometry.lines if needs_lines else None)
        exponential = parameters.scoring == "exponential"
        on_board = geometry.fluent_point >= 0
        tables = KnowledgeTables(
            version=FORMAT_VERSION,
            rules_digest=self.rules_digest,
            n_roles=len(geometry.roles),
            state_words=geometry.state_words,
            n_points=geometry.n_points,
            n_pieces=len(geometry.pieces),
            cells=grid.cells,
            point_cell=grid.point_cell,
            copies=grid.copies.reshape(-1),
            fluent_cell=np.where(on_board, np.append(grid.point_cell, 0)[geometry.fluent_point], grid.sink).astype(
                np.uint16
            ),
            fluent_piece=geometry.fluent_piece,
            row_target=geometry.move_target,
            distance_id=self._distance_ids(any(len(plan.distance_slot) for plan in plans)),
            nearest_length=nearest.shape[-1],
            nearest=nearest.reshape(-1),
            line_length=lines.shape[-1],
            lines=lines.reshape(-1),
            neighbourhoods=tuple(
                _neighbourhood(layout, grid, relative=relative)
                for layout, relative in zip(self.layouts.layouts, self.layouts.relative, strict=True)
            ),
            plans=plans,
            base=quantise(parameters.base_value),
            first_feature=parameters.first_feature,
            exponential=exponential,
            exponential_weight=exponential_weights() if exponential else np.empty(0, dtype=np.uint32),
            exponential_low=-EXPONENTIAL_LIMIT if exponential else 0,
        )
        tables.validate()
        return tables

    def _plan(self, role: int, phase: Phase) -> PlanTables:
        first = self.knowledge.parameters.first_feature
        builder = PlanBuilder(self.geometry, self.layouts, role, first_feature=first)
        effective = [each for each in effective_features(self.knowledge, role, phase) if each.weight]
        total = quantise(self.knowledge.parameters.base_value) + sum(abs(each.weight) for each in effective)
        if total >= _LARGEST_SUM:
            name = self.knowledge.roles[role]
            raise KnowledgeError(
                f"the weights of {name} add up to {total // UNIT}; keep them below {_LARGEST_SUM // UNIT}"
            )
        for rank, each in enumerate(effective):
            each.feature.compile(builder, Hit(rank if first else each.weight, builder.condition(each.itemset)))
        return builder.build([each.weight for each in effective] if first else [])

    def _distance_ids(self, needed: bool) -> NDArray[np.int32]:
        if not needed:
            return np.empty(0, dtype=np.int32)
        return np.unique(self.geometry.squared_distance, return_inverse=True)[1].astype(np.int32).reshape(-1)


def _lists(grid: Grid, points: NDArray[np.int32] | None) -> NDArray[np.uint16]:
    return np.empty((0, 0), dtype=np.uint16) if points is None else grid.lists(points)


def _neighbourhood(layout: KeyLayout, grid: Grid, *, relative: bool) -> Neighbourhood:
    places = [layout.place(run) for run in range(layout.runs)]
    return Neighbourhood(
        relative=relative,
        run_length=layout.run_length,
        words=layout.words,
        run_offset=np.array(layout.run_offsets(grid.strides), dtype=np.int32),
        word_end=np.searchsorted([word for word, _ in places], np.arange(layout.words), side="right").astype(np.int32),
        run_shift=np.array([shift for _, shift in places], dtype=np.int32),
    )
