"""Bias of means and standard deviations as a picture: by column of a release, and by step of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tarnkappe.language import Lang, Text
from tarnkappe.report.charts import Spec, look_up
from tarnkappe.report.drawing import AFTER, MINUS, SOFT
from tarnkappe.report.numbers import error
from tarnkappe.report.readings import reading

_ERROR = Text("relative error", "relative Abweichung")
_FIGURES = {
    "mean": Text("mean", "Mittelwert"),
    "sd": Text("standard deviation", "Standardabweichung"),
}
_PERCENT = {"en": "datum.label + '%'", "de": "datum.label + ' %'"}
MOST_ROWS = 20
"""Most rows whose errors are drawn."""
_LONG = 46
Moves = Mapping[str, Mapping[str, float]]
"""Column -> figure -> relative error."""


def bias(columns: Mapping[str, Mapping[str, Any]], lang: Lang) -> Spec:
    """Relative errors of mean (circle) and standard deviation (diamond), the worst column first."""
    return _chart(errors_of(columns, lang), lang, sort=True)


def errors_of(columns: Mapping[str, Mapping[str, Any]], lang: Lang) -> list[Spec]:
    """The errors that can be told as shares, from the details of `utility.moments`."""
    rows: list[Spec] = []
    for name, found in columns.items():
        told = {key: found["error"].get(key) for key in _FIGURES if key not in found.get("guarded", ())}
        rows += _rows(name, {key: value for key, value in told.items() if _finite(value)}, lang)
    return rows


def _finite(value: Any) -> bool:
    return value is not None and bool(np.isfinite(value))


def bias_by_step(steps: Sequence[tuple[Text, Moves]], lang: Lang) -> Spec:
    """What every step did to the means and standard deviations it touched, in the order of the steps; the largest where there are many."""
    rows = [
        row
        for title, columns in steps
        for column, moved in columns.items()
        for row in _rows(f"{title.in_(lang)} · {column}", moved, lang)
    ]
    return _chart(rows, lang, sort=False)


# -- parts --------------------------------------------------------------------------------------------------------


def _rows(name: str, found: Mapping[str, float], lang: Lang) -> list[Spec]:
    """A point for each figure; both say the same."""
    says = reading(name, [(_FIGURES[key], error(found[key])) for key in _FIGURES if key in found], lang)
    return [
        {"name": name, "what": what, "error": 100 * found[key], "says": says}
        for what, key in enumerate(_FIGURES)
        if key in found
    ]


def _chart(rows: Sequence[Spec], lang: Lang, *, sort: bool) -> Spec:
    """The rows with the largest errors, these first where `sort` says so."""
    worst: dict[str, float] = {}
    for row in rows:
        worst[row["name"]] = max(worst.get(row["name"], 0.0), abs(row["error"]))
    kept = sorted(worst, key=lambda name: -worst[name])[:MOST_ROWS]
    order = kept if sort else [name for name in worst if name in kept]
    shown = [{**row, "i": order.index(row["name"])} for row in rows if row["name"] in kept]
    return _errors(shown, order, max(worst.values()), lang)


def _errors(rows: Sequence[Spec], names: Sequence[str], most: float, lang: Lang) -> Spec:
    end = max(most * 1.15, 0.1)
    x = {
        "field": "error",
        "type": "quantitative",
        "title": _ERROR.in_(lang),
        "scale": {"domain": [-end, end], "nice": False},
        "axis": {"tickCount": 5, "labelExpr": _PERCENT[lang], "grid": True},
    }
    label = {"labelExpr": look_up(names, _LONG), "labelLimit": 0, "ticks": False, "domain": False}
    kinds = {"field": "what", "type": "ordinal", "legend": None}
    words = "['" + "','".join(word.in_(lang) for word in _FIGURES.values()) + "'][datum.value]"
    legend = {
        "title": None,
        "labelExpr": words,
        "orient": "top",
        "labelFontSize": 11,
        "labelColor": SOFT,
        "labelLimit": 0,
    }
    return {
        "width": 420,
        "height": {"step": 22},
        "layer": [
            {
                "data": {"values": [{"error": 0}]},
                "mark": {"type": "rule", "color": SOFT},
                "encoding": {"x": {"field": "error", "type": "quantitative"}},
            },
            {
                "data": {"values": list(rows)},
                "mark": {
                    "type": "point",
                    "size": 75,
                    "strokeWidth": 1.8,
                    "filled": False,
                    "opacity": 1,
                    "aria": True,
                },
                "encoding": {
                    "x": x,
                    "y": {"field": "i", "type": "ordinal", "title": None, "axis": label},
                    "shape": {
                        **kinds,
                        "legend": legend,
                        "scale": {"domain": [0, 1], "range": ["circle", "diamond"]},
                    },
                    "stroke": {
                        **kinds,
                        "legend": legend,
                        "scale": {"domain": [0, 1], "range": [AFTER, MINUS]},
                    },
                    "description": {"field": "says"},
                },
            },
        ],
    }
