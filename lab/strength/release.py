"""The release of knowledge: for each game one run of `miner evolve`, fresh matches that measure it, and the index."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import replace_file
from gdl_miner.agent.games import bundled
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, size_with_table, table_beside
from gdl_miner.agent.knowledge.parameters import Parameters
from gdl_miner.agent.limits import MAX_SECONDS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.released.index import FOLDER, INDEX, LEVELS, Released, read_index
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.version import program_version
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts
from gdl_miner.miner.play.scoring import Equal, ScoreReport, score_equally, score_players
from gdl_miner.miner.results.json_file import read_object, write_object
from gdl_miner.miner.results.store import BEST
from lab.commit import current_commit
from lab.options import Games, Matches, OutFolder, PlayoutsOption, report_progress
from lab.tables import Column, Row, StudyTable, game_column, point_columns

SEED: Final = 1
_DEEPER: Final = 10  # times the work of the player
_FEWEST: Final = 40  # matches, however long they take
_CONSTANT: Final = f"constant {Parameters().uct_c:g}"
_EVEN: Final = 50.0  # percent of the points; what has no more over bare UCT, or the level below, is not released
_CLEAR: Final = 90.0  # percent of the points from which on the deeper opponent says more
_LEARNED, _MEASURED = "learned.json", "measured.json"  # beside the folder of a run


def release(
    game: Games = None,
    level: Annotated[str, typer.Option(help=f"What is learned: {' or '.join(LEVELS)}.")] = "quick",
    playouts: PlayoutsOption = 300,
    matches: Matches = 200,
    seconds: Annotated[
        float,
        typer.Option(
            min=1,
            max=MAX_SECONDS,
            help="Predicted processor seconds of each measurement; longer ones have fewer matches.",
        ),
    ] = 20.0,
    out: OutFolder = Path("results/release"),
    into: Annotated[Path, typer.Option(help="The folder of released knowledge that gets files and index.")] = FOLDER,
) -> Iterator[StudyTable]:
    """Learn and measure the knowledge that is shipped with the package, and write its files and their index.

    One command with seed 1 learns each game. Its knowledge then meets bare UCT in fresh matches at equal work, and
    where it has more than 90 % of the points, also bare UCT with ten times the work. Of a stronger level it also meets
    the levels below, at this work and at ten times as much. It is released where it has more than half of the points
    over bare UCT at equal work, and over the level below in the deeper matches. What is learned or measured is not done
    again, so a release that was broken off goes on. Games that are not named keep their entries, and games in which
    nothing helps have none. All but the measured seconds of learning is the same whenever it is repeated.
    """
    if level not in LEVELS:
        raise ConfigError(f"--level {level}: there is no such level; give one of {', '.join(LEVELS)}")
    columns = (
        game_column(),
        Column("bytes", "bytes", 8),
        Column("processor_s", "seconds", 8, ".1f"),
        Column("n", "matches", 7),
        *point_columns("equal", "equal work"),
        *point_columns("deeper", "deeper"),
        *point_columns("over", "over the level below"),
        *point_columns("over_deeper", "over it, deeper"),
    )
    names = [each.removesuffix(".kif") for each in game or bundled()]
    unknown = [name for name in names if name not in bundled()]
    if unknown:
        raise ConfigError(f"{unknown[0]} is not a bundled game; a release has those only")
    rows = (_released(name, level, playouts, matches, seconds, out / level / name, into) for name in names)
    yield StudyTable(columns, rows)


def _released(game: str, level: str, playouts: int, matches: int, seconds: float, folder: Path, into: Path) -> Row:
    run, command = folder / "run", ["evolve", "--game", game, "--config", LEVELS[level], "--seed", str(SEED)]
    _learn(command, run, folder / _LEARNED)
    learned = read_object(folder / _LEARNED, f"remove {folder} to learn anew")
    if read_knowledge(run / BEST).empty:
        report_progress(f"{game}: nothing that was learned helps, so there is nothing to release")
        return {"game": game, "processor_s": learned["processor_s"]}
    if not (folder / _MEASURED).exists():
        report_progress(f"{game}: matches")
        machine = load_machine(game)
        known = read_knowledge(run / BEST, machine.sheet)
        met = _LevelMatches(machine, known, playouts, matches, seconds)
        strength = [
            *met.against_bare(),
            *(each for other in _below(into, machine, level) for each in met.over(other, into)),
        ]
        write_object(folder / _MEASURED, {"strength": strength})
    measured = read_object(folder / _MEASURED, "remove it to measure anew")
    bare = [each for each in measured["strength"] if each["opponent_level"] is None]
    over = [each for each in measured["strength"] if each["opponent_level"] is not None][-2:]
    row: dict[str, object] = {"game": game, "processor_s": learned["processor_s"]}
    even = [each for each in (bare[0], *over[-1:]) if each["win_percent"] <= _EVEN]
    if even:
        report_progress(f"{game}: no stronger than {even[0]['opponent']}, so it is not released")
        _write_index(into, game, level, None)
    else:
        released = _kept(run, into, level, game, ["miner", *command], learned, measured["strength"])
        _write_index(into, game, level, released)
        row["bytes"] = released.bytes
    told = (*zip(("equal", "deeper"), bare, strict=False), *zip(("over", "over_deeper"), over, strict=False))
    for key, each in told:
        row |= {key: each["win_percent"], f"{key}_low": each["ci95"][0], f"{key}_high": each["ci95"][1]}
    return {**row, "n": bare[0]["n"]}


def _learn(command: list[str], run: Path, record: Path) -> None:
    """Make a run, or go on with it; its processor seconds of all calls are in the record, which is then complete."""
    if record.exists() and read_object(record, "remove it to learn anew")["complete"]:
        return
    before = read_object(record, "remove it to learn anew")["processor_s"] if record.exists() else 0.0
    record.parent.mkdir(parents=True, exist_ok=True)
    used, complete = _children_s(), False
    report_progress(f"{' '.join(command)}")
    words = [
        sys.executable,
        "-m",
        "gdl_miner",
        "miner",
        *command,
        "--executor",
        "serial",
        "--out",
        str(run),
        "--or-resume",
    ]
    try:
        complete = subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode == 0
    finally:
        spent = round(before + _children_s() - used, 1)
        write_object(record, {"complete": complete, "processor_s": spent, "commit": current_commit()})
    if not complete:
        raise ConfigError(f"{run}: the run did not come to its end; the same command goes on with it")


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _below(into: Path, machine: Machine, level: str) -> list[Released]:
    """Return the released knowledge of the game of weaker levels, the weakest first."""
    levels = list(LEVELS)
    known = read_index(into) if (into / INDEX).exists() else ()
    of_game = {each.level: each for each in known if each.digest == machine.sheet.digest}
    return [of_game[name] for name in levels[: levels.index(level)] if name in of_game]


class _LevelMatches:
    """Fresh matches of a player with knowledge, at the work of some playouts of bare UCT."""

    def __init__(self, machine: Machine, known: Knowledge, playouts: int, matches: int, seconds: float) -> None:
        """Play at most `matches` matches of each kind, and as many as are predicted to end within `seconds`."""
        self._machine = machine
        self._sample = PositionSample(machine)
        self._bare = PlayerSpec("uct", Parameters(), playouts=playouts)
        self._player = self._with(known)
        self._matches = matches
        self._seconds = seconds

    def against_bare(self) -> list[dict[str, Any]]:
        """Return the meetings with bare UCT, also with ten times the work where the first is clear."""
        equal = self._equally(self._bare, 1.0)
        found = [_meeting(equal, f"bare UCT with {equal.opponent_playouts} playouts a move ({_CONSTANT})")]
        if equal.score.win_percent > _CLEAR:
            deep = replace(self._bare, playouts=self._bare.playouts * _DEEPER)
            own = replace(self._player, playouts=equal.playouts)
            count = self._count((1 + _DEEPER) / 2)
            deeper = score_players(self._machine, own, deep, count, SEED, _quiet, Equal.work, equal.ratio)
            found.append(_meeting(deeper, f"bare UCT with {deeper.opponent_playouts} playouts a move ({_CONSTANT})"))
        return found

    def over(self, released: Released, folder: Path) -> list[dict[str, Any]]:
        """Return the meetings with the player of a weaker level at equal work, and with ten times as much for both."""
        opponent = self._with(read_knowledge(released.path(folder), self._machine.sheet))
        ratio = self._sample.work_ratio(opponent, self._bare)
        opponent = replace(opponent, playouts=equal_playouts(self._bare.playouts, ratio))
        met = []
        for times in (1, _DEEPER):
            report = self._equally(replace(opponent, playouts=opponent.playouts * times), float(times))
            name = f"the level {released.level} with {report.opponent_playouts} playouts a move"
            met.append(_meeting(report, name, released.level))
        return met

    def _with(self, known: Knowledge) -> PlayerSpec:
        return PlayerSpec(playouts=self._bare.playouts).with_knowledge(known, self._machine)

    def _equally(self, opponent: PlayerSpec, times: float) -> ScoreReport:
        """Meet an opponent whose searches have so many times the work of bare UCT's."""
        count = self._count(times)
        return score_equally(self._machine, self._sample, self._player, opponent, count, SEED, _quiet, Equal.work)

    def _count(self, times: float) -> int:
        """Return the number of matches in whole pairs, of players with so many times the work in the mean."""
        a_match = self._sample.choices * self._bare.playouts * self._sample.work(self._bare) * 1e-9
        group = max(2, len(self._machine.circuit.choosing_roles))
        return group * max(1, round(min(self._matches, max(_FEWEST, self._seconds / (a_match * times))) / group))


