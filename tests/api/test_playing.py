"""Searches, matches and knowledge of the library."""

import json
import math
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdl_miner
from gdl_miner import BatchEvaluator, Game, Knowledge, State
from gdl_miner.agent.errors import ConfigError, KnowledgeError, MoveError
from gdl_miner.agent.features import MoveBatch
from gdl_miner.agent.gdl.rules import read_text
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.knowledge import Phase, score
from gdl_miner.agent.knowledge.scoring import UNIT, weight_of
from gdl_miner.agent.player import Player
from gdl_miner.api import learning_run
from gdl_miner.api.analysis import TreeNode
from gdl_miner.miner.results.agreement import compare_bytes
from tests.knowledge.random_knowledge import candidates, random_knowledge
from tests.runs.breaking import BreakError, Breaking
from tests.search.chance_games import RACE

ROOT = Path(__file__).parents[2]
DUEL = """
(role one) (role two) (init start)
(<= (legal ?r rock) (role ?r)) (<= (legal ?r paper) (role ?r)) (<= (legal ?r dynamite) (role ?r))
(beats paper rock) (beats dynamite rock) (beats dynamite paper)
(<= (next (played ?r ?m)) (does ?r ?m))
(<= terminal (not (true start)))
(<= (goal ?r 100) (true (played ?r ?m)) (true (played ?q ?n)) (beats ?m ?n))
(<= (goal ?r 50) (true (played ?r ?m)) (true (played ?q ?m)) (distinct ?r ?q))
"""


@pytest.fixture(scope="module")
def tictactoe() -> Game:
    return gdl_miner.load("tictactoe.ext")


@pytest.fixture(scope="module")
def learned(tictactoe: Game) -> Knowledge:
    return gdl_miner.learn(tictactoe, seconds=1)


def won_by_one_move(game: Game) -> State:
    return game.state(["(cell 1 1 x)", "(cell 2 1 x)", "(cell 1 2 o)", "(cell 2 2 o)", "(control x)"])


def test_a_search_is_that_of_a_player(tictactoe: Game) -> None:
    state = tictactoe.initial_state()
    with Player("tictactoe.ext", "o", in_flight=1, seed=3) as player:
        for _ in range(2):
            state.apply(state.legal_actions()[0])
            player.advance([str(move) for move in state.history[-1]])
        state.apply(state.legal_actions()[0])
        player.advance([str(move) for move in state.history[-1]])
        thought = player.think(playouts=150)
        found = gdl_miner.search(state, playouts=150, seed=3)
        assert [(str(m.action), m.visits, m.verdict) for m in found.moves] == [
            (m.move, m.visits, m.verdict) for m in thought.moves
        ]
        assert str(found.best) == thought.move
        assert [tuple(move.id for move in joint) for joint in found.line] == list(player.line(thought))


def test_a_search_finds_the_winning_move_and_tells_what_it_saw(tictactoe: Game) -> None:
    state = won_by_one_move(tictactoe)
    before = state.to_json()
    found = gdl_miner.search(state, playouts=200)
    assert state.to_json() == before
    assert str(found.best) == "(mark 3 1 x)"
    assert found.moves[0].verdict == 1
    assert found.line[0][0] == found.best
    assert found.role == "x"
    assert "(mark 3 1 x)  (proven best)" in str(found)
    told = json.loads(found.to_json())
    assert told["best"] == "(mark 3 1 x)"
    assert {move["move"] for move in told["moves"]} == set(map(str, state.legal_actions()))


def test_the_tree_has_the_visits_of_the_moves(tictactoe: Game) -> None:
    state = tictactoe.initial_state()
    state.apply("(mark 2 2 x)")
    found = gdl_miner.search(state, playouts=400, parameters={"solver": False})
    tree = found.tree(depth=3, least_visits=2)
    assert tree.visits == 400
    assert {child.moves[1]: child.visits for child in tree.children} == {
        move.action: move.visits for move in found.moves if move.visits >= 2
    }
    for child in tree.children:
        assert 0 <= child.value <= 100
        assert sum(each.visits for each in child.children) >= 0.5 * child.visits - 20
    told = tree.to_dict()
    assert told["moves"] == []
    assert len(told["children"]) == len(tree.children)
    assert found.tree(depth=0).children == ()
    assert gdl_miner.search(state, playouts=400, parameters={"solver": False}).tree(3, 2) == tree


