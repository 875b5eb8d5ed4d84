"""MAST draws moves by their mean goals over the whole tree."""

from tests.search.picks import PICKS, mean_goal


def test_moves_that_did_well_are_made_again_in_playouts_and_only_in_as_many_moves_as_allowed():
    uniform, first, all_through = (
        mean_goal(PICKS),
        mean_goal(PICKS, mast_temperature=5.0, playout_moves=2),
        mean_goal(PICKS, mast_temperature=5.0),
    )
    assert uniform + 1 < first < all_through - 2


def test_a_high_temperature_is_nearly_uniform():
    assert abs(mean_goal(PICKS, mast_temperature=1e6, playout_moves=0) - mean_goal(PICKS)) < 5
