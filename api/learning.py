"""Learning of knowledge: by a clock, or by a run of a learning method."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.extras import check_extra
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.player.learning import TimedTraining
from gdl_miner.agent.player.player import SELF_TAUGHT
from gdl_miner.api.game import GameLike, game_of

_BY_CLOCK = "values"


def learn(
    game: GameLike,
    method: str = _BY_CLOCK,
    *,
    seconds: float | None = None,
    config: str | None = None,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    folder: str | os.PathLike[str] | None = None,
    or_resume: bool = False,
    threads: int = 1,
    seed: int = 0,
    show: bool = False,
) -> Knowledge:
    """Learn knowledge of a game by self-play.

    With `seconds`, values of states are learned for so long by temporal differences, and nothing is measured:
    `score` tells what they are worth. Without, this is a run of `miner learn` in this process, which takes as long as
    its configuration says, measures its players and returns the best; it is the same whenever it is repeated. What it
    returns is empty where nothing that was learned helps.

    Args:
        game: the game, or what `load` takes.
        method: a learning method of `miner learn`: values, evolution, culture, expert-iteration, gifl, or one of
            another package.
        seconds: wall-clock time, for values alone; the result then depends on the speed of the machine.
        config: a configuration of the run (`quick` by default), or the path of a TOML file.
        changes: sections of the configuration, with the values that are to differ.
        folder: a new or empty folder for the run, with its tables and report; by default one that is removed.
        or_resume: continue the run that `folder` may hold, where it was broken off: one call for every start. The
            result is that of a run that was not disturbed; a complete one gives what it found.
        threads: training games are played by so many threads, with `seconds`.
        seed: of all random choices.
        show: report the progress of a run on the standard error stream.

    Raises:
        ConfigError: there is no such method or configuration, it does not fit the game, or the folder holds the run of
            another game, configuration or seed, or one that another process works on. A run needs the extra
            `learn`, and draws pictures in its folder where the extra `plots` is installed.
    """
    game = game_of(game)
    if or_resume and folder is None:
        raise ConfigError("or_resume needs the folder of the run that may be there; give folder")
    if seconds is None:
        check_extra("learn", "gdl_miner.learn")
        from gdl_miner.api.learning_run import learn_by_run  # here, because its libraries come with an extra

        return learn_by_run(
            game, method, config or "quick", changes or {}, folder, seed, or_resume=or_resume, show=show
        )
    if method != _BY_CLOCK or config is not None or changes is not None or folder is not None:
        raise ConfigError("only values are learned by a clock, and without a run; leave seconds out, or all but it")
    if not seconds > 0 or threads < 1:
        raise ConfigError("learning needs more than 0 seconds and at least one thread")
    training = TimedTraining(game.machine, "auto", seed=seed, threads=threads)
    training.train(seconds)
    values, roles = training.named_values(), game.machine.roles
    if values is None:
        raise ConfigError(f"{game.name}: {seconds:g} s are not enough for a training game; give more")
    nothing = ((),) * len(roles)
    sheet = game.machine.sheet
    return Knowledge(sheet.name, sheet.digest, roles, nothing, nothing, SELF_TAUGHT, values=values)
