"""The history of a run, read from its folder: settings, tables and champion. The run need not be finished."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import class_colours
from gdl_miner.agent.reading import read_bounded
from gdl_miner.miner.play.pairing import match_score
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.wording import count_playouts, use_in_long_searches
from gdl_miner.miner.results.json_file import read_object
from gdl_miner.miner.results.shapes import AcceptanceShape, AnyShape, ChampionShape, EnvironmentShape, PruningShape
from gdl_miner.miner.results.store import ACCEPTANCE, LONG_TRIAL, PRUNING, VALUE_TRIAL, RunStore
from gdl_miner.miner.results.tables import MATCHES, MATCHES_FILE, STEPS, STEPS_FILE, TIMINGS, TIMINGS_FILE

if TYPE_CHECKING:
    import pandas as pd

STRENGTH = ["matches", "win_percent", "ci95_low", "ci95_high", "elo", "elo_se"]  # metrics of a player's strength
_VERDICTS = {"ahead": "ahead of", "even": "even with", "behind": "behind"}
BARE_UCT = "bare UCT"
TOURNAMENTS = ("tournament", "deeper tournament")  # phases of matches of players with each other
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")  # but tabs and ends of lines


@dataclass(frozen=True)
class StepProgress:
    """The result of the player whom a finished step is about, against bare UCT."""

    step: int
    name: str
    matches: int
    win_percent: float
    ci95: tuple[float, float]
    elo: float
    elo_se: float
    features: int  # number of features in all its lists; 0 where the step does not say


@dataclass(frozen=True)
class FitnessCurve:
    """The fitness of a player in the course of a tournament (thesis figure 6.1)."""

    name: str
    matches: tuple[int, ...]  # [pair] matches played so far
    win_percent: tuple[float, ...]  # [pair] win percentage in all of these matches
    round_ends: tuple[int, ...]  # [round] matches played when the round ended


@dataclass(frozen=True, eq=False)
class RunHistory:
    """A run as far as it has come."""

    folder: Path
    content: dict[str, Any]  # config.json
    environment: dict[str, Any]  # env.json
    steps: pd.DataFrame  # columns STEPS
    matches: pd.DataFrame  # columns MATCHES
    timings: pd.DataFrame  # columns TIMINGS
    champion: dict[str, Any] | None  # champion.json; None where there is none yet
    pruning: dict[str, Any] | None  # pruning.json; None where nothing was pruned yet
    acceptance: dict[str, Any] | None  # acceptance.json; None where no part was tested yet
    value_trial: dict[str, Any] | None  # value_trial.json; None where no values were tried

    @property
    def settings(self) -> dict[str, Any]:
        """The run's configuration."""
        settings: dict[str, Any] = self.content["config"]
        return settings

    @property
    def plugins(self) -> list[dict[str, str]]:
        """What other packages added to the run: `kind`, `name`, `package`, `version` and `digest` of each."""
        plugins: list[dict[str, str]] = self.content.get("plugins", [])
        return plugins

    @cached_property
    def class_colours(self) -> dict[str, str]:
        """The colour of each feature class that the run may have, by name."""
        return class_colours(each["name"] for each in self.plugins if each["kind"] == "feature")

    @property
    def unit(self) -> str:
        """The name of a step, in the singular."""
        return str(self.content["unit"])

    @property
    def planned(self) -> int:
        """The largest number of steps that the configuration allows."""
        return int(self.content["steps"])

    @cached_property
    def players(self) -> pd.DataFrame:
        """A row for each player of each step, in the order of the table: `step`, `name`, and a column for each metric.

        A column is numeric if all its values are. Values that were not measured are missing.
        """
        return _wide(self.steps[self.steps["name"] != ""], ["step", "name"])

    @cached_property
    def measures(self) -> pd.DataFrame:
        """A row for each step: `step`, and a column for each metric of the step itself."""
        return _wide(self.steps[self.steps["name"] == ""], ["step"])

    @cached_property
    def main(self) -> pd.DataFrame:
        """The rows of `players` whom the steps are about, with the measures of their steps.

        There is a column for each metric of `STRENGTH`, even where it was never measured.
        """
        first = self.players.drop_duplicates("step").reset_index(drop=True)
        of_step = self.measures.drop(columns=[name for name in self.measures if name in first and name != "step"])
        main = first.merge(of_step, "left", "step") if len(first) and len(of_step) else first
        return main.reindex(columns=[*main, *(metric for metric in STRENGTH if metric not in main)])

    @property
    def origin(self) -> str:
        """The player whose Elo is 0 in all steps."""
        known: list[Any] = self.measures["elo_origin"].dropna().tolist() if "elo_origin" in self.measures else []
        return str(known[0]) if known else BARE_UCT

    @property
    def crowded(self) -> bool:
        """Whether a step has several players."""
        return len(self.players) > len(self.main)

    @cached_property
    def progress(self) -> Sequence[StepProgress]:
        """The result of every finished step whose player met the baseline."""
        return tuple(
            StepProgress(
                int(row["step"]),
                str(row["name"]),
                int(row["matches"]),
                float(row["win_percent"]),
                (float(row["ci95_low"]), float(row["ci95_high"])),
                float(row["elo"]),
                float(row["elo_se"]),
                0 if (features := row.get("features", 0)) != features else int(features),
            )
            for _, row in self.main.dropna(subset=STRENGTH).iterrows()
        )

    def charted(self, metric: str) -> bool:
        """Return whether a metric has a chart of its own, beside those of strength and feature classes."""
        drawn = {
            "step",
            "name",
            "elo_origin",
            "island",
            "best",
            "rank",
            "parents",
            "wins",
            "draws",
            "losses",
            *STRENGTH,
            *self.class_colours,
        }
        return metric not in drawn and not metric.startswith(("past_", "random_"))

    @property
    def use_of_values(self) -> str:
        """What the trials of learned values found, in words; empty where there were none.

        Raises ConfigError where the file of the trials is damaged.
        """
        said = []
        try:
            for name, trial in (self.value_trial or {}).items():
                if name == LONG_TRIAL:
                    limits = (int(trial["trusted_playouts"]), int(trial.get("valued_playouts", 0)))
                    if any(limits):
                        said.append(use_in_long_searches(*limits))
                else:
                    deep = count_playouts(int(trial["baseline_playouts"]))
                    percent, verdict = float(trial["win_percent"]), _VERDICTS[trial["verdict"]]
                    said.append(f"{name} {percent:.1f} % in searches of {deep}, {verdict} bare UCT")
        except (KeyError, TypeError, ValueError):
            raise ConfigError(
                f"{self.folder / VALUE_TRIAL}: the trial of values is damaged, or of another version; restore it, or "
                "read the run with the version that env.json names"
            ) from None
        return f"trials of values: {'; '.join(said)}" if said else ""

    @property
    def features_left(self) -> int | None:
        """The number of features after pruning and acceptance; None where nothing was taken away on purpose."""
        tested = (self.acceptance or {}).items()
        if any("features" in part and not found["kept"] for part, found in tested):
            return 0
        return None if self.pruning is None else int(self.pruning["features"])

    @property
    def helps(self) -> bool:
        """Whether the champion beat the baseline in fresh matches, as far as that is known."""
        return self.champion is None or bool(self.champion["helps"])

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.champion is not None if self.content["validates"] else RunStore(self.folder).ended

    def meetings(self, step: int, one: str, other: str) -> Iterator[tuple[int, Score]]:
        """Yield a player's points against another in each tournament of a step, after their playouts there.

        The playouts are the mean over all moves of both players.
        """
        rows = self.matches[(self.matches["step"] == step) & self.matches["phase"].isin(TOURNAMENTS)]
        for _, of_phase in rows.groupby("phase", sort=False):
            met = [pair for pair in _pairs(of_phase) if set(" ".join(pair["players"]).split()) == {one, other}]
            if met:
                scores = (score for pair in met for name, score in _pair_scores(pair) if name == one)
                playouts, moves = (sum(pair[column].sum() for pair in met) for column in ("playouts", "moves"))
                yield round(playouts / moves), sum(scores, start=Score())

    def fitness_curves(self, step: int) -> tuple[FitnessCurve, ...]:
        """Return a curve for each player of a step's tournament, first the curves with the most matches."""
        rows = self.matches[(self.matches["step"] == step) & (self.matches["phase"] == "tournament")]
        if rows.empty:
            return ()
        scores: dict[str, list[tuple[int, Score]]] = {}  # player: round and score, pair by pair
        for pair in _pairs(rows):
            for name, score in _pair_scores(pair):
                scores.setdefault(name, []).append((int(pair["round"].iloc[0]), score))
        curves = [_curve(name, played) for name, played in scores.items()]
        return tuple(sorted(curves, key=lambda curve: (-curve.matches[-1], -curve.win_percent[-1], curve.name)))


