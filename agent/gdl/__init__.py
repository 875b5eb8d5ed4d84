"""Reading and checking game rules in GDL-I; every expression keeps its place in the text."""

from gdl_miner.agent.gdl.board import Board
from gdl_miner.agent.gdl.formula import And, Atom, Distinct, Formula, Not, Or
from gdl_miner.agent.gdl.rules import Rule, RuleSheet, parse_sheet, read_sheet
from gdl_miner.agent.gdl.syntax import Compound, Location, Symbol, Term, Variable, format_term, normalise, parse_term

__all__ = [
    "And",
    "Atom",
    "Board",
    "Compound",
    "Distinct",
    "Formula",
    "Location",
    "Not",
    "Or",
    "Rule",
    "RuleSheet",
    "Symbol",
    "Term",
    "Variable",
    "format_term",
    "normalise",
    "parse_sheet",
    "parse_term",
    "read_sheet",
]
