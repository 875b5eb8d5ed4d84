"""The table over HTTP: playing matches to the end, taking back, saving, and refusing wrong commands."""

import random
from pathlib import Path

import pytest

from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import read_sheet
from gdl_miner.agent.knowledge import Parameters, read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.table import SeatKind, Strength, Table, TableSettings
from gdl_miner.agent.values import StateJudge
from tests.knowledge.plain import knowledge_of
from tests.table.laid import Laid, laid

CHAMPION = Path(__file__).parents[2] / "docs" / "champions" / "breakthrough.ext-1" / "best.xml"
YOU, UCT, RANDOM = SeatKind.YOU, SeatKind.UCT, SeatKind.RANDOM

CHOICES = """
(role a) (role b) (init (round 0)) (succ 0 1) (succ 1 2)
(<= (legal ?r (pick ?n)) (role ?r) (number ?n)) (number 1) (number 2) (number 3)
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (next (last ?r ?n)) (does ?r (pick ?n)))
(<= terminal (true (round 2)))
(<= (goal ?r 50) (role ?r))
"""


def to_the_end(table: Laid, seed: int) -> int:
    """Play random moves until the match is over; return the number of moves that people made."""
    choose, made, news = random.Random(seed), 0, table.ready()
    while not news["position"]["ended"]:
        serial = news["serial"]
        assert table.play(news, choose.randrange(len(news["position"]["moves"]))) == ""
        made += 1
        news = table.until(
            lambda news: (
                news["serial"] > serial  # noqa: B023 - called before the next round
                and (news["position"]["ended"] or news["position"]["person"] is not None)
            )
        )
    return made


@pytest.mark.parametrize("game", bundled())
def test_every_bundled_game_can_be_played_to_the_end(game: str, tmp_path: Path) -> None:
    machine = load_machine(game)
    with laid(machine, [YOU, RANDOM]) as table:
        assert to_the_end(table, 1) > 2
        (tmp_path / "match.xml").write_text(table.send("match.xml"))
    record = read_records(tmp_path / "match.xml", machine)
    assert machine.terminal(record.states[-1])
    assert record.goals[0].tolist() == list(machine.goals(record.states[-1]))


def test_a_game_of_simultaneous_moves_without_a_board_hides_what_was_chosen(tmp_path: Path) -> None:
    sheet = tmp_path / "choices.kif"
    sheet.write_text(CHOICES)
    with laid(load_machine(read_sheet(sheet)), [YOU, YOU]) as table:
        news = table.ready()
        assert news["position"]["board"] == ""
        assert [move["path"] for move in news["position"]["moves"]] == [[]] * 3
        table.play(news, 2)
        news = table.until(lambda news: news["position"]["person"] == 1)
        assert "pick 3" not in str(news["position"]["history"]) + str(news["position"]["facts"])
        table.play(news, 0)
        news = table.until(lambda news: news["position"]["number"] == 1)
        assert news["position"]["history"] == ["(pick 3), (pick 1)"]


def test_an_agent_does_not_show_its_thoughts_before_a_person_has_chosen(tmp_path: Path) -> None:
    sheet = tmp_path / "choices.kif"
    sheet.write_text(CHOICES)
    with laid(load_machine(read_sheet(sheet)), [YOU, UCT]) as table:
        news = table.until(lambda news: not news["thinking"] and news["position"]["person"] == 0)
        assert news["thought"] is None
        table.play(news)
        assert table.until(lambda news: news["position"]["number"] == 1)["thought"]["role"] == "b"


def test_taking_back_returns_to_the_last_choice_of_a_person() -> None:
    with laid("tictactoe.ext", [YOU, UCT]) as table:
        first = table.ready()
        assert table.do({"do": "take_back"}).startswith("409 no move")
        table.play(first)
        second = table.until(lambda news: news["position"]["number"] == 2 and news["position"]["person"] == 0)
        assert second["thought"]["role"] == "o"
        assert len(second["thought"]["moves"]) == 8
        assert table.do({"do": "take_back"}) == ""
        again = table.until(lambda news: news["position"]["number"] == 0)
        assert again["position"]["moves"] == first["position"]["moves"]
        assert again["position"]["board"] == first["position"]["board"]


def test_agents_play_each_other_and_can_be_paused() -> None:
    with laid("tictactoe.ext", [UCT, RANDOM]) as table:
        table.until(lambda news: news["position"]["number"] == 1)
        assert table.do({"do": "change", "paused": True}) == ""
        number = table.until(lambda news: news["paused"])["position"]["number"]
        assert table.do({"do": "change", "paused": False}) == ""
        assert table.until(lambda news: news["position"]["ended"])["position"]["number"] > number
        assert table.do({"do": "start_again"}) == ""
        assert table.until(lambda news: news["position"]["number"] == 0)


def test_the_agent_advises_a_person_when_asked() -> None:
    with laid("tictactoe.ext", [YOU, YOU], settings=TableSettings(Strength("seconds", 0.05), advice=True)) as table:
        thought = table.until(lambda news: news["thought"] is not None)["thought"]
        assert thought["role"] == "x"
        assert sum(move["visits"] for move in thought["moves"]) > 0