def _quiet(played: int) -> None:
    """Take no notice of progress."""


def _meeting(report: ScoreReport, opponent: str, level: str | None = None) -> dict[str, Any]:
    return {"opponent": opponent, "opponent_level": level, **report.as_json(), "seed": SEED}


def _kept(
    run: Path,
    into: Path,
    level: str,
    game: str,
    command: list[str],
    learned: dict[str, Any],
    strength: list[dict[str, Any]],
) -> Released:
    """Copy the best file of a run, and its table, into the released folder and return their entry."""
    target = into / level / f"{game}.xml"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(run / BEST, target)
    table = table_beside(run / BEST)
    if table is not None:
        shutil.copyfile(table, target.parent / table.name)
    known = read_knowledge(target)
    made = known.made
    return Released(
        game=game,
        digest=known.digest,
        level=level,
        file=f"{level}/{target.name}",
        sha256=sha256(target.read_bytes()).hexdigest(),
        bytes=size_with_table(target),
        command=" ".join(command),
        config=LEVELS[level],
        run=made.run if made else "",
        seed=SEED,
        version=made.version if made else program_version(),
        commit=learned["commit"],
        processor_s=learned["processor_s"],
        strength=tuple(strength),
    )


def _write_index(into: Path, game: str, level: str, released: Released | None) -> None:
    """Put an entry into an index in place of an older one of the game and level, and remove files without an entry."""
    known = read_index(into) if (into / INDEX).exists() else ()
    others = [each for each in known if (each.game, each.level) != (game, level)]
    entries = others if released is None else [*others, released]
    order = sorted(entries, key=lambda each: (each.game, list(LEVELS).index(each.level)))
    text = json.dumps({"knowledge": [each.as_json() for each in order]}, indent=1, ensure_ascii=False)
    replace_file(into / INDEX, f"{text}\n".encode())
    files = {into / each.file for each in order}
    used = files | {table for file in files if (table := table_beside(file)) is not None}
    for path in (*into.glob("*/values-*.npy"), *into.glob("*/*.xml")):
        if path not in used:
            path.unlink()
