"""Positions that facts describe."""

from __future__ import annotations

from gdl_miner.agent.errors import ConfigError, RuleError
from gdl_miner.agent.gdl.syntax import format_term, read_expressions, term_of
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.machine import Machine


def position_of(machine: Machine, text: str) -> State:
    """Return the state in which the facts of a text hold, such as `(cell 1 1 x) (control o)`.

    Raises ConfigError where the text is no list of facts of the game, or the match cannot go on from there.
    """
    try:
        terms = [format_term(term_of(each)) for each in read_expressions(text)]
        state = machine.state_of(
            term.removeprefix("(true ").removesuffix(")") if term.startswith("(true ") else term for term in terms
        )
    except (RuleError, ValueError) as error:
        raise ConfigError(f"the position: {error}") from None
    if not machine.terminal(state):
        for role, rows in enumerate(machine.legal(state)):
            if not len(rows):
                name = machine.sheet.display(machine.roles[role])
                raise ConfigError(
                    f"the position: {name} has no legal move there, and it is not terminal; is a fact missing, such as "
                    "whose turn it is?"
                )
    return state
