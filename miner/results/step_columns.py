"""The measures of the steps of a run, as texts and as columns of a table, the same on pages and on terminals."""

from __future__ import annotations

import math

from gdl_miner.miner.results.history import RunHistory

_METRICS = {  # heading: metric and its format
    "past %": ("past_win_percent", ".1f"),
    "random %": ("random_win_percent", ".1f"),
    "features": ("features", ".0f"),
    "weights": ("weights", ".0f"),
    "games": ("games", ".0f"),
    "matches/s": ("matches_per_s", ".1f"),
    "error": ("rms_error", ".3f"),
    "mined": ("features_mined", ".0f"),
    "work": ("work_ratio", ".2f"),
}
MEANINGS = {
    "mean %": "the mean of all players",
    "past %": "against the best before, which stays until a test accepts a later player",
    "random %": "against random moves",
    "games": "of training",
    "error": "of what was predicted in training",
    "mined": "features that the matches gave",
    "work": "of a playout, in playouts of bare UCT",
    "fresh": "matches of the champion on which nothing depended",
}


def shown(value: object) -> str:
    """Return a value of a metric in few characters; empty where it was not measured."""
    if isinstance(value, float):
        if value != value:
            return ""
        return f"{value:.0f}" if value.is_integer() or abs(value) >= 1000 else f"{value:.4g}"
    return {"True": "yes", "False": "no"}.get(str(value), str(value))


def step_columns(history: RunHistory) -> dict[str, list[str]]:
    """Return the cells of each column by its heading, the most important column first.

    There is a cell for the player of each step, and one for the champion in fresh matches if it was measured.
    """
    champion, steps = history.champion, history.main["step"]
    main = history.main.assign(matches_per_s=[_matches_per_s(history, step) for step in steps]).select_dtypes("number")
    columns = {
        history.unit: [str(step) for step in steps],
        "player": history.main["name"].tolist(),
        "win %": [_number(value, ".1f") for value in main["win_percent"]],
        "95 %": [_interval(*ends) for ends in zip(main["ci95_low"], main["ci95_high"], strict=True)],
        "Elo": [_elo(*rating) for rating in zip(main["elo"], main["elo_se"], strict=True)],
    }
    if history.crowded:
        means = history.players.groupby("step")["win_percent"].mean()
        columns["mean %"] = [_number(value, ".1f") for value in means.reindex(steps)]
    for heading, (metric, form) in _METRICS.items():
        if metric in main:
            columns[heading] = [_number(value, form) for value in main[metric]]
    if champion is not None:
        cells = {
            history.unit: "fresh",
            "win %": _number(champion["win_percent"], ".1f"),
            "95 %": _interval(*champion["ci95"]),
            "Elo": _elo(champion["elo"], champion["elo_se"]),
            "features": "" if history.features_left is None else str(history.features_left),
            "player": str(champion["individual"]),
        }
        for heading, column in columns.items():
            column.append(cells.get(heading, ""))
    return columns


def _number(value: float, form: str) -> str:
    return "" if value != value else format(value, form)


def _interval(low: float, high: float) -> str:
    return "" if low != low else f"{low:.0f}–{high:.0f}"


def _elo(elo: float, error: float) -> str:
    return "" if elo != elo else f"{elo:+.0f} ± {error:.0f}"


def _matches_per_s(history: RunHistory, step: int) -> float:
    rows = history.timings[(history.timings["step"] == step) & history.timings["matches"].notna()]
    seconds = float(rows["seconds"].sum())
    return float(rows["matches"].sum()) / seconds if seconds > 0 else math.nan
