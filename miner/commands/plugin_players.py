"""Opponents and evaluators of other packages in matches of the command line; these play in plain Python.

The library (`api`) has these doors, because what other packages write is about its games and states. The command line
is the only part of `miner` that may use it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.api.game import Game
from gdl_miner.api.matches import play_in_python, score
from gdl_miner.api.plugin_players import plugin_of_player, plugin_player
from gdl_miner.api.plugins import evaluator_class, opponent_class
from gdl_miner.miner.play.comparison import PlayMatches
from gdl_miner.miner.play.executor import Executor, WorkerTask
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.scoring import ScoreReport

__all__ = [
    "evaluator_class",
    "matches_in_python",
    "opponent_class",
    "plugin_of_player",
    "resolved_player",
    "scored_in_python",
]

_MATCHES_PER_TASK = 8


def resolved_player(machine: Machine, name: str, playouts: int) -> PlayerSpec | str:
    """Return the player of a plug-in: a player like those of knowledge files, or the name of one in plain Python.

    Raises ConfigError where the plug-in cannot be loaded, or has no such option.
    """
    found = plugin_player(Game(machine), name, playouts)
    return found if isinstance(found, PlayerSpec) else name


def matches_in_python(
    executor: Executor,
    machine: Machine,
    players: Sequence[PlayerSpec | str],
    playouts: int,
    played: Callable[[int], None],
) -> PlayMatches:
    """Return a way to play matches on an executor of players of whom some are plug-ins, given by their names.

    `played` is called with the number of matches of every finished task.
    """
    game = PreparedGame(machine.sheet, machine.circuit)
    shared = (executor.share(game), executor.share(tuple(players)), executor.share(playouts))

    def play(matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        parts = [matches[first : first + _MATCHES_PER_TASK] for first in range(0, len(matches), _MATCHES_PER_TASK)]
        tasks = [WorkerTask(f"{part[0].id}-python", tuple(part)) for part in parts]
        goals: dict[str, list[int]] = {}
        for _, found in executor.run(play_in_python, shared, tasks):
            goals |= found
            played(len(found))
        return goals

    return play


def scored_in_python(
    machine: Machine,
    player: PlayerSpec,
    opponent: str,
    matches: int,
    playouts: int,
    seed: int,
    played: Callable[[int], None],
    opening_plies: int | None,
) -> ScoreReport:
    """Score a player against the plug-in of a name; see `score_players`."""
    return score(
        Game(machine),
        player,
        opponent,
        matches=matches,
        playouts=playouts,
        seed=seed,
        opening_plies=opening_plies,
        progress=played,
    )
