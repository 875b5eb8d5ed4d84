"""Rule sheets as trees of words, which can be edited and written again regardless of their meaning."""

from collections.abc import Iterable, Iterator

from gdl_miner.agent.gdl.syntax import Expression, Word, read_expressions

Tree = str | tuple["Tree", ...]


def trees_of(text: str) -> list[Tree]:
    """Read the facts and rules of a sheet. Raises RuleError for malformed text."""
    return [_tree(expression) for expression in read_expressions(text)]


def _tree(expression: Expression) -> Tree:
    return expression.text if isinstance(expression, Word) else tuple(map(_tree, expression.items))


def sheet_text(trees: Iterable[Tree]) -> str:
    """Write facts and rules, one on each line."""
    return "".join(f"{_text(tree)}\n" for tree in trees)


def _text(tree: Tree) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(_text, tree))})"


def body_of(tree: Tree) -> tuple[Tree, ...]:
    """Return the conditions of a rule; a fact has none."""
    return tree[2:] if isinstance(tree, tuple) and tree[0] == "<=" else ()


def with_body(tree: Tree, body: Iterable[Tree]) -> Tree:
    """Return a rule with other conditions."""
    head = tree[1] if isinstance(tree, tuple) and tree[0] == "<=" else tree
    return ("<=", head, *body)


def words(tree: Tree) -> Iterator[str]:
    """Yield all words from left to right."""
    if isinstance(tree, str):
        yield tree
    else:
        for part in tree:
            yield from words(part)
