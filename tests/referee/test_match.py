import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.gdl.renaming import find_renaming, scrambled
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.referee import Clocks, LocalRandom, PlayerLink, referee
from gdl_miner.agent.referee.match import STOP_S
from gdl_miner.agent.server.messages import Message, Start
from tests.search.chance_games import RACE
from tests.search.positions import machine_of


class Scripted:
    """A player that gets ready and then answers with a text, or fails with an error of the class given."""

    name = "scripted"

    def __init__(self, answer: str | type[Exception]) -> None:
        self._answer = answer

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        if isinstance(message, Start):
            return "ready"
        if isinstance(self._answer, str):
            return self._answer
        raise self._answer("gone")  # a new error, because a raised one keeps its frames and their matches


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ("(mark 9 9 x)", "illegal"),
        ("((", "illegal"),
        ("", "illegal"),
        (TimeoutError, "late"),
        (OSError, "unreachable"),
    ],
)
def test_a_faulty_answer_is_replaced_by_a_legal_move_and_reported(answer: str | type[Exception], what: str) -> None:
    machine = load_machine("tictactoe.ext")
    links: list[PlayerLink] = [Scripted(answer), LocalRandom(2)]
    outcome = asyncio.run(referee(machine, links, Clocks(1, 1), name="m"))
    assert [fault.what for fault in outcome.faults] == [what] * len(outcome.joints)
    assert [fault.move for fault in outcome.faults] == list(range(1, len(outcome.joints) + 1))
    assert machine.terminal(outcome.record.states[-1])
    again = asyncio.run(referee(machine, [Scripted(answer), LocalRandom(2)], Clocks(1, 1), name="m"))
    np.testing.assert_array_equal(again.record.moves, outcome.record.moves)


class Clocked:
    """A player of the first legal move that keeps the rules, and how long it may take for each kind of message."""

    name = "clocked"

    def __init__(self) -> None:
        self.clocks: dict[str, set[float]] = {}
        self.rules = ""

    async def ask(self, message: Message, legal: tuple[str, ...], seconds: float) -> str:
        self.clocks.setdefault(type(message).__name__, set()).add(seconds)
        if isinstance(message, Start):
            self.rules = message.rules
        return legal[0] if legal else "ready"


def test_each_message_has_the_clock_that_the_players_were_told() -> None:
    players = [Clocked(), Clocked()]
    outcome = asyncio.run(referee(load_machine("tictactoe.ext"), players, Clocks(3, 2), name="m"))
    assert outcome.faults == ()
    assert [each.clocks for each in players] == [{"Start": {3}, "Play": {2}, "Stop": {STOP_S}}] * 2


def test_a_match_that_breaks_off_is_told_to_all_players() -> None:
    players, seen = [Clocked(), Clocked()], list[tuple[int, tuple[str, ...]]]()

    def watch(number: int, joint: Sequence[str]) -> None:
        seen.append((number, tuple(joint)))
        if number == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        asyncio.run(referee(load_machine("tictactoe.ext"), players, Clocks(3, 2), name="m", watch=watch))
    assert seen == [(1, ("(mark 1 1 x)", "noop")), (2, ("noop", "(mark 1 2 o)"))]
    assert [each.clocks for each in players] == [{"Start": {3}, "Play": {2}, "Abort": {STOP_S}}] * 2


@pytest.mark.parametrize("scramble", [False, True])
def test_each_player_has_words_of_its_own_where_they_are_scrambled(scramble: bool) -> None:
    machine, players = load_machine("tictactoe.ext"), [Clocked(), Clocked()]
    outcome = asyncio.run(referee(machine, players, Clocks(1, 1), name="m", scramble=scramble))
    assert outcome.faults == ()
    assert outcome.joints[0] == ("(mark 1 1 x)", "noop")
    assert all(("mark" in each.rules) != scramble for each in players)
    assert (players[0].rules != players[1].rules) == scramble


def test_a_match_needs_a_player_for_each_role() -> None:
    with pytest.raises(ConfigError, match="1 players for the roles x, o"):
        asyncio.run(referee(load_machine("tictactoe.ext"), [LocalRandom(1)], Clocks(1, 1), name="m"))


def test_chance_moves_for_the_role_random() -> None:
    machine = machine_of("race")
    outcome = asyncio.run(referee(machine, [LocalRandom(1), LocalRandom(2)], Clocks(1, 1), name="m", scramble=True))
    assert outcome.faults == ()
    assert machine.terminal(outcome.record.states[-1])
    assert {joint[1] for joint in outcome.joints} > {"noop"}
    again = asyncio.run(referee(machine, [LocalRandom(1), LocalRandom(2)], Clocks(1, 1), name="m"))
    assert again.joints == outcome.joints
    with pytest.raises(ConfigError, match="3 players for the roles white, black"):
        asyncio.run(referee(machine, [LocalRandom(1)] * 3, Clocks(1, 1), name="m"))


def test_a_scrambled_game_keeps_the_role_random() -> None:
    sheet = parse_sheet(RACE, "race.kif")
    text, _ = scrambled(sheet, 5)
    theirs = parse_sheet(text)
    assert theirs.roles[1] == "random"
    assert theirs.roles[0] != "white"
    assert find_renaming(theirs, sheet) is not None
    other = parse_sheet(RACE.replace("random", "fate"), "other.kif")
    assert find_renaming(other, sheet) is None
