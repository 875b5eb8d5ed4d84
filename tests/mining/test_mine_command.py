"""`miner mine` reads record files and writes a knowledge file and tables."""

import json

import pytest

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.knowledge import read_knowledge, written_out
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.record_xml import write_records
from gdl_miner.miner.commands.mine import Policy, mine, record_files
from gdl_miner.miner.mining import record_summary
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.record_summary import merge_summaries, summarise_file
from tests.mining.playouts import random_record


@pytest.fixture(scope="module")
def machine():
    return load_machine("tictactoe.ext")


@pytest.fixture(scope="module")
def records(machine, tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    for seed, name in ((1, "one.xml"), (2, "two.xml.gz")):
        record = random_record(machine, 60, seed, lambda move: 8.0 if "2 2" in move else 1.0, prefix=f"{seed}-")
        write_records(record, machine, folder / name)
    return folder


def test_the_written_knowledge_prefers_what_the_searches_preferred(machine, records, tmp_path, capsys):
    out = tmp_path / "features.xml"
    mine([str(records)], "tictactoe.ext", out, Policy.softmax, max_features=50)
    knowledge = read_knowledge(out, machine.sheet)
    assert knowledge.parameters.scoring == "exponential"
    assert 0 < len(knowledge.winning[0]) <= 50
    assert all(written_out(knowledge, machine).winning)
    printed = capsys.readouterr().out
    assert "120 matches mined" in printed
    assert "the move (mark 2 2 x)" in printed


def test_phi_writes_its_file_without_a_fit(machine, records, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("gdl_miner.miner.mining.mine.fit_role", None)  # it cannot be called
    out = tmp_path / "features.xml"
    mine([str(records)], "tictactoe.ext", out, Policy.phi)
    assert read_knowledge(out, machine.sheet).parameters.scoring == "additive"
    printed = capsys.readouterr().out
    assert "decisions" in printed
    assert "searches" not in printed


def test_json_names_every_role_and_feature(records, tmp_path, capsys):
    mine([str(records / "one.xml")], "tictactoe.ext", tmp_path / "f.xml", Policy.phi, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["matches"] == 60
    assert [role["role"] for role in told["roles"]] == ["x", "o"]
    assert {"words", "phi", "p_value", "weight", "support"} <= set(told["roles"][0]["features"][0])


def test_equal_records_give_the_same_file(records, tmp_path):
    for name in ("a.xml", "b.xml"):
        mine([str(records)], "tictactoe.ext", tmp_path / name)
    assert (tmp_path / "a.xml").read_bytes() == (tmp_path / "b.xml").read_bytes()


def test_files_folders_and_patterns_name_each_file_once(records):
    one, two = records / "one.xml", records / "two.xml.gz"
    assert record_files([str(one), str(records)]) == [one, two]
    assert record_files([str(records / "*.gz")]) == [two]


def test_of_a_run_only_its_records_are_mined(finished_run):
    expected = sorted((finished_run / "records").iterdir())
    assert record_files([str(finished_run)]) == expected
    assert record_files([str(finished_run.parent)]) == expected


@pytest.mark.parametrize("given", ["nothing.xml", "no/*.xml", "."])
def test_naming_nothing_is_an_error_that_says_what(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RecordError, match=r"name match records"):
        record_files([given])


def test_files_read_in_parts_are_the_same_as_files_read_whole(machine, records, monkeypatch):
    config = MiningConfig()
    whole = summarise_file(records / "one.xml", machine, config, 1)
    monkeypatch.setattr(record_summary, "_PART", 100)
    parts = summarise_file(records / "one.xml", machine, config, 1)
    assert len(parts.samples) > 3
    assert parts.sample == whole.sample
    assert parts.matches == whole.matches == 60
    assert [counts.totals.tolist() for counts in parts.counts] == [counts.totals.tolist() for counts in whole.counts]


def test_summaries_merged_in_any_order_are_the_same(machine, records):
    config = MiningConfig(sample=400)
    one, two = (summarise_file(path, machine, config, 1) for path in record_files([str(records)]))
    found, other = merge_summaries([one, two], config, 1), merge_summaries([two, one], config, 1)
    assert found.sample == other.sample
    assert 300 < len(found.sample.states) <= 400
    assert found.states == one.states + two.states
