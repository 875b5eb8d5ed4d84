import dataclasses
import random
import re
import types
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import (
    FEATURE_CLASSES,
    FeatureAbsEuclidBorderDist,
    FeatureAbsMove,
    FeatureOrigin,
    FeatureRelEuclidKNearest,
    FeatureRelEuclidProximity,
    FeatureRelPattern,
    Itemset,
    WeightedFeature,
)
from gdl_miner.agent.features.itemset import ITEM_CLASSES, MetafactAnyPieceInField, MetafactPieceInArea
from gdl_miner.agent.gdl import Board
from gdl_miner.agent.knowledge import Knowledge, Parameters, compile_knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.knowledge.schema import SCHEMA_FILE, schema_text
from gdl_miner.agent.knowledge.sharing import symmetries_of
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import ValuePart, Values
from tests.geometry.imaginary_games import BIG_SQUARE, CUBE, GAMES, LINE, SQUARE, ImaginaryGame
from tests.knowledge.random_knowledge import candidates, random_batch, random_knowledge

FIGURE = Path(__file__).parent / "figure_5_5.xml"


@pytest.mark.parametrize("spelled", [False, True])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.sheet.name)
def test_knowledge_survives_writing_and_reading_exactly(tmp_path: Path, game: ImaginaryGame, spelled: bool) -> None:
    rng = random.Random(game.sheet.name)
    sheet = game.sheet if spelled else None
    for _ in range(5):
        knowledge = random_knowledge(game, rng, candidates(game, rng, random_batch(game, rng, 4, 5)))
        write_knowledge(knowledge, tmp_path / "one.xml", sheet)
        again = read_knowledge(tmp_path / "one.xml", game.sheet)
        features, values = knowledge.n_features > 0, knowledge.values is not None
        acting = knowledge.parameters.acting(features=features, values=values)
        assert again == dataclasses.replace(knowledge, parameters=acting)
        write_knowledge(again, tmp_path / "two.xml", sheet)
        assert (tmp_path / "two.xml").read_bytes() == (tmp_path / "one.xml").read_bytes()


WEIGHTS = st.floats(min_value=0, max_value=1e300)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(WEIGHTS, min_size=1, max_size=4),
    WEIGHTS,
    st.integers(0, 10**6),
    st.fixed_dictionaries({name.element: WEIGHTS for name in FEATURE_CLASSES}),
)
def test_any_number_survives_writing_and_reading(
    tmp_path: Path, weights: list[float], impact: float, squared: int, classes: dict[str, float]
) -> None:
    features = tuple(WeightedFeature(FeatureRelEuclidProximity(squared), weight) for weight in weights)
    parameters = Parameters(class_weights=classes, impact=impact, base_value=impact, max_features=squared)
    knowledge = dataclasses.replace(empty_knowledge(SQUARE), winning=(features, ()), parameters=parameters)
    write_knowledge(knowledge, tmp_path / "k.xml")
    assert read_knowledge(tmp_path / "k.xml") == knowledge


def empty_knowledge(game: ImaginaryGame):  # type: ignore[no-untyped-def] # a Knowledge
    return dataclasses.replace(random_knowledge(game, random.Random(0), []), parameters=Parameters())


def test_the_figure_of_the_thesis_reads_as_printed() -> None:
    knowledge = read_knowledge(FIGURE)
    itemset = Itemset((MetafactPieceInArea(2, (7, 1), "blackpiece"), MetafactAnyPieceInField((7, 1))))
    assert knowledge.roles == ("red", "black")
    assert knowledge.winning[1] == (
        WeightedFeature(FeatureRelEuclidKNearest(("redpiece",) * 3), 0.5, itemset),
        WeightedFeature(FeatureRelEuclidProximity(1), 0.3),
        WeightedFeature(FeatureAbsEuclidBorderDist(0, lower=True, dimension=2), 0.1),
    )
    assert knowledge.losing[1] == (WeightedFeature(FeatureRelEuclidProximity(4), 0.2),)
    assert knowledge.parameters == Parameters()


