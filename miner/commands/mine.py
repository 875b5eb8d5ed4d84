"""`miner mine`: knowledge from match records, without an evolution."""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from gdl_miner.agent.commands.options import Game, Json
from gdl_miner.agent.errors import KnowledgeError, RecordError
from gdl_miner.agent.features import WeightedFeature, feature_in_words
from gdl_miner.agent.files.new_file import check_place
from gdl_miner.agent.knowledge import Knowledge, Parameters, symmetries_in_words, write_knowledge
from gdl_miner.agent.limits import MAX_COUNT, MAX_SEED
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.commands.workplace import (
    Address,
    ExecutorKind,
    Executors,
    Workers,
    check_choice,
    open_executor,
    shown_progress,
)
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.learning import (
    LearnedFeatures,
    LearningPolicy,
    empty_lists,
    learn,
    reads_fit,
    suitable_parameters,
)
from gdl_miner.miner.mining.mine import MinedFeature, MinedKnowledge, MinedRole, mine_for
from gdl_miner.miner.mining.record_summary import RecordSummary, merge_summaries, read_file
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.executor import Executor, WorkerTask
from gdl_miner.miner.play.prepared_game import PreparedGame, refuse_chance

_SUFFIXES = (".xml", ".xml.gz")
_DEADLINE_S = 24 * 3600.0  # limit of the time for one file, since a large one takes long
_SHOWN = 10  # features of each list in the printed table


class Policy(StrEnum):
    """The policies by which features are chosen and weighed."""

    softmax = "softmax"
    phi = "phi"


def mine(
    records: Annotated[
        list[str], typer.Argument(help="Match records: files, folders (of runs too) or patterns.", metavar="RECORDS")
    ],
    game: Game,
    out: Annotated[Path, typer.Option(help="The knowledge file to write.")],
    policy: Annotated[
        Policy, typer.Option(help="softmax: weights fitted to root visits; phi: correlation with winning.")
    ] = Policy.softmax,
    max_features: Annotated[
        int, typer.Option(min=1, max=MAX_COUNT, help="Features in each list of each role.")
    ] = Parameters.max_features,
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Decides which states are sampled and which are held out.")
    ] = 1,
    workers: Workers = None,
    executor: Executors = ExecutorKind.serial,
    address: Address = None,
    as_json: Json = False,
) -> None:
    """Mine knowledge from match records, write it, and show its best features in words.

    The records need root visits (as [b]agent play --record[/b] and [b]miner evolve[/b] write them) for the policy
    softmax; phi needs results only. Files are read in parts, so there may be more of them than fit into memory; with
    [b]--executor ray[/b] many at a time, on a cluster by machines that have them under the same path.
    """
    check_choice(executor, workers, address)
    check_place(out, KnowledgeError)
    paths = record_files(records)
    machine = load_machine(game)
    refuse_chance(
        machine.sheet, "features are mined in games without chance", "learn values with miner learn --with values"
    )
    with shown_progress() as progress:
        workplace = open_executor(executor, workers, address, _DEADLINE_S)
        try:
            mined, matches = mine_files(paths, machine, seed, workplace, progress, _config(policy))
        finally:
            workplace.close()
    learned = learn(
        empty_lists(len(machine.roles)),
        mined,
        LearningPolicy(policy.value),
        max_features=max_features,
        learning_factor=1.0,
    )
    report = _Report(machine, matches, mined, learned, out)
    write_knowledge(report.knowledge(policy, max_features), out, machine.sheet)
    if as_json:
        print(json.dumps(report.as_json()))
    else:
        report.print_tables()


def _config(policy: Policy) -> MiningConfig:
    """Return the configuration that a policy needs."""
    config = MiningConfig()
    return config if reads_fit(policy.value) else config.without_fit()


def mine_files(
    paths: Sequence[Path],
    machine: Machine,
    seed: int,
    workplace: Executor,
    progress: Progress,
    config: MiningConfig | None = None,
) -> tuple[MinedKnowledge, int]:
    """Read and mine files of records on an executor; return what was mined, and the number of matches."""
    bar = progress.add_task("reading records", total=len(paths))
    config = config or MiningConfig()
    shared = (workplace.share(PreparedGame(machine.sheet, machine.circuit)), workplace.share(config))
    tasks = [WorkerTask(f"read-{number:06d}", path.absolute()) for number, path in enumerate(paths)]
    total: RecordSummary | None = None
    for _, found in workplace.run(read_file, (*shared, workplace.share(seed)), tasks):
        total = merge_summaries([found] if total is None else [total, found], config, seed)
        progress.update(bar, advance=1)
    assert total is not None
    progress.reset(bar, description="mining", total=len(machine.roles))
    data = total.training_data(config, seed)
    roles: dict[str, MinedRole] = {}
    tasks = [WorkerTask(f"mine-{role}", role) for role in range(len(machine.roles))]
    for name, role in workplace.run(mine_for, (*shared, workplace.share(data), workplace.share(())), tasks):
        roles[name] = role
        progress.update(bar, advance=1)
    return MinedKnowledge.of(machine.roles, [roles[task.id] for task in tasks]), total.matches


