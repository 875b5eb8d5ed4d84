"""Goals that need gates of their own are evaluated apart, for terminal states only; results do not change."""

import numpy as np
import pytest

from gdl_miner.agent import _native
from tests.instruction_sets import EACH_SET
from tests.native.circuits import CircuitArrays, CircuitBuilder
from tests.native.twin import PlainCircuit, lane_mask, pack, totals

N = 24


def counted(apart: bool) -> CircuitArrays:
    """Return a circuit in which a step sets one of N fluents or ends the match; goals depend on the number that holds.

    The goals have many gates. Without `apart` the legal moves read these gates too, without effect, so that goals are
    not evaluated apart.
    """
    b = CircuitBuilder(N + 1, [N + 1, 2], [[row] for row in range(N + 1)])
    fluents = [b.fluent(i) for i in range(N)]
    counts = [[0 if k == 0 else 1 for k in range(N + 1)]]  # [number of fluents seen][k]: at least k of them hold
    for fluent in fluents:
        last = counts[-1]
        row = [0]
        for k in range(1, N + 1):
            more = b.all_of(fluent, last[k - 1])
            row.append(b.all_of(last[k] ^ 1, more ^ 1) ^ 1)
        counts.append(row)
    ended = b.fluent(N)
    impossible = [b.all_of(counts[-1][k], counts[-1][k - 1] ^ 1) for k in range(1, N + 1)]
    possible = 0 if apart else b.all_of(*(literal ^ 1 for literal in impossible))
    b.end_state_phase()
    following = [b.all_of(fluent ^ 1, b.move_set(i) ^ 1) ^ 1 for i, fluent in enumerate(fluents)]
    ending = b.all_of(ended ^ 1, b.move_set(N) ^ 1) ^ 1
    goals = [(role, 100 * k // N, counts[-1][k]) for role in (0, 1) for k in range(N, -1, -1 - role)]
    return b.build(
        legal=[possible] + [0] * (N + 2),
        terminal=ended,
        goals=goals,
        next_literals=[*following, ending],
        initial=[0] * (N + 1),
    )


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("lanes", [64, 128, 256, 512])
def test_lanes_tell_the_goals_of_any_state_at_any_time(isa: str, lanes: int) -> None:
    circuit = counted(apart=True)
    plain, engine = PlainCircuit(circuit), _native.Lanes(_native.Machine(circuit), lanes, isa)
    rng = np.random.default_rng(lanes)
    everyone = lane_mask(np.ones(lanes, np.bool_))
    states = rng.random((lanes, N + 1)) < rng.random((lanes, 1))
    for lane, state in enumerate(pack(states)):
        engine.load(lane, state, lane)
    for _ in range(3):
        engine.evaluate()
        states = np.unpackbits(
            engine.read_states(everyone).reshape(lanes, -1).view(np.uint8), axis=1, bitorder="little"
        )
        expected = plain.goals(plain.evaluate(states[:, : N + 1].astype(np.bool_)))
        for lane in rng.permutation(lanes)[:40]:
            assert engine.goals(int(lane)).tolist() == expected[lane].tolist()
        engine.choose(everyone)
        engine.advance()


@pytest.mark.parametrize("isa", EACH_SET)
def test_playouts_count_the_goals_of_every_end_however_wide_the_lanes(isa: str) -> None:
    machine = _native.Machine(counted(apart=True))
    expected = machine.playouts(count=900, lanes=64, seed=2, isa="baseline")
    found = machine.playouts(count=900, lanes=512, seed=2, isa=isa)
    assert totals(found) == totals(expected)


def test_goals_told_apart_sum_to_what_single_states_tell() -> None:
    apart = _native.Machine(counted(apart=True)).playouts(count=700, seed=3)
    together = _native.Machine(counted(apart=False)).playouts(count=700, seed=3)
    assert totals(apart) == totals(together)
    assert apart.goals[0] > apart.goals[1] > 0
