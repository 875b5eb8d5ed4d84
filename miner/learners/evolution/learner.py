"""The learner of an evolution (thesis algorithm 4.2).

    networks evolve (`network_evolution`) → trials of the best network's values → first population
    → [ tournament rounds → ratings → select, cross, mutate, replace → mine → learn ] per generation of features
    → accept or drop what the champion has beside the values → prune its features → validate it on fresh matches

Generations are the steps of the run: first those of networks, then those of features. Without generations of features
the best network is the champion. Without networks, training games of one network or a file give the values, and
matches without knowledge are mined first. The evolution's decisions follow from its configuration and from the results
it is sent; every random draw derives from the run's seed and from names that say what the draw is for.

All individuals with features have the same values; genes say how much an individual uses them. A player with these
values and its own parameters, the start, is one of the first of them, and the one that all others meet in tournaments.
Values that are not clearly ahead of bare UCT in deeper searches are tried mixed with playouts, too. They are used as
they have more points; where they lose both ways, the evolution goes on without them. Where they are mixed or left out,
individuals meet bare UCT. Values that are used alone then meet the same values mixed with playouts in long searches;
where these are clearly better, all individuals trust their values alone only in shorter searches. Features of a file
are candidates of every fit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from deap import base, tools

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.knowledge.parameters import PARAMETERS, Parameters
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import layout_for
from gdl_miner.miner.learners.evolution.chromosome import Chromosome
from gdl_miner.miner.learners.evolution.config import TRUST, VALUED, EvolutionConfig, ValueUse, use_of
from gdl_miner.miner.learners.evolution.generation import GenerationResult, RatedPlayer, Standing, summary_of
from gdl_miner.miner.learners.evolution.genome import POLICY, Genome
from gdl_miner.miner.learners.evolution.network_evolution import ORIGIN, evolve_networks
from gdl_miner.miner.learners.evolution.operators import elo_measures, elo_statistics
from gdl_miner.miner.learners.evolution.population import Individual, first_population, ignorant, next_population
from gdl_miner.miner.learners.evolution.toolbox import Toolboxes
from gdl_miner.miner.learners.values.learner import first_values
from gdl_miner.miner.mining.candidates import candidates_of
from gdl_miner.miner.mining.mine import MinedKnowledge
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.prepared_game import PreparedGame, refuse_chance
from gdl_miner.miner.play.rating import BASELINE, Rating
from gdl_miner.miner.results.tables import Measures, score_measures
from gdl_miner.miner.runs.acceptance import AcceptanceRule, accept
from gdl_miner.miner.runs.entrant import START, Entrant, KnowledgeMaker
from gdl_miner.miner.runs.matches import play_matches, validate
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.mining import mine_records, search_positions
from gdl_miner.miner.runs.pruning import prune
from gdl_miner.miner.runs.start import read_values_or_candidates
from gdl_miner.miner.runs.steps import crown, end_step, keep_players
from gdl_miner.miner.runs.task import Learner, Task
from gdl_miner.miner.runs.trials import LongSearchRule, TrialTime, try_long_searches, try_values

_TOOLBOXES = Toolboxes()
_GIVEN = "given"  # name of the player of a file while networks evolve
_FEATURES, _PARAMETERS = "features", "parameters"  # parts of the best that must win matches
_ALONE = "the values alone"  # origin of the Elo scale without networks


def evolve(config: EvolutionConfig, maker: KnowledgeMaker, toolboxes: Toolboxes = _TOOLBOXES) -> Learner:
    """Evolve generation by generation; `toolboxes` has the operators."""
    rated, use = yield from _values(config, maker, toolboxes)
    start = None if rated is None else rated.player
    networks, generations = config.networks.generations, config.evolution.generations
    if not generations:
        champion = start or Entrant(START, maker.valued(config.values.parameters(), 0, None))
        yield from Task(keep_players, 0, (champion,))
        yield from Task(crown, 0, champion.name)
        yield from _validation(config, champion)
        return
    genomes = config.genomes(use)
    toolbox = toolboxes.features(config, genomes[0])
    rival = None if use == "mixed" else rated
    people = _People(config, maker, rated, genomes, toolbox)
    statistics, logbook = elo_statistics(), tools.Logbook()
    if networks and start is not None:  # the best network teaches, by the matches of its generation
        begun, first = GenerationResult(networks, (), 0, {}), networks
    else:
        begun = yield from _without_knowledge(config, maker.n_players)
        first = networks + 1 if networks else 0
    mined = yield from _mining(config, maker, begun, start, min(first, begun.generation), start)
    population = people.first(mined)
    for generation in range(networks + 1, config.planned_steps + 1):
        entrants = tuple(people.entrant(individual, generation) for individual in population)
        yield from Task(keep_players, generation, entrants)
        result = yield from toolbox.evaluate(generation, population, entrants, rival)
        logbook.record(gen=generation, nevals=len(population), **statistics.compile(population))
        origin: Measures = {} if rival is None else {"elo_origin": ORIGIN if networks else _ALONE}
        measures = {"features_mined": sum(map(len, mined.features)), **elo_measures(logbook[-1]), **origin}
        yield from _end_of(result, config.planned_steps, measures)
        champion = people.entrant(result.standings[0].individual, generation)
        if generation < config.planned_steps:
            mined = yield from _mining(config, maker, result, champion, first, start)
            population = people.following(generation + 1, result, mined)
    if start is not None and people.is_start(result.standings[0].individual):
        champion = start
    yield from _validation(config, (yield from _with_what_pays(config, champion, start)))


def _with_what_pays(
    config: EvolutionConfig, champion: Entrant, start: Entrant | None
) -> Generator[Task[Any], Any, Entrant]:
    """Return the champion with the features that it needs and, beside values, with nothing that wins no matches.

    Beside values, the features must win against the champion without them, and what is left against the start. Without
    values, features are what the player knows, and the validation says whether they help.
    """
    after, pruning = config.planned_steps + 1, config.pruning
    tested = start is not None and config.acceptance.matches > 0
    if start is not None and tested and champion is not start:
        champion = yield from _accepted(config, champion, start)
    if not pruning.matches or not champion.knowledge.n_features:
        return champion
    seed = derive_seed(config.seed, "pruning")
    return (yield from Task(prune, after, seed, champion, pruning.elo, pruning.matches, pruning.positions, not tested))


def _accepted(config: EvolutionConfig, champion: Entrant, start: Entrant) -> Generator[Task[Any], Any, Entrant]:
    """Return the champion without its features, or the start, where what they lack wins no matches."""
    after, whole = config.planned_steps + 1, champion.knowledge
    seed, rule = derive_seed(config.seed, "acceptance"), AcceptanceRule(**config.acceptance.model_dump())
    first_round = 1  # the validation is round 0 of the same step
    nothing = ((),) * len(whole.roles)
    plain = replace(whole, winning=nothing, losing=nothing, symmetries=())
    steps = [(_FEATURES, Entrant(f"{champion.name}-without-features", plain))] if whole.n_features else []
    for part, without in [*steps, (_PARAMETERS, Entrant(f"{champion.name}-without-parameters", start.knowledge))]:
        both = part == _PARAMETERS and champion.knowledge.n_features
        named = f"{_FEATURES} and {part}" if both else part
        result = yield from Task(accept, after, seed, named, champion, without, whole, rule, first_round)
        first_round = result.next_round
        if not result.kept:
            champion = without
    return champion


def _validation(config: EvolutionConfig, champion: Entrant) -> Generator[Task[Any], Any, None]:
    if config.tournament.validation_matches:
        yield from Task(validate, config.planned_steps + 1, champion, config.tournament.validation_matches)


def _values(
    config: EvolutionConfig, maker: KnowledgeMaker, toolboxes: Toolboxes
) -> Generator[Task[Any], Any, tuple[RatedPlayer | None, ValueUse]]:
    """Return the player whose values all individuals have, None where there is none, and how values are used."""
    settings = config.evolution
    given = None if maker.valued_start is None else Entrant(_GIVEN, maker.valued_start)
    moves, rating = 0, Rating(0.0, 0.0)
    if config.networks.generations:
        best = yield from evolve_networks(config, maker, toolboxes.networks, given)
        start, rating = Entrant(START, best.player.knowledge), best.rating
        if best.player is given:
            return RatedPlayer(start, rating), "any"
    elif given is not None:
        return RatedPlayer(Entrant(START, given.knowledge), rating), "any"
    elif settings.value_steps:
        trained = yield from first_values(config.values, config.seed, settings.value_steps)
        start = Entrant(START, maker.valued(config.values.parameters(), 0, trained.values))
        moves = settings.value_steps * trained.totals.moves
    else:
        return None, "none"
    yield from Task(keep_players, 0, (start,))
    if not settings.trial_matches:
        return RatedPlayer(start, rating), "any"
    time = TrialTime(settings.trial_share, config.network_seconds, moves, config.values.shape)
    tried, use = yield from _trials(config, start, time)
    return None if tried is None else RatedPlayer(tried, rating), use


def _trials(
    config: EvolutionConfig, start: Entrant, time: TrialTime
) -> Generator[Task[Any], Any, tuple[Entrant | None, ValueUse]]:
    """Try the values of a player in deeper searches, alone, mixed with playouts, and in long searches."""
    settings, knowledge = config.evolution, start.knowledge
    mixed = Entrant(f"{START}-mixed", replace(knowledge, parameters=knowledge.parameters.mixed()))
    trials, next_round = [], 1  # the matches without knowledge are round 0 of the same step
    for entrant in (start, mixed):
        tried = yield from Task(
            try_values, 0, config.seed, entrant, settings.trial_depth, settings.trial_matches, time, next_round
        )
        trials.append(tried)
        next_round = tried.next_round
        if tried.verdict == "ahead" or not config.mixes:
            break
    use = use_of(trials)
    if use == "none":
        return None, use
    if use == "mixed":
        start = Entrant(START, mixed.knowledge)
    elif config.tries_long_searches:
        rule = LongSearchRule(settings.long_playouts, settings.long_matches)
        known = trials[0].playouts
        trust = yield from Task(try_long_searches, 0, config.seed, start, known, rule, time, next_round)
        start = trust.in_player(start)
    yield from Task(keep_players, 0, (start,))
    return start, use


def _without_knowledge(config: EvolutionConfig, roles: int) -> Generator[Task[Any], Any, GenerationResult]:
    """Play generation 0, in which nobody knows anything."""
    matches = tuple(
        MatchRequest(f"g000-m{number:05d}", (BASELINE,) * roles, derive_seed(config.seed, "without knowledge", number))
        for number in range(config.tournament.matches_without_knowledge)
    )
    title = "generation 0, without knowledge"
    yield from Task(play_matches, 0, "without knowledge", 0, title, (), matches)
    yield from Task(end_step, 0, {}, {"matches": len(matches)}, None)
    return GenerationResult(0, (), len(matches), {})


def _end_of(result: GenerationResult, generations: int, measures: Measures) -> Generator[Task[Any], Any, None]:
    best = result.standings[0]
    yield from Task(
        end_step,
        result.generation,
        {
            standing.individual.name: _measures(rank, standing, result.work_ratio[standing.individual.name])
            for rank, standing in enumerate(result.standings, 1)
        },
        {"matches": result.matches, **measures},
        best.individual.name,
        summary_of(result, generations),
        f"best {best.rating.elo:+.0f} ± {best.rating.se:.0f} Elo",
    )


def _measures(rank: int, standing: Standing, work_ratio: float) -> Measures:
    """Return what the tournament measured of an individual, its features by class, and its genes."""
    individual, chromosome = standing.individual, standing.individual.chromosome
    listed = (entry for features in (*chromosome.winning, *chromosome.losing) for entry in features)
    return {
        "rank": rank,
        "origin": individual.origin,
        "parents": " ".join(individual.parents) or None,
        "rounds": standing.rounds,
        **score_measures(standing.score),
        "elo": standing.rating.elo,
        "elo_se": standing.rating.se,
        "work_ratio": work_ratio,
        "features": chromosome.features,
        **Counter(entry.feature.element for entry in listed),
        **chromosome.genes(),
    }


def _mining(
    config: EvolutionConfig,
    maker: KnowledgeMaker,
    result: GenerationResult,
    best: Entrant | None,
    first: int,
    valuing: Entrant | None,
) -> Generator[Task[Any], Any, MinedKnowledge]:
    """Mine the latest generations from the first; positions are searched by the best player, or by the baseline.

    The weights of features explain what the values of `valuing`, which all individuals have, do not.
    """
    generation, teaching = result.generation, config.teaching
    seed = derive_seed(config.seed, "mining", generation)
    fitted = config.reads_fit
    taught = fitted and teaching.positions > 0
    if taught:
        yield from Task(search_positions, generation, seed, teaching.positions, teaching.playouts, best)
    candidates = candidates_of(maker.start)
    return (yield from Task(mine_records, generation, seed, taught, candidates, first, fitted, valuing))


class _People:
    """The individuals of a run: how they are bred, how they learn, and how they play."""

    def __init__(
        self,
        config: EvolutionConfig,
        maker: KnowledgeMaker,
        rated: RatedPlayer | None,
        genomes: Sequence[Genome],
        toolbox: base.Toolbox,
    ) -> None:
        self._config = config
        self._maker = maker
        self._start = None if rated is None else rated.player
        self._least = 0.0 if rated is None else rated.rating.elo  # Elo of who needs no features to have it
        self._genomes = genomes
        self._toolbox = toolbox
        self._breeding = config.evolution.breeding()

    def first(self, mined: MinedKnowledge) -> tuple[Individual, ...]:
        """Return the first population, which has learned the mined features."""
        first = self._config.networks.generations + 1
        people = first_population(self._breeding, self._genomes, self._config.seed, self._start_chromosome, first)
        return self._all_learned(people, mined)

    def is_start(self, individual: Individual) -> bool:
        """Return whether an individual is the player that the run starts from."""
        return individual.chromosome == self._start_chromosome

    def following(self, generation: int, result: GenerationResult, mined: MinedKnowledge) -> tuple[Individual, ...]:
        """Return the population of a generation, bred from the ranking before; it has learned the mined features."""
        ranked = [standing.individual for standing in result.standings]
        if result.standings[0].rating.elo <= self._least:
            start = self._start_chromosome
            nobody = ignorant(self._genomes, len(self._maker.roles))
            ranked.insert(0, nobody if start is None else replace(nobody, name=START, chromosome=start))
        people = next_population(ranked, self._breeding, self._genomes, self._config.seed, generation, self._toolbox)
        return self._all_learned(people, mined)

    def entrant(self, individual: Individual, generation: int) -> Entrant:
        """Return an individual of a generation as a player."""
        chromosome, start = individual.chromosome, self._start
        parameters = chromosome.parameters()
        if start is not None:
            parameters = replace(parameters, **self._limits_of(start, parameters))
        values = None if start is None else start.knowledge.values
        knowledge = self._maker.knowledge(chromosome.winning, chromosome.losing, parameters, generation, values)
        return Entrant(individual.name, knowledge)

    @cached_property
    def _start_chromosome(self) -> Chromosome | None:
        return None if self._start is None else Chromosome.of_player(self._start.knowledge, self._genomes[0])

    def _all_learned(self, people: Iterable[Individual], mined: MinedKnowledge) -> tuple[Individual, ...]:
        return tuple(self._toolbox.map(partial(self._learned, mined=mined), people))

    def _learned(self, individual: Individual, mined: MinedKnowledge) -> Individual:
        if individual.origin in ("elite", "start") and not self._config.evolution.elites_learn:
            return individual
        return replace(individual, chromosome=individual.chromosome.learned(mined))

    def _limits_of(self, start: Entrant, own: Parameters) -> dict[str, Any]:
        """Return the playouts of the longest searches that trust and use values, as far as no gene says them.

        An individual that mixes values trusts none alone, and one that leaves them out has no use of them.
        """
        uses = (VALUED,) if own == own.mixed() else (TRUST, VALUED)
        limits = {name: getattr(start.knowledge.parameters, name) for name in uses if own != own.without_values()}
        return {name: limit for name, limit in limits.items() if limit and name not in self._config.genes}


def _check(config: EvolutionConfig, game: PreparedGame, start: Knowledge | None) -> None:
    """Raise ConfigError where the settings or the start do not fit the game: shapes of values, or features with chance.

    A start may have an optional parameter with its default of files or of individuals, or one whose gene the settings
    name; all individuals have the latter. All values are accepted, because every individual has them as they are, with
    the limit of trust in them. Of a start without values the features alone are taken.
    """
    if config.evolution.generations:
        refuse_chance(
            game.sheet,
            "features are mined in games without chance",
            "set generations = 0 under [evolution] in the configuration, for networks alone",
        )
    if config.evolution.value_steps:
        layout_for(game.machine(), config.values.shape)
    if start is not None and start.values is None and not config.evolution.generations:
        raise ConfigError(
            "--start: the file has no values of states, and its features take part in generations of features alone; "
            "set generations under [evolution] in the configuration"
        )
    if start is not None and start.values is None and not config.reads_fit:
        raise ConfigError(
            "--start: the file has no values of states, and its features take part in the fit of weights, which no "
            f'individual reads where {POLICY}kind is "phi"; allow "softmax" under [genes] in the configuration'
        )
    if start is None or start.values is None:
        return
    taken = {*config.gene_names, TRUST, VALUED}
    for row in PARAMETERS:
        value = getattr(start.parameters, row.name)
        if row.optional and row.name not in taken and value not in (row.default, row.evolved):
            example = f"{row.name} = {json.dumps([row.evolved, value])}"
            raise ConfigError(
                f"--start: the player has {row.name} {value}, but this evolution has no such gene; name {row.name} "
                f"under [genes] of the configuration, as in {example}, or take the parameter out of the file"
            )


EVOLUTION = LearningMethod(
    name="evolution",
    summary="a genetic algorithm over mined features, their weights and the parameters of the search",
    settings=EvolutionConfig,
    learn=evolve,
    unit="generation",
    starts_from=read_values_or_candidates,
    check=_check,
    trainings=lambda config: config.networks.trainings,
)
