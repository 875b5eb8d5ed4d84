"""Faults of a game that its rules show only when they are grounded or played."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from gdl_miner.agent.errors import BudgetError
from gdl_miner.agent.gdl.dependencies import apart, relevant_rules, unify
from gdl_miner.agent.gdl.finding import Finding, warning
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Location, Symbol, Term, format_term
from gdl_miner.agent.gdl.term_growth import growing_rules
from gdl_miner.agent.gdl.wellformed import rules_with_unmet_conditions
from gdl_miner.agent.reasoner.budget import Clock
from gdl_miner.agent.reasoner.engines import TextEngine
from gdl_miner.agent.reasoner.grounding import ground
from gdl_miner.agent.reasoner.line_of_play import written
from gdl_miner.agent.reasoner.normal_form import FRESH, Clause, clauses_of

FIRES = f"{FRESH}fires"
LEAST_PLAYOUTS = 10  # that have time for their steps where none of them ends
LONG_PLAYOUT = 1000  # steps after which a match that has not ended is remarkable
MANY_PLAYOUTS = 50  # of which it is remarkable that all have the same goals


class _Dead(NamedTuple):
    """A rule that can never fire, and why."""

    rule: Rule
    condition: Term | None  # a positive condition that never holds; None if it is their combination that never does
    givers: tuple[Location, ...]  # the rules that would give this condition, or all conditions


def dead_rules(sheet: RuleSheet, clock: Clock) -> list[Finding]:
    """Return a finding for each cause of rules that can never fire, of those on which matches depend.

    A rule that waits in vain for what another dead rule gives is named in the finding of that rule. Rules with a
    condition that no rule or fact can meet are left out, with all that wait for them: the check names these conditions.

    Raises:
        BudgetError: the rules do not ground within the clock's budget, or have no end of ground rules.
    """
    rules = relevant_rules(sheet.rules)
    if growing_rules(rules):
        raise BudgetError("rules that build ever larger terms are not ground")
    clauses = clauses_of(replace(sheet, rules=tuple(rules)))
    own = [clause for clause in clauses if clause.positive and not clause.head.name.startswith(FRESH)]
    fired = {own[index].position for index in _met([clause[1:] for clause in own], clauses, clock)}
    dead = {rule.position for rule in rules if rule.body} - fired
    dead -= {clause.position for clause in clauses if not clause.positive and not clause.head.name.startswith(FRESH)}
    explained = rules_with_unmet_conditions(sheet)
    waiting = [clause for clause in own if clause.position in dead]
    conditions = list(dict.fromkeys(term for clause in waiting for term in clause.positive))
    held = (
        _met([((term,), (), (), clauses[0].position) for term in conditions], clauses, clock) if conditions else set()
    )
    vain = {term for index, term in enumerate(conditions) if index not in held}
    found = {}
    for rule in (rule for rule in rules if rule.position in dead):
        asked = [term for clause in waiting if clause.position == rule.position for term in clause.positive]
        givers = {
            term: tuple(other.position for other in rules if other.body and _gives(other.head, term))
            for term in asked
            if not _name(term).startswith(FRESH)
        }
        # A condition that nothing dead would give is the cause; another one is what follows from the cause.
        causes = sorted(vain & givers.keys(), key=lambda term: (not dead.isdisjoint(givers[term]), asked.index(term)))
        if causes:
            found[rule.position] = _Dead(rule, causes[0], givers[causes[0]])
        else:
            found[rule.position] = _Dead(rule, None, tuple(chain.from_iterable(givers.values())))
    followers: dict[Location, list[Location]] = {}
    for place in found:
        followers.setdefault(_root(place, found), []).append(place)
    return [
        _dead_finding(sheet, found[root], [place.line for place in places if place != root])
        for root, places in followers.items()
        if root not in explained
    ]


def _met(bodies: Sequence[tuple[Any, ...]], clauses: Sequence[Clause], clock: Clock) -> set[int]:
    """Return the indices of the bodies (positive, negative, distinct, position) that some ground rule may meet."""
    marks = [Clause(Compound(FIRES, (Symbol(str(index)),)), *body) for index, body in enumerate(bodies)]
    return {int(mark) for (mark,) in ground([*clauses, *marks], clock).relations.get(FIRES, {})}


def _name(term: Term) -> str:
    return term.name if isinstance(term, Symbol | Compound) else ""


def _gives(head: Term, condition: Term) -> bool:
    """Whether a rule with this head gives a condition: `next` and `init` give `true`, and `legal` gives `does`."""
    if _name(condition) not in (_name(head), {"next": "true", "init": "true", "legal": "does"}.get(_name(head))):
        return False
    head_args, args = (term.args if isinstance(term, Compound) else () for term in (head, condition))
    return len(head_args) == len(args) and unify(list(zip(map(apart, head_args), args, strict=True))) is not None


def _root(place: Location, dead: Mapping[Location, _Dead]) -> Location:
    """Return the rule because of which a dead rule is dead; the first of rules that wait for each other."""
    way = [place]
    while True:
        known = dead.get(way[-1])
        later = [giver for giver in known.givers if giver in dead] if known is not None else []
        if not later:
            return way[-1]
        if later[0] in way:
            return min(way[way.index(later[0]) :], key=lambda one: (one.line, one.column))
        way.append(later[0])


def _dead_finding(sheet: RuleSheet, dead: _Dead, followers: Sequence[int]) -> Finding:
    head = f"this rule for '{dead.rule.head.name}' can never fire"
    if dead.condition is not None:
        what = f"{head}, because '{sheet.display(format_term(dead.condition))}' never holds"
        advice = "correct this condition, or add what gives it"
    else:
        what, advice = f"{head}, because its conditions never hold together", "correct or remove it"
    lines = sorted(set(followers) - {dead.rule.position.line})
    if lines:
        several = len(lines) > 1
        what += f"; the rule{'s' if several else ''} in line{'s' if several else ''} {', '.join(map(str, lines))}"
        what += f" depend{'' if several else 's'} on it"
    return warning(dead.rule.position, what, advice)


class Fault(NamedTuple):
    """A line of play after which a role lacks a legal move or a goal, or has several goals at once."""

    role: str
    what: str  # "no legal move", "no goal" or "two goals"
    moves: tuple[tuple[str, ...], ...]  # [step, role] the line of play
    goals: tuple[int, int] = (0, 0)  # the least and the largest, where there are several


class RandomPlay(NamedTuple):
    """The result of random playouts: their numbers, and the faults of the rules that they met."""

    faults: tuple[Fault, ...]  # the shortest of each role and kind, in the order of the roles
    begun: int  # playouts
    ended: int  # of these; a fault ends a playout, too
    longest: int  # steps after which a playout was broken off
    stopped: str  # why it stopped before the playouts or the steps were made, empty if it did not
    steps: int  # of all playouts together
    goals: tuple[int, ...] | None  # [role] those of every playout that ended, None where they were not the same


def play_at_random(
    engine: TextEngine[Any], playouts: int, most_steps: int, tick: Callable[[], None] = lambda: None
) -> RandomPlay:
    """Play random playouts and look for faults; all of them together make at most `most_steps` steps.

    `tick` is called before each step, and stops the play by raising BudgetError, as the engine may.
    """
    dice = random.Random(0)
    shortest: dict[tuple[str, str], Fault] = {}
    longest = max(most_steps // LEAST_PLAYOUTS, min(most_steps, LONG_PLAYOUT))
    steps = begun = ended = 0
    stopped = ""
    outcomes: set[tuple[int | None, ...]] = set()
    try:
        while begun < playouts and steps < most_steps:
            state, begun = engine.initial(), begun + 1
            moves: list[tuple[str, ...]] = []
            while len(moves) < longest and steps < most_steps:
                tick()
                over = engine.terminal(state)
                legal = [] if over else engine.legal(state)
                found = _goal_faults(engine, state) if over else _stuck(engine, legal)
                for fault in found:
                    known = shortest.get(fault[:2])
                    if known is None or len(moves) < len(known.moves):
                        shortest[fault[:2]] = fault._replace(moves=tuple(moves))
                if over or found:
                    ended += 1
                    outcomes.add(tuple(engine.goals(state)) if over else ())
                    break
                moves.append(tuple(dice.choice(sorted(known)) for known in legal))
                state = engine.next(state, moves[-1])
                steps += 1
    except BudgetError as error:
        stopped = str(error)
    order = {role: index for index, role in enumerate(engine.roles)}
    faults = sorted(shortest.values(), key=lambda fault: (order[fault.role], fault.what))
    goals = tuple(goal for goal in outcomes.pop() if goal is not None) if len(outcomes) == 1 and not faults else None
    return RandomPlay(tuple(faults), begun, ended, longest, stopped, steps, goals)


def _stuck(engine: TextEngine[Any], legal: Sequence[Collection[str]]) -> list[Fault]:
    return [Fault(role, "no legal move", ()) for role, known in zip(engine.roles, legal, strict=True) if not known]


def _goal_faults(engine: TextEngine[Any], state: Any) -> list[Fault]:
    found = []
    for role, least, most in zip(engine.roles, engine.least_goals(state), engine.goals(state), strict=True):
        if role == CHANCE_ROLE:
            continue  # it needs no goal
        if least is None or most is None:
            found.append(Fault(role, "no goal", ()))
        elif least != most:
            found.append(Fault(role, "two goals", (), (least, most)))
    return found


def findings_of(sheet: RuleSheet, play: RandomPlay) -> list[Finding]:
    """Return what random playouts showed as findings, with the moves that lead to faults.

    Faults stand at the `role` fact of the first role that has them, and matches that do not end at the first rule for
    `terminal`.
    """
    places = {
        format_term(rule.head.args[0]): rule.position
        for rule in reversed(sheet.rules)
        if rule.predicate == ("role", 1) and isinstance(rule.head, Compound)
    }
    alike: dict[tuple[str, tuple[tuple[str, ...], ...]], list[Fault]] = {}
    for fault in play.faults:
        alike.setdefault((fault.what, fault.moves), []).append(fault)
    found = [_finding(sheet, faults, places[faults[0].role]) for faults in alike.values()]
    if play.begun and not play.ended and not play.stopped and play.longest >= LONG_PLAYOUT:
        matches = "the random match did not end" if play.begun == 1 else f"none of {play.begun} random matches ended"
        found.append(
            warning(
                _first(sheet, "terminal"),
                f"{matches} within {play.longest:,} moves, so searches by playouts learn nothing",
                "let the match end sooner, for instance by a fluent that counts the moves",
            )
        )
    if play.ended and not play.steps and not play.faults:
        what = "the match is over at the start, so nobody makes a move"
        advice = "correct the rules for 'terminal', or what holds at the start"
        found.append(warning(_first(sheet, "terminal"), what, advice))
    elif play.goals and len(play.goals) > 1 and play.ended >= MANY_PLAYOUTS:
        goals = ", ".join(f"{sheet.display(role)} {goal}" for role, goal in zip(sheet.roles, play.goals, strict=True))
        what = (
            f"all {play.ended} random matches ended with the same goals ({goals}), so searches by playouts learn little"
        )
        advice = "make other results more frequent, by longer matches or by goals that tell who was nearer to winning"
        found.append(warning(_first(sheet, "goal"), what, advice))
    return found


def _first(sheet: RuleSheet, name: str) -> Location:
    """Return the place of the first rule or fact for a relation that the sheet has."""
    return next(rule.position for rule in sheet.rules if rule.head.name == name)


def _finding(sheet: RuleSheet, faults: Sequence[Fault], place: Location) -> Finding:
    """Return the finding of faults of one kind after the same moves."""
    kind, moves = faults[0].what, faults[0].moves
    where = f"after {len(moves)} move{'' if len(moves) == 1 else 's'}" if moves else "at the start"
    way = f"; `agent show {sheet.source} --moves '{sheet.display(written(moves))}'` draws it" if moves else ""
    roles = [sheet.display(fault.role) for fault in faults]
    all_of_them = " and ".join([", ".join(roles[:-1]), roles[-1]] if roles[1:] else roles)
    have, each = ("have", "each of them") if roles[1:] else ("has", "it")
    if kind == "no goal":
        what = f"the match is over {where}, and {all_of_them} {have} no goal"
        return warning(place, what, f"give {each} exactly one there{way}")
    if kind == "two goals":
        goals = [
            f"{role} has the goals {fault.goals[0]} and {fault.goals[1]} at once"
            for role, fault in zip(roles, faults, strict=True)
        ]
        what = f"the match is over {where}, and {', and '.join(goals)}"
        return warning(place, what, f"give {each} exactly one there; play takes the largest{way}")
    what = f"{all_of_them} {have} no legal move {where}"
    return warning(place, what, f"give {each} one, such as noop, or end the match there{way}")
