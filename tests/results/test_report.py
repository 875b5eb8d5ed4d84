"""Tests of the content of report.html and, if a Chromium is installed, of its look on narrow and wide screens."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from lxml import etree

from gdl_miner.agent.knowledge import read_knowledge, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import ValuePart, Values
from gdl_miner.miner.runs.report import write_report
from tests.chromium import chromium

PROBE = """<!doctype html><body>
<iframe src="{page}" style="width:{width}px;height:3000px;border:0"></iframe><pre id=said></pre>
<script>
const frame = document.querySelector("iframe");
frame.onload = () => {{
  const page = frame.contentDocument, said = [];
  const wide = page.documentElement.scrollWidth;
  if (wide > {width}) said.push("the page is " + wide + " wide");
  for (const text of page.querySelectorAll("svg.chart text")) {{
    const own = text.getBoundingClientRect(), room = text.closest("svg").getBoundingClientRect();
    if (own.left < room.left - 1 || own.right > room.right + 1) said.push("cut off: " + text.textContent);
  }}
  for (const picture of page.querySelectorAll("svg")) {{
    const room = picture.getBoundingClientRect();
    if (room.width < 20 || room.height < 10) said.push("no room for " + picture.getAttribute("aria-label"));
  }}
  document.getElementById("said").textContent = "[" + said.join("; ") + "] " + page.querySelectorAll("svg").length;
}};
</script></body>"""


@pytest.fixture(scope="module")
def page(finished_run: Path) -> str:
    return (finished_run / "report.html").read_text("utf-8")


def test_the_page_has_every_part(page: str) -> None:
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings == [
        "Fitness",
        "The last tournament",
        "Features",
        "Pruning",
        "What the champion looks at",
        "Parameters",
        "Throughput",
        "Generations",
        "What was run",
    ]


def test_the_table_of_generations_has_both_constants(page: str) -> None:
    table = page[page.index("<h2>Generations") :]
    assert table.index("<th>UCT c</th>") < table.index("<th>PUCT c</th>")


def test_the_page_loads_nothing(page: str) -> None:
    assert not re.search(r"<script|<link|@import|\bsrc=|url\(|https?://", page)


def test_the_page_suits_light_dark_and_paper(page: str) -> None:
    assert {"(prefers-color-scheme: dark)", "print", "(max-width: 40rem)"} == set(
        re.findall(r"@media ([^{]*?) \{", page)
    )


def test_the_page_names_the_command_and_its_repetition(page: str, finished_run: Path) -> None:
    text = unescape(page)
    assert f"miner repeat {finished_run}" in text
    assert re.search(r"<pre>miner .*</pre>", text)


def test_a_run_whose_champion_is_not_measured_is_complete_all_the_same(finished_run: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_run, tmp_path / "run")
    (tmp_path / "run" / "champion.json").unlink()
    machine = load_machine("tictactoe.ext")
    for validated, said in ((10, "the run is not complete"), (0, "was not measured in fresh matches")):
        config = json.loads((tmp_path / "run" / "config.json").read_text())
        config["config"]["tournament"]["validation_matches"] = validated
        (tmp_path / "run" / "config.json").write_text(json.dumps(config))
        write_report(tmp_path / "run", machine)
        assert said in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_values_of_states_are_a_part_of_the_report(finished_run: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_run, tmp_path / "run")
    machine, best = load_machine("tictactoe.ext"), tmp_path / "run" / "best.xml"
    values = Values((), True, "", (), (ValuePart(0, 0, 0, {"(cell 2 2 x)": 0.75}, ()),))
    known = replace(read_knowledge(best, machine.sheet), values=values)
    for lists, shown in ((known, True), (replace(known, winning=((), ()), losing=((), ())), False)):
        write_knowledge(lists, best, machine.sheet)
        write_report(tmp_path / "run", machine)
        page = (tmp_path / "run" / "report.html").read_text("utf-8")
        assert "<h2>What states are worth to the champion</h2>" in page
        assert "+0.75</text>" in page
        assert ("<h2>What the champion looks at</h2>" in page) == shown


def test_every_picture_is_well_formed_and_described(page: str) -> None:
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) > 8
    for picture in pictures:
        root = etree.fromstring(picture)
        assert root.get("aria-label") or root.get("aria-hidden")
        assert "nan" not in picture


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1100])
def test_a_browser_shows_everything_within_the_page(finished_run: Path, tmp_path: Path, width: int) -> None:
    browser, probe = chromium(), tmp_path / "probe.html"
    probe.write_text(PROBE.format(page=(finished_run / "report.html").as_uri(), width=width))
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
    flags += ["--disable-background-networking", "--disable-component-update", "--allow-file-access-from-files"]
    flags += [f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1400,3000", "--virtual-time-budget=5000"]
    done = subprocess.run(
        [browser, *flags, "--dump-dom", probe.as_uri()], capture_output=True, text=True, timeout=60, check=True
    )
    said = re.search(r'<pre id="said">\[(.*?)\] (\d+)</pre>', done.stdout)
    assert said is not None, done.stdout[-500:]
    assert unescape(said[1]) == ""
    assert int(said[2]) > 8
