"""The plug-ins of a run: its configuration keeps their versions, and only the same code continues the run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import FEATURE_CLASSES, ITEM_CLASSES
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.knowledge.outside_classes import plugins_of
from gdl_miner.agent.plugins import Plugin, installed_plugins, plugin_named
from gdl_miner.miner.runs.method import OWN_METHODS
from gdl_miner.miner.runs.settings import LearnerSettings


def plugins_of_run(method: str, settings: LearnerSettings, start: Knowledge | None) -> list[dict[str, str]]:
    """Return what config.json says of the plug-ins that a run uses: its learner, its features and its metafacts.

    Raises ConfigError where one is not installed.
    """
    found: list[Plugin] = [] if method in OWN_METHODS else [plugin_named("learner", method)]
    own = {each.element for each in (*FEATURE_CLASSES, *ITEM_CLASSES)}
    found += [plugin_named("feature", name) for name in sorted({*settings.mining.classes} - own)]
    found += [plugin_named("metafact", name) for name in sorted({*settings.mining.metafacts} - own)]
    found += () if start is None else plugins_of(start)
    return [plugin.record() for plugin in dict.fromkeys(found)]


def check_plugins(content: Mapping[str, Any], config: Path) -> None:
    """Raise ConfigError where a plug-in of the run that `content` (of config.json) describes is another one here."""
    for record in content.get("plugins", ()):
        name, kind = record["name"], record["kind"]
        there = f"the {kind} {name} of {record['package']} {record['version']}"
        found = [each.record() for each in installed_plugins(kind) if each.name == name]
        if not found:
            raise ConfigError(
                f"{config}: the run needs {there}, which is not installed; install it, as with "
                f"`pip install {record['package']}=={record['version']}`"
            )
        if record not in found:
            here = found[0]
            same = (here["package"], here["version"]) == (record["package"], record["version"])
            what = "with other sources" if same else f"as {here['package']} {here['version']}"
            raise ConfigError(
                f"{config}: the run was begun with {there}, and it is installed here {what}, which may give other "
                "results; install what the run was begun with, or begin a new run"
            )
