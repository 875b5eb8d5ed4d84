"""The packages in examples/ are installed, named, run, and compared with what they say they are."""

import json
import random
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gdl_miner
from gdl_miner.agent import _native
from gdl_miner.agent.commands.table import read_seats
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import (
    ITEM_CLASSES,
    Fact,
    Feature,
    FeatureItemsetOnly,
    Itemset,
    WeightedFeature,
    every_item,
    feature_class,
    item_class,
    occurrences,
)
from gdl_miner.agent.features.itemset import item_masks, items_hold
from gdl_miner.agent.features.move_table import MoveTableFeature
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.geometry.rule_symmetries import find_symmetries
from gdl_miner.agent.knowledge import (
    Knowledge,
    Parameters,
    Phase,
    compile_knowledge,
    read_knowledge,
    score,
    write_knowledge,
)
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.circuit import pack_states
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.api.plugins import evaluator_named
from gdl_miner.miner.cli import app
from gdl_miner.miner.mining.config import MiningConfig, SoftmaxConfig
from gdl_miner.miner.mining.fit import _varying_items
from gdl_miner.miner.mining.learning import LearningPolicy, empty_lists, learn, suitable_parameters
from gdl_miner.miner.mining.mine import mine
from tests.command_line import agent, succeeded
from tests.command_line import miner as command_of_miner
from tests.conftest import TINY
from tests.geometry.imaginary_games import GAMES, ImaginaryGame
from tests.knowledge.random_knowledge import random_batch
from tests.mining.playouts import random_record
from tests.plugins.packages import EXAMPLES, install_example, make_package
from tests.table.laid import laid

KINDS = ("learner", "feature", "metafact", "evaluator", "opponent")
GAME = "tictactoe.ext"


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for example in KINDS:
        install_example(example, tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    return tmp_path / "site"


def miner(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(each) for each in arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def test_there_is_an_example_of_every_kind_and_all_can_be_loaded() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} == set(KINDS)
    listed = json.loads(miner("plugins", "--json"))["plugins"]
    assert [each["kind"] for each in listed] == list(KINDS)
    assert [each["fault"] for each in listed] == [None] * len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_is_short(kind: str) -> None:
    for module in (EXAMPLES / kind).glob("*.py"):
        assert len(module.read_text().splitlines()) <= 65


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_lists_its_modules(kind: str) -> None:
    project = tomllib.loads((EXAMPLES / kind / "pyproject.toml").read_text())
    assert project["tool"]["setuptools"]["py-modules"] == [each.stem for each in (EXAMPLES / kind).glob("*.py")]
    assert (EXAMPLES / kind / "README.md").is_file()


def every_feature(game: ImaginaryGame) -> list[Feature]:
    found: Any = feature_class("FeatureBeside")
    return list(found.every(game.geometry))


@pytest.mark.parametrize("first_feature", [False, True])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.sheet.name)
def test_a_feature_of_a_table_fires_and_scores_natively_as_its_plain_definition_says(
    game: ImaginaryGame, first_feature: bool
) -> None:
    rng = random.Random(game.sheet.name)
    batch = random_batch(game, rng, 12, 12)
    features = every_feature(game)
    roles = game.circuit.roles
    itemset = Itemset((Fact(game.geometry.fluents[0]), Fact(game.geometry.fluents[-1])))
    entries = tuple(
        WeightedFeature(each, rng.choice([0.5, 2.0]), rng.choice([None, itemset])) for each in features for _ in (0, 1)
    )
    knowledge = Knowledge(
        "game", "", roles, (entries,) * len(roles), ((),) * len(roles), Parameters(first_feature=first_feature)
    )
    scorer = _native.Scorer(compile_knowledge(knowledge, game))
    positions = [
        Position.of(game.geometry, state, last.tolist())
        for state, last in zip(batch.states, batch.last_rows, strict=True)
    ]
    for role in range(len(roles)):
        own = np.isin(batch.row, game.geometry.rows(role))
        state, rows = batch.state_index[own], batch.row[own]
        start = np.searchsorted(state, np.arange(len(batch.states) + 1)).astype(np.int64)
        scores = scorer.score(int(Phase.SELECTION), role, batch.states, batch.last_rows, start, rows)
        expected = [
            score(knowledge, positions[place], role, row, Phase.SELECTION)
            for place, row in zip(state.tolist(), rows.tolist(), strict=True)
        ]
        assert scores.tolist() == expected
    matrix = occurrences(batch, game.geometry, (feature_class("FeatureBeside"),))
    for sample, (place, row) in enumerate(zip(batch.state_index.tolist(), batch.row.tolist(), strict=True)):
        fired = {matrix.features[each] for each in matrix.ids[matrix.start[sample] : matrix.start[sample + 1]]}
        assert fired == {each for each in features if each.fires(positions[place], row)}


