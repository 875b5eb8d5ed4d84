"""Images of features and items under the symmetries of a game."""

import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import (
    Enumeration,
    Fact,
    Feature,
    FeatureAbsMove,
    FeatureRelDimKNearest,
    FeatureRelEuclidKNearest,
    Itemset,
    MoveBatch,
    PatternShape,
    WeightedFeature,
    every_item,
    occurrences,
)
from gdl_miner.agent.geometry import Position, Symmetry, find_symmetries, geometry_of
from gdl_miner.agent.knowledge import (
    Knowledge,
    Parameters,
    Phase,
    compile_knowledge,
    read_knowledge,
    score,
    write_knowledge,
    written_out,
)
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from tests.knowledge.plain import knowledge_of
from tests.knowledge.random_knowledge import features_of
from tests.search.positions import random_match

GAMES = ["tictactoe.ext", "breakthrough.ext", "connectfour.ext", "checkers.ext", "othello.ext"]
ENUMERATION = Enumeration(shapes=(PatternShape(1, "full"), PatternShape(2, "orthogonal")), ray_length=3)
RELATIVE = replace(ENUMERATION, relative=True)
# Of equally near fields, the one with the smaller coordinates comes first, which a reflection does not keep.
WITH_TIES = (FeatureRelEuclidKNearest, FeatureRelDimKNearest)


def image_of_rows(symmetry: Symmetry, rows: list[int]) -> list[int]:
    images = [-1] * len(rows)
    for role, row in enumerate(rows):
        images[symmetry.roles[role]] = int(symmetry.moves[row]) if row >= 0 else -1
    return images


def visited(machine: Machine, dice: random.Random) -> list[tuple[np.ndarray, list[int]]]:
    """Return the states of a random match, and the joint moves that led to them."""
    return list(random_match(machine, dice))[:-1]


@pytest.mark.parametrize("enumeration", [ENUMERATION, RELATIVE], ids=["pieces", "relative"])
@pytest.mark.parametrize("game", GAMES)
def test_a_feature_fires_where_its_image_fires_for_the_image_of_the_move(game: str, enumeration: Enumeration) -> None:
    machine, dice = load_machine(game), random.Random(1)
    geometry = geometry_of(machine)
    symmetries = [each for each in find_symmetries(machine) if not each.is_identity]
    assert symmetries
    checked = set()
    for state, last in dice.sample(visited(machine, dice), 4):
        symmetry = dice.choice(symmetries)
        position = Position.of(geometry, symmetry.image(state), image_of_rows(symmetry, last))
        for role, rows in enumerate(machine.legal(state)):
            some = np.sort(np.array(dice.sample(rows.tolist(), min(4, len(rows))), np.int32))
            batch = MoveBatch(state[None], np.array([last], np.int32), np.zeros(len(some), np.int32), some)
            matrix = occurrences(batch, geometry, enumeration=enumeration)
            legal = set(machine.legal(symmetry.image(state))[symmetry.roles[role]].tolist())
            for sample, row in enumerate(some.tolist()):
                assert symmetry.moves[row] in legal
                for feature in features_of(matrix, sample):
                    if not isinstance(feature, WITH_TIES):
                        assert feature.image(symmetry).fires(position, int(symmetry.moves[row]))
                        checked.add(type(feature))
    assert len(checked) >= 5


@pytest.mark.parametrize("game", GAMES)
def test_an_item_holds_where_its_image_holds_in_the_image_of_the_state(game: str) -> None:
    machine, dice = load_machine(game), random.Random(2)
    geometry = geometry_of(machine)
    items = every_item(geometry)
    for symmetry in find_symmetries(machine):
        state, _ = dice.choice(visited(machine, dice))
        here = Position.of(geometry, state)
        there = Position.of(geometry, symmetry.image(state))
        for item in dice.sample(items, min(60, len(items))):
            assert item.holds(here) == item.image(symmetry).holds(there)


@pytest.mark.parametrize("game", GAMES)
def test_features_of_pieces_in_order_keep_their_lines_and_exchange_their_pieces(game: str) -> None:
    geometry = geometry_of(load_machine(game))
    piece = geometry.pieces[0]
    for symmetry in find_symmetries(load_machine(game)):
        line = FeatureRelDimKNearest(1, (piece, piece)).image(symmetry)
        assert symmetry.axes[line.dimension - 1] == 0
        assert line.pieces == (symmetry.piece(piece),) * 2
        assert FeatureRelEuclidKNearest((piece,)).image(symmetry) == FeatureRelEuclidKNearest((symmetry.piece(piece),))


