"""A run's matches against the baseline, bare UCT: they tune it, measure entrants and validate the champion."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.cost_model import equal_playouts
from gdl_miner.miner.play.executor import Executor, Shared, WorkerTask
from gdl_miner.miner.play.match_tasks import (
    FEWEST_PLAYED_OUT,
    fewest_of_task,
    goals_of,
    play_batch,
    play_unmined_batch,
    plays_out,
)
from gdl_miner.miner.play.pairing import MatchRequest, make_pair
from gdl_miner.miner.play.prepared_game import PreparedGame, PreparedPlayer, prepare_player
from gdl_miner.miner.play.rating import Score, rate
from gdl_miner.miner.play.tuning import Tuning
from gdl_miner.miner.results.shapes import TuningShape
from gdl_miner.miner.results.store import TUNING
from gdl_miner.miner.results.tables import StepPart, match_rows
from gdl_miner.miner.runs.entrant import Entrant, Validation
from gdl_miner.miner.runs.records import StepRecords
from gdl_miner.miner.runs.settings import SearchSettings

if TYPE_CHECKING:
    from gdl_miner.miner.runs.run import Run


@dataclass(frozen=True)
class Depth:
    """How many times the playouts of a run players have, as far as there is time."""

    times: float = 1.0
    seconds: float = math.inf  # most predicted seconds of one processor; at least the playouts of the run are played


@dataclass(frozen=True)
class MatchResults:
    """The results of matches."""

    goals: Mapping[str, Sequence[int]]  # by match id: [seat] 0..100, -1 where the rules give none
    work_ratio: Mapping[str, float]  # by entrant: cost of its playout divided by that of the baseline's playout


_AS_EVER = Depth()


def play_matches(
    run: Run,
    step: int,
    phase: str,
    round_number: int,
    title: str,
    entrants: tuple[Entrant, ...],
    matches: tuple[MatchRequest, ...],
    with_random: bool = False,
    depth: Depth = _AS_EVER,
) -> MatchResults:
    """Play matches, and keep their record until the end of the step.

    Player 0 of the matches is the baseline, and player i is entrant i - 1. Without entrants nobody has knowledge, and
    the baseline plays against itself.

    Args:
        run: the run.
        step: the step that the matches belong to.
        phase: the name of the phase in matches.csv.
        round_number: the number of the round within the step, from 0; no other matches of the step have it.
        title: shown to people while the matches are played.
        entrants: the players with knowledge.
        matches: the matches.
        with_random: whether there is one more player, the last, whose moves are drawn at random.
        depth: of the searches.
    """
    baseline = run.service(BaselineMatches).affordable(depth, len(matches))
    record = baseline.play(StepPart(step, phase, round_number), title, entrants, matches, with_random=with_random)
    run.service(StepRecords).keep_round(step, round_number, record)
    return MatchResults(baseline.goals_of(record), baseline.players.work_ratios(entrants))


def validate(run: Run, step: int, entrant: Entrant, matches: int) -> Validation:
    """Measure an entrant against the baseline in fresh matches, in whole pairs, and write champion.json.

    `matches` is the least number of matches. Where the entrant does not win more than half of the points, best.xml
    becomes empty.
    """
    validation = run.service(BaselineMatches).validate(step, entrant, matches)
    if not validation.helps:
        run.store.write_empty_best(entrant.knowledge.emptied(), run.game.sheet)
    run.draw()
    run.reporter.validated(validation)
    return validation


class BaselineMatches:
    """The matches of one run; matches that were played before an interruption are not played again."""

    def __init__(self, run: Run, search: SearchSettings | None = None) -> None:
        """Begin with nothing played; `search` stands for the settings of the run's configuration."""
        self._run = run
        self._search = run.settings.search if search is None else search
        self._shared_players: tuple[tuple[str, ...], Shared] | None = None
        self.players = Players(run.game, self._search)

    def deeper(self, times: float) -> BaselineMatches:
        """Return the matches of this run with so many times the playouts, against the same baseline."""
        matches = BaselineMatches(self._run, self._search.deeper(times))
        matches.players.tune(self.players.uct_c)
        return matches

    def affordable(self, depth: Depth, matches: float) -> BaselineMatches:
        """Return the matches of this run with the playouts for which there is time if there are so many matches."""
        times = min(depth.times, depth.seconds / self.players.seconds(matches)) if depth.times > 1 else 1.0
        return self.deeper(times) if times > 1 else self

    def tune(self) -> None:
        """Find the UCB1 constant of the baseline, or take the constant that was found before an interruption."""
        search = self._search
        if search.uct_c != "tuned":
            return
        found = self._run.store.read_json(TUNING, TuningShape)
        if found is None:
            self._run.reporter.working("tuning bare UCT")
            seed, begun = derive_seed(self._run.settings.seed, "tuning"), time.monotonic()
            tuning = Tuning(self._run.roles, search.tuning_matches, seed)
            players = tuning.players(search.baseline_playouts, search.expansions, search.max_states)
            shared = (self._run.shared_game, self._run.executor.share(players))
            matches, playouts = 0, 0
            while asked := tuning.ask():
                record, _ = self._matches(f"tuning-m{matches:05d}", asked, shared, unmined=True)
                tuning.tell(self.goals_of(record))
                matches, playouts = matches + len(asked), playouts + int(record.playouts.sum())
            self._run.write_time(StepPart(0, "tuning", None), matches, playouts, time.monotonic() - begun)
            found = tuning.as_json()
            self._run.store.write_json(TUNING, found)
        self.players.tune(found["uct_c"])
        self._run.reporter.note(f"bare UCT plays with a constant of {found['uct_c']:g}")

    def validate(self, step: int, entrant: Entrant, least: int) -> Validation:
        """Measure an entrant in fresh matches, in whole pairs, and write champion.json."""
        pairs = [
            make_pair(
                f"v-p{number:05d}", 1, derive_seed(self._run.settings.seed, "validation", number), self._run.roles
            )
            for number in range(-(-least // max(2, self._run.roles)))
        ]
        matches = [match for pair in pairs for match in pair.matches]
        part = StepPart(step, "validation", 0)
        record = self.play(part, "validation of the champion", (entrant,), matches, unmined=True)
        score, goals = Score(), self.goals_of(record)
        for pair in pairs:
            score += pair.score(goals)
        rating = rate(score)
        validation = Validation(entrant.name, score, rating)
        self._write_champion(entrant, validation)
        return validation

    def _write_champion(self, champion: Entrant, validation: Validation) -> None:
        score, rating, search = validation.score, validation.rating, self._search
        self._run.store.write_json(
            "champion.json",
            {
                "individual": champion.name,
                "helps": validation.helps,
                "win_percent": round(score.win_percent, 6),
                "ci95": [round(end, 6) for end in score.ci95],
                "elo": rating.elo,
                "elo_se": rating.se,
                "roles": self._run.roles,
                "n": score.matches,
                "wins": score.wins,
                "losses": score.losses,
                "draws": score.draws,
                "playouts": self.players.playouts(champion),
                "baseline_playouts": search.baseline_playouts,
                "baseline_uct_c": self.players.uct_c,
                "work_ratio": round(self.players.work_ratio(champion), 6),
                "handicap": search.handicap,
            },
        )

    def play(
        self,
        part: StepPart,
        title: str,
        entrants: Sequence[Entrant],
        matches: Sequence[MatchRequest],
        *,
        with_random: bool = False,
        unmined: bool = False,
    ) -> MatchBatchRecord:
        """Play the matches that are not kept from before an interruption, and write a row for every match.

        Returns one record of all matches, in their order. Where they are `unmined`, only the first of them have the
        visits of their searches, because these may be written for people.
        """
        begun = time.monotonic()
        shared = (self._run.shared_game, self._shared_entrants(entrants, with_random=with_random))
        name, fewest = f"g{part.step:03d}-r{part.round}", _fewest(entrants, matches)
        record, kept = self._matches(name, matches, shared, title, unmined=unmined, fewest=fewest)
        seconds = time.monotonic() - begun
        names = ("baseline", *(entrant.name for entrant in entrants), *(("random",) if with_random else ()))
        self._run.store.matches.append(match_rows(part, names, matches, record, self.goals_of(record)))
        played = ~np.isin(np.array(record.ids), kept)
        self._run.write_time(part, int(played.sum()), int(record.playouts[played].sum()), seconds)
        return record

    def goals_of(self, record: MatchBatchRecord) -> dict[str, list[int]]:
        """Return the goals of the roles that have players, by match id."""
        return goals_of(record, self._run.choosing_roles)

    def _matches(
        self,
        name: str,
        matches: Sequence[MatchRequest],
        shared: Sequence[Shared],
        title: str | None = None,
        *,
        unmined: bool = False,
        fewest: int = FEWEST_PLAYED_OUT,
    ) -> tuple[MatchBatchRecord, tuple[str, ...]]:
        """Return the record of the matches and the ids of those that were kept from before an interruption.

        The progress of the matches is reported if there is a title.
        """
        work = self._run.kept_tasks(name, matches, self._run.settings.execution.matches_per_task, fewest)
        if title is not None:
            self._run.reporter.playing(title, len(matches), len(work.known))
        play: Callable[..., MatchBatchRecord] = play_batch
        if unmined:
            written = matches[: self._run.settings.records.matches_written]
            kept = frozenset(match.id for match in written)
            play, shared = play_unmined_batch, (*shared, self._run.executor.share(kept))
        for record in work.run(self._run.executor, play, shared):
            if title is not None:
                self._run.reporter.played(len(record.ids), len(record.moves) - len(record.ids))
        return work.record([match.id for match in matches]), work.known

    def _shared_entrants(self, entrants: Sequence[Entrant], *, with_random: bool) -> Shared:
        """Share the baseline, the entrants and perhaps a random player; the same players are not shared again."""
        random = (PlayerSpec("random"),) if with_random else ()
        names = (*(entrant.name for entrant in entrants), *(player.kind for player in random))
        if self._shared_players is None or self._shared_players[0] != names:
            players = self.players.against_baseline(entrants, self._run.executor, self._run.shared_game)
            self._shared_players = (names, self._run.executor.share((*players, *random)))
        return self._shared_players[1]


def _fewest(entrants: Sequence[Entrant], matches: Sequence[MatchRequest]) -> int:
    """Return how many of the matches are worth a task of their own; player 0 is the baseline."""
    playing_out = [True, *(plays_out(each.knowledge.values, each.knowledge.parameters) for each in entrants), True]
    return fewest_of_task([playing_out[seat] for match in matches for seat in match.seats])


class Players:
    """The players of one run."""

    def __init__(self, game: PreparedGame, search: SearchSettings) -> None:
        self._game = game
        self._search = search
        self._tuned = search.uct_c if search.uct_c != "tuned" else None
        self._prepared: dict[str, PreparedPlayer] = {}  # by name, which always stands for the same knowledge

    @property
    def uct_c(self) -> float:
        """The UCB1 constant of the baseline. Raises ValueError where it is still to be tuned."""
        if self._tuned is None:
            raise ValueError("the baseline's constant is to be tuned first")
        return self._tuned

    @property
    def baseline_budget(self) -> int:
        """The number of playouts per move of the baseline in matches against entrants."""
        return self._search.baseline_playouts

    def tune(self, uct_c: float) -> None:
        """Set the tuned constant of the baseline."""
        self._tuned = uct_c

    def against_baseline(self, entrants: Sequence[Entrant], executor: Executor, game: Shared) -> tuple[PlayerSpec, ...]:
        """Return the baseline, then every entrant with as many playouts as the configuration calls equal.

        Without entrants the baseline has its budget for matches without knowledge. `game` is the prepared game, shared.
        """
        new = [each for each in entrants if each.name not in self._prepared]
        tasks = [WorkerTask(f"{each.name}-player", each.knowledge) for each in new]
        found = dict(executor.run(prepare_player, (game, executor.share(self._guided)), tasks)) if tasks else {}
        self._prepared |= {each.name: found[task.id] for each, task in zip(new, tasks, strict=True)}
        self._prepared = {each.name: self._prepared[each.name] for each in entrants}
        budget = self._search.baseline_playouts if entrants else self._search.playouts_without_knowledge
        return (replace(self._bare, playouts=budget), *map(self._equal, entrants))

    def playouts(self, entrant: Entrant) -> int:
        """Return the number of playouts per move of an entrant against the baseline."""
        playouts = self._search.playouts
        return equal_playouts(playouts, self.work_ratio(entrant)) if self._search.equal == "work" else playouts

    def work_ratio(self, entrant: Entrant) -> float:
        """Return the cost of the entrant's playout divided by the cost of the baseline's playout."""
        cost = self._work_of_baseline
        return self._player(entrant).work.within(self._search.playouts * cost) / cost

    def work_ratios(self, entrants: Sequence[Entrant]) -> Mapping[str, float]:
        """Return the work ratio of every entrant, by name."""
        return {each.name: self.work_ratio(each) for each in entrants}

    def seconds(self, matches: float) -> float:
        """Return the predicted processor seconds of matches in which every search costs as much as the baseline's."""
        return matches * self._game.sample().choices * self._search.playouts * self._work_of_baseline * 1e-9

    def seconds_of_playouts(self, playouts: int) -> float:
        """Return the predicted processor seconds of so many playouts of the baseline."""
        return playouts * self._work_of_baseline * 1e-9

    def searcher(self, entrant: Entrant | None, playouts: int) -> PlayerSpec:
        """Return an entrant, or the baseline where there is none, as a player with `playouts` playouts."""
        return replace(self._bare if entrant is None else self._player(entrant).player, playouts=playouts)

    @property
    def _bare(self) -> PlayerSpec:
        search = self._search
        parameters = Parameters(uct_c=self.uct_c, expansions=search.expansions)
        return PlayerSpec("uct", parameters, playouts=search.baseline_playouts, max_states=search.max_states)

    @property
    def _guided(self) -> PlayerSpec:
        """The player of an entrant, to which its knowledge is yet to be added."""
        return PlayerSpec("uct", playouts=self._search.playouts, max_states=self._search.max_states)

    @cached_property
    def _work_of_baseline(self) -> float:
        return self._game.sample().work(replace(self._bare, playouts=self._search.playouts))

    def _equal(self, entrant: Entrant) -> PlayerSpec:
        return replace(self._player(entrant).player, playouts=self.playouts(entrant))

    def _player(self, entrant: Entrant) -> PreparedPlayer:
        if entrant.name not in self._prepared:
            self._prepared[entrant.name] = prepare_player(self._game, self._guided, entrant.knowledge)
        return self._prepared[entrant.name]
