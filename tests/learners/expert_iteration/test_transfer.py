"""What carries over from a knowledge file to another game, and what does not."""

import itertools
import random
from collections.abc import Sequence
from functools import cache

import pytest

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import (
    Fact,
    Feature,
    FeatureAbsEuclidBorderDist,
    FeatureAbsMove,
    FeatureItemsetOnly,
    FeatureRelDimKNearest,
    FeatureRelEuclidKNearest,
    FeatureRelEuclidProximity,
    FeatureRelPattern,
    Itemset,
    WeightedFeature,
)
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.geometry import EMPTY, Geometry, Position, geometry_of
from gdl_miner.agent.knowledge import Knowledge, Parameters, Phase, score, written_out
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.learners.expert_iteration.atoms import find_atoms
from gdl_miner.miner.learners.expert_iteration.transfer import carry_over
from gdl_miner.miner.mining.sharing import sharing_of
from lab.theses.board_sizes import smaller
from tests.knowledge.plain import knowledge_of
from tests.search.positions import machine_of

PARAMETERS = Parameters(scoring="exponential", exploration="puct", features_in_playouts=False)


@cache
def smaller_game(name: str, size: int) -> Machine:
    text = smaller(bundled()[name].read_text("utf-8"), size)
    return load_machine(parse_sheet(text, f"{name}-{size}"), cache=False)


def game(name: str) -> Machine:
    """Return a bundled game, or with a colon one on a smaller board."""
    large, _, size = name.partition(":")
    return smaller_game(large, int(size)) if size else machine_of(large)


def learned(machine: Machine, seed: int) -> Knowledge:
    """Return knowledge of the atomic features of a game, with weights drawn at random."""
    dice, sharing = random.Random(seed), sharing_of(machine, "auto")
    winning, losing = list[list[WeightedFeature]](), list[list[WeightedFeature]]()
    for own in find_atoms(machine, sharing, 2, 1):
        drawn = [(WeightedFeature(each, round(dice.random(), 4)), dice.randrange(2)) for each in own]
        for sign, lists in enumerate((winning, losing)):
            lists.append([each for each, its in drawn if its == sign])
    return knowledge_of(machine, winning, losing, PARAMETERS, symmetries=sharing.names)


def corresponding(
    one: Geometry, other: Geometry, shift: tuple[int, ...], pieces: dict[str, str], dice: random.Random
) -> tuple[Position, Position]:
    """Return a random position, and one in which the same pieces stand shifted and the rest of the board is empty."""
    contents = [dice.choice(["", "", *one.pieces]) for _ in range(one.n_points)]
    found = [EMPTY] * other.n_points
    for point, piece in zip(one.points.tolist(), contents, strict=True):
        if piece:
            found[other.point_index[moved(point, shift)]] = other.piece_code[pieces.get(piece, piece)]
    first = tuple(one.piece_code[piece] if piece else EMPTY for piece in contents)
    return Position(one, frozenset(), first, ()), Position(other, frozenset(), tuple(found), ())


def moved(point: Sequence[int], shift: Sequence[int]) -> tuple[int, ...]:
    return tuple(each + by for each, by in zip(point, shift, strict=True))


def looks_alike(one: Geometry, other: Geometry, point: Sequence[int], shift: Sequence[int]) -> bool:
    """Whether the same fields within two steps of a point are on both boards."""
    around = [moved(point, step) for step in itertools.product(range(-2, 3), repeat=one.dimensions)]
    return all((each in one.point_index) == (moved(each, shift) in other.point_index) for each in around)


@pytest.mark.parametrize(
    ("source", "target", "shift", "pieces"),
    [
        ("breakthrough.ext:6", "breakthrough.ext", (1, 1), {}),
        ("breakthrough.ext:6", "breakthrough.ext", (0, 0), {}),
        ("breakthrough.ext:6", "knightthrough.ext", (2, 2), {}),
        ("connectfour7.ext", "connectfour.ext", (0, 0), {}),
        ("connectfour7.ext", "connectfour.ext", (1, 0), {}),
        ("hex5.ext", "hex11.ext", (3, 4), {}),
        ("gomoku.ext:11", "gomoku.ext", (4, 0), {}),
        ("tictactoe5.ext", "teeko.ext", (0, 0), {"x": "black", "o": "red"}),
        ("tictactoe5.ext", "breakthrough.ext", (2, 1), {"x": "white", "o": "black"}),
    ],
)
def test_carried_weights_give_the_same_judgements_on_corresponding_positions(
    source: str, target: str, shift: tuple[int, ...], pieces: dict[str, str]
) -> None:
    one, other = game(source), game(target)
    given = learned(one, 7)
    found = carry_over(given, other, same_game=False)
    assert (found.carried, found.left_out, found.lost) == (given.n_features, {}, ())
    assert (found.knowledge.digest, found.knowledge.roles) == (other.sheet.digest, other.sheet.roles)
    before, after = written_out(given, one), written_out(found.knowledge, other)
    small, large, dice, judged = geometry_of(one), geometry_of(other), random.Random(5), set()
    for _ in range(6):
        here, there = corresponding(small, large, shift, pieces, dice)
        for role in range(2):
            rows_there = {int(large.move_target[row]): row for row in large.rows(role)}
            for row in small.rows(role):
                if small.move_target[row] < 0:
                    continue
                point = small.points[small.move_target[row]].tolist()
                row_there = rows_there.get(large.point_index[moved(point, shift)])
                if row_there is None or not looks_alike(small, large, point, shift):
                    continue
                judgement = score(before, here, role, row, Phase.SELECTION)
                assert score(after, there, role, row_there, Phase.SELECTION) == judgement
                judged.add(judgement)
    assert len(judged) > 5


