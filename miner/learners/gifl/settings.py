"""Settings of the learning of features."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TreeSettings:
    """How a game is walked back."""

    levels: int  # trees walked back from the end
    # In a game without terminal facts, the last move has to win. With `whole_ends`, as in the thesis, it has to lead to
    # all facts of the last state.
    whole_ends: bool = False
    # Whether the last move has to win in a game with terminal facts, too. Where a game ends for two reasons at once,
    # the terminal facts are those that both have in common, which alone end nothing.
    win_ends: bool = False


@dataclass(frozen=True)
class GiflSettings:
    """How features are learned."""

    seed: int
    study_games: int  # games that show what the game is like
    trees: TreeSettings
