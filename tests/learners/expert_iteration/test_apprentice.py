"""The apprentice learns and grows as its definitions say."""

import itertools
import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from gdl_miner.agent.features import FeatureAbsMove, FeatureRelPattern
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.knowledge import Parameters, Phase, written_out
from gdl_miner.agent.knowledge.scoring import effective_features
from gdl_miner.agent.search import PlayerSpec
from gdl_miner.miner.learners.expert_iteration.atoms import find_atoms
from gdl_miner.miner.learners.expert_iteration.descent import DescentSettings, descend
from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.learners.expert_iteration.growth import GROWTHS, GrowthKind, PatternGrowth, correlation_scores
from gdl_miner.miner.learners.expert_iteration.patterns import fields_of, merge, pattern_of, steps_to
from gdl_miner.miner.learners.expert_iteration.policy import SoftmaxPolicy
from gdl_miner.miner.learners.expert_iteration.training import PolicyTraining, train_policy
from gdl_miner.miner.mining.activity import FeatureImages, count_activity, find_activity
from gdl_miner.miner.mining.sharing import FeatureSharing, sharing_of
from tests.knowledge.plain import knowledge_of
from tests.learners.expert_iteration import plain_policy
from tests.search.matches import played
from tests.search.positions import machine_of

GAMES = ["tictactoe.ext", "breakthrough.ext", "checkers.ext"]


@cache
def sharing(game: str) -> FeatureSharing:
    return sharing_of(machine_of(game), "auto")


@cache
def experience(game: str, matches: int = 3) -> Experience:
    """Return the experience of a few matches of bare UCT."""
    machine = machine_of(game)
    record = played(machine, PlayerSpec(playouts=30, draws_moves=True), matches, move_limit=30)
    return Experience.of(record, machine, sharing(game))


@cache
def atoms(game: str) -> tuple[tuple[object, ...], ...]:
    return find_atoms(machine_of(game), sharing(game), 2, 1)


DESCENT = DescentSettings(updates=20, batch=8, step_size=0.2, penalty=1e-3, momentum=0.5)
TRAINING = PolicyTraining(seed=3, descent=DESCENT, growth="correlation", new_features=2, growth_batch=60)


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_move_has_an_atomic_feature_that_fires(game: str) -> None:
    machine, examples = machine_of(game), experience(game)
    for role in sorted(set(sharing(game).owners)):
        batch = examples.of_owner(role).batch(2)
        fired = count_activity(atoms(game)[role], role, sharing(game), machine, batch)
        assert (fired.sum(axis=1) > 0).all()
        for feature in atoms(game)[role]:
            assert isinstance(feature, FeatureRelPattern)
            assert 1 <= len(fields_of(feature, geometry_of(machine).dimensions)) <= 2


def test_atoms_of_a_game_without_a_board_are_its_moves() -> None:
    machine = machine_of("pennies")
    [first, second] = find_atoms(machine, sharing_of(machine, ()), 2, 1)
    assert [first, second] == [(FeatureAbsMove("heads"), FeatureAbsMove("tails"))] * 2


@pytest.mark.parametrize("game", GAMES)
def test_the_examples_have_a_choice_and_shares_of_visits(game: str) -> None:
    examples = experience(game)
    assert (np.diff(examples.start) > 1).all()
    assert np.add.reduceat(examples.shares, examples.start[:-1]) == pytest.approx(np.ones(len(examples)))
    assert set(examples.owners.tolist()) == set(sharing(game).owners)
    machine = machine_of(game)
    for example in range(0, len(examples), 7):
        legal = machine.legal(examples.states[example])[examples.owners[example]]
        assert examples.rows[examples.start[example] : examples.start[example + 1]].tolist() == sorted(legal.tolist())


