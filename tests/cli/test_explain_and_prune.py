import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from gdl_miner.agent.features import FeatureAbsMove, FeatureRelEuclidKNearest, WeightedFeature
from gdl_miner.agent.knowledge import Parameters, read_knowledge, write_knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.record_xml import write_records
from gdl_miner.agent.values import TupleWeights, ValuePart, Values
from gdl_miner.miner.commands.knowledge_game import load
from tests.cli.conftest import Refusal
from tests.command_line import miner, succeeded
from tests.knowledge.plain import knowledge_of
from tests.mining.playouts import random_record

MIRROR, EXCHANGE = "board (-x, y)", "board as it is, roles exchanged, o for x"
PAIR = TupleWeights(((1, 1), (1, 2)), {("x", "."): 0.53, ("o", "x"): -1.25})
PART = ValuePart(0, 0, 0, {"(cell 2 2 x)": 0.75, "(cell 1 1 o)": -0.5, "(control o)": 0.125}, (PAIR,))
VALUES = Values((MIRROR, EXCHANGE), constant_sum=True, blank="", stages=(), parts=(PART,))
SMALL = ["--matches", "8", "--playouts", "10", "--positions", "40"]


@pytest.fixture(scope="module")
def machine() -> Machine:
    return load_machine("tictactoe.ext")