@pytest.mark.parametrize(("unit", "amount"), [("playouts", 40), ("level", 2)])
def test_strength_is_counted_in_playouts_and_levels(unit: str, amount: int) -> None:
    with laid("tictactoe.ext", [YOU, UCT]) as table:
        assert table.do({"do": "change", "strength": {"unit": unit, "amount": amount}}) == ""
        news = table.until(lambda news: news["strength"] == {"unit": unit, "amount": amount})
        assert table.play(news) == ""
        news = table.until(lambda news: news["position"]["number"] == 2)
        assert news["thought"]["playouts"] == 40
        assert table.do({"do": "change", "strength": {"unit": unit, "amount": 1.5}}).startswith("409 a strength")


def test_values_say_what_moves_are_worth_and_why() -> None:
    machine = load_machine("breakthrough.ext")
    known = read_knowledge(CHAMPION, machine.sheet)
    assert known.values is not None
    judge, state = StateJudge(known.values, machine), machine.initial()
    settings = TableSettings(Strength("playouts", 20), advice=True)
    with laid(machine, [YOU, YOU], knowledge=known, settings=settings) as table:
        news = table.until(lambda news: news["thought"] is not None)
        assert news["explains"]
        noop = int(machine.legal(state)[1][0])
        for move in news["thought"]["moves"]:
            after = machine.next(state, [move["row"], noop])
            assert move["worth"] == pytest.approx(judge.values(after[None])[0][0], abs=0.01)
        row = news["thought"]["moves"][0]["row"]
        assert table.do({"do": "explain", "serial": news["serial"], "row": row}) == ""
        told = table.until(lambda news: news["explanation"] is not None)["explanation"]
        expected = judge.changes(state, machine.next(state, [row, noop]), 0)
        assert [each["words"] for each in told["reasons"]] == [each.words for each in expected]
        assert [each["weight"] for each in told["reasons"]] == pytest.approx([e.weight for e in expected], abs=1e-4)
        assert table.do({"do": "explain", "serial": news["serial"], "row": noop}).startswith("409 another role")
        assert table.do({"do": "explain", "serial": 99, "row": row}).startswith("409 the position has changed")
        assert table.do({"do": "explain", "serial": news["serial"], "row": 10**6}).startswith("409")
        assert table.play(news) == ""
        assert table.until(lambda news: news["position"]["number"] == 1)["explanation"] is None


def test_a_match_begins_where_facts_say_and_begins_there_again() -> None:
    facts = "(cell 1 1 x) (true (cell 1 2 x)) (cell 2 1 o) (cell 2 2 o) (control x)"
    with laid("tictactoe.ext", [YOU, YOU]) as table:
        assert table.do({"do": "position", "facts": facts}) == ""
        news = table.until(lambda news: len(news["position"]["every"]) == 5)
        assert news["position"]["every"] == [
            "(cell 1 1 x)",
            "(cell 1 2 x)",
            "(cell 2 1 o)",
            "(cell 2 2 o)",
            "(control x)",
        ]
        [win] = [place for place, move in enumerate(news["position"]["moves"]) if move["text"] == "(mark 1 3 x)"]
        assert table.play(news, win) == ""
        assert table.until(lambda news: news["position"]["ended"])["position"]["number"] == 1
        assert table.do({"do": "start_again"}) == ""
        assert (
            table.until(lambda news: news["position"]["number"] == 0)["position"]["every"] == news["position"]["every"]
        )
        assert "nosuch is no fluent" in table.do({"do": "position", "facts": "(nosuch)"})
        assert "is a fact missing" in table.do({"do": "position", "facts": "(cell 1 1 x)"})
        assert table.do({"do": "explain", "serial": 0, "row": 1}).startswith("409")


def test_the_table_refuses_what_is_not_a_move_of_this_page() -> None:
    with laid("tictactoe.ext", [YOU, RANDOM]) as table:
        news = table.ready()
        play = {"do": "play", "serial": news["serial"], "role": 0, "row": news["position"]["moves"][0]["row"]}
        assert table.do(play, Origin="http://evil.example").startswith("403")
        assert table.do(play, Host="evil.example").startswith("403")
        assert table.do(play, **{"Content-Type": "text/plain"}).startswith("415")
        assert table.do(b"x" * 300_000).startswith("413")
        assert table.do(b"nonsense").startswith("400")
        assert table.do(play | {"more": 1}).startswith("400")
        assert table.do(play | {"serial": 7}).startswith("409 the position has changed")
        assert table.do(play | {"row": 10**6}).startswith("409")
        assert table.do(play | {"role": 1}).startswith("409 that seat is not yours")
        assert table.do({"do": "sit", "role": 1, "seat": "knowledge"}).startswith("409")
        assert table.do({"do": "change", "strength": {"unit": "seconds", "amount": 1e9}}).startswith("409 a strength")
        assert table.send("../do", b"{}").startswith("404")
        assert table.do(play, Origin=f"http://127.0.0.1:{table.port}") == ""


def test_the_parameters_of_a_table_are_those_of_its_agents() -> None:
    machine = load_machine("tictactoe.ext")
    nothing = knowledge_of(machine, parameters=Parameters(impact=2.0))
    table = Table(machine, nothing, [SeatKind.UCT, SeatKind.KNOWLEDGE], parameters={"uct_c": 20.0})
    assert [table.player(role).parameters for role in (0, 1)] == [
        Parameters(uct_c=20.0, solver=True),
        Parameters(uct_c=20.0, impact=2.0),
    ]
    table.close()
