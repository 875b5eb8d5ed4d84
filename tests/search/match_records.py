"""Random match records of a game of othello that consists of names only."""

import random

import numpy as np

from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord
from tests.geometry.imaginary_games import ImaginaryGame, Sheet, game


class FigureSheet(Sheet):
    def display(self, text: str) -> str:
        return "(mark 3 5 BLACK)" if text == "(mark 3 5 black)" else text


def figure_game(name: str = "othello") -> ImaginaryGame:
    """Return the game of thesis figure 5.2: its fields, marks and controls."""
    fields = [(x, y) for x in range(1, 9) for y in range(1, 9)]
    roles = ("black", "red")
    fluents = [f"(cell {x} {y} {role})" for x, y in fields for role in roles] + [f"(control {role})" for role in roles]
    moves = {role: [*(f"(mark {x} {y} {role})" for x, y in fields), "noop"] for role in roles}
    found = game(name, None, fluents, moves)
    return ImaginaryGame(FigureSheet(**vars(found.sheet)), found.circuit)


def random_record(game: ImaginaryGame, rng: random.Random, n_matches: int) -> MatchBatchRecord:
    """Return matches with random states and moves, and with the visits of some searches."""
    n_words = (len(game.circuit.fluents) + 63) // 64
    valid = (1 << len(game.circuit.fluents)) - 1
    lengths = [rng.randint(1, 6) for _ in range(n_matches)]
    moves: list[list[int]] = []
    visit_start, visit_row = [0], []
    for length in lengths:
        for step in range(length):
            final = step == length - 1
            moves.append([NO_MOVE if final else rng.randrange(65 * role, 65 * role + 65) for role in (0, 1)])
            for role in (0, 1):
                if not final and rng.random() < 0.5:
                    visit_row += sorted(rng.sample(range(65 * role, 65 * role + 65), rng.randint(1, 5)))
            visit_start.append(len(visit_row))
    packed = [rng.getrandbits(64 * n_words) & valid for _ in moves]
    shape = (n_matches, 2)
    return MatchBatchRecord(
        ids=tuple(f"match <{rng.randint(0, 999)}> & more" for _ in lengths),
        start=np.cumsum([0, *lengths]).astype(np.int32),
        states=np.array(
            [[(state >> (64 * word)) & (2**64 - 1) for word in range(n_words)] for state in packed], dtype=np.uint64
        ).reshape(-1, n_words),
        moves=np.array(moves, dtype=np.int32).reshape(-1, 2),
        goals=np.array([rng.randint(-1, 100) for _ in range(2 * n_matches)], dtype=np.int32).reshape(shape),
        visit_start=np.array(visit_start, dtype=np.int64),
        visit_row=np.array(visit_row, dtype=np.int32),
        visit_count=np.array([rng.randint(0, 9999) for _ in visit_row], dtype=np.int32),
        players=np.array([rng.randint(0, 3) for _ in range(2 * n_matches)], dtype=np.int32).reshape(shape),
        playouts=np.array([rng.randint(0, 10**12) for _ in range(2 * n_matches)], dtype=np.int64).reshape(shape),
    )
