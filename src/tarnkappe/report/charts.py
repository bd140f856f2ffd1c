"""The charts of a report. They take aggregates, never records.

Places on an axis are numbers; names only label them, so equal names cannot run together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from tarnkappe.language import Lang, Text
from tarnkappe.report.drawing import AFTER, BEFORE, INK, MINUS, PLUS, SOFT
from tarnkappe.report.frequencies import Bar
from tarnkappe.report.histogram import Axis, Histogram
from tarnkappe.report.numbers import fixed, percent, shown

_SHARE = Text("share of records", "Anteil der Datensätze")
_ALIKE = Text("number of records that agree in the keys", "Zahl der Datensätze mit gleichen Schlüsseln")
_WIDTH, _HEIGHT = 340, 150
_BARS = 190
"""Length of the longest bar of a category."""
_PERCENT = {"en": "datum.label + '%'", "de": "datum.label + ' %'"}


def overlaid(data: Histogram, lang: Lang) -> Any:
    """Before as grey bars, after as a line over them."""
    return _upright(data.axis, data.before, lang, BEFORE) + _steps(data.after)


def one_histogram(data: Histogram, lang: Lang, side: int) -> Any:
    """One side alone, for columns that are numbers no longer."""
    return _upright(data.axis, data.after if side else data.before, lang, AFTER if side else BEFORE)


def paired(bars: Sequence[Bar], lang: Lang) -> Any:
    """For every category a grey bar and an accented one below it."""
    rows = [
        _bar_row(i, share, bars, lang, side=side)
        for i, bar in enumerate(bars)
        for side, share in ((0, bar.before), (1, bar.after))
    ]
    return _bars(rows, bars, lang, 9, 10).encode(yOffset=alt.YOffset("side:O").scale(paddingInner=0.12))


def single(bars: Sequence[Bar], lang: Lang, side: int = 1) -> Any:
    """One bar per category: 0 for before, 1 for after."""
    rows = [_bar_row(i, bar.after, bars, lang, side=side) for i, bar in enumerate(bars)]
    return _bars(rows, bars, lang, 11, 19)


def class_sizes(
    names: Sequence[str], before: Sequence[float] | None, after: Sequence[float], lang: Lang
) -> Any:
    """Share of records by the number of records that look like them."""
    sides = ((0, before), (1, after)) if before is not None else ((1, after),)
    rows = [
        {"i": i, "side": side, "share": 100 * share, "says": percent(share, 2).in_(lang) if share else ""}
        for side, shares in sides
        for i, share in enumerate(shares or ())
    ]
    base = alt.Chart(_data(rows), width=700, height=170).encode(
        x=alt.X(
            "i:O", title=_ALIKE.in_(lang), axis=alt.Axis(labelExpr=_look_up(names), labelAngle=0, ticks=False)
        ),
        xOffset=alt.XOffset("side:O"),
        y=alt.Y("share:Q", title=_SHARE.in_(lang)).axis(tickCount=4, labelExpr=_PERCENT[lang]),
    )
    return base.mark_bar().encode(color=_side_colour()) + base.mark_text(dy=-7, fontSize=11).encode(
        text="says:N"
    )


def correlations(
    names: Sequence[str], panels: Mapping[str, Sequence[Sequence[float | None]]], lang: Lang
) -> Any:
    """One square per pair of columns in each panel: the deeper the colour, the stronger."""
    drawn = [
        _heat(names, title, matrix, lang, named=i == 0) for i, (title, matrix) in enumerate(panels.items())
    ]
    return alt.hconcat(*drawn, spacing=36)


# -- parts ----------------------------------------------------------------------------------------------------


def _data(rows: Sequence[Mapping[str, Any]]) -> Any:
    return alt.InlineData(values=list(rows))


def _look_up(names: Sequence[str]) -> str:
    """An expression that turns a place into its name."""
    return f"{json.dumps(list(names))}[datum.value]"


def _side_colour() -> Any:
    return alt.Color("side:O", legend=None).scale(domain=[0, 1], range=[BEFORE, AFTER])


def _upright(axis: Axis, shares: Any, lang: Lang, colour: str) -> Any:
    rows = [{"from": i + 0.06, "to": i + 0.94, "share": 100 * float(v)} for i, v in enumerate(shares) if v]
    return (
        alt.Chart(_data(rows), width=_WIDTH, height=_HEIGHT)
        .mark_rect(color=colour)
        .encode(
            x=alt.X("from:Q", title=None, axis=_tick_axis(axis, lang)).scale(
                domain=[0, len(shares)], nice=False
            ),
            x2="to:Q",
            y=alt.Y("share:Q", title=_SHARE.in_(lang)).axis(tickCount=4, labelExpr=_PERCENT[lang]),
            y2=alt.datum(0),
        )
    )


def _tick_axis(axis: Axis, lang: Lang) -> Any:
    names = {
        f"{place:g}": f"{value:.0f}" if axis.years else short(value, lang) for place, value in axis.ticks
    }
    places = [place for place, _ in axis.ticks]
    return alt.Axis(values=places, labelExpr=f"{json.dumps(names)}[datum.value]", labelOverlap="parity")


def _steps(shares: Any) -> Any:
    """A line along the tops of the bins, down to zero at both ends."""
    tops = ((i + end, float(v)) for i, v in enumerate(shares) for end in (0, 1))
    corners = [(0, 0.0), *tops, (len(shares), 0.0)]
    rows = [{"from": place, "share": 100 * share, "n": n} for n, (place, share) in enumerate(corners)]
    line = alt.Chart(_data(rows)).mark_line(color=AFTER, strokeWidth=2, strokeJoin="round")
    return line.encode(x="from:Q", y="share:Q", order="n:Q")


def _bar_row(i: int, share: float, bars: Sequence[Bar], lang: Lang, side: int) -> dict[str, Any]:
    """A rest larger than every category is told, not drawn: its bar would dwarf the others."""
    longest = max((max(b.before, b.after) for b in bars if not b.rest), default=0.0)
    drawn = 0.0 if bars[i].rest and share > longest > 0 else share
    return {"i": i, "side": side, "share": drawn, "says": percent(share, 2).in_(lang)}


def _bars(rows: Sequence[Mapping[str, Any]], bars: Sequence[Bar], lang: Lang, size: int, step: int) -> Any:
    """Horizontal bars with their share at the end; that makes an axis superfluous."""
    names = [bar.name.in_(lang) for bar in bars]
    axis = alt.Axis(labelExpr=_look_up(names), labelLimit=160, labelColor=INK, labelPadding=6)
    base = alt.Chart(_data(rows), width=_BARS, height=alt.Step(step)).encode(
        x=alt.X("share:Q", axis=None),
        y=alt.Y("i:O", title=None, axis=axis).scale(paddingInner=0.28, paddingOuter=0.1),
    )
    labels = base.mark_text(align="left", dx=4, fontSize=size, color=SOFT).encode(text="says:N")
    return base.mark_bar().encode(color=_side_colour()) + labels


def _heat(names: Sequence[str], title: str, matrix: Any, lang: Lang, *, named: bool) -> Any:
    size = len(names)
    rows = [
        {"x": j, "y": i, "r": abs(r), "up": r >= 0, "says": fixed(r).in_(lang)}
        for i in range(size)
        for j in range(i)
        if (r := _number(matrix[i][j])) is not None
    ]
    step = max(18, min(54, 220 // (size - 1)))
    row_names = alt.Axis(labelExpr=_look_up(names), labelLimit=110) if named else None
    column_names = alt.Axis(
        labelExpr=_look_up(names), labelAngle=-35, labelLimit=90, domain=False, ticks=False
    )
    base = alt.Chart(_data(rows), title=title, width=alt.Step(step), height=alt.Step(step)).encode(
        x=alt.X("x:O", title=None, axis=column_names).scale(padding=0.04),
        y=alt.Y("y:O", title=None, axis=row_names).scale(padding=0.04),
    )
    squares = base.mark_rect().encode(
        fillOpacity=alt.FillOpacity("r:Q", legend=None).scale(domain=[0, 1], range=[0.07, 0.7], clamp=True),
        color=alt.Color("up:N", legend=None).scale(domain=[False, True], range=[MINUS, PLUS]),
    )
    return squares + base.mark_text(fontSize=10.5, color=INK).encode(text="says:N") if step >= 30 else squares


def _number(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def short(value: float, lang: Lang) -> str:
    """A number for an axis: ``10 k``, ``2 M``; German writes ``10 Tsd.``, ``2 Mio.``."""
    words = {"en": (" bn", " M", " k"), "de": (" Mrd.", " Mio.", " Tsd.")}[lang]
    for least, unit, word in zip((1e9, 1e6, 1e4), (1e9, 1e6, 1e3), words, strict=True):
        if abs(value) >= least:
            return shown(value / unit).in_(lang) + word
    return shown(value).in_(lang)
