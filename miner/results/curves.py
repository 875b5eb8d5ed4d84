"""Learning curves of methods over games: a metric by step, and how far the runs of several seeds lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.miner.results.history import RunHistory


class Band(StrEnum):
    """What the band around a curve is."""

    range = "range"  # from the least to the most of the seeds
    sd = "sd"  # one standard deviation of the seeds on each side
    none = "none"


@dataclass(frozen=True)
class LearningCurve:
    """The curve of a method in a game."""

    game: str
    label: str  # the method, and the configuration where a method has several
    unit: str  # of its steps
    seeds: int  # runs
    steps: tuple[int, ...]
    seconds: tuple[float, ...]  # [step] processor seconds up to the step, the mean of the runs; not the same each time
    mean: tuple[float, ...]  # [step]
    low: tuple[float, ...]  # [step] the lower edge of the band
    high: tuple[float, ...]

    def as_json(self) -> dict[str, Any]:
        """Return what `miner curves --json` prints."""
        numbers = {name: [round(each, 4) for each in getattr(self, name)] for name in ("mean", "low", "high")}
        told = {"game": self.game, "label": self.label, "unit": self.unit, "seeds": self.seeds}
        return {**told, "steps": list(self.steps), "seconds": [round(each, 2) for each in self.seconds], **numbers}


def learning_curves(runs: Sequence[tuple[str, RunHistory]], metric: str, band: Band) -> list[LearningCurve]:
    """Return a curve for each game and label, in the order of the names.

    A run that ended earlier than others of its curve keeps its last value: its knowledge is what it would still have.

    Args:
        runs: runs, finished or not, with the label of each.
        metric: a metric of the players whom steps are about, or of steps, as in steps.csv.
        band: what the band is.

    Raises ConfigError where a run has no such metric.
    """
    import pandas as pd  # here, because it takes a second to load

    grouped = dict[tuple[str, str], list[RunHistory]]()
    for label, history in runs:
        grouped.setdefault((str(history.content["game"]["name"]), label), []).append(history)
    curves = []
    for (game, label), histories in sorted(grouped.items(), key=lambda each: each[0]):
        values = pd.concat([_values(each, metric) for each in histories], axis="columns").sort_index().ffill()
        spent = pd.concat([_seconds(each).reindex(values.index) for each in histories], axis="columns").ffill()
        mean, spread = values.mean(axis="columns"), values.std(axis="columns", ddof=1).fillna(0.0)
        low, high = {
            Band.range: (values.min(axis="columns"), values.max(axis="columns")),
            Band.sd: (mean - spread, mean + spread),
            Band.none: (mean, mean),
        }[band]
        numbers = [tuple(map(float, each)) for each in (spent.mean(axis="columns"), mean, low, high)]
        steps = tuple(int(step) for step in values.index)
        curves.append(LearningCurve(game, label, histories[0].unit, len(histories), steps, *numbers))
    return curves


def _values(history: RunHistory, metric: str) -> Any:
    """Return the values of a metric by step. Raises ConfigError where there are none."""
    main = history.main
    values = main.set_index("step")[metric].dropna() if metric in main else main.head(0)
    if values.empty:
        known = [str(name) for name in main if name not in ("step", "name") and main[name].dtype.kind in "if"]
        has = [name for name in known if main[name].notna().any()]
        raise ConfigError(
            f"{history.folder}: no step has the metric {metric}; "
            + (f"give --metric one of: {', '.join(has)}" if has else "the run has no finished step yet")
        )
    if values.dtype.kind not in "if":
        raise ConfigError(f"{history.folder}: {metric} is no number; give another --metric")
    return values.astype(float)


def _seconds(history: RunHistory) -> Any:
    """Return the processor seconds up to each step."""
    return history.timings.groupby("step")["seconds"].sum().sort_index().cumsum()
