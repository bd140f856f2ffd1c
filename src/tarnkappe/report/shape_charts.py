"""Charts of the shape of one column: density with boxes, quantiles against quantiles, Lorenz curve. Dashed grey is before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tarnkappe.language import Lang, Text
from tarnkappe.report.charts import Spec, ticks
from tarnkappe.report.density import GRID, Shape, Shapes
from tarnkappe.report.drawing import AFTER, BEFORE, EDGE, INK, SOFT
from tarnkappe.report.lorenz import PARTS, Lorenz
from tarnkappe.report.numbers import fixed, percent
from tarnkappe.report.readings import (
    AFTER_WORD,
    BEFORE_WORD,
    bin_names,
    binned,
    reading,
    value_said,
    zones,
)

_DENSITY = Text("density", "Dichte")
_SIDES = (BEFORE_WORD, AFTER_WORD)
_POORER = Text("the smallest {share} hold", "die kleinsten {share} halten")
_QUANTILE = Text("quantile {share}", "{share}-Quantil")
_BOX = (
    Text("5% quantile", "5-%-Quantil"),
    Text("first quartile", "erstes Quartil"),
    Text("median", "Median"),
    Text("third quartile", "drittes Quartil"),
    Text("95% quantile", "95-%-Quantil"),
)
_RECORDS = Text("share of records, smallest first", "Anteil der Datensätze, kleinste zuerst")
_SUM = Text("share of the sum", "Anteil an der Summe")
_SQUARE = {"width": 210, "height": 210}
_DASH = [5, 3]
_PERCENT = {"en": "datum.label + '%'", "de": "datum.label + ' %'"}


def density(found: Shapes, lang: Lang) -> Spec:
    """The curves of both sides, and below them a box for each."""
    tall = {"width": 340, "height": 130}
    parts: list[Spec] = [{**tall, "layer": [_area(found, lang), *_curves(found, lang), _told(found, lang)]}]
    if found.before.box and found.after.box:
        parts.append(_boxes(found, lang))
    return {"vconcat": parts, "spacing": 6}


def comparable(found: Shapes) -> list[tuple[float, float]]:
    """The quantiles that both sides may show, as places."""
    return [(x, y) for _, x, y in _compared(found)]


def quantiles(found: Shapes, lang: Lang) -> Spec:
    """Quantiles after against quantiles before: on the diagonal where nothing changed."""
    rows = [
        {"x": x, "y": y, "says": _quantile(found, share, (x, y), lang)} for share, x, y in _compared(found)
    ]
    end = len(found.axis.edges)
    scale = {"domain": [1, end], "nice": False, "clamp": True}
    names = ticks(found.axis, lang)
    x = {"field": "x", "type": "quantitative", "title": _SIDES[0].in_(lang), "axis": names, "scale": scale}
    y = {**x, "field": "y", "title": _SIDES[1].in_(lang)}
    points = {
        "data": {"values": rows},
        "mark": {"type": "point", "filled": True, "color": AFTER, "size": 34, "opacity": 1, "aria": True},
        "encoding": {"x": x, "y": y, "description": {"field": "says"}},
    }
    return {**_SQUARE, "layer": [_diagonal((1, end), scale), points]}


def lorenz(found: Lorenz, lang: Lang) -> Spec:
    """Both curves below the line of equality."""
    axis = {"tickCount": 3, "labelExpr": _PERCENT[lang]}
    scale = {"domain": [0, 100], "nice": False}
    x = {"field": "x", "type": "quantitative", "title": _RECORDS.in_(lang), "axis": axis, "scale": scale}
    y = {**x, "field": "y", "title": _SUM.in_(lang)}
    lines = [
        {
            "data": {"values": [{"x": 100 * i / PARTS, "y": 100 * share} for i, share in enumerate(shares)]},
            "mark": {"type": "line", "color": colour, "strokeWidth": 2, "strokeDash": dash},
            "encoding": {"x": x, "y": y},
        }
        for shares, colour, dash in ((found.before, EDGE, _DASH), (found.after, AFTER, []))
    ]
    return {**_SQUARE, "layer": [_diagonal((0, 100), scale), *lines, _held(found, x, lang)]}


def gini_note(found: Lorenz) -> Text:
    """The Gini coefficients in words."""
    before, after = (fixed(value, 3) for value in found.gini)
    return Text(
        f"Lorenz curve without weights; Gini {before.en} before, {after.en} after.",
        f"Lorenzkurve ohne Gewichte; Gini vorher {before.de}, nachher {after.de}.",
    )


def bandwidth_note(found: Shapes) -> Text:
    """How the curve was made."""
    before, after = (fixed(side.bandwidth, 2) for side in (found.before, found.after))
    return Text(
        f"Curve: Gaussian kernel, bandwidth by Silverman's rule ({before.en} bars before, {after.en} after). Boxes: quartiles, "
        "whiskers at 5% and 95%, each the mean of three records. Points: quantiles 5%, 10% … 95%.",
        f"Kurve: Gauß-Kern, Bandbreite nach Silverman (vorher {before.de}, nachher {after.de} Balkenbreiten). Kästen: Quartile, "
        "Enden bei 5\u00a0% und 95\u00a0%, je Mittel dreier Datensätze. Punkte: Quantile 5\u00a0%, 10\u00a0% … 95\u00a0%.",
    )


# -- parts --------------------------------------------------------------------------------------------------------


def _compared(found: Shapes) -> Iterator[tuple[float, float, float]]:
    """Shares with the places of their quantiles, where both sides may show them."""
    for share, x, y in zip(GRID, found.before.quantiles, found.after.quantiles, strict=True):
        if np.isfinite([x, y]).all():
            yield share, x, y


def _quantile(found: Shapes, share: float, places: tuple[float, float], lang: Lang) -> str:
    name = _QUANTILE.filled(share=percent(share)).in_(lang)
    figures = (value_said(at, found.axis, lang) for at in places)
    return reading(name, zip(_SIDES, figures, strict=True), lang)


def _told(found: Shapes, lang: Lang) -> Spec:
    """Zones over the bins: the smoothed share of the records in each."""
    bins = len(found.axis.edges) - 1
    which = np.minimum((found.places - 1).astype(np.int64), bins - 1)
    shares = [
        (np.bincount(which, side.curve, bins) / np.bincount(which, minlength=bins)).tolist()
        for side in (found.before, found.after)
    ]
    rows = binned(bin_names(found.axis, lang)[1:-1], shares[0], shares[1], lang)
    moved = [{**row, "from": row["from"] + 1, "to": row["to"] + 1} for row in rows]
    return zones(moved, {"x": {"field": "from", "type": "quantitative"}, "x2": {"field": "to"}})


def _held(found: Lorenz, x: Spec, lang: Lang) -> Spec:
    """Zones around the points of the curves."""
    rows = [
        {
            "from": max(0, 100 * (i - 0.5) / PARTS),
            "to": min(100, 100 * (i + 0.5) / PARTS),
            "says": reading(
                _POORER.filled(share=percent(i / PARTS)).in_(lang),
                [(word, percent(side[i])) for word, side in zip(_SIDES, (found.before, found.after), strict=True)],
                lang,
            ),
        }
        for i in range(1, PARTS)
    ]  # fmt: skip
    return zones(rows, {"x": {**x, "field": "from"}, "x2": {"field": "to"}})


def _boxed(found: Shapes, shape: Shape, side: Text, lang: Lang) -> str:
    """The five figures of a box."""
    figures = (value_said(at, found.axis, lang) for at in shape.box or ())
    return reading(side.in_(lang), zip(_BOX, figures, strict=True), lang)


def _across(found: Shapes, axis: Spec) -> Spec:
    scale = {"domain": [1, len(found.axis.edges)], "nice": False, "clamp": True}
    return {"field": "x", "type": "quantitative", "title": None, "axis": axis, "scale": scale}


def _points(found: Shapes, shape: Shape) -> list[dict[str, float]]:
    return [
        {"x": float(x), "y": float(y)}
        for x, y in zip(found.places.round(3), shape.curve.round(6), strict=True)
    ]


def _up(lang: Lang) -> Spec:
    axis = {"title": _DENSITY.in_(lang), "labels": False, "grid": False}
    return {"field": "y", "type": "quantitative", "axis": axis}


def _under(found: Shapes, lang: Lang) -> Spec:
    """The axis of the curves; where boxes stand below, they carry the names."""
    boxed = found.before.box and found.after.box
    axis = {"labels": False, "ticks": False, "title": None} if boxed else ticks(found.axis, lang)
    return _across(found, axis)


def _area(found: Shapes, lang: Lang) -> Spec:
    return {
        "data": {"values": _points(found, found.before)},
        "mark": {"type": "area", "color": BEFORE, "opacity": 0.4},
        "encoding": {"x": _under(found, lang), "y": _up(lang)},
    }


def _curves(found: Shapes, lang: Lang) -> Iterable[Spec]:
    for shape, colour, dash in ((found.before, EDGE, _DASH), (found.after, AFTER, [])):
        yield {
            "data": {"values": _points(found, shape)},
            "mark": {"type": "line", "color": colour, "strokeWidth": 2, "strokeDash": dash},
            "encoding": {"x": _under(found, lang), "y": _up(lang)},
        }


def _boxes(found: Shapes, lang: Lang) -> Spec:
    """Whisker, box and median of each side, on the same axis."""
    names = ("low", "first", "middle", "third", "high")
    rows = [
        {
            "side": side.in_(lang),
            "says": _boxed(found, shape, side, lang),
            **dict(zip(names, shape.box or (), strict=True)),
        }
        for side, shape in zip(_SIDES, (found.before, found.after), strict=True)
    ]
    words = [side.in_(lang) for side in _SIDES]
    y = {
        "field": "side",
        "type": "nominal",
        "title": None,
        "sort": words,
        "axis": {"domain": False, "ticks": False},
    }
    fill = {
        "field": "side",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": words, "range": [BEFORE, AFTER]},
    }
    stroke = {**fill, "scale": {"domain": words, "range": [EDGE, AFTER]}}

    def span(mark: dict[str, Any], start: str, end: str, **more: Any) -> Spec:
        x = {**_across(found, ticks(found.axis, lang)), "field": start}
        return {"mark": mark, "encoding": {"x": x, "x2": {"field": end}, "y": y, **more}}

    return {
        "width": 340,
        "height": {"step": 22},
        "data": {"values": rows},
        "layer": [
            span({"type": "rule", "strokeWidth": 1.6}, "low", "high", color=stroke),
            span(
                {"type": "bar", "height": 12, "strokeWidth": 1.2, "fillOpacity": 0.45, "aria": True},
                "first",
                "third",
                fill=fill,
                stroke=stroke,
                description={"field": "says"},
            ),
            {
                "mark": {"type": "tick", "color": INK, "thickness": 2, "size": 12},
                "encoding": {"x": {**_across(found, ticks(found.axis, lang)), "field": "middle"}, "y": y},
            },
        ],
    }


def _diagonal(ends: tuple[float, float], scale: Spec) -> Spec:
    at = {"type": "quantitative", "scale": scale}
    return {
        "data": {"values": [{"x": end, "y": end} for end in ends]},
        "mark": {"type": "line", "color": SOFT, "strokeWidth": 1, "strokeDash": [2, 2]},
        "encoding": {"x": {"field": "x", **at}, "y": {"field": "y", **at}},
    }
