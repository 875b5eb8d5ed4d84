"""Match records of random play with made-up root visits, for tests of mining."""

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import MatchBatchRecord


def random_record(machine: Machine, n_matches: int, seed: int, favour=lambda name: 1.0, prefix="m") -> MatchBatchRecord:
    """Uniformly random matches; a role's root visits on a move are proportional to `favour(move's name)`."""
    rng = np.random.default_rng(seed)
    names = [name for role in range(len(machine.roles)) for name in machine.moves[role]]
    states, moves, goals, start = [], [], [], [0]
    visit_start, visit_row, visit_count = [0], [], []
    for _ in range(n_matches):
        state = machine.initial()
        while not machine.terminal(state):
            legal = machine.legal(state)
            joint = [int(rng.choice(rows)) for rows in legal]
            for rows in legal:
                if len(rows) > 1:
                    visit_row += rows.tolist()
                    visit_count += [int(100 * favour(names[row])) for row in rows]
            states.append(state)
            moves.append(joint)
            visit_start.append(len(visit_row))
            state = machine.next(state, joint)
        states.append(state)
        moves.append([-1] * len(machine.roles))
        visit_start.append(len(visit_row))
        goals.append(machine.goals(state))
        start.append(len(states))
    return MatchBatchRecord(
        ids=tuple(f"{prefix}{i}" for i in range(n_matches)),
        start=np.array(start, dtype=np.int32),
        states=np.array(states, dtype=np.uint64),
        moves=np.array(moves, dtype=np.int32),
        goals=np.array(goals, dtype=np.int32),
        visit_start=np.array(visit_start, dtype=np.int64),
        visit_row=np.array(visit_row, dtype=np.int32),
        visit_count=np.array(visit_count, dtype=np.int32),
        players=np.zeros((n_matches, len(machine.roles)), dtype=np.int32),
        playouts=np.zeros((n_matches, len(machine.roles)), dtype=np.int64),
    )
