"""The stages of an evolution, and how its generations are bred, learn and end."""

from dataclasses import replace
from functools import partial
from statistics import mean, pstdev
from typing import Any

import pytest
from deap import base, tools

from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.genome import Genome
from gdl_miner.miner.learners.evolution.learner import evolve
from gdl_miner.miner.learners.evolution.toolbox import Toolboxes, feature_toolbox
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.task import Task
from tests.learners.driving import driven, new_learner, only, players_of
from tests.learners.evolution.world import EVOLVED, NO_NETWORKS, World, settings_of, stages

Tasks = list[Task[Any]]


class HarmfulWorld(World):
    """A world in which players with features are much weaker than the baseline, and the others as strong."""

    def strength(self, entrant: Entrant) -> float:
        return -400.0 if entrant.knowledge.n_features else 0.0


@pytest.fixture(scope="module")
def tasks() -> Tasks:
    return World().run()


def measured(tasks: Tasks, generation: int) -> dict[str, dict[str, Any]]:
    """Return what was measured of the individuals of a generation, best first."""
    found: dict[str, dict[str, Any]] = only(tasks, "end_step")[generation]["players"]
    return found


def test_the_stages_come_in_the_order_of_the_algorithm(tasks: Tasks) -> None:
    expected = ["without knowledge", "mine_records"]
    expected += ["tournament", "tournament", "mine_records"] * 2
    expected += ["tournament", "tournament", "prune", "validate"]
    assert stages(tasks) == expected


def test_no_match_id_and_no_seed_of_a_pair_comes_twice_in_a_run(tasks: Tasks) -> None:
    matches = [match for played in only(tasks, "play_matches") for match in played["matches"]]
    assert len({match.id for match in matches}) == len(matches)
    pairs = {match.id.rpartition("-")[0] for match in matches if "-s" in match.id}
    assert len({match.seed for match in matches if "-s" in match.id}) == len(pairs)


@pytest.mark.parametrize("positions", [150, 0])
def test_the_best_of_a_generation_searches_the_positions_that_are_mined(positions: int) -> None:
    tasks = World().run({"teaching": {"positions": positions}})
    best = [each["best"] for each in only(tasks, "end_step")]
    searched = [(each["step"], each["searcher"] and each["searcher"].name) for each in only(tasks, "search_positions")]
    assert searched == ([(0, None), (1, best[1]), (2, best[2])] if positions else [])
    assert {each["on_positions"] for each in only(tasks, "mine_records")} == {positions > 0}


@pytest.mark.parametrize(
    ("kinds", "fitted"), [("phi", False), (["phi"], False), ("softmax", True), (["phi", "softmax"], True)]
)
def test_weights_are_fitted_and_positions_searched_only_where_a_policy_reads_them(
    kinds: str | list[str], fitted: bool
) -> None:
    tasks = World().run({"teaching": {"positions": 150}, "genes": {"policy.kind": kinds}})
    assert {(each["fitted"], each["on_positions"]) for each in only(tasks, "mine_records")} == {(fitted, fitted)}
    assert len(only(tasks, "search_positions")) == (3 if fitted else 0)


def test_the_configuration_of_the_thesis_fits_no_weights() -> None:
    fitting = {name: settings_of(name).reads_fit for name in ("default", "thesis")}
    assert fitting == {"default": True, "thesis": False}


def test_the_first_population_learns_what_was_mined_without_knowledge(tasks: Tasks) -> None:
    features = [each.knowledge.n_features for each in players_of(tasks, 1)]
    assert (len(features), max(features)) == (8, 1)


@pytest.mark.parametrize("elites_learn", [False, True])
def test_elites_are_measured_anew_and_learn_only_where_told(elites_learn: bool) -> None:
    tasks = World().run(elites_learn=elites_learn)
    [best] = [each for each in players_of(tasks, 1) if each.name == only(tasks, "end_step")[1]["best"]]
    elite = players_of(tasks, 2)[0]
    assert elite.knowledge.parameters == best.knowledge.parameters
    assert (elite.knowledge.winning == best.knowledge.winning) == (not elites_learn)
    assert ("(mark 1)" in repr(elite.knowledge.winning)) == elites_learn
    assert measured(tasks, 2)[elite.name]["parents"] == best.name
    assert measured(tasks, 2)[elite.name]["matches"] > 0


