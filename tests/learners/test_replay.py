"""A learner goes on after any of its tasks: a new one that is sent the kept results asks for the same task next."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.runs.journal import Journal
from gdl_miner.miner.runs.method import OWN_METHODS, method_named
from gdl_miner.miner.runs.task import Learner, Task
from gdl_miner.miner.runs.typed_json import digest_of
from tests.learners.culture import test_culture_learner as culture
from tests.learners.driving import GAME, MAKER, Answers, Changes, answer_to, driven, new_learner
from tests.learners.evolution import test_evolution_values as valued_evolution
from tests.learners.evolution import test_network_evolution as networks
from tests.learners.evolution.world import EVOLVED, NO_NETWORKS, World
from tests.learners.expert_iteration import test_expert_learner as expert
from tests.learners.gifl import test_gifl_learner as gifl
from tests.learners.values import test_values_learner as values

Case = tuple[str, Changes, Knowledge | None, Callable[[], Answers]]  # method, settings, start, answers


def evolution(world: World, start: Knowledge | None = None, **changes: Any) -> Case:
    settings = {**NO_NETWORKS, "evolution": {**EVOLVED, **changes}, "genes": {"decisive_moves": ["off", "auto"]}}
    return "evolution", settings, start, world.answers


CASES: dict[str, Case] = {
    "an evolution": evolution(World()),
    "values that are left out": evolution(World(harmful=valued_evolution.HARMFUL), value_steps=1),
    "values that are mixed": evolution(World(harmful=("start",)), value_steps=2),
    "values that are trusted in all searches": evolution(World(), value_steps=3),
    "values that are trusted in some searches": evolution(World(trustworthy=False), value_steps=1),
    "an evolution from a file": evolution(World(), valued_evolution.file(trusted_playouts=700)),
    "an evolution of networks": ("evolution", networks.FEW, None, networks.answers),
    "values": (
        "values",
        {"values": {"matches": 4, "steps": 9, "patience": 2}, "discount": {"factors": [1.0, 0.9]}, **values.LONG},
        None,
        lambda: values.answers(lambda step: step < 3, map(values.trained, (70, 60)), (0.4, 0.6)),
    ),
    "values from a file": (
        "values",
        {"values": {"matches": 4, "steps": 3}},
        MAKER.valued(Parameters(uct_c=7.0), 0, expert.worth(4.0)),
        values.answers,
    ),
    "culture": ("culture", culture.with_parts(steps=3), None, lambda: culture.answers(load_machine(GAME))),
    "gifl": ("gifl", {"gifl": {"steps": 3, "matches": 4}}, None, lambda: gifl.ANSWERS),
    "expert iteration": (
        "expert-iteration",
        {
            "expert": {
                **expert.TWO_STEPS, "measured_after": [3, 8, 9], "buffer": 6, "pruned_after": 4, "kept_features": 2,
                "value_steps": 2, "matches": 4, "validation_matches": 4,
            }
        },
        None,
        lambda: expert.answers(lambda step: step != 2),
    ),
    "expert iteration from a file": (
        "expert-iteration",
        {"expert": {**expert.TWO_STEPS, "value_steps": 0, "matches": 4, "validation_matches": 4}},
        expert.knowledge_of((), (), expert.worth(4.0)),
        expert.answers,
    ),
}  # fmt: skip


def learner_of(name: str) -> Learner:
    method, changes, start, _ = CASES[name]
    return new_learner(method_named(method), changes, start)


def described(task: Task[Any] | None) -> tuple[str, str] | None:
    return None if task is None else (task.name, digest_of(task.arguments))


def test_every_method_is_tried() -> None:
    assert {method for method, *_ in CASES.values()} == set(OWN_METHODS)


def kept_in(folder: Path, name: str) -> list[tuple[str, str] | None]:
    """Drive a learner to its end with a journal in a folder, and return its tasks."""
    (folder / "arrays").mkdir()
    learner, answers = learner_of(name), CASES[name][-1]()
    journal, kept = Journal(folder, "the test"), []
    task = journal.replay(learner)
    while task is not None:
        kept.append(described(task))
        try:
            task = learner.send(journal.append(task, answer_to(task, answers), {}))
        except StopIteration:
            task = None
    return kept


@pytest.mark.parametrize("name", CASES)
def test_a_learner_goes_on_after_any_task(name: str, tmp_path: Path) -> None:
    kept = kept_in(tmp_path, name)
    assert kept == list(map(described, driven(learner_of(name), CASES[name][-1]()))), "as without a journal"
    lines = (tmp_path / "journal.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == len(kept) > 5
    for done in range(len(lines) + 1):
        (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:done]))
        following = Journal(tmp_path, "the test").replay(learner_of(name))
        assert described(following) == (kept[done] if done < len(kept) else None), done


@pytest.mark.parametrize(
    ("changes", "line", "said"),
    [
        ({"values": {"matches": 40, "steps": 3}}, 3, "other arguments"),
        ({"values": {"matches": 4, "steps": 2}}, 9, r"\S+\.try_long_searches where it says \S+\.train_values"),
    ],
)
def test_a_learner_that_would_go_on_differently_is_refused_with_the_place(
    changes: Changes, line: int, said: str, tmp_path: Path
) -> None:
    kept_in(tmp_path, "values from a file")
    method, _, start, _ = CASES["values from a file"]
    with pytest.raises(ConfigError, match=rf"journal\.jsonl:{line}: .*\({said}\).*that made it \(the test\)"):
        Journal(tmp_path, "the test").replay(new_learner(method_named(method), changes, start))