def test_an_evaluator_takes_the_place_of_playouts(tictactoe: Game) -> None:
    seen = list[State]()

    def centre(state: State) -> tuple[float, float]:
        seen.append(state)
        mine = 40 * ("(cell 2 2 x)" in state.facts) - 40 * ("(cell 2 2 o)" in state.facts)
        return 50 + mine, 50 - mine

    found = gdl_miner.search(tictactoe.initial_state(), playouts=60, evaluator=centre)
    assert str(found.best) == "(mark 2 2 x)"
    assert found.value > 80
    assert len(seen) <= 60
    tree = found.tree(1)
    assert tree.visits == found.playouts == 60
    assert tree.children[0].moves[0] == found.best
    assert found.line[0][0] == found.best
    again = gdl_miner.search(tictactoe.initial_state(), playouts=60, evaluator=centre)
    assert again.moves == found.moves
    with pytest.raises(ConfigError, match="must return a number from 0 to 100 for each of x, o"):
        gdl_miner.search(tictactoe.initial_state(), playouts=3, evaluator=lambda state: [1.0])
    with pytest.raises(ConfigError, match="takes neither knowledge nor parameters"):
        gdl_miner.search(tictactoe.initial_state(), playouts=3, evaluator=centre, parameters={})


def middle(state: State) -> tuple[float, float]:
    mine = 40 * ("(cell 2 2 x)" in state.facts) - 40 * ("(cell 2 2 o)" in state.facts)
    return 50 + mine, 50 - mine


def test_a_batch_of_one_state_searches_as_a_function_does(tictactoe: Game) -> None:
    one = BatchEvaluator(lambda states: [middle(state) for state in states], 1)
    for seed in range(5):
        state = tictactoe.initial_state()
        for _ in range(seed):
            state.apply(random.Random(seed).choice(state.legal_actions()))
        found = gdl_miner.search(state, playouts=120, evaluator=one, seed=seed)
        assert found.moves == gdl_miner.search(state, playouts=120, evaluator=middle, seed=seed).moves


def test_many_states_are_judged_at_once_and_every_playout_is_paid(tictactoe: Game) -> None:
    sizes = list[int]()

    def judge(states: Sequence[State]) -> np.ndarray[Any, Any]:
        sizes.append(len(states))
        assert len({state.key for state in states}) == len(states)
        return np.array([middle(state) for state in states])

    state = tictactoe.initial_state()
    found = gdl_miner.search(state, playouts=400, evaluator=BatchEvaluator(judge, 16))
    assert str(found.best) == "(mark 2 2 x)"
    assert found.value > 70
    assert found.playouts == found.tree(1).visits == sum(move.visits for move in found.moves) == 400
    assert max(sizes) == 16
    assert sum(sizes) <= 400
    again = gdl_miner.search(state, playouts=400, evaluator=BatchEvaluator(judge, 16))
    assert again.moves == found.moves
    even = BatchEvaluator(lambda states: np.full((len(states), 2), 50.0), 8)
    drawn = gdl_miner.search(tictactoe.initial_state(), playouts=9, evaluator=even)
    assert [(move.visits, move.value) for move in drawn.moves] == [(1, 50.0)] * 9
    with pytest.raises(ConfigError, match="returned values of 1 states; it must judge all 8"):
        gdl_miner.search(state, playouts=30, evaluator=BatchEvaluator(lambda states: [(50, 50)], 8))
    with pytest.raises(ConfigError, match="must return a number from 0 to 100 for each of x, o"):
        gdl_miner.search(state, playouts=30, evaluator=BatchEvaluator(lambda states: [(500, 50)] * len(states), 8))
    with pytest.raises(ConfigError, match="at least 1"):
        gdl_miner.search(state, playouts=30, evaluator=BatchEvaluator(judge, 0))


