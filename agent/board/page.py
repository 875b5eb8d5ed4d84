"""The frame of a page for people: title, numbers at the head, sections. It needs no script, font or network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from gdl_miner.agent.board.layout import board_style


@dataclass(frozen=True)
class Section:
    """A part of a report; a section without content is left out."""

    title: str
    content: str  # HTML


@dataclass(frozen=True)
class Card:
    """A number at the head of a report, with its name and a remark."""

    name: str
    value: str
    more: str


def report_frame(title: str, lead: str, cards: Sequence[Card], sections: Sequence[Section], style: str = "") -> str:
    """Return a page; `lead` is HTML, and `style` is added to the style of all reports."""
    style = board_style() + (files("gdl_miner.agent.board") / "report.css").read_text("utf-8") + style
    body = "".join(
        f"<section><h2>{escape(each.title)}</h2>{each.content}</section>" for each in sections if each.content
    )
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta name='color-scheme' content='light dark'>"
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main>"
        f"<header><h1>{escape(title)}</h1><p class='lead'>{lead}</p>{_facts(cards)}</header>"
        f"{body}</main></body></html>\n"
    )


def _facts(cards: Sequence[Card]) -> str:
    items = "".join(
        f"<div><dt>{escape(card.name)}</dt><dd>{escape(card.value)}<small>{escape(card.more)}</small></dd></div>"
        for card in cards
    )
    return f"<dl class='facts'>{items}</dl>"
