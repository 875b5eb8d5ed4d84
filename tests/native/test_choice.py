import numpy as np
import pytest
from scipy import stats

from gdl_miner.agent import _native
from tests.instruction_sets import EACH_SET, RUNNING_SET
from tests.native.circuits import recording_circuit
from tests.native.twin import lane_mask, pack, unpack


def chosen_rows(rows_per_role: list[int], legal_rows: list[int], steps: int, isa: str) -> np.ndarray:
    """Return the rows that 512 lanes choose: int[steps * 512, n_roles]."""
    circuit = recording_circuit(rows_per_role)
    engine = _native.Lanes(_native.Machine(circuit), 512, isa)
    state = np.zeros((1, circuit.n_fluents), np.bool_)
    state[0, legal_rows] = True
    for lane in range(512):
        engine.load(lane, pack(state)[0], 1000 + lane)
    everyone = lane_mask(np.ones(512, np.bool_))
    chosen = []
    for _ in range(steps):
        engine.evaluate()
        engine.choose(everyone)
        engine.advance()
        bits = unpack(engine.read_states(everyone).reshape(512, -1), circuit.n_fluents)[:, sum(rows_per_role) :]
        assert (bits.sum(axis=1) == len(rows_per_role)).all()
        chosen.append(np.nonzero(bits)[1].reshape(512, len(rows_per_role)))
    return np.concatenate(chosen)


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize(
    ("n_rows", "n_legal", "steps"),
    [(2, 2, 20), (9, 7, 40), (63, 63, 60), (64, 33, 60), (65, 65, 60), (200, 100, 100), (3000, 1500, 150)],
)
def test_every_legal_row_is_as_likely_as_any_other(n_rows, n_legal, steps, isa):
    legal = np.sort(np.random.default_rng(n_rows).choice(n_rows, n_legal, replace=False)).tolist()
    chosen = chosen_rows([n_rows], legal, steps, isa)[:, 0]
    counts = np.bincount(chosen, minlength=n_rows)
    assert counts[np.setdiff1d(np.arange(n_rows), legal)].sum() == 0
    assert 1e-4 < stats.chisquare(counts[legal]).pvalue < 1 - 1e-4


@pytest.mark.parametrize(
    ("rows", "legal"),
    [
        ([12, 10], [0, 3, 4, 7, 11, 12, 13, 17, 21]),  # one draw serves both roles
        ([2000, 2000], [5, 900, 1999, 2000, 2001, 2500, 3999]),  # each role draws
    ],
)
def test_simultaneous_moves_are_uniform_and_independent(rows, legal):
    chosen = chosen_rows(rows, legal, 100 if rows[0] < 100 else 12, RUNNING_SET)
    first = [row for row in legal if row < rows[0]]
    second = [row for row in legal if row >= rows[0]]
    table = np.array([[np.sum((chosen == (a, b)).all(axis=1)) for b in second] for a in first])
    assert table.sum() == len(chosen)
    assert 1e-4 < stats.chisquare(table.ravel()).pvalue < 1 - 1e-4


def test_a_role_with_one_legal_row_takes_it_and_leaves_the_draw_to_the_other():
    chosen = chosen_rows([10, 10], [9, *range(10, 17)], 60, RUNNING_SET)
    assert (chosen[:, 0] == 9).all()
    assert 1e-4 < stats.chisquare(np.bincount(chosen[:, 1] - 10, minlength=10)[:7]).pvalue < 1 - 1e-4


def test_choices_of_a_lane_do_not_depend_on_its_choices_before():
    chosen = chosen_rows([5], [0, 1, 2, 3, 4], 200, RUNNING_SET)[:, 0].reshape(200, 512)
    pairs = np.zeros((5, 5), int)
    np.add.at(pairs, (chosen[:-1].ravel(), chosen[1:].ravel()), 1)
    assert 1e-4 < stats.chi2_contingency(pairs).pvalue < 1 - 1e-4
