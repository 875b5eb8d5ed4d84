import json
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import unfinished_path
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.miner.results import json_file, store
from gdl_miner.miner.results.store import FORMAT, RunStore

CONFIG: dict[str, Any] = {
    "game": {"name": "g", "given": "g", "digest": "0"},
    "learner": "values",
    "unit": "step",
    "steps": 1,
    "validates": True,
    "fingerprint": "0",
    "source": "quick",
    "config": {"seed": 3, "search": {"playouts": 10}},
}


def test_a_new_folder_holds_configuration_and_environment_first(tmp_path: Path) -> None:
    RunStore.create(tmp_path / "run", CONFIG, {"python": "3"})
    assert json.loads((tmp_path / "run" / "env.json").read_text()) == {"python": "3"}
    assert RunStore.open(tmp_path / "run")[1] == {"format": FORMAT, **CONFIG}


@pytest.mark.parametrize("unwritten", ["env.json", "start.xml", "config.json"])
def test_a_run_that_was_killed_while_its_folder_was_made_has_not_begun_and_begins_anew(
    unwritten: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed_writing_knowledge(knowledge: Knowledge, path: Path, sheet: object) -> None:
        killed(path, b"<Knowledge/>")

    def killed(path: Path, content: bytes) -> None:
        if path.name == unwritten:
            unfinished_path(path).write_bytes(content[:5])
            raise KeyboardInterrupt
        path.write_bytes(content)

    with monkeypatch.context() as patch:
        patch.setattr(json_file, "replace_file", killed)
        patch.setattr(store, "write_knowledge", killed_writing_knowledge)
        with pytest.raises(KeyboardInterrupt):
            RunStore.create(tmp_path, CONFIG, {}, Knowledge("", "", (), (), ()))
    with pytest.raises(ConfigError, match="this is no run"):
        RunStore.open(tmp_path)
    RunStore.create(tmp_path, CONFIG, {"python": "3"})
    assert RunStore.open(tmp_path)[1] == {"format": FORMAT, **CONFIG}
    assert (tmp_path / "env.json").exists()
    assert not [*tmp_path.glob("start.xml*")]
    assert not [*tmp_path.glob(".*")]


def test_a_folder_that_holds_anything_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(ConfigError, match=r"not empty.*miner resume"):
        RunStore.create(tmp_path, {}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be made"):
        RunStore.create(tmp_path / "file" / "run", {}, {})


def test_a_folder_without_a_run_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="this is no run"):
        RunStore.open(tmp_path)
    (tmp_path / "best.xml").touch()
    with pytest.raises(ConfigError, match=r"best\.xml: this is no run; give a folder"):
        RunStore.open(tmp_path / "best.xml")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *(({key: None}, f"{key}: Input should be") for key in CONFIG),
        *(({"game": {**CONFIG["game"], key: None}}, rf"game\.{key}: ") for key in CONFIG["game"]),
        ({"unit": "\x1b[2J"}, "unit: String should match"),
        ({"game": {**CONFIG["game"], "given": "a\0b"}}, r"game\.given: String should match"),
        ({"steps": 10**400}, "steps: "),
    ],
)
def test_a_configuration_without_its_parts_cannot_be_opened(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"format": FORMAT, **CONFIG, **change}))
    with pytest.raises(ConfigError, match=rf"config\.json: {said}.*; restore the file, or start a new run"):
        RunStore.open(tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 99}'])
def test_a_damaged_or_foreign_configuration_cannot_be_opened(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ConfigError, match=r"config\.json"):
        RunStore.open(tmp_path)
