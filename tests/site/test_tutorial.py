"""The blocks of docs/tutorial.md work as written, one after the other."""

import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/tutorial.md"
BLOCK = re.compile(r"^```(\w+)(?: title=\"(.*?)\")?\n(.*?)^```$", re.M | re.S)
SERVER = "agent table"


def command_line(line: str) -> list[str]:
    program, *words = shlex.split(line)
    return [sys.executable, "-m", f"gdl_miner.{program}", *words]


def said_by(line: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        command_line(line),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, "COLUMNS": "300"},
    )
    return done.returncode, done.stdout + done.stderr


def page_of_server(line: str, folder: Path) -> str:
    """Start a server with `--open`, read its page and end it by Ctrl-C."""
    assert line.endswith(" --open")
    words = [*command_line(line.removesuffix(" --open")), "--port", "0"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = re.search(r"^blocks is on the table: (http://\S+)", server.stdout.readline())
            assert address
            with urllib.request.urlopen(address[1], timeout=30) as answer:
                return str(answer.read().decode())
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=30)


@pytest.mark.slow
def test_the_tutorial_leads_from_its_sheet_to_a_match(tmp_path: Path) -> None:
    sheet, said, commands = tmp_path / "blocks.kif", "", 0
    for kind, title, text in BLOCK.findall(PAGE.read_text("utf-8")):
        if kind == "sh":
            said = ""
            for line in text.splitlines():
                commands += 1
                if line.startswith(SERVER):
                    assert '<ol id="history">' in page_of_server(line, tmp_path)
                    continue
                code, answer = said_by(line, tmp_path)
                assert code == ("not playable" in answer), answer
                said += answer
        elif kind == "text":
            files = "".join(path.read_text("utf-8") for path in tmp_path.glob("explained.html"))
            for line in text.splitlines():
                assert line in said or line in files, f"{line}\nis not in\n{said}"
        elif number := re.search(r"line (\d+)", title):
            lines = sheet.read_text("utf-8").splitlines()
            lines[int(number[1]) - 1] = text.strip()
            sheet.write_text("\n".join(lines) + "\n", "utf-8")
        else:
            sheet.write_text(text, "utf-8")
    assert commands == 10
    assert (tmp_path / "values/report.html").exists()
    assert (tmp_path / "blocks.html").exists()
