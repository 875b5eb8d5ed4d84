"""Run the notebooks of the documentation and keep what they show: `scripts/docs notebooks`.

What they print and draw is kept in them, for the site and for readers of the repository; warnings are not.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "docs/notebooks"
_LONGEST_S = 280  # of one cell


def run_notebook(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook with what it shows when it runs in a folder. Raises CellExecutionError where a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=_LONGEST_S, coalesce_streams=True, resources=where).execute()
    return notebook


def _kept(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return a notebook without what differs from run to run for no reason: times, versions and warnings."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    return notebook


def main() -> None:
    """Run all notebooks, or those that are named."""
    for path in [Path(word) for word in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        print(path.name, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(_kept(run_notebook(path, Path(folder))), path)


if __name__ == "__main__":
    main()
