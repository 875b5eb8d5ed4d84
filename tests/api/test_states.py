"""Games and states of the library: they agree with recorded playouts, and say what was done wrong."""

import copy
import json
import pickle
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import pytest

import gdl_miner
from gdl_miner import Action, Game, State, UserError
from gdl_miner.agent.errors import ConfigError, MoveError, RuleError
from gdl_miner.agent.gdl import normalise, read_sheet
from gdl_miner.agent.reasoner.trace import check_traces, read_traces
from tests.corpus import sheet_path, trace_path
from tests.search.chance_games import RACE

# Simultaneous moves, turns, one to three roles.
TRACED = ["ticTacToe", "connectFour", "roshambo2", "blocker", "tictactoe_3player", "hanoi", "chickentoetictac"]

MATRIX = """
(role one) (role two) (init start)
(<= (legal ?r rock) (role ?r)) (<= (legal ?r paper) (role ?r))
(<= (next (played ?r ?m)) (does ?r ?m))
(<= terminal (not (true start)))
(<= (goal one 100) (true (played one paper)) (true (played two rock)))
(<= (goal two 60) (true (played one paper)) (true (played two rock)))
"""


class LibraryEngine:
    """The library with the interface of the other engines."""

    name = "library"

    def __init__(self, game: Game) -> None:
        self.game = game
        self.roles = tuple(map(normalise, game.roles))

    def initial(self) -> State:
        return self.game.initial_state()

    def facts(self, state: State) -> list[str]:
        return list(map(normalise, state.facts))

    def legal(self, state: State) -> list[set[str]]:
        return [{normalise(str(action)) for action in state.legal_actions(role)} for role in self.game.roles]

    def next(self, state: State, moves: Sequence[str]) -> State:
        after = state.clone()
        after.apply(list(moves))
        same = state.clone()
        same.apply(dict(zip(self.game.roles, moves, strict=True)))
        assert same == after
        same.undo()
        assert same == state
        assert same.history == state.history
        return after

    def terminal(self, state: State) -> bool:
        return state.is_terminal()

    def goals(self, state: State) -> list[int | None]:
        return list(state.returns())


@pytest.mark.peers
@pytest.mark.parametrize("name", TRACED)
def test_states_agree_with_an_independent_reasoner(name: str) -> None:
    engine = LibraryEngine(gdl_miner.load(read_sheet(sheet_path(name))))
    agreement = check_traces(engine, read_traces(trace_path(name)))
    assert agreement.difference is None
    assert agreement.states > 0


@pytest.fixture(scope="module")
def connectfour() -> Game:
    return gdl_miner.load("connectfour.ext")