def test_what_we_write_has_the_elements_of_the_figure(tmp_path: Path) -> None:
    write_knowledge(read_knowledge(FIGURE), tmp_path / "again.xml")
    ours, figure = etree.parse(tmp_path / "again.xml").getroot(), etree.parse(FIGURE).getroot()
    for player in (0, 1):
        written, printed = (root.findall("Player")[player] for root in (ours, figure))
        assert [(e.tag, (e.text or "").split()) for e in written.iter()] == [
            (e.tag, (e.text or "").split()) for e in printed.iter()
        ]


def test_three_decimals_of_a_distance_are_enough(tmp_path: Path) -> None:
    (tmp_path / "k.xml").write_text(FIGURE.read_text().replace("<Distance>2</Distance>", "<Distance>3.606</Distance>"))
    assert read_knowledge(tmp_path / "k.xml").losing[1][0].feature == FeatureRelEuclidProximity(13)


def test_both_spellings_of_losing_are_read(tmp_path: Path) -> None:
    (tmp_path / "k.xml").write_text(FIGURE.read_text().replace("LoosingFeatures", "LosingFeatures"))
    assert read_knowledge(tmp_path / "k.xml") == read_knowledge(FIGURE)


def test_the_shipped_schema_declares_the_classes_and_parameters_that_exist() -> None:
    assert SCHEMA_FILE.read_text("utf-8") == schema_text(), "call write_schema() of agent/knowledge/schema.py"
    for each in (*FEATURE_CLASSES, *ITEM_CLASSES):
        assert f'<xs:element name="{each.element}"' in schema_text()


def test_a_class_that_is_registered_is_in_the_schema() -> None:
    class FeatureOfTest(FeatureAbsMove):
        element = "FeatureOfTest"
        children = types.MappingProxyType({"Move": "Term", "Piece": "Term?"})

    schema = etree.XMLSchema(etree.fromstring(schema_text((*FEATURE_CLASSES, FeatureOfTest)).encode()))
    features = "<FeatureOfTest weight='1'><Move>noop</Move></FeatureOfTest>"
    file = f"<Knowledge><Player role='a'><WinningFeatures>{features}</WinningFeatures></Player></Knowledge>"
    assert schema.validate(etree.fromstring(file))
    assert not schema.validate(etree.fromstring(file.replace("Move>", "Place>")))


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ('weight="0.5"', 'weight="-0.5"', 8, "-0.5"),
        ('weight="0.5"', 'weight="NaN"', 8, "NaN"),
        ('weight="0.5"', "", 8, "weight"),
        ("<K>3</K>", "<K>2</K>", 8, "<K> is 2 but <Pieces> holds 3"),
        ("<K>3</K>", "<K>0</K>", 9, "K"),
        ("<Distance>1</Distance>", "<Distance>1.2</Distance>", 22, "no distance between fields"),
        ("<Lower>True</Lower>", "<Lower>Maybe</Lower>", 27, "Maybe"),
        ("redpiece redpiece redpiece", "(red piece", 10, "unbalanced"),
        ("FeatureRelEuclidProximity", "FeatureRelNonsense", 22, "FeatureRelNonsense"),
        ("<Position>7 1</Position>", "<Position>7.5 1</Position>", 18, "whole numbers"),
        ('role="black"', 'role="red"', 1, "one <Player> for each role"),
        ("<Knowledge>", '<Knowledge version="2">', 1, "version 2"),
        ("</Knowledge>", "", 38, "mend the XML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, what: str
) -> None:
    text = FIGURE.read_text()
    assert old in text
    if old.startswith("FeatureRel"):
        text = text.replace("</" + old, "</" + new, 1)
    (tmp_path / "k.xml").write_text(text.replace(old, new, 1))
    with pytest.raises(KnowledgeError, match=f"k.xml:{line}: .*{what}"):
        read_knowledge(tmp_path / "k.xml", None)


PARAMETERS = """<Knowledge><Parameters>
{}
</Parameters><Player role="a"/></Knowledge>"""