def shared_knowledge(machine: Machine, dice: random.Random) -> Knowledge:
    """Return features that fire for moves of the first role in a random match, shared over all symmetries."""
    geometry = geometry_of(machine)
    found: dict[Feature, None] = {}
    for state, last in visited(machine, dice):
        rows = np.sort(machine.legal(state)[0])
        batch = MoveBatch(state[None], np.array([last], np.int32), np.zeros(len(rows), np.int32), rows)
        matrix = occurrences(batch, geometry, enumeration=ENUMERATION)
        found |= dict.fromkeys(each for each in matrix.features if not isinstance(each, WITH_TIES))
    features = dice.sample(list(found), min(60, len(found)))
    items = every_item(geometry)
    listed = tuple(
        WeightedFeature(each, dice.uniform(0, 2), Itemset((dice.choice(items),)) if place % 5 == 0 else None)
        for place, each in enumerate(features)
    )
    names = tuple(each.name for each in find_symmetries(machine) if not each.is_identity)
    parameters = Parameters(scoring="exponential", impact=0.2)
    return knowledge_of(machine, [listed[:30]], [listed[30:]], parameters, symmetries=names)


@pytest.mark.parametrize("game", GAMES)
def test_moves_and_their_images_have_the_same_score(game: str) -> None:
    machine, dice = load_machine(game), random.Random(3)
    knowledge = shared_knowledge(machine, dice)
    scorer = _native.Scorer(compile_knowledge(knowledge, machine))
    apart = written_out(knowledge, machine)
    assert apart.n_features > knowledge.n_features
    assert not apart.symmetries
    scores = set()
    for state, last in dice.sample(visited(machine, dice), 6):
        position = Position.of(geometry_of(machine), state, last)
        for role, rows in enumerate(machine.legal(state)):
            own = scored(scorer, role, state, last, rows)
            assert own.tolist() == [score(apart, position, role, row, Phase.SELECTION) for row in rows.tolist()]
            scores |= set(own.tolist())
            for symmetry in find_symmetries(machine):
                image, last_image = symmetry.image(state), image_of_rows(symmetry, last)
                images = symmetry.moves[rows]
                assert scored(scorer, symmetry.roles[role], image, last_image, images).tolist() == own.tolist()
    assert len(scores) > 3


def scored(scorer: _native.Scorer, role: int, state: np.ndarray, last: list[int], rows: np.ndarray) -> np.ndarray:
    """Return the scores of moves in their order."""
    order = np.argsort(rows)
    start = np.array([0, len(rows)], np.int64)
    found = np.empty(len(rows), np.uint32)
    found[order] = scorer.score(1, role, state[None], np.array([last], np.int32), start, rows[order].astype(np.int32))
    return found


def test_a_file_names_its_symmetries(tmp_path: Path) -> None:
    machine = load_machine("breakthrough.ext")
    knowledge = shared_knowledge(machine, random.Random(4))
    write_knowledge(knowledge, tmp_path / "shared.xml", machine.sheet)
    again = read_knowledge(tmp_path / "shared.xml", machine.sheet)
    assert again.symmetries == knowledge.symmetries
    assert again.n_features == knowledge.n_features


@pytest.mark.parametrize("name", ["board (y, x)", "board upside down"])
def test_a_symmetry_that_a_board_does_not_have_is_refused(name: str, tmp_path: Path) -> None:
    machine = load_machine("connectfour.ext")
    write_knowledge(replace(shared_knowledge(machine, random.Random(5)), symmetries=(name,)), tmp_path / "file.xml")
    knowledge = read_knowledge(tmp_path / "file.xml", machine.sheet)
    with pytest.raises(KnowledgeError, match=rf"file.xml:\d+: the symmetry '{re.escape(name)}'"):
        compile_knowledge(knowledge, machine)


def test_a_feature_whose_items_change_places_is_one_image_of_itself() -> None:
    machine = load_machine("tictactoe.ext")
    itemset = Itemset((Fact("(cell 1 1 x)"), Fact("(cell 1 3 x)")))
    edge = WeightedFeature(FeatureAbsMove("(mark 1 2 x)"), 1.0, itemset)
    names = tuple(each.name for each in find_symmetries(machine) if not each.is_identity)
    knowledge = knowledge_of(machine, [[edge]], symmetries=names)
    apart = written_out(knowledge, machine)
    assert len(names) == 15
    assert [len(features) for features in apart.winning] == [4, 4], "the four edges of the board, for each role"
