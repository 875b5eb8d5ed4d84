"""Learners driven by scripted results: a learner is sent an answer for each task, and all its tasks are kept."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gdl_miner.agent.knowledge import Knowledge, Provenance
from gdl_miner.miner.play.rating import Rating, Score
from gdl_miner.miner.runs.entrant import Entrant, KnowledgeMaker, Validation
from gdl_miner.miner.runs.matches import MatchResults
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.runs.task import Learner, Task
from gdl_miner.miner.runs.trials import Trust

Answers = Mapping[str, Callable[..., Any]]  # by name of a task's function: called with the task's arguments
Changes = Mapping[str, Mapping[str, Any]]  # of settings, by section

GAME = "tictactoe.ext"
TRUSTED = Trust(600, 0)  # in searches of any length
ENDING = ["try_long_searches", "keep_players", "crown", "validate"]  # tasks after the last step of a learner of values
MAKER = KnowledgeMaker(GAME, "", ("x", "o"), Provenance("test", 0, 1, "1"))


def new_learner(
    method: LearningMethod[Any], changes: Changes, start: Knowledge | None = None, maker: KnowledgeMaker = MAKER
) -> Learner:
    """Return a learner with the configuration `quick`, except for some settings."""
    return method.learn(read_settings(method.settings, "quick", changes), replace(maker, start=start))


def name_of(task: Task[Any]) -> str:
    """Return the name of a task's function."""
    return task.function.__name__


def driven(learner: Learner, answers: Answers, most: int = 100_000) -> list[Task[Any]]:
    """Send a learner the answers to at most so many tasks; return these tasks. Tasks without an answer give None."""
    tasks: list[Task[Any]] = []
    try:
        task = next(learner)
        while len(tasks) < most:
            tasks.append(task)
            task = learner.send(answer_to(task, answers))
    except StopIteration:
        pass
    return tasks


def answer_to(task: Task[Any], answers: Answers) -> Any:
    """Return the scripted result of a task."""
    answer = answers.get(name_of(task))
    return None if answer is None else answer(**task.arguments)


def only(tasks: list[Task[Any]], name: str) -> list[dict[str, Any]]:
    """Return the arguments of the tasks of a function, in order."""
    return [task.arguments for task in tasks if name_of(task) == name]


def players_of(tasks: list[Task[Any]], step: int) -> tuple[Entrant, ...]:
    """Return the players that were kept for a step last."""
    kept: tuple[Entrant, ...] = [each["players"] for each in only(tasks, "keep_players") if each["step"] == step][-1]
    return kept


def plays(wins: Callable[[int], bool] = lambda step: True) -> Callable[..., MatchResults]:
    """Return the answer to matches in which player 1 wins all in some steps, and loses all in the others."""

    def play_matches(step: int, entrants: tuple[Entrant, ...], matches: Any, **_: Any) -> MatchResults:
        goals = {match.id: [100 if (player == 1) == wins(step) else 0 for player in match.seats] for match in matches}
        return MatchResults(goals, {each.name: 1.0 for each in entrants})

    return play_matches


def validated(entrant: Entrant, **_: Any) -> Validation:
    """Return that an entrant lost its only match."""
    return Validation(entrant.name, Score(1), Rating(0.0, 1.0))
