import random
from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.miner.learners.evolution.config import read_config
from gdl_miner.miner.learners.evolution.operators import random_chromosome
from gdl_miner.miner.learners.settings import shipped_configs


@pytest.mark.parametrize("name", ["default", "quick", "deep", "thesis"])
def test_the_shipped_configurations_can_be_read(name: str) -> None:
    assert name in shipped_configs()
    read_config(name)


def test_the_thesis_configuration_holds_the_parameters_of_the_thesis() -> None:
    config = read_config("thesis")
    evolution, tournament = config.evolution, config.tournament
    assert (evolution.population, evolution.crossover, evolution.elitism) == (24, 0.75, 0.15)
    assert (evolution.newcomers, evolution.mutation, evolution.generations) == (0.1, 0.015, 10)
    assert (tournament.matches_without_knowledge, tournament.matches_per_individual) == (300, 50)
    assert config.genes["policy.kind"] == "phi"
    assert config.genes["uct_growth"] == "log"


def test_values_are_learned_first_where_that_was_measured_to_pay() -> None:
    steps = {name: read_config(name).evolution.value_steps for name in ("default", "quick", "deep", "thesis")}
    assert steps == {"default": 2, "quick": 3, "deep": 4, "thesis": 0}


def test_genomes_without_the_use_of_values_have_it_fixed_at_nothing() -> None:
    using, unusing = read_config("default").genomes("any")
    drawn = [random_chromosome(genome, random.Random(5)) for genome in (using, unusing)]
    assert drawn[0]["value_weight"] != 0
    assert (drawn[1]["value_weight"], drawn[1]["experience"]) == (0.0, 0)
    [without] = read_config("default").genomes("none")
    found = random_chromosome(without, random.Random(5))
    assert (found["value_weight"], found["experience"]) == (1.0, 1)


def test_a_file_needs_only_what_differs_from_the_default(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("seed = 5\n[search]\nplayouts = 77\n[mining.softmax]\npenalty = 2.5\n")
    config = read_config(str(path))
    assert (config.seed, config.search.playouts, config.mining.softmax.penalty) == (5, 77, 2.5)
    assert config.evolution == read_config("default").evolution


def test_the_command_line_goes_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("seed = 5\n[search]\nplayouts = 77\n")
    config = read_config(str(path), {"": {"seed": 6}, "search": {"playouts": 9}})
    assert (config.seed, config.search.playouts) == (6, 9)


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(Exception, match="frozen"):
        read_config("quick").seed = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[search]\nplayots = 3\n", r":2: search\.playots: there is no such key; did you mean playouts\?"),
        ("[serach]\nplayouts = 3\n", r":1: serach: there is no such key; did you mean search\?"),
        ("[search]\nplayouts = 0\n", r":2: search\.playouts: .*greater than or equal to 1 \(it is 0\)"),
        ('[search]\nplayouts = "many"\n', r":2: search\.playouts: .*valid integer"),
        ("[search]\nplayouts = 99999999999\n", r":2: search\.playouts: .*less than or equal to"),
        ("[search]\nhandicap = inf\n", r":2: search\.handicap: .*less than or equal to"),
        ("[tournament]\nprior_sd = inf\n", r":2: tournament\.prior_sd: .*less than or equal to"),
        ("[evolution]\n\nmutation = 1.5\n", r":3: evolution\.mutation: .*less than or equal to 1"),
        ("[evolution]\nelitism = 0.6\nnewcomers = 0.5\n", "no room for children"),
        ("[evolution]\ntrial_depth = 0.5\n", r":2: evolution\.trial_depth: .*greater than or equal to 1"),
        ("[search]\nplayouts = 50000000\n", "trial_depth makes 500,000,000 playouts"),
        ("[genes]\nuct_k = 4.0\n", "uct_k is no gene"),
        ("[genes]\nmast_temperature = 0.0\n", "mast_temperature is no gene"),
        ("[genes]\nuct_c = [50.0, 20.0]\n", "uct_c takes a value or"),
        ("[genes]\nscoring_visits = -1\n", "scoring_visits must be a whole number from 0 to 20"),
        ("[mining]\nphi = 3\n", "there is no key phi"),
        ("[mining.softmax]\npenalti = 3\n", "there is no key penalti"),
        ("[mining]\nmax_q = 2.0\n", "max_q is 2.0"),
        ("seed = 1\nsearch = = 2\n", r"no valid TOML.*line 2"),
    ],
)
def test_what_is_unknown_or_impossible_is_refused_with_file_place_and_key(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        read_config(str(path))
    assert str(path) in str(caught.value)


def test_a_configuration_that_does_not_exist_is_named_with_a_close_one() -> None:
    with pytest.raises(ConfigError, match="did you mean quick"):
        read_config("quik")


def test_every_key_of_the_default_configuration_is_explained_in_it() -> None:
    text = (Path(__file__).parents[3] / "configs" / "default.toml").read_text()
    settings = [line for line in text.splitlines() if "=" in line and not line.startswith("#")]
    unexplained = [line for line in settings if "#" not in line]
    assert len(settings) > 20
    assert unexplained == []
