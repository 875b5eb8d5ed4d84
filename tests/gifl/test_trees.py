"""Features learned in lanes equal those of a naive learner that asks the interpreter."""

from functools import cache

import pytest

from agent.reasoner.interpreter import Interpreter
from agent.reasoner.machine import Machine, load_machine
from miner.gifl import GameNature, TreeSettings, study_game
from miner.gifl.games import RandomGame, play_random_games
from miner.gifl.trees import FeatureLearner
from miner.gifl.variants import Variants
from tests.corpus import sheet_path
from tests.gifl.naive_gifl import NaiveGame, NaiveLearner

BUNDLED = ("tictactoe.ext", "tictactoe5.ext", "connectfour.ext", "breakthrough.ext", "checkers.ext", "othello.ext")
OTHERS = ("pawnWhopping", "knightThrough", "connect4", "checkersSmall")
GOING_ON = ("tictactoe5.ext", "breakthrough.ext", "knightThrough")
SLOW = ("othello.ext", "connect4")  # for the interpreter
STUDIED = 40


@cache
def prepared(name: str) -> tuple[Machine, GameNature]:
    machine = load_machine(name if name in BUNDLED else str(sheet_path(name)))
    return machine, study_game(machine, play_random_games(machine, range(STUDIED)))


def naive_learner(machine: Machine, nature: GameNature, trees: TreeSettings) -> NaiveLearner:
    variants = Variants(machine, replaces=nature.replaces)
    names = machine.fluents
    return NaiveLearner(
        Interpreter(machine.sheet),
        str(nature.noop),
        nature.terminal_facts,
        trees.whole_ends,
        trees.past_defences,
        frozenset(name for name, fixed in zip(names, variants.autonomous, strict=True) if fixed),
        {names[fact]: names[other] for fact, other in variants.replacements().items()},
    )


def naive_game(machine: Machine, game: RandomGame) -> NaiveGame:
    moves = machine.circuit.moves
    return NaiveGame(
        [frozenset(machine.facts(state)) for state in game.states],
        [(moves[one], moves[other]) for one, other in game.joints.tolist()],
        game.winner,
    )


@pytest.mark.parametrize("name", [*BUNDLED, *OTHERS])
def test_features_equal_those_of_the_naive_learner(name: str) -> None:
    machine, nature = prepared(name)
    trees = TreeSettings(2, whole_ends=name == "checkers.ext", past_defences=name in GOING_ON)
    naive, learner = naive_learner(machine, nature, trees), FeatureLearner(machine, nature, trees)
    taught = [(game, learner.learn(game)) for game in play_random_games(machine, range(1000, 1040))]
    decided = [(game, found) for game, found in taught if found is not None]
    decided = sorted(decided, key=lambda each: len(each[0].joints))[: 1 if name in SLOW else 3]
    assert any(found for _, found in decided)
    for game, found in decided:
        assert found == naive.learn(naive_game(machine, game), levels=2)
