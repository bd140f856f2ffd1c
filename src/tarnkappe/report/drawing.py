"""How every chart of a report is drawn: SVG without a browser, in colours that follow the theme of the page.

Charts are drawn with stand-in colours. In the SVG these become CSS variables, so one picture serves light, dark
and print; grey is before, one accent is after, and both also differ in form for those who cannot tell the colours.

What draws is an extra of 84 MB. It is loaded when a chart is drawn; without it, pages say in words what the chart would show.
"""

from __future__ import annotations

import json
import re
import unicodedata
from importlib.util import find_spec
from itertools import accumulate
from typing import Any, Literal
from xml.etree import ElementTree as ET

from markupsafe import Markup

from tarnkappe.io.foreign import needed
from tarnkappe.language import Lang, Text

INK, SOFT, LINE, BEFORE = "#010101", "#020202", "#030303", "#040404"
AFTER, PLUS, MINUS, EDGE = "#050505", "#060606", "#070707", "#080808"
ZONE, SAID_BEFORE, SAID_AFTER = "#090909", "#0a0a0a", "#0b0b0b"
"""Unseen areas that can be pointed at; texts that belong to one side."""
VARIABLES = {
    INK: "var(--ink)", SOFT: "var(--soft)", LINE: "var(--line)", BEFORE: "var(--before)", AFTER: "var(--after)",
    PLUS: "var(--plus)", MINUS: "var(--minus)", EDGE: "var(--edge)", ZONE: "transparent",
    SAID_BEFORE: "var(--soft)", SAID_AFTER: "var(--soft)",
}  # fmt: skip
ON_PAPER = {
    INK: "#16191d", SOFT: "#57606a", LINE: "#dfe3e8", BEFORE: "#c3cad2", AFTER: "#0072b2",
    PLUS: "#0072b2", MINUS: "#d55e00", EDGE: "#848d97", ZONE: "transparent",
    SAID_BEFORE: "#57606a", SAID_AFTER: "#57606a",
}  # fmt: skip
"""The colours of the light page, for pictures in files of their own."""
_SIDES = {BEFORE: "before", EDGE: "before", SAID_BEFORE: "before", AFTER: "after", SAID_AFTER: "after"}
"""The colour of a mark tells the side it belongs to."""
LINE_END, FIGURE = "\N{SYMBOL FOR RECORD SEPARATOR}", "\N{SYMBOL FOR UNIT SEPARATOR}"
"""Between the lines of what a mark says, and between a word and its figure."""
_PLAIN = str.maketrans({LINE_END: " ", FIGURE: " "})
_IN_A_ROW = str.maketrans({LINE_END: "; ", FIGURE: ": "})
_SPOKEN = str.maketrans({LINE_END: "\n", FIGURE: ":\u2002"})
_LOCALES: dict[Lang, Literal["en-US", "de-DE"]] = {"en": "en-US", "de": "de-DE"}
_SMALL = {
    "labelFontSize": 11,
    "titleFontSize": 11,
    "labelColor": SOFT,
    "titleColor": SOFT,
    "titleFontWeight": "normal",
}
_THEME: dict[str, Any] = {
    "aria": False,
    "background": None,
    "font": "Liberation Sans, Arial, sans-serif",
    "padding": 2,
    "view": {"stroke": None},
    "text": {"color": INK, "fontSize": 11},
    "title": {"color": SOFT, "fontSize": 11, "fontWeight": "normal", "anchor": "start", "offset": 8},
    "axis": {
        **_SMALL,
        "gridColor": LINE,
        "domainColor": SOFT,
        "tickColor": SOFT,
        "tickSize": 4,
        "labelPadding": 4,
    },
    "axisX": {"grid": False, "titlePadding": 6},
    "axisY": {"domain": False, "ticks": False, "titlePadding": 8},
}
_UNNEEDED = (
    "class", "aria-hidden", "aria-roledescription", "aria-label", "role", "pointer-events", "font-family", "style",
)  # fmt: skip
_AS_IT_IS = {
    ("opacity", "1"),
    ("transform", "translate(0,0)"),
    ("stroke-width", "1"),
    ("font-weight", "normal"),
    ("x2", "0"),
    ("y2", "0"),
}
"""Attributes that say what holds without them."""
_DIGITS = re.compile(r"-?\d+\.\d{3,}")
_WIDE = 480
"""Wider pictures are not made as small as a phone: there they are pushed sideways."""
LEFT_OUT = Text(
    "Charts are left out: they need pip install 'tarnkappe[charts]'.",
    "Diagramme entfallen: Sie brauchen pip install 'tarnkappe[charts]'.",
)
_UNDRAWABLE = ("Cc", "Cn", "Co", "Cs", "Zl", "Zp")
"""Controls, characters without a meaning, halves of characters, breaks of lines."""


def can_draw() -> bool:
    """Whether the extra that draws is there."""
    return find_spec("vl_convert") is not None


def _vega() -> Any:
    return needed("vl_convert", "svg, png", "charts")


