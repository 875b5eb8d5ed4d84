"""A run's mining: training positions are searched, and the records of the latest steps are mined."""

from __future__ import annotations

import time

from gdl_miner.miner.mining.candidates import Candidate
from gdl_miner.miner.mining.mine import MinedKnowledge, mine_for
from gdl_miner.miner.mining.training_data import TrainingData, choose_training_positions, search_training_positions
from gdl_miner.miner.play.executor import WorkerTask
from gdl_miner.miner.play.match_tasks import MATCHES_PER_TASK
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.matches import BaselineMatches
from gdl_miner.miner.runs.records import StepRecords
from gdl_miner.miner.runs.run import Run


def search_positions(run: Run, step: int, seed: int, positions: int, playouts: int, searcher: Entrant | None) -> None:
    """Search positions of a finished step deeper, and keep the results as training positions.

    Args:
        run: the run.
        step: the step.
        seed: decides which positions are chosen.
        positions: the number of positions.
        playouts: of each search.
        searcher: who searches; None: the baseline.
    """
    begun, records = time.monotonic(), run.service(StepRecords)
    chosen = choose_training_positions(records.of(step, "gen"), run.machine, positions, seed)
    run.reporter.working(f"searching {len(chosen)} positions of {run.unit} {step} deeper")
    work = run.kept_tasks(f"g{step:03d}-lessons", chosen, MATCHES_PER_TASK)
    player = run.service(BaselineMatches).players.searcher(searcher, playouts)
    for _ in work.run(run.executor, search_training_positions, (run.shared_game, run.executor.share(player))):
        pass
    record = work.record([position.id for position in chosen])
    records.keep(step, record, "lessons")
    searched = int(record.playouts.max(axis=1).sum())
    run.write_time(StepPart(step, "teaching", None), None, searched, time.monotonic() - begun)


def mine_records(
    run: Run,
    step: int,
    seed: int,
    on_positions: bool,
    candidates: tuple[tuple[Candidate, ...], ...] = (),
    begins: int = 0,
    fitted: bool = True,
    valuing: Entrant | None = None,
) -> MinedKnowledge:
    """Mine the records of the latest steps up to this one, with a task for each role.

    Args:
        run: the run.
        step: the step.
        seed: decides samples.
        on_positions: whether weights are fitted to the training positions of these steps, not to their matches.
        candidates: [role] of the fit beside the features of the records; or none.
        begins: the first step whose records are mined.
        fitted: whether weights are fitted.
        valuing: a player with values of states; weights then explain what the values of moves do not. None: there are
            none.
    """
    first = max(begins, step + 1 - run.settings.records.generations_mined)
    steps, kept = range(first, step + 1), run.service(StepRecords)
    run.reporter.working(f"mining {run.unit}s {first} to {step}")
    begun, config = time.monotonic(), run.settings.mining if fitted else run.settings.mining.without_fit()
    records = [kept.of(each, "gen") for each in steps]
    counts = [kept.counts.of(each, record) for each, record in zip(steps, records, strict=True)]
    positions = [kept.of(each, "lessons") for each in steps] if on_positions else None
    player = None if valuing is None else run.service(BaselineMatches).players.searcher(valuing, 1)
    data = TrainingData.of(records, counts, config, seed, positions=positions, valuing=player)
    pieces = [WorkerTask(f"g{step:03d}-mine-{role}", role) for role in range(run.roles)]
    mined = MinedKnowledge.of(run.machine.roles, run.on_workers(mine_for, (config, data, candidates), pieces))
    run.write_time(StepPart(step, "mining", None), None, None, time.monotonic() - begun)
    return mined
