import numpy as np
import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import select_matches
from gdl_miner.agent.search.uct import search_positions
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.mine import mine
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.mining.training_data import choose_training_positions, search_training_positions
from gdl_miner.miner.play.prepared_game import PreparedGame
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
    positions = choose_training_positions(record, machine, 7, 1)
    movers = [max(range(2), key=lambda role: len(machine.legal(each.state)[role])) for each in positions]
    assert [movers.count(role) for role in (0, 1)] == [7, 7]
    assert len({position.id for position in positions}) == 14


def test_the_positions_of_a_match_do_not_depend_on_what_it_is_recorded_with(game: PreparedGame, record) -> None:
    every = len(record.states)
    together = {position.id: position for position in choose_training_positions(record, game.machine(), every, 1)}
    alone = choose_training_positions(select_matches(record, ["m3"]), game.machine(), every, 1)
    assert alone
    for position in alone:
        assert together[position.id].seed == position.seed
        assert np.array_equal(together[position.id].joint, position.joint)


def test_a_searched_position_holds_the_visits_of_its_search_after_its_last_move(game: PreparedGame, record) -> None:
    machine = game.machine()
    positions = choose_training_positions(record, machine, 5, 2)
    searched = search_training_positions(game, TEACHER, positions)
    for role in (0, 1):
        choices = RoleRecord(searched, machine, role).root_choices()
        assert len(choices.step) == 5
        for number, step in enumerate(choices.step.tolist()):
            position = positions[int(searched.match_of_step()[step])]
            assert np.array_equal(searched.states[step], position.state)
            assert np.array_equal(searched.last_rows()[step], position.joint)
            (results,) = search_positions(
                machine, [position.state], TEACHER, [position.seed], last_rows=[position.joint]
            )
            (own,) = [each for each in results if each.role == role]
            places = slice(choices.start[number], choices.start[number + 1])
            assert choices.row[places].tolist() == own.rows.tolist()
            assert choices.share[places] == pytest.approx(own.visits / 40)


def test_searching_in_parts_gives_the_same_visits(game: PreparedGame, record) -> None:
    positions = choose_training_positions(record, game.machine(), 8, 2)
    whole = search_training_positions(game, TEACHER, positions)
    parts = [search_training_positions(game, TEACHER, positions[number::3]) for number in range(3)]
    for number, part in enumerate(parts):
        assert part == select_matches(whole, [position.id for position in positions[number::3]])


def test_weights_are_fitted_to_training_positions_and_phi_comes_from_the_matches(game: PreparedGame) -> None:
    machine = game.machine()
    played = random_record(machine, 80, 5, lambda move: 9.0 if "1 2" in move else 1.0)
    taught = random_record(machine, 80, 6, lambda move: 9.0 if "2 2" in move else 1.0)
    config = MiningConfig(symmetries=(), classes=("FeatureAbsMove",), max_q=1.0)
    from_matches, from_positions = (
        mine([played], machine, config, seed=1, positions=positions) for positions in (None, [taught])
    )

    def weight(mined, move: str) -> float:
        return next(each.weight for each in mined.features[0] if each.feature.move == move)

    assert weight(from_matches, "(mark 1 2 x)") > 1 > weight(from_matches, "(mark 2 2 x)")
    assert weight(from_positions, "(mark 2 2 x)") > 1 > weight(from_positions, "(mark 1 2 x)")
    phis = [{each.feature: each.phi for each in mined.features[0]} for mined in (from_matches, from_positions)]
    assert phis[0] == phis[1]
    assert from_positions.decisions == from_matches.decisions


def test_every_generation_needs_its_training_positions(game: PreparedGame, record) -> None:
    with pytest.raises(ValueError, match="one of each"):
        mine([record, record], game.machine(), seed=1, positions=[record])
