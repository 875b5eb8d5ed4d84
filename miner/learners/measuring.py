"""The step of a learner whose players are measured by matches, one after the other.

    learning → [ matches against bare UCT, the best before and random moves → end of the step ] → learning …

The best is kept: a player that loses to it does not replace it, though learning goes on from that player.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.pairing import PairedMatches, make_pair
from gdl_miner.miner.play.rating import BASELINE, Score, rate
from gdl_miner.miner.results.tables import Measures, score_measures
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.matches import play_matches
from gdl_miner.miner.runs.steps import end_step, keep_players
from gdl_miner.miner.runs.task import Task


class CurveMatches(Protocol):
    """The settings of the matches that make a learning curve."""

    @property
    def matches(self) -> int:
        """The least number of matches after each step against bare UCT, and of those against the best before."""

    @property
    def opening_plies(self) -> int:
        """The number of moves drawn at random at the beginning of these matches."""

    @property
    def random_matches(self) -> int:
        """The least number of matches after each step against random moves."""


@dataclass(frozen=True)
class StepTraining:
    """The training that a step measures."""

    games: int
    moves: int
    broken_off: int  # games that the move limit ended
    rms_error: float | None  # of what was predicted, such as values of states; None where nothing was


def measure(
    settings: CurveMatches,
    seed: int,
    roles: int,
    step: int,
    entrant: Entrant,
    best: Entrant | None,
    training: StepTraining,
    own: Measures,
) -> Generator[Task[Any], Any, Entrant]:
    """Measure the player of a step, end the step, and return the best now.

    Args:
        settings: the matches.
        seed: of the run.
        roles: the number of roles of the game.
        step: the step, from 1.
        entrant: its player.
        best: the best before, whom the player meets; None before there is one.
        training: what the player was trained with.
        own: what the learner itself has measured of the player.
    """
    players = tuple({each.name: each for each in (entrant, best) if each is not None}.values())
    yield from Task(keep_players, step, players)

    def pairs(name: str, opponent: int, matches: int) -> list[PairedMatches]:
        return [
            make_pair(
                f"g{step:03d}-{name}-p{number:04d}",
                1,
                derive_seed(seed, "measuring", name, step, number),
                roles,
                opponent,
                settings.opening_plies,
            )
            for number in range(-(-matches // max(2, roles)))
        ]

    groups = (
        pairs("baseline", BASELINE, settings.matches),
        [] if best is None else pairs("past", 2, settings.matches),
        pairs("random", len(players) + 1, settings.random_matches),
    )
    matches = tuple(match for group in groups for pair in group for match in pair.matches)
    results = yield from Task(
        play_matches, step, "measuring", 0, f"step {step}", players, matches, with_random=bool(groups[2])
    )
    baseline, past, random = (sum((pair.score(results.goals) for pair in group), start=Score()) for group in groups)
    rating = rate(baseline)
    better = entrant if best is None or past.win_percent >= 50 else best
    values = entrant.knowledge.values
    measured: Measures = {
        "games": training.games,
        "moves": training.moves,
        "broken_off": training.broken_off,
        "rms_error": training.rms_error,
        "features": entrant.knowledge.n_features or None,
        "weights": None if values is None else values.n_weights,
        **own,
        **score_measures(baseline),
        "elo": rating.elo,
        "elo_se": rating.se,
        **score_measures(past, "past_"),
        **score_measures(random, "random_"),
    }
    against = ((baseline, "bare UCT"), (past, "the best before"), (random, "random moves"))
    said = [f"{score.win_percent:.1f} % against {name}" for score, name in against if score.matches]
    yield from Task(
        end_step,
        step,
        {entrant.name: measured},
        {},
        better.name,
        summary=f"step {step}: {', '.join(said)}",
        standing=f"{baseline.win_percent:.1f} %",
        last=entrant.name,
    )
    return better
