"""Knowledge of full size, mined from a few matches, and variants of it that resemble a bred population."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gdl_miner.agent.features import FEATURE_CLASSES, WeightedFeature
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_matches
from gdl_miner.miner.mining.config import ItemsetConfig, MiningConfig, SoftmaxConfig
from gdl_miner.miner.mining.learning import LearnedFeatures, LearningPolicy, empty_lists, learn, suitable_parameters
from gdl_miner.miner.mining.mine import mine

LIST_SIZE = 500  # features of each winning and losing list
VARIANTS = 24
_KEPT = 0.9  # probability that a variant has a feature


class _Scale(NamedTuple):
    """The number and depth of the matches played for mining."""

    matches: int
    playouts: int  # for each move


_SCALES = {
    "amazons.ext": _Scale(128, 16),
    "breakthrough.ext": _Scale(512, 60),
    "checkers.ext": _Scale(256, 60),
    "connectfour.ext": _Scale(1024, 100),
    "cubicup.ext": _Scale(512, 100),
    "othello.ext": _Scale(256, 30),
}
_OTHER = _Scale(256, 30)


def full_size_knowledge(machine: Machine, *, seed: int = 1) -> Knowledge:
    """Mine knowledge from matches of bare UCT, with lists as long as the game allows, up to `LIST_SIZE`.

    Features with itemsets come first, then fitted ones. Features that are not significant fill the rest of the lists.
    """
    config = MiningConfig(
        symmetries=(),
        max_q=1.0,
        min_support=10,
        softmax=SoftmaxConfig(min_count=10),
        itemsets=ItemsetConfig(features=250, min_desirable=0.1, max_undesirable=0.5, max_items=30, max_baskets=1000),
    )
    mined = mine([_matches(machine, seed)], machine, config, seed=seed)
    lists = [
        learn(
            empty_lists(len(machine.roles)),
            mined,
            LearningPolicy(kind, max_q=1.0),
            max_features=2 * LIST_SIZE,
            learning_factor=1.0,
        )
        for kind in ("softmax", "phi")
    ]
    winning, losing = (
        tuple(_fill(*(getattr(each, side)[role] for each in lists)) for role in range(len(machine.roles)))
        for side in LearnedFeatures._fields
    )
    return Knowledge(
        game=machine.sheet.name,
        digest=machine.sheet.digest,
        roles=tuple(machine.roles),
        winning=winning,
        losing=losing,
        parameters=suitable_parameters("softmax", LIST_SIZE),
    )


def variants(knowledge: Knowledge, *, seed: int = 1) -> list[Knowledge]:
    """Return individuals that share most features and have class weights and an impact of their own."""
    found = []
    for number in range(VARIANTS):
        rng = random.Random(derive_seed(seed, number))
        plain, with_itemset = (
            {each.element: round(rng.uniform(0.5, 1.5), 3) for each in FEATURE_CLASSES} for _ in range(2)
        )
        parameters = replace(
            knowledge.parameters,
            class_weights=plain,
            itemset_class_weights=with_itemset,
            impact=round(rng.uniform(1.0, 3.0), 3),
        )
        winning, losing = (
            tuple(tuple(each for each in features if rng.random() < _KEPT) for features in lists)
            for lists in (knowledge.winning, knowledge.losing)
        )
        found.append(replace(knowledge, winning=winning, losing=losing, parameters=parameters))
    return found


def _matches(machine: Machine, seed: int) -> MatchBatchRecord:
    scale = _SCALES.get(machine.sheet.name, _OTHER)
    ids = [f"match {number}" for number in range(scale.matches)]
    return play_matches(
        machine,
        [PlayerSpec(playouts=scale.playouts)],
        np.zeros((len(ids), len(machine.roles)), np.int32),
        np.array([derive_seed(seed, each) for each in ids], np.uint64),
        ids,
    )


def _fill(fitted: Sequence[WeightedFeature], correlated: Sequence[WeightedFeature]) -> tuple[WeightedFeature, ...]:
    backed = [each for each in correlated if each.itemset is not None][: LIST_SIZE // 2]
    known = {each.feature for each in fitted}
    others = [each for each in correlated if each.itemset is None and each.feature not in known]
    return tuple([*backed, *fitted[: LIST_SIZE - len(backed)], *others][:LIST_SIZE])
