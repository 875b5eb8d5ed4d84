"""Checks of the board extension: complete, sound, and fitting the sheet's fluents and moves (thesis 4.2.1)."""

import math
from collections.abc import Iterator

from gdl_miner.agent.gdl.board import DIAGONALS, EXTENSION, PATTERN_WORDS, Board, number_of_coordinates, real
from gdl_miner.agent.gdl.finding import Finding, arguments, error, warning
from gdl_miner.agent.gdl.formula import atoms, format_formula
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, format_term, ground
from gdl_miner.agent.gdl.wellformed import given_terms

MANY_CELLS = 10_000

_Facts = dict[str, tuple[Rule, tuple[Term, ...]]]


def board_extension(sheet: RuleSheet) -> Iterator[Finding]:
    """Find what is wrong with the board extension of a sheet; a sheet without one has no findings."""
    yield from _outside_of_facts(sheet)
    facts: _Facts = {}
    for rule in sheet.rules:
        if rule.head.name not in EXTENSION or rule.body:
            continue
        args = rule.head.args if isinstance(rule.head, Compound) else ()
        name = "boardfunctor" if rule.head.name == "boardrelation" else rule.head.name
        if name in facts and facts[name][1] != args:
            first = facts[name][0].position.line
            yield error(rule.position, f"a second '{name}' differs from the one in line {first}", "keep one of them")
        facts.setdefault(name, (rule, args))
    if facts:
        yield from _incomplete(facts)
        yield from _unsound(facts)
        yield from _misfit(sheet, facts)
    if sheet.board is not None:
        yield from _off_board(sheet, sheet.board)


def _outside_of_facts(sheet: RuleSheet) -> Iterator[Finding]:
    advice = "give it as a fact without variables, and mention it nowhere else"
    for rule in sheet.rules:
        if rule.head.name in EXTENSION and (rule.body or not ground(rule.head)):
            yield error(rule.position, f"'{format_term(rule.head)}' of the board extension is no ground fact", advice)
        for atom, _ in atoms(rule.body):
            if atom.name in EXTENSION:
                yield error(atom.position, f"'{format_formula(atom)}' of the board extension is a condition", advice)


def _incomplete(facts: _Facts) -> Iterator[Finding]:
    first = next(iter(facts.values()))[0]
    examples = {
        "boardboundaries": "(boardboundaries 1 8)",
        "boardfunctor": "(boardfunctor cell)",
        "boardpattern": "(boardpattern dim dim piece)",
        "playfunctor": "(playfunctor move)",
        "playpattern": "(playpattern skip skip dim dim)",
    }
    for name, example in examples.items():
        if name not in facts:
            yield error(first.position, f"the board extension lacks '{name}'", f"add it, such as {example}")
    examples["boardhexagonal"] = "(boardhexagonal 1 -1)"
    for name, (rule, args) in facts.items():
        arity = EXTENSION[name]
        if arity is not None and len(args) != arity:
            what = f"'{name}' has {arguments(len(args))}"
            yield error(rule.position, what, f"give it {arity}, such as {examples.get(name, '(boarddimnum 2)')}")


def _unsound(facts: _Facts) -> Iterator[Finding]:
    if "boardboundaries" in facts and len(facts["boardboundaries"][1]) == 2:
        rule, args = facts["boardboundaries"]
        low, high = map(real, args)
        if low is None or high is None or low > high or not math.isfinite(high - low):
            what = f"'{format_term(rule.head)}' is no range"
            yield error(rule.position, what, "give two decimal numbers, the smaller first")
        else:
            yield from _unsuitable_size(facts, rule, math.floor(high) - math.ceil(low) + 1)
    number = None
    if "boarddimnum" in facts and len(facts["boarddimnum"][1]) == 1:
        rule, (value,) = facts["boarddimnum"]
        number = int(value.name) if isinstance(value, Symbol) and value.name.isdecimal() else 0
        if number < 1:
            yield error(
                rule.position, f"'{format_term(value)}' is no number of dimensions", "give an integer from 1 on"
            )
            return
    elif "boardpattern" in facts:
        number = facts["boardpattern"][1].count(Symbol("dim"))
    for name in ("boardpattern", "playpattern"):
        if name in facts:
            yield from _unsound_pattern(name, *facts[name], number)
    yield from _unsound_neighbours(facts, number)


