"""Pieces as SVG: the look of a piece follows from its name, and an unknown name is written on a plain disc."""

from __future__ import annotations

from html import escape

from gdl_miner.agent.board.layout import CELL

COLOURS = ("white", "black", "red", "blue", "green", "yellow")
_BY_LETTER = {"w": "white", "b": "black", "r": "red"}  # first letters of names such as wp and bk
_BLOCKS = ("arrow", "block", "wall", "stone", "burnt", "burned", "hole")
_CROSSES, _RINGS = ("x", "×"), ("o",)
_PLAIN = ("p", "m", "")  # pawns and men need no letter
_KINGS = ("k", "king")
_RADIUS, _DOT = 0.37, 0.14  # of a disc, and of the dot on an empty field, in fields


def draw_piece(piece: str, x: float, y: float, title: str = "") -> str:
    """Draw a piece on the field whose upper left corner is given, in fields; `title` is its tooltip."""
    cx, cy = (x + 0.5) * CELL, (y + 0.5) * CELL
    colour, kind = colour_and_kind(piece)
    if kind in _BLOCKS:
        shape = _block(cx, cy)
    elif kind in _CROSSES or kind in _RINGS:
        shape = _cross(cx, cy) if kind in _CROSSES else f'<circle class="stroke ring" {_circle(cx, cy, 0.27)}/>'
    else:
        shape = _disc(cx, cy, colour, kind)
    return f'<g class="piece"><title>{escape(title or piece)}</title>{shape}</g>'


def draw_playable(role: str, x: float, y: float) -> str:
    """Draw a dot in the colour of a role on an empty field to which it may move; an empty text stands for several."""
    cx, cy = (x + 0.5) * CELL, (y + 0.5) * CELL
    title = f"{role or 'several roles'} may move here"
    dot = f'<circle class="{f"disc {colour_and_kind(role)[0]}".strip()}" {_circle(cx, cy, _DOT)}/>'
    return f'<g class="piece"><title>{escape(title)}</title>{dot}</g>'


def has_own_shape(piece: str) -> bool:
    """Whether a piece is drawn as a block, a cross or a ring, which have no colour."""
    return colour_and_kind(piece)[1] in (*_BLOCKS, *_CROSSES, *_RINGS)


def symbol_of(piece: str) -> str:
    """Return the letters on a piece, an empty text if its look says enough."""
    colour, kind = colour_and_kind(piece)
    if kind in _BLOCKS or kind in _CROSSES or kind in _RINGS or (colour and kind in (*_PLAIN, *_KINGS)):
        return ""
    return kind[:1].upper() if colour else kind[:2]


def colour_and_kind(piece: str) -> tuple[str, str]:
    """Return colour and kind from a name such as white, white_king, wk or x; either may be empty."""
    name = piece.strip("()").replace(" ", "-").lower()
    for colour in COLOURS:
        if colour in name:
            return colour, name.replace(colour, "").strip("-_")
    if len(name) == 2 and name[0] in _BY_LETTER and name[1].isalpha():
        return _BY_LETTER[name[0]], name[1]
    return "", name


def _disc(cx: float, cy: float, colour: str, kind: str) -> str:
    shape = f'<circle class="disc {colour}" {_circle(cx, cy, _RADIUS)}/>'
    if colour:
        shape += f'<circle class="rim {colour}" {_circle(cx, cy, _RADIUS * 0.74)}/>'
    if colour and kind in _KINGS:
        return shape + f'<path class="ink {colour}" d="{_crown(cx, cy)}"/>'
    letters = symbol_of(f"{colour}-{kind}" if colour else kind)
    if letters:
        shape += f'<text class="letter ink {colour}" x="{cx:g}" y="{cy:g}" dy=".36em">{escape(letters)}</text>'
    return shape


def _circle(cx: float, cy: float, radius: float) -> str:
    return f'cx="{cx:g}" cy="{cy:g}" r="{radius * CELL:.3g}"'


def _cross(cx: float, cy: float) -> str:
    arm = 0.26 * CELL
    near, far = (cx - arm, cy - arm), (cx + arm, cy + arm)
    path = f"M{near[0]:g} {near[1]:g}L{far[0]:g} {far[1]:g}M{near[0]:g} {far[1]:g}L{far[0]:g} {near[1]:g}"
    return f'<path class="stroke cross" d="{path}"/>'


def _block(cx: float, cy: float) -> str:
    half = 0.34 * CELL
    side = 2 * half
    notch = f"M{cx - half / 2:g} {cy - half / 2:g}l{half:g} {half:g}m0 {-half:g}l{-half:g} {half:g}"
    return (
        f'<rect class="block" x="{cx - half:g}" y="{cy - half:g}" width="{side:g}" height="{side:g}" rx="3"/>'
        f'<path class="notch" d="{notch}"/>'
    )


def _crown(cx: float, cy: float) -> str:
    unit = 0.19 * CELL
    corners = ((-1, 0.75), (-1.15, -0.65), (-0.5, 0), (0, -0.95), (0.5, 0), (1.15, -0.65), (1, 0.75))
    return "M" + "L".join(f"{cx + x * unit:.4g} {cy + y * unit:.4g}" for x, y in corners) + "Z"
