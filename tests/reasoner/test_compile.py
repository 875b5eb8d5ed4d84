"""The circuit computes what the ground rules say, with any factoring, simplification and sharing."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.circuit import FORMAT_VERSION, Circuit
from gdl_miner.agent.reasoner.compile import NEVER, GroundRules, compile_rules
from tests.native.twin import PlainCircuit, pack

FLUENTS = 4
MOVES = (3, 2)  # [role]
INPUTS = FLUENTS + sum(MOVES)  # atoms 1 .. INPUTS

Bodies = list[list[int]]  # alternatives, each a list of atoms; a negative number is a negated atom


def ground_rules(bodies: dict[int, Bodies], following: list[int], fluents: int, moves: tuple[int, ...]) -> GroundRules:
    rules = [number for head, found in bodies.items() for body in found for number in (head, len(body), *body)]
    rows = sum(moves)
    return GroundRules(
        n_atoms=max([fluents + rows, *bodies, *(abs(atom) for b in bodies.values() for body in b for atom in body)])
        + 1,
        rules=np.asarray(rules, np.int32),
        fluents=np.arange(1, fluents + 1, dtype=np.int32),
        does=np.arange(fluents + 1, fluents + rows + 1, dtype=np.int32),
        move_start=np.concatenate(([0], np.cumsum(moves))).astype(np.int32),
        legal=np.zeros(rows, np.int32),
        terminal=NEVER,
        goals=np.zeros(0, np.int32),
        next=np.asarray(following, np.int32),
    )


def circuit_of(rules: GroundRules, *, simplify: bool = True) -> Circuit:
    arrays = compile_rules(rules, simplify=simplify)
    n_roles, n_rows = len(rules.move_start) - 1, int(rules.move_start[-1])
    circuit = Circuit(
        version=FORMAT_VERSION,
        rules_digest="",
        roles=tuple(f"r{role}" for role in range(n_roles)),
        fluents=tuple(f"f{fluent}" for fluent in range(len(rules.fluents))),
        moves=tuple(f"m{row}" for row in range(n_rows)),
        move_start=rules.move_start,
        goal_role=np.zeros(0, np.int32),
        goal_value=np.zeros(0, np.int32),
        initial=np.zeros(len(rules.fluents), np.uint8),
        **arrays._asdict(),
    )
    _native.check_circuit(circuit)
    return circuit


def joint_moves(moves: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    starts = np.concatenate(([0], np.cumsum(moves)))[:-1].tolist()
    return product(*(range(start, start + count) for start, count in zip(starts, moves, strict=True)))


def successors(circuit: Circuit, moves: tuple[int, ...]) -> list[int]:
    """Return the next state, as a number, for every state and joint move."""
    plain, joints = PlainCircuit(circuit), list(joint_moves(moves))
    numbers = np.repeat(np.arange(1 << circuit.n_fluents), len(joints))
    states = numbers[:, None] >> np.arange(circuit.n_fluents) & 1 == 1
    return pack(plain.next(plain.evaluate(states), joints * (1 << circuit.n_fluents)))[:, 0].tolist()


def plainly(bodies: dict[int, Bodies], following: list[int]) -> list[int]:
    """Return the same as `successors`, computed directly from the rules."""
    found = []
    for state in range(1 << FLUENTS):
        for joint in joint_moves(MOVES):
            values = {1 + fluent: bool(state >> fluent & 1) for fluent in range(FLUENTS)}
            values |= {1 + FLUENTS + row: row in joint for row in range(sum(MOVES))}
            for head in sorted(bodies):
                values[head] = any(all(values[abs(atom)] == (atom > 0) for atom in body) for body in bodies[head])
            found.append(sum(values[atom] << index for index, atom in enumerate(following)))
    return found


# A plan lists the alternatives of each new atom: earlier atoms as (number, negated), modulo the number of atoms so far.
literals = st.tuples(st.integers(0, 200), st.booleans())
plans = st.lists(st.lists(st.lists(literals, max_size=4), min_size=1, max_size=5), min_size=FLUENTS, max_size=30)


@settings(max_examples=120, derandomize=True)
@given(plan=plans)
def test_the_circuit_computes_what_the_rules_say(plan: list[list[list[tuple[int, bool]]]]) -> None:
    bodies: dict[int, Bodies] = {}
    for head, alternatives in enumerate(plan, INPUTS + 1):
        bodies[head] = [
            [-(1 + number % (head - 1)) if negated else 1 + number % (head - 1) for number, negated in body]
            for body in alternatives
        ]
    following = list(bodies)[-FLUENTS:]
    expected = plainly(bodies, following)
    rules = ground_rules(bodies, following, FLUENTS, MOVES)
    assert successors(circuit_of(rules, simplify=False), MOVES) == expected
    assert successors(circuit_of(rules), MOVES) == expected


def test_alternatives_with_a_common_part_are_factored() -> None:
    bodies = {10: [[1, other] for other in range(2, 9)]}
    rules = ground_rules(bodies, [10] + [NEVER] * 7, 8, (1,))
    assert circuit_of(rules, simplify=False).n_gates == 8
    assert circuit_of(rules).n_gates == 2


def test_a_pair_that_many_gates_ask_for_is_computed_once() -> None:
    bodies = {20 + other: [[1, 2, other]] for other in range(3, 10)}
    circuit = circuit_of(ground_rules(bodies, [*bodies, NEVER, NEVER], 9, (1,)))
    assert circuit.n_gates == len(bodies) + 1
    assert circuit.n_literals == 2 * circuit.n_gates


def test_sets_of_moves_fold_into_one_set() -> None:
    first, second, third = 2, 3, 4  # the rows of the only role; atom 1 is the only fluent

    def root(bodies: Bodies) -> tuple[int, list[int], int]:
        circuit = circuit_of(ground_rules({9: bodies}, [9], 1, (3,)))
        return int(circuit.next[0]), circuit.set_rows.tolist(), circuit.n_gates

    set_slot = 2
    assert root([[first, second]]) == (1, [], 0)
    assert root([[first], [second], [third]]) == (0, [], 0)
    assert root([[first], [second]]) == (2 * set_slot + 1, [2], 0)
    assert root([[-first, -second]]) == (2 * set_slot, [2], 0)


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ({9: [[1, 10]], 10: [[1], [2]]}, [[1]]),
        ({9: [[-1, 10]], 10: [[1, 2]]}, []),
        ({9: [[1, 2, -10, 3]], 10: [[1, 2]]}, []),
        ({9: [[1, -10]], 10: [[1, 2]]}, [[1, -2]]),
        ({9: [[1, 2], [1, -2, -1]]}, [[1, 2]]),
    ],
)
def test_contradictions_and_absorptions_fold_away(bodies: dict[int, Bodies], expected: Bodies) -> None:
    found = circuit_of(ground_rules(bodies, [9, NEVER, NEVER], 3, (1,)))
    plain = circuit_of(ground_rules({9: expected}, [9, NEVER, NEVER], 3, (1,)))
    assert found.next.tolist() == plain.next.tolist()
    assert found.gate_literals.tolist() == plain.gate_literals.tolist()


def test_an_atom_that_depends_on_its_own_negation_is_refused() -> None:
    rules = ground_rules({9: [[1, -10]], 10: [[9, 2]]}, [9, NEVER, NEVER], 3, (1,))
    with pytest.raises(_native.NegativeCycleError):
        compile_rules(rules)


def test_what_is_no_list_of_rules_is_refused() -> None:
    rules = ground_rules({9: [[1, 2]]}, [9, NEVER, NEVER], 3, (1,))
    for numbers in ([9], [9, 5, 1], [99, 1, 1], [9, 1, 99], [9, -1]):
        broken = GroundRules(**{**vars(rules), "rules": np.asarray(numbers, np.int32)})
        with pytest.raises(ValueError, match="ground rules"):
            compile_rules(broken)


def test_what_tick_raises_ends_the_work() -> None:
    class EnoughError(Exception):
        pass

    def enough() -> None:
        raise EnoughError

    heads = range(40_000, 240_000)
    bodies = {head: [[1, head - 1], [2, -(head - 2)], [3, -(head - 3)]] for head in heads}
    with pytest.raises(EnoughError):
        compile_rules(ground_rules(bodies, [heads[-1], NEVER, NEVER], 3, (1,)), enough)
