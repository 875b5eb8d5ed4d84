"""`miner export` writes a knowledge file for others: as one page that plays its game in any browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import ParameterOption
from gdl_miner.agent.errors import UserError
from gdl_miner.agent.files.new_file import check_place, replace_file
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.table.offline import playable_page
from gdl_miner.miner.commands.knowledge_game import KnowledgeGame, load

_KB = 1000


def export(
    knowledge: Annotated[
        Path, typer.Argument(help="The knowledge file, or a level of agent knowledge list.", metavar="KNOWLEDGE")
    ],
    html: Annotated[Path, typer.Option(help="The page to write.")],
    game: KnowledgeGame = None,
    option: ParameterOption = None,
) -> None:
    """Write one page that plays the game with the knowledge in any browser, without a network.

    The page has the rules, the knowledge, the search and the board. People play against the agent at any strength, and
    see what each move is worth and which cells and patterns say so. It can be sent or put on a web site; nothing in it
    asks a network for anything. Browsers from 2023 on can read it.
    """
    changes = read_changes(option or [])
    check_place(html, UserError)
    known, machine = load(knowledge, game)
    if changes:
        known = replace(known, parameters=replace(known.parameters, **changes))
    page = playable_page(machine, known, knowledge.name).encode()
    replace_file(html, page)
    print(f"page: {html} ({len(page) / _KB:,.0f} kB)")
