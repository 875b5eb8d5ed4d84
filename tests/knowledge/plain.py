"""Knowledge that consists of what a test names, and of nothing else."""

from collections.abc import Iterable
from typing import Any

from gdl_miner.agent.features import WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, Parameters

Lists = Iterable[Iterable[WeightedFeature]]


def knowledge_of(
    game: Any, winning: Lists = (), losing: Lists = (), parameters: Parameters | None = None, **parts: Any
) -> Knowledge:
    """Return knowledge of a machine or a rule sheet; a list has the features of the first roles, others have none."""
    sheet = getattr(game, "sheet", game)

    def of_roles(lists: Lists) -> tuple[tuple[WeightedFeature, ...], ...]:
        given = tuple(map(tuple, lists))
        return given + ((),) * (len(sheet.roles) - len(given))

    made = (sheet.name, sheet.digest, sheet.roles, of_roles(winning), of_roles(losing))
    return Knowledge(*made, parameters or Parameters(), **parts)
