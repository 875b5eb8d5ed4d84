from pathlib import Path

from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.knowledge.knowledge_xml import write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from lab.strength.contest import Contest, measure_contests


def test_a_contest_has_a_row_for_each_depth_and_names_both_budgets(tmp_path: Path) -> None:
    machine = load_machine("tictactoe.ext")
    sheet = machine.sheet
    nothing = Knowledge(sheet.name, sheet.digest, sheet.roles, ((), ()), ((), ()), Parameters())
    write_knowledge(nothing, tmp_path / "nothing.xml", sheet)
    contest = Contest(tmp_path / "nothing.xml", [(20, 6), (40, 4)], tuning_matches=2)
    rows = list(measure_contests("tictactoe.ext", contest, 1, lambda _: None))
    assert [(row["playouts"], row["matches"]) for row in rows] == [(20, 6), (40, 4)]
    for row in rows:
        assert row["own_playouts"] == max(1, round(float(row["playouts"]) / float(row["time_ratio"])))
        assert 0 <= float(row["low"]) <= float(row["win_percent"]) <= float(row["high"]) <= 100
