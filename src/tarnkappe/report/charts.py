"""The charts of a report as Vega-Lite specifications: plain data. They take aggregates, never records.

Places on an axis are numbers; names only label them, so equal names cannot run together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tarnkappe.language import Lang, Text
from tarnkappe.report.axes import Axis
from tarnkappe.report.drawing import AFTER, BEFORE, EDGE, INK, MINUS, PLUS, SOFT, drawable
from tarnkappe.report.frequencies import Bar
from tarnkappe.report.histogram import Histogram
from tarnkappe.report.numbers import fixed, percent, shown

Spec = dict[str, Any]
_SHARE = Text("share of records", "Anteil der Datensätze")
_ALIKE = Text("number of records that agree in the keys", "Zahl der Datensätze mit gleichen Schlüsseln")
_SIZE = {"width": 340, "height": 150}
_LONGEST_BAR = 190
_PERCENT = {"en": "datum.label + '%'", "de": "datum.label + ' %'"}
_SIDES = {
    channel: {
        "field": "side",
        "type": "ordinal",
        "legend": None,
        "scale": {"domain": [0, 1], "range": list(colours)},
    }
    for channel, colours in (("fill", (BEFORE, AFTER)), ("stroke", (EDGE, AFTER)))
}
"""Grey with an edge is before; the accent is after."""
_BAR = {
    "transform": [{"filter": "datum.share > 0"}],
    "mark": {"type": "bar", "strokeWidth": 0.7},
    "encoding": _SIDES,
}


def overlaid(data: Histogram, lang: Lang) -> Spec:
    """Before as grey bars, after as a line over them."""
    return {**_SIZE, "layer": [_upright(data.axis, data.before, lang, BEFORE), _steps(data.after)]}


def one_histogram(data: Histogram, lang: Lang, side: int) -> Spec:
    """One side alone, for columns that are numbers no longer."""
    shares, colour = (data.after, AFTER) if side else (data.before, BEFORE)
    return {**_SIZE, **_upright(data.axis, shares, lang, colour)}


def paired(bars: Sequence[Bar], lang: Lang) -> Spec:
    """For every category a grey bar and an accented one below it."""
    rows = [
        _bar_row(i, share, bars, lang, side)
        for i, bar in enumerate(bars)
        for side, share in ((0, bar.before), (1, bar.after))
    ]
    spec = _bars(rows, bars, lang, label_size=9, step=10)
    spec["encoding"]["yOffset"] = {"field": "side", "type": "ordinal", "scale": {"paddingInner": 0.12}}
    return spec


def single(bars: Sequence[Bar], lang: Lang, side: int = 1) -> Spec:
    """One bar per category: 0 for before, 1 for after."""
    rows = [_bar_row(i, bar.after, bars, lang, side) for i, bar in enumerate(bars)]
    return _bars(rows, bars, lang, label_size=11, step=19)


def class_sizes(
    names: Sequence[str], before: Sequence[float] | None, after: Sequence[float], lang: Lang
) -> Spec:
    """Share of records by the number of records that look like them."""
    rows = [
        {"i": i, "side": side, "share": 100 * share, "says": percent(share, 2).in_(lang) if share else ""}
        for side, shares in ((0, before or ()), (1, after))
        for i, share in enumerate(shares)
    ]
    names_axis = {"labelLimit": 0, "labelExpr": look_up(names), "labelAngle": 0, "ticks": False}
    return {
        "width": 700,
        "height": 170,
        "data": _data(rows),
        "encoding": {
            "x": {"field": "i", "type": "ordinal", "title": _ALIKE.in_(lang), "axis": names_axis},
            "xOffset": {"field": "side", "type": "ordinal"},
            "y": _share(lang),
        },
        "layer": [
            _BAR,
            {"mark": {"type": "text", "dy": -7}, "encoding": {"text": {"field": "says"}}},
        ],
    }


def correlations(names: Sequence[str], panels: Mapping[str, Any], lang: Lang) -> Spec:
    """One square per pair of columns in each panel: the deeper the colour, the stronger."""
    drawn = [
        _heat(names, title, matrix, lang, named=i == 0) for i, (title, matrix) in enumerate(panels.items())
    ]
    return {"hconcat": drawn, "spacing": 36}


# -- parts ----------------------------------------------------------------------------------------------------


def _data(rows: Iterable[Mapping[str, Any]]) -> Spec:
    return {"values": list(rows)}


def look_up(names: Iterable[str], most: int = 30) -> str:
    """An expression that turns a place into its name."""
    return f"{json.dumps([drawable(name, most) for name in names])}[datum.value]"


def _share(lang: Lang) -> Spec:
    axis = {"tickCount": 4, "labelExpr": _PERCENT[lang]}
    return {"field": "share", "type": "quantitative", "title": _SHARE.in_(lang), "axis": axis}


def _upright(axis: Axis, shares: Any, lang: Lang, colour: str) -> Spec:
    rows = [{"from": i + 0.06, "to": i + 0.94, "share": 100 * float(v)} for i, v in enumerate(shares) if v]
    places = {
        "field": "from",
        "type": "quantitative",
        "title": None,
        "axis": ticks(axis, lang),
        "scale": {"domain": [0, len(shares)], "nice": False},
    }
    return {
        "data": _data(rows),
        "mark": {
            "type": "rect",
            "color": colour,
            "stroke": EDGE if colour == BEFORE else AFTER,
            "strokeWidth": 0.7,
        },
        "encoding": {"x": places, "x2": {"field": "to"}, "y": _share(lang), "y2": {"datum": 0}},
    }


def ticks(axis: Axis, lang: Lang) -> Spec:
    """What is written at which places of an axis."""
    names = {
        f"{place:g}": value if isinstance(value, str) else short(value, lang) for place, value in axis.ticks
    }
    places = [place for place, _ in axis.ticks]
    return {"values": places, "labelExpr": f"{json.dumps(names)}[datum.value]", "labelOverlap": "parity"}


def _steps(shares: Any) -> Spec:
    """A line along the tops of the bins, down to zero at both ends."""
    tops = ((i + end, float(v)) for i, v in enumerate(shares) for end in (0, 1))
    corners = [(0, 0.0), *tops, (len(shares), 0.0)]
    rows = [{"from": place, "share": 100 * share, "n": n} for n, (place, share) in enumerate(corners)]
    return {
        "data": _data(rows),
        "mark": {"type": "line", "color": AFTER, "strokeWidth": 2, "strokeJoin": "round"},
        "encoding": {name: {"field": field, "type": "quantitative"} for name, field in _LINE.items()},
    }


_LINE = {"x": "from", "y": "share", "order": "n"}


def _bar_row(i: int, share: float, bars: Sequence[Bar], lang: Lang, side: int) -> Spec:
    """A rest larger than every category is told, not drawn: its bar would dwarf the others."""
    longest = max((max(b.before, b.after) for b in bars if not b.rest), default=0.0)
    drawn = 0.0 if bars[i].rest and share > longest > 0 else share
    return {"i": i, "side": side, "share": drawn, "says": percent(share, 2).in_(lang)}


def _bars(rows: Iterable[Spec], bars: Sequence[Bar], lang: Lang, *, label_size: int, step: int) -> Spec:
    """Horizontal bars with their share at the end; that makes an axis superfluous."""
    names = [bar.name.in_(lang) for bar in bars]
    axis = {"labelExpr": look_up(names), "labelLimit": 0, "labelColor": INK, "labelPadding": 6}
    spacing = {"paddingInner": 0.28, "paddingOuter": 0.1}
    label = {"type": "text", "align": "left", "dx": 4, "fontSize": label_size, "color": SOFT}
    return {
        "width": _LONGEST_BAR,
        "height": {"step": step},
        "data": _data(rows),
        "encoding": {
            "x": {"field": "share", "type": "quantitative", "axis": None},
            "y": {"field": "i", "type": "ordinal", "title": None, "axis": axis, "scale": spacing},
        },
        "layer": [
            _BAR,
            {"mark": label, "encoding": {"text": {"field": "says"}}},
        ],
    }


def _heat(names: Sequence[str], title: str, matrix: Any, lang: Lang, *, named: bool) -> Spec:
    size = len(names)
    pairs = ((i, j, matrix[i][j]) for i in range(size) for j in range(i))
    rows = [
        {"x": j, "y": i, "r": abs(r), "up": r >= 0, "says": fixed(r).in_(lang)}
        for i, j, r in pairs
        if r is not None and np.isfinite(r)
    ]
    step = max(18, min(54, 220 // (size - 1)))
    label = look_up(names, most=18)
    columns = {"labelExpr": label, "labelAngle": -35, "labelLimit": 0, "domain": False, "ticks": False}
    text = {"mark": {"type": "text", "fontSize": 10.5}, "encoding": {"text": {"field": "says"}}}
    return {
        "title": title,
        "width": {"step": step},
        "height": {"step": step},
        "data": _data(rows),
        "encoding": {
            "x": _band("x", columns),
            "y": _band("y", {"labelExpr": label, "labelLimit": 0} if named else None),
        },
        "layer": [{"mark": "rect", "encoding": _DEPTH}, *([text] if step >= 30 else [])],
    }


def _band(field: str, axis: Spec | None) -> Spec:
    return {"field": field, "type": "ordinal", "title": None, "axis": axis, "scale": {"padding": 0.04}}


_DEPTH: Spec = {
    "fillOpacity": {
        "field": "r",
        "type": "quantitative",
        "legend": None,
        "scale": {"domain": [0, 1], "range": [0.07, 0.7], "clamp": True},
    },
    "color": {
        "field": "up",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": [False, True], "range": [MINUS, PLUS]},
    },
}


def short(value: float, lang: Lang) -> str:
    """A number for an axis: ``10 k``, ``2 M``; German writes ``10 Tsd.``, ``2 Mio.``."""
    words = {"en": (" bn", " M", " k"), "de": (" Mrd.", " Mio.", " Tsd.")}[lang]
    for least, unit, word in zip((1e9, 1e6, 1e4), (1e9, 1e6, 1e3), words, strict=True):
        if abs(value) >= least:
            return shown(value / unit).in_(lang) + word
    return shown(value).in_(lang)
