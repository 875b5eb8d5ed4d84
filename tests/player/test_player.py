import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdl_miner.agent import Player, _native
from gdl_miner.agent.errors import ConfigError, KnowledgeError, MoveError, RuleError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.knowledge import Parameters, write_knowledge
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.player.player import usual_in_flight
from gdl_miner.agent.player.thought import TreeReport
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search import PlayerSpec, search_position
from gdl_miner.agent.search.record_xml import read_records, write_records
from tests.knowledge.plain import knowledge_of
from tests.search.positions import machine_of
from tests.search.test_broken_rules import STUCK

# Both roles pick a number at once, and the state remembers all of their five numbers.
WIDE = """
(role a) (role b) (init (round 0))
(number 1) (number 2) (number 3) (number 4) (number 5) (number 6) (number 7) (number 8)
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(<= (legal ?r (pick ?n)) (role ?r) (number ?n))
(<= (next (round ?n)) (true (round ?m)) (after ?m ?n))
(<= (next (said ?r ?m ?n)) (does ?r (pick ?n)) (true (round ?m)))
(<= (next (said ?r ?m ?n)) (true (said ?r ?m ?n)))
(<= terminal (true (round 5)))
(<= (goal ?r 100) (role ?r) (true (said ?r 4 8)))
(<= (goal ?r 0) (role ?r) (not (true (said ?r 4 8))))
"""


@pytest.fixture(scope="module")
def connectfour() -> Machine:
    return load_machine("connectfour.ext")


def test_the_same_seed_gives_the_same_match_whatever_the_threads_do(connectfour: Machine) -> None:
    def played() -> list[tuple[str, ...]]:
        with (
            Player(connectfour, "white", threads=3, seed=7) as white,
            Player(connectfour, "red", threads=2, seed=8) as red,
        ):
            for _ in range(6):
                joint = [white.think(playouts=120).move, red.think(playouts=60).move]
                white.advance(joint)
                red.advance(joint)
            return list(white.match.joints)

    assert played() == played()


def test_one_tree_is_the_search_of_search_position(connectfour: Machine) -> None:
    state = connectfour.initial()
    expected = search_position(connectfour, state, PlayerSpec(playouts=400, in_flight=64, max_states=1 << 30), 3)[0]
    with Player(connectfour, "white") as player:
        found = TreeReport(*player._trees._thinkers[0].think(state, np.empty(0, np.int32), 3, 400, 0.0))
    np.testing.assert_array_equal(found.visits, expected.visits)
    np.testing.assert_array_equal(found.rows, expected.rows)


@pytest.mark.parametrize(
    ("parameters", "values", "expected"),
    [
        (Parameters(), True, 8),
        (Parameters(), False, 64),
        (Parameters(value_weight=0.5), True, 64),
        (Parameters(trusted_playouts=1000), True, 64),
    ],
)
def test_a_tree_runs_few_playouts_at_once_where_its_searches_make_none(
    parameters: Parameters, expected: int, *, values: bool
) -> None:
    assert usual_in_flight(parameters, values=values) == expected


