"""Boards found in rule sheets of others, against labels given by hand."""

from __future__ import annotations

import statistics
import time

import pytest

from agent.errors import UserError
from agent.reasoner.discovery import discover_boards
from agent.reasoner.machine import load_machine
from tests.corpus import sheet_path

GRIDS = {
    # name: extents of the board; those of coordinates that are nested in others stand beside them
    "2pffa": (7, 5),
    "2pffa_zerosum": (7, 5),
    "2pttc": (7, 5),
    "3pttc": (7, 6),
    "4pffa": (7, 7),
    "4pttc": (7, 7),
    "ad_game_2x2": (2, 2),
    "alexChess": (8, 8),
    "amazons": (10, 10),
    "amazonsSuicide": (10, 10),
    "amazonsSuicide_10x10": (10, 10),
    "amazons_10x10": (10, 10),
    "amazons_8x8": (8, 8),
    "atariGo_7x7": (7, 7),
    "battlebrushes": (8, 8),
    "biddingTicTacToe": (3, 3),
    "blocker": (4, 4),
    "blokbox_simple": (14, 14),
    "bomberman2p": (8, 8),
    "brain_teaser_extended": (4, 4),
    "breakthrough": (8, 8),
    "breakthroughSuicide": (8, 8),
    "breakthroughWalls": (8, 8),
    "checkers": (8, 8),
    "checkers-mustjump": (8, 8),
    "checkers-suicide": (8, 8),
    "checkersSmall": (6, 8),
    "chess_200": (8, 8),
    "choicethroughalt": (8, 8),
    "cittaceot": (5, 5),
    "connect4": (7, 7),
    "connectFour": (8, 6),
    "connectFourLarge": (12, 9),
    "connectFourSimultaneous": (8, 6, 2),
    "connectFourSuicide_7x7": (7, 7),
    "connectFour_9x6": (9, 6),
    "crossers3": (9, 9),
    "cubicup": (7, 7, 7),
    "double_tictactoe_dengji": (3, 3),
    "eightPuzzle": (3, 3),
    "englishDraughts": (8, 8),
    "eotcatcit": (3, 3),
    "eotcitcit": (3, 3),
    "factoringGeorgeForman": (2, 2),
    "factoringMediumTurtleBrain": (20, 2, 2),
    "factoringMutuallyAssuredDestruction": (2, 10),
    "four_way_battle": (6, 6),
    "ghostMaze2p": (8, 8),
    "golden_rectangle": (7, 8),
    "gomoku_15x15": (15, 15),
    "gomoku_swap2_11x11": (11, 11),
    "hallway": (9, 9),
    "hex": (9, 9),
    "hitori": (5, 5),
    "knightThrough": (8, 8),
    "knightsTourLarge": (9, 9),
    "laikLee_hex": (5, 5),
    "lightsOn": (2, 2),
    "lightsOnParallel": (4, 4),
    "lightsOnSimul4": (4, 4),
    "lightsOut": (5, 5),
    "madBishops": (10, 10),
    "max_knights": (8, 8),
    "mineClearingSmall": (5, 5),
    "minichess": (4, 4),
    "minichess-evilconjuncts": (4, 4),
    "mummymaze1p": (8, 8),
    "nineBoardTicTacToe": (3, 3, 3, 3),
    "nonogram_5x5_1": (5, 5),
    "othello-comp2007": (8, 8),
    "othelloSuicide": (8, 8),
    "pawnToQueen": (8, 8),
    "pawnWhopping": (8, 8),
    "peg": (7, 7),
    "pentago": (4, 3, 3),
    "quad_7x7": (7, 7),
    "quartoSuicide": (4, 4),
    "queens06ug": (6, 6),
    "queens08lg": (8, 8),
    "queens12ug": (12, 12),
    "queens16ug": (16, 16),
    "racer": (25, 18),
    "racer4": (25, 18),
    "reversi": (8, 8),
    "sheepAndWolf": (8, 8),
    "skirmish": (8, 8),
    "skirmishFinal1": (8, 8),
    "skirmishHoles": (8, 8),
    "skirmishNew": (8, 8),
    "skirmishZeroSum": (8, 8),
    "slidingpieces": (5, 4),
    "snake2p": (11, 11),
    "snakeParallel": (2, 4, 4),
    "speedChess": (8, 8),
    "strangeSkirmish": (8, 8),
    "sudokuGrade1": (3, 3, 3, 3),
    "sudokuGrade2": (3, 3, 3, 3),
    "sudokuGrade4": (3, 3, 3, 3),
    "sudokuGrade5": (3, 3, 3, 3),
    "ticTacToe": (3, 3),
    "ticTacToeLarge": (5, 5),
    "ticTacToeLargeSuicide": (5, 5),
    "ticTacToeNoVars": (3, 3),
    "ticTacToeSerial": (3, 3),
    "ticblock": (4, 4),
    "tictactoe2": (3, 3),
    "tictactoe_3d_6player": (4, 4, 4),
    "tictactoex9": (3, 3, 3, 3),
    "tron_10x10": (12, 12),
    "ttcc4": (7, 6),
    "ttcc4_2player": (7, 5),
    "ttcc4_2player_small": (5, 3),
    "wallmaze": (13, 9),
    "wargame01": (8, 8),
    "wargame02": (8, 8),
    "zombieAttack1PL6": (9, 9),
}
TORI = {
    "amazonsTorus": (10, 10),
    "asteroids": (20, 20),
    "asteroidsSerial": (20, 20),
    "checkers-mustjump-torus": (8, 8),
    "checkers-suicide-cylinder-mustjump": (8, 8),
    "checkersBarrelNoKings": (8, 8),
    "checkersTorus": (8, 8),
    "cylinder-checkers": (8, 8),
    "shmup": (8, 8),
    "snake_2008_tweaked": (9, 7),
    "snake_2009_big": (11, 7),
    "tictactoe_3player": (5, 5),
}
GRAPHS = {
    "bunk_t": (9,),
    "chickentoetictac": (9,),
    "chineseCheckers1": (25,),
    "chineseCheckers4": (37,),
    "chineseCheckers6": (37,),
    "hidato37": (37,),
    "maze": (4,),
    "merrills": (24,),
    "solitaireChineseCheckers": (37,),
}
LINES = {"coins": (8,), "coins_atomic": (8,), "kalaha5x2x3": (12,), "kalaha6x2x4": (14,)}
NONE = [
    "aipsrovers01",
    "blocks",
    "blocks2player",
    "blocksWorldParallel",
    "colonelBlotto",
    "duplicateStateMedium",
    "gt_centipede",
    "gt_chicken",
    "gt_dollar",
    "gt_prisoner",
    "gt_two_thirds_6p",
    "gt_ultimatum",
    "hanoi",
    "hanoi_6_disks",
    "nim1",
    "nim2",
    "pancakes",
    "pancakes88",
    "pearls",
    "roshambo2",
    "rubiksCubeSuperflip",
    "ruleDepthExponential",
    "smallest_4player",
    "stateSpaceLarge",
    "stateSpaceSmall",
    "survival",
    "switches",
    "troublemaker01",
    "troublemaker02",
    "twisty-passages",
]

