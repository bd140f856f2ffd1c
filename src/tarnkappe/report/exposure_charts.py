"""Pictures of who can be found: how surely, and by which keys. Aggregates only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.language import Lang, Text, same
from tarnkappe.report.charts import Spec, paired
from tarnkappe.report.drawing import AFTER, EDGE
from tarnkappe.report.frequencies import Bar
from tarnkappe.report.readings import reading, sides, zones

CHANCES = (1, 2, 3, 5, 10, 20, 50, 100)
"""One in so many; the axis goes from certainty to a chance of 1 in 100."""
_AXIS = Text("found at least as surely as", "mindestens so sicher gefunden wie")
_SHARE = Text("share of records", "Anteil der Datensätze")
_CERTAIN = Text("certain", "sicher")
_ONE_IN = Text("1 in {n}", "1 von {n}")
_PERCENT = {"en": "datum.label + '%'", "de": "datum.label + ' %'"}


def at_least(risk: Floats) -> list[float]:
    """The share of records whose chance of being found is at least 1, 1/2, 1/3 …"""
    return [float(np.mean(risk >= 1 / n - 1e-9)) for n in CHANCES]


def chances(before: list[float] | None, after: list[float], lang: Lang) -> Spec:
    """How many records are found how surely: a dashed grey line before, a full blue one after."""
    names = [_CERTAIN.in_(lang), *(_ONE_IN.filled(n=n).in_(lang) for n in CHANCES[1:])]
    axis = {"labelExpr": f"{names!r}[datum.value]", "labelAngle": 0, "ticks": False, "labelOverlap": False}
    shares = {
        "field": "share",
        "type": "quantitative",
        "title": _SHARE.in_(lang),
        "scale": {"domain": [0, 100]},
        "axis": {"tickCount": 4, "labelExpr": _PERCENT[lang]},
    }
    places = {
        "field": "i",
        "type": "ordinal",
        "title": _AXIS.in_(lang),
        "axis": axis,
        "scale": {"type": "band", "paddingOuter": 0.1},
        "bandPosition": 0.5,
    }
    zone = {key: part for key, part in places.items() if key != "bandPosition"}
    lines = [*(_line(before, EDGE, [5, 3]) if before else ()), *_line(after, AFTER, [])]
    told = [
        {"i": i, "says": reading(name, sides(before[i] if before else None, after[i], complete=True), lang)}
        for i, name in enumerate(names)
    ]
    at = {"encoding": {"x": places, "y": shares}}
    return {
        "width": 700,
        "height": 190,
        "layer": [*({**line, **at} for line in lines), zones(told, {"x": zone})],
    }


def contributions(before: Mapping[str, float] | None, after: Mapping[str, float], lang: Lang) -> Spec:
    """What every key adds to the chance of being found, the largest first."""
    was = before or {}
    names = sorted(after, key=lambda name: -max(was.get(name, 0.0), after[name]))
    bars = [Bar(same(name), was.get(name, 0.0), after[name]) for name in names]
    return {**paired(bars, lang), "width": 330, "height": {"step": 13}}


def _line(shares: list[float], colour: str, dash: list[int]) -> list[dict[str, Any]]:
    data = {"values": [{"i": i, "share": 100 * share} for i, share in enumerate(shares)]}
    stroke = {"type": "line", "color": colour, "strokeWidth": 2, "strokeDash": dash}
    point = {
        "type": "point",
        "filled": not dash,
        "color": colour,
        "size": 45,
        "opacity": 1,
        "strokeWidth": 1.6,
    }
    return [{"data": data, "mark": stroke}, {"data": data, "mark": point}]
