"""The smallest part of a knowledge file's features that is not weaker than all of them.

The features of each role are ranked (`usefulness.measure.rank`), and files with the first 0, 10, 20, 40, 80, …
of each role play the whole. A sequential test says whether a file is at least as strong as the whole or weaker by some
Elo; where it has not ended after the most matches, what is likelier counts. Sizes are tried by bisection, as if a file
were never stronger than a larger one. The interface is ask/tell, as in the tournament of a generation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.pairing import OPENING_PLIES, MatchRequest
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.round_robin import RoundRobin
from gdl_miner.miner.play.sprt import Sprt, Verdict
from gdl_miner.miner.play.wording import describe_result
from gdl_miner.miner.usefulness.measure import ListedFeature, RoleUse

__all__ = [
    "Pruning",
    "PruningTrial",
    "describe_trial",
    "only_features",
    "paying_features",
    "without_idle_values",
]

_LOOK = 64  # pairs of matches between two checks of the test


@dataclass(frozen=True)
class PruningTrial:
    """The result of a file with the first features of each role against the whole."""

    size: int  # most features of a role
    features: int  # of all lists
    score: Score  # of the smaller file
    as_strong: bool  # whether the test found that the smaller file is not weaker than the whole

    def as_json(self) -> dict[str, Any]:
        """Return the published keys, in order."""
        return {
            "size": self.size,
            "features": self.features,
            "as_strong": self.as_strong,
            **self.score.as_json(),
        }


def describe_trial(trial: PruningTrial) -> str:
    """Return the size, the points with their interval, and the verdict."""
    points = describe_result(trial.score)
    verdict = "as strong" if trial.as_strong else "weaker"
    return f"{trial.size} features a role, {trial.features} in all, against the whole: {points}: {verdict}"


class Pruning:
    """One pruning. Use: `while matches := p.ask(): p.tell(goals of them)`; the candidate may differ after each `tell`.

    In the matches, player 0 is the candidate and player 1 the whole.
    """

    def __init__(
        self, whole: Knowledge, ranked: Sequence[Sequence[ListedFeature]], elo: float, matches: int, seed: int
    ) -> None:
        """Begin with nothing tried.

        Args:
            whole: the knowledge with all features.
            ranked: [role] its features, best first.
            elo: a file that is weaker by so much is not to be accepted.
            matches: most matches of a size.
            seed: seed of the matches.
        """
        self._whole = whole
        self._ranked = ranked
        self._test = Sprt(-elo, 0.0)
        self._matches = matches
        self._seed = seed
        self._sizes = tuple(_sizes(max(map(len, ranked), default=0)))
        self._weaker, self._as_strong = -1, len(self._sizes)  # places in the sizes; one past the last is the whole
        self._trials: list[PruningTrial] = []
        self._begin()

    @property
    def size(self) -> int:
        """The most features of a role in the candidate."""
        return self._sizes[self._place]

    @property
    def candidate(self) -> Knowledge:
        """The smaller file that plays next."""
        return self._first(self.size)

    @property
    def trials(self) -> tuple[PruningTrial, ...]:
        """The sizes that were decided, in the order in which they were tried."""
        return tuple(self._trials)

    @property
    def found(self) -> tuple[Knowledge, int | None]:
        """The smallest file known to be as strong as the whole, and its size; if none is, the whole and None."""
        if self._as_strong == len(self._sizes):
            return self._whole, None
        size = self._sizes[self._as_strong]
        return self._first(size), size

    def ask(self) -> tuple[MatchRequest, ...]:
        """Return the next matches of the candidate; none when the size is found."""
        if self._as_strong - self._weaker <= 1:
            return ()
        asked = (match for pair in self._pairing.ask() for match in pair.matches)
        return tuple(replace(match, id=f"size{self.size:04d}-{match.id}") for match in asked)

    def tell(self, goals: Mapping[str, Sequence[int]]) -> None:
        """Take the goals of every match asked for."""
        prefix = f"size{self.size:04d}-"
        self._pairing.tell({name.removeprefix(prefix): goal for name, goal in goals.items()})
        if self._pairing.ask():
            return
        [result] = self._pairing.pairings
        as_strong = self._test.decision(result.score) is Verdict.stronger
        trial = PruningTrial(self.size, self.candidate.n_features, result.score, as_strong)
        self._trials.append(trial)
        if trial.as_strong:
            self._as_strong = self._place
        else:
            self._weaker = self._place
        self._begin()

    def _begin(self) -> None:
        """Begin with the size in the middle of those that are left."""
        self._place = (self._weaker + self._as_strong) // 2
        if self._as_strong - self._weaker > 1:
            seed = derive_seed(self._seed, "pruning", self.size)
            roles = len(self._whole.roles)
            self._pairing = RoundRobin(2, roles, self._matches, seed, self._test, OPENING_PLIES, look=_LOOK)

    def _first(self, size: int) -> Knowledge:
        return only_features(self._whole, [set(features[:size]) for features in self._ranked])


def paying_features(uses: Sequence[RoleUse], sigmas: float) -> list[set[ListedFeature]]:
    """Return [role] the features whose measured contribution exceeds 0 by more than `sigmas` standard errors."""
    return [
        {(use.entry, use.winning) for use in role.features if use.contribution > sigmas * use.error} for role in uses
    ]


def only_features(knowledge: Knowledge, kept: Sequence[Collection[ListedFeature]]) -> Knowledge:
    """Return the knowledge with only these features of each role [role], in their order."""

    def of_lists(*, winning: bool) -> Iterator[tuple[Any, ...]]:
        for role, features in enumerate(knowledge.winning if winning else knowledge.losing):
            yield tuple(each for each in features if (each, winning) in kept[role])

    winning, losing = tuple(of_lists(winning=True)), tuple(of_lists(winning=False))
    symmetries = knowledge.symmetries if any(winning) or any(losing) else ()
    return replace(knowledge, winning=winning, losing=losing, symmetries=symmetries)


def without_idle_values(knowledge: Knowledge) -> Knowledge:
    """Return the knowledge without its values of states where its parameters do not use them: it plays the same."""
    parameters = knowledge.parameters
    used = parameters.value_weight > 0 or parameters.experience > 0
    return knowledge if used else replace(knowledge, values=None)


def _sizes(most: int) -> Iterator[int]:
    """Yield the sizes to try: 0, 10 and its doubles below the number of features of the role with the most."""
    if most:
        yield 0
    size = 10
    while size < most:
        yield size
        size *= 2
