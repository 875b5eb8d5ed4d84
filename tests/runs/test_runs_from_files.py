"""Runs that start from a knowledge file with values, and evolutions that learn values first."""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.features import Fact, FeatureAbsMove, FeatureRelPattern, Itemset, WeightedFeature
from gdl_miner.agent.features.pattern import ANY
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, write_knowledge, written_out
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.learners.expert_iteration import EXPERT_ITERATION
from gdl_miner.miner.learners.values import VALUES
from gdl_miner.miner.play.executor import SerialExecutor, Shared, WorkerTask
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.runs.setup import RunSetup, interrupted_run
from gdl_miner.miner.runs.start import read_start, with_symmetries_of
from tests.runs.breaking import BreakError, Breaking, drive, drive_with_breaks
from tests.runs.quick import quick_run

GAME = "tictactoe.ext"
SMALL: dict[str, dict[str, Any]] = {
    "networks": {"generations": 0},
    "evolution": {"generations": 2, "population": 4, "elitism": 0.25, "value_steps": 0},
    "tournament": {"matches_without_knowledge": 16, "matches_per_individual": 8, "validation_matches": 10},
    "search": {"playouts": 10, "playouts_without_knowledge": 10},
    "teaching": {"positions": 20, "playouts": 50},
    "pruning": {"matches": 64, "positions": 20},
}
DECISIVE: dict[str, dict[str, Any]] = {
    **SMALL,
    "evolution": {**SMALL["evolution"], "mutation": 0.5},
    "genes": {"decisive_moves": ["off", "decisive"]},
}
FIRST = {**SMALL, "evolution": {**SMALL["evolution"], "value_steps": 3}, "values": {"games": 200}}
VALUES_ONLY: dict[str, dict[str, Any]] = {"values": {"steps": 2, "games": 400, "matches": 8, "validation_matches": 8}}


def begun(
    folder: Path, method: LearningMethod[Any], changes: dict[str, dict[str, Any]], file: Path | None = None
) -> RunSetup:
    return quick_run(folder, GAME, method, changes, file)


def miner(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, [str(each) for each in arguments], env={"COLUMNS": "120"})


def knowledge_of(path: Path) -> Knowledge:
    return read_knowledge(path, load_machine(GAME).sheet)


