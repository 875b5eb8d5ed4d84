"""Individuals as players and as knowledge files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from agent.knowledge import Knowledge, Parameters, Provenance
from agent.search.player import PlayerSpec
from miner.learners.evolution.config import SearchSettings, TeachingSettings
from miner.learners.evolution.population import Individual
from miner.play.cost_model import equal_playouts
from miner.play.executor import Executor, Shared, Task
from miner.play.prepared_game import PreparedGame, PreparedPlayer, prepare_player

__all__ = ["Players"]


class Players:
    """Makes the players of one run."""

    def __init__(
        self, game: PreparedGame, search: SearchSettings, teaching: TeachingSettings, made: Provenance
    ) -> None:
        self._game = game
        self._search = search
        self._teaching = teaching
        self._made = made
        self._tuned = search.uct_c if search.uct_c != "tuned" else None
        self._prepared: dict[str, PreparedPlayer] = {}  # by name, under which an individual stays the same

    @property
    def uct_c(self) -> float:
        """UCB1 constant of the baseline. Raises ValueError where it is still to be tuned."""
        if self._tuned is None:
            raise ValueError("the baseline's constant is to be tuned first")
        return self._tuned

    def tune(self, uct_c: float) -> None:
        """Takes the baseline's constant as tuned."""
        self._tuned = uct_c

    def against_baseline(
        self, individuals: Sequence[Individual], executor: Executor, game: Shared
    ) -> tuple[PlayerSpec, ...]:
        """The baseline, then every individual, with as many playouts as the configuration calls equal.

        Without individuals the baseline has its budget for learning. `game` is the prepared game, shared.
        """
        new = [each for each in individuals if each.name not in self._prepared]
        tasks = [Task(f"{each.name}-player", self.knowledge(each, 0)) for each in new]
        found = dict(executor.run(prepare_player, (game, executor.share(self._guided)), tasks)) if tasks else {}
        self._prepared |= {each.name: found[task.id] for each, task in zip(new, tasks, strict=True)}
        self._prepared = {each.name: self._prepared[each.name] for each in individuals}
        budget = self._search.baseline_playouts if individuals else self._search.playouts_without_knowledge
        return (replace(self._bare, playouts=budget), *map(self._equal, individuals))

    def playouts(self, individual: Individual) -> int:
        """Playouts per move of an individual against the baseline."""
        playouts = self._search.playouts
        return equal_playouts(playouts, self.work_ratio(individual)) if self._search.equal == "work" else playouts

    def work_ratio(self, individual: Individual) -> float:
        """What a playout of the individual costs, one of the baseline being 1."""
        return self._player(individual).work / self._work_of_baseline

    def teacher(self, best: Individual | None) -> PlayerSpec:
        """The best player so far, bare UCT before there is one, with the playouts of a teacher."""
        return replace(self._bare if best is None else self._player(best).player, playouts=self._teaching.playouts)

    def knowledge(self, individual: Individual, generation: int) -> Knowledge:
        """What an individual knows, as it is written to a file of a generation."""
        sheet, chromosome = self._game.sheet, individual.chromosome
        return Knowledge(
            game=sheet.name,
            digest=sheet.digest,
            roles=sheet.roles,
            winning=chromosome.winning,
            losing=chromosome.losing,
            parameters=chromosome.parameters(),
            made=replace(self._made, generation=generation),
        )

    @property
    def _bare(self) -> PlayerSpec:
        search = self._search
        parameters = Parameters(uct_c=self.uct_c, expansions=search.expansions)
        return PlayerSpec("uct", parameters, playouts=search.baseline_playouts, max_states=search.max_states)

    @property
    def _guided(self) -> PlayerSpec:
        """An individual's player, all but its knowledge."""
        return PlayerSpec("uct", playouts=self._search.playouts, max_states=self._search.max_states)

    @cached_property
    def _work_of_baseline(self) -> float:
        return self._game.sample().work(replace(self._bare, playouts=self._search.playouts))

    def _equal(self, individual: Individual) -> PlayerSpec:
        return replace(self._player(individual).player, playouts=self.playouts(individual))

    def _player(self, individual: Individual) -> PreparedPlayer:
        if individual.name not in self._prepared:
            self._prepared[individual.name] = prepare_player(self._game, self._guided, self.knowledge(individual, 0))
        return self._prepared[individual.name]
