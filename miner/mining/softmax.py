"""Joint weights of features: softmax (multinomial logit) regression of root visit shares on the legal moves' features.

In a group (one role's choice in one state) move m has the log-weight u_m = τ o_m + Σ_f θ_f x_mf and should be chosen
with probability exp(u_m) / Σ exp(u); the targets are the shares of root visits that a search gave the moves. The
offset o_m is what is known of the move without features, and the weights explain the rest. Its factor τ is fitted
together with the weights: one that was fitted before them would count what both explain for the offset alone.
L-BFGS (Nocedal 1980) minimises, over θ and τ,

    Σ_groups w_g · cross-entropy(target, model) + ½ Σ_f λ θ_f²                                                (1)

Sums run in a fixed order, products with the sparse matrix are sequential, and exp and log come from `elementary`, so
equal input gives equal bytes on every processor and with any number of threads.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from gdl_miner.miner.mining import elementary

_MEMORY = 8  # correction pairs kept by L-BFGS
_ARMIJO = 1e-4  # sufficient decrease asked of a step
_HALVINGS = 30

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Choices:
    """Alternatives (legal moves) in groups (choices), with their features and target shares."""

    start: NDArray[np.int64]  # [group + 1] offsets into the alternatives; no group is empty
    indptr: NDArray[np.int64]  # [alternative + 1] offsets into `features`
    features: NDArray[np.int32]  # [entry] the features that fire, each as often as it counts for the alternative
    n_features: int
    target: Vector  # [alternative] sums to 1 in each group
    weight: Vector  # [group] importance, 1 for an ordinary state
    offset: Vector | None = None  # [alternative] what is known of its log-weight, up to a factor; None: nothing

    def __post_init__(self) -> None:
        if len(self.start) < 1 or (np.diff(self.start) < 1).any():
            raise ValueError("every choice needs at least one alternative")
        if self.start[-1] != len(self.target) or len(self.indptr) != len(self.target) + 1:
            raise ValueError("start, indptr and target disagree about the number of alternatives")
        if len(self.weight) != len(self.start) - 1:
            raise ValueError("weight needs one entry per choice")
        if self.offset is not None and len(self.offset) != len(self.target):
            raise ValueError("offset needs one entry per alternative")

    @cached_property
    def matrix(self) -> csr_matrix:
        """Alternatives × features: how often a feature fires, mostly 0 or 1."""
        ones = np.ones(len(self.features))
        counts = csr_matrix((ones, self.features, self.indptr), shape=(len(self.target), self.n_features), copy=True)
        counts.sum_duplicates()
        return counts

    @cached_property
    def transposed(self) -> csr_matrix:
        """Features × alternatives."""
        return self.matrix.T.tocsr()

    @cached_property
    def squares(self) -> csr_matrix:
        """Features × alternatives, entries squared."""
        return self.transposed.power(2)

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """Group of each alternative."""
        return np.repeat(np.arange(len(self.weight)), np.diff(self.start))

    def distinct(self) -> NDArray[np.int64]:
        """The features that do not fire for the same alternatives, equally often, as one before them."""
        columns = self.matrix.tocsc()
        columns.sort_indices()
        first: dict[bytes, int] = {}
        for number in range(self.n_features):
            entries = slice(columns.indptr[number], columns.indptr[number + 1])
            name = blake2b(columns.indices[entries].tobytes(), digest_size=16)
            name.update(columns.data[entries].tobytes())
            first.setdefault(name.digest(), number)
        return np.array(list(first.values()), dtype=np.int64)

    def restricted(self, columns: NDArray[np.int64], holds: NDArray[np.bool_]) -> "Choices":
        """The same choices with a new feature for each of `columns`, which fires where that feature fires and `holds`.

        `holds[group, new feature]` is a property of the whole choice.
        """
        parents = self.matrix[:, columns].tocoo()
        kept = holds[self.group[parents.row], parents.col]
        alternatives = np.concatenate([np.repeat(np.arange(len(self.target)), np.diff(self.indptr)), parents.row[kept]])
        features = np.concatenate([self.features, parents.col[kept] + self.n_features])
        order = np.lexsort((features, alternatives))
        indptr = np.searchsorted(alternatives[order], np.arange(len(self.target) + 1))
        n_features = self.n_features + len(columns)
        return replace(
            self, indptr=indptr, features=features[order].astype(np.int32, copy=False), n_features=n_features
        )

    def keep(self, kept: NDArray[np.int64]) -> "Choices":
        """The same choices described by the features `kept` only, renumbered in that order."""
        number = np.full(self.n_features, -1, dtype=np.int32)
        number[kept] = np.arange(len(kept), dtype=np.int32)
        renamed = number[self.features]
        held = np.concatenate([[0], np.cumsum(renamed >= 0)])
        return replace(self, indptr=held[self.indptr], features=renamed[renamed >= 0], n_features=len(kept))


class SoftmaxFit(NamedTuple):
    """Fitted log-weights with their uncertainty."""

    weights: Vector  # [feature] θ
    errors: Vector  # [feature] standard errors, by groups (sandwich estimate, diagonal); inf where nothing is known
    information: Vector  # [feature] Σ w_g Var_model(x_f): curvature of the loss along one weight
    loss: float  # mean cross-entropy in nats per choice, without the penalty
    floor: float  # the same for the targets themselves: their entropy, which no weights can beat
    uniform: float  # the same for moves that are all alike
    iterations: int
    scale: float = 1.0  # τ; 1 without an offset

    @property
    def gain(self) -> Vector:
        """Return [feature] what each weight alone explains, ½ weight² · information, in nats of all choices."""
        return 0.5 * self.weights**2 * self.information

    @property
    def explained(self) -> float:
        """Share of the avoidable cross-entropy that offset and weights remove: 0 for uniform choice, 1 for perfect."""
        avoidable = self.uniform - self.floor
        return (self.uniform - self.loss) / avoidable if avoidable > 0 else 0.0


class GroupScores(NamedTuple):
    """The evidence of each choice about the weight of each feature, as sparse matrices [feature, group]."""

    score: csr_matrix  # w_g Σ_m (target_m − q_m) x_mf: how much more the feature was chosen than the model expects
    information: csr_matrix  # w_g Var_model(x_f)
    fires: csr_matrix  # 1 where the feature fires for some alternative


def group_scores(choices: Choices, theta: Vector, scale: float = 1.0) -> GroupScores:
    """Return the scores and the information of all choices about all features, under the weights `theta` and τ.

    No feature may fire more than once for an alternative.
    """
    q = elementary.exp(_log_shares(choices, theta, scale))
    score = _by_group(choices, choices.weight[choices.group] * (choices.target - q))
    information = _by_group(choices, q)
    information.data *= 1.0 - information.data
    information.data *= np.repeat(choices.weight, np.diff(information.indptr))
    fires = _by_group(choices, np.ones(len(q)))
    fires.data[:] = 1.0
    return GroupScores(*(each.T.tocsr() for each in (score, information, fires)))


def fit_softmax(
    choices: Choices,
    *,
    penalty: float,
    start: Vector | None = None,
    scale: float = 1.0,
    max_iterations: int = 100,
    tolerance: float = 1e-4,
) -> SoftmaxFit:
    """Minimise (1) from θ = `start` (default 0) and τ = `scale`, which has no prior.

    `penalty` is λ, in units of choices: the prior is θ ~ N(0, 1/λ). Without features τ stays as it is.
    The fit ends after `max_iterations`, or when no component of the gradient exceeds `tolerance` · Σ w_g / √n_features.
    Raises ValueError for a penalty that is not positive: without one a feature that always wins has no finite weight.
    """
    if not penalty > 0:
        raise ValueError(f"penalty is {penalty}; it must be positive")
    theta = np.zeros(choices.n_features) if start is None else np.asarray(start, dtype=np.float64).copy()
    if choices.n_features == 0 or len(choices.weight) == 0:
        blank = np.zeros(choices.n_features)
        return SoftmaxFit(blank, blank + np.inf, blank, *_entropies(choices, blank, scale), 0, scale)
    theta, scale, iterations = _minimise(choices, penalty, theta, scale, max_iterations, tolerance)
    information, errors = _uncertainty(choices, penalty, theta, scale)
    return SoftmaxFit(theta, errors, information, *_entropies(choices, theta, scale), iterations, scale)


def fit_scale(choices: Choices, known: Vector, *, max_iterations: int = 50, tolerance: float = 1e-9) -> float:
    """Return the factor τ ≥ 0 for which τ · known[alternative] alone, without features, predicts the targets best.

    Newton's method, whose steps at most double τ + 1, minimises the cross-entropy, which is convex in τ. Where it never
    stops falling, because the choices always follow what is known, τ is that of the last iteration.
    """
    importance, first = choices.weight[choices.group], choices.start[:-1]
    known = known - np.maximum.reduceat(known, first)[choices.group]  # 0 where all alternatives are alike
    scale = 0.0
    for _ in range(max_iterations):
        log_q = _log_shares_of(choices, scale * known)
        slope = _dot(importance, (elementary.exp(log_q) - choices.target) * known)
        curvature = _curvature_of_offset(choices, known, log_q)
        if curvature <= 0:
            return scale
        step = max(slope / curvature, -1.0 - scale)
        scale = max(0.0, scale - step)
        if abs(step) <= tolerance * (1.0 + scale):
            return scale
    return scale


def _log_shares(choices: Choices, theta: Vector, scale: float) -> Vector:
    """Logarithm of the model's probability of every alternative."""
    utility = choices.matrix @ theta
    return _log_shares_of(choices, utility if choices.offset is None else utility + scale * choices.offset)


