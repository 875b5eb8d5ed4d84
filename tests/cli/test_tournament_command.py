import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import Result

from gdl_miner.agent import _native
from gdl_miner.agent.errors import UserError
from gdl_miner.agent.features import FeatureAbsMove, FeatureItemsetOnly, WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, Parameters, Phase, read_knowledge, write_knowledge
from gdl_miner.agent.knowledge.parameters import OPTIONS as SEARCH_OPTIONS
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import search_position
from gdl_miner.agent.values import values_of
from gdl_miner.miner.play.cost_model import PositionSample
from gdl_miner.miner.play.player_names import PlayerName, twin_of
from tests.command_line import miner, succeeded
from tests.values.random_values import random_values

CHAMPIONS = Path(__file__).parents[2] / "docs" / "champions"
OPTIONS = ("--game", "tictactoe.ext", "--playouts", 8, "--executor", "serial")
WORDS = ", ".join(option.word for _, option in SEARCH_OPTIONS)


def tournament(*players: object, options: tuple[object, ...] = ("--matches", 12)) -> Result:
    return miner("tournament", *players, *OPTIONS, *options, columns=140)


def player_of(name: str, playouts: int = 500) -> PlayerSpec:
    machine = load_machine("tictactoe.ext")
    return PlayerName.read(name).player(machine, playouts, PositionSample(machine))


def test_a_cross_table_and_ratings_are_shown(finished_run: Path) -> None:
    shown = succeeded(tournament("uct", finished_run / "best.xml", "uct@40"))
    assert "Points in % against" in shown
    assert "LOS" in shown
    assert shown.count("uct@40") >= 2


def test_the_same_tournament_gives_the_same_numbers_and_more_search_wins() -> None:
    first, again = (tournament("uct", "uct@60", "random", options=("--matches", 40, "--json")).stdout for _ in "ab")
    assert first == again
    said = json.loads(first)
    assert [entry["player"] for entry in said["ranking"]] == ["uct@60", "uct", "random"]
    assert all(entry["n"] == entry["wins"] + entry["losses"] + entry["draws"] == 40 for entry in said["pairings"])
    assert said["pairings"][1]["los"] > 0.95  # uct against random


def test_searches_with_several_playouts_at_once_play_other_matches_and_repeat_them(finished_run: Path) -> None:
    players = ("uct", finished_run / "best.xml", f"{finished_run / 'best.xml'}@greedy", "random")
    options = ("--matches", 20, "--opening-plies", 2, "--json")
    one, several, again = (
        succeeded(tournament(*players, options=(*options, "--in-flight", number))) for number in (1, 4, 4)
    )
    assert several == again
    results = [
        [(pairing["wins"], pairing["losses"], pairing["draws"]) for pairing in json.loads(each)["pairings"]]
        for each in (one, several)
    ]
    assert results[0] != results[1]
    assert results[0][-1] == results[1][-1], "neither greedy nor random players search"


def test_options_of_the_search_follow_a_name_and_are_paid_for_in_playouts(finished_run: Path) -> None:
    player = player_of("uct+decisive=decisive+c=10+solver")
    assert player.parameters == Parameters(decisive_moves="decisive", uct_c=10.0, solver=True)
    assert player.playouts != 500
    drawing = player_of("uct+fpu=20+moves=3@50")
    assert drawing.parameters == Parameters(first_play_urgency=20.0, playout_moves=3)
    informed = player_of(f"{finished_run / 'best.xml'}+fpu@70")
    assert (informed.parameters.first_play_urgency, informed.playouts) == (0.0, 70)
    assert player_of("uct") == PlayerSpec("uct", playouts=500)
    assert "uct+solver" in succeeded(tournament("uct", "uct+solver", options=("--matches", 4)))


@pytest.fixture
def valued(finished_run: Path, tmp_path: Path) -> Path:
    """Return a file with features, values and uncommon parameters."""
    parameters = Parameters(uct_c=17.0, expansions=2.0, value_weight=0.5, features_in_selection=False)
    return write_valued(finished_run / "best.xml", tmp_path / "values.xml", 1, parameters)


def write_valued(given: Path, file: Path, seed: int, parameters: Parameters) -> Path:
    """Write the knowledge of a file of tic-tac-toe with other parameters and random values."""
    machine = load_machine("tictactoe.ext")
    values = values_of(*random_values(machine, seed))
    known = replace(read_knowledge(given, machine.sheet), values=values, parameters=parameters)
    write_knowledge(known, file, machine.sheet)
    return file


def test_the_twin_of_a_file_has_its_parameters_and_none_of_its_knowledge(valued: Path) -> None:
    twin, whole = player_of(f"{valued}@twin"), player_of(str(valued))
    assert twin.parameters == replace(read_knowledge(valued).parameters, features_in_playouts=False)
    assert (twin.tables, twin.values) == (None, None)
    assert twin.playouts < 500, "two nodes for each playout cost playouts"
    assert whole.tables is not None
    assert whole.values is not None
    assert "values.xml@twin" in succeeded(tournament("uct", f"{valued}@twin", valued, options=("--matches", 4)))
    for name in ("uct@twin", "random@twin", f"{valued}+solver@twin"):
        with pytest.raises(UserError, match="give a knowledge file alone"):
            player_of(name)


