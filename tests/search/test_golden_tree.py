import json
from pathlib import Path

from gdl_miner.agent.search import PlayerSpec, search_position
from tests.search.positions import machine_of

GOLDEN = Path(__file__).with_name("golden_tictactoe.json")


def test_the_search_tree_of_tictactoe_is_the_recorded_one():
    # The file changes only with the definition of the search or of the random streams. The naive search, which test_uct
    # compares with the native search, must then have changed too.
    golden = json.loads(GOLDEN.read_text())
    machine = machine_of("tictactoe.ext")
    state = machine.initial()
    for step in golden["line"]:
        (result,) = search_position(machine, state, PlayerSpec(playouts=golden["playouts"]), golden["seed"])
        moves = [machine.circuit.moves[row] for row in result.rows]
        payoffs = (result.means * result.visits).round().astype(int)
        found = dict(zip(moves, map(list, zip(result.visits.tolist(), payoffs.tolist(), strict=True)), strict=True))
        assert found == step["visits and payoff"]
        assert machine.circuit.moves[result.best] == step["best"]
        joint = [result.best if role == result.role else int(rows[0]) for role, rows in enumerate(machine.legal(state))]
        state = machine.next(state, joint)