def _log_shares_of(choices: Choices, utility: Vector) -> Vector:
    """Logarithm of the probability of every alternative with these log-weights."""
    first = choices.start[:-1]
    utility = utility - np.maximum.reduceat(utility, first)[choices.group]
    total = np.add.reduceat(elementary.exp(utility), first)
    return utility - elementary.log(total)[choices.group]


def _value_and_gradient(choices: Choices, penalty: float, parameters: Vector) -> tuple[float, Vector]:
    """Value of (1) and its gradient. The parameters are θ and, where there is an offset, τ after them."""
    theta = parameters[: choices.n_features]
    log_q = _log_shares(choices, theta, float(parameters[-1]))
    importance = choices.weight[choices.group]
    value = -_dot(importance * choices.target, log_q) + 0.5 * penalty * _dot(theta, theta)
    surplus = importance * (elementary.exp(log_q) - choices.target)
    gradient = choices.transposed @ surplus + penalty * theta
    return value, gradient if choices.offset is None else np.append(gradient, _dot(surplus, choices.offset))


def _minimise(
    choices: Choices, penalty: float, theta: Vector, scale: float, max_iterations: int, tolerance: float
) -> tuple[Vector, float, int]:
    """L-BFGS with backtracking; the first step is scaled to the curvature along single parameters."""
    log_q = _log_shares(choices, theta, scale)
    steps = 1.0 / (_curvature(choices, log_q) + penalty)
    point = theta
    if choices.offset is not None:
        curvature = _curvature_of_offset(choices, choices.offset, log_q)
        steps = np.append(steps, 1.0 / curvature if curvature > 0 else 0.0)  # 0: alternatives are alike, any τ will do
        point = np.append(theta, scale)
    value, gradient = _value_and_gradient(choices, penalty, point)
    enough = tolerance * float(np.add.reduce(choices.weight)) / choices.n_features**0.5
    pairs: list[tuple[Vector, Vector, float]] = []
    iteration = 0
    while iteration < max_iterations and float(np.max(np.abs(gradient))) > enough:
        direction = -_inverse_hessian_times(pairs, steps, gradient)
        slope = _dot(direction, gradient)
        step = 1.0
        for _ in range(_HALVINGS):
            trial = point + step * direction
            trial_value, trial_gradient = _value_and_gradient(choices, penalty, trial)
            if trial_value <= value + _ARMIJO * step * slope:
                break
            step *= 0.5
        else:
            break  # floating point can show no further decrease
        moved, turned = trial - point, trial_gradient - gradient
        curvature = _dot(moved, turned)
        if curvature > 0:
            pairs = [*pairs[-(_MEMORY - 1) :], (moved, turned, curvature)]
        point, value, gradient = trial, trial_value, trial_gradient
        iteration += 1
    return point[: choices.n_features], scale if choices.offset is None else float(point[-1]), iteration


