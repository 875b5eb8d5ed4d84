import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import (
    FEATURE_CLASSES,
    Fact,
    FeatureAbsMove,
    FeatureItemsetOnly,
    FeatureRelEuclidKNearest,
    FeatureRelPattern,
    Itemset,
    MoveBatch,
    WeightedFeature,
)
from gdl_miner.agent.geometry import Position
from gdl_miner.agent.knowledge import Knowledge, Parameters, Phase, compile_knowledge, score
from tests.geometry.imaginary_games import BIG_SQUARE, CUBE, GAMES, SQUARE, ImaginaryGame
from tests.knowledge.plain import knowledge_of
from tests.knowledge.random_knowledge import candidates, random_batch, random_itemset, random_knowledge

N_STATES, MOVES = 8, 12


def native_and_plain(game: ImaginaryGame, knowledge: Knowledge, batch: MoveBatch) -> list[tuple[list[int], list[int]]]:
    """Return the scores of both scorers on the samples of each role in a batch, for every phase."""
    scorer = _native.Scorer(compile_knowledge(knowledge, game))
    geometry = game.geometry
    results = []
    for role in range(len(knowledge.roles)):
        own = np.isin(batch.row, geometry.rows(role))
        state_index, rows = batch.state_index[own], batch.row[own]
        start = np.searchsorted(state_index, np.arange(len(batch.states) + 1)).astype(np.int64)
        for phase in Phase:
            native = scorer.score(int(phase), role, batch.states, batch.last_rows, start, rows)
            positions = [
                Position.of(geometry, state, last.tolist())
                for state, last in zip(batch.states, batch.last_rows, strict=True)
            ]
            plain = [
                score(knowledge, positions[state], role, row, phase)
                for state, row in zip(state_index.tolist(), rows.tolist(), strict=True)
            ]
            results.append((native.tolist(), plain))
    return results


@pytest.mark.parametrize("scoring", ["additive", "exponential"])
@pytest.mark.parametrize("first_feature", [False, True])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.sheet.name)
def test_native_scores_equal_the_plain_definition(game: ImaginaryGame, scoring: str, first_feature: bool) -> None:
    rng = random.Random(f"{game.sheet.name} {scoring} {first_feature}")
    for _ in range(4):
        batch = random_batch(game, rng, N_STATES, MOVES)
        knowledge = random_knowledge(
            game, rng, candidates(game, rng, batch), scoring=scoring, first_feature=first_feature
        )
        for native, plain in native_and_plain(game, knowledge, batch):
            assert native == plain


@pytest.mark.parametrize("feature_class", FEATURE_CLASSES, ids=lambda each: each.element)
@pytest.mark.parametrize("game", [BIG_SQUARE, CUBE], ids=lambda game: game.sheet.name)
def test_every_class_alone_changes_scores_and_scores_natively(
    game: ImaginaryGame, feature_class: type[FeatureRelEuclidKNearest]
) -> None:
    rng = random.Random(feature_class.element)
    batch = random_batch(game, rng, N_STATES, MOVES)
    features = [each for each in candidates(game, rng, batch) if isinstance(each, feature_class)]
    features = rng.sample(features, min(len(features), 30))
    lists = [
        [WeightedFeature(each, 1 + 0.1 * rng.random()) for each in features if each.misfit(game.geometry, role) is None]
        for role in range(len(game.circuit.roles))
    ]
    knowledge = knowledge_of(game, lists, (), Parameters(base_value=50.0))
    for native, plain in native_and_plain(game, knowledge, batch):
        assert native == plain
        assert max(plain) > 50 * 256


def scored(scorer: _native.Scorer, game: ImaginaryGame, facts: Sequence[str], move: str, phase: int = 0) -> int:
    """Return the weight of a move of role 0 in a state with these facts."""
    state, last = game.state(facts)[None, :], np.full((1, 2), -1, dtype=np.int32)
    rows = np.array([game.row(0, move)], dtype=np.int32)
    return int(scorer.score(phase, 0, state, last, np.array([0, 1], dtype=np.int64), rows)[0])


def one_move(game: ImaginaryGame, parameters: Parameters, *features: WeightedFeature) -> dict[Phase, int]:
    """Return, for each phase, the weight of the move (mark 1 1 b) of role 0 in a state with the fact (control red)."""
    scorer = _native.Scorer(compile_knowledge(knowledge_of(game, [features], (), parameters), game))
    return {phase: scored(scorer, game, ["(control red)"], "(mark 1 1 b)", int(phase)) for phase in Phase}


