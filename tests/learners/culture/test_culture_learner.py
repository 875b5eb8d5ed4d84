"""The learner of culture: its tasks, and its parts, which can be switched off."""

from typing import Any

import numpy as np
import pytest

from gdl_miner.agent.knowledge import Provenance, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import Values, ValueShape, layout_for
from gdl_miner.miner.learners.culture import CULTURE
from gdl_miner.miner.learners.culture.forages import Ants, Colony, forage_shard, join_foraged, map_features
from gdl_miner.miner.learners.culture.generation import ForageResult
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.runs.entrant import KnowledgeMaker
from gdl_miner.miner.runs.task import Task
from tests.learners.driving import (
    ENDING,
    GAME,
    TRUSTED,
    Answers,
    Changes,
    driven,
    name_of,
    new_learner,
    only,
    players_of,
    plays,
    validated,
)
from tests.learners.runs import RUNS, Finished
from tests.search.positions import machine_of

CHANGES = RUNS["culture"].changes


def answers(machine: Machine, *, wins: bool = True) -> Answers:
    """Return the answers to the tasks in a game: forages are played, and player 1 wins or loses all matches."""
    game = PreparedGame(machine.sheet, machine.circuit)

    def foraged(shape: ValueShape, colony: Colony, shards: tuple[Ants, ...], **_: Any) -> ForageResult:
        parts = [forage_shard(game, shape, colony, ants) for ants in shards]
        return ForageResult(join_foraged(parts), map_features(layout_for(machine, shape)))

    def named(weights: Any, **_: Any) -> Values:
        return Values(
            (), True, "", (), (), str({place: float(weight) for place, weight in enumerate(weights) if weight})
        )

    return {
        "play_forage": foraged,
        "join_species": named,
        "play_matches": plays(lambda step: wins),
        "try_long_searches": lambda **_: TRUSTED,
        "validate": validated,
    }


def tasks_of(machine: Machine, changes: Changes = CHANGES, *, wins: bool = True) -> list[Task[Any]]:
    sheet = machine.sheet
    maker = KnowledgeMaker(sheet.name, sheet.digest, sheet.roles, Provenance("test", 0, 1, "1"))
    return driven(new_learner(CULTURE, changes, maker=maker), answers(machine, wins=wins))


def learned(changes: Changes = CHANGES) -> list[bytes]:
    """Return the weights that become knowledge, step by step."""
    return [each["weights"].tobytes() for each in only(tasks_of(load_machine(GAME), changes), "join_species")]


def with_parts(**parts: Any) -> Changes:
    return {"culture": {**CHANGES["culture"], **parts}}


@pytest.mark.parametrize(
    "changes",
    [
        {**CHANGES, "": {"seed": 2}},
        *(with_parts(**{part: False}) for part in ("differences", "coevolution", "ants", "beliefs")),
    ],
)
def test_another_seed_and_every_part_that_is_switched_off_change_what_is_learned(changes: Changes) -> None:
    assert learned(changes) != learned()


def test_every_step_forages_names_measures_and_ends_and_the_best_is_validated() -> None:
    step = [*["play_forage"] * 3, "join_species", "keep_players", "play_matches", "end_step"]
    tasks = tasks_of(load_machine(GAME))
    assert [name_of(task) for task in tasks] == [*step, *step, *ENDING]
    assert [(each["step"], each["number"]) for each in only(tasks, "play_forage")] == [
        (step, number) for step in (1, 2) for number in range(3)
    ]


def test_the_best_stays_until_it_is_beaten() -> None:
    tasks = tasks_of(load_machine(GAME), with_parts(steps=3), wins=False)
    assert [each["best"] for each in only(tasks, "end_step")] == ["s001"] * 3
    assert [each.name for each in players_of(tasks, 3)] == ["s003", "s001"]


def test_species_meet_opponents_of_other_roles_and_learn_their_own_weights() -> None:
    machine = load_machine(GAME)
    first, second = only(tasks_of(machine), "play_forage")[:2]
    seats = np.concatenate([ants.seats for ants in first["shards"]])
    assert seats.shape == (12, 5, 2)
    assert set(seats[:, :, 0].ravel()) <= set(range(6))
    assert set(seats[:, :, 1].ravel()) <= set(range(6, 12))
    owners = map_features(layout_for(machine, first["shape"])).owners
    for player, weights in enumerate(second["colony"].population.weights):
        assert (weights[owners != player // 6] == 0).all()
        assert weights.any()


@pytest.mark.parametrize("game", ["pebbles", "pennies", "three"])
def test_games_of_one_role_three_roles_and_simultaneous_moves_are_learned(game: str) -> None:
    first, second = [each["weights"] for each in only(tasks_of(machine_of(game)), "join_species")]
    assert first.any()
    assert (first != second).any()


def test_a_run_leaves_values(finished: Finished) -> None:
    knowledge = read_knowledge(finished("culture") / "last.xml", load_machine(GAME).sheet)
    assert knowledge.values is not None
    assert knowledge.values.n_weights > 0
