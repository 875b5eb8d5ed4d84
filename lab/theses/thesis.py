"""The measurements of the thesis, for comparison with those of this program."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_miner.agent.errors import ConfigError

__all__ = ["THESIS_GAMES", "ThesisGame", "thesis_games"]


@dataclass(frozen=True)
class ThesisGame:
    """A game of tables 6.4 and 6.5. Percentages are win percentages, with half the width of their 95 % interval."""

    name: str  # name of the bundled sheet
    playouts: int  # per move, about as many as the clocks of the thesis allowed its baseline
    knowledge_win: tuple[float, float]  # table 6.4: evolved knowledge against bare UCT with half the time
    uct_c: float  # UCT constant of that individual
    expansions: float  # nodes per playout of that individual
    table_states: int  # table 6.5: states that an unbounded table came to hold
    table_share: float  # share of these states in the bounded tables; 0.01 where the thesis has none
    table_win: tuple[float, float] | None  # linked against random eviction; None where the thesis has none


THESIS_GAMES = (
    ThesisGame("amazons.ext", 500, (68.3, 4.87), 56.7, 1.4, 23_500, 0.01, (51.5, 6.92)),
    ThesisGame("checkers.ext", 90, (68.8, 4.85), 36.4, 1.2, 24_000, 0.01, None),
    ThesisGame("cubicup.ext", 1400, (66.1, 4.96), 15.4, 0.5, 16_000, 0.01, (48.7, 6.93)),
    ThesisGame("connectfour.ext", 11_000, (53.7, 5.22), 33.0, 0.8, 11_500, 0.005, (57.1, 6.86)),
    ThesisGame("othello.ext", 30, (57.1, 5.19), 38.4, 0.9, 30_000, 0.003, (57.9, 6.84)),
)


def thesis_games(names: list[str] | None) -> tuple[ThesisGame, ...]:
    """Return the games of these names; all games without names.

    Raises ConfigError where the thesis has no such game.
    """
    if not names:
        return THESIS_GAMES
    known = {game.name: game for game in THESIS_GAMES}
    unknown = [name for name in names if name.removesuffix(".kif") not in known]
    if unknown:
        raise ConfigError(f"{unknown[0]} is not in the tables of the thesis; take one of {', '.join(known)}")
    return tuple(known[name.removesuffix(".kif")] for name in names)
