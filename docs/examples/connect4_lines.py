"""A perfect player of connect four on seven columns that answers lines as Pascal Pons's solver does."""

import sys

from bitbully import BitBully, Board

solver = BitBully("12-ply-dist")
for line in sys.stdin:
    board = Board()
    for column in line.strip():
        board.play(int(column) - 1)
    scores = solver.score_all_moves(board)
    print(line.strip(), *(scores.get(column, -1000) for column in range(7)), flush=True)