def record_files(given: Sequence[str]) -> list[Path]:
    """Return the record files that paths, patterns and folders (searched to any depth) name, each once, sorted.

    In the folders of runs only the records count, not the knowledge files beside them. Raises RecordError if a given
    path, pattern or folder names nothing.
    """
    found: set[Path] = set()
    for each in given:
        path = Path(each)
        if path.is_dir():
            files = list(_records_in(path))
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


def _records_in(folder: Path) -> Iterator[Path]:
    runs = {config.parent for config in folder.rglob("config.json")}
    for file in folder.rglob("*"):
        if file.name.endswith(_SUFFIXES):
            run = next((parent for parent in file.parents if parent in runs), None)
            if run is None or run / "records" in file.parents:
                yield file


@dataclass(frozen=True, eq=False)
class _Report:
    """The results of a command, to be written, printed or given as JSON."""

    machine: Machine
    matches: int
    mined: MinedKnowledge
    learned: LearnedFeatures
    out: Path

    def knowledge(self, policy: Policy, max_features: int) -> Knowledge:
        """Return the learned features as the content of a knowledge file."""
        sheet = self.machine.sheet
        return Knowledge(
            game=sheet.name,
            digest=sheet.digest,
            roles=tuple(self.machine.roles),
            winning=self.learned.winning,
            losing=self.learned.losing,
            parameters=suitable_parameters(policy.value, max_features),
            symmetries=sharing_of(self.machine, MiningConfig().symmetries).names,
        )

    def as_json(self) -> dict[str, Any]:
        """Return everything that was mined for every role."""
        mined, display = self.mined, self.machine.sheet.display
        return {
            "out": str(self.out),
            "matches": self.matches,
            "notes": list(mined.notes),
            "roles": [
                {
                    "role": display(role),
                    "decisions": mined.decisions[i],
                    "choices": mined.choices[i],
                    "explained": mined.explained[i],
                    "winning": len(self.learned.winning[i]),
                    "losing": len(self.learned.losing[i]),
                    "features": [_feature_json(each, display) for each in mined.features[i]],
                }
                for i, role in enumerate(mined.roles)
            ],
        }

    def print_tables(self) -> None:
        """Print the best features of every role in words, the notes, and where the knowledge was written."""
        console = Console()
        sharing = sharing_of(self.machine, MiningConfig().symmetries)
        if sharing.names:
            console.print(symmetries_in_words(sharing.names), markup=False)
        for role in sorted(set(sharing.owners)):
            console.print(self._table(role), markup=False)
        for note in self.mined.notes:
            console.print(f"note: {note}", markup=False)
        written = f"{self.matches} matches mined; knowledge written to {self.out}"
        console.print(written, markup=False, soft_wrap=True)

    def _table(self, role: int) -> Table:
        mined, display = self.mined, self.machine.sheet.display
        winning, losing = self.learned.winning[role], self.learned.losing[role]
        evidence = {each.feature: each for each in mined.features[role]}
        searches = f" and {mined.choices[role]} searches" if mined.choices[role] else ""
        table = Table(
            title=f"{display(mined.roles[role])}: {len(winning)} winning and {len(losing)} losing features from "
            f"{mined.decisions[role]} decisions{searches}",
            title_justify="left",
        )
        for heading in ("weight", "phi", "p", "support"):
            table.add_column(heading, justify="right")
        table.add_column("feature")
        for sign, features in ((1, winning), (-1, losing)):
            for each in features[:_SHOWN]:
                table.add_row(*_row(each, sign, evidence[each.feature], display))
            table.add_section()
        return table


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
        "fitted_itemsets": [
            {
                "words": feature_in_words(each.feature, known.itemset, display),
                "weight": known.weight,
                "error": known.error,
            }
            for known in each.fitted_itemsets
        ],
    }


def _row(
    each: WeightedFeature, sign: int, evidence: MinedFeature, display: Callable[[str], str]
) -> tuple[str, str, str, str, str]:
    phi = evidence.itemset_phi if each.itemset and each.itemset == evidence.itemset else evidence.phi
    words = feature_in_words(each.feature, each.itemset, display)
    return f"{sign * each.weight:+.3f}", f"{phi:+.3f}", f"{evidence.p_value:.1e}", str(evidence.support), words
