"""The command `miner`: evolve knowledge of a game, continue a run, score, mine, explain and prune."""

from __future__ import annotations

from functools import partial

import typer

from gdl_miner.agent.commands.application import application
from gdl_miner.agent.commands.program import examples
from gdl_miner.miner.commands import cluster
from gdl_miner.miner.commands.compare import compare
from gdl_miner.miner.commands.evolve import evolve, learn
from gdl_miner.miner.commands.explain import explain
from gdl_miner.miner.commands.export import export
from gdl_miner.miner.commands.genes import genes
from gdl_miner.miner.commands.inspect import inspect
from gdl_miner.miner.commands.league import league
from gdl_miner.miner.commands.mine import mine
from gdl_miner.miner.commands.plots import plots
from gdl_miner.miner.commands.prune import prune
from gdl_miner.miner.commands.repeat import repeat
from gdl_miner.miner.commands.resume import resume
from gdl_miner.miner.commands.score import score
from gdl_miner.miner.commands.sweep import sweep
from gdl_miner.miner.commands.tournament import tournament
from gdl_miner.miner.commands.track import track
from gdl_miner.miner.commands.tune import tune

app = application("miner", "Mine and evolve knowledge that makes a Monte-Carlo player of any game stronger.")


_example = partial(examples, "miner")

app.command(
    epilog=_example(
        "evolve --game amazons.ext.kif",
        "evolve --game tictactoe.ext --config quick --out /tmp/first",
        "evolve --game my.kif --config mine.toml --seed 7 --workers 8",
        "evolve --game breakthrough.ext --start values.xml",
        "evolve --game breakthrough.ext --config thesis --address auto",
    )
)(evolve)
app.command(
    epilog=_example(
        "learn --game amazons.ext.kif --with values",
        "learn --game my.kif --with evolution --config quick --seed 7",
        "learn --game amazons.ext --with values --start best.xml",
        "learn --game hex11.ext --with expert-iteration --start results/hex5.ext/20260102-030405/last.xml",
    )
)(learn)
app.command(
    epilog=_example(
        "sweep tictactoe.ext connectfour.ext breakthrough.ext",
        "sweep games/*.kif --config quick --out results/all",
        "sweep breakthrough.ext --seeds 1-5 --config quick --config default",
    )
)(sweep)
app.command(epilog=_example("resume results/amazons.ext/20260102-030405", "resume RUN --executor serial"))(resume)
app.command(epilog=_example("inspect results/amazons.ext/20260102-030405", "inspect RUN --watch"))(inspect)
app.command(epilog=_example("compare results/amazons.ext/*", "compare RUN OTHER --json"))(compare)
app.command(epilog=_example("genes results/*/*"))(genes)
app.command(epilog=_example("track results/amazons.ext/*", "track RUN --store sqlite:////tmp/mlflow.db"))(track)
app.command(
    epilog=_example("plots results/amazons.ext/20260102-030405", "plots RUN --format svg --format pdf --out paper")
)(plots)
app.command(epilog=_example("repeat results/amazons.ext/20260102-030405", "repeat RUN --out /tmp/again"))(repeat)
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
        "mine --game amazons.ext results/amazons.ext/20260102-030405/records --out features.xml",
        "mine --game my.kif 'records/*.xml.gz' --policy phi --out features.xml",
    )
)(mine)
app.command(
    epilog=_example(
        "explain results/amazons.ext/20260102-030405/best.xml --html best.html",
        "explain best.xml --records results/amazons.ext/20260102-030405/records",
        "explain best.xml --ablate 200 --json",
    )
)(explain)
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
app.command(epilog=_example("prune best.xml --out small.xml", "prune best.xml --out small.xml --sigmas 1 --check 400"))(
    prune
)
