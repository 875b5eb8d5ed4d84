"""Positions for search tests: small games, and positions reached by random moves."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import TypeVar

import numpy as np

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from tests.search.chance_games import BET, RACE, SMALL_WAGER, TILES, TRACK, WAGER
from tests.search.picks import PICKS

# Both roles choose at once, ten times; the matcher gets a point if the coins agree, the other role if they differ.
PENNIES = (
    """
(role matcher) (role other)
(init (round 0)) (init (points 0))
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (legal ?r heads) (role ?r))
(<= (legal ?r tails) (role ?r))
(<= agree (does matcher ?c) (does other ?c))
(<= (next (points ?m)) agree (true (points ?n)) (succ ?n ?m))
(<= (next (points ?n)) (not agree) (true (points ?n)))
(<= terminal (true (round 10)))
(<= (goal matcher ?g) (true (points ?n)) (share ?n ?g))
(<= (goal other ?g) (true (points ?n)) (succ ?n ?m) (rest ?n ?g))
(<= (goal other 0) (true (points 10)))
"""
    + "".join(f"(succ {n} {n + 1}) (share {n} {10 * n}) (rest {n} {100 - 10 * n})\n" for n in range(10))
    + "(share 10 100)"
)

# In turns, both roles put a pebble on a place or replace one of the other role. The goal of a role grows with the
# number of its pebbles in the end. Counting them takes most of the circuit, so goals are evaluated apart.
PLACES = 9
PEBBLES = (
    """
(role white) (role black)
(init (control white)) (init (step 0))
(opponent white black) (opponent black white)
(<= (next (control ?q)) (true (control ?r)) (opponent ?r ?q))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (legal ?r (put ?p)) (true (control ?r)) (place ?p) (not (true (pebble ?p ?r))))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (pebble ?p ?r)) (does ?r (put ?p)))
(<= (next (pebble ?p ?r)) (true (pebble ?p ?r)) (not (replaced ?p)))
(<= (replaced ?p) (does ?r (put ?p)))
(<= terminal (true (step 12)))
(<= terminal (true (pebble 1 white)) (true (pebble 5 white)) (true (pebble 9 white)))
(<= (count ?r 0 0) (role ?r))
(<= (count ?r ?p ?m) (true (pebble ?p ?r)) (succ ?o ?p) (count ?r ?o ?n) (succ ?n ?m))
(<= (count ?r ?p ?n) (role ?r) (place ?p) (not (true (pebble ?p ?r))) (succ ?o ?p) (count ?r ?o ?n))
"""
    + f"(<= (goal ?r ?g) (count ?r {PLACES} ?n) (share ?n ?g))\n"
    + "".join(f"(succ {n} {n + 1}) (share {n} {10 * n})\n" for n in range(12))
    + "".join(f"(place {n})\n" for n in range(1, PLACES + 1))
)

# Three roles take a field of a row each, in turns; in the last step they choose at once whether to swap. A role gets
# goals for fields beside its own ones.
THREE = (
    """
(role a) (role b) (role c)
(init (turn a)) (init (step 0))
(after a b) (after b c) (after c a)
(<= (next (turn ?q)) (true (turn ?r)) (after ?r ?q))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (held ?f) (true (field ?f ?r)))
(<= (legal ?r (take ?f)) (true (turn ?r)) (place ?f) (not (held ?f)) (not (true (step 6))))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))) (not (true (step 6))))
(<= (legal ?r stay) (role ?r) (true (step 6)))
(<= (legal ?r leave) (role ?r) (true (step 6)))
(<= (next (field ?f ?r)) (does ?r (take ?f)))
(<= (next (field ?f ?r)) (true (field ?f ?r)) (not (does ?r leave)))
(<= terminal (true (step 7)))
(<= (row ?r) (true (field ?f ?r)) (true (field ?g ?r)) (succ ?f ?g))
(<= (single ?r) (true (field ?f ?r)) (not (row ?r)))
(<= (goal ?r 80) (row ?r))
(<= (goal ?r 30) (single ?r))
(<= (goal ?r 45) (role ?r) (not (row ?r)) (not (single ?r)))
"""
    + "".join(f"(succ {n} {n + 1})\n" for n in range(8))
    + "".join(f"(place {n})\n" for n in range(1, 9))
)


_WRITTEN = {
    "pennies": PENNIES,
    "pebbles": PEBBLES,
    "three": THREE,
    "picks": PICKS,
    "race": RACE,
    "bet": BET,
    "track": TRACK,
    "tiles": TILES,
    "small wager": SMALL_WAGER,
    "wager": WAGER,
}


@cache
def machine_of(game: str) -> Machine:
    return load_machine(parse_sheet(_WRITTEN[game], game) if game in _WRITTEN else game)


def random_match(machine: Machine, random: Random, steps: int = 500) -> Iterator[tuple[np.ndarray, list[int]]]:
    """Yield the states of a random match, with the joint moves that led to them, until it ends or for `steps` steps."""
    state, last = machine.initial(), [-1] * len(machine.roles)
    yield state, last
    for _ in range(steps):
        legal = [rows.tolist() for rows in machine.legal(state)]
        if machine.terminal(state) or not all(legal):
            return
        last = [random.choice(rows) for rows in legal]
        state = machine.next(state, last)
        yield state, last


def random_position(machine: Machine, moves: int, random: Random) -> np.ndarray | None:
    """Return a state after `moves` random joint moves; None if the match has ended."""
    states = [state for state, _ in random_match(machine, random, moves)]
    return None if len(states) <= moves or machine.terminal(states[-1]) else states[-1]


def mover_of(machine: Machine, state: np.ndarray) -> int:
    """Return the role with a choice in a game of alternating moves."""
    counts = [len(rows) for rows in machine.legal(state)]
    return counts.index(max(counts))


def joint_of(machine: Machine, state: np.ndarray, row: int) -> list[int]:
    """Return the joint move in which the mover plays a row and the other roles play their only move."""
    mover = mover_of(machine, state)
    return [row if role == mover else int(rows[0]) for role, rows in enumerate(machine.legal(state))]


def wins_in_one(machine: Machine, state: np.ndarray) -> list[int]:
    """Return the rows that end the match at once with goal 100 for the mover."""
    mover = mover_of(machine, state)
    wins = []
    for row in machine.legal(state)[mover].tolist():
        after = machine.next(state, joint_of(machine, state, row))
        if machine.terminal(after) and machine.goals(after)[mover] == 100:
            wins.append(row)
    return wins


def safe_moves(machine: Machine, state: np.ndarray) -> list[int]:
    """Return the rows after which the opponent has no win in one."""
    safe = []
    for row in machine.legal(state)[mover_of(machine, state)].tolist():
        after = machine.next(state, joint_of(machine, state, row))
        if machine.terminal(after) or not wins_in_one(machine, after):
            safe.append(row)
    return safe


Answer = TypeVar("Answer")


def tactical_positions(
    wanted: Callable[[Machine, np.ndarray], Answer | None], count: int
) -> tuple[Machine, list[tuple[np.ndarray, Answer]]]:
    """Return positions of connect four for which `wanted` has an answer, with these answers."""
    machine, random, found = machine_of("connectfour.ext"), Random(4), list[tuple[np.ndarray, Answer]]()
    while len(found) < count:
        state = random_position(machine, random.randrange(6, 26), random)
        if state is not None and (answer := wanted(machine, state)):
            found.append((state, answer))
    return machine, found
