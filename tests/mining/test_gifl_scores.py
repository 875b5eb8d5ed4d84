"""The scores of features in matches, and the features that they show to be poor."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.learners.gifl.features import GiflFeature, GiflFeatures
from gdl_miner.miner.learners.gifl.knowledge import FeatureWeights, acting_features, weighted_features
from gdl_miner.miner.learners.gifl.refinement import FeatureScores, poor_features, score_features
from gdl_miner.miner.learners.gifl.scores import (
    FeatureGains,
    GainSettings,
    ScoredFeature,
    SearchedPositions,
    gains_in,
    join_gains,
    score_shard,
)
from gdl_miner.miner.learners.gifl.settings import GiflSettings, TreeSettings
from gdl_miner.miner.learners.gifl.shards import GameSpan, learn_shard, study_shard
from gdl_miner.miner.learners.gifl.sharing import images_of, without_images
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.prepared_game import PreparedGame
from tests.mining.naive_gifl_scores import naive_gains

WEIGHTS = FeatureWeights(0.9, 0.5, wins_first=True)
GAME = "connectfour.ext"


@cache
def learned(name: str, trees: TreeSettings) -> tuple[Machine, PreparedGame, GiflFeatures]:
    machine = load_machine(name)
    game, settings = PreparedGame(machine.sheet, machine.circuit), GiflSettings(1, 20, trees)
    found = learn_shard(game, settings, study_shard(game, settings), GameSpan(0, 400))
    return machine, game, without_images(found, machine, sharing_of(machine, "auto"))


def random_positions(machine: Machine, matches: int, seed: int) -> SearchedPositions:
    """Positions of random games, with moves that are worth whatever; some were never made."""
    random = np.random.default_rng(seed)
    states, match, role, rows, sizes = [], [], [], [], []
    for number in range(matches):
        state = machine.initial()
        while not machine.terminal(state):
            legal = machine.legal(state)
            chooser = max(range(2), key=lambda each: len(legal[each]))
            if len(legal[chooser]) > 1:
                states.append(state)
                match.append(10 + number)
                role.append(chooser)
                rows.append(np.sort(np.array(legal[chooser], np.int32)))
                sizes.append(len(rows[-1]))
            state = machine.next(state, [int(random.choice(each)) for each in legal])
    mean = random.integers(0, 101, sum(sizes)).astype(np.float64)
    mean[random.random(len(mean)) < 0.1] = np.nan
    return SearchedPositions(
        np.array(states), np.array(match), np.array(role), np.cumsum([0, *sizes]), np.concatenate(rows), mean
    )


@pytest.mark.parametrize(
    ("name", "trees", "matches"),
    [(GAME, TreeSettings(3), 30), ("breakthrough.ext", TreeSettings(3, win_ends=True, avoidances=True), 6)],
)
def test_gains_equal_those_of_the_naive_twin(name: str, trees: TreeSettings, matches: int) -> None:
    machine, _, found = learned(name, trees)
    images = images_of(found.levels, machine, sharing_of(machine, "auto"))
    features = zip(acting_features(found.levels, WEIGHTS), images, strict=True)
    acting = [replace(each, images=own) for each, own in features]
    assert max(len(each.images) for each in acting) > 1
    positions = random_positions(machine, matches, 3)
    gains, expected = gains_in(positions, machine, acting), naive_gains(positions, machine, acting)
    entries = list(zip(gains.feature.tolist(), gains.match.tolist(), strict=True))
    assert entries == sorted(expected)
    assert gains.gain.tolist() == pytest.approx([expected[entry] for entry in entries])
    assert {acting[number].avoids for number, _ in entries} == ({False, True} if trees.avoidances else {False})
    assert {acting[number].level for number, _ in entries} == {1, 2, 3}


def test_without_features_or_positions_there_are_no_gains() -> None:
    machine, _, found = learned(GAME, TreeSettings(3))
    acting = acting_features(found.levels, WEIGHTS)
    assert len(gains_in(random_positions(machine, 1, 1), machine, ()).gain) == 0
    nowhere = SearchedPositions(
        np.zeros((0, machine.circuit.state_words), np.uint64),
        *(np.zeros(0, np.int64) for _ in range(2)),
        np.zeros(1, np.int64),
        np.zeros(0, np.int32),
        np.zeros(0),
    )
    gains = gains_in(nowhere, machine, acting)
    assert len(gains.gain) == 0
    assert not poor_features(score_features(gains, len(acting)), 0.1).any()


def test_parts_of_the_matches_score_as_all_of_them_do_and_find_a_wrong_feature() -> None:
    """Matches of both parts are those of the whole; one that always plays the same move is poor."""
    machine, game, found = learned(GAME, TreeSettings(2, win_ends=True))
    edge = machine.circuit.moves[machine.rows(0).start]
    wrong = GiflFeature(0, "offensive", (), (edge,))
    levels = {**found.levels, wrong: 1}
    winning, losing = weighted_features(levels, 2, WEIGHTS)
    parameters = Parameters(scoring="exponential", first_feature=True, opponent_knowledge=0.5)
    knowledge = Knowledge(machine.sheet.name, machine.sheet.digest, machine.roles, winning, losing, parameters)
    player = PlayerSpec(playouts=20, draws_moves=True).with_knowledge(knowledge, machine)
    acting, settings = acting_features(levels, WEIGHTS), GainSettings(7, judging=150, uct_c=40.0)
    whole = score_shard(game, player, settings, acting, GameSpan(0, 40))
    parts = [score_shard(game, player, settings, acting, GameSpan(*span)) for span in ((25, 40), (0, 25))]
    joined = join_gains(parts)
    for name in ("feature", "match", "gain"):
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist()
    poor = poor_features(score_features(whole, len(acting)), 0.05)
    assert poor[-1]
    assert poor.sum() <= 3


def gains_of(signs: dict[int, list[float]]) -> FeatureGains:
    entries = [(feature, match, gain) for feature, gains in signs.items() for match, gain in enumerate(gains)]
    feature, match, gain = (np.array(column) for column in zip(*entries, strict=True))
    return FeatureGains(feature, match, gain.astype(np.float64))


def test_only_what_is_clearly_worse_is_poor() -> None:
    scores = score_features(
        gains_of(
            {
                0: [-1.0] * 12,  # worse in every match
                1: [-1.0, 1.0] * 6,  # as often worse as better
                2: [-1.0] * 11 + [40.0],  # worse in most matches, but far better in one
                3: [-1.0] * 2,  # in too few matches
                4: [0.0] * 12,  # never worse
            }
        ),
        6,  # the last never acted
    )
    assert scores.matches.tolist() == [12, 12, 12, 2, 12, 0]
    assert scores.losses.tolist() == [12, 6, 11, 2, 0, 0]
    assert scores.gain[2] == pytest.approx(29 / 12)
    assert poor_features(scores, 0.1).tolist() == [True, False, False, False, False, False]


def test_few_features_that_are_not_poor_are_dropped() -> None:
    """The share of false drops keeps to its bound, and poor features are found; 300 of 400 are not poor."""
    random, false_drops, shares, found = np.random.default_rng(5), 0.1, [], []
    for _ in range(100):
        matches = random.integers(1, 60, 400)
        losses = random.binomial(matches, np.where(np.arange(400) < 300, 0.5, 0.9))
        poor = poor_features(FeatureScores(matches, losses, np.full(400, -1.0)), false_drops)
        shares.append(poor[:300].sum() / max(1, poor.sum()))
        found.append(poor[300:].mean())
    assert np.mean(shares) < false_drops
    assert np.mean(found) > 0.5


def test_a_feature_is_judged_by_what_it_claims() -> None:
    """One of level 1 leaves hardly anything to other moves, so it is compared with the best of them."""
    machine = load_machine(GAME)
    rows = np.sort(np.array(machine.legal(machine.initial())[0], np.int32))
    names = [machine.circuit.moves[row] for row in rows]
    mean = np.array([60.0, 70.0, *[20.0] * (len(rows) - 2)])
    one = np.zeros(1, np.int64)
    positions = SearchedPositions(machine.initial()[None, :], one, one, np.array([0, len(rows)]), rows, mean)

    def gain(level: int, side: str = "offensive") -> float:
        feature = GiflFeature(0, "losing" if side == "losing" else "offensive", (), (names[0],))
        return float(gains_in(positions, machine, [ScoredFeature(2.0, level, (feature,))]).gain[0])

    assert gain(1) == -10.0
    assert gain(1, "losing") == 10.0
    assert gain(2) == pytest.approx(60 - mean[1:].mean())
    assert gain(2, "losing") == pytest.approx(mean[1:].mean() - 60)
