import json
from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError
from tests.cli.conftest import Refusal
from tests.command_line import miner, succeeded
from tests.conftest import SEED

KEYS = {"win_percent", "ci95", "elo", "elo_se", "n", "wins", "losses", "draws", "playouts", "time_ratio", "work_ratio"}


@pytest.fixture
def run(finished_run: Path) -> Path:
    return finished_run


def test_evolve_leaves_tables_knowledge_plots_and_a_report(run: Path) -> None:
    expected = {"config.json", "env.json", "steps.csv", "matches.csv", "timings.csv"}
    expected |= {"best.xml", "champion.json", "fitness.png", "features.png", "report.html", "knowledge", "records"}
    assert expected <= {path.name for path in run.iterdir()}
    assert json.loads((run / "config.json").read_text())["config"]["seed"] == SEED


def test_the_report_needs_no_other_file_and_names_the_command(run: Path) -> None:
    text = (run / "report.html").read_text()
    assert "http://" not in text
    assert "https://" not in text
    assert "<svg" in text
    assert "prefers-color-scheme: dark" in text
    assert "miner" in text


def test_a_run_is_not_overwritten(run: Path, refusal: Refusal) -> None:
    before = (run / "config.json").read_bytes()
    said = refusal("miner", "evolve", "--game", "tictactoe.ext", "--out", run)
    assert "error: " in said
    assert "not empty" in said
    assert (run / "config.json").read_bytes() == before


def scored(file: Path, *options: object) -> str:
    effort = ("--matches", 8, "--playouts", 10)
    return succeeded(miner("score", "--game", "tictactoe.ext", "--knowledge", file, *effort, *options))


def test_score_counts_its_matches_and_says_the_same_again(run: Path) -> None:
    shown = scored(run / "best.xml", "--matches", 20, "--json")
    report = json.loads(shown)
    assert report["n"] == 20 == report["wins"] + report["draws"] + report["losses"]
    assert report["ci95"][0] <= report["win_percent"] <= report["ci95"][1]
    assert report["time_ratio"] is None
    assert report["playouts"] == max(1, round(report["opponent_playouts"] / report["work_ratio"]))
    assert report["opponent_playouts"] == 10
    assert scored(run / "best.xml", "--matches", 20, "--json") == shown


def test_score_takes_the_constant_that_the_run_tuned_and_says_so(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "best.xml"
    file.write_bytes((run / "best.xml").read_bytes())
    assert "bare UCT has the usual constant of 40; there is no tuning.json beside the file" in scored(file)
    (tmp_path / "tuning.json").write_text('{"uct_c": 57.0}')
    assert f"bare UCT has a constant of 57, as tuned in {tmp_path / 'tuning.json'}" in scored(file)
    assert json.loads(scored(file, "--json"))["opponent_uct_c"] == 57.0
    told = scored(file, "--uct-c", "20")
    assert "bare UCT has" not in told
    assert json.loads(scored(file, "--json", "--uct-c", "20"))["opponent_uct_c"] == 20.0
    for damaged in ('{"uct_c": "57"}', '{"uct_c": -1}', "{}", "["):
        (tmp_path / "tuning.json").write_text(damaged)
        with pytest.raises(ConfigError, match=r"tuning\.json.*give --uct-c"):
            scored(file)


def test_score_tells_apart_what_the_search_brought_and_what_knowledge_brought(run: Path) -> None:
    told = json.loads(scored(run / "best.xml", "--twin", "--json"))
    assert told["twin"].keys() == told["against_twin"].keys() == KEYS | {"opponent_playouts"}
    assert told["twin"]["n"] == told["against_twin"]["n"] == told["n"] == 8
    text = scored(run / "best.xml", "--twin")
    assert "its parameters without its knowledge, against bare UCT: " in text
    assert f"{run / 'best.xml'} against its parameters without its knowledge: " in text
    with pytest.raises(ConfigError, match="leave out --against"):
        scored(run / "best.xml", "--twin", "--against", str(run / "best.xml"))


def test_a_player_scores_even_against_itself(run: Path) -> None:
    best = run / "best.xml"
    report = json.loads(scored(best, "--against", best, "--matches", 60, "--json"))
    assert report["wins"] == report["losses"]
    assert report["elo"] == 0


FEW = "--matches 4 --playouts 4"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("evolve --game tictactoo.ext", "tictactoe"),
        ("evolve --game tictactoe.ext --config quik", "did you mean quick"),
        ("evolve --game tictactoe.ext --executor serial --workers 3", "--executor serial"),
        ("resume nowhere", "this is no run"),
        (f"score --game tictactoe.ext --knowledge no.xml {FEW}", "no.xml"),
        (f"score --game tictactoe --knowledge a.xml --against b.xml --uct-c 20 {FEW}", "--uct-c is the constant of"),
        (f"score --game connectfour.ext --knowledge RUN/best.xml {FEW}", "best.xml"),
    ],
)
def test_a_users_mistake_is_one_line_and_exit_status_2(
    arguments: str, said: str, run: Path, tmp_path: Path, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = refusal("miner", *arguments.replace("RUN", str(run)).split())
    assert said in text.splitlines()[-1]
    assert "error: " in text
    assert "Traceback" not in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["evolve", "resume", "score", "mine", "inspect", "compare", "repeat", "tournament"])
def test_the_help_of_every_command_shows_examples(command: str) -> None:
    assert f"miner {command}" in succeeded(miner(command, "--help"))


def test_tune_names_the_constant_of_bare_uct_and_how_the_others_did() -> None:
    arguments = ("tune", "--game", "tictactoe.ext", "--playouts", 10, "--matches", 4, "--executor", "serial")
    report = json.loads(succeeded(miner(*arguments, "--json")))
    assert report["uct_c"] in {report["against"], *(each["uct_c"] for each in report["candidates"])}
    assert "best: " in miner(*arguments).output
