"""report.html: what a run found, on one page that needs nothing else."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from agent.gdl import RuleSheet
from agent.knowledge import Geometry, Knowledge, WeightedFeature, read_knowledge
from miner.evolution.genome import GENOME
from miner.mining.wording import feature_in_words
from miner.results.board_svg import draw_feature
from miner.results.chart_svg import Estimate, draw_estimates, draw_stack
from miner.results.folder import replace_file
from miner.results.plots import CLASS_COLOURS

__all__ = ["write_report"]

_SHOWN = 6  # features of a list that are drawn


@dataclass(frozen=True)
class _Run:
    """What the page is made from."""

    config: dict[str, Any]
    environment: dict[str, Any]
    generations: pd.DataFrame
    individuals: pd.DataFrame
    champion: dict[str, Any] | None
    knowledge: Knowledge
    sheet: RuleSheet
    geometry: Geometry


def write_report(folder: Path, sheet: RuleSheet, geometry: Geometry) -> None:
    """Writes report.html from what lies in a run's folder; nothing before a generation is finished."""
    generations = pd.read_csv(folder / "generations.csv").dropna(subset=["best"])
    if generations.empty:
        return
    champion = folder / "champion.json"
    run = _Run(
        json.loads((folder / "config.json").read_text("utf-8")),
        json.loads((folder / "env.json").read_text("utf-8")),
        generations,
        pd.read_csv(folder / "individuals.csv"),
        json.loads(champion.read_text("utf-8")) if champion.exists() else None,
        read_knowledge(folder / "best.xml", sheet),
        sheet,
        geometry,
    )
    replace_file(folder / "report.html", _page(run).encode())


def _page(run: _Run) -> str:
    style = (files("miner.results") / "report.css").read_text("utf-8")
    title = f"Knowledge of {run.sheet.name}"
    sections = [
        f"<h1>{escape(title)}</h1><p class='soft'>{escape(_summary(run))}</p>",
        _facts(run),
        "<h2>Fitness</h2>" + _fitness(run),
        "<h2>Feature classes</h2>" + _classes(run),
        "<h2>What the champion looks at</h2>" + _features(run),
        "<h2>Parameters of the champion</h2>" + _parameters(run),
        "<h2>Generations</h2>" + _generations(run),
        "<h2>What was run</h2>" + _provenance(run),
    ]
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main>{''.join(sections)}</main></body></html>\n"
    )


def _summary(run: _Run) -> str:
    evolution, search = run.config["config"]["evolution"], run.config["config"]["search"]
    return (
        f"{len(run.generations)} of {evolution['generations']} generations, {evolution['population']} individuals, "
        f"{search['playouts']} playouts per move, seed {run.config['config']['seed']}."
    )


def _facts(run: _Run) -> str:
    last = run.generations.iloc[-1]
    cards = [
        (
            "best of the last generation",
            f"{last['best_win_percent']:.1f} %",
            f"Elo {last['best_elo']:+.0f} ± {last['best_elo_se']:.0f}, {int(last['best_matches'])} matches",
        ),
        ("features known", f"{int(last['best_features'])}", f"of {int(last['features_mined'])} mined"),
        ("matches played", f"{int(run.individuals['matches'].sum())}", "against bare UCT, in tournaments"),
    ]
    if run.champion is not None:
        low, high = run.champion["ci95"]
        cards.insert(
            0,
            (
                "champion on fresh matches",
                f"{run.champion['win_percent']:.1f} %",
                f"95 %: {low:.1f}–{high:.1f}, Elo {run.champion['elo']:+.0f} ± {run.champion['elo_se']:.0f}",
            ),
        )
    return (
        "<dl class='facts'>"
        + "".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(value)}<small>{escape(more)}</small></dd></div>"
            for name, value, more in cards
        )
        + "</dl>"
    )


def _fitness(run: _Run) -> str:
    estimates = [
        Estimate(
            str(int(row["generation"])),
            row["best_win_percent"],
            row["best_ci95_low"],
            row["best_ci95_high"],
            row["mean_win_percent"],
        )
        for _, row in run.generations.iterrows()
    ]
    legend = [("var(--accent)", "best of the generation, 95 % interval"), ("var(--soft)", "mean of the population")]
    if run.champion is not None:
        low, high = run.champion["ci95"]
        estimates.append(Estimate("fresh", run.champion["win_percent"], low, high, special=True))
        legend.append(("var(--champion)", f"champion, {run.champion['n']} fresh matches"))
    return (
        f"<figure>{draw_estimates(estimates, 50.0, '% of points against bare UCT')}{_legend(legend)}</figure>"
        "<p class='note'>The best of a generation is chosen by the matches shown, so its value flatters; the fresh "
        "matches decided nothing and do not.</p>"
    )


