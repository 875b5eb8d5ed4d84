"""The page that lists every key of a configuration: its type and range, its default and its meaning.

Types and ranges are those that the program checks. Defaults and meanings are read from the shipped configurations,
whose comments stand beside the keys, and for mining from the class that holds its settings.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass
from importlib.resources import files
from typing import Any

from pydantic import TypeAdapter

from gdl_miner.miner.learners.evolution.genome import GENOME_WITH_VALUES, WHOLE_GENOME
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.runs.method import OWN_METHODS, method_named
from gdl_miner.miner.runs.settings import Settings, read_settings, shipped_configs

_HEAD = """# Configurations

A configuration is a TOML file that says what is to differ from the defaults of a learning method: `--config FILE`, or
`--config NAME` for one that is shipped. A key that does not exist, or a value out of range, is an error with its line.

"""
_KEY = re.compile(r'^"?([\w.]+)"? = .*?(?:#\s*(.+))?$')
_FIELD = re.compile(r"^    (\w+): .*?(?:  # (.+))?$", re.M)


def configuration_page() -> str:
    """Return the page. Raises ValueError where a key has no meaning."""
    parts = [_HEAD, _shipped()]
    for name, model, methods in sections():
        parts.append(f"\n## {f'[{name}]' if name else 'Above all sections'}\n")
        parts.append(f"For {_listed(methods)}. {_introductions().get(name, '')}\n")
        parts.append(_table(keys(name, model, methods[0])))
    parts.append(_genes())
    return "\n".join(parts)


def sections() -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """Yield each section, the class of its values, and the learning methods that read it; the first is no section."""
    models: dict[str, tuple[Any, list[str]]] = {"": (None, list(OWN_METHODS))}
    for method in OWN_METHODS:
        for name, each in method_named(method).settings.model_fields.items():
            if _is_table(each.annotation):
                model, methods = models.setdefault(name, (each.annotation, []))
                if model is not each.annotation:
                    raise ValueError(f"[{name}] is a {model} and a {each.annotation}; name these sections differently")
                methods.append(method)
    for name, (model, methods) in models.items():
        yield name, model or method_named(methods[0]).settings, tuple(methods)


def keys(section: str, model: Any, method: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the keys of a section: name, type and range, default and meaning. Raises ValueError for no meaning."""
    settings = read_settings(method_named(method).settings, "default").model_dump(mode="json")
    defaults = asdict(MiningConfig()) if model is MiningConfig else settings[section] if section else settings
    meanings = _commented(model) if is_dataclass(model) else _meanings()
    yield from _keys(section, TypeAdapter(model).json_schema(), defaults, meanings, "")


def _keys(
    section: str, schema: dict[str, Any], defaults: Mapping[str, Any], meanings: Mapping[str, str], under: str
) -> Iterator[tuple[str, str, str, str]]:
    known = schema.get("$defs", {})
    for name, each in schema["properties"].items():
        value = known[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        if "properties" in value:
            if section:  # a table within a section; those of the whole file are sections
                yield from _keys(section, {**value, "$defs": known}, defaults[name], meanings, f"{name}.")
        elif name != "genes":
            meaning = meanings.get(f"{under}{name}" if section == "mining" else f"{section}.{name}".lstrip("."))
            if meaning is None:
                raise ValueError(f"[{section}] {under}{name} has no meaning; write it beside its default")
            yield f"{under}{name}", _allowed(value), f"`{_written(defaults[name])}`", meaning


def _is_table(annotation: Any) -> bool:
    return inspect.isclass(annotation) and (issubclass(annotation, Settings) or is_dataclass(annotation))


def _allowed(schema: Mapping[str, Any]) -> str:
    """Return the type and the range of a value in words."""
    if "anyOf" in schema:
        return " or ".join(map(_allowed, schema["anyOf"]))
    if "const" in schema:
        return f"`{_written(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{_written(each)}`" for each in schema["enum"])
    if schema["type"] == "array":
        return f"list of {_allowed(schema['items'])}" if "items" in schema else "list"
    kind = {"integer": "whole number", "number": "number", "boolean": "true or false", "string": "text"}[schema["type"]]
    bounds = [
        f"{words} {schema[key]:,}" for key, words in (
            ("minimum", "from"), ("exclusiveMinimum", "above"), ("maximum", "to"), ("exclusiveMaximum", "below")
        ) if key in schema
    ]  # fmt: skip
    return " ".join([kind, *bounds])


