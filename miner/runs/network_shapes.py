"""The shapes of tuples that fit the game of a run, from which an evolution of value networks makes networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.values import (
    ValueShape,
    chosen_shapes,
    layout_for,
    playable_weights,
    read_shape,
    shares_sides,
    tells_playable,
)
from gdl_miner.miner.runs.run import Run

_ON_BOARDS = (
    "goals",
    *(f"line {length}" for length in range(2, 7)),
    *("block 2x2", "block 2x3"),
    *(f"rules {cells}" for cells in range(2, 5)),
)
_TEXTS = (
    *_ON_BOARDS,
    *(f"{shape} anywhere" for shape in _ON_BOARDS),
    *(f"walks {number}x{length}" for number in (20, 40, 80, 160) for length in range(4, 9)),
    *(f"facts {groups}" for groups in range(2, 4)),
    "costs",
)


@dataclass(frozen=True)
class KnownShapes:
    """Shapes of tuples that a game has, by their texts."""

    n_weights: Mapping[str, int]  # of a network with this shape alone
    auto: tuple[str, ...]  # what the choice `auto` stands for in this game
    large: tuple[str, ...]


def known_shapes(run: Run, step: int, stages: tuple[int, ...], symmetries: bool, most_weights: int) -> KnownShapes:
    """Return the shapes that fit the game, each with at most so many weights.

    Where contents tell who may move to empty cells, shapes of cells come a second time with them (`playable`). Where
    both sides to move share weights, all of these come once more with weights of each side (`each side`).

    Args:
        run: the run.
        step: the step.
        stages: of the networks.
        symmetries: whether weights are shared over the symmetries of the board.
        most_weights: of a shape alone.
    """
    run.reporter.working("shapes of tuples that fit the game")
    auto, large = (
        tuple(map(str, chosen_shapes(run.machine, ValueShape(choice, stages, symmetries))))
        for choice in ("auto", "large")
    )
    found: dict[str, int] = {}
    tells, shares = tells_playable(run.machine), shares_sides(run.machine, symmetries)
    for text in dict.fromkeys((*auto, *large, *_TEXTS)):
        try:
            layout = layout_for(run.machine, ValueShape((read_shape(text),), stages, symmetries))
        except ConfigError:  # the game has no such tuples, or too many weights
            continue
        sizes = {text: layout.n_weights}
        if not layout.groups and not layout.costs:
            sizes |= {f"{text} playable": playable_weights(layout)} if tells else {}
            facts = sum(len(part.facts) for part in layout.parts)
            sizes |= {f"{of} each side": 2 * size - facts for of, size in sizes.items()} if shares else {}
        usual = text in auto or text in large
        found |= {of: size for of, size in sizes.items() if size <= most_weights or (usual and of == text)}
    return KnownShapes(found, auto, large)
