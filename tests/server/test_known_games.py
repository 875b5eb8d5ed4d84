import os
from contextlib import closing
from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import parse_sheet, read_sheet
from gdl_miner.agent.gdl.renaming import scrambled
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.knowledge import read_knowledge, write_knowledge
from gdl_miner.agent.server.preparation import KnownGames, PreparationProcess
from tests.knowledge.plain import knowledge_of

ONE_MOVE = "(role a) (init (p 1)) (legal a go) (<= (next (p 2)) (does a go)) (<= terminal (true (p 2))) (goal a 50)"


def bare_knowledge(sheet: RuleSheet, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_knowledge(knowledge_of(sheet), path)
    return path


@pytest.fixture(scope="module")
def known_games(tmp_path_factory: pytest.TempPathFactory) -> KnownGames:
    folder = tmp_path_factory.mktemp("known_games")
    for name in bundled():
        bare_knowledge(read_sheet(name), folder / name / "best.xml")
    return KnownGames(folder)


@pytest.mark.parametrize("name", sorted(bundled()))
def test_knowledge_is_found_when_every_word_of_a_bundled_game_is_replaced(name: str, known_games: KnownGames) -> None:
    ours = read_sheet(name)
    text, words = scrambled(ours, 7)
    theirs = parse_sheet(text, "theirs")
    assert theirs.digest != ours.digest
    found = known_games.recognise(theirs)
    assert found.sheet.digest == ours.digest
    assert [path.parent.name for path in found.knowledge] == [name]
    assert found.renaming is not None
    # Games may have symmetries, so the renaming need not restore every word; it does restore the roles.
    assert [found.renaming.there(words.there(role)) for role in ours.roles] == list(ours.roles)


def test_a_game_in_its_own_words_needs_no_renaming(known_games: KnownGames) -> None:
    found = known_games.recognise(parse_sheet(scrambled(read_sheet("othello.ext"), None)[0], "theirs"))
    assert (found.sheet.name, found.renaming) == ("othello.ext", None)
    assert known_games.games == tuple(sorted(bundled()))


def test_a_game_nobody_knows_is_played_as_it_came(known_games: KnownGames) -> None:
    theirs = parse_sheet(ONE_MOVE, "theirs")
    found = known_games.recognise(theirs)
    assert (found.sheet, found.renaming, found.knowledge) == (theirs, None, ())


def test_best_comes_before_newer_files_and_the_newest_of_others_first(tmp_path: Path) -> None:
    sheet = read_sheet("tictactoe.ext")
    old, new = (bare_knowledge(sheet, tmp_path / "run" / name) for name in ("old.xml", "new.xml"))
    os.utime(old, (1, 1))
    assert KnownGames(tmp_path).recognise(sheet).knowledge == (new, old)
    best = bare_knowledge(sheet, tmp_path / "run" / "best.xml")
    os.utime(best, (0, 0))
    assert KnownGames(tmp_path).recognise(sheet).knowledge == (best, new, old)


def test_sheets_of_the_folder_are_known_and_broken_files_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "own.kif").write_text(ONE_MOVE)
    (tmp_path / "broken.kif").write_text("(((")
    (tmp_path / "broken.xml").write_text("<Knowledge digest='x'")
    (tmp_path / "other.xml").write_text("<Matches/>")
    text, _ = scrambled(parse_sheet(ONE_MOVE, "own"), 3)
    known = KnownGames(tmp_path)
    assert known.recognise(parse_sheet(text, "theirs")).sheet.name == "own"
    sheet, xml = known.faults()
    assert sheet.startswith(f"{tmp_path}/broken.kif:1:")
    assert xml.startswith(f"{tmp_path}/broken.xml:1: ")


def cut(path: Path) -> None:
    """Take the end off a file, as a full disk does."""
    path.write_bytes(path.read_bytes()[:-20])


def test_a_damaged_file_is_named_and_the_next_one_of_its_game_is_used(tmp_path: Path) -> None:
    sheet = read_sheet("tictactoe.ext")
    good = bare_knowledge(sheet, tmp_path / "good.xml")
    assert KnownGames(tmp_path).faults() == []
    best = bare_knowledge(sheet, tmp_path / "best.xml")
    cut(best)
    known = KnownGames(tmp_path)
    (fault,) = known.faults()
    assert fault.startswith(f"{best}:")
    assert fault.endswith("; this file is left out")
    text, _ = scrambled(sheet, None)
    with closing(PreparationProcess(tmp_path)) as preparation:
        prepared = preparation.prepare(text, "m", 60.0)
        assert prepared.warnings == (fault,)
        assert prepared.knowledge == read_knowledge(good, sheet)
        cut(good)
        prepared = preparation.prepare(text, "m", 60.0)
    assert prepared.knowledge is None
    assert [warning.split(":")[0] for warning in prepared.warnings] == [str(best), str(good)]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        KnownGames(tmp_path / "nowhere")
