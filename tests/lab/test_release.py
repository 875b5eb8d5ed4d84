"""A release is made by one command a game, goes on where it was broken off, and its entries say what was done."""

import json
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.released import read_index
from lab.strength import release
from tests.command_line import lab, succeeded

GAMES = ("tictactoe.ext", "connectfour.ext")
CONFIG = """
[networks]
generations = 1
population = 2
seconds = 0.1
final_seconds = 0.2
matches = 2
mined_tuples = 0
[evolution]
trial_matches = 0
long_playouts = 0
[tournament]
validation_matches = 0
[search]
uct_c = 40.0
[acceptance]
matches = 0
[records]
matches_written = 0
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    (folder / "tiny.toml").write_text(CONFIG)
    return folder


def released(made: Path, *options: str) -> list[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "LEVELS", {level: str(made / "tiny.toml") for level in ("quick", "strong")})
        shown = lab("release", "--json", "--out", made / "runs", "--into", made / "into", "--matches", 40, *options)
    return [json.loads(line) for line in succeeded(shown).splitlines()]


def games(*names: str) -> list[str]:
    return [word for name in names for word in ("--game", name)]


@pytest.mark.slow
def test_a_release_has_an_entry_for_each_game_and_goes_on(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = released(made, *games(*GAMES), "--playouts", "10", "--seconds", "1")
    assert [row["game"] for row in rows] == list(GAMES)
    entries = {each.game: each for each in read_index(made / "into")}
    assert list(entries) == sorted(GAMES)
    for row in rows:
        entry = entries[row["game"]]
        assert entry.path(made / "into").is_file()
        assert row["equal"] == entry.strength[0]["win_percent"]
        assert entry.command == f"miner evolve --game {entry.game} --config {made / 'tiny.toml'} --seed 1"
        assert entry.strength[0]["opponent"] == "bare UCT with 10 playouts a move (constant 40)"
        assert entry.strength[0]["n"] == 40
        assert 0 < entry.processor_s < 60
    before = (made / "into" / "index.json").read_bytes()
    # What was learned stays; what was measured is measured again, with the same result.
    (made / "runs/quick/tictactoe.ext/measured.json").unlink()
    monkeypatch.setattr(release, "_children_s", lambda: pytest.fail("learned again"))
    assert released(made, *games("tictactoe.ext"), "--playouts", "10", "--seconds", "1") == rows[:1]
    assert (made / "into" / "index.json").read_bytes() == before


@pytest.mark.slow
def test_a_level_that_is_no_stronger_than_the_one_below_is_not_released(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = (*games("tictactoe.ext"), "--playouts", "10", "--seconds", "1")
    released(made, *options)
    before = (made / "into" / "index.json").read_bytes()
    # Both levels have one configuration here, so they learn the same and are equally strong.
    [row] = released(made, "--level", "strong", *options)
    assert (row["over"], row["over_deeper"], "bytes" in row) == (50, 50, False)
    assert (made / "into" / "index.json").read_bytes() == before
    monkeypatch.setattr(release, "_EVEN", 49)
    [row] = released(made, "--level", "strong", *options)
    quick, strong = [each for each in read_index(made / "into") if each.game == "tictactoe.ext"]
    assert (quick.level, strong.level) == ("quick", "strong")
    assert row["bytes"] == strong.bytes
    assert [each["opponent_level"] for each in strong.strength] == [None, "quick", "quick"]
    for meeting in strong.strength[1:]:
        assert meeting["opponent"] == f"the level quick with {meeting['opponent_playouts']} playouts a move"
    monkeypatch.setattr(release, "_EVEN", 50)
    released(made, "--level", "strong", *options)
    assert (made / "into" / "index.json").read_bytes() == before
    assert not (made / "into/strong/tictactoe.ext.xml").exists()


def test_a_game_in_which_nothing_helps_has_no_entry(made: Path) -> None:
    run = made / "runs/quick/teeko.ext"
    (run / "run").mkdir(parents=True)
    (run / "run/best.xml").write_text('<Knowledge game="teeko.ext"><Player role="x"/><Player role="o"/></Knowledge>')
    (run / "learned.json").write_text('{"complete": true, "processor_s": 3.5, "commit": ""}')
    assert released(made, *games("teeko.ext")) == [{"game": "teeko.ext", "processor_s": 3.5}]
    assert not (made / "into/quick/teeko.ext.xml").exists()


def test_tables_without_a_file_are_removed(made: Path) -> None:
    if not (made / "into" / "index.json").exists():
        released(made, *games("tictactoe.ext"), "--playouts", "10", "--seconds", "1")
    left = made / "into/quick/values-0123456789abcdef.npy"
    left.touch()
    released(made, *games("tictactoe.ext"), "--playouts", "10", "--seconds", "1")
    assert not left.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--level", "best"), "--level best: there is no such level; give one of quick, strong"),
        (("--game", "nosuch.ext"), "nosuch.ext is not a bundled game"),
    ],
)
def test_what_cannot_be_released_is_named(made: Path, options: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        released(made, *options)


def test_a_run_that_fails_is_told(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "SEED", -1)
    with pytest.raises(ConfigError, match="the run did not come to its end; the same command goes on with it"):
        released(made, *games("hex5.ext"), "--playouts", "10")
    record = json.loads((made / "runs/quick/hex5.ext/learned.json").read_text())
    assert not record["complete"]
