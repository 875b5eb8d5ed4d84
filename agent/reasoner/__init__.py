"""The reasoner: it turns the rules of a game into a machine that computes legal moves, next states and goals."""

from gdl_miner.agent.reasoner.circuit import Circuit, State
from gdl_miner.agent.reasoner.machine import Machine, load_machine

__all__ = ["Circuit", "Machine", "State", "load_machine"]
