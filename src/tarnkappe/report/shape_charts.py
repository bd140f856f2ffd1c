"""Charts of the shape of one column: density with boxes, quantiles against quantiles, Lorenz curve. Dashed grey is before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tarnkappe.language import Lang, Text
from tarnkappe.report.charts import Spec, ticks
from tarnkappe.report.density import Shape, Shapes
from tarnkappe.report.drawing import AFTER, BEFORE, EDGE, INK, SOFT
from tarnkappe.report.lorenz import PARTS, Lorenz
from tarnkappe.report.numbers import fixed

_DENSITY = Text("density", "Dichte")
_SIDES = (Text("before", "vorher"), Text("after", "nachher"))
_RECORDS = Text("share of records, smallest first", "Anteil der Datensätze, kleinste zuerst")
_SUM = Text("share of the sum", "Anteil an der Summe")
_SQUARE = {"width": 210, "height": 210}
_DASH = [5, 3]
_PERCENT = {"en": "datum.label + '%'", "de": "datum.label + ' %'"}


def density(found: Shapes, lang: Lang) -> Spec:
    """The curves of both sides, and below them a box for each."""
    tall = {"width": 340, "height": 130}
    parts: list[Spec] = [{**tall, "layer": [_area(found, lang), *_curves(found, lang)]}]
    if found.before.box and found.after.box:
        parts.append(_boxes(found, lang))
    return {"vconcat": parts, "spacing": 6}


def comparable(found: Shapes) -> list[tuple[float, float]]:
    """The quantiles that both sides may show, as places."""
    pairs = zip(found.before.quantiles, found.after.quantiles, strict=True)
    return [(x, y) for x, y in pairs if np.isfinite([x, y]).all()]


def quantiles(found: Shapes, lang: Lang) -> Spec:
    """Quantiles after against quantiles before: on the diagonal where nothing changed."""
    rows = [{"x": x, "y": y} for x, y in comparable(found)]
    end = len(found.axis.edges)
    scale = {"domain": [1, end], "nice": False, "clamp": True}
    names = ticks(found.axis, lang)
    x = {"field": "x", "type": "quantitative", "title": _SIDES[0].in_(lang), "axis": names, "scale": scale}
    y = {**x, "field": "y", "title": _SIDES[1].in_(lang)}
    points = {
        "data": {"values": rows},
        "mark": {"type": "point", "filled": True, "color": AFTER, "size": 34, "opacity": 1},
        "encoding": {"x": x, "y": y},
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
    return {**_SQUARE, "layer": [_diagonal((0, 100), scale), *lines]}


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
        {"side": side.in_(lang), **dict(zip(names, shape.box or (), strict=True))}
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
                {"type": "bar", "height": 12, "strokeWidth": 1.2, "fillOpacity": 0.45},
                "first",
                "third",
                fill=fill,
                stroke=stroke,
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
