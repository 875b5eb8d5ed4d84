"""`miner plugins` lists what other packages add to the program."""

from __future__ import annotations

import json
from collections.abc import Callable

import typer

from gdl_miner.agent.commands.options import Json
from gdl_miner.agent.errors import ConfigError, escaped
from gdl_miner.agent.extras import named_extra
from gdl_miner.agent.features import FEATURE_CLASSES, ITEM_CLASSES, feature_class, item_class
from gdl_miner.agent.plugins import GROUPS, Plugin, PluginKind, installed_plugins, plugin_named
from gdl_miner.miner.commands import plugin_players


def _learner(name: str) -> object:
    """Return a learning method; ConfigError says what is lacking, as where learning is not installed."""
    with named_extra(f"the learner {name}"):
        from gdl_miner.miner.runs.method import OWN_METHODS, method_named  # it needs the libraries of learning
    if name in OWN_METHODS:
        raise plugin_named("learner", name).refused(_TAKEN)
    return method_named(name)


_OWN = {each.element for each in (*FEATURE_CLASSES, *ITEM_CLASSES)} | {"uct", "random"}
_TAKEN = "has a name of gdl-miner's own, which is used in its place"
_LOAD: dict[PluginKind, Callable[[str], object]] = {
    "learner": _learner,
    "feature": feature_class,
    "metafact": item_class,
    "evaluator": plugin_players.evaluator_class,
    "opponent": plugin_players.opponent_class,
}


def plugins(as_json: Json = False) -> None:
    """List the learners, features, metafacts, evaluators and opponents that other packages add, and load each.

    One that cannot be used is listed with the reason, and the exit status is 1. It is in nobody's way: only what
    names it fails.
    """
    found = [each for kind in GROUPS for each in installed_plugins(kind)]
    faults = [_fault(each) for each in found]
    if as_json:
        rows = [
            {**each.record(), "place": each.place, "fault": fault} for each, fault in zip(found, faults, strict=True)
        ]
        print(json.dumps({"plugins": rows}))
    elif not found:
        print("no plug-ins are installed; docs/extending.md says how to write one")
    else:
        _print(found, faults)
    if any(faults):
        raise typer.Exit(1)


def _fault(plugin: Plugin) -> str | None:
    """Return why a plug-in cannot be used, None if it can."""
    if plugin.name in _OWN:
        return str(plugin.refused(_TAKEN))
    try:
        _LOAD[plugin.kind](plugin.name)
    except ConfigError as error:
        return str(error)
    return None


def _print(found: list[Plugin], faults: list[str | None]) -> None:
    rows = [("kind", "name", "package", "version", "place")]
    rows += [(each.kind, escaped(each.name), each.package, each.version, each.place) for each in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for fault in filter(None, faults):
        print(escaped(fault))