def test_where_knowledge_harms_a_generation_is_bred_from_the_individual_that_knows_nothing() -> None:
    tasks = HarmfulWorld().run()
    second = measured(tasks, 2)
    first = second["g002-i001"]
    assert (first["origin"], first["parents"], first["features"]) == ("elite", "nothing", 0)
    children = [each for each in second.values() if each["origin"] == "child"]
    assert any("nothing" in each["parents"] for each in children)
    assert next(iter(measured(tasks, 3).values()))["features"] == 0


def test_where_knowledge_helps_nobody_descends_from_the_individual_that_knows_nothing(tasks: Tasks) -> None:
    assert "nothing" not in repr([each["parents"] for step in (1, 2, 3) for each in measured(tasks, step).values()])


def test_the_end_of_a_generation_tells_the_ranking_the_genes_and_the_classes_of_features(tasks: Tasks) -> None:
    for generation, ended in enumerate(only(tasks, "end_step")[1:], 1):
        ranked = list(measured(tasks, generation).values())
        assert [each["rank"] for each in ranked] == list(range(1, 9))
        assert ended["best"] == next(iter(ended["players"]))
        assert [each["rounds"] for each in ranked] == [2] * 4 + [1] * 4
        assert sum(each["matches"] for each in ranked) == ended["measures"]["matches"]
        assert ended["measures"]["features_mined"] == 1
        known = {each.name: each.knowledge for each in players_of(tasks, generation)}
        for name, each in ended["players"].items():
            assert (each["uct_c"], each["features"]) == (known[name].parameters.uct_c, known[name].n_features)
            assert each.get("FeatureAbsMove", 0) == each["features"]


def test_the_champion_is_pruned_and_what_is_left_is_validated_last(tasks: Tasks) -> None:
    [pruning], [validation] = only(tasks, "prune"), only(tasks, "validate")
    whole, small = pruning["whole"], validation["entrant"]
    assert whole.name == only(tasks, "end_step")[-1]["best"]
    assert whole in players_of(tasks, 3)
    assert (small.name, small.knowledge.n_features < whole.knowledge.n_features) == (f"{whole.name}-pruned", True)
    assert validation["matches"] == 100
    assert tasks[-1].arguments is validation


def test_a_run_without_pruning_and_validation_ends_after_the_last_generation() -> None:
    tasks = World().run({"tournament": {"validation_matches": 0}, "pruning": {"matches": 0}})
    assert stages(tasks)[-1] == "tournament"
    assert only(tasks, "end_step")[-1]["step"] == 3


def test_evolution_finds_the_gene_that_makes_players_strong() -> None:
    world = World()
    tasks = world.run(generations=8, population=16)
    [validation] = only(tasks, "validate")
    assert abs(validation["entrant"].knowledge.parameters.uct_c - 20) < 8
    assert world.answers()["validate"](**validation).score.win_percent > 65


def test_a_selection_of_deap_takes_the_place_of_ours() -> None:
    def toolbox(config: EvolutionConfig, genome: Genome) -> base.Toolbox:
        box = feature_toolbox(config, genome)
        box.register("select", tools.selBest)
        return box

    method = replace(EVOLUTION, learn=partial(evolve, toolboxes=Toolboxes(features=toolbox)))
    settings = {**NO_NETWORKS, "evolution": {**EVOLVED, "crossover": 1.0}}
    tasks = driven(new_learner(method, settings), World().answers())
    first, second, *_ = only(tasks, "end_step")[1:]
    best = list(first["players"])[:2]
    children = [each for each in second["players"].values() if each["origin"] == "child"]
    assert children
    assert {each["parents"] for each in children} == {" ".join(best)}


def test_the_statistics_of_each_generation_are_kept(tasks: Tasks) -> None:
    for end in only(tasks, "end_step")[1:]:
        elo = [each["elo"] for each in end["players"].values()]
        kept = [end["measures"][f"elo_{name}"] for name in ("mean", "sd", "min", "max")]
        assert kept == pytest.approx([mean(elo), pstdev(elo), min(elo), max(elo)])