def pattern(radius: int, **entries: str) -> FeatureRelPattern:
    """Return a pattern of two dimensions that compares numbered places, as in `p4="empty"`."""
    shown = {int(name[1:]): entry for name, entry in entries.items()}
    return FeatureRelPattern(radius, tuple(shown.get(place, "any") for place in range((2 * radius + 1) ** 2)))


def test_a_file_of_the_same_game_carries_over_whole() -> None:
    machine = machine_of("breakthrough.ext")
    given = learned(machine, 3)
    found = carry_over(given, machine, same_game=True).knowledge
    assert found.symmetries == given.symmetries
    for lists, others in ((found.winning, given.winning), (found.losing, given.losing)):
        assert [set(each) for each in lists] == [set(each) for each in others]


def test_moves_of_the_same_game_carry_over_and_those_of_another_do_not() -> None:
    machine = machine_of("tictactoe.ext")
    given = knowledge_of(machine, [[WeightedFeature(FeatureAbsMove("(mark 2 2 x)"), 1.0)]])
    assert carry_over(given, machine, same_game=True).knowledge.winning == given.winning
    found = carry_over(given, machine_of("tictactoe5.ext"), same_game=False)
    assert found.left_out == {"of moves or places of another game": 1}
    assert found.knowledge.n_features == 0


def test_what_does_not_carry_over_is_counted_by_reason() -> None:
    machine = machine_of("checkers.ext")
    features: list[Feature] = [
        pattern(1, p4="empty", p0="wk"),
        pattern(1, p4="empty", p0="off"),
        FeatureRelEuclidKNearest(("wp", "bp")),
        FeatureRelPattern(1, ("empty",) * 27),
        FeatureRelEuclidProximity(2),
        FeatureAbsEuclidBorderDist(1, True, 1),
        FeatureItemsetOnly(),
    ]
    weighted = [WeightedFeature(each, 1.0) for each in features]
    weighted.append(WeightedFeature(pattern(1, p4="empty"), 1.0, Itemset((Fact("(control white)"),))))
    found = carry_over(knowledge_of(machine, [weighted]), machine_of("breakthrough.ext"), same_game=False)
    assert found.carried == 1
    assert found.left_out == {
        "of pieces that the game does not have": 2,
        "of another kind of board": 1,
        "of the last move": 1,
        "of moves or places of another game": 2,
        "with itemsets": 1,
    }
    assert [each.feature for each in found.knowledge.winning[0]] == [pattern(1, p4="empty", p0="off")]


def test_pieces_named_as_roles_follow_them_and_roles_of_the_same_names_stay() -> None:
    gomoku, four, breakthrough = (machine_of(name) for name in ("gomoku.ext", "connectfour7.ext", "breakthrough.ext"))
    of_black = WeightedFeature(pattern(1, p4="empty", p1="black", p3="white"), 1.0)
    nearest = WeightedFeature(FeatureRelDimKNearest(1, ("black", "black")), 0.5)
    given = knowledge_of(gomoku, [[of_black, nearest]])
    by_place = carry_over(given, four, same_game=False).knowledge
    assert [each.feature for each in by_place.winning[0]] == [
        pattern(1, p4="empty", p1="white", p3="red"),
        FeatureRelDimKNearest(1, ("white", "white")),
    ]
    by_name = carry_over(given, breakthrough, same_game=False).knowledge
    assert breakthrough.sheet.roles == ("white", "black")
    assert by_name.winning[0] == ()
    assert by_name.winning[1] == given.winning[0]


def test_own_and_enemy_become_the_pieces_that_they_mean() -> None:
    relative = WeightedFeature(pattern(1, p4="empty", p0="own", p1="enemy"), 1.0)
    breakthrough = machine_of("breakthrough.ext")
    given = knowledge_of(breakthrough, ([relative], [relative]))
    found = carry_over(given, breakthrough, same_game=True).knowledge
    assert [[each.feature for each in own] for own in found.winning] == [
        [pattern(1, p4="empty", p0="white", p1="black")],
        [pattern(1, p4="empty", p0="black", p1="white")],
    ]
    many = carry_over(knowledge_of(breakthrough, [[relative]]), machine_of("checkers.ext"), same_game=False)
    assert many.left_out == {"of own or enemy pieces, of which the game has several kinds": 1}


def test_symmetries_that_no_board_of_the_game_has_are_named() -> None:
    square = machine_of("tictactoe.ext")
    given = learned(square, 1)
    found = carry_over(given, machine_of("connectfour7.ext"), same_game=False)
    assert "board (y, x)" in found.lost
    assert "board (-x, y)" not in found.lost
    assert found.knowledge.symmetries == sharing_of(machine_of("connectfour7.ext"), "auto").names


def test_images_of_one_feature_add_their_weights_where_the_file_has_both() -> None:
    machine = machine_of("breakthrough.ext")
    left, right = pattern(1, p4="empty", p1="white"), pattern(1, p4="empty", p7="white")
    both = [WeightedFeature(left, 0.5), WeightedFeature(right, 0.25)]
    found = carry_over(knowledge_of(machine, [both], symmetries=("board (-x, y)",)), machine, same_game=True).knowledge
    assert [each.weight for each in found.winning[0]] == [0.75]


def test_another_number_of_roles_is_refused() -> None:
    given = Knowledge("chess", "", ("white",), ((),), ((),))
    with pytest.raises(KnowledgeError, match=r"about 1 roles, breakthrough\.ext has 2; give a file of a game with as"):
        carry_over(given, machine_of("breakthrough.ext"), same_game=False)
