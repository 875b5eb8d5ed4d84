"""The Python blocks of docs/library.md run one after the other, as the page says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_blocks_of_the_page_run(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 3
    (tmp_path / "blocks.py").write_text("\n".join(blocks))
    done = subprocess.run(
        [sys.executable, str(tmp_path / "blocks.py")], cwd=tmp_path, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    assert "('left', 'right')\n(100, 0)" in done.stdout
