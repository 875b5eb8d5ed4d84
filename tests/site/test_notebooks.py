"""The notebooks of the documentation run from their first cell to the last."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.needs import skip_without

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs/notebooks").glob("*.ipynb"))
MOST_BYTES = 200_000  # of a notebook with what it shows


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("nbclient") is None:
        skip_without("docs", "no extra docs: scripts/setup docs installs it")
    import nbformat

    from scripts.site.notebooks import run_notebook

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    kept, shown = (notebook.cells for notebook in (nbformat.read(path, as_version=4), run_notebook(path, tmp_path)))
    for old, new in zip(kept, shown, strict=True):
        kinds = [
            [sorted(each.get("data", ())) for each in cell.get("outputs", ()) if each.get("name") != "stderr"]
            for cell in (old, new)
        ]
        assert kinds[0] == kinds[1], f"{new.source}\nshows something else now; keep it by scripts/docs notebooks"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_shows_no_error(path: Path) -> None:
    assert len(NOTEBOOKS) == 5
    text = path.read_text("utf-8")
    assert len(text) < MOST_BYTES
    assert '"output_type": "error"' not in text
    assert '"image/png"' in text or '"image/svg+xml"' in text
