"""`scripts/lab`: tables and figures of others and of our own pages, a command each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import DEFAULT_BUDGET, DEFAULT_BUDGET_MEMORY, Json, report_progress
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS, MAX_SECONDS, MAX_SEED
from gdl_miner.agent.reasoner.budget import Budget
from gdl_miner.miner.apprentice import GROWTHS, GrowthKind
from gdl_miner.miner.commands.workplace import ExecutorKind, Executors
from gdl_miner.miner.gifl import TreeSettings
from lab.speed.games import games_of
from lab.strength import champions as tables_of_champions
from lab.tables import print_rows
from lab.theses import (
    end_features,
    knowledge_strength,
    learned_values,
    reasoning_speed,
    transposition_tables,
)
from lab.theses import expert_iteration as growing_features
from lab.theses.figures import draw_figures
from lab.theses.kirci import kirci_games
from lab.theses.reasoning_speed import SPEEDS
from lab.theses.sharma import sharma_games
from lab.theses.thesis import thesis_games
from lab.theses.transfer import SOURCES, TRANSFER_COLUMNS, compare_starts
from lab.theses.value_runs import ValueRuns

ThesisGames = Annotated[
    list[str] | None,
    typer.Option("--game", "-g", help="A game of the thesis; give it again for more.", show_default="all five"),
]
ThesisPlayouts = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move.", show_default="about those of the thesis's clocks"),
]
ThesisMatches = Annotated[
    int, typer.Option(min=2, max=MAX_COUNT, help="Matches of each game, in pairs with roles swapped.")
]
ThesisSeed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the matches.")]


def table_63(
    game: Annotated[
        list[str] | None,
        typer.Option(
            "--game", "-g", help="A game of the table; give it again for more.", show_default="all that exist"
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="How long to measure each game.")] = 10.0,
    lanes: Annotated[int, typer.Option(min=64, max=512, help="Games in lock-step: 64, 128, 256 or 512.")] = 512,
    shared: Annotated[
        Path | None,
        typer.Option("--shared", envvar="GDL_MINER_SHARED", help="Folder of corpus/games/NAME.kif."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Random matches per second on one core, beside the reasoning engines of the thesis.

    The sheets of the thesis are not part of the program: [b]--shared[/b] names a folder with them, and games that are
    not found are left out.
    """
    unknown = [name for name in game or () if name not in SPEEDS]
    if unknown:
        raise ConfigError(f"{unknown[0]} is not in table 6.3; take one of {', '.join(SPEEDS)}")
    corpus = None if shared is None else shared / "corpus"
    found = games_of(game or list(SPEEDS), corpus, Budget(DEFAULT_BUDGET, DEFAULT_BUDGET_MEMORY, report_progress))
    print_rows(reasoning_speed.COLUMNS, reasoning_speed.measure_speeds(found, seconds=seconds, lanes=lanes), as_json)


def table_64(
    game: ThesisGames = None,
    config: Annotated[
        str, typer.Option(help="Configuration of the evolutions: quick, default, deep, thesis, or a TOML file.")
    ] = "default",
    at_depth: Annotated[
        bool, typer.Option("--at-depth", help="Evolve with the playouts of the matches, not the configuration's.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Where the evolutions are kept, or already are.")] = Path(
        "results/table-6.4"
    ),
    matches: ThesisMatches = 400,
    playouts: ThesisPlayouts = None,
    seed: ThesisSeed = 1,
    executor: Executors = ExecutorKind.ray,
    as_json: Json = False,
) -> None:
    """Evolved knowledge against bare UCT: with half the time, as in the thesis, and with as much.

    Bare UCT has the constant that the evolution tuned for it. Evolves every game first (minutes each with --config
    default, more with deep, hours with thesis) and keeps the runs; the same command takes them up again.
    """
    rows = knowledge_strength.measure_strength(
        thesis_games(game), config, at_depth, out, playouts, matches, seed, executor, report_progress
    )
    print_rows(knowledge_strength.COLUMNS, rows, as_json)


def table_65(
    game: ThesisGames = None,
    matches: ThesisMatches = 200,
    playouts: ThesisPlayouts = None,
    share: Annotated[
        float | None,
        typer.Option(min=1e-6, max=1, help="States allowed, as a share of those needed.", show_default="the thesis's"),
    ] = None,
    seed: ThesisSeed = 1,
    as_json: Json = False,
) -> None:
    """Linked transposition tables against random eviction, both far smaller than a match would fill."""
    rows = transposition_tables.compare_evictions(thesis_games(game), playouts, share, matches, seed, report_progress)
    print_rows(transposition_tables.COLUMNS, rows, as_json)


