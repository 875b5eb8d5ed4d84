"""Reviews of matches: values and losses against a naive minimax, causes, files and pages."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gdl_miner
from gdl_miner.agent.errors import ConfigError, RecordError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.review import (
    Cause,
    KeptMatch,
    KeptSearch,
    ReviewSettings,
    choices,
    read_kept_match,
    review_match,
    review_page,
    reviewed_role,
    usual_playouts,
)
from gdl_miner.agent.search.record_xml import write_records
from gdl_miner.agent.search.records import concatenate_records
from tests.command_line import agent, succeeded
from tests.search.chance_games import BET

SETTINGS = ReviewSettings(usual=20, playouts=20000)
LOST = ("(mark 1 1 x)", "(mark 1 2 o)", "(mark 2 2 x)", "(mark 3 2 o)", "(mark 3 3 x)")  # the first move of o loses


@pytest.fixture(scope="module")
def tictactoe() -> Machine:
    return load_machine("tictactoe.ext")


def played(machine: Machine, moves: tuple[str, ...]) -> OngoingMatch:
    """A match of two roles that move in turn; the other one has noop."""
    match = OngoingMatch(machine)
    for number, move in enumerate(moves):
        match.advance([move, "noop"] if number % 2 == 0 else ["noop", move])
    return match


def minimax(machine: Machine, state: Any, role: int) -> int:
    """The goal of a role by perfect play of all, by brute force; one role at a time has a choice."""
    if machine.terminal(state):
        return machine.goals(state)[role] or 0
    legal = machine.legal(state)
    mover = next((each for each, rows in enumerate(legal) if len(rows) > 1), 0)
    joints = ([int(row) if each == mover else int(rows[0]) for each, rows in enumerate(legal)] for row in legal[mover])
    worth = [minimax(machine, machine.next(state, joint), role) for joint in joints]
    return max(worth) if mover == role else min(worth)


def test_values_and_losses_are_those_of_perfect_play(tictactoe: Machine) -> None:
    seen = 0
    for seed in range(6):
        match, dice = OngoingMatch(tictactoe), random.Random(seed)
        while not match.ended:
            match.advance([dice.choice(match.legal(role)) for role in range(2)])
        kept = KeptMatch("random", match.record("random"), opening=3)
        for role in (0, 1):
            for move in review_match(tictactoe, kept, role, SETTINGS).moves:
                state, joint = kept.record.states[move.ply], kept.record.moves[move.ply].tolist()
                after = tictactoe.next(state, joint)
                assert move.deep == pytest.approx(minimax(tictactoe, state, role), abs=1.0)  # proven, or nearly so
                assert move.best.value == pytest.approx(minimax(tictactoe, state, role), abs=1.0)
                assert move.made.value == pytest.approx(minimax(tictactoe, after, role), abs=1.0)
                assert bool(move.causes) == (move.loss >= SETTINGS.threshold)
                seen += bool(move.causes)
    assert seen > 3


def test_all_outcomes_of_chance_count() -> None:
    machine = load_machine(parse_sheet(BET, "bet.kif"))
    match = OngoingMatch(machine)
    match.advance(["bold", "noop"])
    match.advance(["noop", "(fall west)"])
    [move] = review_match(machine, KeptMatch("bet", match.record("bet")), 0, replace(SETTINGS, opening=0)).moves
    assert (move.made.value, move.best.value, move.loss) == (25.0, 40.0, 15.0)
    assert move.causes == (Cause.search,)


def test_the_loser_is_reviewed_unless_the_file_names_its_player(tictactoe: Machine) -> None:
    record = played(tictactoe, LOST).record("lost")
    assert record.goals.tolist() == [[100, 0]]
    assert reviewed_role(KeptMatch("lost", record), tictactoe) == 1
    assert reviewed_role(KeptMatch("lost", record, role=0), tictactoe) == 0


def reviewed(machine: Machine, settings: ReviewSettings, searches: dict[int, KeptSearch], **more: Any) -> Any:
    """The review of o's first move, which loses."""
    kept = KeptMatch("lost", played(machine, LOST).record("lost"), role=1, searches=searches)
    return review_match(machine, kept, 1, settings, **more).moves[0]