@pytest.mark.parametrize(
    ("parameter", "line", "what"),
    [
        ("<Impact>many</Impact>", 2, "many"),
        ("<Impact>-1</Impact>", 2, "-1"),
        ("<Unheard>1</Unheard>", 2, "Unheard"),
        ("<Impact>1</Impact><Impact>1</Impact>", 2, "Impact"),
        ("<Scoring>random</Scoring>", 2, "random"),
        ("<Expansions>0</Expansions>", 1, "expansions must be > 0"),
        ("<Expansions>1e300</Expansions>", 1, "expansions must be > 0 and at most 1,000,000,000"),
        ("<WideningGrowth>1</WideningGrowth>", 1, "widening_growth > 1"),
        ('<ClassWeights><ClassWeight class="X" features="1" itemsets="1"/></ClassWeights>', 2, "class"),
    ],
)
def test_impossible_parameters_are_refused_with_their_line(
    tmp_path: Path, parameter: str, line: int, what: str
) -> None:
    (tmp_path / "k.xml").write_text(PARAMETERS.format(parameter))
    with pytest.raises(KnowledgeError, match=f"k.xml:{line}: .*{what}"):
        read_knowledge(tmp_path / "k.xml")


def test_a_file_has_no_line_about_what_it_does_not_hold(tmp_path: Path) -> None:
    known = dataclasses.replace(
        empty_knowledge(SQUARE), parameters=Parameters(uct_c=15.0, impact=2.5, exploration="puct", value_weight=0.5)
    )
    values = Values((), True, "", (), (ValuePart(0, 0, 0, {"(cell 1 1 red)": 1.0}, ()),))
    feature = ((WeightedFeature(FeatureRelEuclidProximity(1), 1.0),), *known.winning[1:])
    written = []
    contents: tuple[dict[str, Any], ...] = ({}, {"values": values}, {"winning": feature})
    for content in contents:
        write_knowledge(dataclasses.replace(known, **content), tmp_path / "k.xml")
        written.append([child.tag for child in etree.parse(tmp_path / "k.xml").getroot().find("Parameters")])
        assert ("LoosingFeatures" in (tmp_path / "k.xml").read_text()) == ("winning" in content)
    assert written == [
        ["UctConstant"],
        ["UctConstant", "ValueWeight"],
        ["Impact", "UctConstant", "Exploration"],
    ]
    write_knowledge(dataclasses.replace(known, parameters=Parameters()), tmp_path / "k.xml")
    assert "Parameters" not in (tmp_path / "k.xml").read_text()
    assert read_knowledge(tmp_path / "k.xml").parameters == Parameters()


def test_only_weights_of_classes_that_differ_are_written_and_all_are_read(tmp_path: Path) -> None:
    feature = ((WeightedFeature(FeatureRelEuclidProximity(1), 1.0),), *empty_knowledge(SQUARE).winning[1:])
    weights = {**Parameters().class_weights, "FeatureAbsMove": 0.5}
    known = dataclasses.replace(empty_knowledge(SQUARE), winning=feature, parameters=Parameters(class_weights=weights))
    write_knowledge(known, tmp_path / "k.xml")
    text = (tmp_path / "k.xml").read_text()
    line = '<ClassWeight class="FeatureAbsMove" features="0.5" itemsets="1"/>'
    assert re.findall("<ClassWeight .*", text) == [line]
    every = "".join(f'<ClassWeight class="{each.element}" features="1" itemsets="1"/>' for each in FEATURE_CLASSES[:2])
    (tmp_path / "k.xml").write_text(text.replace(line, line + every.replace("FeatureAbsMove", "FeatureItemsetOnly")))
    assert read_knowledge(tmp_path / "k.xml") == known


def test_parameters_that_the_program_lacks_are_read_where_they_do_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    idle = "<MastTemperature>0</MastTemperature><GraveEquivalence>0.0</GraveEquivalence><GraveVisits>7</GraveVisits>"
    idle += "<PlayoutDepth>0</PlayoutDepth><ItemsetsInPlayouts>true</ItemsetsInPlayouts>"
    (tmp_path / "k.xml").write_text(PARAMETERS.format(f"{idle}<UctConstant>9</UctConstant>"))
    for _ in range(2):
        assert read_knowledge(tmp_path / "k.xml").parameters == Parameters(uct_c=9.0)
    [note] = caplog.messages
    lacking = "MastTemperature, GraveEquivalence, GraveVisits, PlayoutDepth, ItemsetsInPlayouts"
    assert note == f"{tmp_path / 'k.xml'}: {lacking} have no effect and are not read"


