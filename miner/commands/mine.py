"""`miner mine`: knowledge from match records, without an evolution."""

from __future__ import annotations

import glob
import json
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from agent.errors import RecordError
from agent.knowledge import Knowledge, WeightedFeature, write_knowledge
from agent.knowledge.wording import feature_in_words
from agent.reasoner.machine import Machine, load_machine
from agent.search.record_xml import read_records
from agent.search.records import MatchBatchRecord
from miner.mining.config import MiningConfig
from miner.mining.learning import FeatureLists, LearningPolicy, empty_lists, learn, suitable_parameters
from miner.mining.mine import mine as mine_records
from miner.mining.mined import MinedFeature, MinedKnowledge

__all__ = ["mine", "record_files"]

_SUFFIXES = (".xml", ".xml.gz")
_SHOWN = 10  # features of each list in the printed table


class Policy(StrEnum):
    """How features are chosen and weighed."""

    softmax = "softmax"
    phi = "phi"


def mine(
    records: Annotated[list[str], typer.Argument(help="Match records: files, folders or patterns.", metavar="RECORDS")],
    game: Annotated[str, typer.Option(help="A bundled game (amazons.ext.kif) or the path of a rule sheet.")],
    out: Annotated[Path, typer.Option(help="The knowledge file to write.")],
    policy: Annotated[
        Policy, typer.Option(help="softmax: weights fitted to root visits; phi: correlation with winning.")
    ] = Policy.softmax,
    max_features: Annotated[int, typer.Option(min=1, help="Features in each list of each role.")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="Decides which states are sampled and which are held out.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Mine knowledge from match records, write it, and show its best features in words.

    The records need root visits (as [b]agent play --record[/b] and [b]miner evolve[/b] write them) for the policy
    softmax; phi needs results only.
    """
    paths = record_files(records)
    machine = load_machine(game)
    with Progress(console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("reading records", total=len(paths))
        read: list[MatchBatchRecord] = []
        for path in paths:
            read.append(read_records(path, machine))
            progress.update(task, advance=1)
        progress.reset(task, description="mining", total=len(machine.roles))

        def show(text: str) -> None:
            progress.update(task, description=text)

        mined = mine_records(read, machine, MiningConfig(), seed=seed, weights=[1.0] * len(read), progress=show)
    learned = learn(
        empty_lists(len(machine.roles)),
        mined,
        LearningPolicy(policy.value),
        max_features=max_features,
        learning_factor=1.0,
    )
    write_knowledge(_knowledge(machine, learned, policy, max_features), out, machine.sheet)
    matches = sum(record.n_matches for record in read)
    if as_json:
        print(json.dumps(_as_json(mined, learned, machine, matches, out)))
    else:
        _print_tables(mined, learned, machine, matches, out)


def record_files(given: Sequence[str]) -> list[Path]:
    """The record files that paths, patterns and folders (searched to any depth) name, each once, sorted.

    Raises RecordError where one of them names nothing.
    """
    found: set[Path] = set()
    for each in given:
        path = Path(each)
        if path.is_dir():
            files = [file for file in path.rglob("*") if file.name.endswith(_SUFFIXES)]
            missing = f"{each}: there is no .xml or .xml.gz file in the folder"
        elif path.exists():
            files, missing = [path], ""
        else:
            files = [Path(name) for name in glob.glob(each, recursive=True) if Path(name).is_file()]  # noqa: PTH207 - a pattern may be absolute, which Path.glob refuses
            missing = f"{each}: no such file or folder, and no file matches it as a pattern"
        if not files:
            raise RecordError(f"{missing}; name match records")
        found.update(files)
    return sorted(found)


def _knowledge(machine: Machine, learned: FeatureLists, policy: Policy, max_features: int) -> Knowledge:
    return Knowledge(
        game=machine.sheet.name,
        digest=machine.sheet.digest,
        roles=tuple(machine.roles),
        winning=learned.winning,
        losing=learned.losing,
        parameters=suitable_parameters(policy.value, max_features),
    )


def _as_json(mined: MinedKnowledge, learned: FeatureLists, machine: Machine, matches: int, out: Path) -> dict[str, Any]:
    return {
        "out": str(out),
        "matches": matches,
        "notes": list(mined.notes),
        "roles": [
            {
                "role": machine.sheet.display(role),
                "decisions": mined.decisions[i],
                "choices": mined.choices[i],
                "explained": mined.explained[i],
                "winning": len(learned.winning[i]),
                "losing": len(learned.losing[i]),
                "features": [_feature_json(each, machine.sheet.display) for each in mined.features[i]],
            }
            for i, role in enumerate(mined.roles)
        ],
    }


def _feature_json(each: MinedFeature, display: Callable[[str], str]) -> dict[str, Any]:
    return {
        "class": each.feature.element,
        "words": feature_in_words(each.feature, each.itemset, display),
        "support": each.support,
        "phi": each.phi,
        "p_value": each.p_value,
        "q_value": each.q_value,
        "weight": each.weight,
        "error": each.error,
        "itemset_phi": each.itemset_phi if each.itemset else None,
    }


def _print_tables(mined: MinedKnowledge, learned: FeatureLists, machine: Machine, matches: int, out: Path) -> None:
    console = Console()
    for i, role in enumerate(mined.roles):
        evidence = {each.feature: each for each in mined.features[i]}
        table = Table(
            title=f"{machine.sheet.display(role)}: {len(learned.winning[i])} winning and "
            f"{len(learned.losing[i])} losing features from {mined.decisions[i]} decisions and "
            f"{mined.choices[i]} searches",
            title_justify="left",
        )
        for heading in ("weight", "phi", "p", "support"):
            table.add_column(heading, justify="right")
        table.add_column("feature")
        for sign, features in ((1, learned.winning[i]), (-1, learned.losing[i])):
            for each in features[:_SHOWN]:
                table.add_row(*_row(each, sign, evidence[each.feature], machine.sheet.display))
            table.add_section()
        console.print(table, markup=False)
    for note in mined.notes:
        console.print(f"note: {note}", markup=False)
    console.print(f"{matches} matches mined; knowledge written to {out}", markup=False, soft_wrap=True)


def _row(
    each: WeightedFeature, sign: int, evidence: MinedFeature, display: Callable[[str], str]
) -> tuple[str, str, str, str, str]:
    phi = evidence.itemset_phi if each.itemset else evidence.phi
    words = feature_in_words(each.feature, each.itemset, display)
    return f"{sign * each.weight:+.3f}", f"{phi:+.3f}", f"{evidence.p_value:.1e}", str(evidence.support), words