def _inverse_hessian_times(pairs: list[tuple[Vector, Vector, float]], scale: Vector, gradient: Vector) -> Vector:
    """Two-loop recursion (Nocedal & Wright, algorithm 7.4) with the diagonal `scale` as the initial inverse Hessian."""
    q = gradient.copy()
    coefficients: list[float] = []
    for moved, turned, curvature in reversed(pairs):
        coefficients.append(_dot(moved, q) / curvature)
        q -= coefficients[-1] * turned
    q *= scale
    for (moved, turned, curvature), coefficient in zip(pairs, reversed(coefficients), strict=True):
        q += (coefficient - _dot(turned, q) / curvature) * moved
    return q


def _curvature(choices: Choices, log_q: Vector) -> Vector:
    """Σ_g w_g Var_q(x_f), the diagonal of the Hessian without the penalty."""
    q = elementary.exp(log_q)
    mean, group, feature = _per_group(choices, q)
    second = choices.squares @ (choices.weight[choices.group] * q)
    first = np.bincount(feature, weights=choices.weight[group] * mean * mean, minlength=choices.n_features)
    return np.maximum(second - first, 0.0)


def _curvature_of_offset(choices: Choices, offset: Vector, log_q: Vector) -> float:
    """Σ_g w_g Var_q(o), the second derivative along τ."""
    q, first = elementary.exp(log_q), choices.start[:-1]
    offset = offset - np.maximum.reduceat(offset, first)[choices.group]  # exactly 0 where alternatives are alike
    mean = np.add.reduceat(q * offset, first)
    return _dot(choices.weight[choices.group] * q, (offset - mean[choices.group]) ** 2)


