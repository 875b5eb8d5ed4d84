"""Matches in which somebody is no player of batches: through links, one after the other, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import Clocks
from gdl_miner.agent.referee.players import new_client
from gdl_miner.agent.search.records import NO_MOVE
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.pairing import MatchRequest
from lab.opponents.processors import SideProcessors
from lab.opponents.seated_match import play_seated
from lab.opponents.seats import KeptOpponent, MatchSeat, SeatedOpponent
from lab.opponents.series import random_opening
from lab.opponents.servers import OwnReferee


class LinkedMatches:
    """It plays matches of a game without chance, each between players behind links."""

    def __init__(
        self,
        machine: Machine,
        players: Mapping[int, SeatedOpponent],
        clocks: Clocks,
        processors: SideProcessors,
        folder: Path,
    ) -> None:
        """Take the game, the players by number, and the folder that gets a folder with logs for each match."""
        self._machine = machine
        self._players = players
        self._clocks = clocks
        self._processors = processors
        self._folder = folder
        self._remarks: dict[str, Mapping[str, Any]] = {}

    def __call__(self, matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        """Play matches and return the goals of every role by match id. Raises EngineError where a player fails."""
        return {match.id: asyncio.run(self._match(match)) for match in matches}

    def remarks(self, name: str) -> Mapping[str, Any]:
        """Return what is to be known of a match beside its goals: faults, and how busy the machine was."""
        return self._remarks.get(name, {})

    def close(self) -> None:
        """End the players that were kept from match to match."""
        for player in self._players.values():
            if isinstance(player, KeptOpponent):
                player.close()

    async def _match(self, match: MatchRequest) -> list[int]:
        machine = self._machine
        opening = random_opening(machine, match.opening_plies, match.seed)
        folder = self._folder / f"{match.id}-{match.seed}"
        folder.mkdir(parents=True, exist_ok=True)
        async with new_client() as client:
            seated = []
            for role, number in enumerate(match.seats):
                processor = self._processors[number == match.seats[0]]
                (folder / str(role)).mkdir(exist_ok=True)
                log = folder / str(role) / "player.log"
                seat = MatchSeat(len(opening), processor, log, derive_seed(match.seed, "role", role))
                seated.append(self._players[number].seated(seat, client))
            found = await play_seated(machine, seated, opening, OwnReferee(), self._clocks, match.id, match.seed)
        faults = [{"move": fault.move, "role": fault.role, "what": fault.what} for fault in found.faults]
        self._remarks[match.id] = {
            "plies": len(found.joints),
            "faults": faults,
            "other_load": round(found.other_load, 3),
        }
        return [NO_MOVE if goal is None else goal for goal in found.goals]
