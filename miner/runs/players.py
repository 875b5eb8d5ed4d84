"""Entrants as players: each is compiled once and gets as many playouts as the configuration calls equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.learners.requests import Entrant
from gdl_miner.miner.learners.settings import SearchSettings
from gdl_miner.miner.play.cost_model import equal_playouts
from gdl_miner.miner.play.executor import Executor, Shared, Task
from gdl_miner.miner.play.prepared_game import PreparedGame, PreparedPlayer, prepare_player

__all__ = ["Players"]


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
        tasks = [Task(f"{each.name}-player", each.knowledge) for each in new]
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
