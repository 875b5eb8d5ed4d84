"""The table of champions: its figures can be made again, from the runs and from the files that it keeps."""

import json
from pathlib import Path

import pytest

from gdl_miner.agent.knowledge import read_knowledge, size_with_table
from gdl_miner.agent.reasoner.machine import load_machine
from tests.command_line import lab, miner, succeeded

GAME = "tictactoe5.ext"
CONFIG = """
[networks]
generations = 0
[evolution]
generations = 1
population = 4
value_steps = 1
[values]
games = 200
shapes = ["line 5"]
matches = 8
[tournament]
matches_without_knowledge = 8
matches_per_individual = 4
validation_matches = 0
[search]
playouts = 10
playouts_without_knowledge = 10
uct_c = "tuned"
tuning_matches = 4
[teaching]
positions = 0
[pruning]
matches = 0
[genes]
"class_weight.FeatureItemsetOnly" = 1.0
"""


def run(*arguments: str) -> str:
    return succeeded(lab("champions", "--game", GAME, "--executor", "serial", "--json", *arguments))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("champions")


@pytest.fixture(scope="module")
def options(folder: Path) -> tuple[str, ...]:
    (folder / "tiny.toml").write_text(CONFIG)
    few = ("--seeds", "1", "--playouts", "10", "--matches", "20")
    return ("--config", str(folder / "tiny.toml"), *few, "--out", str(folder / "runs"), "--keep", str(folder / "kept"))


@pytest.fixture(scope="module")
def row(options: tuple[str, ...]) -> dict[str, float]:
    [line] = run(*options).splitlines()
    found: dict[str, float] = json.loads(line)
    return found


def test_the_champion_knows_something_and_its_rival_nothing(row: dict[str, float], folder: Path) -> None:
    kept, sheet = folder / "kept" / f"{GAME}-1", load_machine(GAME).sheet
    champion, rival = (read_knowledge(kept / name, sheet) for name in ("best.xml", "rival.xml"))
    assert champion.values is not None
    assert row["kilobytes"] == size_with_table(kept / "best.xml") / 1000
    assert rival.values is None
    assert not rival.n_features
    assert json.loads((kept / "tuning.json").read_text())["uct_c"] > 0
    assert json.loads((kept / "config.json").read_text())["source"] == str(folder / "tiny.toml")
    settings = [
        json.loads((folder / "runs" / f"{GAME}-1{kind}" / "config.json").read_text()) for kind in ("", "-rival")
    ]
    tournaments = [each["config"]["tournament"] for each in settings]
    assert tournaments[0] == tournaments[1]


def test_the_same_command_takes_the_runs_and_gives_the_same_row(
    row: dict[str, float], options: tuple[str, ...], folder: Path
) -> None:
    made = (folder / "runs" / f"{GAME}-1" / "best.xml").stat().st_mtime_ns
    assert json.loads(run(*options)) == row
    assert (folder / "runs" / f"{GAME}-1" / "best.xml").stat().st_mtime_ns == made


def test_a_tournament_of_the_kept_files_gives_the_figures_of_the_row(row: dict[str, float], folder: Path) -> None:
    kept = folder / "kept" / f"{GAME}-1"
    constant = json.loads((kept / "tuning.json").read_text())["uct_c"]
    names = [f"uct+c={constant}", f"{kept}/best.xml@twin", f"{kept}/rival.xml@twin", f"{kept}/best.xml"]
    options = ("--game", GAME, "--matches", 20, "--playouts", 10, "--seed", 1, "--executor", "serial", "--json")
    told = json.loads(succeeded(miner("tournament", *names, *options)))
    pairings = {(each["player"], each["opponent"]): each for each in told["pairings"]}

    def points(player: str, opponent: str) -> float:
        pairing = pairings[player, opponent]
        return 100 * (pairing["wins"] + pairing["draws"] / 2) / pairing["n"]

    uct, twin, rival, champion = names
    assert row["champion"] == pytest.approx(100 - points(uct, champion))
    assert row["twin"] == pytest.approx(100 - points(uct, twin))
    assert row["rival"] == pytest.approx(100 - points(uct, rival))
    assert row["over_rival"] == pytest.approx(100 - points(rival, champion))
    assert row["champion_low"] < row["champion"] < row["champion_high"]


@pytest.mark.parametrize(
    ("given", "said"),
    [(("--config", "slow"), "there is no such configuration"), (("--game", "chess9"), "chess9: neither a file nor")],
)
def test_mistakes_are_told_before_anything_is_measured(given: tuple[str, ...], said: str, tmp_path: Path) -> None:
    result = lab("champions", "--game", GAME, "--out", tmp_path / "runs", *given)
    assert said in str(result.exception)
    assert result.stdout == ""
    assert not (tmp_path / "runs").exists()
