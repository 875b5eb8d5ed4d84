"""Learning of a player: training games, trials of what they have taught, and of the knowledge file it may have."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from dataclasses import replace
from typing import NamedTuple

from gdl_miner.agent import _native
from gdl_miner.agent.player.trial import Contestant, Trial, compare_values, leaves_time, meet, try_against
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import (
    LearnedWeights,
    RoundSettings,
    ShapeChoice,
    ValueLayout,
    Values,
    ValueShape,
    layout_for,
    train_round,
    value_function,
    values_of,
)

TRIAL_SHARE = 0.15  # share of the time for learning that goes to each trial
MOST_PLAYOUTS = 256  # largest number of playouts for a move in trials of what was learned
ALONE_SHARE = 0.5  # share of the time of such a trial for values alone; the rest is for their match with mixed ones
LEAST_TRUSTED = 32  # playouts for a move of the opponent in such a trial from which values are trusted alone
LEAST_FOR_ANY = 64  # the same, from which searches of any length may trust them
FAR_AHEAD = 0.8  # share of the goals against mixed values with which searches of any length trust values alone
HOLDS_FOR = 10  # times as long searches in which values are trusted that are ahead by less
MOST_PLAYOUTS_OF_FILES = 1000  # the same in trials of knowledge files
LEAST_OF_FILES = 0.5  # share of the goals that a knowledge file must have in its trial
DOUBLED = 1.8  # factor by which the training games must have grown for their values to be compared again
GROWTH = 2 / 3  # share of the goals that newer values must have against older ones for learning to go on
GAMES_PER_COMPARED = 250  # training games for each match between values, which takes as long as some five games
MOST_COMPARED = 400  # largest number of matches between values
LEAST_COMPARED = 40  # smallest number of matches between values; learning goes on until there are games for them
NETWORK_STAGES = (1 / 12, 1 / 6, 1 / 3)  # shares of half the time for games, after which two networks meet
NETWORK_WIN = 0.75  # share of the goals that the usual network must have each time to take the place of the large one
MOST_OF_NETWORKS = 100  # largest number of matches between the networks, one for each training game of the usual one
SLICE_S = 0.25  # seconds of learning in the background before it looks whether to end
_NO_LIMIT = 1 << 40  # games
_ROUND_S = 1.0  # after which training can be stopped
_LEAST_ROUND_S = 0.05
_LAYING_OUT = threading.Lock()  # one network at a time, because the next one finds cells of the goals again


class TimedTraining:
    """The training of one player. One thread may use it at a time, but any may call `stop`.

    The network is laid out in a thread of its own: where a game needs long for this, training begins later.
    """

    _clock = staticmethod(time.perf_counter)

    def __init__(self, machine: Machine, choice: ShapeChoice = "large", *, seed: int = 0, threads: int = 1) -> None:
        """Begin to lay out the network of a game; moves of training games are valued by so many threads."""
        self.choice: ShapeChoice = choice
        self.games = 0  # training games so far
        self.moves = 0  # joint moves in these games
        self._seed = seed
        self._threads = threads
        self._rounds = 0
        self._learned: LearnedWeights | None = None
        self._stopped = threading.Event()
        self._layout: Future[ValueLayout] = Future()
        threading.Thread(target=self._lay_out, args=(machine,), name="layout", daemon=True).start()

    def train(self, seconds: float) -> None:
        """Play training games for so many seconds. Raises ConfigError where the game has no network."""
        end = self._clock() + seconds
        while not self._layout.done():
            if self._clock() >= end or self._stopped.is_set():
                return
            wait([self._layout], timeout=min(_LEAST_ROUND_S, seconds))
        layout = self._layout.result()
        while (left := end - self._clock()) > _LEAST_ROUND_S and not self._stopped.is_set():
            self._train_round(layout, min(left, _ROUND_S))

    def has_network_of(self, other: TimedTraining) -> bool:
        """Whether both networks are laid out, and have the same tuples."""
        if not (self._layout.done() and other._layout.done()):
            return False
        return self._layout.result().tuples == other._layout.result().tuples

    def values(self) -> _native.ValueFunction | None:
        """Return what the games have taught; None if there were none."""
        if self._learned is None:
            return None
        return value_function(self._layout.result(), self._learned.weights)

    def named_values(self) -> Values | None:
        """Return the same by name, as knowledge files have it."""
        return None if self._learned is None else values_of(self._layout.result(), self._learned.weights)

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Let `train` return after the present round at the latest, now and ever after."""
        self._stopped.set()

    def _train_round(self, layout: ValueLayout, seconds: float) -> None:
        self._rounds += 1
        settings = RoundSettings(
            games=_NO_LIMIT,
            seed=derive_seed(self._seed, "training", self._rounds),
            exploration=0.05,
            opening=4,
            move_limit=500,
            step=16.0,
            trace=0.8,
            seconds=seconds,
            threads=self._threads,
        )
        learned, totals = train_round(layout, self._learned or LearnedWeights.new(layout), settings)
        if totals.games:
            self._learned = learned
            self.games += totals.games
            self.moves += totals.moves

    def _lay_out(self, machine: Machine) -> None:
        try:
            with _LAYING_OUT:
                layout = layout_for(machine, ValueShape(self.choice))
            self._layout.set_result(layout)
        except BaseException as error:  # passed on to the thread that trains
            self._layout.set_exception(error)