def test_the_twin_of_a_file_whose_features_guide_the_search_chooses_by_the_same_rule() -> None:
    machine, bare = load_machine("tictactoe.ext"), PlayerSpec(playouts=40)
    parameters = Parameters(exploration="puct", puct_c=30.0, features_in_playouts=False)
    every = ((WeightedFeature(FeatureItemsetOnly(), 7.0),),) * 2
    alike = Knowledge("tictactoe.ext", "", machine.roles, every, ((), ()), parameters)
    loving, disliking = (WeightedFeature(FeatureAbsMove(f"(mark 2 2 {role})"), 3.0) for role in machine.roles)
    knowing = replace(alike, winning=((loving,), ()), losing=((), (disliking,)))

    def visits(player: PlayerSpec) -> list[int]:
        visited: list[int] = search_position(machine, machine.initial(), player, seed=1)[0].visits.tolist()
        return visited

    twin = visits(twin_of(knowing, machine, 40))
    assert twin == visits(bare.with_knowledge(alike, machine))
    assert twin != visits(bare.with_knowledge(knowing, machine))
    assert twin != visits(replace(bare, parameters=parameters)), "UCB1"
    selecting = replace(parameters, features_in_selection=False)
    assert twin_of(replace(knowing, parameters=selecting), machine, 40).tables is None


def test_the_twin_informs_all_roles_that_share_features_by_symmetries() -> None:
    machine = load_machine("connectfour7.ext")
    knowledge = read_knowledge(CHAMPIONS / "connectfour7.ext-4" / "best.xml", machine.sheet)
    owned = [len(won) + len(lost) for won, lost in zip(knowledge.winning, knowledge.losing, strict=True)]
    assert owned[0] > owned[1] == 0, "one role has the features of both"
    player, twin = PlayerSpec().with_knowledge(knowledge, machine), twin_of(knowledge, machine, 1)
    for spec in (player, twin):
        assert spec.tables is not None
        scorer = _native.Scorer(spec.tables)
        assert [scorer.acts_in(int(Phase.SELECTION), role) for role in range(2)] == [True, True]


def test_a_file_with_values_may_play_greedily(valued: Path) -> None:
    player = player_of(f"{valued}@greedy")
    assert (player.playouts, player.parameters.uct_c, player.tables) == (1, 0.0, None)
    succeeded(tournament(f"{valued}@greedy", "random", options=("--matches", 4)))
    write_knowledge(read_knowledge(valued).emptied(), valued)
    with pytest.raises(UserError, match="holds neither values nor features"):
        player_of(f"{valued}@greedy")


def test_greedy_players_repeat_one_match_unless_openings_differ(finished_run: Path, tmp_path: Path) -> None:
    given = finished_run / "best.xml"
    files = [write_valued(given, tmp_path / f"{seed}.xml", seed, Parameters()) for seed in (1, 2)]

    def outcomes(plies: int) -> set[int]:
        options = ("--matches", 40, "--json", "--opening-plies", plies)
        [pairing] = json.loads(tournament(*(f"{file}@greedy" for file in files), options=options).stdout)["pairings"]
        return {pairing["wins"], pairing["draws"], pairing["losses"]}

    assert outcomes(0) <= {0, 20, 40}
    assert not outcomes(2) <= {0, 20, 40}


def test_a_sequential_test_stops_early_and_says_why() -> None:
    options = ("--matches", 400, "--sprt", 0, 50)
    shown = succeeded(tournament("uct@60", "random", options=options))
    assert "uct@60 against random: H1 accepted, leads by 50 Elo or more" in shown
    [entry] = json.loads(tournament("uct@60", "random", options=(*options, "--json")).stdout)["pairings"]
    assert entry["sprt"] == "H1"
    assert entry["n"] < 400


@pytest.mark.parametrize(
    ("players", "said"),
    [
        (["uct"], "two players or more"),
        (["uct", "nothing.xml"], r"nothing\.xml"),
        (["uct", "uct@0"], "at least one playout"),
        (["uct", "uct@999999999999"], "may have 100,000,000"),
        (["uct", "uct+grave"], f"no such option; give {WORDS}, as in uct"),
        (["uct", "uct+fpu=much"], "fpu=much: could not convert"),
        (["uct", "uct+mixed=2"], "mixed_share is 2.0; give a share"),
        (["uct", "uct+moves=few"], "moves=few: invalid literal"),
        (["uct", "uct+moves=99999999999"], "playout_moves is 99999999999; 1,000,000,000 is"),
        (["uct", "uct+c=-1"], "uct_c is -1.0; give a number >= 0"),
        (["uct", "uct+solver=1"], "takes no value"),
        (["uct", "uct+c=9+trust"], "uct.c=9.trust: trust has no effect on a player without values"),
        (["uct", "uct@greedy"], "uct@greedy: a greedy player has knowledge and no options"),
        (["uct", "some.xml+solver@greedy"], "knowledge and no options"),
        (["uct", "random+solver"], "give it no options"),
        (["uct", "random", "--sprt", "30", "0"], "the smaller one"),
        (["uct", "random", "--sprt", "0", "inf"], "the smaller one"),
    ],
)
def test_mistakes_say_what_to_do(players: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        succeeded(tournament(*players, options=("--matches", 4)))
