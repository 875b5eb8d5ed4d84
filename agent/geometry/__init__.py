"""Boards as arrays: lattices, fields and pieces, positions, areas, and the symmetries that boards and rules have."""

from gdl_miner.agent.geometry.geometry import (
    EMPTY,
    ENEMY,
    NOWHERE,
    OWN,
    GameMachine,
    GameNames,
    Geometry,
    Points,
    geometry_of,
)
from gdl_miner.agent.geometry.position import Position
from gdl_miner.agent.geometry.rule_symmetries import find_symmetries, find_symmetries_of_moves
from gdl_miner.agent.geometry.symmetry import Symmetry, SymmetryGroup

__all__ = [
    "EMPTY",
    "ENEMY",
    "NOWHERE",
    "OWN",
    "GameMachine",
    "GameNames",
    "Geometry",
    "Points",
    "Position",
    "Symmetry",
    "SymmetryGroup",
    "find_symmetries",
    "find_symmetries_of_moves",
    "geometry_of",
]
