import json

import pytest

from gdl_miner.agent.knowledge import write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from lab.speed.full_size import LIST_SIZE, VARIANTS, full_size_knowledge, variants
from lab.speed.knowledge import WAYS
from tests.command_line import lab, succeeded


@pytest.fixture(scope="module")
def machine():
    return load_machine("tictactoe.ext")


@pytest.fixture(scope="module")
def knowledge(machine):
    return full_size_knowledge(machine)


def test_full_size_knowledge_has_itemsets_and_fills_its_lists_as_far_as_the_game_goes(knowledge):
    for lists in (knowledge.winning, knowledge.losing):
        for features in lists:
            assert 20 < len(features) <= LIST_SIZE
            assert any(each.itemset is not None for each in features)


def test_variants_share_features_and_differ_in_weights(knowledge):
    files = variants(knowledge)
    assert len({str(each.parameters) for each in files}) == VARIANTS
    known = set(knowledge.winning[0])
    assert all(known > set(each.winning[0]) for each in files)


def test_the_table_has_the_ratio_of_every_way_with_one_file_and_with_many(machine, knowledge, tmp_path):
    path = tmp_path / "tictactoe.xml"
    write_knowledge(knowledge, path, machine.sheet)
    effort = ("--playouts", 20, "--lanes", 64, "--rounds", 1)
    row = json.loads(succeeded(lab("knowledge", "--game", "tictactoe.ext", "--knowledge", path, *effort, "--json")))
    for way in WAYS:
        assert 0 < row[f"{way}_one"] < 2
        assert 0 < row[f"{way}_mixed"] < 2
    assert row["itemsets"] > 0


def test_one_knowledge_file_is_of_one_game():
    result = lab("knowledge", "--knowledge", "k.xml", "--game", "a", "--game", "b")
    assert "name it with --game" in str(result.exception)
