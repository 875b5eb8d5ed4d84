"""How a player searches: its parameters, and the seat that the kernel reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Parameters, compile_knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.uct import SeatedPlayer
from gdl_miner.agent.values import compile_values

__all__ = ["SELF_TAUGHT", "WITHOUT_KNOWLEDGE", "changed", "take_seat", "usual_in_flight"]

_NO_STATE_LIMIT = 1 << 30
WITHOUT_KNOWLEDGE = Parameters(solver=True)
"""Parameters of a player without a knowledge file."""
SELF_TAUGHT = Parameters(solver=True, uct_c=12.0, uct_growth="root", value_weight=1.0, experience=1)
"""Parameters of a player without a knowledge file after it has learned values of states."""


def changed(parameters: Parameters, changes: Mapping[str, Any]) -> Parameters:
    """Return the parameters with changes by name. Raises ConfigError for one that is unknown or out of its range."""
    try:
        return replace(parameters, **changes)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"parameters of the player: {error}") from None


def usual_in_flight(parameters: Parameters, *, values: bool) -> int:
    """Return how many playouts a tree runs at once where nobody says it (docs/experiments.md has the measurements).

    Playouts need many lanes to be fast. Values that take their place are about as fast with few, and think better.
    Searches against a clock are long, so that they make playouts where long ones do not trust values alone.
    """
    alone = values and parameters.value_weight == 1 and parameters.trusted_playouts == 0
    return 8 if alone else 64


def take_seat(
    machine: Machine,
    knowledge: Knowledge | None,
    parameters: Parameters,
    threads: int,
    in_flight: int | None,
    memory_mib: int,
) -> SeatedPlayer:
    """Return the seat of a player whose trees share the memory, a tree for each thread."""
    values = None if knowledge is None or knowledge.values is None else compile_values(knowledge.values, machine)
    return SeatedPlayer(
        kind="uct",
        parameters=parameters,
        scorer=None if knowledge is None else _native.Scorer(compile_knowledge(knowledge, machine)),
        values=values,
        playouts=0,
        seconds=0.0,
        in_flight=in_flight or usual_in_flight(parameters, values=values is not None),
        max_states=_NO_STATE_LIMIT,
        max_bytes=(memory_mib << 20) // threads,
        eviction="linked",
        draws_moves=False,
    )