@pytest.fixture(scope="module")
def folder(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with records, and with knowledge that prefers the centre (as any search does) and an edge (as none)."""
    made = tmp_path_factory.mktemp("explain")
    good = tuple((WeightedFeature(FeatureAbsMove(f"(mark 2 2 {role})"), 1.0),) for role in machine.roles)
    bad = tuple(
        (
            *features,
            WeightedFeature(FeatureAbsMove(f"(mark 1 2 {role})"), 0.9),
            WeightedFeature(FeatureRelEuclidKNearest(("x",) * 8), 0.1),
        )
        for role, features in zip(machine.roles, good, strict=True)
    )
    parameters = Parameters(scoring="exponential", bias=50.0, features_in_playouts=False)
    for name, lists, values in (("whole", bad, None), ("both", bad, VALUES), ("values", (), VALUES)):
        known = knowledge_of(machine, lists, (), parameters if lists else None, values=values)
        write_knowledge(known, made / f"{name}.xml", machine.sheet)
    write_records(random_record(machine, 40, 1, lambda move: 9.0 if "2 2" in move else 1.0), machine, made / "r.xml")
    return made


def run(*arguments: object) -> str:
    return succeeded(miner(*arguments, columns=int(os.environ.get("COLUMNS", 80))))


def test_the_page_stands_alone_and_draws_the_features(folder: Path) -> None:
    output = run("explain", folder / "whole.xml", "--html", folder / "page.html", *SMALL)
    assert "page:" in output
    page = (folder / "page.html").read_text("utf-8")
    assert page.count("<svg") == 6
    assert "the move (mark\u00a02\u00a02\u00a0x)" in page  # unbreakable spaces
    assert "where the move goes" in page  # the legend of the colours
    assert "http" not in page


def test_json_gives_what_was_measured_of_every_feature_best_first(folder: Path) -> None:
    told = json.loads(run("explain", folder / "whole.xml", "--records", folder / "r.xml", "--json"))
    assert [role["role"] for role in told["roles"]] == ["x", "o"]
    features = told["roles"][0]["features"]
    assert [each["words"] for each in features][::2] == ["the move (mark 2 2 x)", "the move (mark 1 2 x)"]
    assert features[0]["contribution"] > 0 > features[2]["contribution"]
    assert features[1]["support"] == features[1]["contribution"] == 0
    assert features[1]["payoff"] is None
    keys = {"class", "words", "list", "weight", "support", "match_rate", "offered", "payoff", "phi", "p_value"}
    assert keys | {"contribution", "contribution_error"} == set(features[0])


def test_decisive_moves_are_told_where_the_file_asks_for_them(machine: Machine, folder: Path) -> None:
    knowledge = replace(read_knowledge(folder / "values.xml"), parameters=Parameters(decisive_moves="antidecisive"))
    write_knowledge(knowledge, folder / "decisive.xml", machine.sheet)
    told = machine.decisive_moves("antidecisive").words
    assert told.startswith("antidecisive; a step costs ")
    assert f"decisive moves in playouts: {told}" in " ".join(run("explain", folder / "decisive.xml").split())
    assert json.loads(run("explain", folder / "decisive.xml", "--json"))["decisive_moves"] == told
    assert json.loads(run("explain", folder / "values.xml", "--json"))["decisive_moves"] is None


def test_ablation_plays_without_every_class_and_the_best_features(folder: Path) -> None:
    options = ["--records", folder / "r.xml", "--ablate", "4", "--ablate-top", "1", "--playouts", "5"]
    told = json.loads(run("explain", folder / "whole.xml", "--json", *options))
    parts = {each["part"]: each["n"] for each in told["ablations"]}
    assert parts == {
        "all FeatureAbsMove": 4,
        "all FeatureRelEuclidKNearest": 4,
        "x: the move (mark 2 2 x)": 4,
        "o: the move (mark 2 2 o)": 4,
    }


def test_the_table_shows_as_many_features_as_asked_for(folder: Path) -> None:
    output = run("explain", folder / "whole.xml", "--records", folder / "r.xml", "--top", "1")
    assert output.count("the move") == 2


@pytest.mark.parametrize(("columns", "complete"), [(80, False), (130, True)])
def test_the_table_fits_the_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch, columns: int, complete: bool
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = run("explain", folder / "whole.xml", "--records", folder / "r.xml").splitlines()
    assert max(map(len, lines)) <= columns
    assert any("phi" in line and "weight" in line for line in lines) == complete
    assert any("the move (mark 2 2 x)" in line for line in lines)


def test_values_are_printed_as_boards_of_numbers_tuples_in_words_and_facts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    lines = [line.rstrip() for line in run("explain", folder / "values.xml").splitlines()]
    assert lines[0].startswith("The weights of all that holds in a state are added. The sum says")
    start = lines.index("worth to x while (control x)")
    assert lines[start + 1 : start + 6] == [
        "o                      x",
        "3                      3",
        "2                      2       +0.75",
        "1 -0.50       -0.50    1",
        "      1     2     3          1     2     3",
    ]
    assert [line for line in lines[start + 6 :] if line] == [
        "combinations that are good for x (1)",
        " +0.53  x at 1 1 and nothing at 1 2 (2 places)",
        "combinations that are bad for x (1)",
        " -1.25  o at 1 1 and x at 1 2 (2 places)",
        "facts that are not on the board (1)",
        " +0.12  (control o)",
    ]


def test_values_fit_a_narrow_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert max(len(line.rstrip()) for line in run("explain", folder / "values.xml").splitlines()) <= 40


def test_values_are_drawn_on_the_page(folder: Path) -> None:
    run("explain", folder / "values.xml", "--html", folder / "values.html")
    page = (folder / "values.html").read_text("utf-8")
    assert page.count("<svg") == 2 * 2 + 2 + 1  # boards with their pieces, tuples, the scale
    assert "weights of x on each field" in page
    assert "log-odds" in page
    assert "x at 1\u00a01 and nothing at 1\u00a02" in page
    assert "(control o)" in page
    assert "Features, best first" not in page


def test_json_gives_the_values_strongest_first(folder: Path) -> None:
    assert json.loads(run("explain", folder / "whole.xml", "--json", *SMALL))["values"] is None
    told = json.loads(run("explain", folder / "values.xml", "--json"))
    assert told["roles"] == []
    assert {key: told["values"][key] for key in ("unit", "constant_sum", "symmetries", "exchange")} == {
        "unit": "log-odds",
        "constant_sum": True,
        "symmetries": [MIRROR, EXCHANGE],
        "exchange": EXCHANGE,
    }
    [part] = told["values"]["parts"]
    assert (part["role"], part["turn"], part["while"], part["stage"], part["pieces"]) == (
        "x",
        0,
        "(control x)",
        0,
        None,
    )
    assert {"cell": [3, 1], "weight": -0.5} in part["boards"]["o"]
    assert part["facts"] == [{"fact": "(control o)", "weight": 0.125, "places": 1}]
    assert part["tuples"][0] == {
        "cells": [[1, 1], [1, 2]],
        "contents": ["o", "x"],
        "words": "o at 1 1 and x at 1 2",
        "weight": -1.25,
        "places": 2,
        "anywhere": False,
        "playable": False,
        "costs": [],
        "each_side": False,
    }
    assert part["tuples"][1]["contents"] == ["x", None]


def test_a_file_with_features_and_values_shows_both(folder: Path) -> None:
    told = json.loads(run("explain", folder / "both.xml", "--json", *SMALL))
    assert told["roles"][0]["features"]
    assert told["values"]["parts"]
    output = run("explain", folder / "both.xml", *SMALL)
    assert output.index("the move (mark 2 2 x)") < output.index("worth to x while (control x)")


def test_ablation_plays_without_the_values(folder: Path) -> None:
    told = json.loads(run("explain", folder / "values.xml", "--json", "--ablate", "4", "--playouts", "5"))
    assert [(each["part"], each["n"]) for each in told["ablations"]] == [("the values of states", 4)]


@pytest.mark.parametrize("name", ["both.xml", "values.xml"])
def test_pruning_keeps_the_values(machine: Machine, folder: Path, name: str) -> None:
    out = folder / f"pruned-{name}"
    run("prune", folder / name, "--out", out, "--records", folder / "r.xml", "--check", "4", "--playouts", "5")
    assert read_knowledge(out, machine.sheet).values == VALUES


def test_pruning_keeps_what_pays(machine: Machine, folder: Path) -> None:
    out = folder / "small.xml"
    told = json.loads(
        run("prune", folder / "whole.xml", "--out", out, "--records", folder / "r.xml", "--check", "20", "--json")
    )
    assert (told["features"], told["kept"], told["check"]["n"]) == (6, 2, 20)
    pruned = read_knowledge(out, machine.sheet)
    assert [[each.feature for each in features] for features in pruned.winning] == [
        [FeatureAbsMove("(mark 2 2 x)")],
        [FeatureAbsMove("(mark 2 2 o)")],
    ]
    assert pruned.parameters == read_knowledge(folder / "whole.xml", machine.sheet).parameters


def test_the_smallest_file_is_the_one_that_a_run_would_find(machine: Machine, folder: Path) -> None:
    out = folder / "smallest.xml"
    options = ["--records", folder / "r.xml", "--smallest", "100", "--check", "512", "--playouts", "5", "--json"]
    told = json.loads(run("prune", folder / "whole.xml", "--out", out, *options))
    [trial] = told["trials"]
    assert (trial["size"], trial["features"], told["features"], told["check"]) == (0, 0, 6, None)
    kept = read_knowledge(out, machine.sheet)
    assert told["kept"] == kept.n_features == (0 if trial["as_strong"] else 6)
    assert "0 features a role, 0 in all, against the whole: " in run(
        "prune", folder / "whole.xml", "--out", out, *options[:-1]
    )


def test_pruning_that_makes_weaker_writes_nothing(folder: Path, refusal: Refusal) -> None:
    out = folder / "none.xml"
    options = ("--sigmas", 1000, "--check", 200, "--playouts", 3, "--records", folder / "r.xml")
    assert "weaker than the whole" in refusal("miner", "prune", folder / "whole.xml", "--out", out, *options)
    assert not out.exists()


@pytest.mark.parametrize("command", [["explain"], ["prune", "--out", "x.xml"]])
def test_a_file_of_an_unknown_game_asks_for_the_game(
    command: list[str], machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Refusal
) -> None:
    write_knowledge(replace(knowledge_of(machine), game="nowhere", digest=""), tmp_path / "k.xml")
    monkeypatch.chdir(tmp_path)
    said = refusal("miner", command[0], "k.xml", *command[1:])
    assert "k.xml: it belongs to nowhere, which is no bundled game; name the rule sheet" in said


def test_the_folder_of_the_run_has_the_rules(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Refusal
) -> None:
    below = tmp_path / "run" / "knowledge" / "gen_001"
    below.mkdir(parents=True)
    known = replace(knowledge_of(machine, parameters=Parameters(solver=True)), game="nowhere.ext")
    write_knowledge(known, below / "k.xml")
    rules = tmp_path / "run" / "rules.kif"
    rules.write_text(Path(machine.sheet.source).read_text("utf-8"), "utf-8")
    monkeypatch.chdir(tmp_path)
    found, loaded = load(below / "k.xml", None)
    assert found.parameters.solver
    assert (loaded.sheet.digest, loaded.sheet.name) == (machine.sheet.digest, "nowhere.ext")
    rules.write_text("(role alone) (init (n 1)) (legal alone go) (<= terminal (true (n 1))) (goal alone 0)", "utf-8")
    said = refusal("miner", "explain", below / "k.xml")
    assert "it belongs to nowhere.ext, which is no bundled game, and" in said
    assert "rules.kif has other rules; name the rule sheet" in said
