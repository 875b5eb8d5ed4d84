from pathlib import Path

import pytest

from tests.learners.runs import RUNS, Finished
from tests.runs.breaking import drive


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Return the folder of a run by its name; the run is driven when a test first asks for it."""
    folders: dict[str, Path] = {}

    def folder_of(name: str) -> Path:
        if name not in folders:
            folder = tmp_path_factory.mktemp("learners") / "run"
            drive(RUNS[name].begun(folder, folder_of))
            folders[name] = folder
        return folders[name]

    return folder_of
