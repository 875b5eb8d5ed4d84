"""The search for faults finds a planted fault, shrinks it, and survives crashes."""

import os
import random
import signal
import time
from typing import Any

import pytest

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.rules import RuleSheet, parse_sheet, read_text
from gdl_miner.agent.reasoner.engines import TextEngine
from tests.fuzz import differences
from tests.fuzz.differences import Limits, difference
from tests.fuzz.isolation import DiedError, OverLimitError, isolated
from tests.fuzz.mutation import mutated, shuffled
from tests.fuzz.rules import case, fault
from tests.fuzz.shrinking import fewer, shrunk_sheet
from tests.fuzz.trees import sheet_text, trees_of
from tests.gdl.random_sheets import random_sheet

QUICK = Limits(walks=1, steps=4)


def test_engines_agree_on_a_sheet_that_is_right() -> None:
    assert difference(read_text("tictactoe.ext")[0], 1, QUICK) is None


def test_a_planted_fault_is_found_and_shrunk_to_the_rules_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    make = differences.MAKERS["interpreter"]

    def forgetful(sheet: RuleSheet, limits: Limits) -> TextEngine[Any]:
        engine = make(sheet, limits)
        legal = engine.legal
        engine.legal = lambda state: [moves - {"(put c)"} for moves in legal(state)]  # type: ignore[method-assign]
        return engine

    monkeypatch.setattr(differences, "MAKERS", {"interpreter": make, "forgetful": forgetful})
    text = (
        "(role a) (thing b) (thing c) (init (on b)) (<= (legal a (put ?x)) (thing ?x) (not (true (on ?x))))"
        "(<= (legal a noop) (true (on b)) (distinct b c)) (<= (next (on ?x)) (does a (put ?x)))"
        "(<= terminal (true (on c))) (<= (goal a 100) (true (on c))) (<= (goal a 0) (not (true (on c))))"
    )
    found = fault(text, 0, QUICK)
    assert found is not None
    assert found.kind == "legal moves: interpreter, forgetful"

    def fails(attempt: str) -> bool:
        again = fault(attempt, 0, QUICK)
        return again is not None and again.kind == found.kind

    small = shrunk_sheet(text, fails)
    assert "(thing c)" in small
    assert "(thing b)" not in small
    assert "distinct" not in small
    assert len(small) < len(text) / 2


def test_text_that_is_no_game_is_no_fault() -> None:
    with pytest.raises(RuleError):
        difference("(role a) (<= (p ?x) (not (q ?x)))", 0, QUICK)
    assert fault("(role a", 0, QUICK) is None


def test_fewer_keeps_what_fails_together_only() -> None:
    asked = []

    def fails(items: list[int]) -> bool:
        asked.append(items)
        return {3, 17} <= set(items)

    assert fewer(range(40), fails) == [3, 17]
    assert len(asked) < 60


def test_a_shuffled_sheet_means_the_same_and_a_mutated_one_reads() -> None:
    text = read_text("cubicup.ext")[0]
    rng = random.Random(3)
    assert parse_sheet(shuffled(text, rng)).digest == parse_sheet(text).digest
    for _ in range(50):
        trees_of(mutated(text, rng))


def test_trees_are_written_as_they_are_read() -> None:
    text = random_sheet(random.Random(5))
    assert trees_of(sheet_text(trees_of(text))) == trees_of(text)


def test_cases_depend_on_seed_and_number_only() -> None:
    texts = [read_text("tictactoe.ext")[0]]
    assert [case(4, number, texts) for number in range(6)] == [case(4, number, texts) for number in range(6)]
    assert case(4, 0, texts) != case(5, 0, texts)


def test_what_breaks_in_isolation_breaks_nothing_else() -> None:
    with pytest.raises(DiedError):
        isolated(lambda: os.kill(os.getpid(), signal.SIGKILL), seconds=5, memory_mib=4096)
    with pytest.raises(OverLimitError):
        isolated(time.sleep, 30, seconds=0.2, memory_mib=4096)
    with pytest.raises(KeyError):
        isolated({}.__getitem__, 1, seconds=5, memory_mib=4096)
    assert isolated(sum, [1, 2], seconds=5, memory_mib=4096) == 3
