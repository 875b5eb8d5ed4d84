from pathlib import Path

from gdl_miner.miner.results.agreement import compare_bytes


def test_a_copy_agrees_whatever_its_clock_said(finished_run: Path, copied_run: Path) -> None:
    (copied_run / "timings.csv").write_text("other\n")
    (copied_run / "env.json").write_text("{}")
    agreement = compare_bytes(finished_run, copied_run)
    assert agreement.complete
    assert {"steps.csv", "champion.json", "best.xml", "knowledge/gen_001/g001-i001.xml"} <= set(agreement.same)


def test_a_difference_is_placed(finished_run: Path, copied_run: Path) -> None:
    lines = (copied_run / "steps.csv").read_text().splitlines(keepends=True)
    (copied_run / "steps.csv").write_text("".join([*lines[:2], "x" + lines[2], *lines[3:]]))
    (copied_run / "knowledge" / "gen_001" / "g001-i002.xml").unlink()
    (copied_run / "best.xml").write_bytes((copied_run / "best.xml").read_bytes() + b"<!-- more -->\n")
    assert compare_bytes(finished_run, copied_run).differing == (
        "best.xml: one ends before the other",
        f"knowledge/gen_001/g001-i002.xml: only in {finished_run}/knowledge/gen_001",
        "steps.csv: differs in line 3",
    )


def test_two_empty_folders_agree_in_nothing(tmp_path: Path) -> None:
    assert not compare_bytes(tmp_path, tmp_path).complete