def test_features_of_tables_and_metafacts_have_images() -> None:
    machine = load_machine(GAME)
    geometry = geometry_of(machine)
    features: list[Any] = feature_class("FeatureBeside").every(geometry)  # type: ignore[attr-defined]
    items = item_class("MetafactOnBorder").every(geometry)
    rng = np.random.default_rng(3)
    symmetries = find_symmetries(machine)
    assert len(symmetries) > 1
    for symmetry in symmetries:
        for _ in range(20):
            facts = np.zeros((1, geometry.state_words * 64), np.bool_)
            facts[0, : len(geometry.fluents)] = rng.random(len(geometry.fluents)) < 0.3
            [state] = pack_states(facts)
            position, image = Position.of(geometry, state), Position.of(geometry, symmetry.image(state))
            for each in features:
                for row in range(len(geometry.moves)):
                    assert each.fires(position, row) == each.image(symmetry).fires(image, int(symmetry.moves[row]))
            for item in items:
                assert item.holds(position) == item.image(symmetry).holds(image)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.sheet.name)
def test_a_metafact_holds_natively_as_it_is_defined(game: ImaginaryGame) -> None:
    batch = random_batch(game, random.Random(game.sheet.name), 12, 1)
    items = tuple(item_class("MetafactOnBorder").every(game.geometry))
    held = items_hold(batch.states, item_masks(items, game.geometry))
    for state, row in zip(batch.states, held.tolist(), strict=True):
        position = Position.of(game.geometry, state)
        outside = {
            point
            for point, place in enumerate(game.geometry.points.tolist())
            if {game.geometry.low, game.geometry.high} & set(place)
        }
        plain = [
            any(
                int(game.geometry.fluent_point[fluent]) in outside
                and game.geometry.pieces[int(game.geometry.fluent_piece[fluent]) - 1] == each.piece  # type: ignore
                for fluent in position.facts
            )
            for each in items
        ]
        assert row == plain == [each.holds(position) for each in items]


def test_a_table_of_the_wrong_shape_is_an_error_that_names_the_class() -> None:
    class FeatureOdd(MoveTableFeature):
        element = "FeatureOdd"
        colour = "#000000"

        @classmethod
        def terms(cls, geometry: object) -> list[str]:
            return ["1"]

        def table(self, geometry: object) -> np.ndarray[Any, np.dtype[np.bool_]]:
            return np.zeros((2, 2), np.bool_)

        def words(self, display: object) -> str:
            return "odd"

    position = Position.of(GAMES[0].geometry, random_batch(GAMES[0], random.Random(1), 1, 1).states[0])
    with pytest.raises(
        ConfigError, match=r"FeatureOdd: its table is bool \[2, 2\]; it must be bool, \[\d+\] for moves"
    ):
        FeatureOdd("1").fires(position, 0)


