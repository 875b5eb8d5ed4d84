"""Knowledge files: XML after the thesis's figure 5.5 (docs/formats.md), checked against knowledge.xsd."""

import logging
import os
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from lxml import etree

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import FeatureOrigin, Itemset, WeightedFeature, feature_class
from gdl_miner.agent.files.elements import Display, Element, ElementError, add_child, format_number, same_spelling
from gdl_miner.agent.files.new_file import new_file
from gdl_miner.agent.files.untrusted_xml import iterate_xml, located, open_xml, parse_xml, schema_problem
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.knowledge.knowledge import Knowledge, Provenance
from gdl_miner.agent.knowledge.outside_classes import load_plugins, write_plugins
from gdl_miner.agent.knowledge.parameters import PARAMETERS, Parameters, even_class_weights
from gdl_miner.agent.knowledge.schema import schema
from gdl_miner.agent.released import knowledge_file
from gdl_miner.agent.values.table_file import PATTERN, write_table
from gdl_miner.agent.values.values_xml import read_values, write_values

MAX_BYTES = 64 << 20
VERSION = 1

_WINNING = "WinningFeatures"
_LOSING = "LoosingFeatures"  # the spelling of the published format
_LOSING_TOO = "LosingFeatures"

_ROWS = {row.element: row for row in PARAMETERS if row.class_weights is None}
# [element] parameters in older files that this program lacks, with the value under which they do nothing; None: it only
# goes with another one.
_LACKING: Mapping[str, str | None] = MappingProxyType(
    {
        "MastTemperature": "0",
        "NstGreed": "0",
        "GraveEquivalence": "0",
        "GraveVisits": None,
        "PlayoutDepth": "0",
        "ItemsetsInPlayouts": "True",
        "ItemsetsInSelection": "True",
    }
)
_log = logging.getLogger(__name__)