@pytest.mark.parametrize("game", ["connectfour.ext", "pennies"])
def test_playouts_cut_off_by_the_clock_leave_no_visit_behind(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl_miner.agent.player.trees.ALL_LATE_S", 60.0)  # a late tree tells what it knew before
    machine = machine_of(game)
    with Player(machine, machine.roles[0]) as player:
        made = 0
        for seconds, playouts in [(0.002, None), (1e-6, None), (None, 70)] * 10:
            thought = player.think(seconds=seconds, playouts=playouts)
            made += thought.playouts
            assert sum(move.visits for move in thought.moves) == made
    assert made >= 10 * 70


def test_thinking_ends_on_time_and_reports_every_legal_move(connectfour: Machine) -> None:
    with Player(connectfour, "white", threads=2) as player:
        begin, used = time.perf_counter(), time.process_time()
        thought = player.think(seconds=0.1)
        assert time.perf_counter() - begin >= 0.1
        assert time.process_time() - used < 0.6  # for two threads; a wall clock would also count their waits
        assert {move.move for move in thought.moves} == set(player.legal)
        assert thought.playouts > 100
        assert [move.visits for move in thought.moves] == sorted((m.visits for m in thought.moves), reverse=True)


def test_parameters_change_those_of_the_knowledge_or_the_defaults(connectfour: Machine) -> None:
    nothing = knowledge_of(connectfour, parameters=Parameters(uct_c=7.0, impact=2.0))
    with Player(connectfour, "white", knowledge=nothing, parameters={"uct_c": 20.0}) as player:
        assert player.knowledge is not None
        assert player.knowledge.parameters == Parameters(uct_c=20.0, impact=2.0)

    def visits(parameters: dict[str, float]) -> list[int]:
        with Player(connectfour, "white", parameters=parameters) as player:
            return [move.visits for move in player.think(playouts=2000).moves]

    assert visits({}) == visits({"uct_c": 40.0}) != visits({"uct_c": 5.0})
    for wrong, said in (
        ({"uct_c": -1.0}, "uct_c"),
        ({"uct_x": 1.0}, r"there is no uct_x; did you mean uct_c\?"),
        ({"speed": 1.0}, "there is no speed; known are max_features, "),
    ):
        with pytest.raises(ConfigError, match=f"parameters of the player: .*{said}"):
            Player(connectfour, "white", parameters=wrong)


def test_a_player_without_knowledge_proves_goals_unless_it_is_told_not_to() -> None:
    machine = load_machine("tictactoe.ext")
    nothing = knowledge_of(machine, parameters=Parameters(uct_c=7.0))

    def proves(**settings: Any) -> bool:
        with Player(machine, "x", **settings) as player:
            for joint in (["(mark 1 1 x)", "noop"], ["noop", "(mark 2 1 o)"], ["(mark 1 2 x)", "noop"]):
                player.advance(joint)
            player.advance(["noop", "(mark 2 2 o)"])
            thought = player.think(playouts=300)
            assert thought.move == "(mark 1 3 x)"
            return thought.moves[0].verdict == 1

    assert proves()
    assert not proves(solver=False)
    assert not proves(parameters={"solver": False})
    assert not proves(knowledge=nothing)
    assert proves(knowledge=nothing, solver=True)
    assert proves(knowledge=nothing, parameters={"solver": True})


def test_the_tree_is_kept_from_move_to_move(connectfour: Machine) -> None:
    with Player(connectfour, "white") as player:
        player.think(playouts=2000)
        player.advance(["(play 4 1 white)", "noop"])
        assert player.think(playouts=1).nodes > 1000


@pytest.mark.parametrize("threads", [1, 2])
def test_the_line_expected_begins_with_the_best_move_and_can_be_played(connectfour: Machine, threads: int) -> None:
    with Player(connectfour, "white", threads=threads) as player:
        thought = player.think(playouts=4000)
        line = player.line(thought, 5)
        assert len(line) == 5
        assert line[0][0] == thought.moves[0].row
        match = OngoingMatch(connectfour)
        for joint in line:
            assert all(row in match.legal_rows(role) for role, row in enumerate(joint))
            match.advance_rows(joint)
        assert len(player.line(thought, 2)) == 2


def test_pondering_grows_the_tree_and_stops_when_asked(connectfour: Machine) -> None:
    with Player(connectfour, "red") as player:
        assert player.legal == ("noop",)
        player.ponder()
        time.sleep(0.1)
        assert player.think(playouts=1).nodes > 100
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("search-")]


@pytest.mark.timeout(60)
def test_a_search_can_be_interrupted_from_another_thread(connectfour: Machine) -> None:
    with Player(connectfour, "white") as player:
        threading.Timer(0.1, player.interrupt).start()
        thought = player.think(seconds=600)
        assert thought.move in player.legal


def test_take_back_returns_to_the_position(connectfour: Machine) -> None:
    with Player(connectfour, "white") as player:
        before, legal = player.match.facts, player.legal
        player.advance(["(PLAY 4 1 White)", "Noop"])
        assert player.legal == ("noop",)
        player.take_back()
        assert (player.match.facts, player.legal) == (before, legal)
        with pytest.raises(MoveError, match="cannot be taken back"):
            player.take_back()


@pytest.mark.parametrize(
    "joint", [["(play 9 9 white)", "noop"], ["noop", "noop"], ["(play 4 1 white)"], ["(play", "noop"], ["", "noop"]]
)
def test_moves_that_are_not_legal_are_refused_and_change_nothing(joint: list[str], connectfour: Machine) -> None:
    with Player(connectfour, "white") as player:
        with pytest.raises(MoveError, match=r"connectfour\.ext"):
            player.advance(joint)
        assert player.match.number == 0