def test_the_first_cause_is_the_one_that_counts(tictactoe: Machine) -> None:
    late = {ply: replace(SETTINGS, opening=opening) for ply, opening in ((0, 0), (1, 8))}
    assert reviewed(tictactoe, late[0], {}).causes == (Cause.search,)
    assert reviewed(tictactoe, late[1], {}).causes == (Cause.opening, Cause.search)
    fault = reviewed(tictactoe, late[1], {1: KeptSearch(fault="late")})
    assert fault.causes == (Cause.fault, Cause.opening, Cause.search)


@pytest.mark.parametrize(("playouts", "short"), [(3, True), (300, False), (None, False)])
def test_a_short_search_is_the_cause_where_a_usual_one_finds_the_move(
    tictactoe: Machine, playouts: int | None, short: bool
) -> None:
    settings = ReviewSettings(usual=500, playouts=20000, opening=0)
    move = reviewed(tictactoe, settings, {1: KeptSearch(playouts, value=50.0)})
    assert move.found_at == settings.usual
    assert move.estimate == 50.0
    assert (Cause.clock in move.causes) == short


def test_values_that_prefer_the_move_are_the_cause(tictactoe: Machine) -> None:
    settings = ReviewSettings(usual=2, playouts=20000, opening=0)
    for weight, wrong in ((2.0, True), (-2.0, False)):
        known = gdl_miner.fact_values("tictactoe.ext", {"(cell 1 2 o)": (-weight, weight)})
        move = reviewed(tictactoe, settings, {}, knowledge=known)
        assert (Cause.values in move.causes) == wrong, weight
        assert move.made.worth is not None
        assert (move.made.worth > move.best.worth) == wrong


def test_a_player_with_wrong_values_is_judged_by_others(tictactoe: Machine) -> None:
    known = gdl_miner.fact_values("tictactoe.ext", {"(cell 1 2 o)": (-9.0, 9.0)})
    other = gdl_miner.fact_values("tictactoe.ext", {"(cell 2 2 o)": (-1.0, 1.0)})
    settings = ReviewSettings(usual=1, playouts=100, opening=0)
    move = reviewed(tictactoe, settings, {}, knowledge=known, judge=other)
    assert tictactoe.circuit.moves[move.best.row] == "(mark 2 2 o)"
    assert move.found_at is None
    assert move.causes == (Cause.values,)


def test_the_first_wrong_estimate_is_named(tictactoe: Machine) -> None:
    searches = {ply: KeptSearch(9, value=50.0) for ply in range(6)}
    kept = KeptMatch("lost", played(tictactoe, LOST).record("lost"), role=1, searches=searches)
    found = review_match(tictactoe, kept, 1, SETTINGS)
    assert [round(move.deep) for move in found.moves] == [50, 0]
    assert found.misjudged is found.moves[1]
    assert found.as_json(tictactoe)["misjudged_from"] == 3


def test_the_page_draws_the_move_and_the_better_one(tictactoe: Machine) -> None:
    kept = KeptMatch("<lost>", played(tictactoe, LOST).record("<lost>"), role=1)
    found = review_match(tictactoe, kept, 1, SETTINGS)
    page = review_page(found, tictactoe)
    assert len(found.losing) == 1
    assert page.count("<figure>") == 2
    made, better = page.split("<figure>")[1:]
    assert 'class="field last" data-point="1 2"' in made
    assert 'class="field last" data-point="1 2"' not in better
    assert 'class="field last"' in better
    assert "&lt;lost&gt;" in page
    assert "<lost>" not in page
    assert page == review_page(review_match(tictactoe, kept, 1, SETTINGS), tictactoe)


