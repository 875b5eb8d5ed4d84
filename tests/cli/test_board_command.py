"""`agent board`: what is shown, what is written, and what is refused."""

import json
from pathlib import Path

import pytest

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.gdl import read_sheet
from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.reasoner.machine import load_machine
from tests.command_line import agent, succeeded

CROSSING = """
; two men cross a board of letters and numbers; a man that stands on the far row has won
(role white) (role black)
(nextfile a b) (nextfile b c) (nextfile c d)
(up 1 2) (up 2 3) (up 3 4)
(init (at a 1 white)) (init (at d 4 black)) (init (control white))
(<= (legal ?p (step ?f ?r ?f ?s)) (true (control ?p)) (true (at ?f ?r ?p)) (beside ?r ?s))
(<= (legal ?p (slide ?f ?r ?g ?r)) (true (control ?p)) (true (at ?f ?r ?p)) (along ?f ?g))
(<= (legal white noop) (true (control black)))
(<= (legal black noop) (true (control white)))
(<= (beside ?r ?s) (up ?r ?s)) (<= (beside ?r ?s) (up ?s ?r))
(<= (along ?f ?g) (nextfile ?f ?g)) (<= (along ?f ?g) (nextfile ?g ?f))
(<= (next (at ?g ?s ?p)) (does ?p (step ?f ?r ?g ?s)))
(<= (next (at ?g ?s ?p)) (does ?p (slide ?f ?r ?g ?s)))
(<= (next (at ?f ?r ?p)) (true (at ?f ?r ?p)) (not (true (control ?p))) (not (hit ?f ?r)))
(<= (hit ?g ?s) (does ?p (step ?f ?r ?g ?s)))
(<= (hit ?g ?s) (does ?p (slide ?f ?r ?g ?s)))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(<= (won white) (true (at ?f 4 white)))
(<= (won black) (true (at ?f 1 black)))
(<= terminal (won ?p))
(<= terminal (not (left white))) (<= terminal (not (left black)))
(<= (left ?p) (true (at ?f ?r ?p)))
(<= (goal ?p 100) (role ?p) (won ?p))
(<= (goal ?p 0) (role ?p) (not (won ?p)))
"""

NUMBERS = CROSSING.replace("nextfile a b", "nextfile 1 2").replace("nextfile b c", "nextfile 2 3")
NUMBERS = NUMBERS.replace("nextfile c d", "nextfile 3 4").replace("(at a 1", "(at 1 1").replace("(at d 4", "(at 4 4")
ONE_FORM = NUMBERS.replace("slide", "step")


def sheet(folder: Path, text: str) -> Path:
    path = folder / "g.kif"
    path.write_text(text)
    return path


def run(*arguments: object) -> str:
    return succeeded(agent("board", *arguments))


def test_letters_are_coordinates_and_moves_of_two_forms_have_targets(tmp_path: Path) -> None:
    path = sheet(tmp_path, CROSSING)
    assert "grid of 4 x 4, 16 cells, fluents (at dim dim piece), pieces black, white" in run(path)
    machine = load_machine(str(path))
    assert machine.board is not None
    assert machine.board.field("(at c 2 black)") == ((3, 2), "black")
    assert machine.board.target("(step a 1 a 2)") == ((1, 2), None)
    assert machine.board.path("(slide a 1 b 1)") == ((1, 1), (2, 1))
    geometry = geometry_of(machine)
    named = [move != "noop" for move in geometry.moves]
    assert [target >= 0 for target in geometry.move_target.tolist()] == named


def test_the_board_as_json(tmp_path: Path) -> None:
    assert json.loads(run(sheet(tmp_path, CROSSING), "--json")) == {
        "boards": [
            {
                "kind": "grid",
                "relation": "at",
                "relations": ["at"],
                "coordinates": [0, 1],
                "extents": [4, 4],
                "cells": 16,
                "neighbours": [[-1, 0], [0, -1], [0, 1], [1, 0]],
                "hexagonal": False,
                "content": [2],
                "pieces": ["black", "white"],
                "moves": [
                    {"functor": "slide", "source": [0, 1], "target": [2, 3]},
                    {"functor": "step", "source": [0, 1], "target": [2, 3]},
                ],
            }
        ]
    }


def test_the_facts_written_are_the_board_found(tmp_path: Path) -> None:
    path, new = sheet(tmp_path, ONE_FORM), tmp_path / "new.kif"
    found = load_machine(str(path)).board
    run(path, "--out", new)
    assert path.read_text() == ONE_FORM
    assert new.read_text().startswith(ONE_FORM)
    assert read_sheet(new).board == found
    run(path, "--write")
    assert path.read_text() == new.read_text()


@pytest.mark.parametrize(
    ("text", "options", "what"),
    [
        (CROSSING, ["--write"], "they need coordinates that are integers in order"),
        (ONE_FORM + "(boarddimnum 2)", ["--write"], "lacks 'boardboundaries'|has board facts"),
        (ONE_FORM, ["--write", "--out", "new.kif"], "give one of them"),
        (ONE_FORM, ["--out", "g.kif"], "exists; name a new file"),
    ],
)
def test_nothing_is_written_that_would_lose_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, options: list[str], what: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = sheet(tmp_path, text)
    with pytest.raises(UserError, match=what):
        run(path, *options)
    assert path.read_text() == text
    assert not (tmp_path / "new.kif").exists()


def test_contradicting_and_incomplete_facts_are_located(tmp_path: Path) -> None:
    facts = (
        "(boarddimnum 2) (boardboundaries 1 4) (boardfunctor at) (boardpattern dim dim piece)"
        "(playfunctor step) (playpattern skip skip dim dim)\n"
    )
    with pytest.raises(UserError, match=r"g\.kif:2:1: a second 'boardboundaries' differs from the one in line 1"):
        run(sheet(tmp_path, facts + "(boardboundaries 1 3)" + ONE_FORM))
    with pytest.raises(UserError, match=r"g\.kif:1:\d+: 'playpattern' has 1 'dim' on a 2-dimensional board"):
        run(sheet(tmp_path, facts.replace("skip dim dim", "skip dim skip") + ONE_FORM))


def test_a_declaration_is_shown_beside_what_was_found() -> None:
    shown = run("connectfour.ext")
    assert "declared: 2 dimensions, coordinates 1 to 8, fluents (cell dim dim piece)" in shown
    assert "found: grid of 8 x 6, 48 cells" in shown


def test_a_game_without_a_board_says_so(tmp_path: Path) -> None:
    text = "(role a) (init (heap 3)) (next1 3 2) (next1 2 1) (next1 1 0)"
    text += "(<= (legal a take)) (<= (next (heap ?n)) (true (heap ?m)) (next1 ?m ?n))"
    text += "(<= terminal (true (heap 0))) (goal a 100)"
    assert "features have no board: the rules show no board" in run(sheet(tmp_path, text))


def test_a_large_board_is_found_and_not_used(tmp_path: Path) -> None:
    steps = "".join(f"(succ {number} {number + 1})(index {number})" for number in range(1, 53))
    text = f"(role a) {steps} (index 53) (init (cell 1 1 x))"
    text += "(<= (legal a (mark ?x ?y)) (index ?x) (index ?y)) (<= (next (cell ?x ?y x)) (does a (mark ?x ?y)))"
    text += "(<= (next (cell ?x ?y x)) (true (cell ?x ?y x))) (goal a 100)"
    text += "(<= terminal (true (cell ?x ?y x)) (succ ?x ?z) (true (cell ?z ?y x)))"
    assert "features cannot use it: it has 2809 cells, more than 2500" in run(sheet(tmp_path, text))