LABELS: dict[str, tuple[str, tuple[int, ...]]] = {
    **{name: ("grid", extents) for name, extents in GRIDS.items()},
    **{name: ("torus", extents) for name, extents in TORI.items()},
    **{name: ("graph", extents) for name, extents in GRAPHS.items()},
    **{name: ("line", extents) for name, extents in LINES.items()},
    **dict.fromkeys(NONE, ("none", ())),
}
WRONG = {
    # The contents of pits are words, and one relation leads around the board as well as across it.
    "kalaha5x2x3": ("graph", (12,)),
    "kalaha6x2x4": ("graph", (14,)),
    # Lines are rules of their own; no relation has neighbours.
    "bunk_t": ("none", ()),
    # Each coordinate of the only thing on the board is a fact of its own.
    "asteroids": ("none", ()),
    "asteroidsSerial": ("none", ()),
    "racer": ("none", ()),
    "racer4": ("none", ()),
    # A walker is in one of four rooms, which are too few.
    "maze": ("none", ()),
    # A board of numbers is followed by one of letters, of another size.
    "brain_teaser_extended": ("none", ()),
    # Rules can name cells that the board does not have.
    "factoringMediumTurtleBrain": ("grid", (21, 2, 2)),
    "lightsOnSimul4": ("grid", (4, 5)),
    "snakeParallel": ("grid", (21, 21)),
    # Discs are smaller than discs and pillars, which passes for a neighbourhood.
    "hanoi": ("graph", (8,)),
    "hanoi_6_disks": ("graph", (9,)),
}
"""What is found where it is not what the label says."""

SLOWEST_S = 5.0
BUDGET_S = 3.0  # for preparing a sheet; larger ones are left out


@pytest.mark.peers
@pytest.mark.slow
def test_boards_of_the_corpus() -> None:
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    seconds: dict[str, float] = {}
    for name in LABELS:
        if not sheet_path(name).exists():
            continue
        try:
            machine = load_machine(str(sheet_path(name)), budget_s=BUDGET_S)
        except UserError:
            continue
        began = time.process_time()
        boards = discover_boards(machine.sheet, machine.circuit, machine.native).boards
        seconds[name] = time.process_time() - began
        found[name] = (boards[0].kind, boards[0].extents) if boards else ("none", ())
    wrong = {name: own for name, own in found.items() if own != LABELS[name]}
    print(f"{len(found) - len(wrong)} of {len(found)} right; wrong: {wrong}")
    print(f"median {statistics.median(seconds.values()):.2f} s, most {max(seconds.values()):.2f} s")
    assert wrong == {name: own for name, own in WRONG.items() if name in found}
    assert statistics.median(seconds.values()) <= 0.3
    assert max(seconds.values()) <= SLOWEST_S