def _uncertainty(choices: Choices, penalty: float, theta: Vector, scale: float) -> tuple[Vector, Vector]:
    """Information of each weight and its standard error √(Σ_g score_gf²) / (information + λ), as if τ were known."""
    log_q = _log_shares(choices, theta, scale)
    information = _curvature(choices, log_q)
    score, group, feature = _per_group(choices, elementary.exp(log_q) - choices.target)
    score *= choices.weight[group]
    squares = np.bincount(feature, weights=score * score, minlength=choices.n_features)
    known = information > 0
    errors = np.full(choices.n_features, np.inf)
    errors[known] = np.sqrt(squares[known]) / (information[known] + penalty)
    return information, errors


def _per_group(choices: Choices, value: Vector) -> tuple[Vector, NDArray[np.int64], NDArray[np.int64]]:
    """Sums of `value` over a group's alternatives in which a feature fires, zeros left out: (sum, group, feature)."""
    summed = _by_group(choices, value)
    group = np.repeat(np.arange(len(choices.weight), dtype=np.int64), np.diff(summed.indptr))
    return summed.data, group, summed.indices.astype(np.int64)


def _by_group(choices: Choices, value: Vector) -> csr_matrix:
    """Sums of `value` over a group's alternatives in which a feature fires: [group, feature], zeros left out."""
    n_groups, n_alternatives = len(choices.weight), len(choices.target)
    by_group = csr_matrix((value, np.arange(n_alternatives), choices.start), shape=(n_groups, n_alternatives))
    return csr_matrix(by_group @ choices.matrix)


def _entropies(choices: Choices, theta: Vector, scale: float) -> tuple[float, float, float]:
    """Mean cross-entropy of the model, of the targets with themselves, and of uniform choice."""
    total = float(np.add.reduce(choices.weight))
    if total <= 0:
        return 0.0, 0.0, 0.0
    importance = choices.weight[choices.group] * choices.target
    seen = choices.target > 0
    sizes = np.diff(choices.start).astype(np.float64)
    loss = -_dot(importance, _log_shares(choices, theta, scale)) / total
    floor = -_dot(importance[seen], elementary.log(choices.target[seen])) / total
    uniform = _dot(importance, elementary.log(sizes)[choices.group]) / total
    return loss, floor, uniform


def _dot(a: Vector, b: Vector) -> float:
    """Inner product in a fixed order (BLAS may split it among threads)."""
    return float(np.add.reduce(a * b))
