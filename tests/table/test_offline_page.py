"""The page that plays by itself, in a real browser: it agrees with the native module, plays offline and explains."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdl_miner.agent import Player, _native
from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import Itemset, MetafactPieceInArea, WeightedFeature, feature_class, occurrences
from gdl_miner.agent.games import bundled
from gdl_miner.agent.geometry import EMPTY, geometry_of
from gdl_miner.agent.knowledge import Knowledge, Parameters, Phase, compile_knowledge, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.table.offline import playable_page
from gdl_miner.agent.values import StateJudge, values_of
from gdl_miner.agent.values.random_play import blank_of
from tests.chromium import chromium
from tests.knowledge.plain import knowledge_of
from tests.knowledge.random_knowledge import random_knowledge
from tests.knowledge.test_bundled_games import legal_moves_of_playouts
from tests.plugins.packages import install_example
from tests.search.positions import machine_of, random_match
from tests.table.browser import Page, a_page
from tests.values.random_values import random_layout, random_weights

CHAMPIONS = Path(__file__).parents[2] / "docs" / "champions"
LARGEST_PAGE = 2_000_000  # bytes
TOLERANCE = 0.01  # of values from 0 to 100, for weights of four decimals
YOUR_MOVE = "!!document.querySelector('#status.yours')"


@pytest.fixture(autouse=True)
def _browser() -> None:
    """Skip where there is no browser."""
    chromium()


def in_the_page(text: str, folder: Path, what: Callable[[Page], Awaitable[None]]) -> None:
    """Open a page from a file and do something in it; no request may leave it, and nothing may go wrong."""
    path = folder / "page.html"
    path.write_text(text, "utf-8")
    assert path.stat().st_size < LARGEST_PAGE

    async def run() -> None:
        async with a_page(folder / "profile") as page:
            await page.open(f"{path.as_uri()}?seed=1")
            await page.until("typeof connection !== 'undefined' && connection.session?.shown !== undefined")
            await what(page)
            assert await page.value("performance.getEntriesByType('resource').length") == 0
            assert page.problems == []

    asyncio.run(run())


LOOK_ALONG = """
((joints) => {
  const { rules, agents } = connection.session, { values, features } = agents.knowledge;
  let state = rules.initial, last = null;
  return [...joints, null].map((joint, number) => {
    const explained = values && number %% 5 === 0;
    const { terminal, legal, goals } = rules.look(state), before = state, told = {
      fluents: rules.fluentsOf(state), terminal, legal, goals, values: values ? values.ofState(state) : null,
      weights: [PLAYOUT, SELECTION].map((phase) => legal.map((rows, role) => (
        rows.length && features ? features.weights(state, last, role, rows, phase) : []))),
      contributions: explained && legal.map((_, role) => values.contributions(state, role)),
    };
    if (joint) {
      [state, last] = [rules.step(state, joint), joint];
      told.changes = explained && legal.map((_, role) => values.contributions(state, role, before));
    }
    return told;
  });
})(%s)
"""


def assert_alike(found: list[dict[str, Any]], expected: list[Any]) -> None:
    """Compare contributions of the page with those of the values, whatever the order of equal ones."""
    told = sorted((each["words"], each["weight"]) for each in found)
    known = sorted((each.words, each.weight) for each in expected)
    assert [words for words, _ in told] == [words for words, _ in known]
    assert [weight for _, weight in told] == pytest.approx([weight for _, weight in known], abs=2e-4)


async def assert_agrees(page: Page, machine: Machine, knowledge: Knowledge, seed: int) -> None:
    """Play a random match in the page; what it finds in each state must be what the program finds."""
    match = list(random_match(machine, random.Random(seed)))
    joints = [list(map(int, joint)) for _, joint in match[1:]]
    judge = None if knowledge.values is None else StateJudge(knowledge.values, machine)
    scorer = _native.Scorer(compile_knowledge(knowledge, machine))
    found = await page.value(LOOK_ALONG % json.dumps(joints))
    assert len(found) == len(match)
    for number, ((state, last), told) in enumerate(zip(match, found, strict=True)):
        assert [machine.fluents[fluent] for fluent in told["fluents"]] == machine.facts(state)
        assert told["terminal"] == machine.terminal(state) == (number == len(joints))
        assert told["goals"] == list(machine.goals(state))
        if judge is not None:
            assert told["values"] == pytest.approx(judge.values(state[None])[0].tolist(), abs=TOLERANCE)
        explained = judge is not None and number % 5 == 0
        for role in machine.circuit.choosing_roles if explained else ():
            assert_alike(told["contributions"][role], judge.contributions(state, role))
            if number < len(joints):
                assert_alike(told["changes"][role], judge.changes(state, match[number + 1][0], role))
        if told["terminal"]:
            continue
        legal = machine.legal(state)
        assert told["legal"] == [rows.tolist() for rows in legal]
        for role, rows in enumerate(legal if knowledge.n_features else ()):
            for phase in Phase:
                batch = state[None], np.array([last], np.int32), np.array([0, len(rows)], np.int64), rows
                native = scorer.score(int(phase), role, *batch).tolist()
                assert told["weights"][int(phase)][role] == pytest.approx(native, rel=1e-3, abs=1.0)


def champion(run: str) -> tuple[Machine, Knowledge]:
    machine = machine_of(run[:-2])
    return machine, read_knowledge(CHAMPIONS / run / "best.xml", machine.sheet)


def random_file(machine: Machine, seed: int) -> Knowledge:
    """Return knowledge with random features of all classes and random values that look at playable cells and costs."""
    dice = random.Random(seed)
    playable = geometry_of(machine).piece_code.get("b", EMPTY) == blank_of(machine)
    layout = random_layout(machine, seed, symmetric=seed % 2 == 0, playable=playable, costs=True)
    values = values_of(layout, random_weights(layout, seed, 0.3), digits=4)
    batch = legal_moves_of_playouts(machine, dice, 6)
    features = list(occurrences(batch, geometry_of(machine)).features)
    parts = random_knowledge(machine, dice, features, decisive_moves="off")
    return knowledge_of(machine, parts.winning, parts.losing, parts.parameters, values=values)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in sorted(bundled()) if not name.startswith(("amazons", "gomoku"))])
def test_rules_values_and_features_are_those_of_the_program(name: str, tmp_path: Path) -> None:
    machine = machine_of(name)
    knowledge = random_file(machine, len(name))

    async def look(page: Page) -> None:
        await assert_agrees(page, machine, knowledge, 1)

    in_the_page(playable_page(machine, knowledge, "random.xml"), tmp_path, look)


@pytest.mark.slow
def test_features_of_another_package_with_a_table_are_those_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_example("feature", tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    machine = machine_of("breakthrough.ext")
    features: Any = feature_class("FeatureBeside")
    items = Itemset((MetafactPieceInArea(2, (3, 3), "white"),))
    entries = tuple(
        WeightedFeature(each, weight, itemset)
        for each in features.every(geometry_of(machine))
        for weight, itemset in ((1.5, None), (0.5, items))
    )
    knowledge = knowledge_of(machine, (entries, entries))

    async def look(page: Page) -> None:
        await assert_agrees(page, machine, knowledge, 3)

    in_the_page(playable_page(machine, knowledge, "beside.xml"), tmp_path, look)


@pytest.mark.slow
@pytest.mark.parametrize("run", ["breakthrough.ext-1", "othello.ext-5", "connectfour7.ext-3", "amazons.ext-1"])
def test_files_of_whole_runs_play_in_the_page(run: str, tmp_path: Path) -> None:
    machine, knowledge = champion(run)

    async def look(page: Page) -> None:
        await assert_agrees(page, machine, knowledge, 2)

    in_the_page(playable_page(machine, knowledge, "best.xml"), tmp_path, look)


@pytest.mark.parametrize("name", ["pennies", "three", "small wager", "race"])
def test_rules_with_moves_at_once_and_with_chance_are_those_of_the_program(name: str, tmp_path: Path) -> None:
    machine = machine_of(name)
    knowledge = random_file(machine, 3)

    async def look(page: Page) -> None:
        await assert_agrees(page, machine, knowledge, 3)

    in_the_page(playable_page(machine, knowledge, "random.xml"), tmp_path, look)


SEARCH = """
(async (joints, playouts, role) => {
  const { rules, agents } = connection.session, search = new Search(rules, agents.knowledge, role, 5);
  const state = joints.reduce((before, joint) => rules.step(before, joint), rules.initial);
  search.begin(state, joints[joints.length - 1] ?? null, playouts);
  search.run(playouts, 1e9);
  return { moves: search.thought(role), row: search.choose(role), playouts: search.playouts };
})(%s)
"""


def mean_goal(moves: list[tuple[int, float]]) -> float:
    """Return the mean goal of all playouts of a search, given the visits and the mean goal of each move."""
    return sum(visits * value for visits, value in moves if visits) / sum(visits for visits, _ in moves)


@pytest.mark.slow
@pytest.mark.parametrize("run", ["breakthrough.ext-1", "connectfour7.ext-3", "othello.ext-5"])
def test_searches_find_what_those_of_the_program_find(run: str, tmp_path: Path) -> None:
    machine, knowledge = champion(run)

    async def search(page: Page) -> None:
        for seed in range(3):
            match = list(random_match(machine, random.Random(seed)))
            joints = [list(map(int, joint)) for _, joint in match[1 : len(match) // 2]]
            role = max(range(2), key=lambda each: len(machine.legal(match[len(joints)][0])[each]))
            with Player(machine, machine.roles[role], knowledge=knowledge, in_flight=1, seed=seed) as player:
                for joint in joints:
                    player.match.advance_rows(joint)
                thought = player.think(playouts=1000)
            found = await page.value(SEARCH % f"{json.dumps(joints)}, 1000, {role}")
            moves = found["moves"]
            assert sorted(move.row for move in thought.moves) == sorted(move["row"] for move in moves)
            assert moves[0]["verdict"] == thought.chosen.verdict
            if thought.chosen.verdict == 0:
                known = mean_goal([(move.visits, move.value) for move in thought.moves])
                assert mean_goal([(move["visits"], move["value"]) for move in moves]) == pytest.approx(known, abs=4)

    in_the_page(playable_page(machine, knowledge, "best.xml"), tmp_path, search)


def test_a_win_in_one_is_found_and_proven_without_knowledge(tmp_path: Path) -> None:
    machine = machine_of("tictactoe.ext")
    facts = "(cell 1 1 x) (cell 1 2 x) (cell 2 1 o) (cell 2 2 o) (control x)"

    async def search(page: Page) -> None:
        told = await page.value(
            f"connection.send({{do: 'position', facts: '{facts}'}}).then(() => {{"
            "const session = connection.session, search = new Search(session.rules, session.agents.uct, 0, 1);"
            "search.begin(session.state, null, 200); search.run(200, 1e9); return search.thought(0); })"
        )
        assert machine.circuit.moves[told[0]["row"]] == "(mark 1 3 x)"
        assert told[0]["verdict"] == 1

    in_the_page(playable_page(machine), tmp_path, search)


def test_a_tree_that_is_full_grows_no_more_and_is_begun_anew(tmp_path: Path) -> None:
    machine, knowledge = champion("breakthrough.ext-1")

    async def search(page: Page) -> None:
        told = await page.value(
            "(() => { const { rules, agents } = connection.session, search = new Search(rules, agents.knowledge, 0, 1);"
            "search.begin(rules.initial, null, 1000); search.listed = MOST_LISTED; search.run(300, 1e9);"
            "const nodes = search.nodes.size, made = search.playouts; search.begin(rules.initial, null, 1000);"
            "return [nodes, made, search.nodes.size, search.listed]; })()"
        )
        assert told == [1, 300, 1, 0]

    in_the_page(playable_page(machine, knowledge, "best.xml"), tmp_path, search)


def test_a_person_plays_by_clicks_and_sees_why(tmp_path: Path) -> None:
    machine, knowledge = champion("breakthrough.ext-1")

    async def play(page: Page) -> None:
        await page.until(YOUR_MOVE)
        assert await page.value("document.querySelectorAll('#board .piece').length") == 32
        await page.value("connection.send({do: 'change', strength: {unit: 'playouts', amount: 50}, advice: true})")
        await page.until("document.querySelectorAll('#thoughts li').length > 5")
        await page.click("#thoughts li:nth-child(2)")
        await page.until("document.querySelectorAll('#board .drawn.told').length > 0")
        assert " at " in await page.value("document.querySelector('#reasons li').textContent")
        await page.click("#board [data-point='4 2']")
        await page.click("#board [data-point='4 3']")
        await page.until(f"document.querySelectorAll('#history li').length === 2 && {YOUR_MOVE}")
        assert await page.value("!!document.querySelector('#board [data-point=\"4 3\"] .disc.white')")
        await page.click("#back")
        await page.until("document.querySelectorAll('#history li').length === 0")
        await page.value("connection.send({do: 'sit', role: 0, seat: 'uct'})")
        await page.until("document.querySelector('#status').textContent.startsWith('The match is over')", 60)

    in_the_page(playable_page(machine, knowledge, "best.xml"), tmp_path, play)


def test_names_of_rules_and_files_are_text_and_never_markup(tmp_path: Path) -> None:
    machine = machine_of("tictactoe.ext")
    known = knowledge_of(machine, parameters=Parameters(solver=True))

    async def look(page: Page) -> None:
        assert await page.value("document.querySelectorAll('u').length") == 0
        assert "</script><u>x</u>.xml" in await page.value("document.querySelector('#roles').textContent")

    in_the_page(playable_page(machine, known, "</script><u>x</u>.xml"), tmp_path, look)


def test_knowledge_that_a_browser_cannot_play_with_is_refused() -> None:
    machine = machine_of("connectfour7.ext")
    known = knowledge_of(machine, parameters=Parameters(decisive_moves="decisive"))
    with pytest.raises(KnowledgeError, match=r"best\.xml: its playouts prefer decisive .* --option decisive_moves"):
        playable_page(machine, known, "best.xml")
