"""Tables 5.1 to 5.7 of Kirci's thesis (2010): what features from the ends of games do against UCT without them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.gifl import GameSpan, GiflFeatures, GiflSettings, TreeSettings, learn_shard, study_shard
from gdl_miner.miner.learners.gifl.config import GiflConfig
from gdl_miner.miner.learners.gifl.knowledge import FeatureWeights, acting_features, weighted_features
from gdl_miner.miner.learners.settings import read_settings
from gdl_miner.miner.mining.gifl_refinement import poor_features, score_features
from gdl_miner.miner.mining.gifl_scores import GainSettings, join_gains, score_shard
from gdl_miner.miner.play.cost_model import equal_playouts
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.scoring import measure_time_ratio, score_players
from lab.tables import CellValue, Column
from lab.theses.kirci import KirciGame
from lab.theses.playout_lengths import mean_playout_length

__all__ = ["LEVELS", "TABLES", "Measurement", "tables"]

TABLES = ("5.1", "5.2", "5.3", "5.4", "5.6", "5.7")  # 5.5 has three of the rows of 5.6
LEVELS = 3
_STUDY_GAMES = 100
_LEVEL_FACTOR, _TEMPERATURE = 0.9, 0.5  # C and tau
_ACCESS = ((0.0, "nothing"), (0.5, "half"), (1.0, "all"))

Row = dict[str, CellValue]


@dataclass(frozen=True)
class Measurement:
    """What is measured, and how long."""

    games: int  # random games to learn from
    matches: int
    playouts: int | None  # per move of UCT; None: those of the thesis
    wins_first: bool
    trees: TreeSettings
    scoring_matches: int  # in which features are scored, so that the poor are dropped; 0: none
    seed: int


class _LearnedGame:
    """A game with the features learned from it."""

    def __init__(self, game: KirciGame, sheet: Path, settings: Measurement) -> None:
        self.game = game
        self.settings = settings
        self._sheet = sheet
        self.seconds = 0.0  # of learning
        self.dropped = 0  # features that were poor

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
        kept = self._without_poor(prepared, found) if self.settings.scoring_matches else found
        self.dropped = len(found.levels) - len(kept.levels)
        return kept

    def _without_poor(self, prepared: PreparedGame, found: GiflFeatures) -> GiflFeatures:
        """Return the features without those that are poor by the measure of the default configuration."""
        default = read_settings(GiflConfig, "default").gifl
        settings, features = self.settings, acting_features(found.levels, self._weights)
        player = self._knowing(PlayerSpec(playouts=default.scoring_playouts, draws_moves=True), found, 0.5)
        judge = GainSettings(settings.seed, default.judging_playouts, default.uct_c)
        gains = join_gains([score_shard(prepared, player, judge, features, GameSpan(0, settings.scoring_matches))])
        return found.without(poor_features(score_features(gains, len(features)), default.false_drops).tolist())

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
        winning, losing = weighted_features(learned.levels, len(roles), self._weights)
        sheet = self.machine.sheet
        knowledge = Knowledge(sheet.name, sheet.digest, roles, winning, losing, parameters)
        return player.with_knowledge(knowledge, self.machine)


def tables(
    games: Iterable[tuple[KirciGame, Path]],
    wanted: Sequence[str] | None,
    settings: Measurement,
    progress: Callable[[str], None],
) -> Iterator[tuple[str, Sequence[Column], Iterator[Row]]]:
    """Yield a title, columns and rows for each table.

    Raises ConfigError for a table that is not measured.
    """
    unknown = [name for name in wanted or () if name not in TABLES]
    if unknown:
        raise ConfigError(f"table {unknown[0]} is not measured; give one of {', '.join(TABLES)}")
    learned = [_LearnedGame(game, sheet, settings) for game, sheet in games]
    for name in wanted or TABLES:
        title, columns, measure = _TABLES[name]

        def rows(name: str = name, measure: Callable[[_LearnedGame], Row] = measure) -> Iterator[Row]:
            for each in learned:
                progress(f"table {name}: {each.game.sheet}")
                yield {"game": each.game.sheet, **measure(each)}

        yield f"{name}: {title}", (Column("game", "game", 22), *columns), rows()


def _count(each: _LearnedGame) -> Row:
    found = each.learned
    return {
        "games": found.counts.games,
        "theirs": f"{each.game.offensive} + {each.game.defensive}",
        "ours": f"{found.count('offensive')} + {found.count('defensive')}",
        "losing": found.count("losing"),
        "dropped": each.dropped,
        "seconds": each.seconds,
        "variants": found.counts.variants,
        "variants_per_s": found.counts.variants / each.seconds,
    }


def _at_equal_playouts(each: _LearnedGame) -> Row:
    score = _scored(each, each.player())
    counts = {"features": len(each.learned.levels), "dropped": each.dropped}
    return {"playouts": each.playouts, "theirs": each.game.equal_playouts, **score, **counts}


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
    row: Row = {"playouts": each.playouts, "matches": each.settings.matches}
    for (share, name), theirs in zip(_ACCESS, each.game.opponents, strict=True):
        row[f"theirs_{name}"] = theirs
        row[f"ours_{name}"] = _scored(each, each.player(share))["ours"]
    return row


_PERCENT = ".1f"
_SCORE = (
    Column("theirs", "theirs %", 8, _PERCENT),
    Column("ours", "ours %", 8, _PERCENT),
    Column("ci95", "95 %", 10),
    Column("draws", "draws", 5),
    Column("matches", "matches", 7),
)
_TABLES: dict[str, tuple[str, Sequence[Column], Callable[[_LearnedGame], Row]]] = {
    "5.1": (
        "offensive and defensive features; theirs from two minutes",
        (
            Column("games", "games", 6),
            Column("theirs", "theirs", 12),
            Column("ours", "ours", 12),
            Column("losing", "losing", 6),
            Column("dropped", "dropped", 7),
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
            Column("dropped", "dropped", 7),
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
