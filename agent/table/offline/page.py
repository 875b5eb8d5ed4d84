"""The page that plays a game by itself: the page of the table with its style, its scripts and its content inside."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from gdl_miner.agent.board import board_style
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.table.offline.contents import contents_of

_SCRIPTS = ("unpack.js", "rules.js", "values.js", "features.js", "search.js", "words.js", "session.js")
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def playable_page(machine: Machine, knowledge: Knowledge | None = None, name: str = "") -> str:
    """Return a page that plays a game in a browser without any request to a network.

    The page is that of the table. It evaluates the circuit of the rules, searches and explains by itself.

    Args:
        machine: the game.
        knowledge: what the agent plays with.
        name: name of the knowledge file, for people.

    Raises KnowledgeError for knowledge that does not fit the game, or that the page cannot play with.
    """
    page = _read("gdl_miner.agent.table", "table.html")
    style = board_style() + _read("gdl_miner.agent.table", "table.css")
    scripts = [_read("gdl_miner.agent.table.offline", each) for each in _SCRIPTS]
    scripts.append(_read("gdl_miner.agent.table", "table.js"))
    content = contents_of(machine, knowledge, name)
    for before, after in (
        ("<title>agent table</title>", f"<title>{escape(machine.sheet.name)}</title>"),
        (
            '<meta charset="utf-8">',
            f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        ),
        ('<link rel="stylesheet" href="table.css">', f"<style>\n{style}</style>"),
        ('<script src="connection.js" defer></script>\n', ""),
        ('<script src="table.js" defer></script>\n', ""),
        ("</body>", "".join(f"<script>\n{each}</script>\n" for each in scripts) + "</body>"),
        ("</main>", f'</main>\n<script type="text/plain" id="content">{content}</script>'),
    ):
        assert before in page, before
        page = page.replace(before, after, 1)
    return page


def _read(package: str, name: str) -> str:
    return (files(package) / name).read_text("utf-8")
