import pytest

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search import PlayerSpec, play_matches
from tests.search.positions import machine_of

# After one move the first role has no legal move, and the match cannot end.
STUCK = """
(role a) (role b) (init (step 0))
(<= (legal a x) (true (step 0)))
(legal b y) (legal b z)
(<= (next (step 1)) (does a x))
(<= terminal (true (step 9)))
(<= (goal ?r 50) (role ?r))
(<= (next (step 9)) (true (step 8)))
"""


def test_a_role_without_moves_is_an_error_of_the_rules_and_does_not_hang():
    machine = load_machine(parse_sheet(STUCK, "stuck.kif"))
    with pytest.raises(RuleError, match=r"stuck\.kif: role 1 has no legal move"):
        play_matches(machine, [PlayerSpec(playouts=5)], [[0, 0]], [1], ["m"])


@pytest.mark.parametrize(
    "impossible", [{"playouts": 0}, {"kind": "perfect"}, {"eviction": "first"}, {"max_states": -1}], ids=str
)
def test_impossible_players_are_refused(impossible):
    with pytest.raises(ValueError, match=r"budget|player is|eviction is|negative"):
        PlayerSpec(**impossible)


def test_seats_that_do_not_fit_the_game_are_refused():
    machine = machine_of("tictactoe.ext")
    with pytest.raises(ValueError, match=r"ask for seats \(1, 2\)"):
        play_matches(machine, [PlayerSpec()], [[0]], [1], ["m"])
    with pytest.raises(ValueError, match="a player that is not there"):
        play_matches(machine, [PlayerSpec()], [[0, 1]], [1], ["m"])