class _NamedSheet(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def roles(self) -> tuple[str, ...]: ...
    def display(self, text: str) -> str: ...


def knowledge_text(knowledge: Knowledge, sheet: _NamedSheet | None = None) -> bytes:
    """Return the content of a knowledge file, in the spelling of `sheet`; without a sheet names are lower case.

    Many weights of values are not in it, but the hash of their table is.
    """
    root, _ = _knowledge_element(knowledge, sheet.display if sheet else same_spelling)
    return _text(root)


def write_knowledge(knowledge: Knowledge, path: str | os.PathLike[str], sheet: _NamedSheet | None = None) -> None:
    """Write a knowledge file. The file appears only when it is complete.

    Many weights of values are written to a table in the same folder, before the file.

    Args:
        knowledge: the knowledge to write.
        path: the file; it is compressed if the name ends in `.gz`.
        sheet: the rules whose spelling names get; without a sheet they are lower case.

    Raises:
        KnowledgeError: the file cannot be written.
    """
    root, table = _knowledge_element(knowledge, sheet.display if sheet else same_spelling)
    if table is not None:
        write_table(table, Path(path).parent)
    with new_file(Path(path), KnowledgeError) as write:
        write(_text(root))


def read_knowledge(path: str | os.PathLike[str], sheet: _NamedSheet | None = None, force: bool = False) -> Knowledge:
    """Read a knowledge file.

    Args:
        path: the file, plain or gzip, or the name of a level of released knowledge of the game.
        sheet: the game that the file must belong to; the sheet's roles give the order of the players.
        force: accept a file of other rules; compiling it still requires that the game has the names it uses.

    Raises:
        KnowledgeError: the file is unreadable, malformed, too large, or of another game; the message has file and
            line, and where a class is one of another package that is not here, the name of this package.
    """
    source = knowledge_file(path, sheet)
    with open_xml(source, MAX_BYTES, KnowledgeError) as stream, located(source, KnowledgeError):
        root = parse_xml(stream)
        _leave_out_lacking(root, source)
        problem = schema_problem(schema(*load_plugins(root, source)), root)
        if problem:
            raise KnowledgeError(f"{source}:{problem[0]}: {problem[1]}; mend the knowledge file")
        return _read_root(root, source, sheet, force=force)


def table_beside(path: str | os.PathLike[str]) -> Path | None:
    """Return the path of the table that a knowledge file names, None if it names none.

    Raises:
        KnowledgeError: the file is unreadable, malformed or too large.
    """
    source = Path(path)
    with open_xml(source, MAX_BYTES, KnowledgeError) as stream:
        for event, element in iterate_xml(stream):
            if event == "start" and element.tag == "Values":
                name = element.get("table")
                if name is not None and ("/" in name or not fnmatch(name, PATTERN)):
                    raise KnowledgeError(f"{source}:{element.sourceline}: '{name}' is no name of a table; restore it")
                return None if name is None else source.parent / name
    return None


def size_with_table(path: Path) -> int:
    """Return the bytes of a knowledge file and of the table of its values, if it has one."""
    table = table_beside(path)
    return path.stat().st_size + (0 if table is None else table.stat().st_size)


def _leave_out_lacking(root: Element, source: Path) -> None:
    """Take the parameters that this program lacks out of a file, and note it.

    Raises ElementError where one of them would act.
    """
    parameters = root.find("Parameters")
    if parameters is None:
        return
    found = [child for child in parameters if child.tag in _LACKING]
    for child in found:
        name, idle, text = str(child.tag), _LACKING[str(child.tag)], (child.text or "").strip()
        if idle is not None and _plain(text) != _plain(idle):
            raise ElementError(
                child,
                f"{name} is {text}, but the program has no such parameter",
                "take the line out to play without it",
            )
        parameters.remove(child)
    if found:
        _note_once(f"{source}: {', '.join(str(child.tag) for child in found)} have no effect and are not read")


def _plain(text: str) -> str | float:
    """Return a number for a text that spells one, else the text in lower case."""
    try:
        return float(text)
    except ValueError:
        return text.lower()


@lru_cache(maxsize=1024)
def _note_once(text: str) -> None:
    _log.warning(text)


def _text(root: Element) -> bytes:
    text: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return text


def _knowledge_element(knowledge: Knowledge, display: Display) -> tuple[Element, bytes | None]:
    """Return the root of a knowledge file and the table that belongs beside it."""
    root = etree.Element("Knowledge", version=str(VERSION))
    if knowledge.game:
        root.set("game", knowledge.game)
    if knowledge.digest:
        root.set("digest", knowledge.digest)
    if knowledge.made:
        made = knowledge.made
        generation, seed = str(made.generation), str(made.seed)
        etree.SubElement(root, "Made", run=made.run, generation=generation, seed=seed, version=made.version)
    write_plugins(root, knowledge)
    _write_parameters(root, knowledge)
    for name in knowledge.symmetries:
        add_child(root, "Symmetry", name)
    for role, winning, losing in zip(knowledge.roles, knowledge.winning, knowledge.losing, strict=True):
        player = etree.SubElement(root, "Player", role=display(role))
        if knowledge.n_features:
            _write_features(etree.SubElement(player, _WINNING), winning, display)
            _write_features(etree.SubElement(player, _LOSING), losing, display)
    table = None
    if knowledge.values is not None:
        table = write_values(etree.SubElement(root, "Values"), knowledge.values, knowledge.roles, display)
    return root, table


def _write_parameters(root: Element, knowledge: Knowledge) -> None:
    """Write the parameters that have an effect and are not the default."""
    parameters = knowledge.parameters.acting(features=knowledge.n_features > 0, values=knowledge.values is not None)
    if parameters == Parameters():
        return
    element = etree.SubElement(root, "Parameters")
    for row in _ROWS.values():
        value = getattr(parameters, row.name)
        if value != row.default:
            add_child(element, row.element, str(value) if isinstance(value, bool | str) else format_number(value))
    names = dict.fromkeys((*parameters.class_weights, *parameters.itemset_class_weights))
    both = (parameters.class_weights, parameters.itemset_class_weights)
    weights = {name: (both[0].get(name, 1.0), both[1].get(name, 1.0)) for name in names}
    changed = {name: pair for name, pair in weights.items() if pair != (1.0, 1.0)}
    if not changed:
        return
    classes = etree.SubElement(element, "ClassWeights")
    for name, (features, itemsets) in changed.items():
        of_class = {"features": format_number(features), "itemsets": format_number(itemsets)}
        etree.SubElement(classes, "ClassWeight", {"class": name, **of_class})


def _write_features(element: Element, features: tuple[WeightedFeature, ...], display: Display) -> None:
    for each in features:
        child = etree.SubElement(element, each.feature.element, weight=format_number(each.weight))
        if each.origin:
            child.set("side", each.origin.side)
            child.set("level", str(each.origin.level))
        each.feature.write(child, display)
        if each.itemset:
            each.itemset.write(child, display)


def _read_root(root: Element, source: Path, sheet: _NamedSheet | None, *, force: bool) -> Knowledge:
    _check_game(root, sheet, force=force)
    players = {normalise(player.get("role", "")): player for player in root.iterchildren("Player")}
    roles = sheet.roles if sheet else tuple(players)
    if set(roles) != set(players) or len(players) != len(root.findall("Player")):
        raise ElementError(
            root, f"players {', '.join(players)} in a game of {', '.join(roles)}", "give one <Player> for each role"
        )
    made = root.find("Made")
    parameters, values = root.find("Parameters"), root.find("Values")
    shared = list(root.iterchildren("Symmetry"))
    known = Parameters() if parameters is None else _read_parameters(parameters)
    return Knowledge(
        game=root.get("game", ""),
        digest=root.get("digest", ""),
        roles=tuple(roles),
        winning=tuple(tuple(_read_features(players[role], source, _WINNING)) for role in roles),
        losing=tuple(tuple(_read_features(players[role], source, _LOSING, _LOSING_TOO)) for role in roles),
        parameters=known,
        made=None if made is None else _read_provenance(made),
        values=None if values is None else read_values(values, tuple(roles), source),
        symmetries=tuple((child.text or "").strip() for child in shared),
        symmetries_place=f"{source}:{shared[0].sourceline}" if shared else "",
    )


def _check_game(root: Element, sheet: _NamedSheet | None, *, force: bool) -> None:
    version, digest = root.get("version", str(VERSION)), root.get("digest", "")
    if version != str(VERSION):
        raise ElementError(root, f"version {version} of the format", f"this program reads version {VERSION}")
    if sheet and digest and digest != sheet.digest and not force:
        game = root.get("game", "another game")
        raise ElementError(
            root,
            f"knowledge of {game} (rules {digest[:12]}), not of {sheet.name} (rules {sheet.digest[:12]})",
            "give a file of these rules, or remove its digest to use it all the same",
        )


def _read_provenance(made: Element) -> Provenance:
    return Provenance(
        run=made.get("run", ""),
        generation=int(made.get("generation", "0")),
        seed=int(made.get("seed", "0")),
        version=made.get("version", ""),
    )


def _read_parameters(element: Element) -> Parameters:
    given: dict[str, Any] = {}
    for child in element.iterchildren("*"):
        if child.tag == "ClassWeights":
            given |= _read_class_weights(child)
        else:
            row = _ROWS[str(child.tag)]
            given[row.name] = row.read((child.text or "").strip())
    try:
        return Parameters(**given)
    except ValueError as problem:
        what, _, advice = str(problem).partition("; ")
        raise ElementError(element, what, advice) from None


def _read_class_weights(element: Element) -> dict[str, dict[str, float]]:
    features, itemsets = even_class_weights(), even_class_weights()
    for child in element.iterchildren("ClassWeight"):
        name = child.get("class", "")
        for weights, text in ((features, child.attrib["features"]), (itemsets, child.attrib["itemsets"])):
            if name in weights or float(text) != 1:  # classes of other packages have the weight 1 without an entry
                weights[name] = float(text)
    return {"class_weights": features, "itemset_class_weights": itemsets}


def _read_features(player: Element, source: Path, *names: str) -> Iterator[WeightedFeature]:
    for name in names:
        for features in player.iterchildren(name):
            for child in features.iterchildren("*"):
                itemset = child.find("Itemset")
                yield WeightedFeature(
                    feature=feature_class(str(child.tag)).read(child),
                    weight=float(child.get("weight", "")),
                    itemset=None if itemset is None else Itemset.read(itemset),
                    origin=_read_origin(child),
                    place=f"{source}:{child.sourceline}",
                )


def _read_origin(feature: Element) -> FeatureOrigin | None:
    side, level = feature.get("side"), feature.get("level")
    if side is None and level is None:
        return None
    if side is None or level is None:
        raise ElementError(feature, "a side without a level, or a level without a side", "give both or neither")
    return FeatureOrigin("offensive" if side == "offensive" else "defensive", int(level))
