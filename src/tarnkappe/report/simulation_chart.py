"""Box plots of a simulation: how far estimates lie from those of the original, as released and corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tarnkappe.correct.replications import Simulation, Spread
from tarnkappe.language import Lang, Text
from tarnkappe.report.charts import Spec
from tarnkappe.report.drawing import INK, LINE, MINUS, PLUS, drawable

_KINDS = (Text("as released", "wie freigegeben"), Text("corrected", "korrigiert"))
_AXIS = Text(
    "distance from the estimate of the original, in its standard errors",
    "Abstand von der Schätzung aus dem Original, in deren Standardfehlern",
)
_STEP, _WIDTH, _LONG = 34, 420, 48


def box_plots(found: Mapping[str, Simulation], lang: Lang) -> Spec:
    """A pair of boxes per coefficient and, below each other, protection: quartiles, whiskers to the outermost, a line at the original."""
    rows = [row for name, one in found.items() for row in _rows(name if len(found) > 1 else "", one, lang)]
    rows.sort(key=lambda row: row["place"])
    names = list(dict.fromkeys(row["name"] for row in rows))
    y = {"field": "name", "type": "nominal", "sort": names, "title": None}
    kinds = [kind.in_(lang) for kind in _KINDS]
    colour = {
        "field": "kind", "type": "nominal", "title": None, "legend": {"orient": "top"},
        "scale": {"domain": kinds, "range": [MINUS, PLUS]},
    }  # fmt: skip
    place = {"y": y, "yOffset": {"field": "kind", "sort": kinds}}
    axis = {"title": _AXIS.in_(lang)}
    whisker = {"x": _at("low", axis), "x2": {"field": "high"}, "color": colour, **place}
    box = {"x": _at("first", axis), "x2": {"field": "third"}, "color": colour, **place}
    return {
        "width": _WIDTH,
        "height": _STEP * max(len(names), 1),
        "data": {"values": rows},
        "layer": [
            {"mark": {"type": "rule", "color": LINE}, "data": {"values": [{"zero": 0}]}, "encoding": {"x": _at("zero", axis)}},
            {"mark": {"type": "rule"}, "encoding": whisker},
            {"mark": {"type": "bar", "height": 11}, "encoding": box},
            {"mark": {"type": "tick", "thickness": 2, "color": INK, "height": 11}, "encoding": {"x": _at("median", axis), **place}},
        ],
    }  # fmt: skip


def _at(field: str, axis: Spec) -> Spec:
    return {"field": field, "type": "quantitative", **axis}


def _rows(protection: str, found: Simulation, lang: Lang) -> Iterator[Spec]:
    for place, row in enumerate(found.rows):
        if row.what != "estimate" or not row.error:
            continue
        name = drawable(f"{row.name} · {protection}" if protection else row.name, _LONG)
        for kind, one in zip(_KINDS, (row.masked, row.corrected), strict=True):
            if one is not None:
                yield {
                    "place": place,
                    "name": name,
                    "kind": kind.in_(lang),
                    **_places(one, row.original, row.error),
                }


def _places(one: Spread, original: float, error: float) -> dict[str, float]:
    at = {
        "low": one.low, "first": one.first_quartile, "median": one.median, "third": one.third_quartile, "high": one.high,
    }  # fmt: skip
    return {name: (value - original) / error for name, value in at.items()}