def draw(spec: dict[str, Any], lang: Lang, says: str) -> Markup:
    """The chart as an inline SVG that says in words what it shows; marks with `aria` and a description say theirs when pointed at.

    Without the extra that draws, the words stand alone.
    """
    if not can_draw():
        return Markup('<p class="soft small">{} {}</p>').format(says, LEFT_OUT.in_(lang))
    theme = {**_THEME, "aria": '"description"' in json.dumps(spec), "mark": {"aria": False}}
    svg = _vega().vegalite_to_svg(
        {**spec, "config": theme}, format_locale=_LOCALES[lang], allowed_base_urls=[]
    )
    root = ET.fromstring(svg)  # noqa: S314 - drawn here, a moment ago
    _prune(root)
    for element in list(root.iter()):
        _theme(element)
    _flatten(root)
    size = root.get("width", "0"), root.get("height", "0")
    root.attrib = {
        "role": "img",
        "aria-label": says,
        "width": size[0],
        "height": size[1],
        "viewBox": f"0 0 {' '.join(size)}",
        **({"data-wide": "yes"} if float(size[0]) > _WIDE else {}),
    }
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - serialised, so escaped


def svg_file(spec: dict[str, Any], lang: Lang) -> str:
    """The chart as an SVG file of its own, on white."""
    svg: str = _vega().vegalite_to_svg(_on_paper(spec), format_locale=_LOCALES[lang], allowed_base_urls=[])
    return svg


def png_file(spec: dict[str, Any], lang: Lang, scale: float = 2) -> bytes:
    """The chart as a PNG file, on white."""
    png: bytes = _vega().vegalite_to_png(
        _on_paper(spec), scale=scale, format_locale=_LOCALES[lang], allowed_base_urls=[]
    )
    return png


def specification(spec: dict[str, Any]) -> str:
    """The chart as Vega-Lite in JSON for other programs, in real colours: marks say theirs in a tooltip."""
    return json.dumps(_for_others(_on_paper(spec)), ensure_ascii=False, separators=(",", ":"))


def embedded(spec: dict[str, Any]) -> Markup:
    """The specification as text inside a page."""
    text = specification(spec)
    for sign in "&<>":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 - no sign of HTML is left


def _for_others(part: Any) -> Any:
    """Six digits are more than can be drawn; what is described is also a tooltip."""
    if isinstance(part, dict):
        described = {"tooltip": part["description"]} if isinstance(part.get("description"), dict) else {}
        return {key: _for_others(value) for key, value in (part | described).items()}
    if isinstance(part, list):
        return [_for_others(value) for value in part]
    return float(f"{part:.6g}") if isinstance(part, float) else part


def _on_paper(spec: dict[str, Any]) -> dict[str, Any]:
    """The chart in real colours."""
    whole = {**spec, "config": {**_THEME, "background": "white", "padding": 12}}
    text = json.dumps(whole, ensure_ascii=False).translate(_IN_A_ROW)
    for stand_in, colour in ON_PAPER.items():
        text = text.replace(f'"{stand_in}"', f'"{colour}"')
    painted: dict[str, Any] = json.loads(text)
    return painted


def drawable(text: str, most: int) -> str:
    """A name that can be drawn, cut where it would swamp the chart.

    Vega cuts inside a character and stops the whole program at some control characters, so neither may reach it.
    """
    if len(text) <= most and text.isascii() and text.isprintable():
        return text
    clean = "".join("\ufffd" if unicodedata.category(c) in _UNDRAWABLE else c for c in text.translate(_PLAIN))
    widths = accumulate(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in clean)
    fits = sum(width <= most for width in widths)
    return clean if fits == len(clean) else clean[: fits - 1].rstrip() + "…"


def _theme(element: ET.Element) -> None:
    """Plain tag, only the attributes that draw, variables instead of stand-in colours; what a mark says becomes its title."""
    element.tag = element.tag.rpartition("}")[2]
    if element.get("role") == "graphics-symbol" and not len(element) and element.tag != "text":
        ET.SubElement(element, "title").text = element.get("aria-label", "").translate(_SPOKEN)
    side = _SIDES.get(element.get("fill", "")) or _SIDES.get(element.get("stroke", ""))
    element.attrib = {
        k: VARIABLES.get(v) or _DIGITS.sub(_rounded, v)
        for k, v in element.attrib.items()
        if k not in _UNNEEDED and (k, v) not in _AS_IT_IS
    }
    if side:
        element.set("data-side", side)


def _prune(element: ET.Element) -> None:
    """Drop parts that draw nothing."""
    for child in list(element):
        _prune(child)
        tag = child.tag.rpartition("}")[2]
        if (tag == "g" and not len(child)) or (tag == "path" and _draws_nothing(child)):
            element.remove(child)


def _rounded(found: re.Match[str]) -> str:
    """A hundredth of a point is finer than any screen or printer."""
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")


def _flatten(element: ET.Element) -> None:
    """Groups that change nothing give way to what they hold."""
    children: list[ET.Element] = []
    for child in element:
        _flatten(child)
        children += list(child) if child.tag == "g" and not child.attrib else [child]
    element[:] = children


def _draws_nothing(path: ET.Element) -> bool:
    return not path.get("d", "").strip("M0,hvZ") or not (path.get("fill") or path.get("stroke"))
