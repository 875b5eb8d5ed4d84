"""Evaluations of states by knowledge: the worth to each role, how much each weight adds, and the weights of moves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.features import WeightedFeature, feature_in_words
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.knowledge import Knowledge, Phase, written_out
from gdl_miner.agent.knowledge import knowledge_xml as xml
from gdl_miner.agent.knowledge.scoring import UNIT, firing_features
from gdl_miner.agent.values import StateJudge, ValuePart, Values
from gdl_miner.agent.values.layout import find_turns
from gdl_miner.api.game import Action, Game, GameLike, RoleLike, State, game_of

_SHOWN = 12  # reasons of a role that are printed


class Reason(NamedTuple):
    """A weight and how much it adds."""

    weight: float
    """Above 0 it speaks for the role, or for the move; the weights of a state are in log-odds."""
    words: str
    cells: tuple[tuple[int, ...], ...] = ()
    """The cells of the board at which the weight looks."""


class WeighedMove(NamedTuple):
    """A legal move and the features that fire for it."""

    action: Action
    weight: float
    """Sum of the weights of the features."""
    reasons: tuple[Reason, ...]
    """The strongest first."""


def read_knowledge(path: str | os.PathLike[str], game: GameLike | None = None) -> Knowledge:
    """Read a knowledge file; with a game, refuse one that is of other rules.

    With a game, the path may be the name of a level of released knowledge, such as `quick`.

    Raises KnowledgeError where the file cannot be read, or does not fit the game.
    """
    return xml.read_knowledge(path, None if game is None else game_of(game).machine.sheet)


def write_knowledge(knowledge: Knowledge, path: str | os.PathLike[str], game: GameLike) -> None:
    """Write a knowledge file of a game, which `read_knowledge`, players and the command lines read.

    Raises KnowledgeError where the file cannot be written.
    """
    xml.write_knowledge(knowledge, path, game_of(game).machine.sheet)


def knowledge_for(knowledge: Knowledge, game: Game) -> Knowledge:
    """Return knowledge of a game. Raises KnowledgeError where it is of other rules."""
    if knowledge.digest not in ("", game.machine.sheet.digest):
        raise KnowledgeError(f"{game.name}: this knowledge is of {knowledge.game}; give knowledge of these rules")
    return knowledge


def evaluate(state: State, knowledge: str | os.PathLike[str] | Knowledge) -> Evaluation:
    """Return what knowledge, or a knowledge file, says of a state without a search.

    The first evaluation of a game by some knowledge lays it out, which can take a second; the next ones are quick. A
    file is read anew each time, so give what `read_knowledge` returns where there are many states.

    Raises KnowledgeError where the knowledge cannot be read or does not fit the game.
    """
    game = state.game
    known = knowledge_for(knowledge, game) if isinstance(knowledge, Knowledge) else read_knowledge(knowledge, game)
    laid = next((each for each in _LAID if each.knowledge is known and each.game is game), None)
    if laid is None:
        laid = _LaidOut(game, known)
        _LAID.append(laid)
        del _LAID[:-_KEPT]
    return Evaluation(state.clone(), laid)


class Evaluation:
    """The evaluation of a state by knowledge."""

    def __init__(self, state: State, laid: _LaidOut) -> None:
        self.state = state
        self._laid = laid

    @cached_property
    def values(self) -> tuple[float, ...]:
        """[role] what the state is worth to each role, 0 to 100; in a terminal state its goals.

        Raises KnowledgeError where the knowledge has no values of states.
        """
        if self.state.is_terminal():
            return tuple(map(float, self.state.returns()))
        return tuple(self._laid.judge.values(self.state.packed[None])[0].tolist())

    def reasons(self, role: RoleLike) -> tuple[Reason, ...]:
        """Return what each weight adds to the value for a role, the strongest first.

        The value is 100 / (1 + exp(-sum of the weights)), unless the state is terminal. Raises as `values` does.
        """
        game, number = self.state.game, self.state.game.role_number(role)
        if number == game.chance:
            raise ConfigError(
                f"{game.name}: the role {game.roles[number]} moves by chance; no state is worth a goal to it"
            )
        found = self._laid.judge.contributions(self.state.packed, number)
        return tuple(Reason(each.weight, each.words, each.cells) for each in found)

    def moves(self, role: RoleLike | None = None) -> tuple[WeighedMove, ...]:
        """Return the legal moves of a role, with the features that fire for each.

        The role is by default the one that is to move. The moves with the largest weights come first; knowledge without
        features gives all of them the weight 0.
        """
        return self._laid.moves(self.state, role)

    def __str__(self) -> str:
        game, lines = self.state.game, list[str]()
        if self._laid.knowledge.values is not None:
            for number, (role, value) in enumerate(zip(game.roles, self.values, strict=True)):
                if number == game.chance:
                    continue
                reasons = self.reasons(role)
                lines.append(f"worth to {role}: {value:.1f}, by {len(reasons)} weights")
                lines += [f"  {each.weight:+.2f}  {each.words}" for each in reasons[:_SHOWN]]
        if self._laid.knowledge.n_features:
            for role in self.state.to_move:
                lines.append(f"moves of {role}:")
                lines += [f"  {each.weight:+.2f}  {each.action}" for each in self.moves(role)[:_SHOWN]]
        return "\n".join(lines) or "this knowledge says nothing of states or moves"


class _LaidOut:
    """Knowledge that is laid out for a game."""

    def __init__(self, game: Game, knowledge: Knowledge) -> None:
        self.game, self.knowledge = game, knowledge
        self._written_out = written_out(knowledge, game.machine)

    @cached_property
    def judge(self) -> StateJudge:
        if self.knowledge.values is None:
            raise KnowledgeError(f"{self.game.name}: this knowledge has no values of states; moves() has its features")
        return StateJudge(self.knowledge.values, self.game.machine)

    def moves(self, state: State, role: RoleLike | None) -> tuple[WeighedMove, ...]:
        legal = state.legal_actions(role)
        if not legal:
            return ()
        number = self.game.role_of_action[legal[0].id]
        last = [action.id for action in state.last_moves or ()]
        position = Position.of(geometry_of(self.game.machine), state.packed, last)
        selects = self.knowledge.parameters.features_in_selection
        phase = Phase.SELECTION if selects else Phase.PLAYOUT
        reasons: dict[int, list[Reason]] = {action.id: [] for action in legal}
        for feature, rows in firing_features(self._written_out, position, number, list(reasons), phase):
            words = feature_in_words(feature.feature, feature.itemset, self.game.machine.sheet.display)
            for row in rows:
                reasons[row].append(Reason(feature.weight / UNIT, words))
        judged = (WeighedMove(action, _sum(reasons[action.id]), _strongest(reasons[action.id])) for action in legal)
        return tuple(sorted(judged, key=lambda each: (-each.weight, each.action.id)))


def _sum(reasons: Iterable[Reason]) -> float:
    return sum(each.weight for each in reasons)


def _strongest(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(reasons, key=lambda each: -abs(each.weight)))


_KEPT = 4
_LAID: list[_LaidOut] = []  # the knowledge that was used last


def fact_values(game: GameLike, weights: Mapping[str, Sequence[float]]) -> Knowledge:
    """Return knowledge that judges states by the facts that hold in them; searches with it are native.

    What a state is worth to a role is the logistic function of the sum of the weights of its facts, whoever is to move.

    Args:
        game: the game, or what `load` takes.
        weights: [fact][role] in log-odds; facts that are not named add nothing.

    Raises ConfigError where the game has no such fact, or the number of weights is not that of the roles, and
    ValueError where a weight is no number from -1000 to 1000.
    """
    game = game_of(game)
    n_roles, by_fact = len(game.roles), dict[str, Sequence[float]]()
    for fact, of_roles in weights.items():
        if not isinstance(of_roles, Sequence | np.ndarray) or len(of_roles) != n_roles:
            raise ConfigError(f"{fact}: the weights are {of_roles!r}; give one for each of {', '.join(game.roles)}")
        by_fact[game.fact(fact)] = of_roles
    parts = tuple(
        ValuePart(turn, 0, role, {fact: float(own[role]) for fact, own in by_fact.items() if own[role]}, ())
        for turn in range(len(find_turns(game.machine)) + 1)
        for role in game.machine.circuit.choosing_roles
    )
    nothing: tuple[tuple[WeightedFeature, ...], ...] = ((),) * n_roles
    values = Values((), False, "", (), parts)
    return Knowledge(game.name, game.machine.sheet.digest, game.machine.roles, nothing, nothing, values=values)
