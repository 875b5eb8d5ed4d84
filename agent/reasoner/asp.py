"""Translation of clauses to answer-set-programming text, and of atoms of that text back to canonical GDL text.

Symbols become quoted strings, so that `01`, `+` or a number beyond 32 bits has no meaning to the grounder. Relations
and functors are mangled injectively: a lower-case letter or a digit stays itself, and any other character becomes its
code between underscores.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable
from gdl_miner.agent.reasoner.normal_form import Clause

ASP_EXTRA_RULES = """
{r_true(F)} :- reached(F).
reached(F) :- r_init(F).
reached(F) :- r_next(F).
{r_does(R,M)} :- r_legal(R,M), r_role(R).
"""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[a-z0-9_]+|[(),]')
_ESCAPED = re.compile(r"\\(.)")


def asp_text(clauses: list[Clause]) -> str:
    """Return one line per clause."""
    return "\n".join(map(_rule, clauses))


def fact_text(relation: str, arguments: tuple[Term, ...]) -> str:
    """Return a ground atom as a fact."""
    return f"{_atom(Compound(relation, arguments))}."


@lru_cache(maxsize=65536)
def mangled(name: str) -> str:
    """Return a name made of lower-case letters, digits and underscores; different names give different results."""
    return "".join(c if c.isascii() and (c.islower() or c.isdigit()) else f"_{ord(c):x}_" for c in name)


@lru_cache(maxsize=65536)
def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _term(term: Term) -> str:
    if isinstance(term, Symbol):
        return _quoted(term.name)
    if isinstance(term, Variable):
        return "V_" + mangled(term.name)
    return f"f_{mangled(term.name)}({','.join(map(_term, term.args))})"


def _atom(atom: Term) -> str:
    if isinstance(atom, Compound):
        return f"r_{mangled(atom.name)}({','.join(map(_term, atom.args))})"
    return f"r_{mangled(atom.name)}"


def _rule(clause: Clause) -> str:
    body = [_atom(atom) for atom in clause.positive]
    body += ["not " + _atom(atom) for atom in clause.negative]
    body += [f"{_term(left)} != {_term(right)}" for left, right in clause.distinct]
    return f"{_atom(clause.head)} :- {', '.join(body)}." if body else f"{_atom(clause.head)}."


def read_atom(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the relation of an atom and the canonical texts of its arguments."""
    stack: list[list[str]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            arguments = stack.pop()
            if len(stack) == 1:
                return stack[0][0], tuple(arguments)
            functor = stack[-1].pop()
            stack[-1].append(f"({functor} {' '.join(arguments)})")
        elif token != ",":
            stack[-1].append(_name(token))
    return stack[0][0], ()


@lru_cache(maxsize=65536)
def _name(token: str) -> str:
    if token[0] == '"':
        return _ESCAPED.sub(r"\1", token[1:-1])
    return re.sub(r"_([0-9a-f]+)_", lambda found: chr(int(found[1], 16)), token[2:])
