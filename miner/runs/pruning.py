"""A run's pruning of its best player: the smallest part of its features that is not weaker than all of them."""

from __future__ import annotations

from dataclasses import replace

from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.requests import Entrant, PlayMatches, Prune, Pruned
from gdl_miner.miner.play.pairing import OPENING_PLIES, MatchRequest
from gdl_miner.miner.results.store import PRUNING
from gdl_miner.miner.runs.baseline_matches import BaselineMatches, goals_of
from gdl_miner.miner.runs.context import RunContext
from gdl_miner.miner.usefulness.measure import rank
from gdl_miner.miner.usefulness.observations import Effort, Observations, observe_records
from gdl_miner.miner.usefulness.pruning import Pruning, describe_trial, without_idle_values

__all__ = ["RunPruning"]

_PHASE = "pruning"


class RunPruning:
    """The pruning of one run; matches that were played before an interruption are not played again."""

    def __init__(self, run: RunContext, matches: BaselineMatches) -> None:
        self._run = run
        self._matches = matches
        self._rounds = 0  # of matches of this pruning

    def prune(self, request: Prune) -> Pruned:
        """Find the smallest file, write it to best.xml, and write the trials to pruning.json."""
        self._rounds = 0
        whole = request.whole
        pruning = self._tried(request) if whole.knowledge.n_features else None
        found, size = (whole.knowledge, None) if pruning is None else pruning.found
        small = without_idle_values(found)
        trials = () if pruning is None else pruning.trials
        before, after = self._run.store.write_pruned(whole.knowledge, small, self._run.game.sheet)
        entrant = whole if small == whole.knowledge else Entrant(f"{whole.name}-pruned", small)
        self._run.store.write_json(
            PRUNING,
            {
                "individual": entrant.name,
                "whole": whole.name,
                "size": size,
                "features": small.n_features,
                "features_whole": whole.knowledge.n_features,
                "bytes": after,
                "bytes_whole": before,
                "trials": [trial.as_json() for trial in trials],
            },
        )
        if whole.knowledge.n_features:
            kept = f"{small.n_features} of {whole.knowledge.n_features} features kept"
            sizes = f"best.xml has {after / 1000:.0f} kB, with all features {before / 1000:.0f} kB"
            self._run.reporter.note(f"{kept}; {sizes}")
        return Pruned(entrant)

    def _tried(self, request: Prune) -> Pruning:
        """Rank the features of the whole and try sizes until the smallest is found."""
        whole, settings = request.whole, request.settings
        ranked = rank(whole.knowledge, self._run.game.machine(), self._observed(request))
        pruning = Pruning(whole.knowledge, ranked, settings.elo, settings.matches, request.seed)
        told = 0
        while asked := pruning.ask():
            entrants = (Entrant(f"{whole.name}-first-{pruning.size}", pruning.candidate), whole)
            title = f"pruning to {pruning.size} features a role, against all"
            pruning.tell(goals_of(self._play(request, title, entrants, _against_baseline(asked))))
            for trial in pruning.trials[told:]:
                self._run.reporter.note(describe_trial(trial))
            told = len(pruning.trials)
        return pruning

    def _observed(self, request: Prune) -> Observations:
        """Let the whole play itself, and take a sample of its decisions."""
        machine, settings, whole = self._run.game.machine(), request.settings, request.whole
        seats = (1,) * self._run.roles
        matches = tuple(
            MatchRequest(f"observed-m{number:05d}", seats, derive_seed(request.seed, "observed", number), OPENING_PLIES)
            for number in range(Effort.matches)
        )
        played = self._play(request, "matches of the best, to rank its features", (whole,), matches)
        return observe_records([played], machine, request.seed, settings.positions)

    def _play(
        self, request: Prune, title: str, entrants: tuple[Entrant, ...], matches: tuple[MatchRequest, ...]
    ) -> MatchBatchRecord:
        self._rounds += 1  # from 1, because the validation is round 0 of the same step
        return self._matches.play(PlayMatches(request.step, _PHASE, self._rounds, title, entrants, matches))


def _against_baseline(matches: tuple[MatchRequest, ...]) -> tuple[MatchRequest, ...]:
    """Return the matches with the players numbered as in a run, where player 0 is the baseline."""
    return tuple(replace(match, seats=tuple(seat + 1 for seat in match.seats)) for match in matches)
