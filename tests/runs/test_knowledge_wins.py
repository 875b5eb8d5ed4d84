"""Whole runs whose knowledge must win against bare UCT, and must lose with the signs of its weights turned."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.knowledge import Knowledge, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.values import Values
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.learners.values import VALUES
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts
from gdl_miner.miner.play.scoring import score_players
from gdl_miner.miner.runs.method import LearningMethod
from tests.runs.breaking import drive
from tests.runs.quick import quick_run

GAME, PLAYOUTS, MATCHES = "breakthrough.ext", 20, 80
EVOLVING: dict[str, dict[str, Any]] = {
    "networks": {"generations": 0},
    "evolution": {"generations": 1, "population": 4, "elitism": 0.25, "value_steps": 0},
    "tournament": {"matches_without_knowledge": 64, "matches_per_individual": 8, "validation_matches": 10},
    "pruning": {"matches": 128},
}
LEARNING: dict[str, dict[str, Any]] = {"values": {"steps": 2, "games": 2000, "matches": 8, "validation_matches": 8}}


def learned(folder: Path, machine: Machine, method: LearningMethod[Any], changes: dict[str, Any]) -> Knowledge:
    """Return the best knowledge of a short run of the configuration `quick`."""
    drive(quick_run(folder, GAME, method, changes))
    return read_knowledge(folder / "best.xml", machine.sheet)


def turned(knowledge: Knowledge) -> Knowledge:
    """Return the knowledge that thinks bad what this one thinks good: every weight has the other sign."""
    parameters = knowledge.parameters
    swapped = replace(parameters, winning_weight=parameters.losing_weight, losing_weight=parameters.winning_weight)
    return replace(
        knowledge,
        winning=knowledge.losing,
        losing=knowledge.winning,
        parameters=swapped,
        values=None if knowledge.values is None else turned_values(knowledge.values),
    )


def turned_values(values: Values) -> Values:
    parts = (
        replace(
            part,
            facts={fact: -weight for fact, weight in part.facts.items()},
            tuples=tuple(
                replace(each, weights={contents: -weight for contents, weight in each.weights.items()})
                for each in part.tuples
            ),
        )
        for part in values.parts
    )
    return replace(values, parts=tuple(parts))


def points(knowledge: Knowledge, machine: Machine) -> float:
    """Return the points in percent against bare UCT at equal work, in matches that no run has played."""
    bare = PlayerSpec("uct", playouts=PLAYOUTS)
    player, sample = bare.with_knowledge(knowledge, machine), PositionSample(machine)
    player = replace(player, playouts=equal_playouts(PLAYOUTS, sample.work_ratio(player, bare)))
    return score_players(machine, player, bare, MATCHES, 4711, lambda _: None).score.win_percent


@pytest.mark.slow
@pytest.mark.parametrize(("method", "changes"), [(EVOLUTION, EVOLVING), (VALUES, LEARNING)], ids=["features", "values"])
def test_knowledge_wins_and_loses_with_its_signs_turned(
    method: LearningMethod[Any], changes: dict[str, Any], tmp_path: Path
) -> None:
    machine = load_machine(GAME)
    knowledge = learned(tmp_path / "run", machine, method, changes)
    assert (knowledge.n_features > 0, knowledge.values is not None) == (method is EVOLUTION, method is VALUES)
    assert points(knowledge, machine) > 60
    assert points(turned(knowledge), machine) < 40