@pytest.mark.parametrize("acting", ["<NstGreed>0.5</NstGreed>", "<ItemsetsInSelection>False</ItemsetsInSelection>"])
def test_parameters_that_the_program_lacks_are_refused_where_they_act(tmp_path: Path, acting: str) -> None:
    (tmp_path / "k.xml").write_text(PARAMETERS.format(f"\n{acting}"))
    with pytest.raises(KnowledgeError, match=r"k.xml:3: (NstG|ItemsetsIn)\w+ is .*; take the line out"):
        read_knowledge(tmp_path / "k.xml")


def test_only_decisive_moves_that_are_asked_for_are_written(tmp_path: Path) -> None:
    for moves in ("off", "decisive", "antidecisive", "auto"):
        knowledge = dataclasses.replace(empty_knowledge(SQUARE), parameters=Parameters(decisive_moves=moves))
        write_knowledge(knowledge, tmp_path / "k.xml")
        assert ("DecisiveMoves" in (tmp_path / "k.xml").read_text()) == (moves != "off")
        assert read_knowledge(tmp_path / "k.xml").parameters == knowledge.parameters


def test_what_a_feature_was_learned_for_is_written_where_it_is_known(tmp_path: Path) -> None:
    origins = (None, FeatureOrigin("offensive", 1), FeatureOrigin("defensive", 3))
    features = tuple(WeightedFeature(FeatureAbsMove("m"), 1.0, origin=origin) for origin in origins)
    knowledge = dataclasses.replace(empty_knowledge(SQUARE), winning=(features, ()))
    write_knowledge(knowledge, tmp_path / "k.xml")
    assert (tmp_path / "k.xml").read_text().count('side="defensive" level="3"') == 1
    assert read_knowledge(tmp_path / "k.xml").winning[0] == features


def test_a_side_without_a_level_is_refused(tmp_path: Path) -> None:
    feature = '<FeatureAbsMove weight="1" {}><Move>m</Move></FeatureAbsMove>'
    player = '<Player role="a"><WinningFeatures>{}</WinningFeatures></Player>'
    for attributes, what in (
        ('side="offensive"', "a side without a level.*give both or neither"),
        ('level="2"', "a level without a side"),
        ('side="good" level="1"', "side"),
        ('side="offensive" level="0"', "level"),
    ):
        (tmp_path / "k.xml").write_text(f"<Knowledge>{player.format(feature.format(attributes))}</Knowledge>")
        with pytest.raises(KnowledgeError, match=what):
            read_knowledge(tmp_path / "k.xml")


def test_parameters_left_out_have_their_defaults(tmp_path: Path) -> None:
    (tmp_path / "k.xml").write_text(PARAMETERS.format("<Impact>2</Impact>"))
    assert read_knowledge(tmp_path / "k.xml").parameters == Parameters(impact=2.0)


