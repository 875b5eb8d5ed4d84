"""Delta debugging (Zeller & Hildebrandt 2002): shrinking an input as long as it fails in the same way."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from tests.fuzz.trees import Tree, body_of, sheet_text, trees_of, with_body

T = TypeVar("T")


def fewer(items: Sequence[T], fails: Callable[[list[T]], bool]) -> list[T]:
    """Return items that still fail together, but would not fail if any single one were left out."""
    kept, size = list(items), max(1, len(items) // 2)
    while True:
        start, dropped = 0, False
        while start < len(kept):
            attempt = kept[:start] + kept[start + size :]
            if len(attempt) < len(kept) and fails(attempt):
                kept, dropped = attempt, True
            else:
                start += size
        if size == 1 and not dropped:
            return kept
        size = max(1, size // 2)


def shrunk_sheet(text: str, fails: Callable[[str], bool]) -> str:
    """Return a sheet with fewer rules and fewer conditions that still fails."""
    trees = trees_of(text)
    while True:
        before = trees
        trees = fewer(trees, lambda attempt: fails(sheet_text(attempt)))
        for index in range(len(trees)):
            trees[index] = _shrunk_rule(trees, index, fails)
        if trees == before:
            return sheet_text(trees)


def _shrunk_rule(trees: list[Tree], index: int, fails: Callable[[str], bool]) -> Tree:
    def fails_with(rule: Tree) -> bool:
        return fails(sheet_text([*trees[:index], rule, *trees[index + 1 :]]))

    rule = trees[index]
    if not body_of(rule):
        return rule
    rule = with_body(rule, fewer(body_of(rule), lambda body: fails_with(with_body(rule, body))))
    for at, condition in enumerate(body_of(rule)):
        if isinstance(condition, tuple) and condition[0] in ("or", "and", "not"):
            for part in condition[1:]:
                attempt = with_body(rule, (*body_of(rule)[:at], part, *body_of(rule)[at + 1 :]))
                if fails_with(attempt):
                    rule = attempt
                    break
    return rule
