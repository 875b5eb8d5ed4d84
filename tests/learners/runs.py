"""Small runs of the learning methods, by name."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gdl_miner.miner.runs.method import method_named
from gdl_miner.miner.runs.setup import RunSetup
from tests.learners.driving import GAME, Changes
from tests.runs.quick import quick_run

Finished = Callable[[str], Path]  # returns the folder of a finished run by its name; tests only read it


@dataclass(frozen=True)
class SmallRun:
    """A run of the configuration `quick`, except for some settings."""

    method: str
    changes: Changes
    lasts: tuple[int, ...] = ()  # after so many tasks for workers interruptions are tried
    game: str = GAME
    start: str | None = None  # the run with whose last.xml it starts

    def with_changes(self, changes: Changes, **named: Any) -> "SmallRun":
        """Return the same run with more changes."""
        sections = {name: {**self.changes.get(name, {}), **changes.get(name, {})} for name in {*self.changes, *changes}}
        return replace(self, changes=sections, **named)

    def begun(self, folder: Path, finished: Finished | None = None) -> RunSetup:
        """Make the folder of the run."""
        start = None if self.start is None or finished is None else finished(self.start) / "last.xml"
        return quick_run(folder, self.game, method_named(self.method), self.changes, start)


_FEW: dict[str, Any] = {"matches": 8, "validation_matches": 8}
_VALUES = SmallRun("values", {"values": {"steps": 2, "games": 400, "random_matches": 8, **_FEW}}, (1, 4))
_CULTURE = {
    "steps": 2, "individuals": 6, "opponents": 5, "fittest": 0.34, "shapes": [], "belief_states": 20, **_FEW
}  # fmt: skip
_GIFL = SmallRun(
    "gifl", {"gifl": {"steps": 2, "games": 60, **_FEW}, "search": {"playouts": 40, "equal": "playouts"}}, (2,)
)
_GAMES = {"measured_after": [3, 8, 10], "games_at_once": 4, "playouts": 20, "games_per_feature": 2, "value_steps": 0}
_PRUNED = {"pruned_after": 8, "kept_features": 5, "playout_moves": 1}
_UNPRUNED = {"measured_after": [3, 8], "pruned_after": 0}
_EXPERT = SmallRun("expert-iteration", {"expert": {**_GAMES, **_PRUNED, **_FEW}}, (1, 5))
_FEW_GAMES = SmallRun(
    "expert-iteration",
    {
        "expert": {
            **_GAMES, "measured_after": [3, 6], "playouts": 15, "matches": 4, "validation_matches": 4
        },
        "values": {"games": 64},
        "search": {"playouts": 10},
    },
)  # fmt: skip

RUNS = {
    "values": _VALUES,
    "values, tried": _VALUES.with_changes(
        {
            "discount": {"factors": [0.5, 0.9, 1.0], "depth": 2.0, "matches": 8},
            "long_searches": {"playouts": 60, "matches": 16, "share": 100.0},
        },
        lasts=(1, 3),
    ),
    "culture": SmallRun("culture", {"culture": _CULTURE}, (1, 3, 7)),
    "gifl": _GIFL,
    "gifl, alone": _GIFL.with_changes({"gifl": {"wins_first": False, "matches": 2}, "mining": {"symmetries": []}}),
    "expert-iteration": _EXPERT,
    "expert-iteration, held out": _EXPERT.with_changes({"expert": {**_UNPRUNED, "growth": "held out"}}, lasts=(2,)),
    "expert-iteration, valued": _EXPERT.with_changes(
        {"expert": {**_UNPRUNED, "value_steps": 2}, "values": {"games": 64}}, lasts=(2,)
    ),
    "few values": SmallRun("values", {"values": {"steps": 1, "games": 64, "matches": 4, "validation_matches": 0}}),
    "few games": _FEW_GAMES,
    "from few games": replace(_FEW_GAMES, start="few games"),
    "from few values": replace(_FEW_GAMES, start="few values", lasts=(2,)),
    "carried over": replace(_FEW_GAMES, start="few games", game="tictactoe5.ext", lasts=(1, 3)),
}
