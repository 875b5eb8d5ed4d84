import xml.etree.ElementTree as ElementTree
from pathlib import Path

from gdl_miner.agent.gdl.rules import parse_sheet
from gdl_miner.agent.reasoner.engines import fallback
from tests.command_line import agent

GAME = """
(role white) (role black) (init (step 0)) (succ 0 1) (succ 1 2) (unused a)
(<= (legal ?r go) (role ?r) (true (step 0))) (<= (legal white go) (true (step ?_n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (never ?x)) (true (step ?x)) (succ 2 ?x))
(<= terminal (true (step 2))) (goal white 10)
"""


def test_check_finds_dead_rules_unused_relations_and_lines_without_a_move(tmp_path: Path) -> None:
    sheet = tmp_path / "g.kif"
    sheet.write_text(GAME)
    printed = agent("check", sheet, "--hints").stdout
    assert "5:1: this rule for 'next' can never fire" in printed
    assert "uses the relation 'unused'" in printed
    assert "black has no legal move after 1 move; give it one" in printed


def test_show_draws_the_board_after_moves(tmp_path: Path) -> None:
    svg = tmp_path / "board.svg"
    moves = "(play 4 1 white) (noop (play 4 2 red))"
    printed = agent("show", "connectfour.ext", "--moves", moves, "--svg", svg).stdout
    assert "2 · · · r · · · ·\n1 · · · w · · · ·\n" in printed
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")


def test_a_game_without_a_circuit_gets_an_engine_that_plays() -> None:
    chosen = fallback(parse_sheet(GAME.replace("(unused a)", "(<= (legal black wait) (true (step 1)))")), "too big")
    state = chosen.engine.next(chosen.engine.initial(), ["go", "go"])
    assert set(chosen.engine.facts(state)) == {"(step 1)"}
    assert chosen.engine.legal(state) == [{"go"}, {"wait"}]
