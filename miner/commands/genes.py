"""`miner genes`: which genes move in several evolutions, which reach champions, and which go with strength."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent.commands.options import Json
from gdl_miner.agent.errors import ConfigError
from gdl_miner.miner.results.history import read_run

if TYPE_CHECKING:
    from gdl_miner.miner.learners.evolution.gene_use import GeneUse


def genes(
    runs: Annotated[list[Path], typer.Argument(help="Folders of evolutions.", metavar="RUN…")],
    as_json: Json = False,
) -> None:
    """Show what evolutions make of their genes.

    For each gene: in how many individuals it can act, in how many it differs from its default, in how many champions it
    does, and its rank correlation with Elo within generations. Individuals that one seed draws are the same in every
    game, so give runs of several seeds.
    """
    from gdl_miner.miner.learners.evolution.gene_use import gene_use  # here, because pandas takes a second to load

    individuals = []
    for run in runs:
        history = read_run(run)
        if history.content["learner"] != "evolution":
            raise ConfigError(f"{run}: this run has no genes; give folders that `miner evolve` made")
        if not history.progress:
            raise ConfigError(f"{run}: no generation is finished; wait, or leave the run out")
        individuals.append(history.players)
    found = gene_use(individuals)
    if as_json:
        print(json.dumps({"runs": [str(run) for run in runs], "genes": [asdict(each) for each in found]}))
    else:
        Console().print(_table(found, len(runs)))


def _table(found: tuple[GeneUse, ...], runs: int) -> Table:
    table = Table(
        box=None,
        padding=(0, 1),
        title=f"{found[0].individuals} individuals of {runs} runs",
        title_justify="left",
        title_style="bold",
    )
    table.add_column("gene", overflow="fold")  # the only column that gives way on a narrow terminal
    for heading in ("default", "acts in", "changed", "in best", "with Elo", "p"):
        table.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    for each in found:
        default = f"{each.default:g}" if isinstance(each.default, float) else str(each.default)
        table.add_row(
            each.name,
            default,
            *(str(count) for count in (each.acting, each.changed, each.champions_changed)),
            "" if each.correlation is None else f"{each.correlation:+.2f}",
            "" if each.p_value is None else f"{each.p_value:.3f}",
        )
    return table
