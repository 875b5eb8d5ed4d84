"""Whatever is simplified, factored or shared, the roots keep their meaning."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.reasoner.circuit import FALSE, TRUE
from agent.reasoner.nodes import Nodes, Roots
from agent.reasoner.optimise import needed_gates, optimise
from agent.reasoner.sharing import share

FLUENTS = 4
MOVES = (3, 2)  # [role]

# A gate to be: conjunction or disjunction of earlier literals, given as (index, complement) modulo what there is.
operands = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 1)), min_size=1, max_size=5)
steps = st.lists(st.tuples(st.booleans(), operands), min_size=1, max_size=40)


def grown(plan: list[tuple[bool, list[tuple[int, int]]]]) -> tuple[Nodes, Roots]:
    nodes = Nodes(FLUENTS, MOVES)
    literals = [nodes.fluent(index) for index in range(FLUENTS)]
    literals += [nodes.move_set(role, 1 << move) for role, count in enumerate(MOVES) for move in range(count)]
    for conjunction, parts in plan:
        inputs = [literals[index % len(literals)] ^ complement for index, complement in parts]
        literals.append(nodes.conjunction(inputs) if conjunction else nodes.disjunction(inputs))
    return nodes, Roots((), FALSE, (), tuple(literals[-6:]))


def values(nodes: Nodes, roots: Roots) -> list[tuple[bool, ...]]:
    """The roots' values for every state and joint move."""
    table = []
    for state in range(1 << FLUENTS):
        for first in range(MOVES[0]):
            for second in range(MOVES[1]):
                known = {0: True} | {1 + index: bool(state >> index & 1) for index in range(FLUENTS)}
                for node, (role, moves) in nodes.sets.items():
                    known[node] = bool(moves >> (first, second)[role] & 1)
                table.append(tuple(value_of(nodes, known, literal) for literal in roots.next))
    return table


def value_of(nodes: Nodes, known: dict[int, bool], literal: int) -> bool:
    node = literal >> 1
    if node not in known:
        known[node] = all(value_of(nodes, known, inner) for inner in nodes.gates[node] or ())
    return known[node] != bool(literal & 1)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(plan=steps)
def test_optimised_nodes_compute_the_same(plan: list[tuple[bool, list[tuple[int, int]]]]) -> None:
    nodes, roots = grown(plan)
    before = values(nodes, roots)
    assert values(*optimise(nodes, roots)) == before


def test_alternatives_with_a_common_part_are_factored() -> None:
    nodes = Nodes(8, ())
    common, *others = (nodes.fluent(index) for index in range(8))
    either = nodes.disjunction(nodes.conjunction((common, other)) for other in others)
    smaller, roots = optimise(nodes, Roots((), FALSE, (), (either,)))
    assert len(needed_gates(nodes, Roots((), FALSE, (), (either,)))) == 8
    assert len(needed_gates(smaller, roots)) == 2


def test_a_pair_that_many_gates_ask_for_is_computed_once() -> None:
    nodes = Nodes(8, ())
    one, two, *others = (nodes.fluent(index) for index in range(8))
    gates = [nodes.conjunction((one, two, other)) >> 1 for other in others]
    share(nodes, gates)
    pair = nodes.conjunction((one, two))
    assert [nodes.gates[gate] for gate in gates] == [tuple(sorted((other, pair))) for other in others]


def test_sets_of_moves_fold_into_one_set() -> None:
    nodes = Nodes(0, MOVES)
    first, second, third = (nodes.move_set(0, 1 << move) for move in range(3))
    assert nodes.conjunction((first, second)) == FALSE
    assert nodes.disjunction((first, second)) == third ^ 1
    assert nodes.disjunction((first, second, third)) == TRUE
    assert nodes.conjunction((first ^ 1, second ^ 1)) == third


def test_contradictions_and_absorptions_fold_away() -> None:
    nodes = Nodes(3, ())
    a, b, c = (nodes.fluent(index) for index in range(3))
    both = nodes.conjunction((a, b))
    cases = {
        nodes.conjunction((a, nodes.disjunction((a, b)))): a,
        nodes.conjunction((a ^ 1, both)): FALSE,
        nodes.conjunction((a, b, both ^ 1, c)): FALSE,
        nodes.conjunction((a, both ^ 1)): nodes.conjunction((a, b ^ 1)),
    }
    for given_literal, expected in cases.items():
        smaller, roots = optimise(nodes, Roots((), FALSE, (), (given_literal, expected)))
        assert roots.next[0] == roots.next[1]
        assert values_agree(smaller, roots)


def values_agree(nodes: Nodes, roots: Roots) -> bool:
    for state in range(8):
        known = {0: True} | {1 + index: bool(state >> index & 1) for index in range(3)}
        if len({value_of(nodes, known, literal) for literal in roots.next}) > 1:
            return False
    return True
