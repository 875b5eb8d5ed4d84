"""A feature class of another package, which an entry point names, is mined, written, read, drawn and played with."""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.features import FEATURE_CLASSES, Feature, WeightedFeature, feature_class, occurrences
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.knowledge import Knowledge, Parameters, Phase, compile_knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.mining.config import ItemsetConfig, MiningConfig, SoftmaxConfig
from gdl_miner.miner.mining.mine import mine
from tests.conftest import TINY
from tests.geometry.imaginary_games import GAMES, ImaginaryGame
from tests.knowledge.random_knowledge import random_batch
from tests.mining.playouts import random_record

OUTSIDE = Path(__file__).parent / "outside"  # the module rings.py, and what the installation of its package leaves


@pytest.fixture(autouse=True)
def ring(monkeypatch: pytest.MonkeyPatch) -> type[Feature]:
    monkeypatch.syspath_prepend(OUTSIDE)
    return feature_class("FeatureRing")


@pytest.fixture
def machine() -> Machine:
    return load_machine("tictactoe.ext")


def test_a_class_of_another_package_takes_part_where_it_is_named(ring: type[Feature]) -> None:
    assert ring.element == "FeatureRing"
    assert MiningConfig().feature_classes == FEATURE_CLASSES
    named = MiningConfig(classes=("FeatureRing", "FeatureAbsMove", "FeatureAbsEuclidBorderDist"))
    assert [each.element for each in named.feature_classes] == [
        "FeatureAbsEuclidBorderDist",
        "FeatureAbsMove",
        "FeatureRing",
    ]
    with pytest.raises(ConfigError, match=r"there is no feature class FeatureRign; there are .*, FeatureRing;"):
        MiningConfig(classes=("FeatureRign",))


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
    parameters = Parameters(class_weights={**Parameters().class_weights, "FeatureRing": 0.5})
    sheet, nothing = machine.sheet, ((), ())
    knowledge = Knowledge(sheet.name, sheet.digest, machine.roles, (entries, ()), nothing, parameters)
    write_knowledge(knowledge, tmp_path / "k.xml", sheet)
    assert (
        '<Plugin kind="feature" name="FeatureRing" package="rings" version="1.0"/>' in (tmp_path / "k.xml").read_text()
    )
    assert "<Ring>1</Ring>" in (tmp_path / "k.xml").read_text()
    assert '<ClassWeight class="FeatureRing" features="0.5" itemsets="1"/>' in (tmp_path / "k.xml").read_text()
    again = read_knowledge(tmp_path / "k.xml", sheet)
    assert again == knowledge
    for each in again.winning[0]:
        assert each.draw(geometry_of(machine)).startswith("<svg")


def test_an_evolution_has_features_and_charts_of_it(tmp_path: Path) -> None:
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
    assert ",FeatureRing," in steps
    [plugin] = json.loads((run / "config.json").read_text())["plugins"]
    assert (plugin["kind"], plugin["name"], plugin["package"]) == ("feature", "FeatureRing", "rings")
    shown = miner("inspect", str(run))
    assert "Ring" in shown
    assert "with feature FeatureRing of rings 1.0" in shown
    assert "onto ring" in miner("explain", str(next((run / "knowledge/gen_002").glob("*.xml"))))
    report = (run / "report.html").read_text("utf-8")
    assert "#b07aa1" in report
    assert "feature FeatureRing of rings 1.0" in report


def test_a_file_with_features_of_a_class_that_is_not_there_is_refused(
    ring: type[Feature], machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_distance: Callable[[int], Feature] = ring
    entries = (WeightedFeature(of_distance(1), 1.0),)
    knowledge = Knowledge("tictactoe.ext", machine.sheet.digest, machine.roles, (entries, ()), ((), ()), Parameters())
    write_knowledge(knowledge, tmp_path / "k.xml", machine.sheet)
    read = read_knowledge(tmp_path / "k.xml", machine.sheet)
    assert read == knowledge
    monkeypatch.setattr("sys.path", [place for place in sys.path if place != str(OUTSIDE)])
    with pytest.raises(
        KnowledgeError,
        match=r"k\.xml:\d+: FeatureRing is a feature class of rings 1\.0, which is not installed; install it, as with "
        r"`pip install rings==1\.0`",
    ):
        read_knowledge(tmp_path / "k.xml", machine.sheet)
    text = (tmp_path / "k.xml").read_text()
    (tmp_path / "k.xml").write_text(re.sub("<Plugin .*/>", "", text))
    with pytest.raises(KnowledgeError, match=r"k\.xml:\d+: .*FeatureRing"):
        read_knowledge(tmp_path / "k.xml", machine.sheet)


def test_a_file_made_with_another_version_is_read_and_that_is_noted(
    ring: type[Feature], machine: Machine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    of_distance: Callable[[int], Feature] = ring
    entries = (WeightedFeature(of_distance(1), 1.0),)
    knowledge = Knowledge("tictactoe.ext", machine.sheet.digest, machine.roles, (entries, ()), ((), ()), Parameters())
    write_knowledge(knowledge, tmp_path / "k.xml", machine.sheet)
    text = (tmp_path / "k.xml").read_text()
    (tmp_path / "k.xml").write_text(text.replace('package="rings" version="1.0"', 'package="rings" version="0.9"'))
    assert read_knowledge(tmp_path / "k.xml", machine.sheet) == knowledge
    assert "made with rings 0.9, here is 1.0" in caplog.text
