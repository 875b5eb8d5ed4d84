"""The measurements of Kirci's thesis (2010), for comparison with those of this program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gdl_miner.agent.errors import ConfigError
from lab.options import named_games


@dataclass(frozen=True)
class KirciGame:
    """A game of tables 5.1 to 5.7; a number that the thesis lacks is None."""

    sheet: str  # name of the rule sheet without .kif
    playouts: int  # per move in table 5.2
    offensive: int  # 5.1: features found in two minutes
    defensive: int
    equal_playouts: float  # 5.2: win % at equal playouts
    playouts_ratio: float  # 5.3: playouts in the same time, in % of those of UCT
    length_ratio: float  # 5.4: length of playouts, in % of those of UCT
    equal_time: float | None  # 5.5 and 5.6: win % at equal time
    opponents: tuple[float, float, float]  # 5.7: win % at equal time where the opponent knows nothing, half, all


KIRCI_GAMES = (
    KirciGame("pawnWhopping", 1000, 185, 143, 95.0, 65, 82, 95.0, (70.0, 95.0, 85.0)),
    KirciGame("knightThrough", 1000, 79, 55, 92.0, 93, 45, 75.0, (50.0, 75.0, 60.0)),
    KirciGame("breakthrough", 1000, 63, 57, 82.5, 79, 61, 85.0, (45.0, 85.0, 70.0)),
    KirciGame("checkers", 150, 458, 437, 78.0, 36, 73, 55.0, (60.0, 55.0, 58.0)),
    KirciGame("connect4", 1000, 1108, 1079, 57.5, 20, 95, 45.0, (10.0, 45.0, 35.0)),
    KirciGame("chess_200", 25, 13, 12, 56.0, 74, 99, 35.0, (40.0, 38.0, 65.0)),
    KirciGame("pentago", 1000, 405, 274, 50.0, 156, 68, 50.0, (50.0, 50.0, 50.0)),
    # The thesis prints 80-120 points and 05.0 % for quarto at equal time, which contradict each other.
    KirciGame("quartoSuicide", 1000, 5254, 3273, 49.0, 34, 100, None, (42.0, 40.0, 33.0)),
    KirciGame("checkersBarrelNoKings", 1000, 2830, 2432, 30.0, 38, 178, 15.0, (8.0, 15.0, 10.0)),
)


def kirci_games(names: Sequence[str] | None, folder: Path) -> list[tuple[KirciGame, Path]]:
    """Return the games of these names, or all, with their sheets in the folder; without names, as far as it has them.

    Raises ConfigError where a game is not in the thesis, or a named one or all are not in the folder.
    """
    known = {game.sheet: game for game in KIRCI_GAMES}
    found = [(game, folder / f"{game.sheet}.kif") for game in named_games(known, names, "Kirci's thesis")]
    missing = [path for _, path in found if not path.is_file()]
    if missing and (names or len(missing) == len(found)):
        raise ConfigError(f"{missing[0]}: there is no such rule sheet; give the folder that holds it")
    return [(game, path) for game, path in found if path.is_file()]
