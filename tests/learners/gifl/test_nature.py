"""The nature of games, as random games show it."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.learners.gifl.nature import ended_by_clock, play_random_games, study_game, terminal_facts
from gdl_miner.miner.learners.gifl.variants import Variants, holding

# Three cells in a row, which hold blanks at first; whoever marks two of them wins. A match has at most `LIMIT` moves.
ROW = """
(role x) (role o)
(init (cell 1 b)) (init (cell 2 b)) (init (cell 3 b)) (init (control x)) (init (step 1))
(other x o) (other o x) (succ 1 2) (succ 2 3) (succ 3 4) (place 1) (place 2) (place 3)
(<= (legal ?r (mark ?n)) (true (control ?r)) (true (cell ?n b)))
(<= (legal ?r {wait}) (other ?r ?o) (true (control ?o)))
(<= (next (cell ?n ?r)) (does ?r (mark ?n)))
(<= (marked ?n) (does ?r (mark ?n)))
(<= (next (cell ?n ?c)) (true (cell ?n ?c)) (not (marked ?n)))
(<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (two ?r) (true (cell ?n ?r)) (true (cell ?m ?r)) (distinct ?n ?m) (role ?r))
(<= terminal (two ?r))
(<= terminal (true (step {limit})))
(<= (goal ?r 100) (two ?r))
(<= (goal ?r 0) (two ?o) (other ?r ?o))
(<= (goal ?r 50) (role ?r) (not (two x)) (not (two o)))
"""


def row_of_cells(folder: Path, wait: str = "noop", limit: int = 5) -> Machine:
    (folder / "row.kif").write_text(ROW.format(wait=wait, limit=limit))
    return load_machine(str(folder / "row.kif"), cache=False)


def names(machine: Machine, facts: Iterable[int]) -> list[str]:
    return [machine.fluents[fact] for fact in facts]


def test_waiting_sizes_and_terminal_facts_are_found(tmp_path: Path) -> None:
    machine = row_of_cells(tmp_path)
    nature = study_game(machine, play_random_games(machine, range(30)))
    assert (nature.noop, nature.replaces, nature.terminal_facts) == ("noop", True, True)
    bundled = load_machine("tictactoe.ext")
    nature = study_game(bundled, play_random_games(bundled, range(30)))
    assert (nature.noop, nature.replaces) == ("noop", False)


def test_a_fact_is_replaced_where_states_have_as_many_facts(tmp_path: Path) -> None:
    machine = row_of_cells(tmp_path)
    variants = Variants(machine, replaces=True)
    state = machine.state_of(["(cell 1 x)", "(cell 2 o)", "(cell 3 b)", "(control x)", "(step 3)"])
    facts = variants.facts(state)
    assert names(machine, facts) == ["(cell 1 x)", "(cell 2 o)", "(cell 3 b)"]  # turn and step change by themselves
    found = [machine.facts(each) for each in variants.without(state, facts)]
    kept = ["(control x)", "(step 3)"]
    assert found[0] == ["(cell 1 b)", "(cell 2 o)", "(cell 3 b)", *kept]
    assert found[1] == ["(cell 1 x)", "(cell 2 b)", "(cell 3 b)", *kept]
    assert found[2] == ["(cell 1 x)", "(cell 2 o)", *kept]  # a fact of the initial state is removed


def test_terminal_facts_are_the_marks_that_end_the_game(tmp_path: Path) -> None:
    machine = row_of_cells(tmp_path)
    variants = Variants(machine, replaces=True)
    for game in play_random_games(machine, range(20)):
        if game.winner is not None:
            own = machine.roles[game.winner]
            held = names(machine, holding(game.states[-1], len(machine.fluents)))
            marks = [name for name in held if name.startswith("(cell") and name.endswith(f"{own})")]
            assert names(machine, terminal_facts(variants, game)) == marks


def test_a_game_that_the_clock_ends_is_told_from_one_that_is_won(tmp_path: Path) -> None:
    machine = row_of_cells(tmp_path, limit=3)
    variants = Variants(machine, replaces=True)
    assert {ended_by_clock(variants, game) for game in play_random_games(machine, range(10))} == {True}
    machine = row_of_cells(tmp_path)
    variants = Variants(machine, replaces=True)
    games = play_random_games(machine, range(20))
    assert {ended_by_clock(variants, game) for game in games if game.winner is not None} == {False}


def test_games_in_which_both_may_choose_are_refused(tmp_path: Path) -> None:
    machine = row_of_cells(tmp_path, wait="noop")
    both = ROW.replace("(true (control ?r)) (true (cell ?n b)))", "(role ?r) (true (cell ?n b)))", 1)
    (tmp_path / "both.kif").write_text(both.format(wait="noop", limit=4))
    machine = load_machine(str(tmp_path / "both.kif"), cache=False)
    with pytest.raises(ConfigError, match=r"both roles may choose.*take another learner"):
        study_game(machine, play_random_games(machine, range(5)))


def test_a_game_of_one_role_is_refused(tmp_path: Path) -> None:
    sheet = "(role a) (init (p 1)) (legal a go) (<= (next (p 2)) (does a go)) (<= terminal (true (p 2))) (goal a 100)"
    (tmp_path / "alone.kif").write_text(sheet)
    machine = load_machine(str(tmp_path / "alone.kif"), cache=False)
    with pytest.raises(ConfigError, match="has 1 roles"):
        study_game(machine, play_random_games(machine, range(2)))