def _classes(run: _Run) -> str:
    best = run.individuals[run.individuals["rank"] == 1].sort_values("generation")
    series = [
        (name.removeprefix("Feature"), colour, [int(count) for count in best[name]])
        for name, colour in CLASS_COLOURS.items()
        if best[name].sum() > 0
    ]
    chart = draw_stack([str(number) for number in best["generation"]], series)
    return f"<figure>{chart}{_legend((colour, name) for name, colour, _ in series)}</figure>"


def _features(run: _Run) -> str:
    parameters = run.knowledge.parameters
    parts = []
    for role, name in enumerate(run.knowledge.roles):
        sides: list[tuple[str, Sequence[WeightedFeature], float]] = [
            ("seeks", run.knowledge.winning[role], parameters.winning_weight),
            ("avoids", run.knowledge.losing[role], -parameters.losing_weight),
        ]
        for verb, features, side in sides:
            drawn = sorted(
                ((side * _class_weight(run.knowledge, each) * each.weight, each) for each in features),
                key=lambda entry: -abs(entry[0]),
            )
            items = "".join(_feature(run, weight, each) for weight, each in drawn[:_SHOWN])
            if items:
                heading = f"{run.sheet.display(name)} {verb}: {len(drawn)} features, the weightiest"
                parts.append(f"<h3>{escape(heading)}</h3><ul class='features'>{items}</ul>")
    return "".join(parts) or "<p>It knows no features.</p>"


def _feature(run: _Run, weight: float, each: WeightedFeature) -> str:
    kind = "plus" if weight >= 0 else "minus"
    words = feature_in_words(each.feature, each.itemset, run.sheet.display)
    picture = draw_feature(each.feature, each.itemset, run.geometry)
    return f"<li>{picture}<p><b class='{kind}'>{weight:+.2f}</b> {escape(words)}</p></li>"


def _class_weight(knowledge: Knowledge, each: WeightedFeature) -> float:
    parameters = knowledge.parameters
    weights = parameters.itemset_class_weights if each.itemset else parameters.class_weights
    return weights[each.feature.element] * parameters.impact


def _parameters(run: _Run) -> str:
    best = run.individuals[run.individuals["rank"] == 1].sort_values("generation").iloc[-1]
    rows = "".join(f"<tr><td>{escape(gene)}</td><td>{escape(_value(best[gene]))}</td></tr>" for gene in GENOME.names)
    return f"<div class='columns'><table>{rows}</table></div>"


def _generations(run: _Run) -> str:
    columns: list[tuple[str, Callable[[Any], str]]] = [
        ("generation", lambda row: f"{int(row['generation'])}"),
        ("best", lambda row: str(row["best"])),
        ("win %", lambda row: f"{row['best_win_percent']:.1f}"),
        ("95 %", lambda row: f"{row['best_ci95_low']:.1f}–{row['best_ci95_high']:.1f}"),
        ("Elo", lambda row: f"{row['best_elo']:+.0f} ± {row['best_elo_se']:.0f}"),
        ("mean win %", lambda row: f"{row['mean_win_percent']:.1f}"),
        ("matches", lambda row: f"{int(row['matches'])}"),
        ("features", lambda row: f"{int(row['best_features'])}"),
    ]
    head = "".join(f"<th>{escape(name)}</th>" for name, _ in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(show(row))}</td>" for _, show in columns) + "</tr>"
        for _, row in run.generations.iterrows()
    )
    return f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _provenance(run: _Run) -> str:
    environment = run.environment
    command = shlex.join(["miner", *environment["command"]])
    facts = (
        f"gdl-miner {environment['version']}, Python {environment['python']}, {environment['processor']} "
        f"({environment['instruction_set']}), {environment['started']}. Rules {run.config['game']['digest'][:16]}, "
        f"run {run.config['fingerprint']}."
    )
    settings = json.dumps(run.config["config"], indent=2)
    return (
        f"<p>{escape(facts)} The same command gives the same knowledge, byte for byte, in another folder:</p>"
        f"<pre>{escape(command)}</pre><details><summary>The whole configuration</summary><pre>{escape(settings)}</pre>"
        "</details>"
    )


def _legend(entries: Iterable[tuple[str, str]]) -> str:
    items = "".join(f"<li><i style='background:{colour}'></i>{escape(name)}</li>" for colour, name in entries)
    return f"<ul class='legend'>{items}</ul>"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
