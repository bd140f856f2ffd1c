"""Correlations as heat maps: one square per pair of columns, before, after and their difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tarnkappe.language import Lang, same
from tarnkappe.report.charts import Spec, look_up
from tarnkappe.report.drawing import MINUS, PLUS
from tarnkappe.report.numbers import NONE, fixed
from tarnkappe.report.readings import reading


def correlations(names: Sequence[str], panels: Mapping[str, Any], lang: Lang) -> Spec:
    """One square per pair of columns in each panel: the deeper the colour, the stronger."""
    told = _pairs_told(names, panels, lang)
    drawn = [
        _heat(names, title, matrix, told, lang, named=i == 0)
        for i, (title, matrix) in enumerate(panels.items())
    ]
    return {"hconcat": drawn, "spacing": 36}


# -- parts ----------------------------------------------------------------------------------------------------


def _pairs_told(names: Sequence[str], panels: Mapping[str, Any], lang: Lang) -> dict[tuple[int, int], str]:
    """What every pair of columns says, the same in every panel."""
    return {
        (i, j): reading(
            f"{names[j]} × {names[i]}",
            [(same(t), fixed(m[i][j]) if _known(m[i][j]) else NONE) for t, m in panels.items()],
            lang,
        )
        for i in range(len(names))
        for j in range(i)
    }


def _known(value: float | None) -> bool:
    return value is not None and bool(np.isfinite(value))


def _heat(
    names: Sequence[str],
    title: str,
    matrix: Any,
    told: Mapping[tuple[int, int], str],
    lang: Lang,
    *,
    named: bool,
) -> Spec:
    size = len(names)
    rows = [
        {"x": j, "y": i, "r": abs(r), "up": r >= 0, "says": says, "shown": fixed(r).in_(lang)}
        for (i, j), says in told.items()
        if _known(r := matrix[i][j])
    ]
    step = max(18, min(54, 220 // (size - 1)))
    label = look_up(names, most=18)
    columns = {"labelExpr": label, "labelAngle": -35, "labelLimit": 0, "domain": False, "ticks": False}
    text = {"mark": {"type": "text", "fontSize": 10.5}, "encoding": {"text": {"field": "shown"}}}
    return {
        "title": title,
        "width": {"step": step},
        "height": {"step": step},
        "data": {"values": rows},
        "encoding": {
            "x": _band("x", columns),
            "y": _band("y", {"labelExpr": label, "labelLimit": 0} if named else None),
        },
        "layer": [
            {"mark": {"type": "rect", "aria": True}, "encoding": _DEPTH},
            *([text] if step >= 30 else []),
        ],
    }


def _band(field: str, axis: Spec | None) -> Spec:
    return {"field": field, "type": "ordinal", "title": None, "axis": axis, "scale": {"padding": 0.04}}


_DEPTH: Spec = {
    "description": {"field": "says"},
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
