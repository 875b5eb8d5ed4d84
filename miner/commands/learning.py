"""The commands that learn from play, which need the libraries of the extra `learn`."""

from __future__ import annotations

from functools import partial

import typer

from gdl_miner.agent.commands.program import examples
from gdl_miner.miner.commands.evolve import evolve, learn
from gdl_miner.miner.commands.explain import explain
from gdl_miner.miner.commands.mine import mine
from gdl_miner.miner.commands.prune import prune
from gdl_miner.miner.commands.repeat import repeat
from gdl_miner.miner.commands.resume import resume
from gdl_miner.miner.commands.sweep import sweep

_example = partial(examples, "miner")


def add_learning(app: typer.Typer) -> None:
    """Add the commands to the application."""
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
            "sweep connectfour.ext hex5.ext --with values --with culture --seeds 1-5",
        )
    )(sweep)
    app.command(epilog=_example("resume results/amazons.ext/20260102-030405", "resume RUN --executor serial"))(resume)
    app.command(epilog=_example("repeat results/amazons.ext/20260102-030405", "repeat RUN --out /tmp/again"))(repeat)
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
        epilog=_example("prune best.xml --out small.xml", "prune best.xml --out small.xml --sigmas 1 --check 400")
    )(prune)
