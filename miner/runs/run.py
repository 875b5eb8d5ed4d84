"""Drives an evolution: asks what to do, has it done, tells the result, and leaves everything in the run's folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from agent.knowledge import Provenance, geometry_of
from agent.search.records import MatchBatchRecord, concatenate_records, select_matches
from agent.search.seeds import derive_seed
from miner.learners.evolution.checkpoint import pack_state
from miner.learners.evolution.chromosome import Chromosome
from miner.learners.evolution.config import RunConfig
from miner.learners.evolution.loop import Evolution, EvolutionState, MineRequest, PlayRequest
from miner.learners.evolution.population import Individual
from miner.learners.evolution.standing import GenerationResult, Standing
from miner.mining.counting import thin_records
from miner.mining.generation_counts import GenerationCounts
from miner.mining.mine import combine_roles
from miner.mining.mined import MinedKnowledge
from miner.mining.tasks import MiningWork, mine_for
from miner.mining.training_positions import choose_lessons, study_batch
from miner.play.executor import Executor, Shared, Task
from miner.play.match_tasks import MATCHES_PER_TASK, cut_into_tasks, play_batch
from miner.play.pairing import MatchRequest
from miner.play.prepared_game import PreparedGame
from miner.play.tuning import Tuning
from miner.results.plots import draw_plots
from miner.results.report import write_report
from miner.results.store import RunStore
from miner.results.tables import generation_row, individual_rows, match_rows
from miner.runs.kept_tasks import KeptTasks
from miner.runs.players import Players
from miner.runs.reporting import Reporter

__all__ = ["Run", "fingerprint"]


def fingerprint(config: RunConfig, digest: str) -> str:
    """A short name for what decides a run: the same for every run of the same configuration and rules."""
    decisive = config.model_dump_json(exclude={"execution"})
    return sha256(f"{digest}\n{decisive}".encode()).hexdigest()[:12]


class Run:
    """One run, new or continued from `state`."""

    def __init__(
        self,
        game: PreparedGame,
        config: RunConfig,
        store: RunStore,
        executor: Executor,
        reporter: Reporter,
        version: str,
        state: EvolutionState | None = None,
        features_mined: int | None = None,
    ) -> None:
        self._game = game
        self._machine = game.machine()
        self._config = config
        self._store = store
        self._executor = executor
        self._reporter = reporter
        made = Provenance(fingerprint(config, game.sheet.digest), 0, config.seed, version)
        self._players = Players(game, config.search, config.teaching, made)
        self._evolution: Evolution[MinedKnowledge] = Evolution(config, len(game.sheet.roles), Chromosome.learned, state)
        self._shared_game = executor.share(game)
        self._shared_players: tuple[tuple[str, ...], Shared] | None = None
        self._parts: list[MatchBatchRecord] = []  # rounds of the present generation
        self._records: dict[int, MatchBatchRecord] = {}  # finished generations that are still mined
        self._lessons: dict[int, MatchBatchRecord] = {}
        self._counts = GenerationCounts(executor, self._shared_game, config.mining)
        self._features_mined = features_mined

    def execute(self) -> Standing | None:
        """Runs to the end; returns the champion on its fresh matches, None where the configuration asks for none."""
        self._tune()
        while (request := self._evolution.ask()) is not None:
            if isinstance(request, MineRequest):
                self._mine(request)
            else:
                self._play(request)
        return self._evolution.validation

    def _tune(self) -> None:
        """Finds the constant of the baseline, or takes what was found before an interruption."""
        search = self._config.search
        if search.uct_c != "tuned":
            return
        found = self._store.read_json("tuning.json")
        if found is None:
            self._reporter.working("tuning bare UCT")
            seed, begun = derive_seed(self._config.seed, "tuning"), time.monotonic()
            tuning = Tuning(len(self._machine.roles), search.tuning_matches, seed)
            players = tuning.players(search.baseline_playouts, search.expansions, search.max_states)
            shared = (self._shared_game, self._executor.share(players))
            matches, playouts = 0, 0
            while asked := tuning.ask():
                record, _ = self._record_of(f"tuning-m{matches:05d}", asked, shared)
                tuning.tell({name: goal.tolist() for name, goal in zip(record.ids, record.goals, strict=True)})
                matches, playouts = matches + len(asked), playouts + int(record.playouts.sum())
            self._time(0, "tuning", None, matches, playouts, time.monotonic() - begun)
            found = tuning.as_json()
            self._store.write_json("tuning.json", found)
        self._players.tune(found["uct_c"])
        self._reporter.note(f"bare UCT plays with a constant of {found['uct_c']:g}")

    def _play(self, request: PlayRequest) -> None:
        begun = time.monotonic()
        record, kept = self._matches(request)
        seconds = time.monotonic() - begun
        self._parts.append(record)
        goals = {name: goal.tolist() for name, goal in zip(record.ids, record.goals, strict=True)}
        self._evolution.tell_goals(goals)
        self._store.matches.append(match_rows(request, record))
        played = ~np.isin(np.array(record.ids), kept)
        playouts = int(record.playouts[played].sum())
        self._time(request.generation, request.phase, request.round, int(played.sum()), playouts, seconds)
        if request.phase == "validation":
            self._finish_validation()
        elif (result := self._evolution.result) is not None:
            self._finish_generation(result)

    def _matches(self, request: PlayRequest) -> tuple[MatchBatchRecord, tuple[str, ...]]:
        """Plays what is not already kept from before an interruption.

        Returns one record in the order of the request, and the ids of the matches that were kept.
        """
        name = f"g{request.generation:03d}-r{request.round}"
        shared = (self._shared_game, self._shared_population(request.individuals))
        return self._record_of(name, request.matches, shared, request)

    def _record_of(
        self, name: str, matches: Sequence[MatchRequest], shared: Sequence[Shared], request: PlayRequest | None = None
    ) -> tuple[MatchBatchRecord, tuple[str, ...]]:
        """The matches' record and the ids of those that were kept; a request's progress is reported."""
        tasks = cut_into_tasks(name, matches, self._config.execution.matches_per_task, max(1, self._executor.workers))
        work = KeptTasks(self._store, tasks)
        if request is not None:
            self._reporter.playing(request, len(work.known))
        for record in work.run(self._executor, play_batch, shared):
            if request is not None:
                self._reporter.played(len(record.ids))
        return work.record([match.id for match in matches]), work.known

    def _shared_population(self, individuals: Sequence[Individual]) -> Shared:
        """The baseline and the individuals as players, shared once per population."""
        names = tuple(individual.name for individual in individuals)
        if self._shared_players is None or self._shared_players[0] != names:
            players = self._players.against_baseline(individuals, self._executor, self._shared_game)
            self._shared_players = (names, self._executor.share(players))
        return self._shared_players[1]

    def _mine(self, request: MineRequest) -> None:
        first = max(0, request.generation + 1 - self._config.records.generations_mined)
        generations = range(first, request.generation + 1)
        lessons = None
        if self._config.teaching.positions:
            self._teach(request)
            lessons = [self._lesson(generation) for generation in generations]
        self._reporter.working(f"mining generations {first} to {request.generation}")
        begun = time.monotonic()
        records = [self._record(generation) for generation in generations]
        counts = [self._counts.of(generation, record) for generation, record in zip(generations, records, strict=True)]
        sample = thin_records(records, self._config.mining.sample, request.seed)
        work = self._executor.share(
            MiningWork(sample, self._config.mining, request.seed, lessons=lessons, counts=counts)
        )
        tasks = [Task(f"g{request.generation:03d}-mine-{role}", role) for role in range(len(self._machine.roles))]
        roles = dict(self._executor.run(mine_for, (self._shared_game, work), tasks))
        mined = combine_roles(self._machine.roles, [roles[task.id] for task in tasks])
        self._evolution.tell_mined(mined)
        self._time(request.generation, "mining", None, None, None, time.monotonic() - begun)
        self._features_mined = sum(map(len, mined.features))
        state = self._evolution.state
        self._store.write_generation_knowledge(
            state.generation,
            [(each.name, self._players.knowledge(each, state.generation)) for each in state.population],
            self._game.sheet,
        )
        self._checkpoint()

    def _teach(self, request: MineRequest) -> None:
        """Has positions of the finished generation searched deeper by its best player."""
        settings, generation = self._config.teaching, request.generation
        begun = time.monotonic()
        lessons = choose_lessons(self._record(generation), self._machine, settings.positions, request.seed)
        self._reporter.working(f"searching {len(lessons)} positions of generation {generation} deeper")
        tasks = cut_into_tasks(f"g{generation:03d}-lessons", lessons, MATCHES_PER_TASK, max(1, self._executor.workers))
        work = KeptTasks(self._store, tasks)
        best = self._evolution.result and self._evolution.result.best
        teacher = self._players.teacher(best.individual if best else None)
        for _ in work.run(self._executor, study_batch, (self._shared_game, self._executor.share(teacher))):
            pass
        record = work.record([lesson.id for lesson in lessons])
        self._lessons[generation] = record
        self._store.keep_record(generation, record, "lessons")
        playouts = int(record.playouts.max(axis=1).sum())
        self._time(generation, "teaching", None, None, playouts, time.monotonic() - begun)

    def _lesson(self, generation: int) -> MatchBatchRecord:
        if generation not in self._lessons:
            self._lessons[generation] = self._store.kept_record(generation, "lessons")
        return self._lessons[generation]

    def _record(self, generation: int) -> MatchBatchRecord:
        if generation not in self._records:
            self._records[generation] = self._store.kept_record(generation)
        return self._records[generation]

    def _finish_generation(self, result: GenerationResult) -> None:
        generation = result.generation
        record = concatenate_records(self._parts)
        self._parts = []
        self._records[generation] = record
        self._store.keep_record(generation, record)
        written = select_matches(record, record.ids[: self._config.records.matches_written])
        self._store.write_record(generation, written, self._machine)
        if result.best is not None:
            self._store.write_best(generation, result.best.individual.name)
        self._store.individuals.append(individual_rows(result, self._players.work_ratio))
        self._store.generations.append([generation_row(result, self._features_mined, self._players.work_ratio)])
        self._reporter.generation(result, self._config.evolution.generations)
        self._draw()
        if self._evolution.state.generation > self._config.evolution.generations:
            self._checkpoint()

    def _finish_validation(self) -> None:
        standing = self._evolution.validation
        assert standing is not None
        score, rating = standing.score, standing.rating
        self._store.write_json(
            "champion.json",
            {
                "individual": standing.individual.name,
                "win_percent": round(score.win_percent, 6),
                "ci95": [round(end, 6) for end in score.ci95],
                "elo": rating.elo,
                "elo_se": rating.se,
                "n": score.matches,
                "wins": score.wins,
                "losses": score.losses,
                "draws": score.draws,
                "playouts": self._players.playouts(standing.individual),
                "baseline_playouts": self._config.search.baseline_playouts,
                "baseline_uct_c": self._players.uct_c,
                "work_ratio": round(self._players.work_ratio(standing.individual), 6),
                "handicap": self._config.search.handicap,
            },
        )
        self._parts = []
        self._draw()
        self._store.forget(self._evolution.state.generation + 1)
        self._reporter.validated(standing)

    def _draw(self) -> None:
        draw_plots(self._store.folder)
        write_report(self._store.folder, self._game.sheet, geometry_of(self._machine))

    def _checkpoint(self) -> None:
        """Everything up to here stands; what the present generation needed on the way may go."""
        state = self._evolution.state
        lengths = {table.name: table.length() for table in self._store.tables}
        self._store.write_json(
            "checkpoints/state.json",
            {"tables": lengths, "features_mined": self._features_mined, "state": pack_state(state)},
        )
        oldest = state.generation + 1 - self._config.records.generations_mined
        self._records = {number: kept for number, kept in self._records.items() if number >= oldest}
        self._lessons = {number: kept for number, kept in self._lessons.items() if number >= oldest}
        self._counts.forget(oldest)
        self._store.forget(oldest)

    def _time(
        self, generation: int, work: str, round_: int | None, matches: int | None, playouts: int | None, seconds: float
    ) -> None:
        rates = [None if count is None else count / max(seconds, 1e-9) for count in (matches, playouts)]
        self._store.timings.append([(generation, work, round_, matches, playouts, round(seconds, 3), *rates)])
