"""The rules of a small game of pieces, in which the moves of pieces that exclude each other share rows."""

SQUARES = range(1, 9)
KINDS = ("lance", "crow", "tower", "toad")


def pieces_game(*, stacking: bool = False) -> str:
    """Return a sheet with two sides and four kinds of pieces, which move to any empty square.

    A toad that moves to square 8 becomes a tower. With `stacking`, towers also move to occupied squares, and both
    pieces stay there.
    """
    empty = "(true (cell ?t empty))"
    facts = [f"(square {n})" for n in SQUARES] + [f"(kind {kind})" for kind in KINDS]
    facts += [f"(init (cell {n} white {kind}))" for n, kind in zip(SQUARES, KINDS, strict=False)]
    facts += [f"(init (cell {n} black {kind}))" for n, kind in zip((5, 6), KINDS, strict=False)]
    facts += ["(init (cell 7 empty))", "(init (cell 8 empty))", "(init (control white))", "(init (clock 0))"]
    facts += [f"(after {n} {n + 1})" for n in range(20)]
    stack = (
        "(<= (legal ?r (go tower ?s ?t)) (true (control ?r)) (true (cell ?s ?r tower)) (square ?t) (distinct ?s ?t))"
    )
    return "\n".join(
        [
            "(role white) (role black)",
            *facts,
            f"(<= (legal ?r (go ?k ?s ?t)) (true (control ?r)) (true (cell ?s ?r ?k)) {empty} (distinct ?s ?t))",
            stack if stacking else "",
            "(<= (legal white noop) (true (control black)))",
            "(<= (legal black noop) (true (control white)))",
            "(<= (next (cell ?t ?r ?k)) (does ?r (go ?k ?s ?t)) (distinct ?k toad))",
            "(<= (next (cell ?t ?r toad)) (does ?r (go toad ?s ?t)) (distinct ?t 8))",
            "(<= (next (cell 8 ?r tower)) (does ?r (go toad ?s 8)))",
            "(<= (next (cell ?s empty)) (does ?r (go ?k ?s ?t)))",
            "(<= (next (cell ?s ?r ?k)) (true (cell ?s ?r ?k)) (not (left ?s)))",
            "(<= (next (cell ?s empty)) (true (cell ?s empty)) (not (entered ?s)))",
            "(<= (left ?s) (does ?r (go ?k ?s ?t)))",
            "(<= (entered ?t) (does ?r (go ?k ?s ?t)))",
            "(<= (next (control black)) (true (control white)))",
            "(<= (next (control white)) (true (control black)))",
            "(<= (next (clock ?m)) (true (clock ?n)) (after ?n ?m))",
            "(<= terminal (true (clock 20)))",
            "(<= (goal ?r 100) (role ?r) (true (cell 8 ?r ?k)))",
            "(<= (goal ?r 0) (role ?r) (not (holds8 ?r)))",
            "(<= (holds8 ?r) (true (cell 8 ?r ?k)))",
        ]
    )
