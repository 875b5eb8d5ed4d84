"""Individuals as players and as knowledge files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from agent.knowledge import Knowledge, Parameters, Provenance, compile_knowledge
from agent.search.player import PlayerSpec
from miner.config import SearchSettings, TeachingSettings
from miner.evolution.evaluation import PreparedGame
from miner.evolution.population import Individual
from miner.evolution.work import Sample, equal_playouts

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
        self._ratios: dict[str, float] = {}  # by name; under its name an individual stays the same

    @property
    def uct_c(self) -> float:
        """UCB1 constant of the baseline. Raises ValueError where it is still to be tuned."""
        if self._tuned is None:
            raise ValueError("the baseline's constant is to be tuned first")
        return self._tuned

    def tune(self, uct_c: float) -> None:
        """Takes the baseline's constant as tuned."""
        self._tuned = uct_c

    def against_baseline(self, individuals: Sequence[Individual]) -> tuple[PlayerSpec, ...]:
        """The baseline, then every individual, with as many playouts as the configuration calls equal.

        Without individuals the baseline has its budget for learning.
        """
        budget = self._search.baseline_playouts if individuals else self._search.playouts_without_knowledge
        return (replace(self._bare(), playouts=budget), *map(self._equal, individuals))

    def playouts(self, individual: Individual) -> int:
        """Playouts per move of an individual against the baseline."""
        playouts = self._search.playouts
        return equal_playouts(playouts, self.work_ratio(individual)) if self._search.equal == "work" else playouts

    def work_ratio(self, individual: Individual) -> float:
        """What a playout of the individual costs, one of the baseline being 1."""
        if individual.name not in self._ratios:
            self._ratios[individual.name] = self._sample.work(self._player(individual)) / self._work_of_baseline
        return self._ratios[individual.name]

    def teacher(self, best: Individual | None) -> PlayerSpec:
        """The best player so far, bare UCT before there is one, with the playouts of a teacher."""
        return replace(self._bare() if best is None else self._player(best), playouts=self._teaching.playouts)

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

    def _bare(self) -> PlayerSpec:
        search = self._search
        parameters = Parameters(uct_c=self.uct_c, expansions=search.expansions)
        return PlayerSpec("uct", parameters, playouts=search.baseline_playouts, max_states=search.max_states)

    def _equal(self, individual: Individual) -> PlayerSpec:
        return replace(self._player(individual), playouts=self.playouts(individual))

    @cached_property
    def _sample(self) -> Sample:
        return Sample(self._game.machine())

    @cached_property
    def _work_of_baseline(self) -> float:
        return self._sample.work(replace(self._bare(), playouts=self._search.playouts))

    def _player(self, individual: Individual) -> PlayerSpec:
        search, knowledge = self._search, self.knowledge(individual, 0)
        tables = compile_knowledge(knowledge, self._game.machine())
        return PlayerSpec("uct", knowledge.parameters, tables, playouts=search.playouts, max_states=search.max_states)
