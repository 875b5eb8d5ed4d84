"""A run's trials of learned values in searches of more playouts than the run's, where they may be worth less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import ValueShape, layout_for
from gdl_miner.miner.play.comparison import ComparisonRule, Sprt, Verdict, compare, round_robin
from gdl_miner.miner.play.pairing import OPENING_PLIES, MatchRequest
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.training_work import training_seconds
from gdl_miner.miner.play.wording import count_playouts, describe_result, use_in_long_searches
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
_LOOK = 4  # pairs between two checks of tests in long searches, which take long
_FEWEST = 8  # matches of a test in long searches for which there must be time
_LONGER = 2  # times the playouts of the run that long searches have at least
_HOLDS_FOR = 10  # times as long searches for which it mostly holds that values alone are better than mixed ones


@dataclass(frozen=True)
class TrialTime:
    """The time of a trial: a share of the predicted time in which a run learns, and measures what it has learned."""

    share: float
    seconds: float = 0.0  # of one processor, for which networks train
    moves: int = 0  # joint moves of other training games
    shape: ValueShape = field(default_factory=ValueShape)  # the network of these games
    playouts: int = 0  # of searches from which it learns
    matches: int = 0  # that measure players

    def of(self, run: Run) -> float:
        """Return the predicted seconds of one processor."""
        seconds, sample = self.seconds, run.game.sample()
        if self.moves:
            seconds += training_seconds(layout_for(run.machine, self.shape), sample, self.moves)
        players = run.service(BaselineMatches).players
        seconds += players.seconds_of_playouts(self.playouts) + players.seconds(self.matches)
        return self.share * seconds


@dataclass(frozen=True)
class LongSearchRule:
    """The matches in long searches."""

    playouts: int  # per move of bare UCT, at most
    matches: int  # most of each test, which may end earlier


@dataclass(frozen=True)
class Trust:
    """The longest searches that trust values alone, and that use them."""

    tried: int  # playouts of the longest searches in which they were tried
    trusted_playouts: int  # of the longest search that trusts values alone; longer ones mix them; 0: any does
    valued_playouts: int = 0  # of the longest search that uses values; 0: any does

    def in_player(self, player: Entrant) -> Entrant:
        """Return the player with these limits."""
        parameters = replace(
            player.knowledge.parameters,
            trusted_playouts=self.trusted_playouts,
            valued_playouts=self.valued_playouts,
        )
        return Entrant(player.name, replace(player.knowledge, parameters=parameters))

    def as_json(self) -> dict[str, int]:
        """Return the published keys, in order."""
        return {
            "tried_playouts": self.tried,
            "trusted_playouts": self.trusted_playouts,
            "valued_playouts": self.valued_playouts,
        }

    def __str__(self) -> str:
        return use_in_long_searches(self.trusted_playouts, self.valued_playouts)


_WITHOUT_LIMITS = Trust(tried=0, trusted_playouts=0)


@dataclass(frozen=True)
class ValuesTried:
    """The result of a trial of values."""

    verdict: TrialVerdict
    points: float  # mean points of a match, from 0 to 1
    next_round: int  # of the step
    playouts: int  # of bare UCT in these matches


def try_values(
    run: Run,
    step: int,
    seed: int,
    entrant: Entrant,
    depth: float,
    matches: int,
    time: TrialTime,
    first_round: int,
) -> ValuesTried:
    """Let a player that has learned values and nothing else meet the baseline, and add to value_trial.json.

    Args:
        run: the run.
        step: the step.
        seed: of the matches.
        entrant: the player.
        depth: how many times the playouts of the run both have, at most.
        matches: most matches; a sequential test may end them earlier.
        time: what all these matches may take; they have fewer playouts where they would take longer.
        first_round: number of the first round of matches within the step.
    """
    baseline = run.service(BaselineMatches)
    deeper = baseline.deeper(min(depth, max(1.0, time.of(run) / baseline.players.seconds(matches))))
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
    return ValuesTried(verdict, score.points / score.matches, rounds.next, budget)


def try_long_searches(
    run: Run, step: int, seed: int, alone: Entrant, known: int, rule: LongSearchRule, time: TrialTime, first_round: int
) -> Trust:
    """Let values meet the same values mixed with playouts, and bare UCT, in long searches; add to value_trial.json.

    The searches are as long as the time allows. First the player that trusts its values alone meets the one that mixes
    them. Then the stronger one meets bare UCT. Limits that the player brings along from a file do not hold here.

    Args:
        run: the run.
        step: the step.
        seed: of the matches.
        alone: the player that trusts its values alone.
        known: playouts of bare UCT in searches in which this player is known not to be behind.
        rule: the matches.
        time: what they may take together, as it is predicted.
        first_round: number of the first round of matches within the step.
    """
    baseline = run.service(BaselineMatches)
    of_one = baseline.players.seconds(1) / run.settings.search.playouts  # of a match of searches of one playout
    seconds = time.of(run) / 2  # of each of the two tests
    playouts = min(rule.playouts, int(seconds / (_FEWEST * of_one)))
    mixed = Entrant("mixed", replace(alone.knowledge, parameters=alone.knowledge.parameters.mixed()))
    entrants = (mixed, replace(_WITHOUT_LIMITS.in_player(alone), name="alone"))
    shorter = baseline.deeper(known / run.settings.search.playouts)
    shortest = max(known, *map(shorter.players.playouts, entrants))  # of these players, however they use values
    if rule.playouts < _LONGER * known:
        long, short = count_playouts(rule.playouts), count_playouts(known)
        return _untried(run, shortest, f"searches of {long} are not twice as long as those of {short}")
    if playouts < _LONGER * known:
        return _untried(run, shortest, f"{seconds:.2g} s are too short to try values in long searches")
    matches = min(rule.matches, max(_FEWEST, int(seconds / (playouts * of_one))))
    deeper = baseline.deeper(playouts / run.settings.search.playouts)
    budget = deeper.players.baseline_budget
    title = f"values mixed with playouts against values alone in searches of {count_playouts(budget)}"
    rounds = TrialRounds(deeper, StepPart(step, _PHASE, first_round), title, entrants)
    test = ComparisonRule(matches, _MIXED, OPENING_PLIES, _LOOK)
    both = compare(run.roles, test, derive_seed(seed, "trial of values in long searches"), rounds.play).score
    own = {each.name: deeper.players.playouts(each) for each in entrants}
    better = entrants[0 if _MIXED.decision(both) is Verdict.stronger else 1]
    run.reporter.note(f"{title}: {describe_result(both)}")
    title = f"{better.name}, learned values in searches of {count_playouts(budget)}"
    rounds = TrialRounds(deeper, StepPart(step, _PHASE, rounds.next), title, (better,), with_baseline=True)
    test = ComparisonRule(matches, _BEHIND, OPENING_PLIES, _LOOK)
    against = compare(run.roles, test, derive_seed(seed, "values in long searches", better.name), rounds.play)
    verdict = _verdict(against.score)
    trust = trust_after(both, verdict, max(budget, *own.values()), shortest, whole=playouts == rule.playouts)
    result = {**both.as_json(), "playouts": own, "baseline_playouts": budget}
    beside = {"player": better.name, "verdict": verdict, **against.turned.as_json()}
    _write(run, LONG_TRIAL, {**trust.as_json(), **result, "against_baseline": beside})
    run.reporter.note(f"{title}: {describe_result(against.turned)}: {verdict}; {trust}")
    return trust


def _untried(run: Run, known: int, reason: str) -> Trust:
    trust = Trust(tried=known, trusted_playouts=known)
    _write(run, LONG_TRIAL, trust.as_json())
    run.reporter.note(f"{reason}: {trust}")
    return trust


def trust_after(both: Score, verdict: TrialVerdict, tried: int, known: int, *, whole: bool) -> Trust:
    """Return which searches are to trust values.

    Args:
        both: the score of mixed values against values alone.
        verdict: on the better of the two in matches with bare UCT.
        tried: most playouts of the player in these matches, however it uses values.
        known: the same in searches in which values alone are known not to be behind.
        whole: whether the searches of these matches were as long as they are meant to be.
    """
    half, mixed = max(known, tried // 2), _MIXED.decision(both) is Verdict.stronger
    if verdict == "behind":
        return Trust(tried, known if mixed else 0, half)
    if mixed:
        return Trust(tried, half)
    if both.win_percent >= 50:
        return Trust(tried, tried)
    return Trust(tried, 0 if whole else _HOLDS_FOR * tried)


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
        record = self._matches.play(part, self._title, self._entrants, matches, unmined=True)
        return self._matches.goals_of(record)


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
