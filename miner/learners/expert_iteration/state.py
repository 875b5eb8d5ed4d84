"""The state of expert iteration between two steps, as a value and as JSON."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, TypeVar

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from gdl_miner.agent.features import FEATURE_CLASSES, Feature
from gdl_miner.agent.files.elements import same_spelling
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.values import LearnedWeights
from gdl_miner.miner.apprentice import Experience, PolicyError, SoftmaxPolicy
from gdl_miner.miner.learners.curve.state import CurveState, unpack_curve_state
from gdl_miner.miner.learners.values.state import pack_weights, unpack_weights

__all__ = ["ExpertState", "StepGames", "unpack_state"]

_CLASSES = {each.element: each for each in FEATURE_CLASSES}
_Number = TypeVar("_Number", np.int32, np.int64, np.uint64, np.float64)


@dataclass(frozen=True)
class StepGames:
    """What came of the self-play of a step."""

    games: int = 0
    moves: int = 0
    broken_off: int = 0
    error: PolicyError = field(default_factory=PolicyError)

    def plus(self, games: int, moves: int, broken_off: int, error: PolicyError) -> StepGames:
        """Return the sums with those of some more games."""
        return StepGames(self.games + games, self.moves + moves, self.broken_off + broken_off, self.error + error)


@dataclass(frozen=True, kw_only=True)
class ExpertState(CurveState):
    """Everything that expert iteration needs to go on as if never interrupted."""

    value_steps: int = 0  # steps of training games, before the self-play of the expert, that are finished
    learned: LearnedWeights | None = None  # weights of values that learn on; None where those of a file have not yet
    games: int = 0  # of self-play, so far
    policy: SoftmaxPolicy | None = None  # the apprentice; None before its first features are found
    experience: Experience | None = None  # the examples that are remembered
    played: StepGames = field(default_factory=StepGames)  # the self-play of the step before

    def pack(self) -> dict[str, Any]:
        """Return the state as a JSON object; the knowledge of players is in the files of the step."""
        return {
            **super().pack(),
            "value_steps": self.value_steps,
            "learned": None if self.learned is None else pack_weights(self.learned),
            "games": self.games,
            "policy": None if self.policy is None else _pack_policy(self.policy),
            "experience": None if self.experience is None else _pack_experience(self.experience),
            "played": [self.played.games, self.played.moves, self.played.broken_off, *astuple(self.played.error)],
        }


def unpack_state(packed: dict[str, Any], knowledge: Callable[[int, str], Knowledge]) -> ExpertState:
    """Return the state that `ExpertState.pack` packed; `knowledge(step, name)` reads the file of a player.

    Raises OtherVersionError where another version packed it; ValueError, KeyError or TypeError where `pack` cannot have
    made the value.
    """
    fields = unpack_curve_state(packed, knowledge)
    games, moves, broken_off, *error = packed["played"]
    return ExpertState(
        **fields,
        value_steps=int(packed["value_steps"]),
        learned=None if packed["learned"] is None else unpack_weights(packed["learned"]),
        games=int(packed["games"]),
        policy=None if packed["policy"] is None else _unpack_policy(packed["policy"]),
        experience=None if packed["experience"] is None else _unpack_experience(packed["experience"]),
        played=StepGames(games, moves, broken_off, PolicyError(*error)),
    )


def _pack_policy(policy: SoftmaxPolicy) -> list[Any]:
    return [
        [[_pack_feature(each) for each in own] for own in policy.features],
        [_pack(each) for each in policy.weights],
        [_pack(each) for each in policy.velocities],
    ]


def _unpack_policy(packed: Sequence[Any]) -> SoftmaxPolicy:
    features, weights, velocities = packed
    return SoftmaxPolicy(
        tuple(tuple(_unpack_feature(each) for each in own) for own in features),
        tuple(_unpack(each, np.float64) for each in weights),
        tuple(_unpack(each, np.float64) for each in velocities),
    )


def _pack_experience(experience: Experience) -> list[Any]:
    states = experience.states
    return [
        _pack(experience.owners),
        [*states.shape, _pack(states)],
        _pack(experience.start),
        _pack(experience.rows),
        _pack(experience.shares),
    ]


def _unpack_experience(packed: Sequence[Any]) -> Experience:
    owners, (examples, words, states), start, rows, shares = packed
    return Experience(
        _unpack(owners, np.int32),
        _unpack(states, np.uint64).reshape(examples, words),
        _unpack(start, np.int64),
        _unpack(rows, np.int32),
        _unpack(shares, np.float64),
    )


def _pack_feature(feature: Feature) -> str:
    """Return a feature as the XML element that it has in a knowledge file."""
    element = etree.Element(feature.element)
    feature.write(element, same_spelling)
    return etree.tostring(element, encoding="unicode")


def _unpack_feature(text: str) -> Feature:
    element = etree.fromstring(text)
    return _CLASSES[str(element.tag)].read(element)


def _pack(array: NDArray[Any]) -> str:
    little = array.astype(array.dtype.newbyteorder("<"))
    return base64.b64encode(zlib.compress(little.tobytes(), 6)).decode()


def _unpack(text: str, kind: type[_Number]) -> NDArray[_Number]:
    octets = zlib.decompress(base64.b64decode(text, validate=True))
    return np.frombuffer(octets, np.dtype(kind).newbyteorder("<")).astype(kind)
