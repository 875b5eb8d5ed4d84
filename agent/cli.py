"""The command `agent`, which describes, checks and measures games and plays matches."""

from __future__ import annotations

from functools import partial

import typer

from gdl_miner.agent.commands.analyse import analyse
from gdl_miner.agent.commands.application import application
from gdl_miner.agent.commands.engine import bench, perft, trace
from gdl_miner.agent.commands.game import board, info, show
from gdl_miner.agent.commands.knowledge import list_released, show_released
from gdl_miner.agent.commands.play import play, replay
from gdl_miner.agent.commands.program import examples
from gdl_miner.agent.commands.referee import referee
from gdl_miner.agent.commands.review import review
from gdl_miner.agent.commands.rules import check, format_file
from gdl_miner.agent.commands.serve import serve
from gdl_miner.agent.commands.table import table

app = application("agent", "Play games given by rule sheets in the Game Description Language.")


_example = partial(examples, "agent")

app.command(
    epilog=_example(
        "analyse --game breakthrough.ext --knowledge best.xml --json < positions.jsonl",
        "analyse --game tictactoe.ext --playouts 2000 <<< '(cell 1 1 x) (control o)'",
    )
)(analyse)
app.command(epilog=_example("bench --game breakthrough.ext", "bench --game my.kif --search --playouts 1000"))(bench)
app.command(epilog=_example("board connectfour.ext", "board my.kif --out my.board.kif"))(board)
app.command(epilog=_example("check amazons.ext", "check my.kif --json"))(check)
app.command("format", epilog=_example("format my.kif", "format my.kif --write"))(format_file)
app.command(epilog=_example("info amazons.ext", "info my.kif --json"))(info)
app.command(epilog=_example("perft --game tictactoe.ext --depth 9"))(perft)
app.command(
    epilog=_example("play --game connectfour.ext --white uct --red random", "play --game my.kif --record match.xml"),
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)(play)
app.command(epilog=_example("show connectfour.ext --moves '(play 4 1 white)'", "show my.kif --svg board.svg"))(show)
app.command(
    epilog=_example(
        "referee --game tictactoe.ext --players http://127.0.0.1:9147,random --startclock 5 --playclock 2",
        "referee --game my.kif --players http://a:9147,http://b:9147 --scramble --record match.xml",
    )
)(referee)
app.command(epilog=_example("replay --game tictactoe.ext match.xml"))(replay)
app.command(
    epilog=_example(
        "review --game connectfour7.ext match.json --knowledge quick --playouts 20000 --html review.html",
        "review --game tictactoe.ext match.xml --role x --json",
    )
)(review)
app.command(epilog=_example("serve --knowledge results", "serve --port 9148 --no-ponder --records matches"))(serve)
app.command(
    epilog=_example(
        "table --game amazons.ext --open",
        "table --game breakthrough.ext --knowledge best.xml --seats you,knowledge --clock 5 --advice",
    )
)(table)
app.command(epilog=_example("trace --game my.kif --check my.jsonl"))(trace)

released = typer.Typer(
    help="The knowledge that is shipped with the program, by levels.", no_args_is_help=True, rich_markup_mode="rich"
)
released.command("list", epilog=_example("knowledge list", "knowledge list --game othello.ext --json"))(list_released)
released.command("show", epilog=_example("knowledge show quick --game othello.ext"))(show_released)
app.add_typer(released, name="knowledge")
