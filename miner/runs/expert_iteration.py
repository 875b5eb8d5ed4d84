"""A run's expert iteration: self-play of the expert, and the learning of the apprentice."""

from __future__ import annotations

import time

import numpy as np

from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.values import PlayedGames
from gdl_miner.miner.apprentice import Experience, TrainedPolicy, find_atoms, train_policy
from gdl_miner.miner.learners.requests import ExpertGames, FindAtoms, FoundAtoms, PlayExpert, TrainPolicy
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.executor import Task
from gdl_miner.miner.play.match_tasks import play_short_batch
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.context import RunContext

__all__ = ["ExpertIteration"]


class ExpertIteration:
    """The expert iteration of one run. An interruption loses only the matches and the learning in progress."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._shared_mining = run.executor.share(run.settings.mining)

    def find_atoms(self, request: FindAtoms) -> FoundAtoms:
        """Find the features that the apprentice begins with."""
        self._run.reporter.working("looking for the features of legal moves")
        task = Task(f"g{request.step:03d}-atoms", request)
        [(_, found)] = self._run.executor.run(_find_atoms, (self._run.shared_game, self._shared_mining), [task])
        return found

    def play(self, request: PlayExpert) -> ExpertGames:
        """Play the matches that are not kept from before an interruption; the experience is in their order."""
        begun, run = time.monotonic(), self._run
        search = run.settings.search
        expert = PlayerSpec(playouts=request.playouts, max_states=search.max_states, draws_moves=True)
        player = expert.with_knowledge(request.knowledge, run.game.machine())
        work = run.kept_tasks(
            f"g{request.step:03d}-self{request.number:04d}", request.matches, run.settings.execution.matches_per_task
        )
        run.reporter.playing(request.title, len(request.matches), len(work.known))
        shared = (run.shared_game, run.executor.share((player,)), run.executor.share(request.move_limit))
        for record in work.run(run.executor, play_short_batch, shared):
            run.reporter.played(len(record.ids))
        record = work.record([match.id for match in request.matches])
        played, seconds = ~np.isin(np.array(record.ids), work.known), time.monotonic() - begun
        run.write_time(
            StepPart(request.step, "self-play", request.number),
            int(played.sum()),
            int(record.playouts[played].sum()),
            seconds,
        )
        machine = run.game.machine()
        sharing = sharing_of(machine, run.settings.mining.symmetries)
        games = PlayedGames.of(record, geometry_of(machine).row_role)
        return ExpertGames(Experience.of(record, machine, sharing), games)

    def train(self, request: TrainPolicy) -> TrainedPolicy:
        """Let the apprentice learn and grow, in a task of its own."""
        begun = time.monotonic()
        shared = (self._run.shared_game, self._shared_mining)
        task = Task(f"g{request.step:03d}-train{request.number:04d}", request)
        [(_, trained)] = self._run.executor.run(_train, shared, [task])
        self._run.write_time(StepPart(request.step, "training", request.number), None, None, time.monotonic() - begun)
        return trained


def _find_atoms(game: PreparedGame, mining: MiningConfig, request: FindAtoms) -> FoundAtoms:
    machine = game.machine()
    return FoundAtoms(find_atoms(machine, sharing_of(machine, mining.symmetries), request.reach, request.seed))


def _train(game: PreparedGame, mining: MiningConfig, request: TrainPolicy) -> TrainedPolicy:
    machine = game.machine()
    return train_policy(
        machine,
        sharing_of(machine, mining.symmetries),
        request.policy,
        request.experience,
        request.new,
        request.training,
    )
