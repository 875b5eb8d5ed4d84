"""Scrambling: replacing every word of the rules, so that a player cannot recognise the game by its names."""

from __future__ import annotations

import random
import re

from gdl_miner.agent.gdl.formula import format_formula
from gdl_miner.agent.gdl.renaming import FIXED_WORDS, Renaming
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import format_term

_WORD = re.compile(r"[^\s()]+")
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def scrambled(sheet: RuleSheet, seed: int | None) -> tuple[str, Renaming]:
    """Return the rules as one line of text in other words, and the renaming from the sheet's words to the others.

    GDL's own words and integers stay, as they do with other game controllers. Without a seed all words stay.
    """
    text = " ".join(_text(rule) for rule in sheet.rules)
    if seed is None:
        return text, Renaming({})
    words = sorted({word for word in _WORD.findall(text) if _scrambles(word)})
    chooser = random.Random(seed)
    new: dict[str, str] = {}
    taken: set[str] = set(words)
    for word in words:
        while True:
            fresh = "".join(chooser.choices(_SYLLABLES, k=4))
            if fresh not in taken:
                break
        taken.add(fresh)
        new[word] = "?" + fresh if word.startswith("?") else fresh
    renaming = Renaming(new)
    return renaming.there(text), renaming


def _scrambles(word: str) -> bool:
    return word not in FIXED_WORDS and not re.fullmatch(r"-?\d+", word)


def _text(rule: Rule) -> str:
    head = format_term(rule.head)
    return f"(<= {' '.join((head, *map(format_formula, rule.body)))})" if rule.body else head