def test_knowledge_of_another_game_is_refused_unless_forced(tmp_path: Path) -> None:
    write_knowledge(empty_knowledge(SQUARE), tmp_path / "k.xml")
    with pytest.raises(KnowledgeError, match=r"k.xml:2: knowledge of square .*, not of big square"):
        read_knowledge(tmp_path / "k.xml", BIG_SQUARE.sheet)
    assert read_knowledge(tmp_path / "k.xml", BIG_SQUARE.sheet, force=True).game == "square"
    with pytest.raises(KnowledgeError, match="give one <Player> for each role"):
        read_knowledge(tmp_path / "k.xml", LINE.sheet, force=True)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("<Piece>blackpiece</Piece>", "<Piece>nobody</Piece>", ":8: FeatureRelEuclidKNearest: .*no piece nobody"),
        ("<Position>7 1</Position>", "<Position>9 9</Position>", ":8: .*no field 9 9"),
        ("<AreaDimensions>7 1<", "<AreaDimensions>7 1 1<", ":8: .*3 numbers on a board of 2"),
        ("<AreaDimensions>7 1<", "<AreaDimensions>17 1<", ":8: .*no field lies in the area"),
        ("redpiece redpiece redpiece", "redpiece pawn redpiece", ":8: .*no piece pawn"),
        ("<Dimension>2<", "<Dimension>3<", ":25: .*2 dimensions, not dimension 3"),
    ],
)
def test_names_that_the_game_lacks_are_errors_with_their_line(tmp_path: Path, old: str, new: str, what: str) -> None:
    board = Board(2, 1.0, 8.0, "cell", ("dim", "dim", "piece"), "mark", ("dim", "dim", "piece"))
    fluents = tuple(f"(cell {x} {y} {p})" for x in range(1, 9) for y in range(1, 9) for p in ("blackpiece", "redpiece"))
    names = dataclasses.replace(SQUARE.circuit, fluents=fluents)
    game = ImaginaryGame(dataclasses.replace(SQUARE.sheet, board=board), names)
    compile_knowledge(read_knowledge(FIGURE), game)
    text = FIGURE.read_text()
    assert old in text
    (tmp_path / "k.xml").write_text(text.replace(old, new, 1))
    with pytest.raises(KnowledgeError, match=f"k.xml{what}"):
        compile_knowledge(read_knowledge(tmp_path / "k.xml"), game)


def test_a_symmetry_that_the_game_lacks_is_an_error_with_its_line(tmp_path: Path) -> None:
    machine, path, nothing = load_machine("tictactoe.ext"), tmp_path / "k.xml", ((), ())
    write_knowledge(Knowledge("", "", ("x", "o"), nothing, nothing, symmetries=("upside down",)), path)
    with pytest.raises(KnowledgeError, match=r"k\.xml:3: the symmetry 'upside down' does not rename all facts"):
        symmetries_of(read_knowledge(path), machine)


def test_a_file_without_a_folder_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="cannot be written"):
        write_knowledge(empty_knowledge(SQUARE), tmp_path / "absent" / "k.xml")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write_knowledge(empty_knowledge(SQUARE), tmp_path / "k.xml")
    before = (tmp_path / "k.xml").read_bytes()
    broken = dataclasses.replace(empty_knowledge(SQUARE), game="\x00")
    with pytest.raises(ValueError, match="XML compatible"):
        write_knowledge(broken, tmp_path / "k.xml")
    assert (tmp_path / "k.xml").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["k.xml"]


def test_pieces_called_like_pattern_words_survive(tmp_path: Path) -> None:
    entries = ("piece:any", "any", "empty")
    pattern = FeatureRelPattern(1, entries)
    knowledge = dataclasses.replace(empty_knowledge(LINE), winning=((WeightedFeature(pattern, 1.0),),))
    write_knowledge(knowledge, tmp_path / "k.xml")
    assert read_knowledge(tmp_path / "k.xml", LINE.sheet) == knowledge
    compile_knowledge(knowledge, LINE)


def test_comments_in_a_file_are_ignored(tmp_path: Path) -> None:
    text = FIGURE.read_text().replace("<K>3</K>", "<!-- three --><K><!-- 4 -->3</K>")
    (tmp_path / "k.xml").write_text(text)
    assert read_knowledge(tmp_path / "k.xml") == read_knowledge(FIGURE)


def test_three_dimensional_areas_are_written_with_their_lowest_corner(tmp_path: Path) -> None:
    rng = random.Random(0)
    knowledge = random_knowledge(CUBE, rng, candidates(CUBE, rng, random_batch(CUBE, rng, 9, 9)))
    itemset = Itemset((MetafactPieceInArea(1, (-1, 0, 1), "red"),))
    knowledge = dataclasses.replace(
        knowledge, winning=((WeightedFeature(FeatureRelEuclidProximity(3), 1.0, itemset),), (), ())
    )
    write_knowledge(knowledge, tmp_path / "k.xml")
    text = (tmp_path / "k.xml").read_text()
    assert "<AreaDimensions>-1 0 1</AreaDimensions>" in text
    assert "<Distance>1.7320508075688772</Distance>" in text
    assert read_knowledge(tmp_path / "k.xml", CUBE.sheet) == knowledge
