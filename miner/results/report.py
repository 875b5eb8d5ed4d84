"""report.html: what a run found, on one page that needs nothing else: no script, no font, no network."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from agent.board import board_style
from agent.files.replaced_file import replace_file
from agent.gdl import RuleSheet
from agent.knowledge import Geometry, Knowledge, read_knowledge
from miner.learners.evolution.genome import GENOME
from miner.results import report_charts as charts
from miner.results.history import RunHistory, count_playouts, read_history
from miner.results.report_features import class_shares, features, heat, key, signed

__all__ = ["write_report"]


def write_report(folder: Path, sheet: RuleSheet, geometry: Geometry) -> None:
    """Writes report.html from what lies in a run's folder; nothing before a generation is finished.

    Raises ConfigError where the folder's tables are damaged, KnowledgeError where best.xml is.
    """
    history = read_history(folder)
    if not history.generations.empty:
        knowledge = read_knowledge(folder / "best.xml", sheet)
        replace_file(folder / "report.html", _page(history, knowledge, sheet, geometry).encode())


def _page(history: RunHistory, knowledge: Knowledge, sheet: RuleSheet, geometry: Geometry) -> str:
    style = board_style() + (files("miner.results") / "report.css").read_text("utf-8")
    title = f"Knowledge of {sheet.name}"
    sections = [
        ("Fitness", charts.fitness(history)),
        ("The last tournament", charts.tournament(history)),
        ("Features", charts.classes(history) + charts.class_bars(class_shares(knowledge))),
        (
            "What the champion looks at",
            heat(knowledge, sheet, geometry) + key(geometry) + features(knowledge, sheet, geometry),
        ),
        ("Parameters", charts.parameters(history) + _all_parameters(history)),
        ("Throughput", charts.throughput(history)),
        ("Generations", _generations(history)),
        ("What was run", _provenance(history)),
    ]
    body = "".join(f"<section><h2>{escape(name)}</h2>{content}</section>" for name, content in sections if content)
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta name='color-scheme' content='light dark'>"
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main>"
        f"<header><h1>{escape(title)}</h1><p class='lead'>{_summary(history)}</p>{_facts(history)}</header>{body}"
        "</main></body></html>\n"
    )


def _summary(history: RunHistory) -> str:
    search, evolution = history.settings["search"], history.settings["evolution"]
    found = history.champion
    if found is None and history.complete:
        said = "The champion was not measured in fresh matches; the numbers below flatter it."
    elif found is None:
        said = f"After {len(history.generations)} of {history.planned} generations the run is not complete."
    else:
        (low, high), drawn = found["ci95"], found["draws"]
        said = (
            f"The champion scored <b>{found['win_percent']:.1f} %</b> in {found['n']} fresh matches against bare UCT "
            f"(95 %: {low:.1f}–{high:.1f}{f'; {drawn} were drawn' if drawn else ''}), about {signed(found['elo'])} ± "
            f"{found['elo_se']:.0f} Elo."
        )
    baseline = max(1, round(search["handicap"] * search["playouts"]))
    sides = f"Bare UCT searched {count_playouts(baseline)} a move"
    if found is not None:
        sides = (
            f"It searched {count_playouts(found['playouts'])} a move, bare UCT {baseline} with a constant of "
            f"{found['baseline_uct_c']:g}; one of its playouts is {found['work_ratio']:.2f} times the work"
        )
    return (
        f"{said} {sides}. {evolution['population']} individuals evolved over {history.planned} generations; the seed "
        f"was {history.settings['seed']}."
    )


def _facts(history: RunHistory) -> str:
    last = history.generations.iloc[-1]
    playing = history.timings[history.timings["work"] != "mining"]
    playouts, seconds = int(playing["playouts"].sum()), float(history.timings["seconds"].sum())
    cards = [
        (
            "best of the last generation",
            f"{last['best_win_percent']:.1f} %",
            f"Elo {signed(last['best_elo'])} ± {last['best_elo_se']:.0f}, {int(last['best_matches'])} matches",
        ),
        ("features of the champion", f"{int(last['best_features'])}", f"of {int(last['features_mined'])} mined last"),
        (
            "matches played",
            f"{int(playing['matches'].sum())}",
            f"{playouts / 1e6:.1f} million playouts" if playouts >= 1e5 else f"{playouts} playouts",
        ),
        ("time", f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s", "of playing and mining"),
    ]
    if history.champion is not None:
        low, high = history.champion["ci95"]
        cards[0] = (
            "champion, fresh matches",
            f"{history.champion['win_percent']:.1f} %",
            f"95 %: {low:.1f}–{high:.1f}",
        )
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}<small>{escape(more)}</small></dd></div>"
        for name, value, more in cards
    )
    return f"<dl class='facts'>{items}</dl>"


def _all_parameters(history: RunHistory) -> str:
    best = history.best.iloc[-1]
    rows = "".join(f"<tr><td>{escape(gene)}</td><td>{escape(_value(best[gene]))}</td></tr>" for gene in GENOME.names)
    return (
        "<details><summary>Every parameter of the champion</summary>"
        f"<div class='columns'><table>{rows}</table></div></details>"
    )


def _generations(history: RunHistory) -> str:
    columns: list[tuple[str, Callable[[Any], str]]] = [
        ("generation", lambda row: f"{int(row['generation'])}"),
        ("best", lambda row: str(row["best"])),
        ("win %", lambda row: f"{row['best_win_percent']:.1f}"),
        ("95 %", lambda row: f"{row['best_ci95_low']:.1f}–{row['best_ci95_high']:.1f}"),
        ("Elo", lambda row: f"{signed(row['best_elo'])} ± {row['best_elo_se']:.0f}"),
        ("mean win %", lambda row: f"{row['mean_win_percent']:.1f}"),
        ("matches", lambda row: f"{int(row['matches'])}"),
        ("mined", lambda row: f"{int(row['features_mined'])}"),
        ("features", lambda row: f"{int(row['best_features'])}"),
        ("work per playout", lambda row: f"{row['best_work_ratio']:.2f}"),
        ("UCT c", lambda row: f"{row['best_uct_c']:.3g}"),
        ("PUCT c", lambda row: f"{row['best_puct_c']:.3g}"),
    ]
    head = "".join(f"<th>{escape(name)}</th>" for name, _ in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(show(row))}</td>" for _, show in columns) + "</tr>"
        for _, row in history.generations.iterrows()
    )
    return f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _provenance(history: RunHistory) -> str:
    environment = history.environment
    command = shlex.join(["miner", *environment.get("command", [])])
    facts = [
        ("Program", f"gdl-miner {environment.get('version')}, Python {environment.get('python')}"),
        ("Libraries", ", ".join(f"{name} {number}" for name, number in environment.get("libraries", {}).items())),
        (
            "Machine",
            f"{environment.get('processor')}, {environment.get('processors', '?')} processors, "
            f"{environment.get('instruction_set')}, {environment.get('system', '')}",
        ),
        ("Started", str(environment.get("started"))),
        ("Rules", f"{history.content['game']['name']}, {history.content['game']['digest'][:16]}"),
        ("Configuration", f"{history.content.get('source', '')}, run {history.content.get('fingerprint', '')}"),
    ]
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(said)}</td></tr>" for name, said in facts)
    settings = json.dumps(history.settings, indent=2)
    return (
        f"<pre>{escape(command)}</pre>"
        "<p>The same game, configuration and seed give the same knowledge, byte for byte, on any number of workers. "
        "This runs everything again, in a new folder, and says whether the bytes agree:</p>"
        f"<pre>{escape(shlex.join(['miner', 'repeat', str(history.folder)]))}</pre>"
        f"<div class='scroll'><table class='about'>{rows}</table></div>"
        f"<details><summary>The whole configuration</summary><pre>{escape(settings)}</pre></details>"
    )


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