@pytest.mark.parametrize("game", GAMES)
def test_activity_equals_the_plain_definition_of_features(game: str) -> None:
    machine, examples = machine_of(game), experience(game, 1)
    some = examples.at(np.arange(0, len(examples), 3))
    for role in sorted(set(sharing(game).owners)):
        own = some.of_owner(role)
        move = geometry_of(machine).moves[int(own.rows[0])]
        features = [*atoms(game)[role][::3], FeatureAbsMove(move)]
        plain = plain_policy.counts_of(features, role, sharing(game), machine, own)
        counted = count_activity(features, role, sharing(game), machine, own.batch(2)).toarray()
        assert counted.tolist() == [counts for of_moves in plain for counts in of_moves]


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext"])
def test_the_apprentice_in_training_is_the_one_in_play(game: str) -> None:
    machine, examples = machine_of(game), experience(game, 1)
    policy, dice = SoftmaxPolicy.new(atoms(game)), random.Random(4)
    weights = tuple(np.array([round(dice.uniform(-1, 1), 2) for _ in own]) for own in policy.features)
    policy = SoftmaxPolicy(policy.features, weights, weights)
    parameters = Parameters(scoring="exponential")
    knowledge = knowledge_of(machine, policy.lists(1), policy.lists(-1), parameters, symmetries=sharing(game).names)
    acting = effective_features(written_out(knowledge, machine), 0, Phase.SELECTION)
    counts = count_activity(policy.features[0], 0, sharing(game), machine, examples.batch(2))
    sums = np.asarray(counts @ policy.weights[0])
    index = examples.batch(2).state_index
    for sample in range(0, len(examples.rows), 11):
        position = Position.of(geometry_of(machine), examples.states[index[sample]])
        played = sum(each.weight for each in acting if each.feature.fires(position, int(examples.rows[sample])))
        assert played / 256 == pytest.approx(sums[sample], abs=0.05)


@pytest.mark.parametrize("game", ["tictactoe.ext", "checkers.ext"])
@pytest.mark.parametrize("momentum", [0.0, 0.8])
def test_descent_follows_the_plain_gradient(game: str, momentum: float) -> None:
    machine, examples = machine_of(game), experience(game, 1)
    role = 0
    own, features = examples.of_owner(role), atoms(game)[role][:12]
    counts = count_activity(features, role, sharing(game), machine, own.batch(2))
    settings = DescentSettings(updates=4, batch=5, step_size=0.3, penalty=0.01, momentum=momentum)
    zeros = {role: np.zeros(len(features))}
    learned, velocity = descend(zeros, zeros, {role: counts}, own, settings, random.Random(8))
    plain = plain_policy.counts_of(features, role, sharing(game), machine, own)
    shares = [own.shares[own.start[n] : own.start[n + 1]].tolist() for n in range(len(own))]
    weights, speed, dice = [0.0] * len(features), [0.0] * len(features), random.Random(8)
    for _ in range(4):
        drawn = sorted(dice.sample(range(len(own)), 5))
        slope = plain_policy.gradient(weights, [plain[n] for n in drawn], [shares[n] for n in drawn], 0.01)
        speed = [momentum * old + new for old, new in zip(speed, slope, strict=True)]
        weights = [old - 0.3 * change for old, change in zip(weights, speed, strict=True)]
    assert learned[role].tolist() == pytest.approx(weights)
    assert velocity[role].tolist() == pytest.approx(speed)
    assert max(map(abs, weights)) > 0.01


def test_learning_lowers_the_cross_entropy_of_what_was_learned() -> None:
    game = "breakthrough.ext"
    machine, examples = machine_of(game), experience(game)
    policy = SoftmaxPolicy.new(atoms(game))
    errors, gentle = [], DescentSettings(updates=100, batch=40, step_size=0.05, penalty=0.0, momentum=0.0)
    for seed in range(4):
        learning = replace(TRAINING, seed=seed, descent=gentle)
        found = train_policy(machine, sharing(game), policy, examples, len(examples), learning)
        policy = found.policy
        errors.append(found.error.cross_entropy / found.error.examples)
        assert found.error.examples == len(examples)
        assert errors[-1] >= found.error.expert_entropy / found.error.examples
    sizes = np.diff(examples.start)
    assert errors[0] == pytest.approx(float(np.log(sizes).mean()))
    assert errors == sorted(errors, reverse=True)


def test_only_new_examples_are_measured() -> None:
    game = "tictactoe.ext"
    examples = experience(game)
    found = train_policy(machine_of(game), sharing(game), SoftmaxPolicy.new(atoms(game)), examples, 5, TRAINING)
    assert found.error.examples == 5
    assert found.error.alternatives == int(examples.start[-1] - examples.start[-6])


