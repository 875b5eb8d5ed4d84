"""A run's acceptance of the parts of its best player: each must win matches against the player without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.comparison import Comparison, ComparisonRule, Sprt, Verdict, compare
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.wording import count_playouts, describe_result
from gdl_miner.miner.results.store import ACCEPTANCE
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.matches import BaselineMatches
from gdl_miner.miner.runs.run import Run
from gdl_miner.miner.runs.trials import TrialRounds

_PHASE = "acceptance"
_LOOK = 64  # pairs of matches between two checks of the test
_WORDS = {Verdict.stronger: "stronger", Verdict.not_stronger: "not stronger", Verdict.undecided: "undecided"}


@dataclass(frozen=True)
class AcceptanceRule:
    """The tests that a part must pass, first with the playouts of the run and then with more."""

    elo: float  # a part that is worth so much is accepted; one that is worth nothing is not; errors of 5 %
    matches: int  # most matches of each test; a test that is undecided then is not passed
    depth: float  # times the playouts of the run in the second test


@dataclass(frozen=True)
class Accepted:
    """Whether a part is kept."""

    kept: bool
    next_round: int  # of the step


def accept(
    run: Run,
    step: int,
    seed: int,
    part: str,
    player: Entrant,
    without: Entrant,
    whole: Knowledge,
    rule: AcceptanceRule,
    first_round: int,
) -> Accepted:
    """Let a player meet itself without a part of its knowledge, and add to acceptance.json.

    Where it does not pass both tests, the player without the part becomes best.xml, and the whole whole.xml.

    Args:
        run: the run.
        step: the step.
        seed: of the matches.
        part: the name of the part.
        player: the player.
        without: the player without the part.
        whole: what the run had found before anything was taken away.
        rule: the tests.
        first_round: number of the first round of matches within the step.
    """
    rows = []
    for playouts, test, number in _tests(run, step, seed, part, (player, without), rule, first_round):
        title = f"{part}, searches of {count_playouts(playouts)}"
        run.reporter.note(f"{title}: {describe_result(test.score)}, {_WORDS[test.verdict]}")
        next_round = number
        rows.append({"baseline_playouts": playouts, **test.score.as_json(), "decision": _WORDS[test.verdict]})
    kept = test.verdict is Verdict.stronger
    found = run.store.read_json(ACCEPTANCE) or {}
    run.store.write_json(ACCEPTANCE, {**found, part: {"kept": kept, "without": without.name, "tests": rows}})
    if not kept:
        run.store.write_pruned(whole, without.knowledge, run.game.sheet)
    run.reporter.note(f"{part}: {'kept' if kept else 'dropped, because they did not win both tests'}")
    run.draw()
    return Accepted(kept, next_round)


def _tests(
    run: Run,
    step: int,
    seed: int,
    part: str,
    entrants: tuple[Entrant, Entrant],
    rule: AcceptanceRule,
    number: int,
) -> Iterator[tuple[int, Comparison, int]]:
    """Yield the playouts of bare UCT, the result of each test, and the next round, until a test is not passed."""
    for depth in (1.0, rule.depth):
        matches = run.service(BaselineMatches).deeper(depth)
        playouts = matches.players.baseline_budget
        title = f"{part} against none, searches of {count_playouts(playouts)}"
        rounds = TrialRounds(matches, StepPart(step, _PHASE, number), title, entrants)
        rules = ComparisonRule(rule.matches, Sprt(0.0, rule.elo), OPENING_PLIES, _LOOK)
        test = compare(run.roles, rules, derive_seed(seed, _PHASE, part, playouts), rounds.play)
        number = rounds.next
        yield playouts, test, number
        if test.verdict is not Verdict.stronger:
            return