def read_run(folder: Path) -> RunHistory:
    """Read a run's folder and change nothing there; the run may be going on, interrupted or complete.

    Raises ConfigError where the folder holds no run, a run of another format, or damaged tables.
    """
    _, content = RunStore.open(folder)
    champion, pruning, trial = folder / "champion.json", folder / PRUNING, folder / VALUE_TRIAL
    acceptance = folder / ACCEPTANCE
    return RunHistory(
        folder,
        content,
        read_object(folder / "env.json", "restore it", EnvironmentShape),
        _table(folder / STEPS_FILE, STEPS, str),
        _table(folder / MATCHES_FILE, MATCHES),
        _table(folder / TIMINGS_FILE, TIMINGS),
        read_object(champion, "restore it", ChampionShape) if champion.exists() else None,
        read_object(pruning, "restore it", PruningShape) if pruning.exists() else None,
        read_object(acceptance, "restore it", AcceptanceShape) if acceptance.exists() else None,
        read_object(trial, "restore it", AnyShape) if trial.exists() else None,
    )


def _table(path: Path, columns: Sequence[str], kind: type | None = None) -> pd.DataFrame:
    """Read the finished lines of a table; the table is empty where its file does not exist yet."""
    import pandas as pd  # here, because it takes a second to load, and most commands read no tables

    try:
        content = read_bounded(path) if path.exists() else b""
        if _CONTROL.search(content):
            raise ValueError("a control character")
        whole = io.BytesIO(content[: content.rfind(b"\n") + 1])
        table = (
            pd.read_csv(whole, dtype=kind, keep_default_na=kind is None)
            if content
            else pd.DataFrame(columns=list(columns))
        )
        if kind is str:
            table["step"] = table["step"].astype(int)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{path}: the table is damaged ({error}); restore it from a copy") from None
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise ConfigError(
            f"{path}: the columns are those of another version (there is no {missing[0]}); read the run with the "
            "version that env.json names"
        )
    return table


