import random

from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.interpreter import Interpreter
from tests.gdl.random_sheets import random_sheets


@settings(max_examples=40, deadline=None)
@given(random_sheets(), st.integers(0, 2**32))
def test_random_games_can_be_played_to_their_end(text: str, seed: int) -> None:
    game = Interpreter(parse_sheet(text))
    rng = random.Random(seed)
    state = game.initial()
    steps = 0
    while not game.terminal(state):
        moves = [sorted(game.legal(state, role)) for role in game.roles]
        assert all("noop" in found for found in moves)
        state = game.next(state, [rng.choice(found) for found in moves])
        steps += 1
        assert steps <= 5
    assert all(game.goal(state, role) in (30, 100) for role in game.roles)
