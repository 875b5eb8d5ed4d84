"""The learner of culture: its runs, the bytes that they leave, and its parts, which can be switched off."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Provenance, read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import Values, layout_for
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.culture.learner import CultureLearner
from gdl_miner.miner.learners.culture.method import CULTURE_LEARNING
from gdl_miner.miner.learners.culture.state import CultureState, unpack_state
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    Entrant,
    ForageResult,
    MatchResults,
    NamedValues,
    NameValues,
    PlayForage,
    PlayMatches,
    Result,
    Validate,
    Validation,
)
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.rating import Rating, Score
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.runs.setup import RunSetup
from gdl_miner.miner.runs.start import read_start
from gdl_miner.miner.training.forages import forage_shard, join_foraged, map_features
from tests.runs.breaking import drive, drive_with_breaks
from tests.runs.quick import quick_run
from tests.search.positions import machine_of

GAME = "tictactoe.ext"
CHANGES: dict[str, dict[str, Any]] = {
    "culture": {
        "steps": 2,
        "individuals": 6,
        "fittest": 0.34,
        "matches": 8,
        "validation_matches": 8,
        "ants": True,
        "beliefs": True,
        "belief_states": 20,
    }
}
MACHINE = load_machine(GAME)
PREPARED = PreparedGame(MACHINE.sheet, MACHINE.circuit)
MAKER = KnowledgeMaker(GAME, MACHINE.sheet.digest, MACHINE.sheet.roles, Provenance("test", 0, 1, "1"))


def begun(folder: Path, changes: dict[str, dict[str, Any]] = CHANGES) -> RunSetup:
    return quick_run(folder, GAME, CULTURE_LEARNING, changes)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("culture") / "run"
    drive(begun(folder))
    return folder


@pytest.mark.parametrize("lasts", [1, 3, 7])
def test_an_interrupted_run_ends_in_the_same_bytes(lasts: int, complete: Path, tmp_path: Path) -> None:
    assert drive_with_breaks(begun(tmp_path / "other"), tmp_path / "other", lasts) > 0
    agreement = compare_bytes(complete, tmp_path / "other")
    assert agreement.complete, agreement.differing
    assert "culture.csv" in agreement.same


def test_a_run_leaves_values_that_play_its_curve_and_a_report(complete: Path) -> None:
    knowledge = read_knowledge(complete / "best.xml", MACHINE.sheet)
    assert knowledge.values is not None
    assert knowledge.values.n_weights > 0
    assert len((complete / "culture.csv").read_text().splitlines()) == 3
    shown = CliRunner().invoke(app, ["inspect", str(complete)], env={"COLUMNS": "100"}).output
    assert "Learning curve" in shown
    assert "6 individuals of each role" in shown
    assert "report.html" in {path.name for path in complete.iterdir()}


def test_the_number_of_shards_changes_no_weight(complete: Path, tmp_path: Path) -> None:
    changed = {"culture": {**CHANGES["culture"], "shards": 5}}
    drive(begun(tmp_path / "other", changed))
    whole, parts = (read_knowledge(folder / "best.xml", MACHINE.sheet) for folder in (complete, tmp_path / "other"))
    assert whole.values == parts.values


@pytest.mark.parametrize("change", [{"": {"seed": 2}}, *({"culture": {part: False}} for part in (
    "differences", "coevolution", "ants", "beliefs"
))])  # fmt: skip
def test_another_seed_and_every_part_that_is_switched_off_change_what_is_learned(
    change: dict[str, dict[str, Any]],
) -> None:
    culture = {**CHANGES["culture"], **change.get("culture", {})}
    assert learned({**CHANGES, **change, "culture": culture}) != learned(CHANGES)


def answer(request: object, *, wins: bool = True, prepared: PreparedGame = PREPARED) -> Result:
    """Return the result of a request; forages are played, and player 1 wins or loses every match."""
    match request:
        case PlayForage():
            parts = [forage_shard(prepared, request.shape, request.colony, ants) for ants in request.shards]
            return ForageResult(join_foraged(parts), map_features(layout_for(prepared.machine(), request.shape)))
        case NameValues():
            named = {f"weight {place}": float(weight) for place, weight in enumerate(request.weights) if weight}
            return NamedValues(Values((), True, "", (), (), str(named)))
        case PlayMatches():
            goals = {
                each.id: [100 if (player == 1) == wins else 0 for player in each.seats] for each in request.matches
            }
            return MatchResults(goals, {each.name: 1.0 for each in request.entrants})
        case Validate():
            return Validation(request.entrant.name, Score(1), Rating(0.0, 1.0))
    return None


def learner(changes: dict[str, dict[str, Any]] = CHANGES, state: CultureState | None = None) -> CultureLearner:
    return CultureLearner(CULTURE_LEARNING.read_config("quick", changes), MAKER, state)


def learned(changes: dict[str, dict[str, Any]]) -> list[bytes]:
    """Return the weights that become knowledge, step by step."""
    learning, found = learner(changes), []
    while (request := learning.ask()) is not None:
        if isinstance(request, NameValues):
            found.append(request.weights.tobytes())
        learning.tell(answer(request))
    return found


def test_every_step_forages_names_measures_and_ends_and_the_best_is_validated() -> None:
    learning, names = learner(), []
    while (request := learning.ask()) is not None:
        assert type(request) is type(learning.ask())
        names.append(type(request).__name__)
        learning.tell(answer(request))
    step = [*["PlayForage"] * 3, "NameValues", "PlayMatches", "EndStep"]
    assert names == [*step, *step, "Validate"]


def test_the_best_stays_until_it_is_beaten() -> None:
    learning = learner({"culture": {**CHANGES["culture"], "steps": 3}})
    while (request := learning.ask()) is not None:
        learning.tell(answer(request, wins=False))
    best = learning.knowledge()
    assert best is not None
    assert best.name == "s001"


def reader(members: Sequence[Entrant]) -> Callable[[int, str], Knowledge]:
    known = {member.name: member.knowledge for member in members}
    return lambda step, name: known[name]


def test_a_learner_goes_on_from_its_packed_state() -> None:
    changes = {"culture": {**CHANGES["culture"], "steps": 4}}
    halves, found = learner(changes), []
    while (request := halves.ask()) is not None:
        stood = halves.state
        if isinstance(request, NameValues):
            found.append(request.weights.tobytes())
        halves.tell(answer(request))
        if halves.state is not stood:
            halves = learner(changes, unpack_state(halves.state.pack(), reader(halves.members)))
    assert found == learned(changes)


def test_a_result_of_another_request_is_refused() -> None:
    with pytest.raises(ValueError, match="MatchResults is no result of PlayForage"):
        learner().tell(MatchResults({}, {}))


def test_species_meet_opponents_of_other_roles_and_learn_their_own_weights() -> None:
    request = learner().ask()
    assert isinstance(request, PlayForage)
    seats = np.concatenate([ants.seats for ants in request.shards])
    assert seats.shape == (12, 5, 2)
    assert set(seats[:, :, 0].ravel()) <= set(range(6))
    assert set(seats[:, :, 1].ravel()) <= set(range(6, 12))
    found = answer(request)
    assert isinstance(found, ForageResult)
    for player, weights in enumerate(found.foraged.learned.weights):
        assert (weights[found.features.owners != player // 6] == 0).all()
        assert weights.any()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("shapes = ['ring 4']", "shape 'ring 4': give 'line 2' to 'line 6'"),
        ("stages = [5, 3]", "ascending order"),
        ("stages = [5]\nlevels = true", "remove stages"),
        ("fittest = 0.6", "fittest"),
        ("rule = 'odd'", "rule"),
        ("persistence = 1.0", "persistence"),
        ("pheromone = 2", "pheromone"),
    ],
)
def test_impossible_settings_are_refused_with_their_place(line: str, said: str, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text(f"[culture]\n{line}\n")
    with pytest.raises(ConfigError, match=r"mine\.toml(:\d+)?: ") as error:
        CULTURE_LEARNING.read_config(str(config), {})
    assert said in str(error.value)


@pytest.mark.parametrize("game", ["pebbles", "pennies", "three"])
def test_games_of_one_role_three_roles_and_simultaneous_moves_are_learned(game: str) -> None:
    machine = machine_of(game)
    prepared = PreparedGame(machine.sheet, machine.circuit)
    learning = CultureLearner(
        CULTURE_LEARNING.read_config("quick", CHANGES),
        KnowledgeMaker(game, machine.sheet.digest, machine.sheet.roles, Provenance("test", 0, 1, "1")),
    )
    named: list[NDArray[np.float32]] = []
    while (request := learning.ask()) is not None:
        if isinstance(request, NameValues):
            named.append(request.weights)
        learning.tell(answer(request, prepared=prepared))
    assert len(named) == 2
    assert named[0].any()
    assert (named[0] != named[1]).any()


def test_a_run_cannot_start_from_a_file(complete: Path) -> None:
    with pytest.raises(ConfigError, match=r"--with culture: .*leave --start out"):
        read_start(complete / "best.xml", MACHINE, CULTURE_LEARNING)
