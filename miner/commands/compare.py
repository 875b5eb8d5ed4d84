"""`miner compare` shows runs side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent.errors import UserError
from gdl_miner.miner.play.rating import superiority
from gdl_miner.miner.results.history import RunHistory, read_run
from gdl_miner.miner.results.terminal_plots import blocks


def compare(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.", metavar="RUN…")],
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array with an object for each run.")] = False,
) -> None:
    """Compare runs: champions, strength over steps, and the settings in which they differ.

    The first run is the reference: every other champion's Elo is given relative to the first one's, with the standard
    error of the difference and the likelihood of superiority. Champions of different games are not compared.
    After a champion's win percentage stands its 95 % interval.
    """
    if len(runs) < 2:
        raise UserError("there is one run only; name two or more, or use `miner inspect`")
    histories = [read_run(run) for run in runs]
    differing = _differing([_flat(history) for history in histories])
    if as_json:
        print(json.dumps([_as_json(history, histories[0]) for history in histories]))
        return
    console = Console()
    for number, history in enumerate(histories):
        console.print(f"{_letter(number)}  {history.folder}", markup=False, highlight=False, soft_wrap=True)
    console.print()
    console.print(_champions(histories))
    if differing:
        console.print()
        console.print("Settings that differ", style="bold")
        for line in _settings(histories, differing):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    else:
        console.print("the runs have the same game, rules and settings")


_SPARKS = 8  # number of last steps that are shown as blocks


def _champions(histories: Sequence[RunHistory]) -> Table:
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for heading in ("", "steps", "best %", "champion %", "Elo", "to A", "LOS", "features", "min"):
        table.add_column(heading, justify="left" if heading == "" else "right", no_wrap=True)
    for number, history in enumerate(histories):
        champion, best = history.champion, [step.win_percent for step in history.progress]
        relative = _relative(history, histories[0])
        table.add_row(
            _letter(number),
            f"{len(best)}/{history.planned}",
            f"{blocks(best[-_SPARKS:])} {best[-1]:.1f}" if best else "",
            "" if champion is None else "{:.0f} ({:.0f}–{:.0f})".format(champion["win_percent"], *champion["ci95"]),
            "" if champion is None else f"{champion['elo']:+.0f} ± {champion['elo_se']:.0f}",
            *(("", "") if number == 0 else ("–", "–") if relative is None else relative.said()),
            str(history.progress[-1].features or "") if best else "",
            f"{history.timings['seconds'].sum() / 60:.1f}",
        )
    return table


def _settings(histories: Sequence[RunHistory], differing: Sequence[str]) -> list[str]:
    """Return a line for each setting: its values, each with the letters of the runs that have it."""
    lines, flat = list[str](), [_flat(history) for history in histories]
    for key in differing:
        having: dict[str, list[str]] = {}
        for number, values in enumerate(flat):
            having.setdefault(str(values.get(key, "–")), []).append(_letter(number))
        lines.append(f"{key}: " + "; ".join(f"{value} ({' '.join(runs)})" for value, runs in having.items()))
    return lines


class _Lead(NamedTuple):
    """The lead of a champion over the first run's champion; both met the same baseline."""

    elo: float
    elo_se: float
    superiority: float  # likelihood, 0 to 1

    def said(self) -> tuple[str, str]:
        return f"{self.elo:+.0f} ± {self.elo_se:.0f}", f"{100 * self.superiority:.1f} %"


def _relative(history: RunHistory, first: RunHistory) -> _Lead | None:
    """Return a champion's lead over the first run's champion; None where they cannot be compared."""
    one, other = first.champion, history.champion
    if one is None or other is None or not _comparable(history, first):
        return None
    difference = other["elo"] - one["elo"]
    error = math.hypot(other["elo_se"], one["elo_se"])
    return _Lead(difference, error, superiority(difference, error))


def _comparable(history: RunHistory, other: RunHistory) -> bool:
    """Return whether both champions met the same baseline: the same rules and the same search of bare UCT."""
    search, others = history.settings["search"], other.settings["search"]
    baseline = ("expansions", "max_states")
    budget = search["playouts"] * search["handicap"] == others["playouts"] * others["handicap"]
    budget = budget and search["equal"] == others["equal"]
    same = all(search[key] == others[key] for key in baseline)
    same = same and (history.champion or {}).get("baseline_uct_c") == (other.champion or {}).get("baseline_uct_c")
    return budget and same and history.content["game"]["digest"] == other.content["game"]["digest"]


def _flat(history: RunHistory) -> dict[str, Any]:
    """Return the settings by dotted name, with game, rules, version and the knowledge that the run started from."""
    flat: dict[str, Any] = {
        "game": history.content["game"]["name"],
        "rules": history.content["game"]["digest"][:12],
        "version": history.environment.get("version"),
        "learner": history.content["learner"],
    }
    if "start" in history.content:
        flat["start"] = history.content["start"]["digest"][:12]

    def walk(prefix: str, value: object) -> None:
        if isinstance(value, dict):
            for key, entry in value.items():
                walk(f"{prefix}.{key}" if prefix else key, entry)
        else:
            flat[prefix] = value

    walk("", history.settings)
    return flat


def _differing(flat: Sequence[dict[str, Any]]) -> list[str]:
    """Return the settings in which runs differ, without the sections that not all of their learning methods have."""
    keys = dict.fromkeys(key for values in flat for key in values)
    sections = [{key.partition(".")[0] for key in values} for values in flat]
    shared = {"start", *set.intersection(*sections)}
    differing = [key for key in keys if any(values.get(key) != flat[0].get(key) for values in flat)]
    return [key for key in differing if key.partition(".")[0] in shared]


def _as_json(history: RunHistory, first: RunHistory) -> dict[str, Any]:
    lead = None if history is first else _relative(history, first)
    return {
        "run": str(history.folder),
        "game": history.content["game"]["name"],
        "generations": len(history.progress),
        "best_win_percent": [step.win_percent for step in history.progress],
        "champion": history.champion,
        "lead": None if lead is None else round(lead.elo, 2),
        "lead_se": None if lead is None else round(lead.elo_se, 2),
        "los": None if lead is None else round(lead.superiority, 4),
        "seconds": round(float(history.timings["seconds"].sum()), 3),
        "settings": _flat(history),
    }


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else str(number + 1)