def td_tables(
    game: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", help="A game of the tables; give it again for more.", show_default="all five"),
    ] = None,
    chapter: Annotated[
        list[int] | None,
        typer.Option(min=6, max=10, help="A chapter, 6 to 10; give it again for more.", show_default="all five"),
    ] = None,
    matches: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Matches of each role against random.")] = 1000,
    uct_matches: Annotated[
        list[int] | None,
        typer.Option(
            min=2, max=MAX_COUNT, help="Matches against UCT; give it again for more.", show_default="100, 400"
        ),
    ] = None,
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move against UCT.")] = 200,
    experience: Annotated[
        int, typer.Option(min=0, max=1000, help="Visits that a move's value of culture counts as; Sharma has 10.")
    ] = 0,
    scale: Annotated[
        float, typer.Option(min=1e-3, max=100, help="Steps of learning, as a share of the configurations'.")
    ] = 1.0,
    out: Annotated[Path, typer.Option(help="Where the runs are kept, or already are.")] = Path("results/td-tables"),
    seed: ThesisSeed = 1,
    executor: Executors = ExecutorKind.ray,
    as_json: Json = False,
) -> None:
    """Tables 6.1 to 10.1 of Sharma's thesis: learned values against random players and against UCT.

    Chapter 6 has TD(0) alone, 7 adds coevolution, 8 ants, 9 the belief space. Every stage is learned twice: with
    Sharma's parameters, where facts alone have weights, and with tuples of cells. 10 uses values in UCT: those of the
    complete culture with tuples, and those of [b]miner learn --with values[/b]. The runs are kept; the same command
    takes them up again.
    """
    games, chapters = sharma_games(game), frozenset(chapter or range(6, 11))
    runs = ValueRuns(out, seed, scale, executor, report_progress)
    if chapters - {10}:
        rows = learned_values.compare_with_random(games, chapters, runs, matches)
        print_rows(learned_values.RANDOM_COLUMNS, rows, as_json)
    if 10 in chapters:
        rows = learned_values.compare_with_uct(games, runs, playouts, experience, uct_matches or (100, 400))
        print_rows(learned_values.UCT_COLUMNS, rows, as_json)


def expert_iteration(
    game: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", help="A game; give it again for more.", show_default="all bundled ones of theirs"),
    ] = None,
    growth: Annotated[
        list[str] | None,
        typer.Option(help=f"{', '.join(GROWTHS[:-1])}; give it again for more.", show_default="their four"),
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Games of self-play.")] = 200,
    pruned_games: Annotated[
        int, typer.Option(min=0, max=MAX_COUNT, help="Further games with pruned features; 0: none.")
    ] = 100,
    games_at_once: Annotated[
        int, typer.Option(min=1, max=MAX_COUNT, help="Games played together, between which nothing is learned.")
    ] = 1,
    learning_playouts: Annotated[
        int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of self-play.")
    ] = 1000,
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of UCT.")] = 1000,
    value_steps: Annotated[
        int, typer.Option(min=0, max=999, help="Steps of training games, whose values stand in for playouts; 0: none.")
    ] = 0,
    matches: ThesisMatches = 200,
    out: Annotated[Path, typer.Option(help="Where the runs are kept, or already are.")] = Path(
        "results/expert-iteration"
    ),
    seed: ThesisSeed = 1,
    executor: Executors = ExecutorKind.ray,
    as_json: Json = False,
) -> None:
    """Figures 4 to 8 of Soemers et al. 2019: searches biased by growing features against UCT.

    After 1, 25, 50, 100 and 200 games of self-play, and after as many of the games with pruned features, the biased
    search plays against UCT with as many playouts and with as many as cost the same, and a greedy player, which does
    not search, plays against UCT. With --value-steps the leaves of all biased searches are valued, and they also play
    against the values without features. The runs are kept; the same command takes them up again.
    """
    kinds = [_growth(each) for each in growth or growing_features.THEIR_GROWTHS]
    runs = growing_features.ExpertRuns(
        out, games, pruned_games, games_at_once, learning_playouts, seed, executor, report_progress, value_steps
    )
    rows = growing_features.compare_with_uct(game or sorted(growing_features.THEIRS), kinds, runs, playouts, matches)
    print_rows(growing_features.EXPERT_COLUMNS, rows, as_json)


def transfer(
    game: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", help="A game; give it again for more.", show_default=", ".join(SOURCES)),
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Games of self-play of each run.")] = 50,
    games_at_once: Annotated[
        int, typer.Option(min=1, max=MAX_COUNT, help="Games played together, between which nothing is learned.")
    ] = 5,
    source_games: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_COUNT, help="Games of the run that learns the source.", show_default="--games"),
    ] = None,
    learning_playouts: Annotated[
        int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of self-play.")
    ] = 100,
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of opponents.")] = 100,
    matches: ThesisMatches = 100,
    out: Annotated[Path, typer.Option(help="Where the runs are kept, or already are.")] = Path("results/transfer"),
    seed: ThesisSeed = 1,
    executor: Executors = ExecutorKind.ray,
    as_json: Json = False,
) -> None:
    """Expert iteration from the features of a smaller or similar game, beside the same from nothing.

    Breakthrough starts from boards of 6 x 6, gomoku of 11 x 11, hex of 5 x 5, and connect four from seven columns. What
    is known before the first game, and after 1, 25 and 50, plays against UCT, against a PUCT that knows nothing, and
    against what the run from nothing knows in the end. The runs are kept; the same command takes them up again.
    """
    runs = growing_features.ExpertRuns(out, games, 0, games_at_once, learning_playouts, seed, executor, report_progress)
    print_rows(TRANSFER_COLUMNS, compare_starts(game or list(SOURCES), runs, playouts, matches, source_games), as_json)