def test_simultaneous_moves_and_chance_are_searched() -> None:
    duel = gdl_miner.loads(DUEL).initial_state()
    with pytest.raises(ConfigError, match="one, two choose at the same time; name the role to search for"):
        gdl_miner.search(duel, playouts=10)
    found = gdl_miner.search(duel, playouts=300, role="two")
    assert str(found.best) == "dynamite"
    tree = found.tree(1)
    assert tree.visits == 300
    assert all(isinstance(child, TreeNode) and len(child.moves) == 2 for child in tree.children)
    race = gdl_miner.loads(RACE).initial_state()
    with pytest.raises(ConfigError, match="only chance is to move; name the role"):
        gdl_miner.search(race, playouts=10)
    with pytest.raises(ConfigError, match="the role random moves by chance"):
        gdl_miner.search(race, playouts=10, role="random")
    assert gdl_miner.search(race, playouts=50, role="white").moves[0].visits == 50
    race.apply("(throw 3)")
    assert str(gdl_miner.search(race, playouts=400).best) == "go"


def test_impossible_searches_are_refused(tictactoe: Game) -> None:
    state = tictactoe.initial_state()
    impossible: list[dict[str, Any]] = [{"playouts": 0}, {"seconds": 0.0}, {"seconds": math.nan}]
    for limits in impossible:
        with pytest.raises(ConfigError, match="needs more than 0 seconds and more than 0 playouts"):
            gdl_miner.search(state, **limits)
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
    with pytest.raises(MoveError, match="the match is over in this state"):
        gdl_miner.search(state, playouts=10)


@pytest.mark.parametrize("returned", [5, None, ("a", "b"), (1.0,), (500.0, -3.0), (math.nan, 3.0)])
def test_an_evaluator_that_returns_no_value_for_each_role_is_refused(tictactoe: Game, returned: Any) -> None:
    with pytest.raises(ConfigError, match=r"the evaluator returned .*; it must return a number from 0 to 100 for each"):
        gdl_miner.search(tictactoe.initial_state(), playouts=5, evaluator=lambda state: returned)


def test_what_is_no_state_or_no_evaluator_is_named(tictactoe: Game) -> None:
    state: Any = tictactoe
    with pytest.raises(ConfigError, match="is no state; give one, such as load"):
        gdl_miner.search(state)
    evaluator: Any = 5
    with pytest.raises(ConfigError, match="5 is no evaluator; give a function of a state, or a name"):
        gdl_miner.search(tictactoe.initial_state(), evaluator=evaluator)


@pytest.mark.parametrize("weights", [1, (1.0,), None])
def test_facts_without_a_weight_for_each_role_are_refused(weights: Any) -> None:
    with pytest.raises(ConfigError, match=r"the weights are .*; give one for each of x, o"):
        gdl_miner.fact_values("tictactoe.ext", {"(cell 1 1 x)": weights})


def test_knowledge_of_other_rules_is_refused_by_the_name_of_its_game(learned: Knowledge) -> None:
    other = gdl_miner.load("connectfour.ext")
    state = other.initial_state()
    for use in (
        lambda: gdl_miner.search(state, playouts=5, knowledge=learned),
        lambda: gdl_miner.evaluate(state, learned),
        lambda: gdl_miner.score(other, learned, matches=2, playouts=5),
    ):
        with pytest.raises(KnowledgeError, match=r"connectfour\.ext: this knowledge is of tictactoe\.ext"):
            use()


def test_a_program_that_ends_by_an_exception_prints_nothing_but_it() -> None:
    source = "import gdl_miner; state = gdl_miner.load('tictactoe.ext').initial_state(); state.apply('(fly)')"
    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("gdl_miner.agent.errors.MoveError: tictactoe.ext: x cannot play")


def test_knowledge_is_shown_in_a_line(learned: Knowledge) -> None:
    assert learned.values is not None
    weights = sum(
        len(part.facts) + sum(len(dict(each.weights)) for each in part.tuples) for part in learned.values.parts
    )
    assert str(learned) == f"<Knowledge of tictactoe.ext: 0 features, values of {weights} weights>"
    assert str(learned.emptied()) == "<Knowledge of tictactoe.ext: 0 features, no values>"


def test_games_may_be_named_where_they_are_taken(learned: Knowledge, tmp_path: Path) -> None:
    name, path = "tictactoe.ext", tmp_path / "learned.xml"
    gdl_miner.write_knowledge(learned, path, name)
    assert gdl_miner.read_knowledge(path, name) == learned
    assert gdl_miner.play(name, {"x": "random", "o": "random"}).is_terminal()
    assert gdl_miner.score(name, "random", "random", matches=2).score.matches == 2
    assert gdl_miner.learn(name, seconds=1).game == name


