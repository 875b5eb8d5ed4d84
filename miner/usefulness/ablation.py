"""The loss of knowledge without one of its parts: matches of the whole against the rest, with roles swapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gdl_miner.agent.features import WeightedFeature
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.match_tasks import play_pairs
from gdl_miner.miner.play.pairing import make_pair
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.scoring import usual_opening

_BATCH = 256  # matches played together

Advance = Callable[[int], None]  # called with the number of matches played since the last call


@dataclass(frozen=True)
class Ablation:
    """The whole knowledge against itself without a part."""

    part: str
    score: Score  # of the whole

    @property
    def contribution(self) -> float:
        """Percent points that the part is worth; positive where it helps."""
        return self.score.win_percent - 50.0


def without_feature(knowledge: Knowledge, role: int, entry: WeightedFeature) -> Knowledge:
    """The knowledge without one feature of one role."""
    return _filtered(knowledge, lambda number, each: not (number == role and each == entry))


def without_class(knowledge: Knowledge, element: str) -> Knowledge:
    """The knowledge without a feature class, in all roles."""
    return _filtered(knowledge, lambda _, each: each.feature.element != element)


def without_values(knowledge: Knowledge) -> Knowledge:
    """The knowledge without its values of states."""
    return replace(knowledge, values=None)


def ablate(
    knowledge: Knowledge,
    rests: Sequence[tuple[str, Knowledge]],
    machine: Machine,
    *,
    matches: int,
    playouts: int,
    seed: int,
    progress: Advance | None = None,
) -> tuple[Ablation, ...]:
    """Play at least `matches` matches, in whole pairs, of the knowledge against each of the rests.

    Every rest is played with the same seeds, so that differences between the parts do not come from the seeds.
    """
    roles = len(machine.circuit.choosing_roles)
    players = [
        PlayerSpec(playouts=playouts).with_knowledge(each, machine)
        for each in (knowledge, *(rest for _, rest in rests))
    ]
    pairs = [
        make_pair(
            f"ablation-{number:03d}-p{pair:05d}",
            0,
            derive_seed(seed, "ablation", pair),
            roles,
            opponent=number,
            opening_plies=usual_opening(players[0], players[number]),
        )
        for number in range(1, len(players))
        for pair in range(-(-matches // max(2, roles)))
    ]
    scores = [Score()] * len(players)
    step = max(1, _BATCH // max(2, roles))
    for first in range(0, len(pairs), step):
        batch = pairs[first : first + step]
        for pair, score in zip(batch, play_pairs(machine, players, batch), strict=True):
            scores[pair.opponent] += score
        if progress:
            progress(sum(len(pair.matches) for pair in batch))
    return tuple(Ablation(part, score) for (part, _), score in zip(rests, scores[1:], strict=True))


def _filtered(knowledge: Knowledge, keep: Callable[[int, WeightedFeature], bool]) -> Knowledge:
    def kept(lists: tuple[tuple[WeightedFeature, ...], ...]) -> tuple[tuple[WeightedFeature, ...], ...]:
        return tuple(tuple(each for each in features if keep(role, each)) for role, features in enumerate(lists))

    return replace(knowledge, winning=kept(knowledge.winning), losing=kept(knowledge.losing))