def first_player(setup: RunSetup) -> Knowledge:
    """Return the knowledge of the first individual; the run breaks off while its generation plays."""
    with pytest.raises(BreakError):
        drive(setup, Breaking(9))
    return knowledge_of(setup.store.knowledge_path(1, "g001-i001"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the knowledge file of a run that learned values."""
    folder = tmp_path_factory.mktemp("values") / "run"
    drive(begun(folder, VALUES, VALUES_ONLY))
    return folder / "best.xml"


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory, file: Path) -> Path:
    folder = tmp_path_factory.mktemp("evolved") / "run"
    drive(begun(folder, EVOLUTION, SMALL, file))
    return folder


@pytest.fixture(scope="module")
def learned_first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first") / "run"
    drive(begun(folder, EVOLUTION, FIRST))
    return folder


def test_every_individual_has_the_values_of_the_file_and_the_first_is_its_player(evolved: Path, file: Path) -> None:
    given = knowledge_of(file)
    files = sorted((evolved / "knowledge").glob("*/*.xml"))
    assert len(files) == 8
    assert all(knowledge_of(each).values == given.values for each in [*files, evolved / "best.xml"])
    first = knowledge_of(evolved / "knowledge/gen_001/g001-i001.xml").parameters
    wanted = given.parameters
    assert (first.uct_c, first.value_weight, first.experience) == (wanted.uct_c, wanted.value_weight, wanted.experience)
    assert read_run(evolved).players["origin"].tolist().count("start") == 1


@pytest.mark.parametrize("lasts", [1, 9])
def test_a_run_from_a_file_is_resumed_without_the_file(lasts: int, evolved: Path, file: Path, tmp_path: Path) -> None:
    shutil.copy(file, tmp_path / "lost.xml")
    setup = begun(tmp_path / "run", EVOLUTION, SMALL, tmp_path / "lost.xml")
    (tmp_path / "lost.xml").unlink()
    assert drive_with_breaks(setup, tmp_path / "run", lasts) > 0
    agreement = compare_bytes(evolved, tmp_path / "run")
    assert agreement.complete, agreement.differing


def test_a_run_with_an_optional_gene_has_a_column_for_it_and_is_resumed_to_the_same_bytes(
    file: Path, tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    drive(begun(whole, EVOLUTION, DECISIVE, file))
    assert drive_with_breaks(begun(broken, EVOLUTION, DECISIVE, file), broken, 9) > 0
    agreement = compare_bytes(whole, broken)
    assert agreement.complete, agreement.differing
    table = read_run(whole).players
    assert set(table["decisive_moves"]) == {"off", "decisive"}
    files = {path.stem: knowledge_of(path).parameters for path in (whole / "knowledge").glob("gen_00[12]/*.xml")}
    for _, row in table.iterrows():
        assert files[row["name"]].decisive_moves == row["decisive_moves"]
    assert "decisive_moves" in (whole / "report.html").read_text()


def test_a_start_with_an_optional_parameter_needs_its_gene(file: Path, tmp_path: Path) -> None:
    given = knowledge_of(file)
    deciding = replace(given, parameters=replace(given.parameters, decisive_moves="decisive"))
    write_knowledge(deciding, tmp_path / "decisive.xml", load_machine(GAME).sheet)
    with pytest.raises(ConfigError, match=r"decisive_moves decisive, .*name decisive_moves under \[genes\]"):
        begun(tmp_path / "refused", EVOLUTION, SMALL, tmp_path / "decisive.xml")
    assert not (tmp_path / "refused").exists()
    setup = begun(tmp_path / "run", EVOLUTION, DECISIVE, tmp_path / "decisive.xml")
    assert first_player(setup).parameters.decisive_moves == "decisive"


def test_a_start_that_explores_as_no_individual_does_needs_a_gene(file: Path, tmp_path: Path) -> None:
    given = knowledge_of(file)
    assert given.parameters.uct_growth == "deep"
    for growth in ("root", "log"):
        other = replace(given, parameters=replace(given.parameters, uct_growth=growth))
        write_knowledge(other, tmp_path / f"{growth}.xml", load_machine(GAME).sheet)
    with pytest.raises(ConfigError, match=r'uct_growth root, .* as in uct_growth = \["deep", "root"\]'):
        begun(tmp_path / "refused", EVOLUTION, SMALL, tmp_path / "root.xml")
    begun(tmp_path / "run", EVOLUTION, SMALL, tmp_path / "log.xml")


def test_the_limit_of_trust_in_the_values_of_a_start_needs_no_gene(file: Path, tmp_path: Path) -> None:
    given = knowledge_of(file)
    limited = replace(given, parameters=replace(given.parameters, trusted_playouts=700))
    write_knowledge(limited, tmp_path / "limited.xml", load_machine(GAME).sheet)
    setup = begun(tmp_path / "run", EVOLUTION, SMALL, tmp_path / "limited.xml")
    assert first_player(setup).parameters.trusted_playouts == 700


def test_a_table_beside_the_file_is_kept_with_the_copy(tmp_path: Path) -> None:
    many = {"stages": [3, 5, 7], "shapes": ["block 2x3", "line 3"], "symmetries": False, "steps": 1, "games": 4000}
    drive(begun(tmp_path / "values", VALUES, {"values": {**VALUES_ONLY["values"], **many}}))
    [table] = [path.name for path in (tmp_path / "values").glob("values-*.npy")]
    start, run = tmp_path / "values/best.xml", tmp_path / "run"
    # Learning goes on, so that best.xml soon names another table.
    drive(begun(run, VALUES, {"values": {**VALUES_ONLY["values"], **many}}, start))
    assert table in {path.name for path in run.glob("values-*.npy")}
    assert interrupted_run(run).maker.start == knowledge_of(start)


def test_a_run_from_a_file_is_repeated_without_the_file(evolved: Path, tmp_path: Path) -> None:
    result = miner("repeat", evolved, "--out", tmp_path / "again", "--executor", "serial")
    assert result.exit_code == 0, result.output


def test_values_are_learned_first_in_the_same_bytes_however_often_it_is_interrupted(
    learned_first: Path, tmp_path: Path
) -> None:
    for lasts in (1, 3, 8):
        folder = tmp_path / str(lasts)
        assert drive_with_breaks(begun(folder, EVOLUTION, FIRST), folder, lasts) > 0
        agreement = compare_bytes(learned_first, folder)
        assert agreement.complete, agreement.differing
        assert "knowledge/gen_000/start.xml" in agreement.same


class Backwards(SerialExecutor):
    """An executor that does the last task first."""

    def run(
        self, work: Callable[..., Any], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, Any]]:
        return super().run(work, shared, tasks[::-1])


def test_the_order_of_tasks_does_not_show_in_values_and_those_who_have_them(
    learned_first: Path, tmp_path: Path
) -> None:
    drive(begun(tmp_path / "other", EVOLUTION, FIRST), Backwards())
    agreement = compare_bytes(learned_first, tmp_path / "other")
    assert agreement.complete, agreement.differing


def test_values_learned_first_are_those_of_all_individuals(learned_first: Path) -> None:
    start = knowledge_of(learned_first / "knowledge/gen_000/start.xml")
    assert start.values is not None
    assert start.values.n_weights > 0
    for each in (*(learned_first / "knowledge").glob("gen_00[12]/*.xml"), learned_first / "best.xml"):
        assert knowledge_of(each).values == start.values
    assert (learned_first / "timings.csv").read_text().count(",training,") == 3


def test_a_run_goes_on_after_each_step_of_values(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(BreakError):
        drive(begun(folder, EVOLUTION, FIRST), Breaking(2))
    assert interrupted_run(folder).journal.finished == 1
    trained = (folder / "timings.csv").read_text()
    drive(interrupted_run(folder))
    assert (folder / "timings.csv").read_text().startswith(trained)


def test_a_run_with_values_shows_them(learned_first: Path, evolved: Path) -> None:
    for run in (learned_first, evolved):
        assert "What states are worth to the champion" in (run / "report.html").read_text()
        assert "while" in miner("explain", run / "best.xml", "--matches", "2", "--positions", "10").output


def test_a_report_and_a_comparison_name_the_file(evolved: Path, learned_first: Path, file: Path) -> None:
    _, content = RunStore.open(evolved)
    assert f"{file}, {content['start']['digest'][:16]}" in (evolved / "report.html").read_text()
    assert f"evolution</b> from {file.name}, in 2 generations" in (evolved / "report.html").read_text()
    assert f"evolution from {file.name}, seed 1" in miner("inspect", evolved).output
    assert content["start"]["digest"][:12] in miner("compare", evolved, learned_first).output


def with_features(run: Path) -> Path:
    """Return the file of an individual of the last generation that has features beside its values."""
    files = sorted((run / "knowledge/gen_002").glob("*.xml"))
    return next(path for path in files if knowledge_of(path).n_features)


@pytest.mark.parametrize("shared", [True, False])
def test_features_of_a_start_stand_for_the_same_images_as_before(shared: bool, evolved: Path, tmp_path: Path) -> None:
    machine, given = load_machine(GAME), knowledge_of(with_features(evolved))
    assert given.n_features > 0
    assert len(given.symmetries) == 15
    known = given if shared else written_out(given, machine)
    write_knowledge(known, tmp_path / "start.xml", machine.sheet)
    start = read_start(tmp_path / "start.xml", machine, EVOLUTION)
    settings = read_settings(EVOLUTION.settings, "quick", SMALL)
    assert settings.mining.symmetries == "auto"
    assert with_symmetries_of(start, settings).mining.symmetries == known.symmetries
    assert with_symmetries_of(None, settings) is settings


def test_learning_of_values_goes_on_from_a_file_and_keeps_its_features(evolved: Path, tmp_path: Path) -> None:
    best = with_features(evolved)
    drive(begun(tmp_path / "on", VALUES, VALUES_ONLY, best))
    drive(begun(tmp_path / "anew", VALUES, VALUES_ONLY))
    assert knowledge_of(best).n_features > 0
    given, first, anew = (
        knowledge_of(path)
        for path in (best, tmp_path / "on/knowledge/gen_001/s001.xml", tmp_path / "anew/knowledge/gen_001/s001.xml")
    )
    assert (first.winning, first.losing, first.parameters) == (given.winning, given.losing, given.parameters)
    assert first.values not in (given.values, anew.values)
    assert knowledge_of(tmp_path / "on/knowledge/gen_001/start.xml").values == given.values
    assert read_run(tmp_path / "on").main["past_matches"].iloc[0] > 0, "the first step plays the start"
    assert drive_with_breaks(begun(tmp_path / "broken", VALUES, VALUES_ONLY, best), tmp_path / "broken", 1) > 0
    agreement = compare_bytes(tmp_path / "on", tmp_path / "broken")
    assert agreement.complete, agreement.differing


def write_conditions(file: Path, start: Path) -> WeightedFeature:
    """Write a player without values that has one feature, with a condition, and return the feature."""
    corner = WeightedFeature(FeatureAbsMove("(mark 1 1 x)"), 1.0, Itemset((Fact("(cell 2 2 o)"),)))
    known = replace(knowledge_of(file), values=None, winning=((corner,), ()), losing=((), ()))
    write_knowledge(known, start, load_machine(GAME).sheet)
    return corner


def test_an_evolution_weighs_features_with_conditions_of_a_file_without_values(file: Path, tmp_path: Path) -> None:
    corner = write_conditions(file, tmp_path / "start.xml")
    drive(begun(tmp_path / "whole", EVOLUTION, FIRST, tmp_path / "start.xml"))
    learned = [knowledge_of(path) for path in (tmp_path / "whole/knowledge").glob("gen_*/*.xml")]
    lists = [features for known in learned for features in (*known.winning, *known.losing)]
    assert any(
        (each.feature, each.itemset) == (corner.feature, corner.itemset) for features in lists for each in features
    )
    drive_with_breaks(begun(tmp_path / "broken", EVOLUTION, FIRST, tmp_path / "start.xml"), tmp_path / "broken", 1)
    agreement = compare_bytes(tmp_path / "whole", tmp_path / "broken")
    assert agreement.complete, agreement.differing


def test_an_evolution_weighs_the_patterns_of_expert_iteration(tmp_path: Path) -> None:
    policy = {"measured_after": [8, 16], "value_steps": 0, "matches": 8, "validation_matches": 8}
    drive(begun(tmp_path / "policy", EXPERT_ITERATION, {"expert": policy}))
    start = knowledge_of(tmp_path / "policy/last.xml")
    assert start.values is None
    drive(begun(tmp_path / "run", EVOLUTION, FIRST, tmp_path / "policy/last.xml"))
    learned = [knowledge_of(path) for path in (tmp_path / "run/knowledge").glob("gen_*/*.xml")]
    assert {each for known in learned for each in grown_in(known)} <= grown_in(start)
    assert any(grown_in(known) for known in learned)


def grown_in(known: Knowledge) -> set[FeatureRelPattern]:
    """Return the patterns that compare at most three fields; those that mining looks for compare at least four."""
    features = {each.feature for role in (*known.winning, *known.losing) for each in role}
    patterns = {each for each in features if isinstance(each, FeatureRelPattern)}
    return {each for each in patterns if sum(entry != ANY for entry in each.entries) <= 3}


def test_features_without_values_are_refused_where_no_weights_are_fitted(file: Path, tmp_path: Path) -> None:
    write_conditions(file, tmp_path / "start.xml")
    with pytest.raises(ConfigError, match=r'policy\.kind is "phi"; allow "softmax"'):
        begun(tmp_path / "run", EVOLUTION, {**FIRST, "genes": {"policy.kind": "phi"}}, tmp_path / "start.xml")


def refused(*arguments: str | Path, out: Path) -> str:
    """Return the message that a command ends with, and check that it made no folder."""
    found = miner(*arguments, "--config", "quick", "--executor", "serial", "--out", out).exception
    assert isinstance(found, ConfigError | KnowledgeError), repr(found)
    assert not out.exists()
    return str(found)


def without_values(text: str) -> str:
    return re.sub(r"<Values.*</Values>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("command", [["evolve"], ["learn", "--with", "evolution"], ["learn", "--with", "values"]])
@pytest.mark.parametrize(
    ("game", "change", "said"),
    [
        ("connectfour.ext", lambda text: text, r"start\.xml:2: knowledge of tictactoe\.ext .*not of connectfour\.ext"),
        (GAME, without_values, r"start\.xml: the file has no values of states.*miner learn --with values"),
        (GAME, lambda text: text[:2000], r"start\.xml:\d+: .*"),
        (GAME, lambda text: text.replace(">(cell 1 1", ">(cell 1 9"), r"start\.xml:\d+: .*no weight of its own here"),
    ],
)
def test_a_file_that_no_run_can_start_from_is_refused_before_there_is_a_folder(
    command: list[str], game: str, change: Callable[[str], str], said: str, file: Path, tmp_path: Path
) -> None:
    (tmp_path / "start.xml").write_text(change(file.read_text()))
    message = refused(*command, "--game", game, "--start", tmp_path / "start.xml", out=tmp_path / "run")
    assert re.search(said, message), message


def test_an_evolution_whose_values_do_not_fit_the_board_is_refused_before_there_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="shape 'line 6': no such cells are on the board"):
        begun(tmp_path / "run", EVOLUTION, {**FIRST, "values": {"shapes": ["line 6"]}})
    assert not (tmp_path / "run").exists()


def test_values_of_another_shape_are_refused_with_the_setting(file: Path, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[values]\nstages = [3]\n")
    arguments = ["learn", "--with", "values", "--game", GAME, "--start", str(file)]
    found = miner(*arguments, "--config", tmp_path / "other.toml", "--out", tmp_path / "run").exception
    assert re.search(r"best\.xml:\d+: the values of the file have the stages none, those of the .* 3; ", str(found))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda path: path.unlink(), r"start\.xml: cannot be read: .*; restore"),
        (lambda path: path.write_text(path.read_text().replace("weight=", "weight =", 1)), "not the knowledge that"),
    ],
)
def test_a_run_whose_copy_of_the_file_is_lost_is_not_resumed(
    change: Callable[[Path], object], said: str, evolved: Path, tmp_path: Path
) -> None:
    shutil.copytree(evolved, tmp_path / "run")
    change(tmp_path / "run" / "start.xml")
    with pytest.raises(ConfigError, match=said):
        interrupted_run(tmp_path / "run")


def test_another_file_is_another_run(evolved: Path, file: Path, tmp_path: Path) -> None:
    (tmp_path / "other.xml").write_text(file.read_text().replace("<UctConstant>15<", "<UctConstant>16<"))
    other = begun(tmp_path / "other", EVOLUTION, SMALL, tmp_path / "other.xml")
    _, content = other.store.open(tmp_path / "other")
    _, before = other.store.open(evolved)
    assert content["fingerprint"] != before["fingerprint"]
    assert content["start"]["digest"] != before["start"]["digest"]


def test_a_symmetry_that_the_game_does_not_have_is_refused_before_there_is_a_folder(tmp_path: Path) -> None:
    wanted = {**SMALL, "mining": {"symmetries": ["board upside down"]}}
    with pytest.raises(ConfigError, match=r"mining\.symmetries: tictactoe\.ext does not have .*'board upside down'"):
        begun(tmp_path / "run", EVOLUTION, wanted)
    assert not (tmp_path / "run").exists()