def test_knowledge_is_learned_written_and_read(tictactoe: Game, learned: Knowledge, tmp_path: Path) -> None:
    gdl_miner.write_knowledge(learned, tmp_path / "learned.xml", tictactoe)
    read = gdl_miner.read_knowledge(tmp_path / "learned.xml", tictactoe)
    state = tictactoe.initial_state()
    known = gdl_miner.evaluate(state, learned)
    assert gdl_miner.evaluate(state, read).values == known.values
    assert gdl_miner.evaluate(state, tmp_path / "learned.xml").values == known.values
    assert sum(known.values) == pytest.approx(100)
    assert str(gdl_miner.search(won_by_one_move(tictactoe), playouts=50, knowledge=learned).best) == "(mark 3 1 x)"
    with pytest.raises(KnowledgeError):
        gdl_miner.read_knowledge(tmp_path / "learned.xml", gdl_miner.load("connectfour.ext"))


def test_an_evaluation_tells_what_each_weight_adds(tictactoe: Game, learned: Knowledge) -> None:
    state = won_by_one_move(tictactoe)
    known = gdl_miner.evaluate(state, learned)
    for role, value in zip(tictactoe.roles, known.values, strict=True):
        reasons = known.reasons(role)
        assert 100 / (1 + math.exp(-sum(reason.weight for reason in reasons))) == pytest.approx(value, abs=0.01)
        assert f"worth to {role}: {value:.1f}, by {len(reasons)} weights" in str(known)
    assert known.reasons("x")[0].words in str(known)
    assert [each.weight for each in known.moves()] == [0.0] * 5
    state.apply("(mark 3 1 x)")
    assert gdl_miner.evaluate(state, learned).values == (100.0, 0.0)


def test_an_evaluation_tells_which_features_fire() -> None:
    game, dice = gdl_miner.load("breakthrough.ext"), random.Random(4)
    states, last, rows = list[Any](), list[Any](), list[int]()
    walk = game.initial_state()
    for _ in range(20):
        walk.apply(dice.choice(walk.legal_actions()))
        states.append(walk.packed)
        last.append([action.id for action in walk.last_moves or ()])
        rows.append(int(dice.choice(walk.legal_ids().tolist())))
    index = np.arange(len(states), dtype=np.int32)
    batch = MoveBatch(np.array(states), np.array(last, np.int32), index, np.array(rows, np.int32))
    drawn = candidates(game.machine, dice, batch)
    flags = {"features_in_selection": True, "first_feature": False, "scoring": "additive"}
    features = random_knowledge(game.machine, dice, drawn, **flags)
    state, fired = game.initial_state(), 0
    for _ in range(12):
        [role] = state.to_move
        number, before = game.role_number(role), [action.id for action in state.last_moves or ()]
        position = Position.of(geometry_of(game.machine), state.packed, before)
        judged = gdl_miner.evaluate(state, features).moves()
        assert {each.action for each in judged} == set(state.legal_actions())
        for each in judged:
            assert each.weight == pytest.approx(sum(reason.weight for reason in each.reasons))
            total = weight_of(features.parameters, round(each.weight * UNIT))
            assert score(features, position, number, each.action.id, Phase.SELECTION) == total
            fired += len(each.reasons)
        state.apply(dice.choice(judged).action)
    assert fired > 50
    assert "moves of " in str(gdl_miner.evaluate(state, features))


def test_an_evaluation_by_empty_knowledge_says_nothing() -> None:
    game = gdl_miner.load("breakthrough.ext")
    empty = Knowledge(game.name, "", game.machine.roles, ((), ()), ((), ()))
    assert str(gdl_miner.evaluate(game.initial_state(), empty)) == "this knowledge says nothing of states or moves"
    with pytest.raises(KnowledgeError, match="this knowledge has no values of states"):
        _ = gdl_miner.evaluate(game.initial_state(), empty).values


def test_a_score_has_an_interval_and_takes_functions(tictactoe: Game, learned: Knowledge) -> None:
    def first(state: State, role: str) -> gdl_miner.Action:
        assert role in state.to_move
        return state.legal_actions(role)[0]

    fair = gdl_miner.score(tictactoe, "uct", "random", matches=20, playouts=20, seed=1)
    assert fair.score.matches == 20
    assert fair.score.win_percent > 60
    low, high = fair.score.ci95
    assert low < fair.score.win_percent < high
    assert "20 matches" in str(fair)
    mine = gdl_miner.score(tictactoe, first, learned, matches=4, playouts=20, opening_plies=1)
    assert mine.score.matches == 4
    assert mine.score == gdl_miner.score(tictactoe, first, learned, matches=4, playouts=20, opening_plies=1).score
    assert gdl_miner.score(tictactoe, learned, matches=2, playouts=5, equal="work").opponent_playouts == 5
    assert gdl_miner.score(tictactoe, first, first, matches=2).score.win_percent == 50