def test_a_run_with_all_examples_is_made_inspected_repeated_and_its_file_played(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(
        "[growing]\nsteps = 2\npositions = 40\nmatches = 10\n[search]\nplayouts = 20\nuct_c = 40.0\n"
        '[mining]\nclasses = ["FeatureBeside", "FeatureAbsMove"]\nmetafacts = ["MetafactOnBorder"]\n'
        "min_support = 5\nmax_q = 1.0\n[mining.softmax]\nmin_count = 3\n"
    )
    run, options = tmp_path / "run", ["--game", GAME, "--config", tmp_path / "tiny.toml", "--executor", "serial"]
    miner("learn", "--with", "growing", *options, "--out", run)
    plugins = json.loads((run / "config.json").read_text())["plugins"]
    assert [(each["kind"], each["name"]) for each in plugins] == [
        ("learner", "growing"),
        ("feature", "FeatureBeside"),
        ("metafact", "MetafactOnBorder"),
    ]
    assert "growing" in miner("inspect", run)
    assert "agree" in miner("repeat", run, "--out", tmp_path / "again", "--executor", "serial")
    file = run / "knowledge/gen_002/g002.xml"
    assert "<FeatureBeside" in file.read_text()
    assert '<Plugin kind="feature" name="FeatureBeside" package="gdl-miner-example-feature" version="1.0"/>' in (
        file.read_text()
    )
    knowledge = read_knowledge(file, load_machine(GAME).sheet)
    assert knowledge.n_features
    scored = miner("score", "--game", GAME, "--knowledge", file, "--matches", 4, "--playouts", 10, "--json")
    assert json.loads(scored)["n"] == 4
    assert "beside a piece" in miner("explain", file, "--game", GAME)


def test_itemsets_are_sought_among_the_metafacts_that_are_named(tmp_path: Path) -> None:
    machine = load_machine(GAME)
    geometry, sheet = geometry_of(machine), machine.sheet
    config = MiningConfig(metafacts=("MetafactOnBorder", "Fact"))
    items = every_item(geometry, config.item_classes)
    assert [each.words(str) for each in items[len(geometry.fluents) :]] == ["o is on the border", "x is on the border"]
    assert set(MiningConfig().item_classes) == set(ITEM_CLASSES)
    found = _varying_items(items, some_states(machine), geometry, 5)[0]
    assert items[-1] in found
    entries = (WeightedFeature(FeatureItemsetOnly(), 1.5, Itemset((items[-1],))),)
    knowledge = Knowledge(sheet.name, sheet.digest, machine.roles, (entries, ()), ((), ()))
    write_knowledge(knowledge, tmp_path / "k.xml", sheet)
    text = (tmp_path / "k.xml").read_text()
    assert (
        '<Plugin kind="metafact" name="MetafactOnBorder" package="gdl-miner-example-metafact" version="1.0"/>' in text
    )
    assert read_knowledge(tmp_path / "k.xml", sheet) == knowledge


def test_a_metafact_is_mined_kept_read_again_and_guides_a_match(tmp_path: Path) -> None:
    machine = load_machine(GAME)
    config = MiningConfig(
        classes=("FeatureAbsMove",),
        metafacts=("MetafactOnBorder",),
        symmetries=(),
        min_support=5,
        max_q=1.0,
        softmax=SoftmaxConfig(min_count=5, itemset_z=0.5),
    )
    mined = mine(
        [random_record(machine, 150, seed=2, favour=lambda move: 8.0 if "2 2" in move else 1.0)],
        machine,
        config,
        seed=1,
    )
    lists = learn(empty_lists(2), mined, LearningPolicy(), max_features=40, learning_factor=1.0)
    known = Knowledge(
        GAME,
        machine.sheet.digest,
        machine.roles,
        lists.winning,
        lists.losing,
        suitable_parameters("softmax", 40),
        symmetries=(),
    )
    write_knowledge(known, tmp_path / "mined.xml", machine.sheet)
    knowledge = read_knowledge(tmp_path / "mined.xml", machine.sheet)
    assert knowledge == known
    guided = [each for role in (*knowledge.winning, *knowledge.losing) for each in role if each.itemset is not None]
    assert guided
    assert {item.element for each in guided for item in each.itemset.items} == {"MetafactOnBorder"}  # type: ignore[union-attr]
    assert "is on the border" in miner("explain", tmp_path / "mined.xml", "--game", GAME)
    match = ["play", "--game", GAME, "--x", tmp_path / "mined.xml", "--o", "random", "--playouts", 40, "--record"]
    succeeded(agent(*match, tmp_path / "match.xml"))
    scorer = _native.Scorer(compile_knowledge(knowledge, machine))
    geometry, record = geometry_of(machine), read_records(tmp_path / "match.xml", machine)
    held = set[bool]()
    for state, joint in zip(record.states[1:-1], record.moves[:-2], strict=True):
        position = Position.of(geometry, state, joint.tolist())
        held |= {each.itemset.holds(position) for each in guided if each.itemset is not None}
        rows = machine.legal(state)[0]
        native = scorer.score(
            int(Phase.SELECTION), 0, state[None], joint[None], np.array([0, len(rows)], np.int64), rows
        )
        assert native.tolist() == [score(knowledge, position, 0, row, Phase.SELECTION) for row in rows.tolist()]
    assert held == {True, False}


def some_states(machine: Machine) -> np.ndarray[Any, Any]:
    return random_record(machine, 40, seed=5, favour=lambda name: 1.0).states


def test_an_evolution_mines_the_feature_and_the_metafact(tmp_path: Path) -> None:
    mining = '[mining]\nclasses = ["FeatureBeside"]\nmetafacts = ["MetafactOnBorder"]\nmin_support = 5\nmax_q = 1.0\n'
    (tmp_path / "tiny.toml").write_text(TINY + mining)
    options = ["--game", GAME, "--config", tmp_path / "tiny.toml", "--executor", "serial"]
    miner("evolve", *options, "--out", tmp_path / "run")
    assert ",FeatureBeside," in (tmp_path / "run/steps.csv").read_text()
    assert "#59a14f" in (tmp_path / "run/report.html").read_text("utf-8")


def test_an_opponent_plays_by_its_name_and_its_options() -> None:
    game = gdl_miner.load(GAME)
    perfect = gdl_miner.score(game, "minimax+depth=9", "minimax+depth=9", matches=2, opening_plies=4, seed=2)
    assert perfect.score.matches == 2
    won = gdl_miner.score(game, "minimax+depth=3", "random", matches=20, seed=1)
    assert won.score.win_percent > 75
    last = gdl_miner.play(game, {"x": "minimax+depth=2", "o": "uct"}, playouts=50, seed=3)
    assert last.is_terminal()
    assert last.history == gdl_miner.play(game, {"x": "minimax+depth=2", "o": "uct"}, playouts=50, seed=3).history
    for name, what in {
        "minimax+depth=0": "minimax+depth=0: depth: input should be greater than or equal to 1; the options of the",
        "minimax+deep=3": "minimax+deep=3: deep: there is no such option; the options of the opponent minimax of "
        "gdl-miner-example-opponent 1.0 are: depth",
    }.items():
        with pytest.raises(ConfigError, match=re.escape(what)):
            gdl_miner.score(game, name, "random", matches=2)


def test_an_evaluator_judges_natively_as_its_function_does() -> None:
    for name in ("tictactoe.ext", "connectfour.ext", "breakthrough.ext"):
        game = gdl_miner.load(name)
        table: Any = evaluator_named("material+piece=0.3").prepare(game)
        judge: Any = evaluator_named("material+piece=0.3+native=false").prepare(game)
        state, dice = game.initial_state(), random.Random(1)
        for _ in range(12):
            state.apply(dice.choice(state.legal_actions()))
            if state.is_terminal():
                break
            assert gdl_miner.evaluate(state, table).values == pytest.approx(judge(state), abs=0.01)


def test_searches_take_an_evaluator_by_its_name() -> None:
    state = gdl_miner.load("breakthrough.ext").initial_state()
    found = gdl_miner.search(state, evaluator="material", playouts=100)
    assert found.playouts == 100
    plain = gdl_miner.search(state, evaluator="material+native=false", playouts=100)
    assert plain.playouts == 100
    assert str(plain) != str(found)
    with pytest.raises(ConfigError, match="matreial: no package that is installed has this evaluator; there are: "):
        gdl_miner.search(state, evaluator="matreial", playouts=10)


@pytest.mark.parametrize("executor", [["--executor", "serial"], ["--workers", "2"]], ids=["serial", "ray"])
def test_a_tournament_seats_opponents_and_evaluators(
    executor: list[str], installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(installed))  # for workers; an installation needs nothing of the kind
    names = ["uct", "minimax+depth=2", "uct:material@20", "uct:material+native=false@20"]
    options = ["--game", GAME, "--matches", 4, "--playouts", 20, "--opening-plies", 0, *executor, "--json"]
    found = json.loads(miner("tournament", *names, *options))
    assert {each["player"] for each in found["ranking"]} == set(names)
    assert all(each["n"] == 12 for each in found["ranking"])
    assert [(each["kind"], each["name"], each["version"]) for each in found["plugins"]] == [
        ("opponent", "minimax", "1.0"),
        ("evaluator", "material", "1.0"),
        ("evaluator", "material", "1.0"),
    ]


def test_a_file_is_scored_against_an_opponent_and_an_evaluator(tmp_path: Path) -> None:
    game = gdl_miner.load(GAME)
    gdl_miner.write_knowledge(gdl_miner.learn(game, seconds=0.5), tmp_path / "k.xml", game)
    options = ["--game", GAME, "--knowledge", tmp_path / "k.xml", "--matches", 4, "--playouts", 20, "--json"]
    for name, kind in (("minimax", "opponent"), ("uct:material", "evaluator"), ("uct:material+native=no", "evaluator")):
        found = json.loads(miner("score", *options, "--against", name))
        assert found["n"] == 4
        assert [each["kind"] for each in found["plugins"]] == [kind]


@pytest.mark.parametrize("name", ["minimax+depth=2", "uct:material@20", "uct:material+native=no@20"])
def test_a_match_seats_an_opponent_and_an_evaluator_and_is_the_same_again(name: str, tmp_path: Path) -> None:
    match = ["play", "--game", GAME, "--playouts", 30, "--seed", 3, "--json", "--x", name]
    record = tmp_path / "match.xml"
    played = json.loads(succeeded(agent(*match, "--o", "quick", "--record", record)))
    assert played["players"] == [name, "quick"]
    assert played == json.loads(succeeded(agent(*match, "--o", "quick")))
    written = read_records(record, load_machine(GAME))
    assert (written.goals[0].tolist(), written.playouts[0].tolist()) == (played["goals"], played["playouts"])
    assert played["playouts"][1] > 0
    x, o = played["goals"]
    assert f"result: x {x}, o {o}" in succeeded(agent("replay", "--game", GAME, record))


def test_an_opponent_that_looks_to_the_end_does_not_lose_a_match() -> None:
    shown = json.loads(succeeded(agent("play", "--game", GAME, "--json", "--o", "minimax+depth=9", "--x", "uct")))
    match = OngoingMatch(load_machine(GAME))
    for joint in shown["moves"]:
        match.advance(joint)
    assert match.ended
    assert shown["goals"] == list(match.goals)
    assert shown["goals"][1] >= 50


def test_a_referee_seats_players_of_this_process() -> None:
    command = ["referee", "--game", GAME, "--playclock", 1, "--json", "--scramble"]
    for players in ("minimax+depth=2,quick", "uct:material@20,minimax+depth=1"):
        told = json.loads(succeeded(agent(*command, "--players", players)))
        assert told["players"] == players.split(",")
        assert not told["faults"]
        assert told["own_moves"] == [len(told["moves"])] * 2


def test_code_that_fails_in_a_match_is_named_with_its_package(installed: Path) -> None:
    source = (
        "from gdl_miner import OpponentPlugin\nclass THING(OpponentPlugin):\n    def prepare(self, game):\n"
        "        def choose(state, role, dice):\n            raise KeyError('lost')\n        return choose\n"
    )
    make_package(installed, "failing", "opponent", "failing", source)
    what = "failing 1.0: the opponent failing (failing:THING) fails after 0 moves (KeyError: 'lost'); mend failing"
    for command in (["play", "--x", "failing"], ["referee", "--players", "failing,random"]):
        result = agent(command[0], "--game", GAME, *command[1:])
        assert isinstance(result.exception, ConfigError)
        assert what in str(result.exception)


@pytest.mark.parametrize(
    "command",
    [
        ["agent", "play", "--game", GAME, "--x", "minimex"],
        ["agent", "table", "--game", GAME, "--seats", "you,minimex"],
        ["agent", "referee", "--game", GAME, "--players", "random,minimex"],
        [
            "miner",
            "score",
            "--game",
            GAME,
            "--knowledge",
            "quick",
            "--against",
            "minimex",
            "--matches",
            2,
            "--playouts",
            2,
        ],
        ["miner", "tournament", "uct", "minimex", "--game", GAME, "--matches", 2, "--playouts", 2],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_name_that_is_no_player_gets_a_list_of_those_that_are(command: list[Any]) -> None:
    result = {"agent": agent, "miner": command_of_miner}[command[0]](*command[1:])
    assert isinstance(result.exception, ConfigError)
    said = str(result.exception)
    assert "minimex: no such player; did you mean minimax? there are " in said
    assert said.endswith("a player of another package (minimax, uct:material)")


def test_the_table_seats_an_opponent_that_browsers_may_choose(tmp_path: Path) -> None:
    seats = read_seats(load_machine(GAME), "x=you,o=minimax+depth=2", has_knowledge=False)
    with laid(GAME, seats.kinds, others=seats.others) as table:
        news = table.ready()
        assert news["position"]["kinds"] == ["you", "uct", "random", "minimax+depth=2"]
        assert [role["seat"] for role in news["position"]["roles"]] == ["you", "minimax+depth=2"]
        assert "nobody of this name is at the table" in table.do({"do": "sit", "role": 0, "seat": "minimax+depth=3"})
        assert table.do({"do": "sit", "role": 0, "seat": "minimax+depth=2"}) == ""
        ended = table.until(lambda news: news["position"]["ended"])
        assert [role["goal"] for role in ended["position"]["roles"]] in ([0, 100], [50, 50], [100, 0])
