"""The smallest part of a knowledge file's features that is not weaker than all of them.

The features of each role are ranked (`usefulness.measure.rank`), and files with the first 10, 20, 40, 80, … of
each role play the whole. A sequential test says whether a file is at least as strong as the whole or weaker by some
Elo; where it has not ended after the most matches, what is likelier counts. The caller says whether no features at all
are tried, too. Sizes are tried by bisection, as if a file
were never stronger than a larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.comparison import ComparisonRule, PlayMatches, Sprt, Verdict, compare
from gdl_miner.miner.play.pairing import OPENING_PLIES, MatchRequest
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.wording import describe_result
from gdl_miner.miner.usefulness.measure import ListedFeature, RoleUse

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


@dataclass(frozen=True)
class Pruning:
    """The result of a pruning."""

    smallest: Knowledge  # the smallest file known to be as strong as the whole; if none is, the whole
    size: int | None  # its most features of a role; None: it is the whole
    trials: tuple[PruningTrial, ...]  # the sizes that were decided, in the order in which they were tried


def find_smallest(
    whole: Knowledge,
    ranked: Sequence[Sequence[ListedFeature]],
    elo: float,
    matches: int,
    seed: int,
    play: Callable[[Knowledge, int, Sequence[MatchRequest]], Mapping[str, Sequence[int]]],
    tried: Callable[[PruningTrial], None],
    *,
    none_too: bool = True,
) -> Pruning:
    """Find the smallest file with the first features of each role that is not weaker than the whole, by bisection.

    Args:
        whole: the knowledge with all features.
        ranked: [role] its features, best first.
        elo: a file that is weaker by so much is not to be accepted.
        matches: most matches of a size against the whole.
        seed: of the matches.
        play: plays matches between a smaller file (player 0), which has so many features a role, and the whole
            (player 1), and returns the goals by match id.
        tried: it is told each trial.
        none_too: whether no features at all are a size to try.
    """
    test = Sprt(-elo, 0.0)
    rule = ComparisonRule(matches, test, OPENING_PLIES, _LOOK)
    sizes = tuple(_sizes(max(map(len, ranked), default=0), none_too=none_too))
    weaker, as_strong = -1, len(sizes)  # places in the sizes; one past the last is the whole
    trials = []

    def first(size: int) -> Knowledge:
        return only_features(whole, [set(features[:size]) for features in ranked])

    while as_strong - weaker > 1:
        place = (weaker + as_strong) // 2
        size = sizes[place]
        candidate = first(size)
        named = _named(f"size{size:04d}-", partial(play, candidate, size))
        result = compare(len(whole.roles), rule, derive_seed(seed, "pruning", size), named)
        strong = test.decision(result.score) is Verdict.stronger
        trials.append(PruningTrial(size, candidate.n_features, result.score, strong))
        tried(trials[-1])
        if strong:
            as_strong = place
        else:
            weaker = place
    if as_strong == len(sizes):
        return Pruning(whole, None, tuple(trials))
    return Pruning(first(sizes[as_strong]), sizes[as_strong], tuple(trials))


def _named(prefix: str, play: PlayMatches) -> PlayMatches:
    """Return a way to play matches under other names, so that those of each size have names of their own."""

    def play_named(matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        goals = play([replace(match, id=prefix + match.id) for match in matches])
        return {name.removeprefix(prefix): goal for name, goal in goals.items()}

    return play_named


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


def _sizes(most: int, *, none_too: bool) -> Iterator[int]:
    """Yield the sizes to try: perhaps 0, 10 and its doubles below the number of features of the role with the most."""
    if most and none_too:
        yield 0
    size = 10
    while size < most:
        yield size
        size *= 2
