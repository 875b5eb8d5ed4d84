"""`miner explain` shows a knowledge file in words and pictures and measures the use of each feature."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent.commands.options import Json, SeedOption
from gdl_miner.agent.errors import UserError
from gdl_miner.agent.features import FEATURE_CLASSES
from gdl_miner.agent.files.new_file import check_place, replace_file
from gdl_miner.agent.knowledge import Knowledge, symmetries_in_words
from gdl_miner.agent.limits import MAX_COUNT
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.commands.knowledge_game import KnowledgeGame, load
from gdl_miner.miner.commands.observation import JudgedPositions, OwnMatches, OwnPlayouts, RecordFiles, observe
from gdl_miner.miner.commands.value_tables import print_values, values_as_json
from gdl_miner.miner.commands.workplace import shown_progress
from gdl_miner.miner.usefulness.ablation import Ablation, ablate, without_class, without_feature, without_values
from gdl_miner.miner.usefulness.measure import FeatureUse, RoleUse, measure, roles_with_features
from gdl_miner.miner.usefulness.observations import Effort
from gdl_miner.miner.usefulness.page import explanation_page

_HEADINGS = ("weight", "contributes %", "support", "match %", "offered %", "payoff", "phi")
_NARROW = ("weight", "contributes %", "match %")  # headings on a narrow terminal
_WIDE = 110  # least columns of a terminal that shows all headings


def explain(
    knowledge: Annotated[
        Path, typer.Argument(help="The knowledge file, or a level of agent knowledge list.", metavar="KNOWLEDGE")
    ],
    html: Annotated[Path | None, typer.Option(help="Write a page with features and values drawn on the board.")] = None,
    top: Annotated[
        int,
        typer.Option(min=1, max=MAX_COUNT, help="Features of each role, and tuples and facts of values, in a table."),
    ] = 12,
    game: KnowledgeGame = None,
    records: RecordFiles = None,
    matches: OwnMatches = Effort.matches,
    playouts: OwnPlayouts = Effort.playouts,
    positions: JudgedPositions = Effort.positions,
    ablate_matches: Annotated[
        int,
        typer.Option(
            "--ablate", min=0, max=MAX_COUNT, help="Matches against the knowledge without each part; 0: none."
        ),
    ] = 0,
    ablate_top: Annotated[
        int,
        typer.Option(
            min=0,
            max=MAX_COUNT,
            help="With --ablate: the parts are values, all classes and so many features of each role.",
        ),
    ] = 3,
    seed: SeedOption = 1,
    as_json: Json = False,
) -> None:
    """Explain a knowledge file: its features in words, best first, with what they were seen to do, and its values.

    A feature's contribution is how much worse the knowledge predicts the choices of a deeper search without knowledge
    when the feature is taken away, in percent of all that could be predicted. The match rate is the share of the moves
    made for which it fires, offered that of the legal moves, payoff the mean goal after such a move. With
    [b]--ablate[/b] the knowledge plays against itself without each part.

    The values of states are shown as maps of the board, one for each piece, with the weights of tuples of cells and of
    facts that are not on the board. In a file with values and without features nothing is measured.
    """
    if html is not None:
        check_place(html, UserError)
    value, machine = load(knowledge, game)
    with shown_progress() as progress:
        effort = Effort(matches, playouts, positions)
        uses: tuple[RoleUse, ...] = ()
        if value.n_features or value.values is None:
            uses = measure(value, machine, observe(value, machine, records, effort, seed, progress))
        ablations: tuple[Ablation, ...] = ()
        if ablate_matches:
            parts = _parts(value, machine, uses, ablate_top)
            task = progress.add_task("matches without a part", total=ablate_matches * len(parts))
            ablations = ablate(
                value,
                parts,
                machine,
                matches=ablate_matches,
                playouts=playouts,
                seed=seed,
                progress=lambda done: progress.update(task, advance=done),
            )
    if html is not None:
        replace_file(html, explanation_page(knowledge.name, value, machine, uses, ablations).encode())
    if as_json:
        print(json.dumps(_as_json(knowledge, value, machine, uses, ablations)))
    else:
        _print_tables(value, machine, uses, ablations, top)
        if html is not None:
            print(f"page: {html}")


def _parts(knowledge: Knowledge, machine: Machine, uses: tuple[RoleUse, ...], top: int) -> list[tuple[str, Knowledge]]:
    """Return the parts to ablate, each with the knowledge that lacks it.

    The parts are the values, every class that occurs and the best features of each role.
    """
    known = {use.entry.feature.element for role in uses for use in role.features}
    parts = [
        (f"all {name}", without_class(knowledge, name))
        for name in dict.fromkeys((*(each.element for each in FEATURE_CLASSES), *sorted(known)))
        if name in known
    ]
    if knowledge.values is not None:
        parts.insert(0, ("the values of states", without_values(knowledge)))
    for number, role in enumerate(uses):
        for use in role.features[:top]:
            words = use.entry.words(machine.sheet.display)
            name = f"{machine.sheet.display(role.role)}: {words}"
            parts.append((name, without_feature(knowledge, number, use.entry)))
    return parts


def _print_tables(
    knowledge: Knowledge, machine: Machine, uses: tuple[RoleUse, ...], ablations: tuple[Ablation, ...], top: int
) -> None:
    console = Console()
    if uses and knowledge.symmetries:
        console.print(symmetries_in_words(knowledge.symmetries), markup=False)
    _print_features(console, machine, roles_with_features(knowledge, uses), top)
    if decisive := _decisive_moves(knowledge, machine):
        console.print(f"decisive moves in playouts: {decisive}", markup=False)
    if knowledge.values is not None:
        print_values(console, knowledge.values, machine, top)
    if ablations:
        _print_ablations(console, ablations)


def _decisive_moves(knowledge: Knowledge, machine: Machine) -> str | None:
    """What playouts with the knowledge prefer in the game, None where it asks for nothing."""
    asked = knowledge.parameters.decisive_moves
    return None if asked == "off" else machine.decisive_moves(asked).words


def _print_features(console: Console, machine: Machine, uses: tuple[RoleUse, ...], top: int) -> None:
    shown = _HEADINGS if console.width >= _WIDE else _NARROW
    for role in uses:
        table = Table(
            title=f"{machine.sheet.display(role.role)}: {len(role.features)} features, which predict "
            f"{100 * role.explained:.1f} % of {role.choices} choices of deeper searches; {role.decisions} moves, "
            f"mean goal {role.payoff:.1f}",
            title_justify="left",
        )
        for heading in shown:
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("feature", ratio=1)
        for use in role.features[:top]:
            cells = [cell for heading, cell in zip(_HEADINGS, _cells(use), strict=True) if heading in shown]
            table.add_row(*cells, use.entry.words(machine.sheet.display))
        console.print(table, markup=False)
    if uses and shown != _HEADINGS:
        missing = ", ".join(heading.removesuffix(" %") for heading in _HEADINGS if heading not in shown)
        console.print(f"a terminal of {_WIDE} columns shows {missing}, too; --json and --html tell all", markup=False)


def _print_ablations(console: Console, ablations: tuple[Ablation, ...]) -> None:
    table = Table(title="the knowledge against itself without a part", title_justify="left")
    for heading in ("won %", "95 %", "matches"):
        table.add_column(heading, justify="right")
    table.add_column("part", ratio=1)
    for each in sorted(ablations, key=lambda each: -each.contribution):
        low, high = each.score.ci95
        table.add_row(f"{each.score.win_percent:.1f}", f"{low:.1f}–{high:.1f}", str(each.score.matches), each.part)
    console.print(table, markup=False)


def _cells(use: FeatureUse) -> list[str]:
    return [
        f"{use.weight:+.2f}",
        f"{100 * use.contribution:+.2f} ± {196 * use.error:.2f}",
        str(use.support),
        f"{100 * use.match_rate:.1f}",
        f"{100 * use.offered:.1f}",
        "" if use.payoff is None else f"{use.payoff:.1f}",
        f"{use.phi:+.3f}",
    ]


def _as_json(
    path: Path, knowledge: Knowledge, machine: Machine, uses: tuple[RoleUse, ...], ablations: tuple[Ablation, ...]
) -> dict[str, Any]:
    return {
        "knowledge": str(path),
        "game": machine.sheet.name,
        "roles": [
            {
                "role": machine.sheet.display(role.role),
                "decisions": role.decisions,
                "choices": role.choices,
                "explained": round(role.explained, 6),
                "payoff": round(role.payoff, 4),
                "features": [_feature_json(use, machine) for use in role.features],
            }
            for role in uses
        ],
        "symmetries": list(knowledge.symmetries),
        "decisive_moves": _decisive_moves(knowledge, machine),
        "values": None if knowledge.values is None else values_as_json(knowledge.values, machine),
        "ablations": [
            {
                "part": each.part,
                "win_percent": round(each.score.win_percent, 4),
                "ci95": [round(end, 4) for end in each.score.ci95],
                "n": each.score.matches,
            }
            for each in ablations
        ],
    }


def _feature_json(use: FeatureUse, machine: Machine) -> dict[str, Any]:
    return {
        "class": use.entry.feature.element,
        "words": use.entry.words(machine.sheet.display),
        "list": "winning" if use.winning else "losing",
        "weight": round(use.weight, 6),
        "support": use.support,
        "match_rate": round(use.match_rate, 6),
        "offered": round(use.offered, 6),
        "payoff": None if use.payoff is None else round(use.payoff, 4),
        "phi": round(use.phi, 6),
        "p_value": float(f"{use.p_value:.6g}"),
        "contribution": round(use.contribution, 8),
        "contribution_error": round(use.error, 8),
    }