@pytest.mark.parametrize("seed", range(4))
def test_scores_of_pairs_equal_formula_7(seed: int) -> None:
    rng = np.random.default_rng(seed)
    fired = (rng.random((60, 7)) < rng.uniform(0.1, 0.9, 7)).astype(float)
    fired[:, 6] = 1.0
    errors = rng.normal(size=60)
    firsts = np.array([0, 3, 6])
    found = correlation_scores(csr_matrix(fired), firsts, errors)
    scores = {
        (one, other): score
        for one, other, score in zip(found.one.tolist(), found.other.tolist(), found.score.tolist(), strict=True)
    }
    compared = 0
    for one in range(len(firsts)):
        for other in range(7):
            if other == firsts[one]:
                continue
            expected = plain_policy.score(fired[:, firsts[one]].tolist(), fired[:, other].tolist(), errors.tolist())
            assert scores.get((one, other), 0.0) == pytest.approx(expected, abs=1e-9)
            compared += expected > 0
    assert compared > 5


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext"])
def test_the_pair_with_the_largest_score_over_all_views_of_the_board_becomes_a_feature(game: str) -> None:
    machine, shared = machine_of(game), sharing(game)
    examples = experience(game).of_owner(0)
    examples = examples.at(np.arange(0, len(examples), max(1, len(examples) // 10)))
    features = atoms(game)[0][2:40:2]
    errors = np.random.default_rng(1).normal(size=len(examples.rows))
    growth = PatternGrowth(features, np.zeros(len(features)), 0, shared, machine, examples, errors)
    [added] = growth.grow("correlation", 1, random.Random(0))
    images = FeatureImages.of(features, 0, shared)
    views = [examples, *(examples.image(each) for each in shared.keeping(0))]
    fired = [find_activity(images.instances, 0, machine, view.batch(2)).toarray() for view in views]
    columns = np.concatenate(fired).T.tolist()
    all_errors = np.tile(errors, len(views)).tolist()
    best, best_score = None, 0.0
    for one in range(len(columns)):
        for other in range(one):
            score = plain_policy.score(columns[one], columns[other], all_errors)
            merged = None
            if score > best_score + 1e-12:
                merged = shared.representative(
                    merge(images.instances[one], images.instances[other], geometry_of(machine)), 0
                )
            if merged is not None and merged not in features:
                best, best_score = merged, score
    assert added == best


@pytest.mark.parametrize("kind", [kind for kind in GROWTHS if kind not in ("held out", "none")])
@pytest.mark.parametrize("game", GAMES)
def test_new_features_are_new_and_fire_where_two_others_do(kind: GrowthKind, game: str) -> None:
    machine, examples, policy = machine_of(game), experience(game), SoftmaxPolicy.new(atoms(game))
    found = train_policy(machine, sharing(game), policy, examples, 0, replace(TRAINING, growth=kind, new_features=3))
    for role, added in enumerate(found.added):
        if sharing(game).owners[role] != role:
            assert added == ()
            continue
        assert len(set(added)) == 3
        assert found.policy.features[role] == (*policy.features[role], *added)
        assert not set(added) & set(policy.features[role])
        own = examples.of_owner(role)
        assert (count_activity(added, role, sharing(game), machine, own.batch(2)).sum(axis=0) > 0).all()
        for each in added:
            assert isinstance(each, FeatureRelPattern)
            assert 2 <= len(fields_of(each, 2)) <= 4
            assert sharing(game).representative(each, role) == each


def test_the_largest_errors_decide_what_combine_max_and_combine_random_merge() -> None:
    game = "breakthrough.ext"
    machine, examples, features = machine_of(game), experience(game).of_owner(0), atoms(game)[0]
    errors = np.zeros(len(examples.rows))
    errors[17] = -0.5
    weights = np.arange(len(features), dtype=float)
    of_sample = find_activity(FeatureImages.of(features, 0, sharing(game)).instances, 0, machine, examples.batch(2))[
        [17]
    ]
    owners = FeatureImages.of(features, 0, sharing(game)).owners[of_sample.indices]
    heaviest = features[int(owners.max())]
    index = int(examples.batch(2).state_index[17])
    position = Position.of(geometry_of(machine), examples.states[index])
    growth = PatternGrowth(features, weights, 0, sharing(game), machine, examples, errors)
    kinds: tuple[GrowthKind, ...] = ("combine max", "combine random")
    for kind in kinds:
        [added] = growth.grow(kind, 1, random.Random(2))
        images = {added, *(added.image(each) for each in sharing(game).keeping(0))}
        assert any(each.fires(position, int(examples.rows[17])) for each in images)
        if kind == "combine max":
            parts = {heaviest, *(heaviest.image(each) for each in sharing(game).keeping(0))}
            assert any(fields_of(part, 2).items() <= fields_of(each, 2).items() for part in parts for each in images)


def test_without_growth_and_without_examples_nothing_is_added() -> None:
    game = "tictactoe.ext"
    policy = SoftmaxPolicy.new(atoms(game))
    nothing: tuple[tuple[Experience, GrowthKind], ...] = (
        (experience(game), "none"),
        (Experience.none(machine_of(game)), "correlation"),
    )
    for examples, kind in nothing:
        found = train_policy(machine_of(game), sharing(game), policy, examples, 0, replace(TRAINING, growth=kind))
        assert found.added == ((), ())
        assert found.policy.features == policy.features


def test_pruning_keeps_the_largest_weights_and_files_have_them_by_sign() -> None:
    features = tuple(FeatureAbsMove(f"(move {number})") for number in range(5))
    weights = np.array([0.1, -3.0, 0.00001, 2.0, -0.5])
    policy = SoftmaxPolicy((features, ()), (weights, np.zeros(0)), (2 * weights, np.zeros(0)))
    pruned = policy.pruned(3)
    assert pruned.features[0] == (features[1], features[3], features[4])
    assert pruned.weights[0].tolist() == [-3.0, 2.0, -0.5]
    assert pruned.velocities[0].tolist() == [-6.0, 4.0, -1.0]
    assert [each.feature for each in policy.lists(1)[0]] == [features[3], features[0]]
    assert [each.weight for each in policy.lists(-1)[0]] == [3.0, 0.5]
    assert policy.grown([(FeatureAbsMove("(new)"),), ()]).weights[0].tolist() == [*weights.tolist(), 0.0]


def test_patterns_merge_at_the_least_radius_and_contradictions_are_refused() -> None:
    board = geometry_of(machine_of("tictactoe.ext"))
    wide = pattern_of({(0, 0): "empty", (2, 0): "off"}, board)
    near = pattern_of({(0, 0): "empty", (1, 1): "x"}, board)
    assert (wide.radius, near.radius) == (2, 1)
    merged = merge(wide, near, board)
    assert fields_of(merged, 2) == {(0, 0): "empty", (2, 0): "off", (1, 1): "x"}
    assert merge(near, near, board) == near
    with pytest.raises(ValueError, match=r"at \(0, 0\) one pattern has empty, the other x"):
        merge(near, pattern_of({(0, 0): "x"}, board), board)


def test_patterns_on_hexagons_have_all_their_images_and_fields_as_near_as_neighbours_lead() -> None:
    machine = machine_of("yavalath.ext")
    board, shared = geometry_of(machine), sharing_of(machine, "auto")
    assert len(shared.keeping(0)) == 11
    aside = tuple(np.negative(board.hexagonal).tolist())
    assert steps_to(aside, board) == 1
    found = find_atoms(machine, shared, 2, 1)[0]
    steps = {steps_to(offset, board) for each in found for offset in fields_of(each, 2)}
    assert steps == {0, 1, 2}
    merged = [merge(one, other, board) for one, other in itertools.combinations(found[1:6], 2) if agree(one, other)]
    assert merged
    for each in (*found, *merged):
        for symmetry in shared.keeping(0):
            image = each.image(symmetry)
            assert image == pattern_of(fields_of(image, 2), board), "equal patterns are equal values"


def agree(one: FeatureRelPattern, other: FeatureRelPattern) -> bool:
    fields = fields_of(one, 2)
    return all(fields.get(offset, entry) == entry for offset, entry in fields_of(other, 2).items())


def test_experience_is_joined_cut_and_seen_on_the_image_of_the_board() -> None:
    examples = experience("breakthrough.ext")
    half = len(examples) // 2
    parts = [examples.at(np.arange(half)), examples.latest(len(examples) - half)]
    again = Experience.joined(parts)
    for name in ("owners", "states", "start", "rows", "shares"):
        assert (getattr(again, name) == getattr(examples, name)).all()
    machine, [mirror] = machine_of("breakthrough.ext"), sharing("breakthrough.ext").keeping(0)
    image = examples.image(mirror)
    for example in range(0, len(examples), 9):
        legal = machine.legal(image.states[example])[0].tolist()
        assert sorted(image.rows[image.start[example] : image.start[example + 1]].tolist()) == sorted(legal)
