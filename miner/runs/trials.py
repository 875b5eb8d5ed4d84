"""A run's trials of learned values in searches of more playouts than the run's, where they may be worth less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.comparison import ComparisonRule, Sprt, Verdict, compare, round_robin
from gdl_miner.miner.play.pairing import OPENING_PLIES, MatchRequest
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.wording import count_playouts, describe_result
from gdl_miner.miner.results.store import LONG_TRIAL, VALUE_TRIAL
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.matches import BaselineMatches
from gdl_miner.miner.runs.run import Run

TrialVerdict: TypeAlias = Literal["ahead", "even", "behind"]  # of a player with values, compared with the baseline

_PHASE = "trial of values"
_DISCOUNTS = "trial of discounts"
# The first two tests are of the lead of the baseline, in Elo, all with errors of 5 %.
_AHEAD = Sprt(-100.0, 0.0)  # the values are 100 Elo ahead, or at most even
_BEHIND = Sprt(0.0, 100.0)  # the values are at least even, or 100 Elo behind
_MIXED = Sprt(-50.0, 150.0)  # of the lead of mixed values over values alone
_LOOK = 8  # pairs between two checks of this test, because long searches take long


@dataclass(frozen=True)
class ValuesTried:
    """The result of a trial of values."""

    verdict: TrialVerdict
    points: float  # mean points of a match, from 0 to 1
    next_round: int  # of the step


def try_values(
    run: Run,
    step: int,
    seed: int,
    entrant: Entrant,
    depth: float,
    matches: int,
    first_round: int,
) -> ValuesTried:
    """Let a player that has learned values and nothing else meet the baseline, and add to value_trial.json.

    Args:
        run: the run.
        step: the step.
        seed: of the matches.
        entrant: the player.
        depth: how many times the playouts of the run both have.
        matches: most matches; a sequential test may end them earlier.
        first_round: number of the first round of matches within the step.
    """
    deeper = run.service(BaselineMatches).deeper(depth)
    budget = deeper.players.baseline_budget
    title = f"{entrant.name}, learned values in searches of {count_playouts(budget)}"
    rounds = TrialRounds(deeper, StepPart(step, _PHASE, first_round), title, (entrant,), with_baseline=True)
    rule = ComparisonRule(matches, _AHEAD, OPENING_PLIES)
    against = compare(run.roles, rule, derive_seed(seed, "trial of values", entrant.name), rounds.play)
    score, verdict = against.turned, _verdict(against.score)
    _write(
        run,
        entrant.name,
        {
            "verdict": verdict,
            **score.as_json(),
            "playouts": deeper.players.playouts(entrant),
            "baseline_playouts": budget,
        },
    )
    run.reporter.note(f"{title}: {describe_result(score)}: {verdict}")
    return ValuesTried(verdict, score.points / score.matches, rounds.next)


def try_long_searches(
    run: Run,
    step: int,
    seed: int,
    mixed: Entrant,
    alone: Entrant,
    depth: float,
    matches: int,
    trusted_playouts: int,
    first_round: int,
) -> bool:
    """Let values mixed with playouts meet values alone in long searches, and add to value_trial.json.

    Args:
        run: the run.
        step: the step.
        seed: of the matches.
        mixed: the player that mixes its values with playouts.
        alone: the player that trusts its values alone.
        depth: how many times the playouts of the run both have.
        matches: most matches; a sequential test may end them earlier.
        trusted_playouts: of the longest search that trusts values alone if mixed ones are stronger.
        first_round: number of the first round of matches within the step.

    Returns:
        Whether mixed values are stronger.
    """
    deeper = run.service(BaselineMatches).deeper(depth)
    budget = deeper.players.baseline_budget
    title = f"values mixed with playouts against values alone in searches of {count_playouts(budget)}"
    entrants = (mixed, alone)
    rounds = TrialRounds(deeper, StepPart(step, _PHASE, first_round), title, entrants)
    rule = ComparisonRule(matches, _MIXED, OPENING_PLIES, _LOOK)
    result = compare(run.roles, rule, derive_seed(seed, "trial of values in long searches"), rounds.play)
    stronger = _MIXED.decision(result.score) is Verdict.stronger
    trusted = trusted_playouts if stronger else 0
    playouts = {entrant.name: deeper.players.playouts(entrant) for entrant in entrants}
    _write(
        run,
        LONG_TRIAL,
        {"trusted_playouts": trusted, **result.score.as_json(), "playouts": playouts, "baseline_playouts": budget},
    )
    use = f"mixed in searches of more than {count_playouts(trusted)}" if stronger else "alone in all searches"
    run.reporter.note(f"{title}: {describe_result(result.score)}: {use}")
    return stronger


def try_discounts(
    run: Run, step: int, seed: int, entrants: tuple[Entrant, ...], depth: float, matches: int
) -> tuple[float, ...]:
    """Let players whose values were learned with different discounts play each other.

    Args:
        run: the run.
        step: the step.
        seed: of the matches.
        entrants: the players.
        depth: how many times the playouts of the run they have.
        matches: least number of matches of each two of them; whole pairs are played.

    Returns:
        [entrant] mean points of a match against the others, from 0 to 1.
    """
    deeper = run.service(BaselineMatches).deeper(depth)
    title = f"trial of discounts in searches of {count_playouts(deeper.players.baseline_budget)}"
    rounds = TrialRounds(deeper, StepPart(step, _DISCOUNTS, 0), title, entrants)
    rule = ComparisonRule(matches, opening_plies=OPENING_PLIES)
    tournament = round_robin(len(entrants), run.roles, rule, derive_seed(seed, _DISCOUNTS), rounds.play)
    scores = [tournament.score_of(player) for player in range(len(entrants))]
    for entrant, score in zip(entrants, scores, strict=True):
        run.reporter.note(f"{title}: {entrant.name}: {describe_result(score)}")
    return tuple(score.points / score.matches for score in scores)


class TrialRounds:
    """The matches of a trial, a round of the step each time they are played.

    Player i of the trial is the i-th entrant from 0; with the baseline that is player 0, and entrants follow. Results
    of an interrupted trial are found again by step and round.
    """

    def __init__(
        self,
        matches: BaselineMatches,
        first: StepPart,
        title: str,
        entrants: tuple[Entrant, ...],
        *,
        with_baseline: bool = False,
    ) -> None:
        self._matches = matches
        self._first = first
        self._title = title
        self._entrants = entrants
        self._with_baseline = with_baseline
        self.next = first.round or 0  # number of the next round of the step

    def play(self, asked: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        """Play matches of the trial."""
        matches = asked if self._with_baseline else list(map(_without_baseline, asked))
        part = self._first._replace(round=self.next)
        self.next += 1
        return self._matches.goals_of(self._matches.play(part, self._title, self._entrants, matches))


def _without_baseline(match: MatchRequest) -> MatchRequest:
    """Return the match with players as in a run, where player 0 is the baseline, which does not play."""
    return replace(match, seats=tuple(player + 1 for player in match.seats))


def _write(run: Run, name: str, result: Mapping[str, Any]) -> None:
    run.store.write_json(VALUE_TRIAL, {**(run.store.read_json(VALUE_TRIAL) or {}), name: result})


def _verdict(baseline: Score) -> TrialVerdict:
    """Return the likeliest of three statements about values, whose opponent has this score."""
    if _AHEAD.decision(baseline) is Verdict.not_stronger:
        return "ahead"
    return "behind" if _BEHIND.decision(baseline) is Verdict.stronger else "even"
