import pytest

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.engines import CircuitEngine, InterpreterEngine
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search import PlayerSpec, play_matches
from gdl_miner.agent.search.plain_uct import PlainPlayer, play_plain_match
from gdl_miner.agent.values.random_play import has_constant_sum
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
    with pytest.raises(RuleError, match=r"stuck\.kif: a has no legal move"):
        play_matches(machine, [PlayerSpec(playouts=5)], [[0, 0]], [1], ["m"])


# The match goes on for ever, whatever the players do.
ENDLESS = """
(role a) (role b) (init (on a)) (legal a x) (legal a y) (legal b x) (legal b y)
(<= (next (on a)) (true (on b))) (<= (next (on b)) (true (on a)))
(<= terminal (true (on a)) (true (on b))) (goal a 50) (goal b 50)
"""


def test_a_match_that_does_not_end_is_an_error_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("search.uct", "search.plain_uct", "player.match", "values.random_play", "reasoner.machine"):
        monkeypatch.setattr(f"gdl_miner.agent.{module}.LONGEST_MATCH", 50)
    sheet = parse_sheet(ENDLESS, "endless.kif")
    machine = load_machine(sheet)
    endless = r"endless\.kif: a match went on for more than 50 moves; let the rules end it"
    with pytest.raises(RuleError, match=endless):
        play_matches(machine, [PlayerSpec("random")], [[0, 0]], [1], ["m"])
    with pytest.raises(RuleError, match=endless):
        play_plain_match(sheet, InterpreterEngine(Interpreter(sheet)), [PlainPlayer("random")] * 2, 1)
    with pytest.raises(RuleError, match=endless):
        play_plain_match(sheet, CircuitEngine(machine), [PlainPlayer("uct", 5)] * 2, 1)
    match = OngoingMatch(machine)
    for _ in range(50):
        match.advance(["x", "y"])
    with pytest.raises(RuleError, match=endless):
        match.advance(["x", "y"])
    assert not has_constant_sum(machine)
    broken_off = play_matches(machine, [PlayerSpec("random")], [[0, 0]], [1], ["m"], move_limit=50)
    assert broken_off.goals.tolist() == [[-1, -1]]


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
