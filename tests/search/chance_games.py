"""Games with the role `random`, which rolls dice and drops tiles."""

from itertools import product

RACE = """
(role white) (role random) (role black)
(init (at white 0)) (init (at black 0)) (init (control white)) (init rolling)
(roll 1) (roll 2) (roll 3)
(plus 0 1 1) (plus 0 2 2) (plus 0 3 3) (plus 1 1 2) (plus 1 2 3) (plus 1 3 4) (plus 2 1 3) (plus 2 2 4) (plus 2 3 5)
(plus 3 1 4) (plus 3 2 5) (plus 3 3 5) (plus 4 1 5) (plus 4 2 5) (plus 4 3 5)
(other white black) (other black white)
(<= (legal random (throw ?d)) (true rolling) (roll ?d))
(<= (legal random noop) (not (true rolling)))
(<= (legal ?r noop) (other ?r ?q) (true rolling))
(<= (legal ?r noop) (other ?r ?q) (true (control ?q)))
(<= (legal ?r go) (true (control ?r)) (not (true rolling)))
(<= (legal ?r push) (true (control ?r)) (not (true rolling)))
(<= (next rolling) (not (true rolling)))
(<= (next (die ?d)) (does random (throw ?d)))
(<= (next (control ?r)) (true (control ?r)) (true rolling))
(<= (next (control ?r)) (true (control ?q)) (not (true rolling)) (other ?q ?r))
(<= (next (at ?r ?y)) (does ?r go) (true (die ?d)) (true (at ?r ?x)) (plus ?x ?d ?y))
(<= (next (at ?r ?x)) (true (at ?r ?x)) (not (does ?r go)) (not (pushed ?r)))
(<= (pushed ?q) (does ?r push) (other ?r ?q) (true (die 3)))
(<= (next (at ?q 0)) (pushed ?q))
(<= (next (turns ?y)) (true (turns ?x)) (succ ?x ?y)) (init (turns 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
(succ 10 11) (succ 11 12)
(<= home (true (at ?r 5)))
(<= terminal home) (<= terminal (true (turns 12)))
(<= (goal ?r 100) (true (at ?r 5)))
(<= (goal ?r 50) (other ?r ?q) (not home))
(<= (goal ?r 0) (other ?r ?q) (true (at ?q 5)))
"""
"""Two players race to the fifth field; a die says how far, and three lets a player push the other one back."""

# A player bets on a coin that shows heads in one of four cases, and may then leave the table.
BET = """
(role gambler) (role random) (init choosing)
(side north) (side east) (side south) (side west)
(<= (legal gambler bold) (true choosing)) (<= (legal gambler careful) (true choosing))
(<= (legal gambler noop) (not (true choosing)))
(<= (legal random noop) (true choosing)) (<= (legal random (fall ?s)) (side ?s) (not (true choosing)))
(<= (next brave) (does gambler bold)) (<= (next brave) (true brave))
(<= (next wary) (does gambler careful)) (<= (next wary) (true wary))
(<= (next (fell ?s)) (does random (fall ?s)))
(<= fallen (true (fell ?s)))
(<= terminal fallen)
(<= (goal gambler 100) (true brave) (true (fell north)))
(<= (goal gambler 0) (true brave) (not (true (fell north))))
(<= (goal gambler 40) (true wary))
(<= (goal random 0) (true brave) (true (fell north)))
(<= (goal random 100) (true brave) (not (true (fell north))))
"""
"""The careful bet brings 40. The bold one brings 100 in a quarter of all cases, 25 on average, and 0 or 100 at best."""

