"""The charts of a report as Vega-Lite specifications: plain data. They take aggregates, never records.

Places on an axis are numbers; names only label them, so equal names cannot run together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tarnkappe.language import Lang, Text
from tarnkappe.report.axes import Axis
from tarnkappe.report.drawing import (
    AFTER,
    BEFORE,
    EDGE,
    INK,
    SAID_AFTER,
    SAID_BEFORE,
    drawable,
)
from tarnkappe.report.frequencies import Bar
from tarnkappe.report.histogram import Histogram
from tarnkappe.report.numbers import percent, shown
from tarnkappe.report.readings import (
    bin_names,
    binned,
    reading,
    sides,
    zones,
)

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
_SAID = {
    "field": "side",
    "type": "ordinal",
    "legend": None,
    "scale": {"domain": [0, 1], "range": [SAID_BEFORE, SAID_AFTER]},
}
_BAR: Spec = {
    "transform": [{"filter": "datum.share > 0"}],
    "mark": {"type": "bar", "strokeWidth": 0.7},
    "encoding": _SIDES,
}


def overlaid(data: Histogram, lang: Lang) -> Spec:
    """Before as grey bars, after as a line over them."""
    told = binned(_bins(data, lang), data.before.tolist(), data.after.tolist(), lang)
    return {
        **_SIZE,
        "layer": [_upright(data.axis, data.before, lang, BEFORE), _steps(data.after), _told(told)],
    }


def one_histogram(data: Histogram, lang: Lang, side: int) -> Spec:
    """One side alone, for columns that are numbers no longer."""
    shares, colour = (data.after, AFTER) if side else (data.before, BEFORE)
    before, after = (None, shares.tolist()) if side else (shares.tolist(), None)
    told = binned(_bins(data, lang), before, after, lang)
    return {**_SIZE, "layer": [_upright(data.axis, shares, lang, colour), _told(told)]}


def paired(bars: Sequence[Bar], lang: Lang) -> Spec:
    """For every category a grey bar and an accented one below it."""
    rows = [
        _bar_row(i, share, bars, lang, side)
        for i, bar in enumerate(bars)
        for side, share in ((0, bar.before), (1, bar.after))
    ]
    apart = {"yOffset": {"field": "side", "type": "ordinal", "scale": {"paddingInner": 0.12}}}
    told = [(bar.before, bar.after) for bar in bars]
    return _bars(rows, bars, lang, {"fontSize": 9}, 10, _rows_told(bars, told, lang), apart)


def single(bars: Sequence[Bar], lang: Lang, side: int = 1) -> Spec:
    """One bar per category: 0 for before, 1 for after."""
    rows = [_bar_row(i, bar.after, bars, lang, side) for i, bar in enumerate(bars)]
    told = [(None, bar.after) if side else (bar.after, None) for bar in bars]
    return _bars(rows, bars, lang, {"fontSize": 11}, 19, _rows_told(bars, told, lang), {})


def class_sizes(
    names: Sequence[str], before: Sequence[float] | None, after: Sequence[float], lang: Lang
) -> Spec:
    """Share of records by the number of records that look like them."""
    rows = [
        {"i": i, "side": side, "share": 100 * share, "says": percent(share, 2).in_(lang) if share else ""}
        for side, shares in ((0, before or ()), (1, after))
        for i, share in enumerate(shares)
    ]
    told = [
        {"i": i, "says": reading(name, sides(before[i] if before else None, after[i], complete=True), lang)}
        for i, name in enumerate(names)
    ]
    names_axis = {"labelLimit": 0, "labelExpr": look_up(names), "labelAngle": 0, "ticks": False}
    x = {"field": "i", "type": "ordinal", "title": _ALIKE.in_(lang), "axis": names_axis}
    at = {"x": x, "xOffset": {"field": "side", "type": "ordinal"}, "y": _share(lang)}
    text = {"text": {"field": "says"}, "color": _SAID}
    return {
        "width": 700,
        "height": 170,
        "layer": [
            {"data": _data(rows), **_BAR, "encoding": {**at, **_SIDES}},
            {"data": _data(rows), "mark": {"type": "text", "dy": -7}, "encoding": {**at, **text}},
            zones(told, {"x": x}),
        ],
    }


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


def _bars(
    rows: Iterable[Spec],
    bars: Sequence[Bar],
    lang: Lang,
    label: Spec,
    step: int,
    told: Sequence[Spec],
    apart: Spec,
) -> Spec:
    """Horizontal bars with their share at the end; that makes an axis superfluous. `apart` sets the sides of a category off."""
    names = [bar.name.in_(lang) for bar in bars]
    axis = {"labelExpr": look_up(names), "labelLimit": 0, "labelColor": INK, "labelPadding": 6}
    spacing = {"paddingInner": 0.28, "paddingOuter": 0.1}
    y = {"field": "i", "type": "ordinal", "title": None, "axis": axis, "scale": spacing}
    at = {"x": {"field": "share", "type": "quantitative", "axis": None}, "y": y, **apart}
    text = {"type": "text", "align": "left", "dx": 4, **label}
    data = _data(rows)
    return {
        "width": _LONGEST_BAR,
        "height": {"step": step},
        "layer": [
            {"data": data, **_BAR, "encoding": {**at, **_SIDES}},
            {"data": data, "mark": text, "encoding": {**at, "text": {"field": "says"}, "color": _SAID}},
            zones(told, {"y": y}),
        ],
    }  # fmt: skip


def _rows_told(
    bars: Sequence[Bar], told: Sequence[tuple[float | None, float | None]], lang: Lang
) -> list[Spec]:
    """What the row of every category says."""
    return [
        {"i": i, "says": reading(bar.name.in_(lang), sides(*shares), lang)}
        for i, (bar, shares) in enumerate(zip(bars, told, strict=True))
    ]  # fmt: skip


def _bins(data: Histogram, lang: Lang) -> list[str]:
    """The names of the bins that are drawn."""
    return bin_names(data.axis, lang)[data.first :]


def _told(rows: Sequence[Spec]) -> Spec:
    """Zones over the bins of a histogram."""
    along = {"x": {"field": "from", "type": "quantitative"}, "x2": {"field": "to"}}
    return zones(rows, along)


def short(value: float, lang: Lang) -> str:
    """A number for an axis: ``10 k``, ``2 M``; German writes ``10 Tsd.``, ``2 Mio.``."""
    words = {"en": (" bn", " M", " k"), "de": (" Mrd.", " Mio.", " Tsd.")}[lang]
    for least, unit, word in zip((1e9, 1e6, 1e4), (1e9, 1e6, 1e3), words, strict=True):
        if abs(value) >= least:
            return shown(value / unit).in_(lang) + word
    return shown(value).in_(lang)
