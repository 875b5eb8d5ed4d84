"""A feature class of another package, which an entry point names, is mined, written, read, drawn and played with."""

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.features import FEATURE_CLASSES, Feature, WeightedFeature, known_classes, occurrences
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.knowledge import Knowledge, Parameters, Phase, compile_knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.knowledge.schema import schema
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.mining.config import ItemsetConfig, MiningConfig, SoftmaxConfig
from gdl_miner.miner.mining.mine import mine
from tests.conftest import TINY
from tests.geometry.imaginary_games import GAMES, ImaginaryGame
from tests.knowledge.random_knowledge import random_batch
from tests.mining.playouts import random_record

OUTSIDE = Path(__file__).parent / "outside"  # the module rings.py, and what the installation of its package leaves


def forget() -> None:
    known_classes.cache_clear()
    schema.cache_clear()


@pytest.fixture(autouse=True)
def ring(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Feature]]:
    monkeypatch.syspath_prepend(OUTSIDE)
    forget()
    yield known_classes()[-1]
    forget()


@pytest.fixture
def machine() -> Machine:
    return load_machine("tictactoe.ext")


def test_a_class_of_another_package_follows_those_of_this_one(ring: type[Feature]) -> None:
    assert known_classes() == (*FEATURE_CLASSES, ring)
    assert ring.element == "FeatureRing"
    assert Parameters().class_weights["FeatureRing"] == 1.0
    assert MiningConfig().feature_classes[-1] is ring


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.sheet.name)
def test_its_features_fire_and_score_natively_as_their_plain_definition_says(
    game: ImaginaryGame, ring: type[Feature]
) -> None:
    batch = random_batch(game, random.Random(game.sheet.name), 6, 8)
    features = occurrences(batch, game.geometry, (ring,)).features
    assert bool(features) == bool(game.geometry.borders)
    roles = game.circuit.roles
    winning = tuple(tuple(WeightedFeature(each, 2.0) for each in features) for _ in roles)
    knowledge = Knowledge("game", "", roles, winning, tuple(() for _ in roles), Parameters(base_value=1.0))
    scorer = _native.Scorer(compile_knowledge(knowledge, game))
    own = np.isin(batch.row, game.geometry.rows(0))
    state, rows = batch.state_index[own], batch.row[own]
    start = np.searchsorted(state, np.arange(len(batch.states) + 1)).astype(np.int64)
    scores = scorer.score(int(Phase.SELECTION), 0, batch.states, batch.last_rows, start, rows)
    for number, row, score in zip(state.tolist(), rows.tolist(), scores.tolist(), strict=True):
        position = Position.of(game.geometry, batch.states[number], batch.last_rows[number].tolist())
        assert score == 256 * (1 + 2 * sum(each.fires(position, row) for each in features))


def test_it_is_mined_written_read_and_drawn(machine: Machine, tmp_path: Path) -> None:
    record = random_record(machine, 300, seed=5, favour=lambda name: 8.0 if name.startswith("(mark 2 2") else 1.0)
    config = MiningConfig(
        ("FeatureRing",),
        min_support=10,
        max_q=1.0,
        softmax=SoftmaxConfig(min_count=5),
        itemsets=ItemsetConfig(features=2),
    )
    mined = mine([record], machine, config, seed=1).features[0]
    weight = {each.feature.words(machine.sheet.display): each.weight for each in mined}
    assert weight["onto ring 1"] > 0 > weight["onto ring 0"]
    entries = tuple(WeightedFeature(each.feature, 1.5, each.itemset) for each in mined)
    weights = {name: 0.5 if name == "FeatureRing" else 1.0 for name in Parameters().class_weights}
    parameters = Parameters(class_weights=weights)
    sheet, nothing = machine.sheet, ((), ())
    knowledge = Knowledge(sheet.name, sheet.digest, machine.roles, (entries, ()), nothing, parameters)
    write_knowledge(knowledge, tmp_path / "k.xml", sheet)
    assert "<Ring>1</Ring>" in (tmp_path / "k.xml").read_text()
    assert '<ClassWeight class="FeatureRing" features="0.5" itemsets="1"/>' in (tmp_path / "k.xml").read_text()
    again = read_knowledge(tmp_path / "k.xml", sheet)
    assert again == knowledge
    for each in again.winning[0]:
        assert each.draw(geometry_of(machine)).startswith("<svg")


def test_an_evolution_has_genes_features_and_charts_of_it(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY + '[mining]\nclasses = ["FeatureRing"]\nmin_support = 5\nmax_q = 1.0\n')
    paths = os.pathsep.join([str(OUTSIDE), *filter(None, [os.environ.get("PYTHONPATH"), *sys.path])])

    def miner(*arguments: str) -> str:
        command = [sys.executable, "-m", "gdl_miner.miner", *arguments]
        environment = {**os.environ, "PYTHONPATH": paths, "COLUMNS": "200"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    run = tmp_path / "run"
    options = ["--game", "tictactoe.ext", "--config", str(tmp_path / "tiny.toml"), "--executor", "serial"]
    miner("evolve", *options, "--out", str(run))
    steps = (run / "steps.csv").read_text()
    assert ",class_weight.FeatureRing," in steps
    assert ",FeatureRing," in steps
    assert "Ring" in miner("inspect", str(run))
    assert "onto ring" in miner("explain", str(next((run / "knowledge/gen_002").glob("*.xml"))))
    assert "#b07aa1" in (run / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "loaded", "what"),
    [
        ("FeatureOdd", object, "FeatureOdd: odd:C is no Feature with this XML element; mend or uninstall its package"),
        ("FeatureAbsMove", FEATURE_CLASSES[2], "FeatureAbsMove: odd:C has the name of a class of this package; rename"),
    ],
)
def test_what_is_no_class_of_its_own_is_refused(
    name: str, loaded: object, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = SimpleNamespace(name=name, value="odd:C", load=lambda: loaded)
    monkeypatch.setattr("gdl_miner.agent.extensions.entry_points", lambda group: [entry])
    forget()
    with pytest.raises(ConfigError, match=what):
        known_classes()


def test_a_file_with_features_of_a_class_that_is_not_there_is_refused(
    ring: type[Feature], machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_distance: Callable[[int], Feature] = ring
    entries = (WeightedFeature(of_distance(1), 1.0),)
    knowledge = Knowledge("tictactoe.ext", machine.sheet.digest, machine.roles, (entries, ()), ((), ()), Parameters())
    write_knowledge(knowledge, tmp_path / "k.xml", machine.sheet)
    monkeypatch.setattr("sys.path", [place for place in sys.path if place != str(OUTSIDE)])
    forget()
    assert known_classes() == FEATURE_CLASSES
    with pytest.raises(KnowledgeError, match=r"k\.xml:\d+: .*FeatureRing"):
        read_knowledge(tmp_path / "k.xml", machine.sheet)
