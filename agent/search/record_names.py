"""The names of a game in match records: roles, facts and moves, as they are written and as they are found again."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol
from xml.sax.saxutils import escape

from agent.files.elements import Element, ElementError
from agent.gdl import normalise
from agent.knowledge.geometry import GameNames

__all__ = ["GameMachine", "RecordNames", "Sheet", "text_of"]


class Sheet(Protocol):
    """What records say of a rule sheet."""

    @property
    def name(self) -> str:
        """The game's name."""

    @property
    def digest(self) -> str:
        """The hash of its rules."""

    def display(self, text: str) -> str:
        """A term in the sheet's own spelling."""


class GameMachine(Protocol):
    """A game whose matches are recorded."""

    @property
    def sheet(self) -> Sheet:
        """Its rules."""

    @property
    def circuit(self) -> GameNames:
        """Its roles, fluents and moves, in the order of records."""


@dataclass(frozen=True)
class RecordNames:
    """The names of a game, both ways."""

    machine: GameMachine

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """[role] normal form."""
        return tuple(self.machine.circuit.roles)

    @cached_property
    def shown_roles(self) -> tuple[str, ...]:
        """[role] as XML text."""
        return tuple(self._show(role) for role in self.roles)

    @cached_property
    def fact_lines(self) -> tuple[str, ...]:
        """[fluent] its line in a state."""
        return tuple(f"      <Fact>{self._show(fluent)}</Fact>\n" for fluent in self.machine.circuit.fluents)

    @cached_property
    def shown_moves(self) -> tuple[str, ...]:
        """[row] as XML text."""
        return tuple(self._show(move) for move in self.machine.circuit.moves)

    @cached_property
    def fluent_index(self) -> dict[str, int]:
        """Fluents by name."""
        return {fluent: index for index, fluent in enumerate(self.machine.circuit.fluents)}

    @cached_property
    def row_index(self) -> tuple[dict[str, int], ...]:
        """[role] rows by move."""
        starts = self.machine.circuit.move_start.tolist()
        moves = self.machine.circuit.moves
        return tuple({moves[row]: row for row in range(*bounds)} for bounds in pairwise(starts))

    @property
    def state_words(self) -> int:
        """Words of a packed state."""
        return (len(self.machine.circuit.fluents) + 63) // 64

    def _show(self, text: str) -> str:
        return escape(self.machine.sheet.display(text))

    def role(self, element: Element) -> int:
        """The role that an element names. Raises ElementError where the game has no such role."""
        role = normalise(text_of(element, "Role"))
        if role not in self.roles:
            raise ElementError(element, f"the game has no role {role}", f"write one of {', '.join(self.roles)}")
        return self.roles.index(role)

    def fluent(self, element: Element) -> int:
        """The fluent that an element names. Raises ElementError where the game has no such fact."""
        text = (element.text or "").strip()
        index = self.fluent_index.get(text, self.fluent_index.get(normalise(text)))
        if index is None:
            raise ElementError(element, f"the game has no fact {text}", "check that the record is of this game")
        return index

    def row(self, element: Element, role: int, text: str) -> int:
        """The row of a role's move; `element` is where it stands. Raises ElementError where there is no such move."""
        index = self.row_index[role].get(text, self.row_index[role].get(normalise(text)))
        if index is None:
            raise ElementError(
                element, f"{self.roles[role]} has no move {text}", "check that the record is of this game"
            )
        return index


def text_of(parent: Element, name: str) -> str:
    """The text of a child, without space around it; empty where there is none."""
    return (parent.findtext(name) or "").strip()
