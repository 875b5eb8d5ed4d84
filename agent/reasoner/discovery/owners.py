"""The roles that pieces belong to: a piece is of the role whose moves bring it to their targets."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from gdl_miner.agent.gdl.board import Board
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.discovery.sample import Transitions

__all__ = ["owners_of_pieces"]

_FEWEST = 3  # arrivals of a piece that tell whose it is


def owners_of_pieces(board: Board, circuit: Circuit, sample: Transitions) -> dict[str, int]:
    """Return the role of each piece that moves of this role alone, and of no other, bring to their targets.

    Pieces that several roles bring, such as the arrows of the Game of the Amazons, belong to nobody, and so do pieces
    that hardly ever arrive in the sample.
    """
    fields = [board.field(fluent) for fluent in circuit.fluents]
    on_point: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for fluent, field in enumerate(fields):
        if field is not None:
            on_point[field[0]].append(fluent)
    arrived: dict[str, Counter[int]] = defaultdict(Counter)
    for step, joint in enumerate(sample.rows.tolist()):
        for role in _movers(joint, circuit):
            point, _ = board.target(circuit.moves[joint[role]])
            for fluent in on_point.get(point, ()) if point is not None else ():
                field = fields[fluent]
                if field is not None and sample.after[step, fluent] and not sample.before[step, fluent]:
                    arrived[field[1] or board.board_functor][role] += 1
    return {
        piece: min(roles)
        for piece, roles in sorted(arrived.items())
        if len(roles) == 1 and min(roles.values()) >= _FEWEST
    }


def _movers(joint: Sequence[int], circuit: Circuit) -> list[int]:
    """Return the roles whose moves may bring pieces; those of chance bring nobody's."""
    return [role for role in range(len(joint)) if circuit.roles[role] != CHANCE_ROLE]
