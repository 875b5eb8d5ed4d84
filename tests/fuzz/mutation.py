"""Small random edits of rule sheets; most results still are games."""

import random
from collections.abc import Callable

from tests.fuzz.trees import Tree, body_of, sheet_text, trees_of, with_body, words


def shuffled(text: str, rng: random.Random) -> str:
    """Return the same rules in another order of rules and conditions; the roles keep their order."""
    roles = [tree for tree in trees_of(text) if _is_role(tree)]
    others = [_shuffled_rule(tree, rng) for tree in trees_of(text) if not _is_role(tree)]
    rng.shuffle(others)
    return sheet_text([*roles, *others])


def _is_role(tree: Tree) -> bool:
    return isinstance(tree, tuple) and tree[0] == "role"


def _shuffled_rule(tree: Tree, rng: random.Random) -> Tree:
    body = body_of(tree)
    return with_body(tree, _shuffled(body, rng)) if body else tree


def _shuffled(conditions: tuple[Tree, ...], rng: random.Random) -> list[Tree]:
    found = [
        (one[0], *_shuffled(one[1:], rng)) if isinstance(one, tuple) and one[0] in ("or", "and", "not") else one
        for one in conditions
    ]
    return rng.sample(found, len(found))


def mutated(text: str, rng: random.Random) -> str:
    """Return a sheet with one to four edits."""
    trees = trees_of(text)
    for _ in range(rng.randint(1, 4)):
        rng.choice(EDITS)(trees, rng)
    return sheet_text(trees)


def _drop_rule(trees: list[Tree], rng: random.Random) -> None:
    del trees[rng.randrange(len(trees))]


def _drop_condition(trees: list[Tree], rng: random.Random) -> None:
    index, body = _some_rule(trees, rng)
    del body[rng.randrange(len(body))]
    trees[index] = with_body(trees[index], body)


def _copy_condition(trees: list[Tree], rng: random.Random) -> None:
    index, body = _some_rule(trees, rng)
    _, other = _some_rule(trees, rng)
    body.insert(rng.randint(0, len(body)), rng.choice(other))
    trees[index] = with_body(trees[index], body)


def _negate(trees: list[Tree], rng: random.Random) -> None:
    index, body = _some_rule(trees, rng)
    at = rng.randrange(len(body))
    one = body[at]
    body[at] = one[1] if isinstance(one, tuple) and one[0] == "not" and len(one) == 2 else ("not", one)
    trees[index] = with_body(trees[index], body)


def _join(trees: list[Tree], rng: random.Random) -> None:
    index, body = _some_rule(trees, rng)
    parts = rng.sample(body, min(len(body), rng.randint(1, 3)))
    joined: Tree = (rng.choice(("or", "or", "and")), *parts)
    trees[index] = with_body(trees[index], [one for one in body if one not in parts] + [joined])


def _exchange_bodies(trees: list[Tree], rng: random.Random) -> None:
    one, first = _some_rule(trees, rng)
    other, second = _some_rule(trees, rng)
    trees[one], trees[other] = with_body(trees[one], second), with_body(trees[other], first)


def _replace_word(trees: list[Tree], rng: random.Random) -> None:
    index = rng.randrange(len(trees))
    of_rule = [word for word in words(trees[index]) if word != "<="]
    old = rng.choice(of_rule)
    if old.startswith("?"):
        choice = [word for word in of_rule if word.startswith("?")]
    else:
        choice = [word for word in words(rng.choice(trees)) if word != "<=" and not word.startswith("?")]
    trees[index] = _replaced(trees[index], old, rng.choice(choice), rng)


def _replaced(tree: Tree, old: str, new: str, rng: random.Random) -> Tree:
    if isinstance(tree, str):
        return new if tree == old and rng.random() < 0.7 else tree
    return tuple(_replaced(part, old, new, rng) for part in tree)


def _some_rule(trees: list[Tree], rng: random.Random) -> tuple[int, list[Tree]]:
    rules = [index for index, tree in enumerate(trees) if body_of(tree)] or [0]
    index = rng.choice(rules)
    return index, list(body_of(trees[index]) or (trees[index],))


Edit = Callable[[list[Tree], random.Random], None]
EDITS: tuple[Edit, ...] = (
    _drop_rule,
    _drop_condition,
    _copy_condition,
    _negate,
    _join,
    _exchange_bodies,
    _replace_word,
    _replace_word,
)
