"""Examples held out from learning decide which features are new."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from gdl_miner.miner.learners.expert_iteration.descent import DescentSettings
from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.learners.expert_iteration.policy import SoftmaxPolicy
from gdl_miner.miner.learners.expert_iteration.training import PolicyTraining, train_policy
from gdl_miner.miner.learners.expert_iteration.trial import held_out, useful
from gdl_miner.miner.mining.activity import count_activity
from tests.learners.expert_iteration import plain_policy
from tests.learners.expert_iteration.test_apprentice import atoms, experience, sharing
from tests.search.positions import machine_of

MOVES = 4


def examples_of(states: np.ndarray, shares: np.ndarray) -> Experience:
    """Return examples with as many moves each."""
    count = len(states)
    return Experience(
        np.zeros(count, np.int32),
        states.astype(np.uint64),
        np.arange(0, MOVES * count + 1, MOVES, dtype=np.int64),
        np.tile(np.arange(MOVES, dtype=np.int32), count),
        shares.reshape(-1),
    )


def softmax(values: np.ndarray) -> np.ndarray:
    return np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)


def test_equal_states_are_on_the_same_side_wherever_they_are_remembered() -> None:
    rng = np.random.default_rng(1)
    states = rng.integers(0, 2**63, size=(4000, 3)).astype(np.uint64)
    states[2000:] = states[:2000]
    examples = examples_of(states, np.full((4000, MOVES), 1 / MOVES))
    held = held_out(examples)
    assert (held[2000:] == held[:2000]).all()
    assert 0.17 < held.mean() < 0.23
    some = np.arange(3, 4000, 7)
    assert (held_out(examples.at(some)) == held[some]).all()
    few = examples_of(np.arange(1000)[:, None], np.full((1000, MOVES), 1 / MOVES))
    assert 0.15 < held_out(few).mean() < 0.25


@pytest.mark.parametrize("seed", range(5))
def test_features_that_explain_the_expert_are_kept_and_noise_mostly_is_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = 600
    fired = (rng.random((count * MOVES, 12)) < 0.2).astype(float)
    weights = np.array([1.0, -1.5, *[0.0] * 10])
    noise = rng.normal(scale=0.3, size=(count, MOVES))
    examples = examples_of(rng.integers(0, 2**62, (count, 1)), softmax((fired @ weights).reshape(count, MOVES) + noise))
    held = held_out(examples)
    kept = useful(csr_matrix(fired), np.zeros(count * MOVES), examples, held, 12)
    assert kept[:2] == [0, 1]
    assert len(kept) <= 6
    assert useful(csr_matrix(fired), np.zeros(count * MOVES), examples, held, 1) == [0]


def test_what_is_true_of_the_learned_examples_alone_is_not_kept() -> None:
    rng = np.random.default_rng(3)
    count = 400
    fired = np.zeros((count, MOVES))
    fired[:, 0] = 1.0
    examples = examples_of(rng.integers(0, 2**62, (count, 1)), np.full((count, MOVES), 1 / MOVES))
    held = held_out(examples)
    liked = softmax(fired)
    for sign, expected in ((1.0, [0]), (-1.0, [])):
        shares = np.where(held[:, None], softmax(sign * fired), liked)
        found = useful(
            csr_matrix(fired.reshape(-1, 1)), np.zeros(count * MOVES), examples_of(examples.states, shares), held, 1
        )
        assert found == expected


TRAINING = PolicyTraining(
    seed=3,
    descent=DescentSettings(updates=200, batch=10, step_size=0.2, penalty=1e-6, momentum=0.5),
    growth="held out",
    new_features=3,
    growth_batch=100,
)


def test_held_out_examples_teach_no_weights() -> None:
    game = "tictactoe.ext"
    machine, examples, policy = machine_of(game), experience(game, 12), SoftmaxPolicy.new(atoms(game))
    held = held_out(examples)
    assert 0 < held.sum() < len(examples)
    other = examples.shares.copy()
    other[np.repeat(held, np.diff(examples.start))] = np.repeat(
        1 / np.diff(examples.start)[held], np.diff(examples.start)[held]
    )
    changed = replace(examples, shares=other)
    grown = [train_policy(machine, sharing(game), policy, each, 0, TRAINING).policy for each in (examples, changed)]
    n = len(policy.features[0])
    assert grown[0].weights[0][:n].tolist() == grown[1].weights[0][:n].tolist()
    learned = train_policy(machine, sharing(game), policy, changed, 0, replace(TRAINING, growth="none")).policy
    assert learned.weights[0].tolist() != grown[1].weights[0][:n].tolist()


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext"])
def test_every_new_feature_lowers_the_cross_entropy_of_examples_held_out(game: str) -> None:
    machine, examples, policy = machine_of(game), experience(game, 12), SoftmaxPolicy.new(atoms(game))
    found = train_policy(machine, sharing(game), policy, examples, 0, TRAINING)
    assert len(found.added[0]) <= 3
    own = examples.of_owner(0)
    held = np.flatnonzero(held_out(own))
    unseen = own.at(held)
    shares = [unseen.shares[a:b].tolist() for a, b in zip(unseen.start, unseen.start[1:], strict=False)]
    counts = count_activity(found.policy.features[0], 0, sharing(game), machine, unseen.batch(2)).toarray()
    by_example = [counts[a:b].tolist() for a, b in zip(unseen.start, unseen.start[1:], strict=False)]
    weights = found.policy.weights[0].copy()

    def cross_entropy() -> float:
        policies = [plain_policy.softmax(weights.tolist(), of_moves) for of_moves in by_example]
        pairs = ((p, q) for probabilities, wanted in zip(policies, shares, strict=True)
                 for p, q in zip(probabilities, wanted, strict=True))  # fmt: skip
        return -sum(q * float(np.log(p)) for p, q in pairs)

    for number in range(len(policy.features[0]), len(weights)):
        before, tried = cross_entropy(), []
        for weight in np.linspace(-2, 2, 41):
            weights[number] = weight
            tried.append((cross_entropy(), weight))
        assert min(tried)[0] < before
        weights[number] = min(tried)[1]
