"""A run's pruning of its best player: the smallest part of its features that is not weaker than all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.match_tasks import goals_of
from gdl_miner.miner.play.pairing import OPENING_PLIES, MatchRequest
from gdl_miner.miner.results.store import PRUNING
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.matches import BaselineMatches
from gdl_miner.miner.runs.run import Run
from gdl_miner.miner.usefulness.measure import rank
from gdl_miner.miner.usefulness.observations import Effort, observe_records
from gdl_miner.miner.usefulness.pruning import Pruning, describe_trial, find_smallest, without_idle_values

_PHASE = "pruning"


def prune(
    run: Run, step: int, seed: int, whole: Entrant, elo: float, matches: int, positions: int, none_too: bool
) -> Entrant:
    """Find the smallest part of a player's features that is not weaker than all of them.

    It becomes best.xml, the whole becomes whole.xml, and pruning.json tells what was tried.

    Args:
        run: the run.
        step: the step after the last one.
        seed: of the matches.
        whole: the player.
        elo: a file that is weaker by so much is not to be accepted.
        matches: most matches of a size against the whole.
        positions: that are observed, to rank the features.
        none_too: whether no features at all are tried.

    Returns:
        The smaller player, or the whole where no smaller one is as strong.
    """
    knowledge = whole.knowledge
    pruning = Pruning(knowledge, None, ())
    if knowledge.n_features:
        pruning = _try_sizes(run, step, seed, whole, elo, matches, positions, none_too=none_too)
    small = without_idle_values(pruning.smallest)
    entrant = whole if small == knowledge else Entrant(f"{whole.name}-pruned", small)
    before, after = run.store.write_pruned(knowledge, small, run.game.sheet)
    run.store.write_json(
        PRUNING,
        {
            "individual": entrant.name,
            "whole": whole.name,
            "size": pruning.size,
            "features": small.n_features,
            "features_whole": knowledge.n_features,
            "bytes": after,
            "bytes_whole": before,
            "trials": [trial.as_json() for trial in pruning.trials],
        },
    )
    if knowledge.n_features:
        kept = f"{small.n_features} of {knowledge.n_features} features kept"
        run.reporter.note(f"{kept}; best.xml has {after / 1000:.0f} kB, with all features {before / 1000:.0f} kB")
    run.draw()
    return entrant


def _try_sizes(
    run: Run, step: int, seed: int, whole: Entrant, elo: float, matches: int, positions: int, *, none_too: bool
) -> Pruning:
    """Rank the features of the whole by matches against itself, and try sizes until the smallest is found."""
    rounds = count(1)  # because the validation is round 0 of the same step

    def play(title: str, entrants: tuple[Entrant, ...], chosen: Sequence[MatchRequest]) -> MatchBatchRecord:
        part = StepPart(step, _PHASE, next(rounds))
        return run.service(BaselineMatches).play(part, title, entrants, chosen)

    def play_size(candidate: Knowledge, size: int, asked: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        entrants = (Entrant(f"{whole.name}-first-{size}", candidate), whole)
        # In a run the baseline is player 0, and it does not play here.
        chosen = [replace(match, seats=tuple(seat + 1 for seat in match.seats)) for match in asked]
        record = play(f"pruning to {size} features a role, against all", entrants, chosen)
        return goals_of(record, run.choosing_roles)

    observed = [
        MatchRequest(f"observed-m{number:05d}", (1,) * run.roles, derive_seed(seed, "observed", number), OPENING_PLIES)
        for number in range(Effort.matches)
    ]
    played = play("matches of the best, to rank its features", (whole,), observed)
    ranked = rank(whole.knowledge, run.machine, observe_records([played], run.machine, seed, positions))
    return find_smallest(
        whole.knowledge,
        ranked,
        elo,
        matches,
        seed,
        play_size,
        lambda trial: run.reporter.note(describe_trial(trial)),
        none_too=none_too,
    )
