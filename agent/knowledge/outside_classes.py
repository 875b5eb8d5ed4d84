"""The classes of other packages that a knowledge file needs, and what the file says of these packages."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from lxml import etree

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.features import FEATURE_CLASSES, ITEM_CLASSES, feature_class, item_class
from gdl_miner.agent.files.elements import Element, ElementError
from gdl_miner.agent.knowledge.knowledge import Knowledge
from gdl_miner.agent.plugins import Plugin, PluginKind, plugin_named, plugin_names

_OWN: dict[PluginKind, frozenset[str]] = {
    "feature": frozenset(each.element for each in FEATURE_CLASSES),
    "metafact": frozenset(each.element for each in ITEM_CLASSES),
}
_NOUNS: dict[PluginKind, str] = {"feature": "a feature class", "metafact": "a metafact"}
_LISTS = ("WinningFeatures", "LoosingFeatures", "LosingFeatures")
_log = logging.getLogger(__name__)


def plugins_of(knowledge: Knowledge) -> tuple[Plugin, ...]:
    """Return the plug-ins whose classes occur in knowledge, features before metafacts, by name."""
    parameters = knowledge.parameters
    names: dict[PluginKind, set[str]] = {
        "feature": {*parameters.class_weights, *parameters.itemset_class_weights},
        "metafact": set(),
    }
    for each in (entry for entries in (*knowledge.winning, *knowledge.losing) for entry in entries):
        names["feature"].add(each.feature.element)
        names["metafact"].update(item.element for item in (each.itemset.items if each.itemset else ()))
    return tuple(
        plugin_named(kind, name)
        for kind, found in names.items()
        for name in sorted(found - _OWN[kind])
        if name in plugin_names(kind)
    )


def write_plugins(root: Element, knowledge: Knowledge) -> None:
    """Append a `<Plugin>` for each class of another package that the knowledge needs."""
    for each in plugins_of(knowledge):
        etree.SubElement(root, "Plugin", kind=each.kind, name=each.name, package=each.package, version=each.version)


def load_plugins(root: Element, source: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Load the classes of other packages in a file, and return their names: of features, and of metafacts.

    Names that no package has, and of which the file says nothing, are left to the schema.

    Raises:
        ElementError: the file says which package has a class, and it is not installed.
        KnowledgeError: a package cannot be loaded, or two have a class.
    """
    said = {(plugin.get("kind"), plugin.get("name")): plugin for plugin in root.iterchildren("Plugin")}
    found: dict[PluginKind, set[str]] = {"feature": set(), "metafact": set()}
    for kind, name, element in _named(root):
        if name in _OWN[kind] or name in found[kind]:
            continue
        record = said.get((kind, name))
        if name not in plugin_names(kind):
            if record is None:
                continue
            package, version = record.get("package"), record.get("version")
            what = f"{name} is {_NOUNS[kind]} of {package} {version}, which is not installed"
            raise ElementError(element, what, f"install it, as with `pip install {package}=={version}`")
        try:
            plugin = plugin_named(kind, name)
            _ = feature_class(name) if kind == "feature" else item_class(name)
        except ConfigError as error:
            raise KnowledgeError(f"{source}:{element.sourceline}: {error}") from None
        if record is not None and record.get("version") != plugin.version:
            _note_once(f"{source}: made with {plugin.package} {record.get('version')}, here is {plugin.version}")
        found[kind].add(name)
    return tuple(sorted(found["feature"])), tuple(sorted(found["metafact"]))


def _named(root: Element) -> Iterator[tuple[PluginKind, str, Element]]:
    """Yield the feature classes and the classes of items that a file names, and where."""
    for weight in root.iterfind("Parameters/ClassWeights/ClassWeight"):
        yield "feature", weight.get("class", ""), weight
    for features in (listed for name in _LISTS for listed in root.iterfind(f"Player/{name}")):
        for feature in features.iterchildren("*"):
            yield "feature", str(feature.tag), feature
            for item in feature.iterfind("Itemset/*"):
                yield "metafact", str(item.tag), item


@lru_cache(maxsize=1024)
def _note_once(text: str) -> None:
    _log.warning(text)
