import json
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import Result

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.machine import load_machine
from lab.theses.best_play import best_win_percent
from lab.theses.end_features import mean_playout_length
from tests.command_line import lab, succeeded
from tests.corpus import sheet_path

TINY = """
[networks]
generations = 0
[evolution]
generations = 2
population = 3
[tournament]
matches_without_knowledge = 32
matches_per_individual = 4
validation_matches = 8
[search]
playouts = 8
[teaching]
positions = 8
playouts = 16
"""


def reproduce(*arguments: str) -> Result:
    result = lab(*arguments)
    succeeded(result)
    return result


def files_in(folder: Path, pattern: str) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob(pattern)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for a tiny evolution of connect four, which the command for table 6.4 makes."""
    folder = tmp_path_factory.mktemp("reproduction")
    (folder / "tiny.toml").write_text(TINY, "utf-8")
    return folder


def strength(runs: Path) -> Result:
    options = ("--config", str(runs / "tiny.toml"), "--out", str(runs), "--matches", "8", "--playouts", "8")
    return reproduce("table-6.4", "-g", "connectfour.ext", *options, "--executor", "serial", "--json")


def test_table_6_4_evolves_once_and_scores_the_champion_twice(runs: Path) -> None:
    row = json.loads(strength(runs).stdout.splitlines()[-1])
    assert (row["game"], row["matches"]) == ("connectfour.ext", 8)
    for kind in ("half", "equal"):
        assert 0 <= row[f"{kind}_low"] <= row[kind] <= row[f"{kind}_high"] <= 100
    assert row["time_ratio"] > 0
    tuned = json.loads((runs / "connectfour.ext" / "tuning.json").read_text("utf-8"))
    assert row["baseline_uct_c"] == tuned["uct_c"]
    assert "bare UCT has a constant of" in strength(runs).stderr
    champion = (runs / "connectfour.ext" / "best.xml").read_bytes()
    again = strength(runs)
    assert "taking the evolution" in again.stderr
    assert (runs / "connectfour.ext" / "best.xml").read_bytes() == champion


def test_table_6_3_measures_sheets_of_the_thesis_and_leaves_out_those_that_are_not_there(tmp_path: Path) -> None:
    sheet = (resources.files("gdl_miner.agent.games") / "connectfour.ext.kif").read_text("utf-8")
    (tmp_path / "corpus/games").mkdir(parents=True)
    (tmp_path / "corpus/games/connectFour.kif").write_text(sheet, "utf-8")
    result = reproduce("table-6.3", "--shared", str(tmp_path), "--seconds", "0.05", "--json")
    [row] = [json.loads(line) for line in result.stdout.splitlines()]
    assert (row["game"], row["yap"], row["gtc2"]) == ("connectFour", 236.54, 2330.49)
    assert row["matches_per_s"] > 100
    assert row["times_gtc2"] == pytest.approx(row["matches_per_s"] / 2330.49)
    assert result.stderr.count("left out") == 15


def test_table_5_1_says_how_long_a_sheet_takes_and_how_large_its_circuit_is(tmp_path: Path) -> None:
    sheet = (resources.files("gdl_miner.agent.games") / "tictactoe.ext.kif").read_text("utf-8")
    (tmp_path / "corpus/games").mkdir(parents=True)
    (tmp_path / "corpus/games/ticTacToe.kif").write_text(sheet, "utf-8")
    result = reproduce("table-5.1", "--shared", str(tmp_path), "--json")
    [row] = [json.loads(line) for line in result.stdout.splitlines()]
    assert (row["game"], row["compiling_s"], row["source_kb"]) == ("ticTacToe", 4.838, 136)
    assert row["grounding_s"] > 0
    assert row["circuit_s"] > 0
    assert row["gates"] == len(load_machine("tictactoe.ext").circuit.gate_start) - 1


def test_table_6_1_counts_the_moves_and_the_length_of_random_matches() -> None:
    options = ("-g", "connectfour.ext", "--seconds", "0.05", "--matches", "20", "--json")
    row = json.loads(reproduce("table-6.1", *options).stdout)
    assert (row["game"], row["their_moves"], row["their_length"]) == ("connectfour.ext", 7, 22)
    assert 6 < row["moves"] < 8
    assert 20 < row["length"] < 32


def test_table_6_2_counts_the_sheets_that_conform(tmp_path: Path) -> None:
    folder = tmp_path / "corpus/games"
    folder.mkdir(parents=True)
    (folder / "good.kif").write_text("(role a) (foo a) (<= (p ?x) (foo ?x))", "utf-8")
    (folder / "nested.kif").write_text("(role a) (foo (bar a)) (<= (p ?x) (foo ?x))", "utf-8")
    (folder / "torn.kif").write_text("(role a", "utf-8")
    result = reproduce("table-6.2", "--shared", str(tmp_path), "--json")
    theirs, ours = [json.loads(line) for line in result.stdout.splitlines()]
    assert (theirs["conforming"], theirs["inconclusive"]) == (253, 17)
    assert (ours["tested"], ours["conforming"], ours["names"]) == (2, 1, "nested")
    assert "torn.kif" in result.stderr
    (tmp_path / "empty/corpus").mkdir(parents=True)
    with pytest.raises(ConfigError, match="--shared"):
        reproduce("table-6.2", "--shared", str(tmp_path / "empty"))


def test_figures_are_drawn_of_a_run(runs: Path, tmp_path: Path) -> None:
    strength(runs)
    reproduce("figures", str(runs / "connectfour.ext"), "--out", str(tmp_path))
    names = {"figure-6.1-connectfour.png", "figure-6.4-connectfour.png", "figure-6.7.png", "figure-6.8-connectfour.png"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in tmp_path.iterdir())


def test_table_6_5_bounds_both_tables_by_the_share_asked_for() -> None:
    result = reproduce(
        "table-6.5", "-g", "othello.ext", "--playouts", "20", "--matches", "8", "--share", "0.02", "--json"
    )
    row = json.loads(result.stdout.splitlines()[-1])
    assert row["states_allowed"] == round(0.02 * row["states_needed"])
    assert row["states_needed"] > 20 * 20
    assert row["matches"] == 8


def test_table_6_5_takes_the_states_of_the_thesis_and_its_share_of_those_needed_here() -> None:
    result = reproduce("table-6.5", "-g", "othello.ext", "--playouts", "10", "--matches", "2", "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["limit"] for row in rows] == ["as many", "same share"]
    assert [row["states_allowed"] for row in rows] == [90, max(1, round(0.003 * rows[0]["states_needed"]))]


@pytest.mark.parametrize(
    ("study", "others"), [("table-6.5", "amazons"), ("td-tables", r"tictactoe\.ext"), ("table-6.3", "8puzzle")]
)
def test_a_game_that_a_thesis_lacks_is_refused_by_name(study: str, others: str) -> None:
    with pytest.raises(ConfigError, match=rf"chess9.*take one of {others}"):
        reproduce(study, "-g", "chess9")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=str(tmp_path)):
        reproduce("figures", str(tmp_path))


def td_tables(out: Path, *options: str) -> list[dict[str, object]]:
    arguments = ("--out", str(out), "--scale", "0.05", "--executor", "serial", "--json", *options)
    return [json.loads(line) for line in reproduce("td-tables", "-g", "tictactoe.ext", *arguments).stdout.splitlines()]


def test_values_are_learned_once_and_measured_against_random_players_and_uct(tmp_path: Path) -> None:
    rows = td_tables(tmp_path, "--chapter", "6", "--chapter", "9", "--matches", "40")
    assert [(row["table"], row["player"], row["matches"]) for row in rows] == [
        ("6.1", 1, 100), ("6.2", 1, 40), ("6.3", 2, 40), ("9.1", 1, 40), ("9.2", 2, 40),
    ]  # fmt: skip
    assert rows[3]["theirs"] == "100.0 / 0.0 / 0.0"
    assert rows[3]["best"] == pytest.approx(100 * 191 / 192)
    for row in rows[1:]:
        for ours in ("facts", "tuples"):
            shares = [float(share) for share in str(row[ours]).split(" / ")]
            assert sum(shares) == pytest.approx(100)
            assert shares[0] > 25
    kept = files_in(tmp_path, "best.xml")
    assert len(kept) == 4
    uct = td_tables(tmp_path, "--chapter", "10", "--playouts", "10", "--uct-matches", "6")
    assert [(row["learner"], row["equal"], row["matches"]) for row in uct] == [
        ("culture", "playouts", 6), ("culture", "time", 6), ("values", "playouts", 6), ("values", "time", 6),
    ]  # fmt: skip
    assert all(int(str(row["wins"])) + int(str(row["losses"])) + int(str(row["draws"])) == 6 for row in uct)
    assert kept.items() < files_in(tmp_path, "best.xml").items()


def test_the_best_play_of_a_large_game_is_not_searched() -> None:
    assert best_win_percent(load_machine("connectfour.ext"), 0) is None
    assert best_win_percent(load_machine("tictactoe.ext"), 1) == pytest.approx(93.86, abs=0.01)


def expert_iteration_output(out: Path, *options: str) -> list[str]:
    small = ("--games", "3", "--pruned-games", "2", "--learning-playouts", "10", "--playouts", "10", "--matches", "4")
    arguments = ("-g", "tictactoe.ext", *small, "--out", str(out), "--executor", "serial", *options)
    return reproduce("expert-iteration", *arguments).stdout.splitlines()


def expert_iteration(out: Path, *options: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in expert_iteration_output(out, "--json", *options)]


def test_biased_searches_are_measured_after_numbers_of_games_and_their_runs_kept(tmp_path: Path) -> None:
    rows = expert_iteration(tmp_path, "--growth", "correlation", "--growth", "add random")
    assert [(row["growth"], row["games"]) for row in rows] == [
        (growth, games) for growth in ("correlation", "add random") for games in (1, 3, 4, 5)
    ]
    for row in rows:
        assert row["matches"] == 4
        assert row["slowdown"] > 1
        for name in ("win_percent", "work_percent", "greedy_percent"):
            assert 0 <= row[name] <= 100
        assert row["values_percent"] is None
    kept = files_in(tmp_path, "*.xml")
    assert expert_iteration(tmp_path, "--growth", "correlation", "--growth", "add random") == rows
    assert files_in(tmp_path, "*.xml") == kept


def test_people_see_a_dash_where_there_are_no_values_to_play_against(tmp_path: Path) -> None:
    heading, *rows = expert_iteration_output(tmp_path, "--growth", "correlation")
    assert "over values %" in heading
    assert [row.split()[-3:] for row in rows if row.startswith("tictactoe.ext")] == [["–", "–", "–"]] * 4


def test_biased_searches_with_values_also_play_against_the_values_alone(tmp_path: Path) -> None:
    rows = expert_iteration(tmp_path, "--growth", "correlation", "--value-steps", "1")
    assert [row["games"] for row in rows] == [1, 3, 4, 5]
    assert all(0 <= row["values_percent"] <= 100 for row in rows)
    assert (tmp_path / "tictactoe.ext-correlation-values" / "best.xml").exists()


def test_a_strategy_of_growth_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"slow: there is no such strategy of growth; give one of correlation"):
        expert_iteration(tmp_path, "--growth", "slow")


def test_features_from_the_ends_of_games_are_measured_beside_those_of_the_thesis() -> None:
    options = ("--games", "40", "--matches", "4", "--playouts", "10", "--json")
    shown = reproduce("gifl-tables", str(sheet_path("pawnWhopping").parent), "-g", "pawnWhopping", *options)
    rows = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [row["game"] for row in rows] == ["pawnWhopping"] * 6
    counts, equal, number, length, timed, opponents = rows
    assert counts["games"] == 40
    assert counts["variants"] > 1000
    assert (equal["theirs"], equal["matches"], equal["playouts"]) == (95.0, 4, 10)
    assert number["ours"] > 0
    assert 50 < length["ours"] < 150
    assert timed["playouts"] < timed["of_uct"]
    assert {opponents[f"theirs_{name}"] for name in ("nothing", "half", "all")} == {70.0, 95.0, 85.0}


def test_unknown_games_tables_and_folders_of_that_thesis_are_refused(tmp_path: Path) -> None:
    for arguments, what in (
        (("-g", "go"), "go is not in the tables"),
        (("-g", "chess_200"), "there is no such rule sheet"),
        ((), "there is no such rule sheet"),
    ):
        with pytest.raises(ConfigError, match=what):
            reproduce("gifl-tables", str(tmp_path), *arguments)
    (tmp_path / "connect4.kif").write_text("(role a)", "utf-8")
    with pytest.raises(ConfigError, match=r"table 5.9 is not measured"):
        reproduce("gifl-tables", str(tmp_path), "-t", "5.9")


def test_uniform_playouts_are_as_long_as_those_of_the_machine() -> None:
    machine = load_machine("connectfour.ext")
    found = machine.playouts(count=4000, seed=1)
    expected = found.finished_states / found.playouts
    assert mean_playout_length(machine, None, 3, 2000) == pytest.approx(expected, rel=0.03)
