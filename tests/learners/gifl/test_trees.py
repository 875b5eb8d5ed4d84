"""Features learned in lanes equal those of a naive learner that asks the interpreter."""

from functools import cache

import pytest

from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.learners.gifl.features import GiflFeature
from gdl_miner.miner.learners.gifl.nature import GameNature, RandomGame, play_random_games, study_game
from gdl_miner.miner.learners.gifl.trees import FeatureLearner, TreeSettings
from gdl_miner.miner.learners.gifl.variants import ALONE, Variants
from tests.corpus import sheet_path
from tests.learners.gifl.naive_gifl import NaiveGame, NaiveLearner

BUNDLED = ("tictactoe.ext", "tictactoe5.ext", "connectfour.ext", "breakthrough.ext", "checkers.ext", "othello.ext")
OTHERS = ("pawnWhopping", "knightThrough", "connect4", "checkersSmall")
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
        trees,
        frozenset(name for name, fixed in zip(names, variants.autonomous, strict=True) if fixed),
        {names[fact]: names[other] for fact, other in enumerate(variants.replacement.tolist()) if other != ALONE},
        frozenset(names),
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
    compare(name, TreeSettings(2, whole_ends=name == "checkers.ext"))


@pytest.mark.parametrize("name", ["tictactoe5.ext", "connectfour.ext", "breakthrough.ext", "pawnWhopping"])
def test_moves_that_win_equal_those_of_the_naive_learner(name: str) -> None:
    compare(name, TreeSettings(3, win_ends=True))


def test_where_two_rows_end_a_game_no_part_of_them_is_taken_for_a_win() -> None:
    """Four in a row need three own pieces before the last move; what two rows have in common is less."""

    def fewest(trees: TreeSettings) -> int:
        machine, nature = prepared("connectfour.ext")
        learner = FeatureLearner(machine, nature, trees)
        found = [each for game in play_random_games(machine, range(400)) for each in learner.learn(game) or ()]
        offensive = [each for each, level in found if each.side == "offensive" and level == 1]
        own = [[fact for fact in each.facts if fact.endswith(f" {machine.roles[each.role]})")] for each in offensive]
        assert len(own) > 100
        return min(map(len, own))

    assert fewest(TreeSettings(1)) < 3
    assert fewest(TreeSettings(1, win_ends=True)) == 3


def compare(
    name: str, trees: TreeSettings, longest: bool = False, teaching: bool = True
) -> list[tuple[GiflFeature, int]]:
    """Compare what both learners learn from the shortest or longest decided games, and return it."""
    machine, nature = prepared(name)
    naive, learner = naive_learner(machine, nature, trees), FeatureLearner(machine, nature, trees)
    taught = [(game, learner.learn(game)) for game in play_random_games(machine, range(1000, 1040))]
    decided = [(game, found) for game, found in taught if found is not None]
    decided = sorted(decided, key=lambda each: len(each[0].joints), reverse=longest)[: 1 if name in SLOW else 3]
    assert decided
    assert any(found for _, found in decided) == teaching
    for game, found in decided:
        assert found == naive.learn(naive_game(machine, game))
    return [each for _, found in decided for each in found]
