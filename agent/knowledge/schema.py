"""The schema of knowledge files. What it says about features, itemsets and parameters follows from their classes.

`python -c "from gdl_miner.agent.knowledge.schema import write_schema; write_schema()"` writes these parts of
`knowledge.xsd` anew.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from lxml import etree

from gdl_miner.agent.features.feature import Feature
from gdl_miner.agent.features.feature_classes import FEATURE_CLASSES, feature_class
from gdl_miner.agent.features.itemset import ITEM_CLASSES, Item, item_class
from gdl_miner.agent.knowledge.parameter_row import ParameterRow
from gdl_miner.agent.knowledge.parameters import PARAMETERS

SCHEMA_FILE = Path(__file__).with_name("knowledge.xsd")
_OPTIONAL = ' minOccurs="0"'


@lru_cache(maxsize=8)
def schema(features: tuple[str, ...] = (), metafacts: tuple[str, ...] = ()) -> etree.XMLSchema:
    """Return the schema with these classes of other packages. Raises ConfigError where one cannot be loaded."""
    classes = (*FEATURE_CLASSES, *map(feature_class, features))
    items = (*ITEM_CLASSES, *map(item_class, metafacts))
    return etree.XMLSchema(etree.fromstring(schema_text(classes, items).encode()))


def schema_text(
    classes: Sequence[type[Feature]] = FEATURE_CLASSES, item_classes: Sequence[type[Item]] = ITEM_CLASSES
) -> str:
    """Return the shipped schema, in which the parts that follow from these classes are made anew."""
    text = SCHEMA_FILE.read_text("utf-8")
    text = _replaced(text, 'complexType name="Features"', _lines(_choice(map(_feature, classes), least=0), 4))
    items = (_element(each.element, each.children or "Term") for each in item_classes)
    text = _replaced(text, 'complexType name="Itemset"', _lines(_choice(items, least=1), 4))
    names = _enumeration(each.element for each in classes)
    text = _replaced(text, 'simpleType name="FeatureClass"', _lines(names, 4))
    rows = [line for row in PARAMETERS if row.class_weights is None for line in _parameter(row)]
    return re.sub(
        r'(?<=<xs:complexType name="Parameters">\n    <xs:all>\n).*?(?=      <xs:element name="ClassWeights")',
        lambda _: _lines(rows, 6),
        text,
        flags=re.DOTALL,
    )


def write_schema() -> None:
    """Write the schema file with the parts that follow from classes made anew."""
    SCHEMA_FILE.write_text(schema_text(), "utf-8")


def _replaced(text: str, head: str, content: str) -> str:
    """Replace the content of a type that stands at the top of the schema."""
    tag = head.partition(" ")[0]
    pattern = rf"(?<=^  <xs:{head}>\n).*?(?=^  </xs:{tag}>$)"
    return re.sub(pattern, lambda _: content, text, count=1, flags=re.DOTALL | re.MULTILINE)


def _lines(lines: Iterable[str], indent: int) -> str:
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


def _within(tag: str, inner: Iterable[str], attributes: str = "") -> list[str]:
    return [f"<xs:{tag}{attributes}>", *(f"  {line}" for line in inner), f"</xs:{tag}>"]


def _choice(elements: Iterable[list[str]], *, least: int) -> list[str]:
    return _within("choice", itertools.chain.from_iterable(elements), f' minOccurs="{least}" maxOccurs="unbounded"')


def _children(children: Mapping[str, str]) -> list[str]:
    return [
        f'<xs:element name="{name}" type="{kind.removesuffix("?")}"{_OPTIONAL if kind.endswith("?") else ""}/>'
        for name, kind in children.items()
    ]


def _element(name: str, content: Mapping[str, str] | str) -> list[str]:
    """Return an element of a simple type, or one with children."""
    if isinstance(content, str):
        return [f'<xs:element name="{name}" type="{content}"/>']
    return _within("element", _within("complexType", _within("sequence", _children(content))), f' name="{name}"')


def _feature(feature_class: type[Feature]) -> list[str]:
    children = _children({**feature_class.children, "Itemset": "Itemset?"})
    inner = [*_within("sequence", children), '<xs:attributeGroup ref="OfFeature"/>']
    return _within("element", _within("complexType", inner), f' name="{feature_class.element}"')


def _enumeration(values: Iterable[str]) -> list[str]:
    return _within("restriction", (f'<xs:enumeration value="{value}"/>' for value in values), ' base="xs:token"')


def _parameter(row: ParameterRow) -> list[str]:
    usual = {bool: "Boolean", int: "Count", float: "Weight"}
    least, most = row.allowed.least, row.allowed.most
    if row.kind is str:
        restriction = _enumeration(row.choices)
    elif row.kind is bool or (least >= 0 and (math.isinf(most) or row.allowed.above)):  # the parameters check the rest
        return [f'<xs:element name="{row.element}" type="{usual[row.kind]}"{_OPTIONAL}/>']
    elif row.kind is float and (least, most) == (0, 1):
        return [f'<xs:element name="{row.element}" type="Share"{_OPTIONAL}/>']
    else:
        bounds = [f'<xs:minInclusive value="{least:.15g}"/>'] if least else []
        bounds.append(f'<xs:maxInclusive value="{most:.15g}"/>')
        restriction = _within("restriction", bounds, f' base="{usual[row.kind] if least >= 0 else "xs:double"}"')
    return _within("element", _within("simpleType", restriction), f' name="{row.element}"{_OPTIONAL}')