def _written(value: object) -> str:
    """Return a value as TOML writes it."""
    return json.dumps(value, ensure_ascii=False)


def _lines() -> Iterator[tuple[str, str, list[str]]]:
    """Yield the lines of the shipped defaults, with their section and the comments above them."""
    read: set[str] = set()
    for method in OWN_METHODS:
        for name in method_named(method).settings.defaults:
            if name not in read:
                read.add(name)
                section, above = "", []
                for line in (files("gdl_miner.configs") / f"{name}.toml").read_text("utf-8").splitlines():
                    if line.startswith("["):
                        section = line.partition("]")[0].strip("[")
                    if line.startswith("#"):
                        above.append(line.removeprefix("#").strip())
                    else:
                        yield section, line, above
                        above = []


def _meanings() -> dict[str, str]:
    """Return the meaning of each `section.key`, which stands behind its default."""
    found: dict[str, str] = {}
    for section, line, _ in _lines():
        if (match := _KEY.match(line)) and match[2]:
            found[f"{section}.{match[1]}".lstrip(".")] = match[2]
    return found


def _introductions() -> dict[str, str]:
    """Return what is written above each section."""
    return {section: " ".join(above) for section, line, above in _lines() if line.startswith("[") and above}


def _commented(model: Any) -> dict[str, str]:
    """Return the comments beside the fields of a dataclass, and of the dataclasses in it."""
    found = {name: comment for name, comment in _FIELD.findall(inspect.getsource(model)) if comment}
    for each in fields(model):
        inner = type(getattr(MiningConfig(), each.name)) if model is MiningConfig else None
        if inner is not None and is_dataclass(inner):
            found |= {f"{each.name}.{name}": comment for name, comment in _commented(inner).items()}
    return found


def _table(rows: Iterator[tuple[str, str, str, str]]) -> str:
    lines = ["| key | values | default | meaning |", "|---|---|---|---|"]
    for name, allowed, default, meaning in rows:
        lines.append(f"| `{name}` | {allowed} | {default} | {meaning.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def _genes() -> str:
    """Return the section of genes, whose keys are the genes of evolutions."""
    head = """
## [genes]

For `evolution`. A key fixes a gene (`widening = false`), narrows it (`uct_c = [20.0, 60.0]`) or lists its choices
(`scoring = ["additive"]`). What genes mean, [the table of parameters](parameters.md) says.

| key | values | default | default with values of states |
|---|---|---|---|
"""
    with_values = dict(zip(GENOME_WITH_VALUES.names, GENOME_WITH_VALUES.defaults(), strict=True))
    rows = []
    for gene in WHOLE_GENOME.genes:
        low, high = getattr(gene, "low", None), getattr(gene, "high", None)
        choices = " or ".join(f"`{_written(each)}`" for each in getattr(gene, "choices", (True, False)))
        allowed = choices if low is None else f"from {low:,.10g} to {high:,.10g}"
        rows.append(
            f"| `{gene.name}` | {allowed} | `{_written(gene.default)}` "
            f"| `{_written(with_values.get(gene.name, gene.default))}` |"
        )
    return head + "\n".join(rows) + "\n"


def _shipped() -> str:
    """Return the table of the shipped configurations, with what is written at their heads."""
    rows = ["| shipped configuration | what it is |", "|---|---|"]
    for name in shipped_configs():
        lines = (files("gdl_miner.configs") / f"{name}.toml").read_text("utf-8").splitlines()
        head = lines[: next(place for place, line in enumerate(lines) if not line.startswith("#"))]
        rows.append(f"| `{name}` | {' '.join(map(_said, head))} |")
    return "\n".join(rows) + "\n"


def _said(comment: str) -> str:
    """Return the text of a line of comment; commands, which are indented, are code."""
    text = comment.removeprefix("#").removeprefix(" ")
    return f"`{text.strip()}`" if text.startswith(" ") else text


def _listed(words: tuple[str, ...]) -> str:
    names = [f"`{word}`" for word in words]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
