"""The constant that a run tuned for bare UCT, for measurements of the run's knowledge files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.limits import MAX_FACTOR
from gdl_miner.miner.results.json_file import read_object
from gdl_miner.miner.results.store import TUNING


@dataclass(frozen=True)
class BareConstant:
    """The UCB1 constant of bare UCT, and where it comes from."""

    uct_c: float
    tuned_in: Path | None  # the file of the run that found it; None: it is the usual constant

    @property
    def words(self) -> str:
        """Return a sentence about the constant, without a stop."""
        if self.tuned_in is None:
            return f"bare UCT has the usual constant of {self.uct_c:g}; there is no {TUNING} beside the file"
        return f"bare UCT has a constant of {self.uct_c:g}, as tuned in {self.tuned_in}"


def bare_constant(knowledge: Path) -> BareConstant:
    """Return the constant that was tuned in the run of a knowledge file; the usual one where nothing was tuned.

    Raises ConfigError where the file beside the knowledge is damaged.
    """
    path, advice = knowledge.parent / TUNING, "restore it, or give --uct-c"
    if not path.exists():
        return BareConstant(Parameters.uct_c, None)
    found = read_object(path, advice).get("uct_c")
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= MAX_FACTOR:
        raise ConfigError(f"{path}: uct_c: a number from 0 to {MAX_FACTOR} is expected, not {found!r}; {advice}")
    return BareConstant(float(found), path)