class Lesson(NamedTuple):
    """The result of a player's learning."""

    games: int  # training games so far; 0 if there was no time for any
    trial: Trial | None  # the trial of the values; None if there was no time for one
    file_trial: Trial | None = None  # that of the knowledge file against what was learned, if it helps; None as above
    file_used: bool = False  # whether the player goes on with its knowledge file
    network: ShapeChoice = "large"  # the network that has learned

    @property
    def used(self) -> bool:
        """Whether the player uses what it has learned."""
        return self.games > 0 and not self.file_used and (self.trial is None or self.trial.passed)


class _Stand(NamedTuple):
    """The values of states after some number of training games."""

    games: int
    values: _native.ValueFunction


class Learning:
    """The learning of one player. One thread may use it at a time, but any may call `stop`."""

    def __init__(
        self,
        machine: Machine,
        plain: PlayerSpec,
        taught: PlayerSpec,
        mixed: PlayerSpec,
        seed: int,
        threads: int,
        known: Contestant | None = None,
    ) -> None:
        """Prepare to learn for a player that searches as `plain` says.

        It searches with values as `taught` says, or as `mixed` says if a trial was too short to trust them alone.
        `known` is the player with its knowledge file, if it has one.
        """
        self._machine = machine
        self._has_opponents = len(machine.circuit.choosing_roles) > 1  # without them there are no matches
        self._plain = plain
        self._taught = taught
        self._mixed = mixed
        self._known = known
        self._seed = seed
        self._large = TimedTraining(machine, "large", seed=seed, threads=threads)
        self._rival = TimedTraining(machine, "auto", seed=seed, threads=threads)  # of the usual network
        self._training = self._large  # the one that goes on
        self._compared: _Stand | None = None  # the older values in the next comparison
        self._better: _Stand | None = None  # better values from the background that the player does not use yet
        self._used = False  # whether the player uses what it has learned
        self._use = mixed  # how it searches with that
        self._grows = True
        self._background: threading.Thread | None = None
        self._over = threading.Event()  # whether learning in the background is to end

    @property
    def pays(self) -> bool:
        """Whether the player uses what it has learned, and the last doubling of its games made that much better."""
        return self._used and self._grows

    def learn(self, seconds: float) -> tuple[Lesson, PlayerSpec]:
        """Learn for so many seconds; return the result, and how the player searches from now on.

        What was learned is mixed with playouts if there was no time for a trial of `LEAST_TRUSTED` playouts a move. In
        amazons such values lose every match of ten thousand playouts alone, and half of them mixed. Where there was, it
        meets the same values mixed with playouts, and is trusted alone as `_settle_use` says.

        A player goes on with its knowledge file unless this loses against what was learned, or, where that does not
        help, against a search without knowledge.
        """
        end = time.perf_counter() + seconds
        self.rest()
        n_trials = 1 if self._known is None else 2
        half = seconds * (1 - n_trials * TRIAL_SHARE) / 2
        self._train_first(half, seconds * TRIAL_SHARE)
        self._compared = self._compared or self._stand()
        self._training.train(half)
        stand = self._stand()
        if stand is None:
            return Lesson(0, None, file_used=self._known is not None), self._usual
        if self._doubled:
            self._judge(stand)
        length = self._training.moves / stand.games
        seconds = (end - time.perf_counter()) / n_trials
        alone = Contestant(replace(self._taught, values=stand.values))
        trial = self._tried(alone, self._plain, length, ALONE_SHARE * seconds, MOST_PLAYOUTS)
        trial = self._settle_use(stand, alone, trial)
        taught = self._seat(stand)
        lesson = Lesson(stand.games, trial, network=self._training.choice)
        if self._known is not None:
            own = taught if trial is not None and trial.passed else self._plain
            seconds = end - time.perf_counter()
            against = self._tried(self._known, own, length, seconds, MOST_PLAYOUTS_OF_FILES)
            kept = against is None or against.share >= LEAST_OF_FILES
            lesson = lesson._replace(file_trial=against, file_used=kept)
        self._used, self._better = lesson.used, None
        return lesson, taught if lesson.used else self._usual if lesson.file_used else self._plain

    def _settle_use(self, stand: _Stand, alone: Contestant, trial: Trial | None) -> Trial | None:
        """Settle how searches use values after their trial alone; return the trial by which they are used or not.

        Values that win only a few matches more than the same values mixed with playouts do so in searches that are not
        much longer than those of the trial; longer ones mix them. If values alone fail, mixed ones are tried.
        """
        self._use = self._mixed if self._has_opponents else self._taught
        if trial is None or trial.playouts < LEAST_TRUSTED or self._training.stopped:
            return trial
        given = self._taught.parameters
        if given.trusted_playouts or given == self._mixed.parameters:
            self._use = self._taught
            return trial
        mixed = Contestant(replace(self._mixed, values=stand.values))
        if not trial.passed:
            second = meet(self._machine, mixed, Contestant(self._plain), playouts=trial.playouts, seed=self._seed)
            return second if second.passed else trial
        share = meet(self._machine, alone, mixed, playouts=trial.playouts, seed=self._seed).share
        if share >= FAR_AHEAD and trial.playouts >= LEAST_FOR_ANY:
            self._use = self._taught
        elif share > 0.5:
            limited = replace(given, trusted_playouts=HOLDS_FOR * max(trial.playouts, trial.own_playouts))
            self._use = replace(self._mixed, parameters=limited)
        return trial

    def study(self) -> None:
        """Learn in the background until `pause`, as far as it pays."""
        last = self._background
        if self.pays and (last is None or not last.is_alive() or self._over.is_set()):
            self._over = over = threading.Event()
            self._background = threading.Thread(target=self._go_on, args=(over, last), name="study")
            self._background.start()

    def pause(self) -> tuple[int, PlayerSpec] | None:
        """End learning in the background, which takes a moment and is not waited for.

        Return the training games so far and how the player searches with what they have taught; None if that is as
        before.
        """
        self._over.set()
        better, self._better = self._better, None
        return None if better is None else (better.games, self._seat(better))

    def rest(self) -> None:
        """End learning in the background, and wait for it."""
        self._over.set()
        if self._background is not None:
            self._background.join()

    def stop(self) -> None:
        """Let `learn` return soon, and end learning in the background, now and ever after."""
        self._large.stop()
        self._rival.stop()

    def _train_first(self, seconds: float, trial_seconds: float) -> None:
        """Train for so many seconds, in a first lesson both networks while the usual one is far ahead.

        It goes on alone if it is far ahead after the last stage, or if the game is slow, and the large one otherwise.
        """
        end = time.perf_counter() + seconds
        if self._has_opponents and self._compared is None and self._rival_wins(seconds, trial_seconds):
            self._training = self._rival
        self._training.train(end - time.perf_counter())

    def _rival_wins(self, seconds: float, trial_seconds: float) -> bool:
        """Train both networks from stage to stage; return whether the usual one was far ahead after each.

        A stage in which it has played too few games does not count, but the last one has to. In a slow game the usual
        network goes on after the first stage.
        """
        before = 0.0
        for share in NETWORK_STAGES:
            for training in (self._large, self._rival):
                training.train(seconds * (share - before))
            if self._rival.has_network_of(self._large):
                return False
            if before == 0 and self._is_slow(trial_seconds):
                return True
            before = share
            if self._rival.games >= LEAST_COMPARED and not self._rival_is_far_ahead():
                return False
        return self._rival.games >= LEAST_COMPARED

    def _is_slow(self, trial_seconds: float) -> bool:
        """Return whether matches of the game take too long for any trial.

        There is time for some thousand training games then, which do not teach a large network enough.
        """
        if not self._rival.games:
            return False
        length = self._rival.moves / self._rival.games
        return not leaves_time(self._machine, self._plain, length=length, seconds=trial_seconds)

    def _rival_is_far_ahead(self) -> bool:
        newer, older = self._rival.values(), self._large.values()
        if newer is None or older is None:  # a network without a game is behind
            return newer is not None
        matches = min(MOST_OF_NETWORKS, self._rival.games)
        return compare_values(self._machine, newer, older, matches=matches, seed=self._seed) >= NETWORK_WIN

    def _go_on(self, over: threading.Event, last: threading.Thread | None) -> None:
        if last is not None:
            last.join()
        while self._grows and not (over.is_set() or self._training.stopped) and threading.main_thread().is_alive():
            self._training.train(SLICE_S)
            if self._doubled and (stand := self._stand()) is not None and self._judge(stand):
                self._better = stand

    @property
    def _usual(self) -> PlayerSpec:
        """How the player searches before it has learned."""
        return self._plain if self._known is None else self._known.seat

    def _tried(
        self,
        tried: Contestant,
        opponent: PlayerSpec,
        length: float,
        seconds: float,
        most_playouts: int,
    ) -> Trial | None:
        """Return the result of a trial; None where only one role chooses, learning was stopped, or time is short."""
        if not self._has_opponents or self._training.stopped:
            return None
        return try_against(
            self._machine,
            tried,
            Contestant(opponent),
            length=length,
            seconds=seconds,
            seed=self._seed,
            most_playouts=most_playouts,
        )

    @property
    def _doubled(self) -> bool:
        """Whether there are enough new training games for another comparison."""
        return self._compared is None or self._training.games >= DOUBLED * self._compared.games

    def _judge(self, stand: _Stand) -> bool:
        """Compare values with the older ones, and find out whether learning still grows.

        Return whether the newer values are better. They count as better where there are no matches, or too few games
        for them.
        """
        older, self._compared = self._compared, stand
        matches = min(MOST_COMPARED, stand.games // GAMES_PER_COMPARED)
        if older is None or matches < LEAST_COMPARED or not self._has_opponents:
            return True
        share = compare_values(self._machine, stand.values, older.values, matches=matches, seed=self._seed)
        self._grows = share >= GROWTH
        return share > 0.5

    def _stand(self) -> _Stand | None:
        values = self._training.values()
        return None if values is None else _Stand(self._training.games, values)

    def _seat(self, stand: _Stand) -> PlayerSpec:
        """Return how the player searches with values."""
        return replace(self._use, values=stand.values)
