"""Released knowledge: every file of the index is whole, fits its rules and plays, and names stand for files."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import gdl_miner
from gdl_miner.agent.errors import ConfigError, KnowledgeError, UserError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import RuleSheet, parse_sheet, read_sheet
from gdl_miner.agent.knowledge import read_knowledge, size_with_table, table_beside
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.released import LEVELS, Released, knowledge_file, read_index
from gdl_miner.agent.released.index import FOLDER, INDEX
from gdl_miner.agent.server.preparation import KnownGames
from gdl_miner.miner.runs.method import method_named, method_names
from gdl_miner.miner.runs.start import read_start
from tests.command_line import agent, miner, succeeded
from tests.search.chance_games import RACE

RELEASED = read_index()
GAME = "connectfour.ext"
MOST_BYTES = 3_000_000  # of all released files


def entry(game: str, level: str = "quick") -> Released:
    [found] = [each for each in RELEASED if (each.game, each.level) == (game, level)]
    return found


@pytest.fixture
def sheet() -> RuleSheet:
    return read_sheet(GAME)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "released"))


def test_the_index_has_levels_of_bundled_games_each_once() -> None:
    assert {each.game for each in RELEASED} <= set(bundled())
    assert {each.level for each in RELEASED} <= set(LEVELS)
    assert len({(each.game, each.level) for each in RELEASED}) == len(RELEASED)


@pytest.mark.parametrize("released", RELEASED, ids=lambda each: f"{each.game}-{each.level}")
def test_a_released_file_is_whole_and_of_the_rules_of_its_game(released: Released) -> None:
    game = read_sheet(released.game)
    assert released.digest == game.digest
    known = read_knowledge(released.level, game)
    assert (known.digest, known.game) == (released.digest, released.game)
    assert known.made is not None
    assert (known.made.run, known.made.seed, known.made.version) == (released.run, released.seed, released.version)
    assert size_with_table(released.path()) == released.bytes
    assert released.command == f"miner evolve --game {released.game} --config {released.config} --seed {released.seed}"
    assert released.config == LEVELS[released.level]
    assert len(released.commit) == 40
    assert released.processor_s > 0


@pytest.mark.parametrize("released", RELEASED, ids=lambda each: f"{each.game}-{each.level}")
def test_the_measured_strength_is_told_with_its_matches(released: Released) -> None:
    equal, *deeper = [meeting for meeting in released.strength if meeting["opponent_level"] is None]
    assert len(deeper) == (equal["win_percent"] > 90)
    weaker = list(LEVELS)[: list(LEVELS).index(released.level)]
    met = {meeting["opponent_level"] for meeting in released.strength} - {None}
    assert met == {each.level for each in RELEASED if each.game == released.game and each.level in weaker}
    for meeting in released.strength:
        assert meeting["n"] == meeting["wins"] + meeting["draws"] + meeting["losses"] >= 40
        assert meeting["ci95"][0] <= meeting["win_percent"] <= meeting["ci95"][1]
        opponent = "bare UCT" if meeting["opponent_level"] is None else f"the level {meeting['opponent_level']}"
        assert meeting["opponent"].startswith(f"{opponent} with {meeting['opponent_playouts']} playouts")


def test_all_files_are_in_the_index_and_they_are_small() -> None:
    files = {released.path() for released in RELEASED}
    tables = {table for file in files if (table := table_beside(file)) is not None}
    assert {path for path in FOLDER.glob("*/*") if path.parent.name != "__pycache__"} == files | tables
    assert sum(path.stat().st_size for path in files | tables) < MOST_BYTES


@pytest.mark.slow
@pytest.mark.parametrize("released", RELEASED, ids=lambda each: f"{each.game}-{each.level}")
def test_released_knowledge_plays_a_match(released: Released) -> None:
    here = gdl_miner.load(released.game)
    seats: Mapping[Any, Any] = {here.roles[0]: released.level, here.roles[1]: "random"}
    last = gdl_miner.play(here, seats, playouts=5, seed=1)
    assert last.is_terminal()
    assert last.move_number > 4


@pytest.mark.strength
@pytest.mark.parametrize("game", ["connectfour.ext", "tictactoe.ext"])
def test_the_strength_in_the_index_is_measured_again(game: str) -> None:
    told = entry(game).strength[0]
    here = gdl_miner.load(game)
    found = gdl_miner.score(here, "quick", "uct", matches=40, playouts=300, equal="work", seed=7)
    assert found.playouts == told["playouts"]
    low, high = found.score.ci95
    assert low <= told["ci95"][1]
    assert high >= told["ci95"][0]
    assert found.score.win_percent >= 50


def test_a_changed_file_is_refused_by_its_hash(copied: Path) -> None:
    released = entry(GAME)
    assert released.path(copied) == copied / "quick/connectfour.ext.xml"
    file = copied / released.file
    file.write_bytes(file.read_bytes().replace(b"weight=", b"weight =", 1))
    with pytest.raises(KnowledgeError, match=r"connectfour.ext.xml: the file has the hash \w+…, not \w+… as released"):
        released.path(copied)
    file.unlink()
    with pytest.raises(
        KnowledgeError, match=r"connectfour.ext.xml: cannot be read \(No such file.*install the package"
    ):
        released.path(copied)


def test_rules_of_the_same_name_that_differ_have_no_released_knowledge(tmp_path: Path) -> None:
    other = tmp_path / "tictactoe.ext.kif"
    other.write_text(bundled()["tictactoe.ext"].read_text() + "\n(<= (base extra) (role x))\n")
    with pytest.raises(
        KnowledgeError, match=r"quick: neither a file nor released.*of other rules of this name \(\w+, not"
    ):
        read_knowledge("quick", read_sheet(other))
    with pytest.raises(KnowledgeError, match=r"knowledge of tictactoe.ext \(rules \w+\), not of tictactoe.ext"):
        read_knowledge(entry("tictactoe.ext").path(), read_sheet(other))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"index.json: cannot be read \("),
        ("[]", r"index.json: cannot be read \("),
        ('{"knowledge": [{"game": "x"}]}', r"index.json: entry 1: bytes, command, .*: missing or unknown"),
    ],
)
def test_a_damaged_index_is_named(copied: Path, text: str, message: str) -> None:
    (copied / INDEX).write_text(text)
    with pytest.raises(KnowledgeError, match=message):
        read_index(copied)


def test_an_index_whose_names_are_no_texts_is_named(copied: Path) -> None:
    content = json.loads((copied / INDEX).read_text())
    content["knowledge"][1]["file"] = 7
    (copied / INDEX).write_text(json.dumps(content))
    with pytest.raises(KnowledgeError, match=r"index.json: entry 2: a text is expected"):
        read_index(copied)


def test_a_name_that_is_no_level_gets_the_near_ones(sheet: RuleSheet) -> None:
    with pytest.raises(
        KnowledgeError, match=r"^quik: neither a file .* connectfour.ext; did you mean quick\? .*: quick, strong"
    ):
        knowledge_file("quik", sheet)
    with pytest.raises(
        KnowledgeError, match=r"^heavy: neither a file nor .*; give the path of a file, or one of: quick, strong"
    ):
        knowledge_file("heavy", sheet)


def test_a_game_without_released_knowledge_says_so() -> None:
    with pytest.raises(
        KnowledgeError, match=r"^quick: neither .* of race; this game has none; give the path of a file"
    ):
        knowledge_file("quick", parse_sheet(RACE, "race"))


def test_a_level_needs_a_game() -> None:
    with pytest.raises(KnowledgeError, match="quick: released knowledge of which game"):
        read_knowledge("quick")
    assert knowledge_file("other", None) == Path("other")


def test_a_file_of_the_name_comes_first(sheet: RuleSheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick").mkdir()
    assert knowledge_file("quick", sheet) == entry(GAME).path()
    (tmp_path / "quick").rmdir()
    shutil.copy(entry("tictactoe.ext").path(), tmp_path / "quick")
    with pytest.raises(KnowledgeError, match=r"^quick:2: knowledge of tictactoe.ext"):
        read_knowledge("quick", sheet)
    assert knowledge_file("./quick", sheet) == Path("./quick")


T3 = "--game tictactoe.ext"
PLACES = {
    "agent play": f"{T3} --x quick --o quick --playouts 5",
    "miner score": f"{T3} --knowledge quick --matches 2 --playouts 2",
    "miner score --against": f"{T3} --knowledge quick --against quick --matches 2 --playouts 2",
    "miner tournament": f"{T3} quick quick@twin quick@greedy uct --matches 2 --playouts 2 --executor serial",
    "miner league": f"{T3} quick --matches 2 --playouts 2 --executor serial",
    "agent referee": f"{T3} --players quick,random --playclock 0.1",
    "miner explain": f"quick {T3}",
    "miner export": f"quick {T3} --html page.html",
}


@pytest.mark.parametrize("command", PLACES)
def test_a_level_is_taken_wherever_a_file_is(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program, *words = f"{command.partition(' --')[0]} {PLACES[command]}".split()
    call = {"agent": agent, "miner": miner}[program]
    assert succeeded(call(*words))
    wrong = call(*(word.replace("quick", "quik") for word in words))
    assert isinstance(wrong.exception, UserError)
    assert "did you mean quick?" in str(wrong.exception)


@pytest.mark.parametrize("method", [each for each in method_names() if method_named(each).starts_from is not None])
def test_runs_start_from_a_level(method: str) -> None:
    machine = load_machine(GAME)
    start = read_start(Path("quick"), machine, method_named(method))
    assert start.given == str(entry(GAME).path().resolve())
    assert start.knowledge.values is not None
    with pytest.raises(KnowledgeError, match=r"^quik: neither a file .* did you mean quick"):
        read_start(Path("quik"), machine, method_named(method))


def test_the_server_takes_a_level_for_all_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    known = KnownGames(Path("quick"))
    assert set(known.games) == {each.game for each in RELEASED if each.level == "quick"}
    assert known.recognise(read_sheet(GAME)).knowledge == (entry(GAME).path(),)
    with pytest.raises(ConfigError, match=r"^quik: no such folder; .* or a released level \(quick"):
        KnownGames(Path("quik"))
    (tmp_path / "quick").mkdir()
    assert KnownGames(Path("quick")).games == ()


def test_the_library_takes_a_level_wherever_a_file_is() -> None:
    game = gdl_miner.load("tictactoe.ext")
    state = game.initial_state()
    known = gdl_miner.read_knowledge("quick", game)
    assert gdl_miner.evaluate(state, "quick").values == gdl_miner.evaluate(state, known).values
    named, read = (gdl_miner.search(state, knowledge=each, playouts=50) for each in ("quick", known))
    assert named.moves == read.moves
    assert named.moves != gdl_miner.search(state, playouts=50).moves


def test_list_and_show_tell_what_the_index_says() -> None:
    told = json.loads(succeeded(agent("knowledge", "list", "--json")))["knowledge"]
    assert [each["game"] for each in told] == [each.game for each in RELEASED]
    rows = [line.split() for line in succeeded(agent("knowledge", "list")).splitlines()]
    assert [(each[0], each[1]) for each in rows if each[1] in LEVELS] == [(each.game, each.level) for each in RELEASED]
    one, *_ = json.loads(succeeded(agent("knowledge", "list", "--game", GAME, "--json")))["knowledge"]
    shown = json.loads(succeeded(agent("knowledge", "show", "quick", "--game", GAME, "--json")))
    assert shown == {"path": str(entry(GAME).path()), **one}
    text = succeeded(agent("knowledge", "show", "quick", "--game", GAME))
    assert f"command: {entry(GAME).command}\n" in text
    assert f"against {one['strength'][0]['opponent']}: " in text


def test_list_says_where_there_is_none(tmp_path: Path) -> None:
    sheet = tmp_path / "race.kif"
    sheet.write_text(RACE)
    assert succeeded(agent("knowledge", "list", "--game", sheet)).startswith("there is none for these rules")


def test_show_refuses_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick").touch()
    wrong = agent("knowledge", "show", "quick", "--game", GAME)
    assert str(wrong.exception).startswith("quick: this is a file, and no level")
