"""index.html: one page on a sweep, with a row for each run and links to the reports of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from statistics import fmean, median

from gdl_miner.agent.board.page import Card, Section, report_frame
from gdl_miner.miner.sweep.game_result import GameResult

_STYLE = """
.sweep td { vertical-align: middle; } .sweep td.words, .sweep th.words { text-align: left; white-space: normal; }
.sweep .interval { width: 9rem; height: 1rem; display: block; }
.interval line { stroke: var(--soft); } .interval .middle { stroke: var(--line); }
.interval circle { fill: var(--soft); } .interval .helps { fill: var(--champion); }
"""


def sweep_page(results: Sequence[GameResult], missing: int) -> str:
    """Return the page.

    Args:
        results: in the order of games, methods, configurations and seeds.
        missing: how many runs have none.
    """
    configs = escape(", ".join(sorted({each.config for each in results})) or "nothing")
    methods = escape(", ".join(sorted({each.learner for each in results})) or "nothing")
    run = [each for each in results if not each.error]
    helped, failed = [each for each in run if each.helps], [each for each in results if each.error]
    times = [each.run_s for each in run]
    cards = [
        Card("games", str(len({each.game for each in results})), _counted(results, len(failed), missing)),
        Card("knowledge helps", f"{len(helped)} of {len(run)}", "more than half of the points in fresh matches"),
        Card("boards", str(len({each.game for each in run if each.board_source != "none"})), "declared, or found"),
        Card(
            "time",
            f"{sum(times) / 60:.1f} min",
            f"of one processor; a run took {median(times):.0f} s, at most {max(times):.0f} s" if times else "no run",
        ),
    ]
    lead = (
        f"Runs of {methods}, configured by {configs}. The champion of each played fresh matches "
        "against bare UCT. If it won no more than half of the points, no knowledge helps, and the knowledge file is "
        "empty."
    )
    sections = [
        Section("Seeds beside each other", _spreads(run)),
        Section("Runs", _table(run)),
        Section("Runs that ended in an error", _failures(failed)),
    ]
    return report_frame("Knowledge of many games", lead, cards, sections, _STYLE)


def _counted(results: Sequence[GameResult], failed: int, missing: int) -> str:
    told = [f"{len(results)} runs"] if len({each.game for each in results}) < len(results) else []
    if missing:
        told.append(f"{missing} not yet run")
    if failed:
        told.append(f"{failed} could not be run")
    return "; ".join(told if missing or failed else [*told, "all of them were run"])


def _spreads(results: Sequence[GameResult]) -> str:
    """Return a row for each game, method and configuration that has runs of several seeds."""
    rows = []
    for (game, method, config), group in groupby(results, lambda each: (each.game, each.learner, each.config)):
        points = [(each.win_percent, each.helps) for each in group if each.win_percent is not None]
        if len(points) > 1:
            percents = [percent for percent, _ in points]
            numbers = [f"{fmean(percents):.1f}", f"{min(percents):.1f}", f"{max(percents):.1f}"]
            helped = str(sum(helps for _, helps in points))
            rows.append([escape(game), escape(method), escape(config), str(len(points)), *numbers, helped])
    return _html(["game", "method", "configuration", "seeds", "mean %", "least", "most", "helps in"], rows)


def _html(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["".join(f"<th>{head}</th>" for head in heads)]
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<div class='scroll'><table class='sweep'>{table}</table></div>" if rows else ""


def _table(results: Sequence[GameResult]) -> str:
    heads = "<th>run</th><th>seed</th><th>roles</th><th>board</th><th colspan='2'>points %</th><th>95 %</th>"
    heads += "<th>drawn</th><th class='words'>features</th><th>values</th><th>s</th>"
    rows = "".join(map(_row, results))
    return f"<div class='scroll'><table class='sweep'><tr>{heads}</tr>{rows}</table></div>" if rows else ""


def _row(each: GameResult) -> str:
    board = "none" if each.board_source == "none" else f"{each.cells} cells, {each.board_source}"
    features = ", ".join(f"{count} {name}" for name, count in each.features.items())
    said = "" if each.helps else "no knowledge helps"
    if each.outcomes == 1:
        said = "every match without knowledge ends alike" + (f"; {said}" if said else "")
    name = escape(each.run)
    percent, interval, drawn = "", "", ""
    if each.win_percent is not None and each.ci95 is not None:
        percent = f"{each.win_percent:.1f}"
        interval = f"{each.ci95[0]:.0f}–{each.ci95[1]:.0f}"
        drawn = f"{100 * each.draws / max(1, each.n):.0f} %"
    return (
        f"<tr><td><a href='{name}/report.html'>{name}</a></td><td>{each.seed}</td><td>{each.n_roles}</td>"
        f"<td>{board}</td><td>{percent}</td><td>{_interval(each)}</td><td>{interval}</td><td>{drawn}</td>"
        f"<td class='words'>{escape('; '.join(filter(None, (features, said))))}</td>"
        f"<td>{each.weights or ''}</td><td>{each.run_s:.0f}</td></tr>"
    )


def _interval(each: GameResult) -> str:
    """Return the points with their interval, drawn on a scale from 0 to 100 with a mark at 50."""
    if each.win_percent is None or each.ci95 is None:
        return ""
    low, high = each.ci95
    return (
        "<svg class='interval' viewBox='-2 0 104 10' preserveAspectRatio='none' role='img' "
        f"aria-label='{each.win_percent:.1f} %'><line class='middle' x1='0' x2='100' y1='5' y2='5'/>"
        f"<line class='middle' x1='50' x2='50' y1='0' y2='10'/><line x1='{low:g}' x2='{high:g}' y1='5' y2='5'/>"
        f"<circle class='{'helps' if each.helps else ''}' cx='{each.win_percent:g}' cy='5' r='2'/></svg>"
    )


def _failures(results: Sequence[GameResult]) -> str:
    rows = "".join(f"<tr><th>{escape(each.run)}</th><td>{escape(each.error)}</td></tr>" for each in results)
    return f"<div class='scroll'><table class='about'>{rows}</table></div>" if rows else ""