def _wide(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return a row for each combination of the keys, in the order of the table, and a column for each metric."""
    import pandas as pd

    places = rows.groupby(keys, sort=False).ngroup()
    metrics = list(dict.fromkeys(rows["metric"]))
    table = rows.assign(place=places).pivot_table(index="place", columns="metric", values="value", aggfunc="last")
    table = table.reindex(columns=metrics)
    for metric in metrics:
        numbers = pd.to_numeric(table[metric], errors="coerce")
        if numbers.notna().equals(table[metric].notna()):
            table[metric] = numbers
        elif table[metric].dropna().isin(["true", "false"]).all():
            table[metric] = table[metric].map({"true": True, "false": False})
    first = rows.drop_duplicates(keys)[keys].reset_index(drop=True)
    return first.join(table.reset_index(drop=True))


def _pairs(matches: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the matches of each pair."""
    return (pair for _, pair in matches.groupby(matches["id"].str.rpartition("-s")[0], sort=False))


def _pair_scores(pair: pd.DataFrame) -> Iterator[tuple[str, Score]]:
    """Yield the score of each player of a pair but the baseline.

    The first player of the first match takes every role once against the other. In games of one role both play alone,
    and their goals are compared.
    """
    seats = [str(players).split() for players in pair["players"]]
    goals = [[int(goal) for goal in str(text).split()] for text in pair["goals"]]
    player = seats[0][0]
    if len(seats[0]) == 1:
        opponent, score = seats[1][0], match_score([goals[0][0], goals[1][0]], 0)
    else:
        opponent = seats[0][1]
        scores = (match_score(goal, players.index(player)) for players, goal in zip(seats, goals, strict=True))
        score = sum(scores, start=Score())
    for name, own in ((player, score), (opponent, score.turned())):
        if name != "baseline":
            yield name, own


def _curve(name: str, played: Sequence[tuple[int, Score]]) -> FitnessCurve:
    total = Score()
    matches: list[int] = []
    percents: list[float] = []
    ends: dict[int, int] = {}
    for number, score in played:
        total += score
        matches.append(total.matches)
        percents.append(total.win_percent)
        ends[number] = total.matches
    return FitnessCurve(name, tuple(matches), tuple(percents), tuple(ends.values()))
