"""Play random, mutated and shuffled rule sheets on all engines side by side, and shrink those on which they differ."""

import argparse
import random
import sys
import time
import traceback
from pathlib import Path
from typing import NamedTuple

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl.check import check_sheet
from gdl_miner.agent.gdl.rules import parse_sheet
from tests.corpus import default_corpus
from tests.fuzz.differences import Difference, Limits, difference
from tests.fuzz.isolation import DiedError, OverLimitError, isolated
from tests.fuzz.mutation import mutated, shuffled
from tests.fuzz.shrinking import shrunk_sheet
from tests.gdl.random_sheets import random_sheet

CASE_S = 40.0
SHRINK_S = 120.0
LARGEST = 60_000  # characters of the longest sheet that is mutated
ATTEMPTS = 30  # mutations tried until one still is a game


class Case(NamedTuple):
    """A sheet to try."""

    kind: str
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `scripts/fuzz rules`."""
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to search")
    parser.add_argument("--seed", type=int, default=0, help="another seed tries other sheets")
    parser.add_argument("--case", type=int, help="try this case of the seed only")
    parser.add_argument("--sheet", type=Path, help="try this sheet only")
    parser.add_argument("--corpus", type=Path, default=default_corpus(), help="folder with games/*.kif to mutate")
    parser.add_argument("--out", type=Path, default=Path("fuzz-found"), help="folder for the sheets found")


def run(options: argparse.Namespace) -> int:
    """Try sheets until the time is up; return 1 if a fault was found, else 0."""
    sources = [*bundled().values(), *sorted((options.corpus / "games").glob("*.kif"))]
    texts = [text for text in (path.read_text(errors="replace") for path in sources) if len(text) < LARGEST]
    if options.sheet is not None:
        return _tried(Case(str(options.sheet), options.sheet.read_text()), options, 0)
    if options.case is not None:
        return _tried(case(options.seed, options.case, texts), options, options.case)
    end, number, found = time.monotonic() + 60 * options.minutes, 0, 0
    told = time.monotonic()
    while time.monotonic() < end:
        found += _tried(case(options.seed, number, texts), options, number)
        number += 1
        if time.monotonic() - told > 15:
            told = time.monotonic()
            print(f"{number} sheets, {found} faults", file=sys.stderr, flush=True)
    print(f"{number} sheets tried, {found} faults")
    return 1 if found else 0


def case(seed: int, number: int, texts: list[str]) -> Case:
    """Return one case of a seed."""
    rng = random.Random(f"rules {seed} {number}")
    kind = rng.choice(("random", "mutated", "mutated", "shuffled", "mutated random"))
    if kind == "random":
        return Case(kind, random_sheet(rng))
    if kind == "shuffled":
        return Case(kind, shuffled(rng.choice(texts), rng))
    base = random_sheet(rng) if kind == "mutated random" else rng.choice(texts)
    for _ in range(ATTEMPTS):
        text = mutated(base, rng)
        if _valid(text):
            return Case(kind, text)
    return Case(f"not {kind}", base)


def _valid(text: str) -> bool:
    try:
        return not any(finding.severity == "error" for finding in check_sheet(parse_sheet(text)))
    except RuleError:
        return False


def fault(text: str, seed: int, limits: Limits) -> Difference | None:
    """Return a difference between engines on a sheet, None for none or for a text that is not a game."""
    try:
        found = isolated(_difference, text, seed, limits, seconds=CASE_S, memory_mib=4 * limits.memory_mib)
    except (RuleError, OverLimitError):
        return None
    except DiedError as death:
        return Difference("crash", str(death))
    assert found is None or isinstance(found, Difference)
    return found


def _difference(text: str, seed: int, limits: Limits) -> Difference | None:
    try:
        return difference(text, seed, limits)
    except (RuleError, MemoryError):
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return Difference(f"{type(error).__name__} at {place.filename}:{place.lineno}", traceback.format_exc())


def _tried(tried: Case, options: argparse.Namespace, number: int) -> int:
    limits, seed = Limits(), options.seed + number
    found = fault(tried.text, seed, limits)
    if found is None:
        return 0
    end = time.monotonic() + SHRINK_S

    def fails(text: str) -> bool:
        if time.monotonic() > end:
            return False
        again = fault(text, seed, limits)
        return again is not None and again.kind == found.kind

    small = shrunk_sheet(tried.text, fails)
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / f"rules-{options.seed}-{number}.kif"
    file.write_text(small)
    last = fault(small, seed, limits) or found
    print(f"case {number} ({tried.kind}): {last.kind}\n{last.detail}\n{small}; kept in {file}; try it again with\n"
          f";   scripts/fuzz rules --seed {seed} --sheet {file}\n", flush=True)  # fmt: skip
    return 1
