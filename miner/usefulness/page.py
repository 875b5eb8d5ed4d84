"""A self-contained HTML page of a knowledge file.

It has a picture, a wording and the measurements of every feature, and the values of states on the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from gdl_miner.agent.board import board_style
from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.knowledge import Knowledge, symmetries_in_words
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.results.report_features import caption, key, signed
from gdl_miner.miner.results.report_values import values
from gdl_miner.miner.usefulness.ablation import Ablation
from gdl_miner.miner.usefulness.measure import FeatureUse, RoleUse, roles_with_features

_DRAWN = 60  # features of a role with a picture; the rest is a table


def explanation_page(
    name: str, knowledge: Knowledge, machine: Machine, uses: Sequence[RoleUse], ablations: Sequence[Ablation]
) -> str:
    """The page as HTML text."""
    style = board_style() + (files("gdl_miner.agent.board") / "report.css").read_text("utf-8")
    geometry = geometry_of(machine)
    title = f"What {name} knows of {machine.sheet.name}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        *(_features(knowledge, roles_with_features(knowledge, uses), machine, geometry) if uses else ()),
        _values(knowledge, machine),
        _ablations(ablations),
    ]
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta name='color-scheme' content='light dark'>"
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def _features(knowledge: Knowledge, uses: Sequence[RoleUse], machine: Machine, geometry: Geometry) -> list[str]:
    return [
        "<p class='lead'>Features, best first. The contribution says how much worse the knowledge predicts the choices "
        "of a deeper search without knowledge when the feature is taken away, in percent of all that could be "
        "predicted, ± its 95 % interval; the match rate is the share of the moves made for which the feature fires, "
        "offered that of the legal moves; the payoff is the mean goal after such a move.</p>",
        f"<p>{escape(symmetries_in_words(knowledge.symmetries))}</p>" if knowledge.symmetries else "",
        _facts(machine, uses),
        key(geometry),
        *(_role(role, machine, geometry) for role in uses),
    ]


def _values(knowledge: Knowledge, machine: Machine) -> str:
    drawn = values(knowledge, machine)
    return f"<h2>What states are worth</h2>{drawn}" if drawn else ""


def _facts(machine: Machine, uses: Sequence[RoleUse]) -> str:
    cards = "".join(
        f"<div><dt>{escape(machine.sheet.display(role.role))}</dt><dd>{_percent(role.explained)}"
        f"<small>of what could be predicted of {role.choices} choices, by {len(role.features)} features; mean goal "
        f"{role.payoff:.1f} over {role.decisions} moves</small></dd></div>"
        for role in uses
    )
    return f"<dl class='facts'>{cards}</dl>"


def _role(role: RoleUse, machine: Machine, geometry: Geometry) -> str:
    name = escape(machine.sheet.display(role.role))
    drawn = "".join(_card(use, machine, geometry) for use in role.features[:_DRAWN])
    rest = role.features[_DRAWN:]
    more = "".join(
        f"<tr><td>{escape(_words(use, machine))}</td><td>{signed(use.weight, 2)}</td>"
        f"<td>{signed(100 * use.contribution, 3)}</td><td>{use.support}</td></tr>"
        for use in rest
    )
    table = (
        f"<details><summary>{len(rest)} more</summary><div class='scroll'><table><thead><tr><th>feature</th>"
        f"<th>weight</th><th>contributes %</th><th>support</th></tr></thead><tbody>{more}</tbody></table></div>"
        "</details>"
    )
    return f"<h2>{name}</h2><ul class='features'>{drawn}</ul>{table if rest else ''}"


def _card(use: FeatureUse, machine: Machine, geometry: Geometry) -> str:
    kind = "plus" if use.weight >= 0 else "minus"
    picture = use.entry.draw(geometry)
    seen = {
        "contributes": f"{signed(100 * use.contribution, 2)} ±\u00a0{196 * use.error:.2f}\u00a0%",
        "match rate": f"{100 * use.match_rate:.1f} %",
        "moves": f"{use.support}",
        "offered": f"{100 * use.offered:.1f} %",
        "payoff": "never matched" if use.payoff is None else f"{use.payoff:.1f}",
        "phi": signed(use.phi, 3),
    }
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in seen.items())
    words = f"<b class='{kind}'>{signed(use.weight, 2)}</b> {caption(use.entry, machine.sheet)}"
    return f"<li><div>{picture}</div><p>{words}</p><dl class='seen'>{rows}</dl></li>"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %".replace("-", "−")


def _ablations(ablations: Sequence[Ablation]) -> str:
    if not ablations:
        return ""
    rows = ""
    for each in sorted(ablations, key=lambda each: -each.contribution):
        low, high = each.score.ci95
        rows += (
            f"<tr><td>{escape(each.part)}</td><td>{each.score.win_percent:.1f}</td><td>{low:.1f}–{high:.1f}</td>"
            f"<td>{each.score.matches}</td></tr>"
        )
    return (
        "<h2>Against itself without a part</h2><div class='scroll'><table><thead><tr><th>part</th><th>won %</th>"
        f"<th>95 %</th><th>matches</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _words(use: FeatureUse, machine: Machine) -> str:
    return use.entry.words(machine.sheet.display)
