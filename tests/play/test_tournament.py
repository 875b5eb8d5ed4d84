import random

import pytest

from gdl_miner.miner.play.rating import expected_score, rate
from gdl_miner.miner.play.tournament import Tournament, TournamentPlan


def play(tournament: Tournament, strengths: list[float], rng: random.Random) -> int:
    """Play a tournament between players of known strength and return the number of matches."""
    total = 0
    while pairs := tournament.ask():
        goals = {}
        for pair in pairs:
            for match in pair.matches:
                won = rng.random() < expected_score(strengths[pair.player])
                seat = match.seats.index(pair.player)
                goals[match.id] = tuple(100 if (role == seat) == won else 0 for role in range(len(match.seats)))
        total += len(goals)
        tournament.tell(goals)
    return total


def test_the_thesis_plan_halves_until_one_individual_is_left() -> None:
    plan = TournamentPlan(players=24, roles=2, matches_per_player=50)
    assert plan.sizes() == (24, 12, 6, 3, 2)
    assert len(set(plan.pairs())) == 1


@pytest.mark.parametrize("players", [1, 2, 7, 24])
@pytest.mark.parametrize("rounds", [0, 1, 3])
@pytest.mark.parametrize("growth", [1.0, 2.0])
def test_the_matches_played_are_about_those_asked_for(players: int, rounds: int, growth: float) -> None:
    plan = TournamentPlan(players, 2, 60, rounds, growth)
    total = play(Tournament(plan, 1, 1, 200.0), [0.0] * (players + 1), random.Random(0))
    assert total == pytest.approx(60 * players, rel=0.15)


@pytest.mark.parametrize("roles", [1, 2, 3, 5])
def test_the_planned_matches_are_about_those_asked_for_whatever_the_roles(roles: int) -> None:
    plan = TournamentPlan(12, roles, 60)
    planned = sum(size * pairs * max(2, roles) for size, pairs in zip(plan.sizes(), plan.pairs(), strict=True))
    assert planned == pytest.approx(12 * 60, rel=0.1)
    assert TournamentPlan(12, roles, 0.1).pairs() == (1,) * len(plan.sizes())


def test_the_better_half_goes_on_and_earlier_results_keep_counting() -> None:
    tournament = Tournament(TournamentPlan(8, 2, 40), 1, 1, 200.0)
    play(tournament, [0.0, *(100.0 * number for number in range(8))], random.Random(2))
    counts = [tournament.scores[player].matches for player in range(1, 9)]
    rounds = tournament.rounds_played[1:]
    assert sorted(rounds) == [1, 1, 1, 1, 2, 2, 3, 3]
    assert all(count == number * counts[rounds.index(1)] for count, number in zip(counts, rounds, strict=True))
    assert tournament.ranking()[0] in (6, 7, 8)


def test_a_single_player_is_rated_by_all_its_matches_as_outside_of_tournaments() -> None:
    tournament = Tournament(TournamentPlan(1, 2, 60), 1, 1, 400.0)
    play(tournament, [0.0, 80.0], random.Random(3))
    assert tournament.ratings()[1] == rate(tournament.scores[1])


def test_asking_again_without_telling_asks_for_the_same() -> None:
    tournament = Tournament(TournamentPlan(4, 2, 10), 1, 1, 200.0)
    assert tournament.ask() == tournament.ask()


def test_no_match_is_asked_for_twice() -> None:
    tournament = Tournament(TournamentPlan(6, 2, 30), 1, 4, 200.0)
    seen: set[str] = set()
    while pairs := tournament.ask():
        ids = {match.id for pair in pairs for match in pair.matches}
        assert not seen & ids
        seen |= ids
        tournament.tell(dict.fromkeys(ids, (50, 50)))
    assert len(seen) > 100


def test_a_missing_result_is_noticed_and_changes_nothing() -> None:
    tournament = Tournament(TournamentPlan(2, 2, 10), 1, 1, 200.0)
    tournament.ask()
    with pytest.raises(KeyError):
        tournament.tell({})
    assert tournament.round == 0
    assert all(score.matches == 0 for score in tournament.scores)


def test_the_seeds_of_pairs_differ_between_individuals_generations_and_runs() -> None:
    def seeds(run: int, generation: int) -> set[int]:
        pairs = Tournament(TournamentPlan(3, 2, 10), run, generation, 200.0).ask()
        return {pair.matches[0].seed for pair in pairs}

    first = seeds(1, 1)
    assert len(first) == len(Tournament(TournamentPlan(3, 2, 10), 1, 1, 200.0).ask())
    assert not first & seeds(2, 1)
    assert not first & seeds(1, 2)


def test_halving_finds_the_best_more_often_than_chance_by_far() -> None:
    found = 0
    for seed in range(40):
        rng = random.Random(seed)
        strengths = [0.0, *(rng.uniform(-100, 100) for _ in range(11))]
        tournament = Tournament(TournamentPlan(11, 2, 50, 0, 2.0), seed, 1, 200.0)
        play(tournament, strengths, rng)
        best = max(range(1, 12), key=lambda player: strengths[player])
        found += tournament.ranking()[0] == best
    assert found >= 14  # 4 are expected by chance
