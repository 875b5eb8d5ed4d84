"""Images of all moves at once are those that renaming the moves one by one gives."""

import re

import pytest

from gdl_miner.agent.geometry import NOWHERE, Symmetry
from gdl_miner.agent.geometry.symmetry import candidate_symmetries
from gdl_miner.agent.reasoner.machine import Machine
from tests.search.positions import machine_of


def renamed_one_by_one(symmetry: Symmetry, machine: Machine) -> list[int]:
    geometry = symmetry.geometry
    words = {kind: symmetry.piece(kind) for kind in geometry.pieces}
    words |= {geometry.roles[role]: geometry.roles[image] for role, image in enumerate(symmetry.roles)}
    row_of = {(role, geometry.moves[row]): row for role in range(len(geometry.roles)) for row in geometry.rows(role)}
    images = []
    for role, image in enumerate(symmetry.roles):
        for row in geometry.rows(role):
            move = geometry.moves[row]
            moved = move if machine.board is None else machine.board.with_points(move, symmetry.place)
            text = re.sub(r"[^\s()]+", lambda found: words.get(found[0], found[0]), moved or "")
            images.append(row_of.get((image, text), NOWHERE))
    return images


@pytest.mark.parametrize(
    "game", ["amazons.ext", "breakthrough.ext", "checkers.ext", "fanorona.ext", "yavalath.ext", "three", "picks"]
)
def test_moves_renamed_at_once_are_those_renamed_one_by_one(game: str) -> None:
    machine = machine_of(game)
    candidates = list(candidate_symmetries(machine))
    assert all(each.moves.tolist() == renamed_one_by_one(each, machine) for each in candidates)
    assert len(candidates) > 1 or machine.board is None
