from collections.abc import Callable

import pytest

from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.loop import Evolution
from gdl_miner.miner.learners.requests import (
    Entrant,
    MineRecords,
    PlayMatches,
    Prune,
    Validate,
)
from tests.learners.evolution.conftest import MAKER, FakeWorld, kinds

Start = Callable[..., Evolution]


class HarmfulWorld(FakeWorld):
    """A world in which players with features are much weaker than the baseline, and the others as strong."""

    def strength(self, entrant: Entrant) -> float:
        return -400.0 if entrant.knowledge.n_features else 0.0


def test_the_stages_come_in_the_order_of_the_algorithm(start: Start, world: FakeWorld) -> None:
    world.run(start())
    expected = ["without knowledge", "mine"]
    expected += ["tournament", "tournament", "mine"] * 2
    expected += ["tournament", "tournament", "pruning", "validation"]
    assert kinds(world.asked) == expected


def test_asking_twice_gives_the_same_request(start: Start) -> None:
    evolution = start()
    assert evolution.ask() is evolution.ask()


def test_telling_what_was_not_asked_for_is_refused(start: Start, world: FakeWorld) -> None:
    evolution = start()
    with pytest.raises(ValueError, match="ask"):
        evolution.tell(None)
    assert isinstance(evolution.ask(), PlayMatches)
    for result in (None, world.mined(MineRecords(0, 1, on_positions=False))):
        with pytest.raises(ValueError, match="MatchResults was asked for"):
            evolution.tell(result)


def test_no_match_id_and_no_seed_of_a_pair_comes_twice_in_a_run(start: Start, world: FakeWorld) -> None:
    world.run(start())
    matches = [match for request in world.asked if isinstance(request, PlayMatches) for match in request.matches]
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
    start: Start, world: FakeWorld, settings: EvolutionConfig
) -> None:
    evolution = world.run(start(), steps=5)
    best = evolution.state.champion
    assert best is not None
    elite = evolution.state.population[0]
    assert elite.chromosome == best.individual.chromosome
    request = evolution.ask()
    assert isinstance(request, PlayMatches)
    assert any(1 in match.seats for match in request.matches)

    teaching = settings.evolution.model_copy(update={"elites_learn": True})
    other = FakeWorld([]).run(start(evolution=teaching), steps=5)
    assert "(mark 1)" in repr(other.state.population[0].chromosome.winning)


def test_where_knowledge_harms_a_generation_is_bred_from_the_individual_that_knows_nothing(start: Start) -> None:
    evolution = HarmfulWorld([]).run(start(), steps=5)
    assert evolution.state.generation == 2
    first = evolution.state.population[0]
    assert (first.origin, first.parents, first.chromosome.features) == ("elite", ("nothing",), 0)
    assert any("nothing" in individual.parents for individual in evolution.state.population[2:])
    last = HarmfulWorld([]).run(start()).state.champion
    assert last is not None
    assert last.individual.chromosome.features == 0


def test_where_knowledge_helps_nobody_descends_from_the_individual_that_knows_nothing(start: Start) -> None:
    evolution = FakeWorld([]).run(start(), steps=5)
    assert not any("nothing" in individual.parents for individual in evolution.state.population)


def test_the_champion_is_validated_last_and_that_decides_nothing(start: Start, world: FakeWorld) -> None:
    evolution = world.run(start())
    champion, validation = evolution.state.champion, evolution.validation
    assert champion is not None
    assert validation is not None
    assert validation.name == f"{champion.individual.name}-pruned"
    assert validation.score.matches == 100
    last = world.asked[-1]
    assert isinstance(last, Validate)
    assert last.entrant == evolution.knowledge()
    assert evolution.ask() is None


def test_the_champion_is_pruned_whole_and_the_result_is_the_knowledge_of_the_run(
    start: Start, world: FakeWorld
) -> None:
    evolution = world.run(start())
    [request] = [each for each in world.asked if isinstance(each, Prune)]
    champion, found = evolution.state.champion, evolution.knowledge()
    assert champion is not None
    assert found is not None
    assert request.whole.name == champion.individual.name
    assert request.whole.knowledge.winning == champion.individual.chromosome.winning
    assert found.knowledge.n_features < request.whole.knowledge.n_features


def test_a_run_without_pruning_and_validation_ends_after_the_last_generation(
    start: Start, world: FakeWorld, settings: EvolutionConfig
) -> None:
    tournament = settings.tournament.model_copy(update={"validation_matches": 0})
    pruning = settings.pruning.model_copy(update={"matches": 0})
    evolution = world.run(start(tournament=tournament, pruning=pruning))
    assert kinds(world.asked)[-1] == "tournament"
    assert evolution.validation is None
    assert evolution.state.champion is not None


def test_going_on_from_any_generation_gives_the_same_run(start: Start, settings: EvolutionConfig) -> None:
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
        finished = again.run(Evolution(settings, MAKER, state))
        assert again.asked == whole.asked[-len(again.asked) :]
        assert finished.validation == reference.validation


def test_evolution_finds_the_gene_that_makes_players_strong(start: Start, settings: EvolutionConfig) -> None:
    longer = settings.evolution.model_copy(update={"generations": 8, "population": 16})
    evolution = FakeWorld([]).run(start(evolution=longer))
    assert evolution.validation is not None
    champion = evolution.knowledge()
    assert champion is not None
    assert abs(champion.knowledge.parameters.uct_c - 20) < 8
    assert evolution.validation.score.win_percent > 65
