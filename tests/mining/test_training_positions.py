import numpy as np
import pytest

from agent.reasoner.machine import load_machine
from agent.search.player import PlayerSpec
from agent.search.records import select_matches
from agent.search.uct import search_positions
from miner.mining.config import MiningConfig
from miner.mining.mine import mine
from miner.mining.role_record import RoleRecord
from miner.mining.training_positions import choose_lessons, study_batch
from miner.play.prepared_game import PreparedGame
from tests.mining.playouts import random_record

TEACHER = PlayerSpec(playouts=40)


@pytest.fixture(scope="module")
def game() -> PreparedGame:
    machine = load_machine("tictactoe.ext")
    return PreparedGame(machine.sheet, machine.circuit)


@pytest.fixture(scope="module")
def record(game: PreparedGame):
    return random_record(game.machine(), 30, 5)


def test_every_role_gets_its_positions_and_no_more(game: PreparedGame, record) -> None:
    machine = game.machine()
    lessons = choose_lessons(record, machine, 7, 1)
    movers = [max(range(2), key=lambda role: len(machine.legal(each.state)[role])) for each in lessons]
    assert [movers.count(role) for role in (0, 1)] == [7, 7]
    assert len({lesson.id for lesson in lessons}) == 14


def test_the_lessons_of_a_match_do_not_depend_on_what_it_is_recorded_with(game: PreparedGame, record) -> None:
    every = len(record.states)
    together = {lesson.id: lesson for lesson in choose_lessons(record, game.machine(), every, 1)}
    alone = choose_lessons(select_matches(record, ["m3"]), game.machine(), every, 1)
    assert alone
    for lesson in alone:
        assert together[lesson.id].seed == lesson.seed
        assert np.array_equal(together[lesson.id].joint, lesson.joint)


def test_a_studied_lesson_holds_the_visits_of_its_search_after_its_last_move(game: PreparedGame, record) -> None:
    machine = game.machine()
    lessons = choose_lessons(record, machine, 5, 2)
    studied = study_batch(game, TEACHER, lessons)
    for role in (0, 1):
        choices = RoleRecord(studied, machine, role).root_choices()
        assert len(choices.step) == 5
        for number, step in enumerate(choices.step.tolist()):
            lesson = lessons[int(studied.match_of_step()[step])]
            assert np.array_equal(studied.states[step], lesson.state)
            assert np.array_equal(studied.last_rows()[step], lesson.joint)
            results = search_positions(machine, [lesson.state], TEACHER, [lesson.seed], last_rows=[lesson.joint])[0]
            (own,) = [each for each in results if each.role == role]
            places = slice(choices.start[number], choices.start[number + 1])
            assert choices.row[places].tolist() == own.rows.tolist()
            assert choices.share[places] == pytest.approx(own.visits / 40)


def test_studying_in_parts_gives_the_same_visits(game: PreparedGame, record) -> None:
    lessons = choose_lessons(record, game.machine(), 8, 2)
    whole = study_batch(game, TEACHER, lessons)
    parts = [study_batch(game, TEACHER, lessons[number::3]) for number in range(3)]
    for number, part in enumerate(parts):
        assert part == select_matches(whole, [lesson.id for lesson in lessons[number::3]])


def test_weights_are_fitted_to_lessons_and_phi_comes_from_the_matches(game: PreparedGame) -> None:
    machine = game.machine()
    played = random_record(machine, 80, 5, lambda move: 9.0 if "1 2" in move else 1.0)
    taught = random_record(machine, 80, 6, lambda move: 9.0 if "2 2" in move else 1.0)
    config = MiningConfig(classes=("FeatureAbsMove",), max_q=1.0)
    from_matches, from_lessons = (
        mine([played], machine, config, seed=1, positions=positions) for positions in (None, [taught])
    )

    def weight(mined, move: str) -> float:
        return next(each.weight for each in mined.features[0] if each.feature.move == move)

    assert weight(from_matches, "(mark 1 2 x)") > 1 > weight(from_matches, "(mark 2 2 x)")
    assert weight(from_lessons, "(mark 2 2 x)") > 1 > weight(from_lessons, "(mark 1 2 x)")
    phis = [{each.feature: each.phi for each in mined.features[0]} for mined in (from_matches, from_lessons)]
    assert phis[0] == phis[1]
    assert from_lessons.decisions == from_matches.decisions


def test_every_generation_needs_its_lessons(game: PreparedGame, record) -> None:
    with pytest.raises(ValueError, match="one of each"):
        mine([record, record], game.machine(), seed=1, positions=[record])
