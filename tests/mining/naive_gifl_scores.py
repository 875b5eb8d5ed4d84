"""The gains of features in positions, straight from their description, position by position with sets of facts."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.learners.gifl.scores import ScoredFeature, SearchedPositions

__all__ = ["naive_gains"]


def naive_gains(
    positions: SearchedPositions, machine: Machine, features: Sequence[ScoredFeature]
) -> dict[tuple[int, int], float]:
    """Return by feature and match the mean gain over the positions of the match in which the feature acts."""
    found: dict[tuple[int, int], list[float]] = {}
    for place in range(len(positions.states)):
        facts, role = set(machine.facts(positions.states[place])), int(positions.role[place])
        moves = range(int(positions.start[place]), int(positions.start[place + 1]))
        worth = {machine.circuit.moves[positions.row[move]]: float(positions.mean[move]) for move in moves}
        own = [_own(each, facts, role, worth) for each in features]
        drawn = [each.weight for each, named in zip(features, own, strict=True) if named and not each.avoids]
        heaviest = max(drawn, default=0.0)
        for number, (each, named) in enumerate(zip(features, own, strict=True)):
            mine = [worth[move] for move in named if worth[move] == worth[move]]
            others = [value for move, value in worth.items() if move not in named and value == value]
            if not mine or not others or heaviest > each.weight + 1.0:
                continue
            best_or_mean = max if each.level == 1 else mean
            gain = best_or_mean(mine) - best_or_mean(others)
            key = (number, int(positions.match[place]))
            found.setdefault(key, []).append(-gain if each.avoids else gain)
    return {key: mean(gains) for key, gains in found.items()}


def _own(feature: ScoredFeature, facts: set[str], role: int, worth: dict[str, float]) -> set[str]:
    """Return the legal moves that a feature or one of its images has in a position."""
    holding = [image for image in feature.images if image.role == role and facts.issuperset(image.facts)]
    return {move for image in holding for move in image.moves if move in worth}
