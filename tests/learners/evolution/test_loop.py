from collections.abc import Callable
from typing import Any

import pytest

from miner.learners.evolution.chromosome import Chromosome
from miner.learners.evolution.config import RunConfig
from miner.learners.evolution.loop import Evolution, MineRequest, PlayRequest
from tests.learners.evolution.conftest import FakeWorld

Start = Callable[..., Evolution[Any]]


def kinds(asked: list[PlayRequest | MineRequest]) -> list[str]:
    return ["mine" if isinstance(request, MineRequest) else request.phase for request in asked]


def test_the_stages_come_in_the_order_of_the_algorithm(start: Start, world: FakeWorld) -> None:
    world.run(start())
    expected = ["without knowledge", "mine"]
    expected += ["tournament", "tournament", "mine"] * 2
    expected += ["tournament", "tournament", "validation"]
    assert kinds(world.asked) == expected


def test_asking_twice_gives_the_same_request(start: Start) -> None:
    evolution = start()
    assert evolution.ask() is evolution.ask()


def test_telling_what_was_not_asked_for_is_refused(start: Start, world: FakeWorld) -> None:
    evolution = start()
    with pytest.raises(ValueError, match="ask"):
        evolution.tell_goals({})
    request = evolution.ask()
    assert isinstance(request, PlayRequest)
    with pytest.raises(ValueError, match="ask"):
        evolution.tell_mined(world.mined(MineRequest(0, 1)))


def test_no_match_id_and_no_seed_of_a_pair_comes_twice_in_a_run(start: Start, world: FakeWorld) -> None:
    world.run(start())
    matches = [match for request in world.asked if isinstance(request, PlayRequest) for match in request.matches]
    assert len({match.id for match in matches}) == len(matches)
    pairs = {match.id.rpartition("-")[0] for match in matches if "-s" in match.id}
    assert len({match.seed for match in matches if "-s" in match.id}) == len(pairs)


def test_the_first_population_learns_what_was_mined_without_knowledge(start: Start, world: FakeWorld) -> None:
    evolution = world.run(start(), steps=2)
    assert evolution.state.generation == 1
    assert len(evolution.state.population) == 8
    learned = [individual.chromosome.features for individual in evolution.state.population]
    assert max(learned) == 1


def test_elites_are_measured_anew_and_learn_only_where_told(
    start: Start, world: FakeWorld, settings: RunConfig
) -> None:
    evolution = world.run(start(), steps=5)
    best = evolution.state.champion
    assert best is not None
    elite = evolution.state.population[0]
    assert elite.chromosome == best.individual.chromosome
    request = evolution.ask()
    assert isinstance(request, PlayRequest)
    assert any(1 in match.seats for match in request.matches)

    teaching = settings.evolution.model_copy(update={"elites_learn": True})
    other = FakeWorld([]).run(start(evolution=teaching), steps=5)
    assert "(mark 1)" in repr(other.state.population[0].chromosome.winning)


def test_the_champion_is_validated_on_fresh_matches_that_decide_nothing(start: Start, world: FakeWorld) -> None:
    evolution = world.run(start())
    champion, validation = evolution.state.champion, evolution.validation
    assert champion is not None
    assert validation is not None
    assert validation.individual == champion.individual
    assert validation.score.matches == 100
    earlier = {m.id for r in world.asked[:-1] if isinstance(r, PlayRequest) for m in r.matches}
    last = world.asked[-1]
    assert isinstance(last, PlayRequest)
    assert not earlier & {match.id for match in last.matches}


def test_a_run_without_validation_ends_after_the_last_generation(
    start: Start, world: FakeWorld, settings: RunConfig
) -> None:
    tournament = settings.tournament.model_copy(update={"validation_matches": 0})
    evolution = world.run(start(tournament=tournament))
    assert kinds(world.asked)[-1] == "tournament"
    assert evolution.validation is None
    assert evolution.state.champion is not None


def test_going_on_from_any_generation_gives_the_same_run(start: Start, settings: RunConfig) -> None:
    whole = FakeWorld([])
    reference = whole.run(start())
    states = []
    evolution = start()
    world = FakeWorld([])
    while world.run(evolution, steps=1).ask() is not None:
        if evolution.state not in states:
            states.append(evolution.state)
    assert len(states) == 5
    for state in states:
        again = FakeWorld([])
        finished = again.run(Evolution(settings, 2, Chromosome.learned, state))
        assert again.asked == whole.asked[-len(again.asked) :]
        assert finished.validation == reference.validation


def test_evolution_finds_the_gene_that_makes_players_strong(start: Start, settings: RunConfig) -> None:
    longer = settings.evolution.model_copy(update={"generations": 8, "population": 16})
    evolution = FakeWorld([]).run(start(evolution=longer))
    assert evolution.validation is not None
    assert abs(float(evolution.validation.individual.chromosome["uct_c"]) - 20) < 8
    assert evolution.validation.score.win_percent > 65
