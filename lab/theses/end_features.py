"""Tables 5.1 to 5.7 of Kirci's thesis (2010): what features from the ends of games do against UCT without them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features.native_tables import KnowledgeTables
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.knowledge.scoring import Phase
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.learners.gifl.features import GiflFeatures
from gdl_miner.miner.learners.gifl.knowledge import FeatureWeights, weighted_features
from gdl_miner.miner.learners.gifl.trees import GameSpan, GiflSettings, TreeSettings, learn_shard, study_shard
from gdl_miner.miner.play.cost_model import equal_playouts
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.scoring import measure_time_ratio, score_players
from lab.options import Games, Matches, SeedOption, report_progress
from lab.tables import Column, Row, StudyTable, game_column
from lab.theses.kirci import KirciGame, kirci_games

_LEVELS = 3
_STUDY_GAMES = 100
_LEVEL_FACTOR, _TEMPERATURE = 0.9, 0.5  # C and tau
_LENGTHS = 256  # playouts whose length is measured
_ACCESS = ((0.0, "nothing"), (0.5, "half"), (1.0, "all"))


@dataclass(frozen=True)
class _Measurement:
    """What is measured, and how long."""

    games: int  # random games to learn from
    matches: int
    playouts: int | None  # per move of UCT; None: those of the thesis
    wins_first: bool
    trees: TreeSettings
    seed: int


class _LearnedGame:
    """A game with the features learned from it."""

    def __init__(self, game: KirciGame, sheet: Path, settings: _Measurement) -> None:
        self.game = game
        self.settings = settings
        self._sheet = sheet
        self.seconds = 0.0  # of learning

    @cached_property
    def machine(self) -> Machine:
        return load_machine(str(self._sheet))

    @cached_property
    def learned(self) -> GiflFeatures:
        prepared = PreparedGame(self.machine.sheet, self.machine.circuit)
        learning = GiflSettings(self.settings.seed, _STUDY_GAMES, self.settings.trees)
        nature = study_shard(prepared, learning)
        begun = time.process_time()
        found = learn_shard(prepared, learning, nature, GameSpan(0, self.settings.games))
        self.seconds = time.process_time() - begun
        return found

    @property
    def playouts(self) -> int:
        return self.settings.playouts or self.game.playouts

    def bare(self) -> PlayerSpec:
        return PlayerSpec(playouts=self.playouts)

    def player(self, opponent_knowledge: float = 0.5) -> PlayerSpec:
        return self._knowing(self.bare(), self.learned, opponent_knowledge)

    @property
    def _weights(self) -> FeatureWeights:
        return FeatureWeights(_LEVEL_FACTOR, _TEMPERATURE, self.settings.wins_first)

    def _knowing(self, player: PlayerSpec, learned: GiflFeatures, opponent_knowledge: float) -> PlayerSpec:
        """Return the player with features, which the opponent in playouts knows in part."""
        parameters = Parameters(
            scoring="exponential",
            first_feature=True,
            features_in_selection=False,
            opponent_knowledge=opponent_knowledge,
        )
        roles = self.machine.roles
        winning = weighted_features(learned.levels, len(roles), self._weights)
        sheet = self.machine.sheet
        knowledge = Knowledge(sheet.name, sheet.digest, roles, winning, ((),) * len(roles), parameters)
        return player.with_knowledge(knowledge, self.machine)


def end_features(
    sheets: Annotated[Path, typer.Argument(help="The folder of the rule sheets.", metavar="FOLDER")],
    game: Games = None,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", "-t", help="5.1 to 5.7; give it again for more.", show_default="all"),
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Random games to learn from.")] = 500,
    matches: Matches = 200,
    playouts: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of UCT.", show_default="Kirci's"),
    ] = None,
    wins_first: Annotated[
        bool, typer.Option("--wins-first", help="Prefer moves that win to those that keep the opponent from it.")
    ] = False,
    win_ends: Annotated[
        bool, typer.Option("--win-ends", help="Want moves before the end to win, not to lead to terminal facts.")
    ] = False,
    seed: SeedOption = 1,
) -> Iterator[StudyTable]:
    """Tables 5.1 to 5.7 of Kirci's thesis: features from the ends of games, against UCT without.

    5.1 counts features, 5.2 has both sides play with as many playouts, 5.3 and 5.4 compare the number and the length of
    playouts, 5.6 (with 5.5) gives both sides as much time, and 5.7 lets the opponent know nothing, half of the features
    or all of them. Sheets that FOLDER lacks are left out. [b]--win-ends[/b] turns on what the thesis leaves to future
    work.
    """
    settings = _Measurement(games, matches, playouts, wins_first, TreeSettings(_LEVELS, win_ends=win_ends), seed)
    known = kirci_games(game, sheets)
    unknown = [name for name in table or () if name not in _TABLES]
    if unknown:
        raise ConfigError(f"table {unknown[0]} is not measured; give one of {', '.join(_TABLES)}")
    learned = [_LearnedGame(each, sheet, settings) for each, sheet in known]
    for name in table or _TABLES:
        title, columns, measure = _TABLES[name]

        def rows(name: str = name, measure: Callable[[_LearnedGame], Row] = measure) -> Iterator[Row]:
            for each in learned:
                report_progress(f"table {name}: {each.game.sheet}")
                yield {"game": each.game.sheet, **measure(each)}

        yield StudyTable((game_column(22), *columns), rows(), f"{name}: {title}")


def _count(each: _LearnedGame) -> Row:
    found = each.learned
    return {
        "games": found.counts.games,
        "theirs": f"{each.game.offensive} + {each.game.defensive}",
        "ours": f"{found.count('offensive')} + {found.count('defensive')}",
        "seconds": each.seconds,
        "variants": found.counts.variants,
        "variants_per_s": found.counts.variants / each.seconds,
    }


def _at_equal_playouts(each: _LearnedGame) -> Row:
    score = _scored(each, each.player())
    theirs = each.game.equal_playouts
    return {"playouts": each.playouts, "theirs": theirs, **score, "features": len(each.learned.levels)}


def _scored(each: _LearnedGame, player: PlayerSpec) -> Row:
    settings = each.settings
    score = score_players(each.machine, player, each.bare(), settings.matches, settings.seed, lambda _: None).score
    low, high = score.ci95
    return {"matches": score.matches, "ours": score.win_percent, "ci95": f"{low:.1f}–{high:.1f}", "draws": score.draws}


def _time_ratio(each: _LearnedGame) -> float:
    return measure_time_ratio(each.machine, each.player(), each.bare(), each.settings.seed)


def _number_of_playouts(each: _LearnedGame) -> Row:
    return {"theirs": each.game.playouts_ratio, "ours": 100 / _time_ratio(each)}


def _length_of_playouts(each: _LearnedGame) -> Row:
    seed = each.settings.seed
    bare, knowing = (mean_playout_length(each.machine, spec, seed) for spec in (None, each.player().tables))
    return {"theirs": each.game.length_ratio, "bare": bare, "knowing": knowing, "ours": 100 * knowing / bare}


def _at_equal_time(each: _LearnedGame) -> Row:
    playouts = equal_playouts(each.playouts, _time_ratio(each))
    scored = _scored(each, replace(each.player(), playouts=playouts))
    return {"playouts": playouts, "of_uct": each.playouts, "theirs": each.game.equal_time, **scored}


def _by_opponent(each: _LearnedGame) -> Row:
    row: dict[str, object] = {"playouts": each.playouts, "matches": each.settings.matches}
    for (share, name), theirs in zip(_ACCESS, each.game.opponents, strict=True):
        row[f"theirs_{name}"] = theirs
        row[f"ours_{name}"] = _scored(each, each.player(share))["ours"]
    return row


def mean_playout_length(machine: Machine, tables: KnowledgeTables | None, seed: int, playouts: int = _LENGTHS) -> float:
    """Return the mean number of joint moves of playouts in which knowledge draws all moves of all roles.

    Without tables the moves are uniformly random. The playouts go on side by side, a move of each at a time.
    """
    batch, dice = _native.StateBatch(machine.native), random.Random(seed)
    scorer = None if tables is None else _native.Scorer(tables)
    states = np.repeat(np.asarray(machine.initial(), np.uint64)[None, :], playouts, axis=0)
    last = np.full((playouts, len(machine.roles)), -1, np.int32)
    moves = 0
    while len(states):
        going = batch.terminal(states) == 0
        states, last = states[going], last[going]
        if not len(states):
            break
        start, rows = batch.legal(states)
        joints = np.empty_like(last)
        for role in range(len(machine.roles)):
            own = (rows >= machine.rows(role).start) & (rows < machine.rows(role).stop)
            bounds = np.concatenate([[0], np.cumsum(own)])[start]
            weights = np.ones(int(bounds[-1]), np.uint32)
            if scorer is not None and scorer.acts_in(Phase.PLAYOUT, role):
                weights = scorer.score(Phase.PLAYOUT, role, states, last, bounds.astype(np.int64), rows[own])
            joints[:, role] = _drawn(rows[own], weights, bounds, dice)
        states, last, moves = batch.next(states, joints), joints, moves + len(states)
    return moves / playouts


def _drawn(rows: np.ndarray, weights: np.ndarray, bounds: np.ndarray, dice: random.Random) -> list[int]:
    """Return a row of each state, drawn in proportion to its weight."""
    found = []
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        found.append(dice.choices(rows[first:last].tolist(), weights[first:last].tolist())[0])
    return found


_PERCENT = ".1f"
_SCORE = (
    Column("theirs", "theirs %", 8, _PERCENT),
    Column("ours", "ours %", 8, _PERCENT),
    Column("ci95", "95 %", 10),
    Column("draws", "draws", 5),
    Column("matches", "matches", 7),
)
# StudyTable 5.5 has three of the rows of 5.6.
_TABLES: dict[str, tuple[str, Sequence[Column], Callable[[_LearnedGame], Row]]] = {
    "5.1": (
        "offensive and defensive features; theirs from two minutes",
        (
            Column("games", "games", 6),
            Column("theirs", "theirs", 12),
            Column("ours", "ours", 12),
            Column("seconds", "seconds", 8, ".2f"),
            Column("variants", "variants", 11),
            Column("variants_per_s", "per second", 11),
        ),
        _count,
    ),
    "5.2": (
        "points at equal playouts",
        (
            Column("playouts", "playouts", 8),
            *_SCORE,
            Column("features", "features", 8),
        ),
        _at_equal_playouts,
    ),
    "5.3": (
        "playouts in the same time, in % of those of UCT",
        (Column("theirs", "theirs", 8), Column("ours", "ours", 8, _PERCENT)),
        _number_of_playouts,
    ),
    "5.4": (
        "length of playouts, in % of that of UCT",
        (
            Column("theirs", "theirs", 8),
            Column("ours", "ours", 8, _PERCENT),
            Column("bare", "uniform", 8, _PERCENT),
            Column("knowing", "by features", 11, _PERCENT),
        ),
        _length_of_playouts,
    ),
    "5.6": (
        "points at equal time",
        (Column("playouts", "playouts", 8), Column("of_uct", "of UCT", 8), *_SCORE),
        _at_equal_time,
    ),
    "5.7": (
        "points by what the opponent is taken to know; theirs at equal time, ours at equal playouts",
        (
            Column("playouts", "playouts", 8),
            Column("matches", "matches", 7),
            *(
                Column(f"{whose}_{name}", f"{whose} {name}", 14, _PERCENT)
                for _, name in _ACCESS
                for whose in ("theirs", "ours")
            ),
        ),
        _by_opponent,
    ),
}
