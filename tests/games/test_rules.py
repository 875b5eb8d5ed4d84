"""The bundled rule sheets play like the same games written in Python, and give known perft counts."""

import json
from pathlib import Path

import pytest

from gdl_miner.agent.games import bundled
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.perft import perft
from tests.games.machines import machine, random_playout
from tests.games.plain.games import PLAIN_GAMES

PERFT_FILES = sorted((Path(__file__).parents[1] / "perft").glob("*.json"))
ENOUGH = 60_000
"""Largest perft count that is checked here; larger ones take too long."""


@pytest.mark.parametrize("game", bundled())
def test_every_state_of_random_playouts_is_as_in_the_plain_game(game: str) -> None:
    played, plain = machine(game), PLAIN_GAMES[game]
    seats = [played.roles.index(role) for role in plain.roles]
    for seed in range(3 if game == "amazons.ext" else 12):
        position = plain.start()
        *turns, end = random_playout(played, seed)
        for turn in turns:
            mover = seats[position.mover]
            assert set(played.facts(turn.state)) == plain.facts(position)
            assert not plain.over(position)
            assert sorted(turn.legal[mover]) == sorted(plain.moves(position))
            assert turn.legal[1 - mover] == ["noop"]
            position = plain.play(position, turn.joint[mover])
        assert plain.over(position)
        goals = played.goals(end.state)
        assert tuple(goals[seat] for seat in seats) == plain.goals(position)


@pytest.mark.parametrize("game", bundled())
def test_the_interpreter_follows_a_whole_random_playout(game: str) -> None:
    played = machine(game)
    interpreter = Interpreter(played.sheet)
    state = interpreter.initial()
    *turns, end = random_playout(played, seed=5)
    for turn in turns:
        assert sorted(state) == played.facts(turn.state)
        assert not interpreter.terminal(state)
        assert [sorted(interpreter.legal(state, role)) for role in played.roles] == list(map(sorted, turn.legal))
        state = interpreter.next(state, turn.joint)
    assert sorted(state) == played.facts(end.state)
    assert interpreter.terminal(state)
    assert tuple(interpreter.goal(state, role) for role in played.roles) == played.goals(end.state)


def test_every_bundled_game_has_a_perft_file() -> None:
    assert [path.stem for path in PERFT_FILES] == list(bundled())


@pytest.mark.parametrize("path", PERFT_FILES, ids=lambda path: path.stem)
def test_perft_counts_are_the_golden_ones(path: Path) -> None:
    golden = json.loads(path.read_text(encoding="utf-8"))
    counts = [count for count in golden["counts"] if count <= ENOUGH]
    levels = perft(machine(golden["game"]), len(counts))
    assert [level.sequences for level in levels][1:] == counts
