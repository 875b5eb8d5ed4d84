"""Tests of the content of report.html and, if a Chromium is installed, of its look on narrow and wide screens."""

import json
import re
import subprocess
from dataclasses import replace
from html import escape, unescape
from pathlib import Path

import pytest
from lxml import etree

from gdl_miner.agent.knowledge import read_knowledge, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import ValuePart, Values
from gdl_miner.miner.learners.evolution.genome import GENOME
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.report import draw_run
from gdl_miner.miner.results.step_columns import shown
from tests.chromium import chromium
from tests.command_line import miner, succeeded

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
        "Strength",
        "Lineage of the best",
        "The last tournament",
        "Features",
        "Pruning",
        "What the champion looks at",
        "Measures",
        "Throughput",
        "Generations",
        "What was run",
    ]


def test_the_tables_of_generations_have_every_measure_of_the_best_and_the_champion(
    page: str, finished_run: Path
) -> None:
    tables = page[page.index("<h2>Generations") : page.index("<h2>What was run")]
    last = read_run(finished_run).main.iloc[-1]
    for metric in GENOME.names:
        assert f"<td>{metric}</td><td>{escape(shown(last[metric]))}</td>" in tables
    assert tables.index(f"<td>{last['name']}</td>") < tables.index("<td>fresh</td>")


def test_a_page_of_a_run_without_matches_against_bare_uct_shows_what_it_has(copied_run: Path) -> None:
    run = copied_run
    (run / "champion.json").unlink()
    (run / "steps.csv").write_text("step,name,metric,value\n1,s001,loss,0.5\n2,s002,loss,0.25\n2,s002,solved,true\n")
    draw_run(run, load_machine("tictactoe.ext"))
    page = (run / "report.html").read_text("utf-8")
    assert "<h4>loss <b>0.25</b></h4>" in page
    assert "<td>solved</td><td>yes</td>" in page
    assert "<h2>Strength" not in page
    assert "nan" not in page
    assert re.search(r"loss +█▁ +0\.25", succeeded(miner("inspect", run)))


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


def test_a_run_whose_champion_is_not_measured_is_complete_all_the_same(copied_run: Path) -> None:
    (copied_run / "champion.json").unlink()
    machine = load_machine("tictactoe.ext")
    for validated, said in ((True, "the run is not complete"), (False, "was not measured in fresh matches")):
        config = json.loads((copied_run / "config.json").read_text())
        config["validates"] = validated
        (copied_run / "config.json").write_text(json.dumps(config))
        draw_run(copied_run, machine)
        assert said in (copied_run / "report.html").read_text("utf-8")


def test_values_of_states_are_a_part_of_the_report(copied_run: Path) -> None:
    machine, best = load_machine("tictactoe.ext"), copied_run / "best.xml"
    values = Values((), True, "", (), (ValuePart(0, 0, 0, {"(cell 2 2 x)": 0.75}, ()),))
    known = replace(read_knowledge(best, machine.sheet), values=values)
    for lists, shows in ((known, True), (replace(known, winning=((), ()), losing=((), ())), False)):
        write_knowledge(lists, best, machine.sheet)
        draw_run(copied_run, machine)
        page = (copied_run / "report.html").read_text("utf-8")
        assert "<h2>What states are worth to the champion</h2>" in page
        assert "+0.75</text>" in page
        assert ("<h2>What the champion looks at</h2>" in page) == shows


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