def _unsound_neighbours(facts: _Facts, number: int | None) -> Iterator[Finding]:
    """Find fault with the facts about neighbours; `number` is the number of dimensions, if it is known."""
    if "boardhexagonal" in facts and len(facts["boardhexagonal"][1]) == 2:
        rule, args = facts["boardhexagonal"]
        steps = [format_term(argument) for argument in args]
        if number not in (None, 2):
            yield error(rule.position, f"'boardhexagonal' on a {number}-dimensional board", "remove it, or use two")
        elif steps not in [[str(x), str(y)] for x, y in DIAGONALS]:
            what = f"'{format_term(rule.head)}' is no diagonal step"
            yield error(rule.position, what, "write (boardhexagonal 1 -1) or (boardhexagonal 1 1)")
    if "boardperiods" in facts and len(facts.get("boardboundaries", (None, ()))[1]) == 2 and number is not None:
        rule, args = facts["boardperiods"]
        extent = number_of_coordinates(*map(real, facts["boardboundaries"][1]))
        if len(args) != number or not {format_term(argument) for argument in args} <= {"0", str(extent)}:
            what = f"'{format_term(rule.head)}' does not say where the board returns"
            yield error(rule.position, what, f"for each dimension, write {extent} if its ends are joined, else 0")


def _unsuitable_size(facts: _Facts, boundaries: Rule, extent: int) -> Iterator[Finding]:
    """Find fault with a board of too few or too many cells; `extent` is the number of coordinates of a dimension."""
    if extent < 2:
        what = f"'{format_term(boundaries.head)}' leaves {'one coordinate' if extent else 'no integer coordinate'}"
        yield error(boundaries.position, what, "give the smallest and the largest coordinate of the board")
    elif "boardpattern" in facts and extent ** facts["boardpattern"][1].count(Symbol("dim")) > MANY_CELLS:
        what = f"'{format_term(boundaries.head)}' describes a board of more than {MANY_CELLS} cells"
        advice = "give the boundaries of the coordinates that occur; such games may be too large to prepare"
        yield warning(boundaries.position, what, advice)


def _unsound_pattern(name: str, rule: Rule, args: tuple[Term, ...], number: int | None) -> Iterator[Finding]:
    words = [format_term(argument) for argument in args]
    for word in words:
        if word not in PATTERN_WORDS:
            yield error(rule.position, f"'{word}' in '{name}' has no meaning", f"use {', '.join(PATTERN_WORDS)}")
    if number is not None and words.count("dim") != number:
        what = f"'{name}' has {words.count('dim')} 'dim' on a {number}-dimensional board"
        yield error(rule.position, what, "mark exactly one argument for each dimension")
    if words.count("piece") > 1:
        yield error(rule.position, f"'{name}' has {words.count('piece')} 'piece'", "mark one argument at most")


def _misfit(sheet: RuleSheet, facts: _Facts) -> Iterator[Finding]:
    fluents, moves = given_terms(sheet, {"init", "next"}, 0), given_terms(sheet, {"legal"}, 1)
    for kind, what, given in (("board", "fluent", fluents), ("play", "move", moves)):
        if f"{kind}functor" not in facts or len(facts[f"{kind}functor"][1]) != 1 or given is None:
            continue
        rule, (functor,) = facts[f"{kind}functor"]
        arities = sorted(arity for name, arity in given if name == format_term(functor))
        if not arities:
            known = ", ".join(sorted({name for name, arity in given if arity})) or "none"
            yield error(rule.position, f"no {what} is named '{format_term(functor)}'", f"use one of: {known}")
        elif f"{kind}pattern" in facts and len(facts[f"{kind}pattern"][1]) not in arities:
            pattern, words = facts[f"{kind}pattern"]
            yield error(
                pattern.position,
                f"'{kind}pattern' describes {arguments(len(words))}, but '{format_term(functor)}' has {arities[0]}",
                "give a word for each argument",
            )


def _off_board(sheet: RuleSheet, board: Board) -> Iterator[Finding]:
    for rule in sheet.rules:
        if rule.predicate != ("init", 1) or not isinstance(rule.head, Compound) or not ground(rule.head):
            continue
        fluent = rule.head.args[0]
        if isinstance(fluent, Compound) and (fluent.name, len(fluent.args)) == (
            board.board_functor,
            len(board.board_pattern),
        ):
            text = format_term(fluent)
            if board.field(text) is None:
                yield warning(
                    rule.position,
                    f"'{text}' is on no field of the board",
                    f"coordinates are integers from {board.low:g} to {board.high:g}; renumber, or widen the boundaries",
                )
