import json
from pathlib import Path

from typer.testing import CliRunner

from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.knowledge.knowledge_xml import write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from lab.studies import app


def test_a_contest_has_a_row_for_each_depth_and_names_both_budgets(tmp_path: Path) -> None:
    machine = load_machine("tictactoe.ext")
    sheet = machine.sheet
    nothing = Knowledge(sheet.name, sheet.digest, sheet.roles, ((), ()), ((), ()), Parameters())
    write_knowledge(nothing, tmp_path / "nothing.xml", sheet)
    given = [f"tictactoe.ext={tmp_path / 'nothing.xml'}", "--playouts", "2", "--matches", "6", "--deeper", "4"]
    result = CliRunner().invoke(app, ["equal-time", *given, "--tuning", "2", "--json"], catch_exceptions=False)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["playouts"], row["matches"]) for row in rows] == [(2, 6), (20, 4)]
    for row in rows:
        assert row["own_playouts"] == max(1, round(row["playouts"] / row["time_ratio"]))
        assert 0 <= row["low"] <= row["win_percent"] <= row["high"] <= 100
