"""`miner prune` writes a knowledge file without the features that do not pay."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import Json, SeedOption
from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.files.new_file import check_place
from gdl_miner.agent.knowledge import Knowledge, write_knowledge
from gdl_miner.agent.limits import MAX_COUNT
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.commands.knowledge_game import KnowledgeGame, load
from gdl_miner.miner.commands.observation import JudgedPositions, OwnMatches, OwnPlayouts, RecordFiles, observe
from gdl_miner.miner.commands.workplace import shown_progress
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts
from gdl_miner.miner.play.match_tasks import goals_of, play_requests
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.scoring import ScoreReport, score_players, usual_opening
from gdl_miner.miner.play.wording import describe_score
from gdl_miner.miner.usefulness.measure import measure, rank
from gdl_miner.miner.usefulness.observations import Effort
from gdl_miner.miner.usefulness.pruning import (
    PruningTrial,
    describe_trial,
    find_smallest,
    only_features,
    paying_features,
)


def prune(
    knowledge: Annotated[
        Path, typer.Argument(help="The knowledge file, or a level of agent knowledge list.", metavar="KNOWLEDGE")
    ],
    out: Annotated[Path, typer.Option(help="The smaller knowledge file to write.")],
    sigmas: Annotated[
        float,
        typer.Option(
            min=-1000, max=1000, help="Standard errors by which a contribution must exceed 0; negative keeps more."
        ),
    ] = 0.0,
    smallest: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            max=1000,
            help="Instead of the rule: the smallest file that a test tells from one weaker by so many Elo.",
            show_default="the rule",
        ),
    ] = None,
    check: Annotated[
        int,
        typer.Option(
            min=0, max=MAX_COUNT, help="Matches of the pruned against the whole, with --smallest of each size; 0: none."
        ),
    ] = 200,
    game: KnowledgeGame = None,
    records: RecordFiles = None,
    matches: OwnMatches = Effort.matches,
    playouts: OwnPlayouts = Effort.playouts,
    positions: JudgedPositions = 4 * Effort.positions,
    seed: SeedOption = 1,
    as_json: Json = False,
) -> None:
    """Write a knowledge file without the features that do not pay.

    The rule: a feature pays if its measured contribution (see [b]miner explain[/b]) exceeds 0 by more than
    [b]--sigmas[/b] standard errors; one that never fires contributes 0 and goes. The pruned knowledge then plays
    [b]--check[/b] paired matches against the whole; nothing is written if it is significantly weaker.

    With [b]--smallest 40[/b] the features of each role are ranked by backward elimination, and files with the first 0,
    10, 20, 40, … play the whole at equal work, much as at the end of [b]miner evolve[/b]. The smallest for which a
    sequential test accepts that it is as strong as the whole, and not weaker by 40 Elo, is written.
    """
    check_place(out, KnowledgeError)
    value, machine = load(knowledge, game)
    report, trials = None, tuple[PruningTrial, ...]()
    with shown_progress() as progress:
        effort = Effort(matches, playouts, positions)
        seen = observe(value, machine, records, effort, seed, progress)
        if smallest is not None:
            ranked = rank(value, machine, seen)
            task = progress.add_task("matches", total=None)
            play = _at_equal_work(value, machine, playouts, lambda done: progress.update(task, advance=done))
            pruning = find_smallest(value, ranked, smallest, max(2, check), seed, play, lambda _: None)
            pruned, trials = pruning.smallest, pruning.trials
        else:
            pruned = only_features(value, paying_features(measure(value, machine, seen), sigmas))
        if smallest is None and check:
            task = progress.add_task("matches", total=check)
            smaller, whole = (PlayerSpec(playouts=playouts).with_knowledge(each, machine) for each in (pruned, value))
            report = score_players(
                machine,
                smaller,
                whole,
                check,
                seed,
                lambda done: progress.update(task, advance=done),
                opening_plies=usual_opening(smaller, whole),
            )
    if report is not None and report.score.ci95[1] < 50.0:
        raise KnowledgeError(
            f"{knowledge}: {value.n_features} features pruned to {pruned.n_features} are weaker than the whole: "
            f"{describe_score(report.score, report.rating)}; nothing is written, lower --sigmas or raise --positions"
        )
    write_knowledge(pruned, out, machine.sheet)
    _tell(value, pruned, report, trials, out, as_json=as_json)


def _at_equal_work(
    whole: Knowledge, machine: Machine, playouts: int, played: Callable[[int], None]
) -> Callable[[Knowledge, int, Sequence[MatchRequest]], Mapping[str, Sequence[int]]]:
    """Return a way to play smaller files against the whole in this process; the whole has `playouts` a move."""
    sample, bare = PositionSample(machine), PlayerSpec(playouts=playouts)
    opponent = bare.with_knowledge(whole, machine)

    def play(candidate: Knowledge, size: int, matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        player = bare.with_knowledge(candidate, machine)
        player = replace(player, playouts=equal_playouts(playouts, sample.work_ratio(player, opponent)))
        goals = goals_of(play_requests(machine, (player, opponent), matches), machine.circuit.choosing_roles)
        played(len(matches))
        return goals

    return play


def _tell(
    whole: Knowledge,
    pruned: Knowledge,
    report: ScoreReport | None,
    trials: Sequence[PruningTrial],
    out: Path,
    *,
    as_json: bool,
) -> None:
    if as_json:
        print(
            json.dumps(
                {
                    "out": str(out),
                    "features": whole.n_features,
                    "kept": pruned.n_features,
                    "check": None if report is None else report.as_json(),
                    "trials": [trial.as_json() for trial in trials],
                }
            )
        )
        return
    print(f"{pruned.n_features} of {whole.n_features} features kept; knowledge written to {out}")
    for trial in trials:
        print(describe_trial(trial))
    if report is not None:
        print(f"pruned against the whole: {describe_score(report.score, report.rating)}")
