"""The command `miner`: evolve knowledge of a game, continue a run, score, mine, explain and prune."""

from __future__ import annotations

from functools import partial

import typer

from gdl_miner.agent.commands.application import application
from gdl_miner.agent.commands.program import examples
from gdl_miner.agent.extras import check_extra, is_installed
from gdl_miner.miner.commands import cluster
from gdl_miner.miner.commands.compare import compare
from gdl_miner.miner.commands.curves import curves
from gdl_miner.miner.commands.export import export
from gdl_miner.miner.commands.genes import genes
from gdl_miner.miner.commands.inspect import inspect
from gdl_miner.miner.commands.league import league
from gdl_miner.miner.commands.plots import plots
from gdl_miner.miner.commands.plugins import plugins
from gdl_miner.miner.commands.score import score
from gdl_miner.miner.commands.tournament import tournament
from gdl_miner.miner.commands.track import track
from gdl_miner.miner.commands.tune import tune

app = application("miner", "Mine and evolve knowledge that makes a Monte-Carlo player of any game stronger.")


_example = partial(examples, "miner")
_LEARNING = ("evolve", "learn", "sweep", "resume", "repeat", "mine", "explain", "prune")


def _add_lacking(name: str) -> None:
    """Add a command that only says which extra the command of this name needs."""

    def lacking() -> None:
        check_extra("learn", f"miner {name}")

    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name, help="Not installed: pip install 'gdl-miner\\[learn]' brings it.", context_settings=anything)(
        lacking
    )


if is_installed("learn"):
    from gdl_miner.miner.commands.learning import add_learning

    add_learning(app)
else:
    for each in _LEARNING:
        _add_lacking(each)

app.command(epilog=_example("inspect results/amazons.ext/20260102-030405", "inspect RUN --watch"))(inspect)
app.command(epilog=_example("compare results/amazons.ext/*", "compare RUN OTHER --json"))(compare)
app.command(epilog=_example("genes results/*/*"))(genes)
app.command(epilog=_example("track results/amazons.ext/*", "track RUN --store sqlite:////tmp/mlflow.db"))(track)
app.command(
    epilog=_example("plots results/amazons.ext/20260102-030405", "plots RUN --format svg --format pdf --out paper")
)(plots)
app.command(
    epilog=_example(
        "curves results/sweep-20260102-030405 --format svg --format pdf",
        "curves RUN OTHER … --across seconds --log --out paper/curves",
    )
)(curves)
app.command(epilog=_example("plugins", "plugins --json"))(plugins)
app.command(
    epilog=_example(
        "score --game amazons.ext --knowledge results/amazons.ext/20260102-030405/best.xml --matches 400 --playouts 50",
        "score --game amazons.ext --knowledge new.xml --against old.xml --matches 200 --playouts 50",
        "score --game amazons.ext --knowledge best.xml --matches 400 --playouts 50 --json",
    )
)(score)
app.command(
    epilog=_example(
        "tournament --game amazons.ext old.xml new.xml uct --matches 200 --playouts 30",
        "tournament --game amazons.ext new.xml uct@100 --matches 2000 --playouts 30 --sprt 0 30",
    )
)(tournament)
app.command(
    epilog=_example(
        "league --game breakthrough.ext --matches 100 --playouts 100",
        "league --game breakthrough.ext run-values run-evolution old.xml --matches 100 --playouts 100 --equal time",
    )
)(league)
app.command(epilog=_example("tune --game connectfour.ext --playouts 1000", "tune --game my.kif --playouts 100 --json"))(
    tune
)
app.command(
    epilog=_example(
        "export results/amazons.ext/20260102-030405/best.xml --html amazons.html",
        "export best.xml --html page.html --option decisive_moves=off",
    )
)(export)
machines = typer.Typer(
    help="Check the machines of a cluster file, wait for them and stop them.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
machines.command(epilog=_example("cluster check", "cluster check cluster.yaml --json"))(cluster.check)
machines.command(epilog=_example("cluster wait ~/ray_bootstrap_config.yaml"))(cluster.wait)
machines.command(epilog=_example("cluster stop cluster.yaml"))(cluster.stop)
app.add_typer(machines, name="cluster")
