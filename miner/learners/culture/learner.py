"""A learner of cultural coevolution.

    [ forages → mating and beliefs → games of the fittest
      → matches against bare UCT, the best so far and random moves ] per step → long searches of the best → validate it

The player of a step has the values of the fittest player of each species, on one scale.
"""

from __future__ import annotations

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import layout_for
from gdl_miner.miner.learners.culture.config import CultureConfig
from gdl_miner.miner.learners.culture.generation import ColonyState, Generation
from gdl_miner.miner.learners.culture.scale import join_species
from gdl_miner.miner.learners.long_searches import try_and_validate
from gdl_miner.miner.learners.measuring import Best, StepTraining, matches_of, measure
from gdl_miner.miner.play.prepared_game import WITH_CHANCE, PreparedGame, refuse_chance
from gdl_miner.miner.runs.entrant import Entrant, KnowledgeMaker
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.task import Learner, Task
from gdl_miner.miner.runs.trials import TrialTime


def coevolve(config: CultureConfig, maker: KnowledgeMaker) -> Learner:
    """Let the species learn, step by step."""
    settings, roles = config.culture, len(maker.roles)
    colony: ColonyState | None = None
    best: Best | None = None
    moves = 0
    for step in range(1, settings.steps + 1):
        colony, totals, fittest = yield from Generation(config, roles, step, colony).learn()
        scaling = settings.scaling(derive_seed(config.seed, "culture", step, "scale"), roles)
        values = yield from Task(
            join_species, step, settings.shape, fittest.weights[0], scaling, settings.individuals, settings.shards
        )
        entrant = Entrant(f"s{step:03d}", maker.valued(settings.parameters(), step, values))
        error = (totals.squared_error / max(1, totals.updates)) ** 0.5
        moves += totals.moves
        training = StepTraining(totals.games, totals.moves, totals.broken_off, error)
        own = {f"fitness.{role}": fitness for role, fitness in zip(maker.roles, totals.fitness, strict=True)}
        own["beliefs"] = sum(len(space.states) for space in colony.beliefs)
        best = yield from measure(settings, config.seed, roles, step, entrant, best, training, own)
    if best is not None:
        measured_by = matches_of(settings, settings.steps)
        time = TrialTime(config.long_searches.share, moves=moves, shape=settings.shape, matches=measured_by)
        last, matches = settings.steps + 1, settings.validation_matches
        yield from try_and_validate(config.long_searches, config.search, config.seed, last, best.entrant, time, matches)


def _check(config: CultureConfig, game: PreparedGame, start: Knowledge | None) -> None:
    """Raise ConfigError for games of chance, and where the shapes do not fit the game."""
    refuse_chance(game.sheet, "species learn in games without chance", WITH_CHANCE)
    layout_for(game.machine(), config.culture.shape)


CULTURE = LearningMethod(
    name="culture",
    summary="species of players, one for each role, that learn values, mate, lay pheromone and share beliefs",
    settings=CultureConfig,
    learn=coevolve,
    check=_check,
)