def test_an_import_is_quick_and_loads_no_large_library() -> None:
    program = (
        "import sys, time; begin = time.process_time(); import gdl_miner; spent = time.process_time() - begin; "
        "gdl_miner.load('tictactoe.ext').initial_state(); print(spent, *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    spent, *modules = done.stdout.split()
    assert float(spent) < 0.3
    assert not {"gymnasium", "pettingzoo", "pyspiel"} & set(modules)
    assert not {"ray", "pandas", "matplotlib", "scipy", "deap", "pydantic", "aiohttp"} & set(modules)


def test_every_public_name_is_there_and_is_listed() -> None:
    assert all(hasattr(gdl_miner, name) for name in gdl_miner.__all__)
    assert set(gdl_miner.__all__) <= set(dir(gdl_miner))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gdl_miner.nothing
    assert "connectfour.ext" in gdl_miner.games()


def test_a_state_is_drawn_with_its_facts_and_moves(connectfour: Game) -> None:
    state = connectfour.initial_state()
    for move in ("(play 4 1 white)", "(PLAY 4 2  red)"):
        state.apply(move)
    assert str(state).splitlines()[4:9] == [
        "2 · · · r · · · ·",
        "1 · · · w · · · ·",
        "  1 2 3 4 5 6 7 8",
        "r red, w white",
        "",
    ]
    assert "(control white)" in str(state)
    assert "red may do: noop" in str(state)
    svg = state._repr_svg_()
    assert svg is not None
    assert svg.startswith("<svg xmlns")
    assert svg.count('class="field last"') == 1
    assert repr(state) == "<State of connectfour.ext after 2 moves: white to move>"
    assert repr(connectfour) == "<Game connectfour.ext: roles white, red; 98 actions, 98 facts>"


def test_a_state_without_a_board_is_drawn_by_its_facts() -> None:
    state = gdl_miner.loads(MATRIX).initial_state()
    assert str(state) == "start\none may do: paper, rock\ntwo may do: paper, rock"
    assert state._repr_svg_() is None
    state.apply({"one": "paper", "two": "rock"})
    assert str(state).endswith("the match is over: one 100, two 60")
    assert repr(state) == "<State of <string> after 1 moves: over, returns (100, 60)>"


def test_actions_have_ids_that_name_their_roles(connectfour: Game) -> None:
    state = connectfour.initial_state()
    actions = state.legal_actions()
    assert actions == state.legal_actions("WHITE") == state.legal_actions(0)
    assert actions[0] == Action(0, "white", "(play 1 1 white)")
    assert [action.id for action in actions] == state.legal_ids().tolist()
    assert all(connectfour.actions[action.id] == action for action in connectfour.actions)
    assert connectfour.action("(play 1 1 red)", "red") == connectfour.action(49, 1)
    assert state.legal_actions("red") == [connectfour.action("noop", "red")]


@pytest.mark.parametrize("name", ["othello.ext", "breakthrough.ext", "hex5.ext"])
def test_random_matches_end_and_can_be_taken_back(name: str) -> None:
    game, dice = gdl_miner.load(name), random.Random(name)
    state, seen = game.initial_state(), list[str]()
    while not state.is_terminal():
        seen.append(state.to_json())
        assert len(state.to_move) == 1
        state.apply(dice.choice(state.legal_actions()).id)
    assert sum(state.returns()) == 100
    assert len(state.history) == state.move_number == len(seen)
    assert state.to_move == ()
    assert state.legal_actions() == state.legal_actions(0) == []
    again = game.initial_state()
    for joint in state.history:
        again.apply(joint)
    assert again == state
    for text in reversed(seen):
        state.undo()
        assert state.to_json() == text
        read = game.state_from_json(text)
        assert read == state
        assert read.last_moves == state.last_moves
        assert read.key == state.key
    assert state == game.initial_state()
    again.undo(again.move_number)
    assert again == state


def test_copies_do_not_change_each_other(connectfour: Game) -> None:
    state = connectfour.initial_state()
    state.apply("(play 4 1 white)")
    copies = [state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
    for each in copies:
        assert each == state
        assert each.history == state.history
        each.apply("(play 4 2 red)")
        assert each != state
    assert state.move_number == 1
    assert copies[3].facts == copies[0].facts
    with pytest.raises(TypeError):
        hash(state)


def test_a_state_is_made_of_facts(connectfour: Game) -> None:
    state = connectfour.state(["(CELL 1 1 white)", "(cell 2 1 red)", "(control white)"])
    assert state.facts == ("(cell 1 1 white)", "(cell 2 1 red)", "(control white)")
    assert "(play 1 2 white)" in map(str, state.legal_actions())
    assert state.last_moves is None
    assert state.history == ()
    assert state.to_array().sum() == 3
    assert [connectfour.facts[place] for place in state.to_array().nonzero()[0]] == list(state.facts)
    assert json.loads(state.to_json())["last_moves"] is None
    after = connectfour.state(state.facts, ["noop", "(play 2 1 red)"])
    assert [str(move) for move in after.last_moves or ()] == ["noop", "(play 2 1 red)"]


def test_facts_that_always_hold_may_be_left_out() -> None:
    game = gdl_miner.loads(MATRIX + "(init (wall 1)) (<= (next (wall 1)) (true (wall 1)))")
    assert game.state(["start"]) == game.initial_state()


def test_simultaneous_moves_are_given_by_role() -> None:
    game = gdl_miner.loads(MATRIX)
    state = game.initial_state()
    assert state.to_move == ("one", "two")
    with pytest.raises(ConfigError, match="one, two choose at the same time; name one of them"):
        state.legal_actions()
    with pytest.raises(MoveError, match=r"one, two must choose; give a move for each, as {'one': …, 'two': …}"):
        state.apply("rock")
    with pytest.raises(MoveError, match="two must choose"):
        state.apply(game.action("rock", "one"))
    state.apply(["paper", "rock"])
    assert state.returns() == (100, 60)


def test_chance_is_given_or_drawn() -> None:
    game = gdl_miner.loads(RACE)
    state = game.initial_state()
    assert game.chance == 1
    assert state.to_move == ("random",)
    assert [(str(move), share) for move, share in state.chance_outcomes()] == [
        (f"(throw {number})", 1 / 3) for number in (1, 2, 3)
    ]
    with pytest.raises(MoveError, match=r"random must choose; .* or give rng, which draws that of random"):
        state.apply()
    drawn = set()
    for seed in range(20):
        after = state.clone()
        after.apply(rng=random.Random(seed))
        drawn.add(after.history[0][1].text)
    assert drawn == {"(throw 1)", "(throw 2)", "(throw 3)"}
    state.apply("(throw 2)")
    assert state.chance_outcomes() == []
    assert state.to_move == ("white",)
    state.apply("go")
    assert "(at white 2)" in state.facts


def test_mistakes_leave_the_state_as_it_was(connectfour: Game) -> None:
    state = connectfour.initial_state()
    known = state.to_json()
    mistakes: list[tuple[Any, str]] = [
        ("(play 4 2 white)", r"white cannot play \(play 4 2 white\) now; legal: \(play 1 1 white\), "),
        ("(((", r"white cannot play \(\(\( now"),
        (1, r"white cannot play \(play 1 2 white\) now"),
        (98, "there is no action 98; ids go from 0 to 97"),
        (-1, "there is no action -1"),
        (["noop"], "1 moves given; give one for each of white, red"),
        ({"green": "noop"}, "has no role green; its roles are white, red"),
        ({"red": "noop"}, "white must choose"),
        ({2: "noop"}, "has no role 2"),
        (None, "white must choose"),
        (connectfour.actions[49], "red cannot play"),
    ]
    for move, message in mistakes:
        with pytest.raises(UserError, match=message):
            state.apply(move)
        assert state.to_json() == known
    with pytest.raises(MoveError, match="0 moves were made; 1 cannot be taken back"):
        state.undo()


def test_mistakes_in_facts_are_named(connectfour: Game) -> None:
    wrong: list[Any] = [["(cell 9 9 white)"], ["((("], [3]]
    for facts in wrong:
        with pytest.raises(ConfigError, match=r"is no fact of its states; Game.facts has them all"):
            connectfour.state(facts)
    with pytest.raises(MoveError, match="1 last moves given"):
        connectfour.state([], ["noop"])
    with pytest.raises(MoveError, match="white can never make the move jump"):
        connectfour.state([], ["jump", "noop"])
    for text in ("", "[]", "{}", "3", '{"facts": 3}'):
        with pytest.raises(ConfigError, match="not a state in JSON"):
            connectfour.state_from_json(text)
    other = gdl_miner.load("tictactoe.ext").initial_state().to_json()
    with pytest.raises(ConfigError, match="the state is of other rules"):
        connectfour.state_from_json(other)


def test_nothing_is_played_after_the_end_or_against_broken_rules() -> None:
    state = gdl_miner.loads(MATRIX).initial_state()
    state.apply(["rock", "rock"])
    with pytest.raises(MoveError, match="the match is over after move 1"):
        state.apply(["rock", "rock"])
    broken = "(role a) (role b) (init s) (<= (legal a go) (true s)) (<= (legal b go) (true t)) (<= (next t) (true s))"
    stuck = gdl_miner.loads(broken + "(<= terminal (true u)) (goal a 0) (goal b 0)").initial_state()
    with pytest.raises(RuleError, match="b has no legal move in a state that is not terminal"):
        stuck.apply("go")


ENDLESS = "(role a) (init s) (legal a go) (<= (next s) (true s)) (<= terminal (true t)) (goal a 0)"


def test_a_match_without_an_end_is_refused_and_a_long_past_is_kept() -> None:
    game = gdl_miner.loads(ENDLESS)
    with pytest.raises(RuleError, match=r"went on for more than 10,000 moves"):
        gdl_miner.play(game, {"a": lambda state, role: "go"})
    state = game.initial_state()
    for _ in range(3000):
        state.apply()
    read = pickle.loads(pickle.dumps(state))
    assert (read.move_number, read.history) == (3000, state.history)
    read.undo(2999)
    assert (read.move_number, len(read.history)) == (1, 1)


def test_a_step_takes_microseconds(connectfour: Game) -> None:
    dice, steps, start = random.Random(1), 0, connectfour.initial_state()
    best = 1.0
    for _ in range(10):
        state, begin, before = start.clone(), time.process_time(), steps
        while not state.is_terminal():
            state.apply(dice.choice(state.legal_actions()))
            steps += 1
        best = min(best, (time.process_time() - begin) / (steps - before))
    assert best < 200e-6  # about 10 µs; far more where another program has the processor
