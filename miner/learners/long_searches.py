"""The end of learning values: the best player is tried in long searches, and then measured in fresh matches.

Values that win with the playouts of the run may lose in longer searches. The file says up to which length they can be
trusted alone, and from which on they are left out.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.matches import validate
from gdl_miner.miner.runs.settings import LongSearchSettings, SearchSettings
from gdl_miner.miner.runs.steps import crown, keep_players
from gdl_miner.miner.runs.task import Task
from gdl_miner.miner.runs.trials import LongSearchRule, TrialTime, try_long_searches


def try_and_validate(
    settings: LongSearchSettings,
    search: SearchSettings,
    seed: int,
    step: int,
    best: Entrant,
    time: TrialTime,
    matches: int,
) -> Generator[Task[Any], Any, None]:
    """Try the best player of a run in long searches, if it trusts values alone, and measure it.

    Args:
        settings: the matches in long searches.
        search: the searches of the run.
        seed: of the run.
        step: the step after the last one.
        best: the player.
        time: what the matches in long searches may take.
        matches: least number of fresh matches; 0: there are none.
    """
    parameters = best.knowledge.parameters
    alone = best.knowledge.values is not None and parameters != parameters.mixed()
    if alone and settings.playouts > search.playouts:
        rule = LongSearchRule(settings.playouts, settings.matches)
        first_round = 1  # the validation is round 0 of the same step
        trust = yield from Task(try_long_searches, step, seed, best, search.playouts, rule, time, first_round)
        best = trust.in_player(best)
        yield from Task(keep_players, step, (best,))
        yield from Task(crown, step, best.name)
    if matches:
        yield from Task(validate, step, best, matches)
