"""The tasks of expert iteration: first features, self-play of the expert, and the learning of the apprentice."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from gdl_miner.agent.features import Feature
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.learners.expert_iteration.atoms import find_atoms
from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.learners.expert_iteration.policy import SoftmaxPolicy
from gdl_miner.miner.learners.expert_iteration.training import PolicyTraining, TrainedPolicy, train_policy
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.sharing import sharing_of
from gdl_miner.miner.play.executor import WorkerTask
from gdl_miner.miner.play.match_tasks import play_short_batch
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.run import Run


@dataclass(frozen=True, eq=False)
class ExpertGames:
    """The result of matches of a player against itself."""

    experience: Experience
    moves: int  # joint moves of all matches
    broken_off: int  # matches that the move limit ended


def find_first_features(run: Run, step: int, reach: int, seed: int) -> tuple[tuple[Feature, ...], ...]:
    """Find the features [role] that an apprentice begins with; see `find_atoms`."""
    run.reporter.working("looking for the features of legal moves")
    piece = WorkerTask(f"g{step:03d}-atoms", (reach, seed))
    [features] = run.on_workers(_find_atoms, (run.settings.mining,), [piece])
    return features


def play_expert(
    run: Run,
    step: int,
    number: int,
    title: str,
    knowledge: Knowledge,
    playouts: int,
    move_limit: int,
    matches: tuple[MatchRequest, ...],
) -> ExpertGames:
    """Play matches of a player against itself, whose moves are drawn by the visits of its searches.

    Args:
        run: the run.
        step: the step.
        number: of this round within the step, from 0.
        title: shown to people while the matches are played.
        knowledge: of the player.
        playouts: per move.
        move_limit: joint moves after which a match is broken off; 0: no limit.
        matches: the matches; those that were played before an interruption are not played again.
    """
    begun, machine = time.monotonic(), run.machine
    expert = PlayerSpec(playouts=playouts, max_states=run.settings.search.max_states, draws_moves=True)
    player = expert.with_knowledge(knowledge, machine)
    work = run.kept_tasks(f"g{step:03d}-self{number:04d}", matches, run.settings.execution.matches_per_task)
    run.reporter.playing(title, len(matches), len(work.known))
    shared = (run.shared_game, run.executor.share((player,)), run.executor.share(move_limit))
    for record in work.run(run.executor, play_short_batch, shared):
        run.reporter.played(len(record.ids), len(record.moves) - len(record.ids))
    record = work.record([match.id for match in matches])
    played, seconds = ~np.isin(np.array(record.ids), work.known), time.monotonic() - begun
    played_playouts = int(record.playouts[played].sum())
    run.write_time(StepPart(step, "self-play", number), int(played.sum()), played_playouts, seconds)
    return ExpertGames(
        Experience.of(record, machine, sharing_of(machine, run.settings.mining.symmetries)),
        moves=len(record.states) - len(matches),
        broken_off=int((record.goals < 0).any(axis=1).sum()),
    )


def learn_policy(
    run: Run,
    step: int,
    number: int,
    policy: SoftmaxPolicy,
    experience: Experience,
    new: int,
    training: PolicyTraining,
) -> TrainedPolicy:
    """Let an apprentice learn from experience and grow, on a worker; see `train_policy`.

    Args:
        run: the run.
        step: the step.
        number: of this round within the step, from 0.
        policy: the apprentice.
        experience: all that is remembered.
        new: examples, the latest of the experience, from which it has not learned yet.
        training: how it learns and grows.
    """
    begun = time.monotonic()
    piece = WorkerTask(f"g{step:03d}-train{number:04d}", (policy, experience, new, training))
    [trained] = run.on_workers(_train, (run.settings.mining,), [piece])
    run.write_time(StepPart(step, "training", number), None, None, time.monotonic() - begun)
    return trained


def _find_atoms(game: PreparedGame, mining: MiningConfig, asked: tuple[int, int]) -> tuple[tuple[Feature, ...], ...]:
    machine = game.machine()
    return find_atoms(machine, sharing_of(machine, mining.symmetries), *asked)


def _train(
    game: PreparedGame, mining: MiningConfig, asked: tuple[SoftmaxPolicy, Experience, int, PolicyTraining]
) -> TrainedPolicy:
    machine = game.machine()
    return train_policy(machine, sharing_of(machine, mining.symmetries), *asked)