MOVE = FeatureAbsMove("(mark 1 1 b)")
CONTROL = Itemset((Fact("(control red)"),))


def test_a_winning_feature_adds_its_effective_weight_in_units_of_one_256th() -> None:
    parameters = Parameters(base_value=1.0, winning_weight=0.5, impact=3.0)
    assert one_move(SQUARE, parameters, WeightedFeature(MOVE, 2.0)) == dict.fromkeys(Phase, 256 + 3 * 256)


def test_features_switched_off_in_a_phase_do_not_act_there() -> None:
    weights = one_move(SQUARE, Parameters(features_in_playouts=False), WeightedFeature(MOVE, 1.0))
    assert weights == {Phase.PLAYOUT: 256, Phase.SELECTION: 512}
    weights = one_move(SQUARE, Parameters(features_in_selection=False), WeightedFeature(MOVE, 1.0))
    assert weights == {Phase.PLAYOUT: 512, Phase.SELECTION: 256}


@pytest.mark.parametrize("n_items", range(1, 9))
def test_an_itemset_of_any_size_holds_only_where_all_its_items_do(n_items: int) -> None:
    fluents = SQUARE.circuit.fluents[:n_items]
    itemsets = [Itemset(tuple(Fact(fluent) for fluent in fluents)), Itemset((Fact("(control red)"),))]
    features = [WeightedFeature(FeatureItemsetOnly(), 1.0, itemset) for itemset in itemsets]
    knowledge = knowledge_of(SQUARE, [features], (), Parameters(base_value=0.0))
    scorer = _native.Scorer(compile_knowledge(knowledge, SQUARE))
    for missing in (None, *fluents):
        facts = [fluent for fluent in fluents if fluent != missing] + ["(control red)"]
        assert scored(scorer, SQUARE, facts, "(mark 1 1 b)") == (256 if missing else 512)


@pytest.mark.parametrize("n_conditions", [60, 120, 180, 250, 300, 500])
@pytest.mark.parametrize("game", [SQUARE, BIG_SQUARE], ids=lambda game: game.sheet.name)
def test_hundreds_of_itemsets_hold_where_the_plain_definition_says(game: ImaginaryGame, n_conditions: int) -> None:
    rng = random.Random(n_conditions)
    batch = random_batch(game, rng, N_STATES, MOVES)
    itemsets = {random_itemset(game, rng) for _ in range(n_conditions)}
    own = [WeightedFeature(FeatureItemsetOnly(), 0.1 + rng.random(), each) for each in sorted(itemsets, key=repr)]
    parameters = Parameters(scoring="additive", base_value=50.0, first_feature=False)
    knowledge = knowledge_of(game, [own] * len(game.circuit.roles), (), parameters)
    scores = set()
    for native, plain in native_and_plain(game, knowledge, batch):
        assert native == plain
        scores |= set(native)
    assert len(scores) > 2, "other itemsets hold in other states"


def test_every_one_of_thousands_of_patterns_is_found() -> None:
    rng = random.Random(0)
    entries = ["b", "w", "x", "empty", "any"]
    drawn = [tuple(rng.choice(entries[:4]) for _ in range(9)) for _ in range(5000)]
    drawn += [(*(rng.choice(entries[:4]) for _ in range(8)), "any") for _ in range(500)]
    features = [FeatureRelPattern(1, each) for each in dict.fromkeys(drawn)]
    weighted = tuple(WeightedFeature(feature, 1 + rng.randrange(256) / 256) for feature in features)
    knowledge = knowledge_of(BIG_SQUARE, [weighted], (), Parameters(base_value=0.0))
    scorer = _native.Scorer(compile_knowledge(knowledge, BIG_SQUARE))
    row = BIG_SQUARE.row(0, "(mark 4 4 b)")
    around = [(x, y) for x in (3, 4, 5) for y in (3, 4, 5)]
    for feature, chosen in [(each.feature, each) for each in rng.sample(weighted, 40)]:
        assert isinstance(feature, FeatureRelPattern)
        facts = [
            f"(cell {x} {y} {entry})"
            for (x, y), entry in zip(around, feature.entries, strict=True)
            if entry not in ("empty", "any")
        ]
        position = Position.of(BIG_SQUARE.geometry, BIG_SQUARE.state(facts))
        matching = [each for each in weighted if each.feature.fires(position, row)]
        assert chosen in matching
        assert scored(scorer, BIG_SQUARE, facts, "(mark 4 4 b)") == sum(round(each.weight * 256) for each in matching)