def test_a_record_and_the_json_of_a_match_have_the_same_review(tictactoe: Machine, tmp_path: Path) -> None:
    game = ("--game", "tictactoe.ext")
    play = ("play", *game, "--playouts", 30, "--o", "random", "--seed", 3, "--record", tmp_path / "match.xml", "--json")
    (tmp_path / "match.json").write_text(succeeded(agent(*play)))
    record, told = (
        json.loads(succeeded(agent("review", *game, tmp_path / name, "--role", "x", "--json")))
        for name in ("match.xml", "match.json")
    )
    assert record.pop("match") == "tictactoe.ext-3"
    assert told.pop("match") == "match"
    assert record == told
    assert 0 < record["usual_playouts"] <= 30
    assert record["playouts"] == 10_000


def test_the_files_of_the_laboratory_tell_how_long_searches_were(tictactoe: Machine, tmp_path: Path) -> None:
    own = [{"ply": 1, "move": "(mark 1 2 o)", "playouts": 40, "value": 61.5, "chosen": True, "fault": None}]
    own += [{"ply": 3, "move": "(mark 3 2 o)", "playouts": 80, "value": None, "chosen": False, "fault": "late"}]
    moves = [list(joint) for joint in played(tictactoe, LOST).joints]
    content = {"role": "o", "opening_plies": 1, "moves": moves, "own_moves": own, "faults": []}
    (tmp_path / "match.json").write_text(json.dumps(content))
    kept = read_kept_match(tmp_path / "match.json", tictactoe)
    assert kept.searches == {1: KeptSearch(40, 61.5), 3: KeptSearch(80, None, "late")}
    assert (kept.role, kept.opening, usual_playouts(kept, tictactoe, 1)) == (1, 1, 60)
    assert usual_playouts(kept, tictactoe, 0) == 1000
    assert choices(kept, tictactoe, 1) == [1, 3]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"moves": [["(mark 1 1 x)", "(mark 1 1 o)"]]}', "no match of tictactoe.ext"),
        ('{"moves": 5}', "no match of tictactoe.ext"),
        ('{"moves": [], "role": "white"}', "no match of tictactoe.ext"),
        ("{", "no match of tictactoe.ext"),
        ('{"moves": []}', "x never had a choice"),
    ],
)
def test_what_is_no_match_is_refused(content: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "match.json").write_text(content)
    failed = agent("review", "--game", "tictactoe.ext", tmp_path / "match.json").exception
    assert isinstance(failed, (RecordError, ConfigError))
    assert problem in str(failed)


def test_mistaken_options_are_told(tictactoe: Machine, tmp_path: Path) -> None:
    moves = [list(joint) for joint in played(tictactoe, LOST).joints]
    (tmp_path / "match.json").write_text(json.dumps({"moves": moves}))
    for options, problem in (
        (("--role", "white"), "has no role white; its roles are x, o"),
        (("--playouts", 10), "deep searches of 10 playouts are no deeper"),
    ):
        failed = agent("review", "--game", "tictactoe.ext", tmp_path / "match.json", *options).exception
        assert problem in str(failed)
    record = concatenate_records([played(tictactoe, LOST).record(name) for name in "ab"])
    write_records(record, tictactoe, tmp_path / "two.xml")
    asked = ("review", "--game", "tictactoe.ext", tmp_path / "two.xml", "--own-playouts", 5)
    assert "2 matches; name one with --match: a, b" in str(agent(*asked).exception)
    assert "no match c; it has a, b" in str(agent(*asked, "--match", "c").exception)
    shown = succeeded(agent(*asked, "--match", "b", "--html", tmp_path / "review.html"))
    assert shown.startswith("match b: x 100, o 0 after 5 plies\n")
    assert "1 of 2 moves of o lost 10 points or more, 50 in all; causes: opening 1." in shown
    assert (tmp_path / "review.html").read_text().startswith("<!doctype html>")
