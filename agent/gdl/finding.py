"""Findings of the checks of a rule sheet."""

from dataclasses import dataclass
from typing import Literal

from gdl_miner.agent.gdl.syntax import Location

Severity = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A place, what is wrong there, and what to do. An error keeps the game from being played; the others do not."""

    position: Location
    severity: Severity
    what: str
    advice: str

    def __str__(self) -> str:
        return f"{self.position}: {self.what}; {self.advice}"


def error(position: Location, what: str, advice: str) -> Finding:
    """Make a finding that keeps the game from being played."""
    return Finding(position, "error", what, advice)


def warning(position: Location, what: str, advice: str) -> Finding:
    """Make a finding that is probably a mistake but does no harm to playing."""
    return Finding(position, "warning", what, advice)


def hint(position: Location, what: str, advice: str) -> Finding:
    """Make a finding about style, which the author may have intended."""
    return Finding(position, "hint", what, advice)


def arguments(arity: int) -> str:
    """Write a number of arguments in words, such as `1 argument`."""
    return {0: "no arguments", 1: "1 argument"}.get(arity, f"{arity} arguments")
