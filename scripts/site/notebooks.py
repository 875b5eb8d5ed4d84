"""Run the notebooks of the documentation for the site: `scripts/docs` does so before it builds it.

The repository has notebooks without what they print and draw. They are run in folders of their own, and copies with
what they show, without warnings, are kept in `build/notebooks`, from where pages are made.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "docs/notebooks"
RUN = ROOT / "build/notebooks"
_LONGEST_S = 280  # of one cell


def run_notebook(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook with what it shows when it runs in a folder. Raises CellExecutionError where a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=_LONGEST_S, coalesce_streams=True, resources=where).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    return notebook


def main() -> None:
    """Run all notebooks."""
    shutil.rmtree(RUN, ignore_errors=True)
    RUN.mkdir(parents=True)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        print(path.name, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(run_notebook(path, Path(folder)), RUN / path.name)


if __name__ == "__main__":
    main()