def _growth(name: str) -> GrowthKind:
    for kind in GROWTHS:
        if kind == name:
            return kind
    raise ConfigError(f"{name}: there is no such strategy of growth; give one of {', '.join(GROWTHS)}")


def gifl_tables(
    sheets: Annotated[Path, typer.Argument(help="The folder of the rule sheets.", metavar="FOLDER")],
    game: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", help="A sheet of the tables; give it again for more.", show_default="all nine"),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", "-t", help="5.1 to 5.7; give it again for more.", show_default="all"),
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Random games to learn from.")] = 500,
    matches: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches, in pairs with roles swapped.")] = 200,
    playouts: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of UCT.", show_default="Kirci's"),
    ] = None,
    wins_first: Annotated[
        bool, typer.Option("--wins-first", help="Prefer moves that win to those that keep the opponent from it.")
    ] = False,
    win_ends: Annotated[
        bool, typer.Option("--win-ends", help="Want moves before the end to win, not to lead to terminal facts.")
    ] = False,
    avoidances: Annotated[
        bool, typer.Option("--avoidances", help="Let defences name the moves to avoid where they are fewer.")
    ] = False,
    loser_ends: Annotated[
        bool, typer.Option("--loser-ends", help="Learn from games whose loser moved last, too.")
    ] = False,
    scoring_matches: Annotated[
        int, typer.Option(min=0, max=MAX_COUNT, help="Matches that show poor features, which are dropped; 0: none.")
    ] = 0,
    seed: ThesisSeed = 1,
    as_json: Json = False,
) -> None:
    """Tables 5.1 to 5.7 of Kirci's thesis: features from the ends of games, against UCT without.

    5.1 counts features, 5.2 has both sides play with as many playouts, 5.3 and 5.4 compare the number and the length of
    playouts, 5.6 (with 5.5) gives both sides as much time, and 5.7 lets the opponent know nothing, half of the features
    or all of them. Sheets that FOLDER lacks are left out. The options from [b]--win-ends[/b] to
    [b]--scoring-matches[/b] turn on what the thesis leaves to future work.
    """
    trees = TreeSettings(end_features.LEVELS, win_ends=win_ends, avoidances=avoidances, loser_ends=loser_ends)
    settings = end_features.Measurement(games, matches, playouts, wins_first, trees, scoring_matches, seed)
    for title, columns, rows in end_features.tables(kirci_games(game, sheets), table, settings, report_progress):
        if not as_json:
            print(title)
        print_rows(columns, rows, as_json)


def champions(
    game: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", help="A game; give it again for more.", show_default="all bundled ones"),
    ] = None,
    config: Annotated[
        str, typer.Option(help="Configuration of the evolutions: quick, default, deep, or a TOML file.")
    ] = "quick",
    seeds: Annotated[int, typer.Option(min=1, max=999, help="Evolutions of each game, with seeds from 1 on.")] = 5,
    playouts: Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of bare UCT.")] = 20,
    matches: Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches of each pairing.")] = 400,
    out: Annotated[Path, typer.Option(help="Where the evolutions are kept, or already are.")] = Path(
        "results/champions"
    ),
    keep: Annotated[
        Path | None, typer.Option(help="A folder to copy champions, rivals and configurations to.", show_default=False)
    ] = None,
    executor: Executors = ExecutorKind.ray,
    as_json: Json = False,
) -> None:
    """Tell the gains of knowledge and of search parameters apart: champions of several seeds (docs/strength.md).

    Against bare UCT at equal work play the champion of each evolution, its *twin*, which has its parameters but no
    knowledge, and the best of an evolution of *search* alone, in which nobody has knowledge. Runs that exist are taken
    up; the same command with other games or seeds adds to them.
    """
    runs = tables_of_champions.ChampionRuns(out, config, executor, report_progress)
    rows = tables_of_champions.measure_champions(
        game or sorted(bundled()), range(1, seeds + 1), runs, playouts, matches, keep
    )
    print_rows(tables_of_champions.CHAMPION_COLUMNS, rows, as_json)


def figures(
    run: Annotated[list[Path], typer.Argument(help="Folders of runs, one for each game.", metavar="RUN…")],
    out: Annotated[Path, typer.Option(help="Where the pictures go.")] = Path("results/figures"),
) -> None:
    """Figures 6.1 to 6.8: tournaments, fitness, and features of evolutions.

    6.1 is how fitness settled in the last tournament, 6.2 to 6.6 the fitness of amazons, checkers, connect four,
    cubicup and othello (6.2 for any other game), 6.7 the classes of the best individuals, 6.8 the numbers of features.
    """
    for path in draw_figures(run, out):
        print(path)
