"""A run's matches against the baseline: they tune the baseline, measure entrants and validate the champion."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.requests import Entrant, PlayMatches, Validate, Validation
from gdl_miner.miner.learners.settings import SearchSettings
from gdl_miner.miner.play.executor import Shared
from gdl_miner.miner.play.match_tasks import play_batch
from gdl_miner.miner.play.pairing import MatchRequest, make_pair
from gdl_miner.miner.play.rating import BASELINE, Score, dispersion, fit_ratings
from gdl_miner.miner.play.tuning import Tuning
from gdl_miner.miner.results.store import TUNING
from gdl_miner.miner.results.tables import StepPart, match_rows
from gdl_miner.miner.runs.context import RunContext
from gdl_miner.miner.runs.players import Players

__all__ = ["BaselineMatches", "goals_of"]

_VALIDATION_SD = 400.0  # Elo; a wide prior, because a champion's many fresh matches speak for themselves


class BaselineMatches:
    """The matches of one run; matches that were played before an interruption are not played again."""

    def __init__(self, run: RunContext, search: SearchSettings | None = None) -> None:
        """Begin with nothing played; `search` stands for the settings of the run's configuration."""
        self._run = run
        self._search = run.settings.search if search is None else search
        self._shared_players: tuple[tuple[str, ...], Shared] | None = None
        self.players = Players(run.game, self._search)

    def deeper(self, times: float) -> BaselineMatches:
        """Return the matches of this run with so many times the playouts, against the same baseline."""
        matches = BaselineMatches(self._run, self._search.deeper(times))
        matches.players.tune(self.players.uct_c)
        return matches

    def tune(self) -> None:
        """Find the UCB1 constant of the baseline, or take the constant that was found before an interruption."""
        search = self._search
        if search.uct_c != "tuned":
            return
        found = self._run.store.read_json(TUNING)
        if found is None:
            self._run.reporter.working("tuning bare UCT")
            seed, begun = derive_seed(self._run.settings.seed, "tuning"), time.monotonic()
            tuning = Tuning(self._run.roles, search.tuning_matches, seed)
            players = tuning.players(search.baseline_playouts, search.expansions, search.max_states)
            shared = (self._run.shared_game, self._run.executor.share(players))
            matches, playouts = 0, 0
            while asked := tuning.ask():
                record, _ = self._matches(f"tuning-m{matches:05d}", asked, shared)
                tuning.tell(goals_of(record))
                matches, playouts = matches + len(asked), playouts + int(record.playouts.sum())
            self._run.write_time(StepPart(0, "tuning", None), matches, playouts, time.monotonic() - begun)
            found = tuning.as_json()
            self._run.store.write_json(TUNING, found)
        self.players.tune(found["uct_c"])
        self._run.reporter.note(f"bare UCT plays with a constant of {found['uct_c']:g}")

    def play(self, request: PlayMatches) -> MatchBatchRecord:
        """Play the matches of a request; the record has them in the order of the request."""
        part = StepPart(request.step, request.phase, request.round)
        return self._play_against_baseline(
            part, request.title, request.entrants, request.matches, with_random=request.with_random
        )

    def validate(self, request: Validate) -> Validation:
        """Measure an entrant in fresh matches, in whole pairs, and write champion.json."""
        pairs = [
            make_pair(
                f"v-p{number:05d}", 1, derive_seed(self._run.settings.seed, "validation", number), self._run.roles
            )
            for number in range(-(-request.matches // max(2, self._run.roles)))
        ]
        matches = [match for pair in pairs for match in pair.matches]
        part = StepPart(request.step, "validation", 0)
        record = self._play_against_baseline(part, "validation of the champion", (request.entrant,), matches)
        score, goals = Score(), goals_of(record)
        for pair in pairs:
            score += pair.score(goals)
        rating = fit_ratings(2, [(1, BASELINE, score)], _VALIDATION_SD, dispersion([score]))[1]
        validation = Validation(request.entrant.name, score, rating)
        self._write_champion(request.entrant, validation)
        return validation

    def _write_champion(self, champion: Entrant, validation: Validation) -> None:
        score, rating, search = validation.score, validation.rating, self._search
        self._run.store.write_json(
            "champion.json",
            {
                "individual": champion.name,
                "helps": validation.helps,
                "win_percent": round(score.win_percent, 6),
                "ci95": [round(end, 6) for end in score.ci95],
                "elo": rating.elo,
                "elo_se": rating.se,
                "roles": self._run.roles,
                "n": score.matches,
                "wins": score.wins,
                "losses": score.losses,
                "draws": score.draws,
                "playouts": self.players.playouts(champion),
                "baseline_playouts": search.baseline_playouts,
                "baseline_uct_c": self.players.uct_c,
                "work_ratio": round(self.players.work_ratio(champion), 6),
                "handicap": search.handicap,
            },
        )

    def _play_against_baseline(
        self,
        part: StepPart,
        title: str,
        entrants: Sequence[Entrant],
        matches: Sequence[MatchRequest],
        *,
        with_random: bool = False,
    ) -> MatchBatchRecord:
        """Play the matches that are not kept from before an interruption, and write a row for every match.

        Returns one record of all matches, in their order.
        """
        begun = time.monotonic()
        shared = (self._run.shared_game, self._shared_entrants(entrants, with_random=with_random))
        record, kept = self._matches(f"g{part.step:03d}-r{part.round}", matches, shared, title)
        seconds = time.monotonic() - begun
        names = ("baseline", *(entrant.name for entrant in entrants), *(("random",) if with_random else ()))
        self._run.store.matches.append(match_rows(part, names, matches, record))
        played = ~np.isin(np.array(record.ids), kept)
        self._run.write_time(part, int(played.sum()), int(record.playouts[played].sum()), seconds)
        return record

    def _matches(
        self, name: str, matches: Sequence[MatchRequest], shared: Sequence[Shared], title: str | None = None
    ) -> tuple[MatchBatchRecord, tuple[str, ...]]:
        """Return the record of the matches and the ids of those that were kept from before an interruption.

        The progress of the matches is reported if there is a title.
        """
        work = self._run.kept_tasks(name, matches, self._run.settings.execution.matches_per_task)
        if title is not None:
            self._run.reporter.playing(title, len(matches), len(work.known))
        for record in work.run(self._run.executor, play_batch, shared):
            if title is not None:
                self._run.reporter.played(len(record.ids))
        return work.record([match.id for match in matches]), work.known

    def _shared_entrants(self, entrants: Sequence[Entrant], *, with_random: bool) -> Shared:
        """Share the baseline, the entrants and perhaps a random player; the same players are not shared again."""
        random = (PlayerSpec("random"),) if with_random else ()
        names = (*(entrant.name for entrant in entrants), *(player.kind for player in random))
        if self._shared_players is None or self._shared_players[0] != names:
            players = self.players.against_baseline(entrants, self._run.executor, self._run.shared_game)
            self._shared_players = (names, self._run.executor.share((*players, *random)))
        return self._shared_players[1]


def goals_of(record: MatchBatchRecord) -> dict[str, list[int]]:
    """Return the goals of every role, by match id."""
    return {name: goal.tolist() for name, goal in zip(record.ids, record.goals, strict=True)}