def test_features_with_itemsets_take_the_class_weight_of_itemsets() -> None:
    classes = dict.fromkeys((each.element for each in FEATURE_CLASSES), 1.0)
    parameters = Parameters(itemset_class_weights=classes | {"FeatureAbsMove": 3.0}, base_value=0.0)
    assert one_move(SQUARE, parameters, WeightedFeature(MOVE, 1.0, CONTROL)) == dict.fromkeys(Phase, 3 * 256)


def test_first_feature_scoring_takes_the_largest_weight_that_matches_and_file_order_among_equals() -> None:
    elsewhere = WeightedFeature(FeatureItemsetOnly(), 3.0, Itemset((Fact("(control black)"),)))
    winning = [WeightedFeature(MOVE, 2.0), elsewhere]
    losing = [WeightedFeature(FeatureItemsetOnly(), 2.0), WeightedFeature(MOVE, 1.0)]
    knowledge = knowledge_of(SQUARE, [winning], [losing], Parameters(first_feature=True, base_value=8.0))
    position = Position.of(SQUARE.geometry, SQUARE.state(["(control red)"]))
    assert score(knowledge, position, 0, SQUARE.row(0, "(mark 1 1 b)"), Phase.PLAYOUT) == 10 * 256
    assert score(knowledge, position, 0, SQUARE.row(0, "(mark 1 2 b)"), Phase.PLAYOUT) == 6 * 256


def test_a_score_is_never_below_one() -> None:
    knowledge = knowledge_of(SQUARE, (), [[WeightedFeature(MOVE, 9.0)]], Parameters(base_value=1.0))
    position = Position.of(SQUARE.geometry, SQUARE.state([]))
    assert score(knowledge, position, 0, SQUARE.row(0, "(mark 1 1 b)"), Phase.PLAYOUT) == 1


def test_exponential_weights_are_in_proportion_to_the_exponential_of_the_sum() -> None:
    plain = one_move(SQUARE, Parameters(scoring="exponential"))[Phase.PLAYOUT]
    more = one_move(SQUARE, Parameters(scoring="exponential"), WeightedFeature(MOVE, 2.0))[Phase.PLAYOUT]
    assert more / plain == pytest.approx(np.exp(2.0), rel=1e-4)
    most = one_move(SQUARE, Parameters(scoring="exponential"), WeightedFeature(MOVE, 2000.0))[Phase.PLAYOUT]
    assert most / plain == pytest.approx(np.exp(10.0), rel=1e-4)


def test_a_phase_acts_for_a_role_only_with_features_that_count() -> None:
    features = [[WeightedFeature(MOVE, 1.0)], [WeightedFeature(MOVE, 0.0)]]
    knowledge = knowledge_of(SQUARE, features, (), Parameters(features_in_selection=False))
    scorer = _native.Scorer(compile_knowledge(knowledge, SQUARE))
    assert [scorer.acts_in(phase, role) for role in (0, 1) for phase in (0, 1)] == [True, False, False, False]


@pytest.mark.parametrize(
    ("parameters", "weight"), [(Parameters(), 1e7), (Parameters(impact=1e300, winning_weight=1e300), 1.0)]
)
def test_weights_that_would_overflow_are_refused(parameters: Parameters, weight: float) -> None:
    with pytest.raises(KnowledgeError, match="keep them below"):
        one_move(SQUARE, parameters, WeightedFeature(MOVE, weight))


@pytest.mark.parametrize(
    ("feature", "what"),
    [
        (FeatureAbsMove("(mark 9 9 b)"), "red has no move"),
        (FeatureRelEuclidKNearest(("nobody",)), "no piece nobody"),
    ],
)
def test_names_that_the_game_lacks_are_refused_with_the_place(feature: FeatureAbsMove, what: str) -> None:
    with pytest.raises(KnowledgeError, match=f"file.xml:3: {feature.element}: .*{what}"):
        one_move(SQUARE, Parameters(), WeightedFeature(feature, 1.0, None, "file.xml:3"))


def test_damaged_tables_are_refused_before_they_reach_the_kernel() -> None:
    tables = compile_knowledge(knowledge_of(SQUARE, (), [[WeightedFeature(MOVE, 1.0)]]), SQUARE)
    row_target = tables.row_target.copy()
    row_target[0] = 99
    with pytest.raises(ValueError, match="row_target"):
        _native.Scorer(replace(tables, row_target=row_target))