def test_impossible_scores_are_refused(tictactoe: Game) -> None:
    impossible: list[tuple[dict[str, Any], str]] = [
        ({"matches": 1}, "at least 2 matches"),
        ({"opening_plies": -3}, "an opening of -3 plies; give 0 or more"),
        ({"equal": "luck"}, "luck: both sides get equal playouts, work or time"),
        ({"opponent": lambda state, role: 0, "equal": "work"}, "the work of a function is not known"),
        ({"opponent": "uct+nothing"}, "there is no such option"),
        ({"opponent": 3}, "3: a player is a name, knowledge or a function"),
    ]
    for arguments, message in impossible:
        with pytest.raises(ConfigError, match=message):
            gdl_miner.score(tictactoe, "uct", **arguments)


def test_a_score_pairs_the_roles_that_choose_where_another_one_is_chance() -> None:
    game = gdl_miner.loads(RACE)
    pushing = gdl_miner.score(game, lambda state, role: "push", matches=10, playouts=5, opening_plies=1, seed=1)
    assert pushing.score.matches == 10
    assert pushing.score.win_percent < 50
    strong = gdl_miner.score(game, "uct@200", "random", matches=40, seed=1)
    assert strong.score.matches == 40
    assert strong.score.win_percent > 60


def test_a_match_is_played_with_chance_and_functions() -> None:
    game = gdl_miner.loads(RACE)
    players = {"white": "uct", "black": lambda state, role: "go"}
    over = gdl_miner.play(game, players, playouts=20, seed=5)
    assert over.is_terminal()
    assert over == gdl_miner.play(game, players, playouts=20, seed=5)
    assert {joint[2].text for joint in over.history} == {"go", "noop"}
    with pytest.raises(ConfigError, match="give one player for each of white, black"):
        gdl_miner.play(game, {"white": "uct"})
    for wrong in ("fly", None, 1.5):
        with pytest.raises(MoveError, match=f"black cannot play {wrong} now; legal: go, push"):
            gdl_miner.play(game, {"white": "random", "black": lambda state, role, wrong=wrong: wrong})


@pytest.mark.slow
def test_a_run_returns_its_best_knowledge(tictactoe: Game, tmp_path: Path) -> None:
    changes = {"values": {"games": 64, "steps": 1, "matches": 8, "validation_matches": 8}}
    found = gdl_miner.learn(tictactoe, "values", config="quick", changes=changes, seed=2, folder=tmp_path / "run")
    assert isinstance(found, Knowledge)
    assert found == gdl_miner.read_knowledge(tmp_path / "run" / "best.xml", tictactoe)
    assert (tmp_path / "run" / "report.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize("from_text", [False, True], ids=["bundled", "from a text"])
def test_a_run_that_was_broken_off_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_text: bool
) -> None:
    def call(folder: Path, *, seed: int = 2, or_resume: bool = True) -> Knowledge:
        made = gdl_miner.loads(read_text("tictactoe.ext")[0], "noughts") if from_text else "tictactoe.ext"
        values = {"games": 32, "steps": 2, "matches": 8, "random_matches": 0, "validation_matches": 8}
        changes = {"values": values, "long_searches": {"playouts": 0}}
        return gdl_miner.learn(made, "values", changes=changes, seed=seed, folder=folder, or_resume=or_resume)

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    expected = call(whole)
    for lasts in (1, 2):
        with monkeypatch.context() as patch:
            patch.setattr(learning_run, "SerialExecutor", lambda lasts=lasts: Breaking(lasts))
            with pytest.raises(BreakError):
                call(broken)
        assert not (broken / "best.xml").exists()
    assert call(broken) == expected
    agreement = compare_bytes(whole, broken)
    assert agreement.complete, agreement.differing
    with monkeypatch.context() as patch:
        patch.setattr(learning_run, "drive_run", None)  # nothing is left to do
        assert call(broken) == expected
    with pytest.raises(
        ConfigError, match=r"another game, configuration.*: seed was 2 and now is 3; give another folder"
    ):
        call(broken, seed=3)
    with pytest.raises(ConfigError, match="not empty"):
        call(broken, or_resume=False)


