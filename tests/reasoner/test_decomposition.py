from gdl_miner.agent.gdl.rules import parse_sheet
from gdl_miner.agent.gdl.syntax import format_term
from gdl_miner.agent.reasoner.normal_form import Clause, clauses_of, variables
from gdl_miner.agent.reasoner.rewriting import decompose, project, static_relations


def clauses(text: str) -> list[Clause]:
    return clauses_of(parse_sheet(text))


def widest(rewritten: list[Clause]) -> int:
    """Return the largest number of variables in the head and the positive conditions of one clause."""
    return max(len(variables(clause.head, *clause.positive)) for clause in rewritten)


def test_a_long_chain_becomes_joins_of_three_variables() -> None:
    chain = "(<= (far ?a ?e) (edge ?a ?b) (edge ?b ?c) (edge ?c ?d) (edge ?d ?e))"
    assert widest(clauses(chain)) == 5
    assert widest(decompose(clauses(chain))) == 3


def test_equal_joins_share_one_relation() -> None:
    rules = "(<= (p ?a ?x) (e ?a ?b) (f ?b ?c) (g ?c ?x)) (<= (q ?u ?x) (e ?u ?v) (f ?v ?w) (g ?w ?x))"
    rewritten = decompose(clauses(rules))
    assert len(rewritten) == 3


def test_a_join_keeps_the_conditions_that_restrict_it_and_never_change() -> None:
    rules = "(small 1) (big 1 2) (<= (p ?x ?w) (small ?x) (big ?x ?y) (big ?y ?z) (true (at ?z ?w)))"
    joins = [clause for clause in decompose(clauses(rules)) if clause.head.name.startswith("\0")]
    bodies = [sorted(format_term(atom) for atom in clause.positive) for clause in joins]
    assert ["(big ?0 ?1)", "(big ?1 ?2)", "(small ?0)"] in bodies


def test_nothing_is_joined_that_would_leave_a_variable_of_a_negation_unbound() -> None:
    rules = "(<= (p ?a) (e ?a ?b) (f ?c ?d) (not (g ?b ?c)) (h ?d))"
    for clause in decompose(clauses(rules)):
        bound = variables(*clause.positive)
        assert all(variable in bound for variable in variables(clause.head, *clause.negative))


def test_variables_of_one_condition_are_projected_away() -> None:
    rules = "(<= (next (cell ?x)) (true (cell ?x)) (does ?r (move ?a ?b)))"
    projected = project(clauses(rules))
    assert [format_term(atom) for atom in projected[0].positive] == ["(does ?0 (move ?1 ?2))"]
    assert len(variables(projected[1].head, *projected[1].positive)) == 1


def test_relations_that_depend_on_state_or_moves_are_not_static() -> None:
    rules = "(a 1) (<= (b ?x) (a ?x)) (<= (c ?x) (b ?x) (true ?x)) (<= (d ?x) (a ?x) (not (c ?x)))"
    assert static_relations(clauses(rules)) == {"a", "b"}
