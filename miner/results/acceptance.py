"""The report and terminals show in a table what a file owes to its parts, by matches against the file without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from gdl_miner.agent.board.page import Section
from gdl_miner.miner.play.wording import count_matches
from gdl_miner.miner.results.history import RunHistory

TITLE = "What the file owes to its parts"
HEADINGS = ("part", "playouts", "against the file without it", "matches", "decision", "")


def acceptance_rows(history: RunHistory) -> list[tuple[str, ...]]:
    """Return the cells of HEADINGS for each test of each part; none where the run tested nothing, or not yet.

    Networks that trained on in their last generation have met the best of the one before; these rows come first.
    """
    return [
        *_last_training(history),
        *(
            (
                part,
                str(test["baseline_playouts"]),
                *_result(test),
                test["decision"],
                ("kept" if found["kept"] else "dropped") if test is found["tests"][-1] else "",
            )
            for part, found in (history.acceptance or {}).items()
            for test in found["tests"]
        ),
    ]


def _last_training(history: RunHistory) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the best network against the best before its last training."""
    measures = history.measures
    if "networks" not in measures:
        return
    best = measures.dropna(subset=["networks"])[["step", "best"]].tail(2)
    if len(best) < 2:
        return
    (_, before), (step, last) = best.itertuples(index=False, name=None)
    parents = history.players[(history.players["step"] == step) & (history.players["name"] == last)]["parents"]
    if len(parents) and before in str(parents.iloc[0]).split():
        for playouts, score in history.meetings(step, last, before):
            yield "last training", str(playouts), *_result(score.as_json()), "", ""


def _result(test: Mapping[str, Any]) -> tuple[str, str]:
    low, high = test["ci95"]
    return f"{test['win_percent']:.1f} % (95 %: {low:.1f}–{high:.1f})", count_matches(test["n"], test["draws"])


def acceptance_section(history: RunHistory) -> Section:
    """Return the tests of all parts as a table; an empty section where there are none."""
    rows = acceptance_rows(history)
    if not rows:
        return Section(TITLE, "")
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADINGS)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    note = (
        "A part is kept if a sequential test accepts at both numbers of playouts that the file with it is stronger; "
        "otherwise it is dropped. On these matches no other decision depended. The last "
        "training is judged by matches of the last tournament of networks; its playouts are the mean over all moves."
    )
    table = f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    return Section(TITLE, f"{table}<p class=note>{note}</p>")
