"""Rules to a machine that answers what is legal, what comes next, what it is worth."""

from agent.reasoner.circuit import Circuit
from agent.reasoner.machine import Machine, State, load_machine

__all__ = ["Circuit", "Machine", "State", "load_machine"]
