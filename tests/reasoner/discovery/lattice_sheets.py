"""Small games on boards of hexagons, on a torus and on cells with names: marks spread to the neighbours of a cell."""

RULES = """
(role red) (role blue) (init (control red))
(<= (init (cell {cell} b)) (field {cell}))
(<= (legal ?r (mark {cell})) (true (control ?r)) (true (cell {cell} b)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (cell {cell} ?r)) (does ?r (mark {cell})))
(<= (next (cell {cell} ?r)) (does ?r (mark {other})) (adjacent {other} {cell}) (true (cell {cell} ?s)) (role ?s))
(<= (next (cell {cell} ?p)) (true (cell {cell} ?p)) (not (changed {cell})))
(<= (changed {cell}) (does ?r (mark {cell})))
(<= (changed {cell}) (does ?r (mark {other})) (adjacent {other} {cell}) (true (cell {cell} ?s)) (role ?s))
(<= (next (control red)) (true (control blue)))
(<= (next (control blue)) (true (control red)))
(<= open (true (cell {cell} b)))
(<= terminal (not open))
(<= (goal ?r 100) (role ?r) (true (cell {middle} ?r)))
(<= (goal ?r 0) (role ?r) (not (true (cell {middle} ?r))))
"""

HEXAGON = [(x, y) for x in range(1, 6) for y in range(1, 6) if 4 <= x + y <= 8]
SIDEWAYS = [(1, 0), (0, 1), (1, -1)]


def hexagon_sheet() -> str:
    """Return a game on 19 hexagons that keeps all twelve turns of the board."""
    fields = " ".join(f"(field {x} {y})" for x, y in HEXAGON)
    numbers = " ".join(f"(plus {number} {number + 1})" for number in range(1, 5))
    adjacent = """
    (<= (forward ?x ?y ?u ?y) (plus ?x ?u) (field ?x ?y) (field ?u ?y))
    (<= (forward ?x ?y ?x ?v) (plus ?y ?v) (field ?x ?y) (field ?x ?v))
    (<= (forward ?x ?y ?u ?v) (plus ?x ?u) (plus ?v ?y) (field ?x ?y) (field ?u ?v))
    (<= (adjacent ?x ?y ?u ?v) (forward ?x ?y ?u ?v))
    (<= (adjacent ?x ?y ?u ?v) (forward ?u ?v ?x ?y))
    """
    return f"{RULES.format(cell='?x ?y', other='?u ?v', middle='3 3')} {fields} {numbers} {adjacent}"


def torus_sheet(side: int = 4) -> str:
    """Return a game on a torus, with neighbours along rows and columns."""
    fields = " ".join(f"(field {x} {y})" for x in range(1, side + 1) for y in range(1, side + 1))
    around = " ".join(f"(after {number} {number % side + 1})" for number in range(1, side + 1))
    adjacent = """
    (<= (adjacent ?x ?y ?u ?y) (after ?x ?u) (field ?x ?y))
    (<= (adjacent ?x ?y ?u ?y) (after ?u ?x) (field ?x ?y))
    (<= (adjacent ?x ?y ?x ?v) (after ?y ?v) (field ?x ?y))
    (<= (adjacent ?x ?y ?x ?v) (after ?v ?y) (field ?x ?y))
    """
    return f"{RULES.format(cell='?x ?y', other='?u ?v', middle='2 2')} {fields} {around} {adjacent}"


def named_sheet() -> str:
    """Return the game of `hexagon_sheet` whose cells have names without an order, and three relations of neighbours."""
    names = {field: f"c{17 * (7 * field[0] + field[1]) % 101}" for field in HEXAGON}
    facts = [f"(field {name})" for name in names.values()]
    for number, (dx, dy) in enumerate(SIDEWAYS):
        pairs = [(cell, (cell[0] + dx, cell[1] + dy)) for cell in HEXAGON]
        facts += [f"(way{number} {names[one]} {names[other]})" for one, other in pairs if other in names]
        facts += [f"(<= (adjacent ?x ?y) (way{number} ?x ?y))", f"(<= (adjacent ?x ?y) (way{number} ?y ?x))"]
    return f"{RULES.format(cell='?x', other='?u', middle=names[3, 3])} {' '.join(facts)}"