# Two players race their three pawns along a track from opposite ends. A die says how far; the player chooses the pawn.
# A pawn that is hit has to begin again. Whoever brings all pawns off the track first wins.
_FIELDS, _DIE = 9, 4
TRACK = (
    """
(role white) (role black) (role random)
(init (turn white rolls)) (init (waiting white 3)) (init (waiting black 3)) (init (off white 0)) (init (off black 0))
(other white black) (other black white) (less 3 2) (less 2 1) (less 1 0)
(<= (legal random (roll ?d)) (true (turn ?r rolls)) (pips ?d))
(<= (legal random noop) (true (turn ?r moves)))
(<= (legal ?r noop) (other ?r ?q) (true (turn ?q ?phase)))
(<= (legal ?r noop) (true (turn ?r rolls)))
(<= (legal ?r (move ?x)) (true (turn ?r moves)) (lands ?r ?x ?y) (field ?x) (true (field ?x ?r)))
(<= (legal ?r enter) (true (turn ?r moves)) (lands ?r start ?y) (true (waiting ?r ?n)) (less ?n ?m))
(<= (legal ?r pass) (true (turn ?r moves)) (not (able ?r)))
(<= (able ?r) (lands ?r ?x ?y) (true (field ?x ?r)))
(<= (able ?r) (lands ?r start ?y) (true (waiting ?r ?n)) (less ?n ?m))
(<= (lands ?r ?x ?y) (true (die ?d)) (ahead ?r ?x ?d ?y) (not (true (field ?y ?r))))
(<= (left ?r ?x) (does ?r (move ?x)))
(<= (reached ?r ?y) (does ?r (move ?x)) (lands ?r ?x ?y))
(<= (reached ?r ?y) (does ?r enter) (lands ?r start ?y))
(<= (hit ?q) (reached ?r ?y) (true (field ?y ?q)) (other ?r ?q))
(<= (home ?r) (reached ?r goal))
(<= (next (field ?y ?r)) (reached ?r ?y) (field ?y))
(<= (next (field ?x ?r)) (true (field ?x ?r)) (not (left ?r ?x)) (not (taken ?x)))
(<= (taken ?x) (reached ?r ?x))
(<= (next (waiting ?r ?m)) (does ?r enter) (true (waiting ?r ?n)) (less ?n ?m))
(<= (next (waiting ?q ?n)) (hit ?q) (true (waiting ?q ?m)) (less ?n ?m))
(<= (next (waiting ?r ?n)) (true (waiting ?r ?n)) (not (does ?r enter)) (not (hit ?r)))
(<= (next (off ?r ?n)) (home ?r) (true (off ?r ?m)) (less ?n ?m))
(<= (next (off ?r ?n)) (true (off ?r ?n)) (not (home ?r)))
(<= (next (die ?d)) (does random (roll ?d)))
(<= (next (turn ?r moves)) (true (turn ?r rolls)))
(<= (next (turn ?q rolls)) (true (turn ?r moves)) (other ?r ?q))
(<= terminal (true (off ?r 3)))
(<= (goal ?r 100) (true (off ?r 3)))
(<= (goal ?r 0) (other ?r ?q) (true (off ?q 3)))
(<= (goal ?r 50) (other ?r ?q) (not (true (off ?r 3))) (not (true (off ?q 3))))
(goal random 0)
"""
    + "".join(f"(field {x})\n" for x in range(1, _FIELDS + 1))
    + "".join(f"(pips {d})\n" for d in range(1, _DIE + 1))
    + "".join(
        f"(ahead {role} {start if 0 < start <= _FIELDS else 'start'} {d} {y if 0 < y <= _FIELDS else 'goal'})\n"
        for role, first, way in (("white", 0, 1), ("black", _FIELDS + 1, -1))
        for step in range(_FIELDS + 1)
        for d in range(1, _DIE + 1)
        for start, y in [(first + way * step, first + way * (step + d))]
    )
)

# A player slides the tiles of a board of 3 by 3 cells to one side. Two equal tiles that meet become one of the next
# number. After each slide a tile of the number 1 falls on an empty cell. The goal grows with the largest tile.
_LARGEST = 7


def _slid(line: tuple[int, ...]) -> tuple[int, ...]:
    """Return a line of tiles, 0 for none, after a slide to its beginning."""
    tiles, found = [tile for tile in line if tile], list[int]()
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile < _LARGEST:
            tiles.pop(0)
            tile += 1
        found.append(tile)
    return (*found, *(0 for _ in line))[: len(line)]


