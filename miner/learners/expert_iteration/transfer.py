"""Transfer: the features of a knowledge file that an apprentice of another game, or of the same one, can begin with.

What a feature sees around the target of a move is told by steps along the axes of the board and by pieces, so it means
the same on a board of another size. Moves, facts and places of the board mean nothing in another game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.features import Feature, FeatureRelEuclidProximity, FeatureRelPattern, WeightedFeature
from gdl_miner.agent.geometry import ENEMY, OWN, Geometry, Symmetry, geometry_of
from gdl_miner.agent.geometry.geometry import NOBODY
from gdl_miner.agent.geometry.symmetry import candidate_symmetries
from gdl_miner.agent.knowledge import Knowledge, Parameters, compile_knowledge, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import compile_values
from gdl_miner.miner.learners.expert_iteration.policy import SoftmaxPolicy
from gdl_miner.miner.mining.sharing import FeatureSharing, canonical, sharing_of

_ITEMSETS = "with itemsets"
_LAST_MOVE = "of the last move"
_PLACES = "of moves or places of another game"
_PIECES = "of pieces that the game does not have"
_BOARD = "of another kind of board"
_KINDS = "of own or enemy pieces, of which the game has several kinds"
_IMAGES = "without an image under a symmetry of the file"


class _LeftOutError(Exception):
    """A feature does not carry over; the message is one of the reasons above."""


@dataclass(frozen=True)
class CarriedOver:
    """The knowledge that carries over from a file to a game, and counts of the rest."""

    knowledge: Knowledge  # of the game; no feature and its image are both there
    carried: int  # features of the file that are in it
    left_out: Mapping[str, int]  # features of the file that are not, by reason
    lost: tuple[str, ...]  # symmetries of the file that no board of the game has

    @property
    def reasons(self) -> str:
        """The numbers of features that are left out, each with its reason."""
        return ", ".join(f"{number} {reason}" for reason, number in self.left_out.items())


def read_features(path: Path, machine: Machine) -> tuple[Knowledge, str]:
    """Read a knowledge file of this or another game for a run to start from.

    Returns the features as far as they carry over, with values only of the same game, and a note on the rest. Raises
    KnowledgeError where the file cannot be read, or names what its game does not have, and ConfigError where nothing
    carries over.
    """
    given, sheet = read_knowledge(path), machine.sheet
    same_game = given.digest in ("", sheet.digest)
    if same_game:
        given = read_knowledge(path, sheet)
        compile_knowledge(given, machine)
        if given.values is not None:
            compile_values(given.values, machine)
    values = given.values if same_game else None
    if not given.n_features and values is None:
        raise ConfigError(
            f"{path}: the file has no features and no values of states of {sheet.name}, from which a run could start; "
            f"learn some with `miner learn --with expert-iteration --game {sheet.name}`"
        )
    try:
        found = carry_over(given, machine, same_game=same_game)
    except KnowledgeError as error:
        raise KnowledgeError(f"{path}: {error}") from None
    source = given.game or "an unnamed game"
    if not found.knowledge.n_features and values is None:
        raise ConfigError(
            f"{path}: none of the {given.n_features} features of {source} carries over to {sheet.name}: "
            f"{found.reasons or 'their weights cancel each other'}; give a file of a game with like pieces"
        )
    said = [f"{found.carried} of {given.n_features} features of {source} carry over to {sheet.name}"]
    said += [f"left out: {found.reasons}"] if found.left_out else []
    if given.values is not None:
        said.append("left out: values of states" if values is None else "its values of states stand in for playouts")
    said += [f"no symmetry of {sheet.name}: '{name}'" for name in found.lost]
    return replace(found.knowledge, values=values), "; ".join(said)


def carry_over(given: Knowledge, machine: Machine, *, same_game: bool) -> CarriedOver:
    """Return the features of a knowledge file in the names of a game.

    Roles of the same names, or else of the same places in the order of roles, correspond. Pieces named as roles follow
    them; others keep their names. Where the file and the game share a symmetry, features go on standing for their
    images; images under the file's other symmetries are features of their own.

    Args:
        given: the knowledge; the order of its roles is that of its game.
        machine: the game.
        same_game: whether `given` is of this game and names what it has.

    Raises:
        KnowledgeError: the number of roles is another one.
    """
    geometry = geometry_of(machine)
    if len(given.roles) != len(geometry.roles):
        raise KnowledgeError(
            f"knowledge of {given.game or 'an unnamed game'} is about {len(given.roles)} roles, {machine.sheet.name} "
            f"has {len(geometry.roles)}; give a file of a game with as many"
        )
    roles = _roles(given.roles, geometry.roles)
    pieces = _pieces(given.roles, roles, geometry)
    words = {name: geometry.roles[role] for name, role in zip(given.roles, roles, strict=True)} | pieces
    wanted = {_key(name, words) for name in given.symmetries}
    shared = tuple(name for name in sharing_of(machine, "auto").names if _key(name, {}) in wanted)
    sharing = sharing_of(machine, shared)
    symmetries = [each for each in candidate_symmetries(machine) if each.is_identity or _key(each.name, {}) in wanted]
    known = {_key(each.name, {}) for each in symmetries}
    totals: list[dict[Feature, float]] = [{} for _ in roles]
    carried, left_out = 0, Counter[str]()
    for number, role in enumerate(roles):
        signed = ((1.0, given.winning[number]), (-1.0, given.losing[number]))
        for sign, each in ((sign, each) for sign, listed in signed for each in listed):
            try:
                feature = _translated(each, role, geometry, None if same_game else pieces)
                for owner, image in _images(feature, role, symmetries, sharing):
                    totals[owner][image] = totals[owner].get(image, 0.0) + sign * each.weight
                carried += 1
            except _LeftOutError as reason:
                left_out[str(reason)] += 1
    policy = SoftmaxPolicy(
        tuple(tuple(each) for each in totals),
        tuple(np.array(list(each.values()), np.float64) for each in totals),
        tuple(np.zeros(len(each)) for each in totals),
    )
    knowledge = replace(
        given,
        game=machine.sheet.name,
        digest=machine.sheet.digest,
        roles=geometry.roles,
        winning=policy.lists(1),
        losing=policy.lists(-1),
        parameters=given.parameters if given.values is None else Parameters(),
        values=None,
        symmetries=sharing.names if carried else (),
    )
    lost = tuple(name for name in given.symmetries if _key(name, words) not in known)
    return CarriedOver(knowledge, carried, dict(left_out), lost)


def _roles(given: Sequence[str], of_game: Sequence[str]) -> tuple[int, ...]:
    """Return [role of the file] its role in the game."""
    if set(given) == set(of_game):
        return tuple(of_game.index(name) for name in given)
    return tuple(range(len(of_game)))


def _pieces(names: Sequence[str], roles: Sequence[int], geometry: Geometry) -> dict[str, str]:
    """Return the names that pieces of the file have in the game."""
    images = ((name, geometry.roles[role]) for name, role in zip(names, roles, strict=True))
    by_role = {name: image for name, image in images if image in geometry.piece_code}
    return {piece: piece for piece in geometry.pieces} | by_role


def _key(name: str, words: Mapping[str, str]) -> tuple[tuple[str, ...], frozenset[frozenset[str]]]:
    """Return what the name of a symmetry says, with other names of pieces and roles.

    Pieces that are exchanged, as `a for b`, come apart and in no order, which their names decide.
    """
    parts = [part.split(" ") for part in name.split(", ")]
    ordered = [
        " ".join(words.get(word, word) for word in part) if part[0] in ("roles", "pieces") else " ".join(part)
        for part in parts
        if "for" not in part
    ]
    return tuple(ordered), frozenset(
        frozenset(words.get(word, word) for word in part) for part in parts if "for" in part
    )


def _translated(each: WeightedFeature, role: int, geometry: Geometry, pieces: Mapping[str, str] | None) -> Feature:
    """Return a feature of the file for a role of the game; without `pieces` its names are those of the game."""
    feature: Feature | None = each.feature
    if each.itemset is not None:
        raise _LeftOutError(_ITEMSETS)
    if isinstance(feature, FeatureRelEuclidProximity):
        raise _LeftOutError(_LAST_MOVE)
    if pieces is not None:
        try:
            feature = each.feature.renamed(pieces)
        except KeyError:
            raise _LeftOutError(_PIECES) from None
    if feature is None:
        raise _LeftOutError(_PLACES)
    if isinstance(feature, FeatureRelPattern):
        feature = _of_pieces(feature, role, geometry)
    if feature.misfit(geometry, role) is not None:
        raise _LeftOutError(_BOARD)
    return feature


def _of_pieces(pattern: FeatureRelPattern, role: int, geometry: Geometry) -> FeatureRelPattern:
    """Return a pattern that names pieces in place of own and enemy, so that it can be merged with others."""
    if not pattern.is_relative(geometry):
        return pattern
    owned = [(piece, owner) for piece, owner in zip(geometry.pieces, geometry.owners, strict=True) if owner != NOBODY]
    kinds = {OWN: [piece for piece, owner in owned if owner == role], ENEMY: [p for p, owner in owned if owner != role]}
    if any(len(kinds[entry]) != 1 for entry in (OWN, ENEMY) if entry in pattern.entries):
        raise _LeftOutError(_KINDS)
    named = {entry: found[0] for entry, found in kinds.items() if found}
    return FeatureRelPattern(pattern.radius, tuple(named.get(entry, entry) for entry in pattern.entries))


def _images(
    feature: Feature, role: int, symmetries: Sequence[Symmetry], sharing: FeatureSharing
) -> list[tuple[int, Feature]]:
    """Return the distinct images of a feature, with their roles, of which each stands for its own under the sharing."""
    owned = [each for each in symmetries if sharing.owners[each.roles[role]] == each.roles[role]]
    try:
        found = {(each.roles[role], sharing.representative(feature.image(each), each.roles[role])) for each in owned}
    except KnowledgeError:
        raise _LeftOutError(_IMAGES) from None
    return sorted(found, key=lambda pair: (pair[0], canonical(pair[1])))
