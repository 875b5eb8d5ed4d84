import numpy as np

from gdl_miner.agent.features import Enumeration, PatternShape


def test_a_ray_is_the_centre_and_the_fields_on_one_side() -> None:
    kept = PatternShape(2, "ray", (-1, 1)).kept(2).reshape(5, 5)
    assert sorted(zip(*np.nonzero(kept), strict=True)) == [(0, 4), (1, 3), (2, 2)]


def test_a_board_of_two_dimensions_has_eight_rays_and_one_of_three_none() -> None:
    asked = Enumeration(ray_length=3)
    rays = [shape for shape in asked.shapes_for(2) if shape.kind == "ray"]
    assert len({shape.direction for shape in rays}) == len(rays) == 8
    assert asked.shapes_for(3) == asked.shapes == Enumeration(ray_length=0).shapes_for(2)
