"""Charts of two columns at once, before beside after: binned scatter and mosaic."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from tarnkappe.language import Lang, Text
from tarnkappe.report.charts import Spec, ticks
from tarnkappe.report.drawing import LINE, PLUS, SOFT, drawable
from tarnkappe.report.pairs import Cells, HeatMap, Mosaic, corners
from tarnkappe.report.readings import AFTER_WORD, BEFORE_WORD, bin_names, reading, sides

_SIDES = (BEFORE_WORD, AFTER_WORD)
_SIGNS = 40
"""Signs that fit below a panel."""
_PANEL = {"width": 320, "height": 230}


def scatter(found: HeatMap, lang: Lang) -> Spec:
    """The deeper the colour, the more records in the cell; the same colours on both sides."""
    both = (found.before, found.after)
    deepest = max(float(np.cbrt(side.max())) for side in both) or 1.0
    panels = [
        _heat(found, side, deepest, lang, name, named=i == 0)
        for i, (side, name) in enumerate(zip(both, _SIDES, strict=True))
    ]
    return {"hconcat": panels, "spacing": 34}


def mosaics(names: tuple[str, str], before: Mosaic, after: Mosaic, lang: Lang) -> Spec:
    """Widths are shares of the one column, heights those of the other within it; cells of fewer than three records are empty."""
    said = _told(before, after, lang)
    panels = [
        _mosaic(side, names, lang, name, said) for side, name in zip((before, after), _SIDES, strict=True)
    ]
    return {"hconcat": panels, "spacing": 34}


# -- parts --------------------------------------------------------------------------------------------------------


def _heat(found: HeatMap, cells: Cells, deepest: float, lang: Lang, name: Text, *, named: bool) -> Spec:
    across, up = (bin_names(axis, lang) for axis in found.axes)
    rows = [
        {
            "x": i, "x2": i + 1, "y": j, "y2": j + 1, "depth": float(np.cbrt(cells[i, j])),
            "says": reading(f"{across[i]} × {up[j]}", sides(float(found.before[i, j]), float(found.after[i, j])), lang),
        }
        for i, j in np.argwhere(cells > 0).tolist()
    ]  # fmt: skip
    x, y = (
        {
            "field": field,
            "type": "quantitative",
            "title": drawable(title, 30),
            "axis": {**ticks(axis, lang), "grid": False},
            "scale": {"domain": [0, len(axis.edges) + 1], "nice": False},
        }
        for field, title, axis in zip("xy", (found.x, found.y), found.axes, strict=True)
    )
    depth = {
        "field": "depth",
        "type": "quantitative",
        "legend": None,
        "scale": {"domain": [0, deepest], "range": [0.06, 1]},
    }
    return {
        **_PANEL,
        "title": name.in_(lang),
        "view": {"stroke": LINE},
        "data": {"values": rows},
        "mark": {"type": "rect", "color": PLUS, "aria": True},
        "encoding": {
            "x": x,
            "x2": {"field": "x2"},
            "y": {**y, "title": y["title"] if named else None},
            "y2": {"field": "y2"},
            "fillOpacity": depth,
            "description": {"field": "says"},
        },
    }


def _told(before: Mosaic, after: Mosaic, lang: Lang) -> dict[tuple[str, str], str]:
    """What every pair of categories says, the same on both sides."""
    shares = [
        {(a, b): float(side.shares[i, j]) for i, a in enumerate(side.across) for j, b in enumerate(side.up)}
        for side in (before, after)
    ]
    return {
        pair: reading(f"{pair[0]} × {pair[1]}", sides(shares[0].get(pair, 0.0), shares[1].get(pair, 0.0)), lang)
        for pair in {**shares[0], **shares[1]}
    }  # fmt: skip


def _mosaic(
    found: Mosaic, names: tuple[str, str], lang: Lang, name: Text, said: Mapping[tuple[str, str], str]
) -> Spec:
    rows: list[Spec] = []
    lows: dict[int, float] = {}
    lefts: dict[int, float] = {}
    for i, j, (left, right, below, above) in corners(found):
        shade = (j + 1) / len(found.up)
        says = said[found.across[i], found.up[j]]
        rows.append({"x": left, "x2": right, "y": below, "y2": above, "shade": shade, "says": says})
        lefts[i] = (left + right) / 2
        lows.setdefault(j, (below + above) / 2)
    scale = {"domain": [0, 1], "nice": False}
    return {
        **_PANEL,
        "title": name.in_(lang),
        "data": {"values": rows},
        "mark": {"type": "rect", "color": PLUS, "stroke": SOFT, "strokeWidth": 0.6, "aria": True},
        "encoding": {
            "x": {
                "field": "x",
                "type": "quantitative",
                "title": drawable(names[0], 30),
                "scale": scale,
                "axis": _named_at(lefts, found.across, angle=0 if _fit(found.across) else -30),
            },
            "x2": {"field": "x2"},
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": drawable(names[1], 30),
                "scale": scale,
                "axis": _named_at(lows, found.up, angle=0),
            },
            "y2": {"field": "y2"},
            "fillOpacity": {
                "field": "shade",
                "type": "quantitative",
                "legend": None,
                "scale": {"domain": [0, 1], "range": [0.08, 0.85]},
            },
            "description": {"field": "says"},
        },
    }


def _fit(names: Sequence[str]) -> bool:
    """Names stand side by side without touching."""
    return len(names) * max(map(len, names), default=0) <= _SIGNS


def _named_at(places: Mapping[int, float], names: Sequence[str], angle: int) -> Spec:
    """Names at the middles of the parts."""
    said = {str(round(10_000 * place)): drawable(names[i], 16) for i, place in places.items()}
    return {
        "values": [int(place) / 10_000 for place in said],
        "labelExpr": f"{json.dumps(said)}[toString(round(10000 * datum.value))]",
        "labelAngle": angle,
        "grid": False,
        "ticks": False,
        "domain": False,
        "labelLimit": 0,
        "labelOverlap": "greedy",
    }
