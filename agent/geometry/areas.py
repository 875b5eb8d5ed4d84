"""Board areas: hypercubes of fields that share features (thesis 4.2.3)."""

from gdl_miner.agent.geometry.geometry import Geometry
from gdl_miner.agent.geometry.symmetry import Symmetry

__all__ = ["area_image", "area_misfit", "in_area", "points_in_area"]


def in_area(point: tuple[int, ...], corner: tuple[float, ...], size: int) -> bool:
    """Whether a point lies in an area; an area does not contain its upper borders (thesis 4.2.3)."""
    return len(point) == len(corner) and all(low <= x < low + size for x, low in zip(point, corner, strict=True))


def points_in_area(geometry: Geometry, corner: tuple[float, ...], size: int) -> list[int]:
    """Indices of the fields in an area."""
    return [index for point, index in geometry.point_index.items() if in_area(point, corner, size)]


def area_image(corner: tuple[float, ...], size: int, symmetry: Symmetry) -> tuple[float, ...]:
    """Return the lowest corner of the image of an area."""
    lowest = (
        (symmetry.coordinate(dimension, corner[axis]), symmetry.coordinate(dimension, corner[axis] + size - 1))
        for dimension, axis in enumerate(symmetry.axes)
    )
    return tuple(map(min, lowest))


def area_misfit(geometry: Geometry, corner: tuple[float, ...], size: int, piece: str | None) -> str | None:
    """Return the reason why an area or a piece cannot belong to a board, None if both can."""
    if len(corner) != geometry.dimensions:
        return f"<AreaDimensions> has {len(corner)} numbers on a board of {geometry.dimensions} dimensions; match them"
    if size < 1 or not points_in_area(geometry, corner, size):
        shown = " ".join(f"{x:g}" for x in corner)
        return f"no field lies in the area of size {size} at {shown}; give its lowest corner"
    if piece is not None and piece not in geometry.piece_code:
        return f"the board has no piece {piece}; write one of {', '.join(geometry.pieces)}"
    return None
