"""Individuals and the baseline as players: what they search with, and how long."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from agent.knowledge import Knowledge, Parameters, compile_knowledge
from agent.reasoner.machine import Machine
from agent.search.player import PlayerSpec
from miner.config import SearchSettings
from miner.evolution.population import Individual
from miner.evolution.work import Sample, with_equal_work

__all__ = ["Players"]


class Players:
    """Makes players of a run. `knowledge` turns an individual into a knowledge file."""

    def __init__(
        self, machine: Machine, settings: SearchSettings, knowledge: Callable[[Individual], Knowledge]
    ) -> None:
        self._machine = machine
        self._settings = settings
        self._knowledge = knowledge
        self._ratios: dict[str, float] = {}  # by name: knowledge of an individual never changes under its name

    def baseline(self, playouts: int | None = None) -> PlayerSpec:
        """Bare UCT, with `playouts` per move."""
        search = self._settings
        parameters = Parameters(uct_c=search.uct_c, expansions=search.expansions)
        budget = search.baseline_playouts if playouts is None else playouts
        return PlayerSpec("uct", parameters, playouts=budget, max_states=search.max_states)

    def player(self, individual: Individual) -> PlayerSpec:
        """The individual, with as many playouts per move as its knowledge leaves time for."""
        spec = self.searcher(individual, self._settings.playouts)
        return with_equal_work(spec, self.work_ratio(individual)) if self._settings.equal == "work" else spec

    def searcher(self, individual: Individual, playouts: int) -> PlayerSpec:
        """The individual with `playouts` per move, whatever they cost."""
        knowledge = self._knowledge(individual)
        tables = compile_knowledge(knowledge, self._machine)
        limit = self._settings.max_states
        return PlayerSpec("uct", knowledge.parameters, tables, playouts=playouts, max_states=limit)

    def work_ratio(self, individual: Individual) -> float:
        """What a playout of the individual costs, one of the baseline being 1."""
        if individual.name not in self._ratios:
            spec = self.searcher(individual, self._settings.playouts)
            self._ratios[individual.name] = self._sample.work(spec) / self._baseline_work
        return self._ratios[individual.name]

    @cached_property
    def _sample(self) -> Sample:
        return Sample(self._machine)

    @cached_property
    def _baseline_work(self) -> float:
        return self._sample.work(self.baseline(self._settings.playouts))