_LINES = {
    (side, number): [(number, place) if side in ("up", "down") else (place, number) for place in order]
    for side, order in (("left", (1, 2, 3)), ("right", (3, 2, 1)), ("up", (1, 2, 3)), ("down", (3, 2, 1)))
    for number in (1, 2, 3)
}
TILES = (
    """
(role random) (role player)
(init (turn falls))
(<= (legal player noop) (true (turn falls)))
(<= (legal random (fall ?x ?y)) (true (turn falls)) (true (cell ?x ?y 0)))
(<= (legal random noop) (true (turn slides)))
(<= (legal player (slide ?s)) (true (turn slides)) (moves ?s))
(<= (moves ?s) (line ?s ?n ?x1 ?y1 ?x2 ?y2 ?x3 ?y3) (true (cell ?x1 ?y1 ?a)) (true (cell ?x2 ?y2 ?b))
    (true (cell ?x3 ?y3 ?c)) (slid ?a ?b ?c ?d ?e ?f) (distinct (t ?a ?b ?c) (t ?d ?e ?f)))
(<= (becomes ?s ?x1 ?y1 ?d ?x2 ?y2 ?e ?x3 ?y3 ?f) (line ?s ?n ?x1 ?y1 ?x2 ?y2 ?x3 ?y3) (true (cell ?x1 ?y1 ?a))
    (true (cell ?x2 ?y2 ?b)) (true (cell ?x3 ?y3 ?c)) (slid ?a ?b ?c ?d ?e ?f))
(<= (next (cell ?x ?y ?v)) (does player (slide ?s)) (becomes ?s ?x ?y ?v ?x2 ?y2 ?e ?x3 ?y3 ?f))
(<= (next (cell ?x ?y ?v)) (does player (slide ?s)) (becomes ?s ?x1 ?y1 ?d ?x ?y ?v ?x3 ?y3 ?f))
(<= (next (cell ?x ?y ?v)) (does player (slide ?s)) (becomes ?s ?x1 ?y1 ?d ?x2 ?y2 ?e ?x ?y ?v))
(<= (next (cell ?x ?y 1)) (does random (fall ?x ?y)))
(<= (next (cell ?x ?y ?v)) (true (turn falls)) (true (cell ?x ?y ?v)) (not (does random (fall ?x ?y))))
(<= (next (turn slides)) (true (turn falls)))
(<= (next (turn falls)) (true (turn slides)))
(<= able (moves ?s))
(<= terminal (true (turn slides)) (not able))
(<= (made ?v) (true (cell ?x ?y ?v)))
"""
    + f"(<= terminal (made {_LARGEST}))\n"
    + "".join(f"(init (cell {x} {y} 0))\n" for x in (1, 2, 3) for y in (1, 2, 3))
    + "".join(
        f"(line {side} {number} {' '.join(f'{x} {y}' for x, y in cells)})\n" for (side, number), cells in _LINES.items()
    )
    + "".join(
        f"(slid {' '.join(map(str, (*line, *_slid(line))))})\n" for line in product(range(_LARGEST + 1), repeat=3)
    )
    + "".join(
        f"(<= (goal player {goal}) {'' if tile == 0 else f'(made {tile}) '}"
        + "".join(f"(not (made {more})) " for more in range(tile + 1, _LARGEST + 1) if tile or more > 3)
        + ")\n"
        for tile, goal in ((7, 100), (6, 60), (5, 30), (4, 10), (0, 0))
    )
)

# A player guesses three times whether a die shows one of its six low faces or of its four high ones. The die falls at
# the same time, so nobody can know.
_GUESSES = """
(role guesser) (role random)
(init (round 0)) (init (right 0))
(<= (legal guesser ?s) (side ?s)) (side low) (side high)
(<= (legal random (fall ?f)) (face ?f ?s))
(<= hit (does guesser ?s) (does random (fall ?f)) (face ?f ?s))
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (next (right ?m)) hit (true (right ?n)) (succ ?n ?m))
(<= (next (right ?n)) (not hit) (true (right ?n)))
(<= terminal (true (round 3)))
(<= (goal guesser ?g) (true (right ?n)) (worth ?n ?g))
(succ 0 1) (succ 1 2) (succ 2 3) (worth 0 0) (worth 1 33) (worth 2 67) (worth 3 100)
"""
WAGER = _GUESSES + "".join(f"(face {face} {'low' if face <= 6 else 'high'})\n" for face in range(1, 11))
SMALL_WAGER = _GUESSES + "(face 1 low) (face 2 high) (face 3 low) (face 4 high) (face 5 low)"  # few moves of chance
