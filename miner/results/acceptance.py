"""The report and terminals show in a table what a file owes to its parts, by matches against the file without them."""

from __future__ import annotations

from html import escape

from gdl_miner.miner.play.wording import count_matches
from gdl_miner.miner.results.history import RunHistory
from gdl_miner.miner.results.page import Section

TITLE = "What the file owes to its parts"
HEADINGS = ("part", "playouts", "against the file without it", "matches", "decision", "")


def acceptance_rows(history: RunHistory) -> list[tuple[str, ...]]:
    """Return the cells of HEADINGS for each test of each part; none where the run tested nothing, or not yet."""
    return [
        (
            part,
            str(test["baseline_playouts"]),
            f"{test['win_percent']:.1f} % (95 %: {test['ci95'][0]:.1f}–{test['ci95'][1]:.1f})",
            count_matches(test["n"], test["draws"]),
            test["decision"],
            ("kept" if found["kept"] else "dropped") if test is found["tests"][-1] else "",
        )
        for part, found in (history.acceptance or {}).items()
        for test in found["tests"]
    ]


def acceptance_section(history: RunHistory) -> Section:
    """Return the tests of all parts as a table; an empty section where there are none."""
    rows = acceptance_rows(history)
    if not rows:
        return Section(TITLE, "")
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADINGS)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    note = (
        "A part is kept if a sequential test accepts at both numbers of playouts that the file with it is stronger; "
        "otherwise it is dropped. On these matches no other decision depended."
    )
    table = f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    return Section(TITLE, f"{table}<p class=note>{note}</p>")