def test_a_player_wins_from_a_won_position() -> None:
    with Player("tictactoe.ext", "x", seed=1) as player:
        for joint in (
            ["(mark 1 1 x)", "noop"],
            ["noop", "(mark 2 1 o)"],
            ["(mark 2 2 x)", "noop"],
            ["noop", "(mark 3 1 o)"],
        ):
            player.advance(joint)
        assert player.think(playouts=500).move == "(mark 3 3 x)"
        player.advance(["(mark 3 3 x)", "noop"])
        assert player.ended
        assert player.goal == 100
        with pytest.raises(MoveError, match="over"):
            player.think(playouts=1)
        with pytest.raises(MoveError, match="over"):
            player.advance(["noop", "noop"])


def test_a_match_is_saved_with_the_visits_of_its_searches(tmp_path: Path, connectfour: Machine) -> None:
    with Player(connectfour, "white", seed=4) as player:
        thought = player.think(playouts=200)
        player.advance([thought.move, "noop"])
        record = player.match.record("one")
    write_records(record, connectfour, tmp_path / "match.xml")
    read = read_records(tmp_path / "match.xml", connectfour)
    assert read == record
    assert dict(zip(read.visit_row.tolist(), read.visit_count.tolist(), strict=True)) == {
        move.row: move.visits for move in thought.moves
    }
    assert read.playouts[0].tolist() == [200, 0]


def test_knowledge_of_another_game_is_refused(tmp_path: Path) -> None:
    write_knowledge(knowledge_of(load_machine("tictactoe.ext")), tmp_path / "other.xml")
    with pytest.raises(KnowledgeError):
        Player("connectfour.ext", "white", knowledge=tmp_path / "other.xml")


def test_impossible_seats_are_refused(connectfour: Machine) -> None:
    with pytest.raises(ConfigError, match="no role green; its roles are white, red"):
        Player(connectfour, "green")
    with pytest.raises(ConfigError, match="at least one thread"):
        Player(connectfour, "white", threads=0)
    player = Player(connectfour, "white")
    player.close()
    with pytest.raises(ConfigError, match="closed"):
        player.think(playouts=1)


def test_the_transposition_table_keeps_to_its_memory(connectfour: Machine) -> None:
    with Player(connectfour, "white", memory_mib=2) as player:
        for _ in range(4):
            thought = player.think(playouts=20_000)
            assert thought.bytes <= 2 << 20
        assert thought.nodes > 1000


TABLE_MIB = 48
FILL = f"""
import re
from pathlib import Path
from gdl_miner.agent import Player

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

with Player("breakthrough.ext", "white", threads=2, memory_mib={TABLE_MIB}) as player:
    player.think(playouts=100)
    before, most = resident(), 0
    for playouts in [40_000] * 8:
        thought = player.think(playouts=playouts)
        most = max(most, resident() - before)
print(most, thought.bytes / 2**20)
"""


def test_the_process_grows_by_the_memory_of_the_tables_and_a_tenth_at_most() -> None:
    done = subprocess.run([sys.executable, "-c", FILL], capture_output=True, text=True, timeout=120, check=True)
    grown, held = map(float, done.stdout.split())
    assert 0.85 * TABLE_MIB < held <= TABLE_MIB
    assert grown <= 1.1 * TABLE_MIB


def test_a_full_table_of_a_game_with_moves_at_once_keeps_growing_new_nodes() -> None:
    with Player(parse_sheet(WIDE, "wide.kif"), "a", memory_mib=1) as player:
        nodes = [player.think(playouts=3000).nodes for _ in range(12)]
        assert max(nodes) > 1000
        assert nodes[-1] > 0.5 * max(nodes)
        assert player.think(playouts=10).bytes <= 1 << 20


def test_rules_without_a_legal_move_are_reported() -> None:
    machine = load_machine(parse_sheet(STUCK, "stuck.kif"))
    with Player(machine, "b") as player, pytest.raises(RuleError, match=r"stuck\.kif: .*no legal move"):
        player.think(seconds=0.5)
    match = OngoingMatch(machine)
    match.advance(["x", "y"])
    with pytest.raises(RuleError, match="no legal move"):
        match.legal(0)


def test_a_thinker_refuses_what_does_not_fit_the_game(connectfour: Machine) -> None:
    with Player(connectfour, "white") as player:
        thinker = player._trees._thinkers[0]
        with pytest.raises(ValueError, match="fit the game"):
            thinker.think(np.zeros(99, np.uint64), np.empty(0, np.int32), 0, 1, 0.0)
        assert isinstance(thinker, _native.Thinker)
