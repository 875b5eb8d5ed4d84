"""The names of a game's roles, facts and moves in match records, for writing and for reading."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol
from xml.sax.saxutils import escape

from gdl_miner.agent.files.elements import Element, ElementError
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.geometry import GameNames


class Sheet(Protocol):
    """The part of a rule sheet that records need."""

    @property
    def name(self) -> str:
        """The game's name."""

    @property
    def digest(self) -> str:
        """The hash of the game's rules."""

    def display(self, text: str) -> str:
        """Return a term in the sheet's own spelling."""


class RecordedGame(Protocol):
    """A game whose matches are recorded."""

    @property
    def sheet(self) -> Sheet:
        """The rules of the game."""

    @property
    def circuit(self) -> GameNames:
        """The roles, fluents and moves of the game, in the order that records have."""


@dataclass(frozen=True)
class RecordNames:
    """The names of a game by index, and the indices by name."""

    machine: RecordedGame

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """[role] name in normal form."""
        return tuple(self.machine.circuit.roles)

    @cached_property
    def shown_roles(self) -> tuple[str, ...]:
        """[role] name as XML text."""
        return tuple(self._show(role) for role in self.roles)

    @cached_property
    def fact_lines(self) -> tuple[str, ...]:
        """[fluent] line of a fluent in a state."""
        return tuple(f"      <Fact>{self._show(fluent)}</Fact>\n" for fluent in self.machine.circuit.fluents)

    @cached_property
    def shown_moves(self) -> tuple[str, ...]:
        """[row] move as XML text."""
        return tuple(self._show(move) for move in self.machine.circuit.moves)

    @cached_property
    def fluent_index(self) -> dict[str, int]:
        """Indices of the fluents by name."""
        return {fluent: index for index, fluent in enumerate(self.machine.circuit.fluents)}

    @cached_property
    def row_index(self) -> tuple[dict[str, int], ...]:
        """[role] rows by the names of the moves."""
        starts = self.machine.circuit.move_start.tolist()
        moves = self.machine.circuit.moves
        return tuple({moves[row]: row for row in range(*bounds)} for bounds in pairwise(starts))

    @property
    def state_words(self) -> int:
        """Number of words in a packed state."""
        return (len(self.machine.circuit.fluents) + 63) // 64

    def _show(self, text: str) -> str:
        return escape(self.machine.sheet.display(text))

    def role(self, element: Element) -> int:
        """Return the role that an element names. Raises ElementError where the game has no such role."""
        role = normalise(text_of(element, "Role"))
        if role not in self.roles:
            raise ElementError(element, f"the game has no role {role}", f"write one of {', '.join(self.roles)}")
        return self.roles.index(role)

    def fluent(self, element: Element) -> int:
        """Return the fluent that an element names. Raises ElementError where the game has no such fact."""
        text = (element.text or "").strip()
        index = self.fluent_index.get(text, self.fluent_index.get(normalise(text)))
        if index is None:
            raise ElementError(element, f"the game has no fact {text}", "check that the record is of this game")
        return index

    def row(self, element: Element, role: int, text: str) -> int:
        """Return the row of a role's move. Raises ElementError at `element` where there is no such move."""
        index = self.row_index[role].get(text, self.row_index[role].get(normalise(text)))
        if index is None:
            raise ElementError(
                element, f"{self.roles[role]} has no move {text}", "check that the record is of this game"
            )
        return index


def text_of(parent: Element, name: str) -> str:
    """Return the text of a child without space around it; empty where there is no such child."""
    return (parent.findtext(name) or "").strip()
