"""Matches between players, and how strong one player is against another."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.limits import LONGEST_MATCH
from gdl_miner.agent.reasoner.machine import Machine, endless, no_legal_move
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import search_positions
from gdl_miner.api.evaluation import knowledge_for
from gdl_miner.api.game import ActionLike, Game, GameLike, RoleLike, State, game_of
from gdl_miner.api.plugin_players import PluginMover, plugin_player
from gdl_miner.miner.play.cost_model import PositionSample
from gdl_miner.miner.play.executor import TaskProgress, tell
from gdl_miner.miner.play.pairing import MatchRequest, make_pair
from gdl_miner.miner.play.player_names import PlayerName
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.rating import Score, rate
from gdl_miner.miner.play.scoring import Equal, ScoreReport, score_equally, score_players, usual_opening

Chooser: TypeAlias = Callable[[State, str], ActionLike]
"""It takes a state, which is its own to change, and the name of a role that has a choice, and returns a legal move."""
PlayerLike: TypeAlias = str | Knowledge | PlayerSpec | Chooser
"""A player: a name as in `miner tournament`, knowledge, or a function.

Names are `uct`, `random`, the path of a knowledge file, a level of released knowledge (`quick`), `uct+c=10@500` with
options and playouts, `best.xml@greedy`, and those of other packages: `minimax+depth=3`, an opponent, and
`uct:material@200`, a search by an evaluator.
"""
_Mover: TypeAlias = Callable[[State, int, int], int]  # state, role, seed -> row

DEFAULT_PLAYOUTS = 100


def play(
    game: GameLike, players: Mapping[RoleLike, PlayerLike], *, playouts: int = DEFAULT_PLAYOUTS, seed: int = 0
) -> State:
    """Play a match and return its last state, whose `history` has the moves and whose `returns` has the goals.

    The same players, playouts and seed give the same match, as long as functions choose alike. Each search begins
    anew; it takes no notice of the searches of earlier moves.

    Args:
        game: the game, or what `load` takes.
        players: a player for each role but `random`, by the name or number of the role.
        playouts: playouts per move of players that search, where their names do not say it.
        seed: of all random choices.

    Raises ConfigError where a role has no player or two, or there is no such player; MoveError where a function returns
    a move that is not legal; KnowledgeError where knowledge cannot be read or does not fit the game; RuleError where a
    match does not end within 10,000 joint moves, or a role has no legal move.
    """
    game = game_of(game)
    chosen = {game.role_number(role): player for role, player in players.items()}
    wanted = [role for role in range(len(game.roles)) if role != game.chance]
    if sorted(chosen) != wanted or len(players) != len(chosen):
        raise ConfigError(f"{game.name}: give one player for each of {', '.join(game.roles[role] for role in wanted)}")
    seats = {role: _mover(game, player, playouts) for role, player in chosen.items()}
    return _played(game.initial_state(), [seats.get(role, _draw) for role in range(len(game.roles))], seed)


def score(
    game: GameLike,
    player: PlayerLike,
    opponent: PlayerLike = "uct",
    *,
    matches: int = 100,
    playouts: int = DEFAULT_PLAYOUTS,
    equal: str = "playouts",
    seed: int = 0,
    opening_plies: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> ScoreReport:
    """Play pairs of matches with swapped seats and return how strong a player is against its opponent.

    Print the result, or read its `score` (`wins`, `draws`, `losses`, `matches`, `win_percent` and its 95 % interval
    `ci95`) and its `rating` (`elo` and the standard error `se`). The same players, numbers and seed give the same
    result, as long as functions choose alike.

    Args:
        game: the game, or what `load` takes; the role `random` has no player.
        player: who is measured.
        opponent: bare UCT by default.
        matches: least number of matches, which are played in whole pairs; with more than two roles, in groups in which
            the player has each seat once against copies of the opponent.
        playouts: playouts per move of players that search, where their names do not say it.
        equal: what both sides get equally: `playouts`, `work` (as the cost model predicts it) or `time` (as it is
            measured); with the latter two, the player has other numbers of playouts than its opponent.
        seed: of all random choices.
        opening_plies: joint moves at the beginning of a pair that are drawn at random, the same in both matches; by
            default 4 where both players have values of states, else 0.
        progress: called with the number of matches of every finished batch.

    Raises ConfigError for an impossible argument; MoveError, KnowledgeError and RuleError as `play` does.
    """
    if matches < 2 or playouts < 1:
        raise ConfigError("a score needs at least 2 matches and 1 playout")
    if opening_plies is not None and opening_plies < 0:
        raise ConfigError(f"an opening of {opening_plies} plies; give 0 or more")
    if equal not in [each.value for each in Equal]:
        raise ConfigError(f"{equal}: both sides get equal playouts, work or time")
    game = game_of(game)
    machine, told = game.machine, progress or (lambda done: None)
    own, other = _resolved(game, player, playouts), _resolved(game, opponent, playouts)
    if isinstance(own, PlayerSpec) and isinstance(other, PlayerSpec):
        if equal != Equal.playouts:
            sample = PositionSample(machine)
            return score_equally(machine, sample, own, other, matches, seed, told, Equal(equal), opening_plies)
        plies = usual_opening(own, other) if opening_plies is None else opening_plies
        return score_players(machine, own, other, matches, seed, told, opening_plies=plies)
    if equal != Equal.playouts:
        raise ConfigError(f"the {equal} of a function is not known; leave equal out")
    seats = [each if isinstance(each, PluginMover) else _mover(game, each, playouts) for each in (other, own)]
    total = _scored(game, seats, matches, seed, opening_plies or 0, told)
    own_playouts, others = (each.playouts if isinstance(each, PlayerSpec) else 0 for each in (own, other))
    return ScoreReport(total, rate(total), own_playouts, others, Equal.playouts, 1.0)


def _scored(
    game: Game, players: Sequence[_Mover], matches: int, seed: int, opening_plies: int, told: Callable[[int], None]
) -> Score:
    """Return the score of player 1 against player 0, of whom one at least is a function."""
    roles, total = len(game.machine.circuit.choosing_roles), Score()
    group = max(2, roles)
    for number in range(-(-matches // group)):
        of_pair = derive_seed(seed, "score", number)
        pair = make_pair(f"score-p{number:05d}", 1, of_pair, roles, opening_plies=opening_plies)
        goals = {match.id: _goals(game, players, match) for match in pair.matches}
        total += pair.score(goals)
        told(len(pair.matches))
    return total


def play_in_python(
    game: PreparedGame, players: Sequence[PlayerSpec | str], playouts: int, matches: Sequence[MatchRequest]
) -> dict[str, list[int]]:
    """Play matches, one after the other, and return the goals of the roles that choose, by match id.

    A worker does this for tournaments in which some players are plug-ins, which are given by their names.
    """
    here = _game_of(game.machine())
    movers = [_mover(here, each, playouts) for each in players]
    goals = dict[str, list[int]]()
    for match in matches:
        goals[match.id] = _goals(here, movers, match)
        tell(TaskProgress(len(goals), len(matches)))
    return goals


@lru_cache(maxsize=4)
def _game_of(machine: Machine) -> Game:
    """Return the game of a machine, for which plug-ins prepare themselves once in a process."""
    return Game(machine)


def _goals(game: Game, players: Sequence[_Mover], match: MatchRequest) -> list[int]:
    """Play a match and return the goals of the roles that choose."""
    state, dice = game.initial_state(), random.Random(derive_seed(match.seed, "opening"))
    while state.move_number < match.opening_plies and not state.is_terminal():
        state.apply([int(dice.choice(state.legal_ids(role).tolist())) for role in range(len(game.roles))])
    choosing = game.machine.circuit.choosing_roles
    seats = dict(zip(choosing, (players[seat] for seat in match.seats), strict=True))
    ended = _played(state, [seats.get(role, _draw) for role in range(len(game.roles))], match.seed)
    return [ended.returns()[role] for role in choosing]


def _played(state: State, seats: Sequence[_Mover], seed: int) -> State:
    """Play on to the end and return the state. Raises RuleError where there is no end."""
    while not state.is_terminal():
        if state.move_number >= LONGEST_MATCH:
            raise endless(state.game.machine.sheet.source)
        joint = []
        for role, seat in enumerate(seats):
            legal = state.legal_ids(role)
            if not len(legal):
                raise no_legal_move(state.game.machine, role)
            of_move = derive_seed(seed, "role", role, "move", state.move_number)
            joint.append(int(legal[0]) if len(legal) == 1 else seat(state, role, of_move))
        state.apply(joint)
    return state


def _resolved(game: Game, player: PlayerLike, playouts: int) -> PlayerSpec | PluginMover | Chooser:
    if isinstance(player, str):
        found = plugin_player(game, player, playouts)
        return PlayerName.read(player).player(game.machine, playouts, None) if found is None else found
    if isinstance(player, Knowledge):
        return PlayerSpec(playouts=playouts).with_knowledge(knowledge_for(player, game), game.machine)
    if isinstance(player, PlayerSpec) or callable(player):
        return player
    raise ConfigError(f"{player!r}: a player is a name, knowledge or a function")


def mover_named(game: Game, name: str, playouts: int) -> _Mover | None:
    """Return the player of a plug-in, None if the name means none; it gives a row for a state, a role and a seed.

    Raises ConfigError where the plug-in cannot be loaded, or has no such option.
    """
    found = plugin_player(game, name, playouts)
    return None if found is None else _mover(game, found, playouts) if isinstance(found, PlayerSpec) else found


def _mover(game: Game, player: PlayerLike, playouts: int) -> _Mover:
    resolved = _resolved(game, player, playouts)
    if isinstance(resolved, PlayerSpec):
        return _draw if resolved.kind == "random" else _Searching(resolved)
    return resolved if isinstance(resolved, PluginMover) else _Choosing(resolved)


def _draw(state: State, role: int, seed: int) -> int:
    return int(random.Random(seed).choice(state.legal_ids(role).tolist()))


class _Searching:
    """A seat whose moves are searched for."""

    def __init__(self, spec: PlayerSpec) -> None:
        self._spec = replace(spec, draws_moves=False)

    def __call__(self, state: State, role: int, seed: int) -> int:
        last = [action.id for action in state.last_moves or ()] or [-1] * len(state.game.roles)
        [found] = search_positions(
            state.game.machine, state.packed[None], self._spec, [seed], last_rows=np.array([last], np.int32)
        )
        return next(result.best for result in found if result.role == role)


class _Choosing:
    """A seat whose moves a function chooses."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    def __call__(self, state: State, role: int, seed: int) -> int:
        move = self._chooser(state.clone(), state.game.roles[role])
        return state.legal_action(move, role).id
