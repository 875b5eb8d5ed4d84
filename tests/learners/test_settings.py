"""The configurations of all learning methods: what is shipped, what files say, and what is refused with its place."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player.player import SELF_TAUGHT
from gdl_miner.agent.values import ValueShape
from gdl_miner.miner.runs.method import OWN_METHODS, method_named
from gdl_miner.miner.runs.settings import read_settings, shipped_configs


def read(method: str, name: str | Path, changes: dict[str, dict[str, Any]] | None = None) -> Any:
    return read_settings(method_named(method).settings, str(name), changes)


@pytest.mark.parametrize("method", OWN_METHODS)
def test_every_method_reads_every_shipped_configuration(method: str) -> None:
    assert {"default", "quick", "deep", "thesis", "match", "expert-iteration-seed"} <= set(shipped_configs())
    for name in shipped_configs():
        assert read(method, name).planned_steps > 0


def test_the_thesis_configuration_holds_the_parameters_of_the_thesis() -> None:
    config = read("evolution", "thesis")
    evolution, tournament = config.evolution, config.tournament
    assert (evolution.population, evolution.crossover, evolution.elitism) == (24, 0.75, 0.15)
    assert (evolution.newcomers, evolution.mutation, evolution.generations) == (0.1, 0.015, 10)
    assert (tournament.matches_without_knowledge, tournament.matches_per_individual) == (300, 50)
    assert config.genes["policy.kind"] == "phi"
    assert config.genes["uct_growth"] == "log"


def test_evolutions_begin_with_networks_except_for_that_of_the_thesis() -> None:
    networks = {name: read("evolution", name).networks.generations for name in ("default", "quick", "deep", "thesis")}
    assert networks == {"default": 5, "quick": 4, "deep": 5, "thesis": 0}
    assert read("evolution", "thesis").evolution.value_steps == 0


def test_the_configuration_for_matches_learns_large_networks_and_explores_as_players_that_learn_do() -> None:
    default, match = (read("values", name) for name in ("default", "match"))
    assert match.values.shape == ValueShape("large")
    assert match.values.games == 2 * default.values.games
    assert (default.discount.factors, match.discount.factors) == ([1.0], [1.0, 0.98])
    assert match.long_searches == default.long_searches
    assert match.long_searches.playouts == 3000
    assert (match.values.uct_c, match.values.uct_growth) == (SELF_TAUGHT.uct_c, SELF_TAUGHT.uct_growth) == (12, "root")
    changed = {key: getattr(default.values, key) for key in ("games", "shapes", "uct_c", "uct_growth")}
    assert match.values.model_copy(update=changed) == default.values


def test_the_configuration_of_the_seed_plays_one_game_at_a_time_and_prunes_after_200() -> None:
    settings = read("expert-iteration", "expert-iteration-seed").expert
    assert settings.measured_after[:5] == [1, 25, 50, 100, 200]
    assert settings.games_from(0, 0) == 1
    assert settings.training(1, 60, 199, 1).growth == "correlation"
    assert settings.training(1, 60, 200, 1).growth == "none"
    assert settings.training(1, 60, 0, 1).descent.updates == 60
    assert settings.training(1, 60, 0, 1).new_features == 1


def test_a_file_needs_only_what_differs_from_the_default_and_the_command_line_goes_before_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("seed = 5\n[search]\nplayouts = 77\n[mining.softmax]\npenalty = 2.5\n")
    config = read("evolution", path)
    assert (config.seed, config.search.playouts, config.mining.softmax.penalty) == (5, 77, 2.5)
    assert config.evolution == read("evolution", "default").evolution
    changed = read("evolution", path, {"": {"seed": 6}, "search": {"playouts": 9}})
    assert (changed.seed, changed.search.playouts, changed.mining.softmax.penalty) == (6, 9, 2.5)


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(Exception, match="frozen"):
        read("evolution", "quick").seed = 3


def test_deep_searches_are_possible_where_no_discounts_are_tried() -> None:
    changes: dict[str, dict[str, Any]] = {"discount": {"factors": [0.9]}, "search": {"playouts": 50_000_000}}
    assert read("values", "default", changes).discount.factors == [0.9]


SHAPES = r'give "auto", "large" or a list of shapes such as'
REFUSED = {
    "evolution": [
        ("[search]\nplayots = 3\n", r":2: search\.playots: there is no such key; did you mean playouts\?"),
        ("[serach]\nplayouts = 3\n", r":1: serach: there is no such key; did you mean search\?"),
        ("[search]\nplayouts = 0\n", r":2: search\.playouts: .*greater than or equal to 1 \(it is 0\)"),
        ('[search]\nplayouts = "many"\n', r":2: search\.playouts: .*valid integer"),
        ("[search]\nplayouts = 99999999999\n", r":2: search\.playouts: .*less than or equal to"),
        ("[search]\nhandicap = inf\n", r":2: search\.handicap: .*less than or equal to"),
        ("[tournament]\nprior_sd = inf\n", r":2: tournament\.prior_sd: .*less than or equal to"),
        ("seed = 3\nevolution = 3\n", r":2: evolution: a section, not a value; write \[evolution\], and its keys"),
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
        ("[mining]\nmax_q = 2.0\n", r"max_q: .*less than or equal to 1, not 2\.0"),
        ("[mining]\npattern_radius = 4\n", "pattern_radius: .*less than or equal to 3, not 4"),
        ("[mining.itemsets]\nmax_size = 0\n", r"itemsets\.max_size: .*greater than or equal to 1, not 0"),
        ("[mining]\nnearest_k = [9]\n", r"nearest_k\.0: .*less than or equal to 8, not 9"),
        ("seed = 1\nsearch = = 2\n", r"no valid TOML.*line 2"),
    ],
    "values": [
        ("[values]\nshapes = 'usual'\n", rf":2: values\.shapes: {SHAPES}"),
        ("[values]\nshapes = [2]\n", SHAPES),
        ("[values]\nshapes = ['ring 4']\n", r":2: .*shape 'ring 4': give 'line 2' to 'line 10'"),
        ("[values]\nshapes = ['line 11']\n", "shape 'line 11'"),
        ("[values]\nshapes = ['block 3']\n", "shape 'block 3'"),
        ("[values]\nshapes = ['facts 5']\n", "'facts 2' to 'facts 4'"),
        ("[values]\nshapes = ['facts 2x2']\n", "shape 'facts 2x2'"),
        ("[values]\nstages = [5, 3]\n", r":1: .*ascending order"),
        ("[values]\nstages = [0]\n", "from 1"),
        ("[values]\nexperience = 5000\n", "experience is 5000; give a number, from 0 to 1,000"),
        ("[values]\nvalue_weight = 2.0\n", r":2: values\.value_weight"),
        ("[values]\ngames = 0\n", r":2: values\.games"),
        ("[values]\nlambda = 0.5\n", r":2: values\.lambda"),
        ("[discount]\nfactors = []\n", r"discount\.factors"),
        ("[discount]\nfactors = [0.0]\n", r"discount\.factors"),
        ("[discount]\nfactors = [1.0, 1.5]\n", r"discount\.factors"),
        ("[discount]\nfactors = [0.9, 1.0, 0.9]\n", r"discount\.factors: name each factor once"),
        ("[discount]\ndepth = 0.5\n", r"discount\.depth"),
        ("[discount]\nmatches = 1\n", r"discount\.matches"),
        ("[long_searches]\nplayouts = -1\n", r"long_searches\.playouts"),
        ("[long_searches]\nmatches = 0\n", r"long_searches\.matches"),
        ("[long_searches]\nshare = 0\n", r"long_searches\.share"),
        (
            "[discount]\nfactors = [1.0, 0.9]\n[search]\nplayouts = 50000000\n",
            r"discount\.depth makes 500,000,000 playouts of search\.playouts, and 100,000,000 are possible; lower one "
            r"of them, or set discount\.factors = \[1\.0\]",
        ),
    ],
    "culture": [
        ("[culture]\nshapes = ['ring 4']\n", "shape 'ring 4': give 'line 2' to 'line 10'"),
        ("[culture]\nstages = [5, 3]\n", "ascending order"),
        ("[culture]\nstages = [5]\nlevels = true\n", "remove stages"),
        ("[culture]\nfittest = 0.6\n", r":2: culture\.fittest"),
        ("[culture]\nrule = 'odd'\n", r":2: culture\.rule"),
        ("[culture]\npersistence = 1.0\n", r":2: culture\.persistence"),
        ("[culture]\npheromone = 2\n", r":2: culture\.pheromone"),
    ],
    "expert-iteration": [
        (
            "[expert]\nmeasured_after = [5, 3]\n",
            r":1: .*measured_after is \[5, 3\]; give numbers of games from 1, in ascending order",
        ),
        ("[expert]\nmeasured_after = [0]\n", "give numbers of games from 1"),
        ("[expert]\ngrowth = 'fast'\n", ":2: .*'combine max'"),
        ("[expert]\nreach = 9\n", ":2: .*less than or equal to 3"),
        ("[expert]\nmomentum = 1.0\n", ":2: .*less than 1"),
        ("[expert]\ntempo = 1\n", ":2: .*there is no such key"),
    ],
    "gifl": [
        ("seed = " + "9" * 5000, ":1: a number of 5000 digits; mend"),
        ("seed = 0x" + "f" * 6000, ":1: seed: input should be less"),
        ("[search]\nplayouts = " + "[" * 5000, ":2: this is nested too deeply; mend"),
        ("\n\nx = " + "{a=" * 5000, ":3: this is nested too deeply; mend"),
        (".".join(["a"] * 5000) + " = 1", ": a: there is no such key"),
        (".".join(["gifl"] * 5000) + " = 1", r": gifl\.gifl: there is no such key"),
        ("[gifl]\nlevels = 0\n", r":2: gifl\.levels"),
        ("[gifl]\nlevel_factor = 0.0\n", r":2: gifl\.level_factor"),
        ("[gifl]\ntemperature = 0.0\n", r":2: gifl\.temperature"),
        ("[gifl]\nopponent_knowledge = 1.5\n", r":2: gifl\.opponent_knowledge"),
    ],
}


@pytest.mark.parametrize(
    ("method", "text", "said"), [(method, *case) for method, cases in REFUSED.items() for case in cases]
)
def test_what_is_unknown_or_impossible_is_refused_with_file_place_and_key(
    method: str, text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        read(method, path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value).splitlines()) == 1


def test_what_is_wrong_in_a_file_is_located_there_beside_changes(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[values]\nsteps = 0\n")
    with pytest.raises(ConfigError) as caught:
        read("values", path, {"values": {"games": 0}})
    lines = str(caught.value).splitlines()
    assert [line.partition(": input")[0] for line in lines] == [f"{path}:2: values.steps", "changes: values.games"]


def test_a_configuration_that_does_not_exist_is_named_with_a_close_one() -> None:
    with pytest.raises(ConfigError, match="did you mean quick"):
        read("evolution", "quik")


def test_the_default_culture_has_all_its_parts_and_tuples() -> None:
    culture = read("culture", "default").culture
    assert (culture.differences, culture.coevolution, culture.ants, culture.beliefs) == (True,) * 4
    assert culture.shape.shapes == "auto"
    assert culture.scale_games > 0
    assert read("culture", "culture") == read("culture", "default")


CONFIGS = Path(__file__).parents[2] / "configs"
OWN_DEFAULTS = ("values", "culture", "expert-iteration", "gifl")


def test_sections_that_only_one_method_has_stand_in_the_configuration_of_its_name() -> None:
    sections = {name: set(tomllib.loads((CONFIGS / f"{name}.toml").read_text())) for name in ("default", *OWN_DEFAULTS)}
    assert sections["default"] == {*method_named("evolution").settings.model_fields, "long_searches"}
    for name in OWN_DEFAULTS:
        assert sections[name] == set(method_named(name).settings.model_fields) - sections["default"]
        assert method_named(name).settings.defaults == ("default", name)


@pytest.mark.parametrize("name", ["default", *OWN_DEFAULTS])
def test_every_key_of_the_defaults_is_explained_in_its_line(name: str) -> None:
    text = (CONFIGS / f"{name}.toml").read_text()
    settings = [line for line in text.splitlines() if "=" in line and not line.startswith("#")]
    assert len(settings) > 2
    assert [line for line in settings if "#" not in line] == []
