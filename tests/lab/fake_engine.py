"""A program that speaks the protocols of real engines; it plays the first legal move, or fails as it is told.

fake_engine.py PROTOCOL [FAULT]: the fault is `die` (end when asked for the second move), `hang` (never answer), or a
text that is the answer to every question.
"""

import sys
import time
from collections.abc import Iterator

FILES = "abcdefgh"
COLUMNS = {"connect4": 8, "connect4of7": 7}


def breakthrough(moves: list[str]) -> Iterator[str]:
    """Yield the legal moves after some moves, in the notation of UCI; white begins, from ranks 1 and 2."""
    board = {file + str(rank): rank < 5 for file in FILES for rank in (1, 2, 7, 8)}  # square -> whether it is white
    for move in moves:
        board[move[2:]] = board.pop(move[:2])
    white = len(moves) % 2 == 0
    for square in sorted(board):
        if board[square] is not white:
            continue
        rank = str(int(square[1]) + (1 if white else -1))
        for shift in (-1, 0, 1):
            column = FILES.index(square[0]) + shift
            if 0 <= column < 8 and board.get(FILES[column] + rank, not white if shift else None) is not white:
                target = FILES[column] + rank
                if shift or target not in board:
                    yield square + target


def othello(cells: str, side: str) -> Iterator[str]:
    """Yield the squares on which a side can place a disc."""
    at = {(n % 8, n // 8): cell for n, cell in enumerate(cells)}
    for (x, y), cell in at.items():
        for dx, dy in [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]:
            length = 1
            while at.get((x + length * dx, y + length * dy), "-") not in ("-", side):
                length += 1
            if cell == "-" and length > 1 and at.get((x + length * dx, y + length * dy)) == side:
                yield f"{FILES[x]}{y + 1}"
                break


def answer(protocol: str, line: str, state: dict[str, list[str]]) -> Iterator[str]:
    """Yield the answers to a line."""
    words = line.split()
    if protocol in COLUMNS:
        columns = range(1, COLUMNS[protocol] + 1)
        scores = [-1000 if line.count(str(column)) == 6 else int(column == 4) for column in columns]
        yield " ".join([line, *map(str, scores)])
    elif protocol == "othello":
        yield next(othello(words[0], words[1]))
    elif words[0] == "uci":
        yield from ("id name fake", "option name Skill Level type spin default 20 min -20 max 20")
        yield from ("option name UCI_Variant type combo default chess var breakthrough var chess", "uciok")
    elif words[0] == "isready":
        yield "readyok"
    elif words[0] == "position":
        state["moves"] = words[3:]
    elif words[0] == "go":
        yield from ("info depth 1", f"bestmove {next(breakthrough(state['moves']))}")


def main() -> None:
    """Answer until the input ends."""
    protocol, fault = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    state: dict[str, list[str]] = {}
    asked = 0
    for line in map(str.rstrip, sys.stdin):
        question = protocol != "uci" or line.startswith("go")
        asked += question
        if line == "quit":
            return
        if fault == "die" and asked == 2:
            print("out of memory", file=sys.stderr)
            raise SystemExit(3)
        if fault == "hang" and question:
            time.sleep(60)
        for text in [fault] if question and fault not in ("", "die") else answer(protocol, line, state):
            print(text, flush=True)


if __name__ == "__main__":
    main()
