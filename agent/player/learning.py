"""Learning of a player without a knowledge file: training games, and a trial of what they have taught."""

from __future__ import annotations

import time
from typing import NamedTuple

from agent.knowledge import Parameters
from agent.player.trial import Trial, try_values
from agent.reasoner.machine import Machine
from agent.search.uct import SeatedPlayer
from agent.training import TimedTraining

__all__ = ["Learning", "Lesson"]

TRIAL_SHARE = 0.15  # of the time for learning that goes to the trial


class Lesson(NamedTuple):
    """The result of a player's learning."""

    games: int  # training games so far; 0 if there was no time for any
    trial: Trial | None  # of what they have taught; None if there was no time for one

    @property
    def used(self) -> bool:
        """Whether the player uses what it has learned."""
        return self.games > 0 and (self.trial is None or self.trial.passed)


class Learning:
    """The learning of one player. One thread may use it at a time, but any may call `stop`."""

    def __init__(self, machine: Machine, plain: SeatedPlayer, taught: Parameters, seed: int, threads: int) -> None:
        """Prepare to learn for a player that searches as `plain` says, and with the parameters `taught` later."""
        self._machine = machine
        self._plain = plain
        self._taught = taught
        self._seed = seed
        self._training = TimedTraining(machine, seed=seed, threads=threads)

    def learn(self, seconds: float) -> tuple[Lesson, SeatedPlayer]:
        """Learn for so many seconds; return the result, and how the player searches from now on."""
        end = time.perf_counter() + seconds
        self._training.train(seconds * (1 - TRIAL_SHARE))
        games, values = self._training.games, self._training.values()
        if values is None:
            return Lesson(games, None), self._plain
        taught = self._plain._replace(parameters=self._taught, values=values)
        trial = None
        if len(self._machine.circuit.choosing_roles) > 1 and not self._training.stopped:
            left, length = end - time.perf_counter(), self._training.moves / games
            trial = try_values(self._machine, taught, self._plain, length=length, seconds=left, seed=self._seed)
        lesson = Lesson(games, trial)
        return lesson, taught if lesson.used else self._plain

    def stop(self) -> None:
        """Let `learn` return soon, now and ever after."""
        self._training.stop()