def test_impossible_learning_is_refused(tictactoe: Game) -> None:
    with pytest.raises(ConfigError, match="only values are learned by a clock"):
        gdl_miner.learn(tictactoe, "evolution", seconds=1)
    with pytest.raises(ConfigError, match="or_resume needs the folder"):
        gdl_miner.learn(tictactoe, "evolution", or_resume=True)
    with pytest.raises(ConfigError, match="more than 0 seconds"):
        gdl_miner.learn(tictactoe, seconds=0)
    with pytest.raises(ConfigError, match="there is no such learning method"):
        gdl_miner.learn(tictactoe, "magic")
    wrong: list[tuple[Any, str]] = [
        ({"values": {"step": 3}}, "changes: values.step: there is no such key; did you mean steps?"),
        ({"values": {"steps": "3x"}}, "changes: values.steps: input should be a valid integer (it is '3x')"),
        ({"values": 3}, "changes: values: a section, not a value; give a dictionary of its keys"),
        ({"serach": {"playouts": 3}}, "changes: serach: there is no such key; did you mean search?"),
    ]
    for changes, message in wrong:
        with pytest.raises(ConfigError) as caught:
            gdl_miner.learn(tictactoe, "values", changes=changes)
        assert str(caught.value) == message


def test_a_player_chooses_in_any_state_as_a_search_does(tictactoe: Game) -> None:
    player = gdl_miner.Player(tictactoe, knowledge="quick", playouts=80, seed=2)
    state = won_by_one_move(tictactoe)
    assert player.choose(state) == tictactoe.action("(mark 3 1 x)", "x")
    other = tictactoe.initial_state()
    other.apply("(mark 2 2 x)")
    first = player.choose(other)  # the other role's move
    assert first.role == "o"
    assert player.choose(state).text == "(mark 3 1 x)"
    assert player.choose(other) == first  # whatever was asked before
    assert player.choose(other, "x").text == "noop"
    assert other.move_number == 1


def test_a_player_takes_part_in_matches_by_its_choices(tictactoe: Game) -> None:
    player = gdl_miner.Player("tictactoe.ext", knowledge="quick", playouts=20)
    last = gdl_miner.play(tictactoe, {"x": player.choose, "o": "random"}, seed=1)
    assert last.is_terminal()
    found = gdl_miner.score(tictactoe, player.choose, "random", matches=20, seed=1)
    assert found.score.win_percent > 80


def test_what_a_player_cannot_choose_is_named(tictactoe: Game) -> None:
    player = gdl_miner.Player(tictactoe, playouts=5)
    ended = won_by_one_move(tictactoe)
    ended.apply("(mark 3 1 x)")
    with pytest.raises(MoveError, match="the match is over in this state"):
        player.choose(ended)
    with pytest.raises(ConfigError, match=r"connectfour.ext: a state of other rules than the player's, tictactoe.ext"):
        player.choose(gdl_miner.load("connectfour.ext").initial_state())
    with pytest.raises(ConfigError, match="more than 0 seconds and more than 0 playouts"):
        gdl_miner.Player(tictactoe, playouts=0)
    with pytest.raises(KnowledgeError, match="quik: neither a file nor released knowledge"):
        gdl_miner.Player(tictactoe, knowledge="quik")
    both = gdl_miner.loads(DUEL, "duel").initial_state()
    with pytest.raises(ConfigError, match="one, two choose at the same time; name the role"):
        gdl_miner.Player(both.game, playouts=5).choose(both)
    assert gdl_miner.Player(both.game, playouts=5).choose(both, "two").text in ("rock", "paper", "dynamite")


def test_a_player_has_a_seat_in_a_match_as_that_of_the_agent() -> None:
    with (
        gdl_miner.Player("tictactoe.ext", "O", seed=3) as ours,
        Player("tictactoe.ext", "o", in_flight=1, seed=3) as own,
    ):
        for player in (ours, own):
            player.advance(["(mark 1 1 x)", "noop"])
        assert ours.think(playouts=50).moves == own.think(playouts=50).moves
