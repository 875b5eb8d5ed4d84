"""`miner prune` writes a knowledge file without the features that do not pay."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agent.commands.options import Json
from agent.errors import KnowledgeError
from agent.files.new_file import check_place
from agent.knowledge import Knowledge, write_knowledge
from agent.limits import MAX_COUNT, MAX_SEED
from agent.search.player import PlayerSpec
from miner.commands.observation import (
    JudgedPositions,
    KnowledgeGame,
    OwnMatches,
    OwnPlayouts,
    RecordFiles,
    load,
    observe,
)
from miner.commands.workplace import shown_progress
from miner.learners.evolution.chromosome import FeatureLists
from miner.play.scoring import ScoreReport, score_players
from miner.play.wording import describe_score
from miner.usefulness.measure import RoleUse, measure
from miner.usefulness.observations import Effort

__all__ = ["prune", "pruned_knowledge"]


def prune(
    knowledge: Annotated[Path, typer.Argument(help="The knowledge file.", metavar="KNOWLEDGE")],
    out: Annotated[Path, typer.Option(help="The smaller knowledge file to write.")],
    sigmas: Annotated[
        float,
        typer.Option(
            min=-1000, max=1000, help="Standard errors by which a contribution must exceed 0; negative keeps more."
        ),
    ] = 0.0,
    check: Annotated[
        int, typer.Option(min=0, max=MAX_COUNT, help="Matches of the pruned against the whole; 0: none.")
    ] = 200,
    game: KnowledgeGame = None,
    records: RecordFiles = None,
    matches: OwnMatches = Effort.matches,
    playouts: OwnPlayouts = Effort.playouts,
    positions: JudgedPositions = 4 * Effort.positions,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the matches and searches.")] = 1,
    as_json: Json = False,
) -> None:
    """Write a knowledge file without the features that do not pay.

    The rule: a feature pays if its measured contribution (see [b]miner explain[/b]) exceeds 0 by more than
    [b]--sigmas[/b] standard errors; one that never fires contributes 0 and goes. The pruned knowledge then plays
    [b]--check[/b] paired matches against the whole; nothing is written if it is significantly weaker.
    """
    check_place(out, KnowledgeError)
    value, machine = load(knowledge, game)
    with shown_progress() as progress:
        effort = Effort(matches, playouts, positions)
        uses = measure(value, machine, observe(value, machine, records, effort, seed, progress))
        pruned = pruned_knowledge(value, uses, sigmas)
        report = None
        if check:
            task = progress.add_task("matches", total=check)
            smaller, whole = (PlayerSpec(playouts=playouts).with_knowledge(each, machine) for each in (pruned, value))
            report = score_players(
                machine, smaller, whole, check, seed, lambda done: progress.update(task, advance=done)
            )
    if report is not None and report.score.ci95[1] < 50.0:
        raise KnowledgeError(
            f"{knowledge}: {value.n_features} features pruned to {pruned.n_features} are weaker than the whole: "
            f"{describe_score(report.score, report.rating)}; nothing is written, lower --sigmas or raise --positions"
        )
    write_knowledge(pruned, out, machine.sheet)
    _tell(value, pruned, report, out, as_json=as_json)


def pruned_knowledge(knowledge: Knowledge, uses: tuple[RoleUse, ...], sigmas: float) -> Knowledge:
    """Return the knowledge with only the features that contribute more than `sigmas` standard errors above 0."""
    paying = [
        {(use.entry, use.winning) for use in role.features if use.contribution > sigmas * use.error} for role in uses
    ]

    def kept(lists: FeatureLists, *, winning: bool) -> FeatureLists:
        return tuple(
            tuple(each for each in features if (each, winning) in paying[role]) for role, features in enumerate(lists)
        )

    winning, losing = kept(knowledge.winning, winning=True), kept(knowledge.losing, winning=False)
    return replace(knowledge, winning=winning, losing=losing)


def _tell(whole: Knowledge, pruned: Knowledge, report: ScoreReport | None, out: Path, *, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps(
                {
                    "out": str(out),
                    "features": whole.n_features,
                    "kept": pruned.n_features,
                    "check": None if report is None else report.as_json(),
                }
            )
        )
        return
    print(f"{pruned.n_features} of {whole.n_features} features kept; knowledge written to {out}")
    if report is not None:
        print(f"pruned against the whole: {describe_score(report.score, report.rating)}")
