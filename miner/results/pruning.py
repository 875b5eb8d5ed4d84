"""The result of a run's pruning in words, and as a section of its report."""

from __future__ import annotations

from html import escape
from typing import Any

from gdl_miner.agent.board.page import Section
from gdl_miner.miner.play.wording import count_matches
from gdl_miner.miner.results.history import RunHistory


def pruning_in_words(history: RunHistory) -> str:
    """Return what pruning left of the best player's features; empty where the run pruned nothing, or not yet."""
    found = history.pruning
    if found is None or not found["features_whole"]:
        return ""
    kept = f"{found['features']} of {found['features_whole']} features kept"
    if found["bytes"] == found["bytes_whole"]:
        return f"pruning: {kept}"
    sizes = f"the file has {_kilobytes(found['bytes'])}, whole.xml {_kilobytes(found['bytes_whole'])}"
    chosen = [trial for trial in found["trials"] if trial["size"] == found["size"]]
    strength = [f"{_points(trial)} against the whole" for trial in chosen]
    return f"pruning: {'; '.join([kept, sizes, *strength])}"


def pruning_section(history: RunHistory) -> Section:
    """Return the trials of the pruning as a table; an empty section where the run pruned nothing, or not yet."""
    found, words = history.pruning, pruning_in_words(history)
    if found is None or not words:
        return Section("Pruning", "")
    head = "".join(f"<th>{name}</th>" for name in ("features a role", "features", "against the whole", "verdict"))
    rows = "".join(
        f"<tr><td>{trial['size']}</td><td>{trial['features']}</td><td>{escape(_points(trial))}</td>"
        f"<td>{'as strong' if trial['as_strong'] else 'weaker'}</td></tr>"
        for trial in sorted(found["trials"], key=lambda trial: trial["size"])
    )
    table = f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    return Section("Pruning", f"<p>{escape(words[0].upper() + words[1:])}.</p>" + (table if rows else ""))


def _points(trial: dict[str, Any]) -> str:
    low, high = trial["ci95"]
    matches = count_matches(trial["n"], trial["draws"])
    return f"{trial['win_percent']:.1f} % (95 %: {low:.1f}–{high:.1f}) of {matches}"


def _kilobytes(size: int) -> str:
    return f"{size / 1000:.0f} kB"
