"""Games that step together do not depend on their number or the instruction set; wrong arrays are refused.

tests/api/test_vector_env.py compares them with games that step one by one.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from tests.games.machines import machine
from tests.instruction_sets import SUPPORTED
from tests.search.chance_games import RACE


class Arrays:
    """Some games with arrays for all answers."""

    def __init__(self, game: Machine, count: int, isa: str | None = None, same_turn: bool = True) -> None:
        roles, rows = len(game.roles), game.circuit.n_rows
        waits = np.full(roles, -1, np.int32)
        self.native = _native.Environments(game.native, count, waits, same_turn, isa)
        self.legal = np.empty((count, rows), np.bool_)
        self.actions = np.empty((count, roles), np.int32)
        self.rewards = np.empty((count, roles), np.int32)
        self.over = np.empty(count, np.bool_)
        self.moving = np.empty((count, roles), np.bool_)
        self.facts = np.empty((count, len(game.fluents)), np.bool_)
        self.states = np.empty((count, game.circuit.state_words), np.uint64)
        self.fluents = np.arange(len(game.fluents), dtype=np.int32)

    def seen(self) -> NDArray[np.int64]:
        """All answers about the first three games, one after the other."""
        self.native.legal(0, self.legal.shape[1], self.legal)
        self.native.rewards(self.rewards)
        self.native.terminated(self.over)
        self.native.to_move(self.moving)
        self.native.facts(self.fluents, self.facts)
        self.native.states(self.states)
        packed = self.states[:3].view(np.int64)
        answers = (self.legal, self.rewards, self.over, self.moving, self.facts)
        return np.concatenate([packed.ravel(), *(answer[:3].ravel().astype(np.int64) for answer in answers)])


def trajectory(game: Machine, count: int, isa: str, same_turn: bool) -> NDArray[np.int64]:
    """Return all that is seen of the first three games, whose first role takes its first legal action."""
    arrays = Arrays(game, count, isa, same_turn)
    arrays.native.reset(5)
    first, seen = game.rows(0), []
    for _ in range(20):
        seen.append(arrays.seen())
        arrays.native.draw(arrays.actions)
        legal = arrays.legal[:, : first.stop]
        arrays.actions[:, 0] = np.where(legal.any(axis=1), legal.argmax(axis=1), -1)
        arrays.actions[:, 1:] = np.where(arrays.moving[:, 1:], -1, arrays.actions[:, 1:])
        arrays.native.step(arrays.actions)
        arrays.native.step_random(2)
    return np.array(seen)


@pytest.mark.parametrize("same_turn", [True, False])
@pytest.mark.parametrize("name", ["tictactoe.ext", "connectfour.ext", "checkers.ext", "race"])
def test_games_do_not_depend_on_their_number_or_the_instruction_set(name: str, same_turn: bool) -> None:
    game = load_machine(parse_sheet(RACE, "race"), cache=False) if name == "race" else machine(name)
    expected = trajectory(game, 3, SUPPORTED[-1], same_turn)
    assert len(np.unique(expected, axis=0)) > 15
    for isa in SUPPORTED:
        for count in (3, 64, 129, 700):
            assert (trajectory(game, count, isa, same_turn) == expected).all()


def test_wrong_arguments_are_refused() -> None:
    game = machine("tictactoe.ext")
    arrays = Arrays(game, 5)
    native, waits = arrays.native, np.full(2, -1, np.int32)
    with pytest.raises(ValueError, match="there must be a game"):
        _native.Environments(game.native, 0, waits, True)
    with pytest.raises(ValueError, match="waits: give a row"):
        _native.Environments(game.native, 5, waits[:1], True)
    with pytest.raises(ValueError, match="waits: no such row"):
        _native.Environments(game.native, 5, np.full(2, 20, np.int32), True)
    with pytest.raises(ValueError, match="supported"):
        _native.Environments(game.native, 5, waits, True, "none")
    for wrong in (np.zeros((5, 3), np.int32), np.zeros((4, 2), np.int32)):
        with pytest.raises(ValueError, match="step: give a row"):
            native.step(wrong)
    with pytest.raises(_native.IllegalActionError) as raised:
        native.step(np.array([[0, -1]] * 4 + [[0, 0]], np.int32))
    assert raised.value.args == (4, 1)
    with pytest.raises(ValueError, match="renew: say it of each game"):
        native.renew(np.zeros(4, np.bool_))
    with pytest.raises(ValueError, match="another game"):
        native.place(np.zeros((5, 2), np.uint64))
    with pytest.raises(ValueError, match="place: give a state for each game"):
        native.place(np.zeros((4, 1), np.uint64))
    with pytest.raises(ValueError, match="place: a state has a bit past the last fluent"):
        native.place(np.full((5, 1), 2**63, np.uint64))
    with pytest.raises(ValueError, match="not all in the same turn"):
        native.place(np.zeros((5, 1), np.uint64))
    with pytest.raises(ValueError, match="legal: no such rows"):
        native.legal(3, 21, arrays.legal)
    with pytest.raises(ValueError, match="facts: no such fluent"):
        native.facts(np.array([len(game.fluents)], np.int32), arrays.facts)
    for answer in (
        lambda: native.legal(0, 3, arrays.legal),
        lambda: native.terminated(arrays.over[:4]),
        lambda: native.rewards(arrays.rewards[:4]),
        lambda: native.to_move(arrays.moving[:4]),
        lambda: native.draw(arrays.actions[:4]),
        lambda: native.states(arrays.states[:4]),
        lambda: native.facts(arrays.fluents[:1], arrays.facts),
    ):
        with pytest.raises(ValueError, match="the array for the answer has another size"):
            answer()
