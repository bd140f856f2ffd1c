"""The charts of a report. They take aggregates, never records; places on an axis are numbers, names only label them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from tarnkappe.language import Lang, Text
from tarnkappe.report.drawing import AFTER, BEFORE, INK, MINUS, PLUS
from tarnkappe.report.frequencies import Bar
from tarnkappe.report.histogram import Axis, Histogram
from tarnkappe.report.numbers import shown

SHARE = Text("share of records", "Anteil der Datensätze")
_WIDTH, _HEIGHT = 330, 150
_PERCENT = {"en": "datum.label + '%'", "de": "datum.label + ' %'"}


def overlaid(data: Histogram, lang: Lang) -> Any:
    """Before as grey bars, after as a line over them."""
    return _grey_bars(data.axis, data.before, lang).properties(width=_WIDTH, height=_HEIGHT) + _steps(
        data.after
    )


def grey_histogram(data: Histogram, lang: Lang) -> Any:
    """The original alone, for columns that are no longer numbers."""
    return _grey_bars(data.axis, data.before, lang).properties(width=_WIDTH, height=_HEIGHT)


def paired(bars: Sequence[Bar], lang: Lang) -> Any:
    """For every category a grey bar and an accented one below it."""
    rows = [
        {"i": i, "side": side, "share": 100 * share}
        for i, bar in enumerate(bars)
        for side, share in ((0, bar.before), (1, bar.after))
    ]
    colour = alt.Color("side:O", legend=None).scale(domain=[0, 1], range=[BEFORE, AFTER])
    return (
        _bars(rows, bars, lang)
        .encode(color=colour, yOffset=alt.YOffset("side:O").scale(paddingInner=0.1))
        .properties(width=_WIDTH - 90, height=alt.Step(9, **{"for": "offset"}))
    )


def single(bars: Sequence[Bar], lang: Lang, colour: str = AFTER) -> Any:
    """One bar per category."""
    rows = [{"i": i, "share": 100 * bar.after} for i, bar in enumerate(bars)]
    return _bars(rows, bars, lang, color=colour).properties(width=_WIDTH - 90, height=alt.Step(17))


def class_sizes(
    names: Sequence[str], before: Sequence[float] | None, after: Sequence[float], lang: Lang
) -> Any:
    """Share of records by the size of the class they are in."""
    sides = ((0, before), (1, after)) if before is not None else ((1, after),)
    rows = [{"i": i, "side": side, "share": 100 * v} for side, values in sides for i, v in enumerate(values)]
    title = Text("records that look alike in the key variables", "Datensätze mit gleichen Schlüsselvariablen")
    return (
        alt.Chart(_data(rows), width=2 * _WIDTH, height=_HEIGHT)
        .mark_bar()
        .encode(
            x=alt.X("i:O", title=title.in_(lang), axis=alt.Axis(labelExpr=_look_up(names), labelAngle=0)),
            xOffset=alt.XOffset("side:O"),
            y=_share_axis(alt.Y, lang),
            color=alt.Color("side:O", legend=None).scale(domain=[0, 1], range=[BEFORE, AFTER]),
        )
    )


def correlations(
    names: Sequence[str], panels: Mapping[str, Sequence[Sequence[float | None]]], lang: Lang
) -> Any:
    """One square per pair of columns in each panel: the deeper the colour, the stronger."""
    drawn = [
        _heat(names, title, matrix, lang, named=i == 0) for i, (title, matrix) in enumerate(panels.items())
    ]
    return alt.hconcat(*drawn, spacing=18)


# -- parts ----------------------------------------------------------------------------------------------------------


def _data(rows: Sequence[Mapping[str, Any]]) -> Any:
    return alt.InlineData(values=list(rows))


def _look_up(names: Sequence[str]) -> str:
    """An expression that turns a place into its name."""
    return f"{json.dumps(list(names))}[datum.value]"


def _share_axis(channel: Any, lang: Lang) -> Any:
    return (
        channel("share:Q", title=SHARE.in_(lang))
        .axis(tickCount=4, labelExpr=_PERCENT[lang])
        .scale(zero=True, nice=True)
    )


def _grey_bars(axis: Axis, shares: Any, lang: Lang) -> Any:
    rows = [{"from": i + 0.06, "to": i + 0.94, "share": 100 * float(v)} for i, v in enumerate(shares) if v]
    return (
        alt.Chart(_data(rows))
        .mark_rect(color=BEFORE)
        .encode(
            x=alt.X("from:Q", title=None, axis=_tick_axis(axis, lang)).scale(
                domain=[0, len(shares)], nice=False
            ),
            x2="to:Q",
            y=_share_axis(alt.Y, lang),
            y2=alt.datum(0),
        )
    )


def _tick_axis(axis: Axis, lang: Lang) -> Any:
    names = {f"{place:g}": f"{value:g}" if axis.years else short(value, lang) for place, value in axis.ticks}
    return alt.Axis(
        values=[place for place, _ in axis.ticks],
        labelExpr=f"{json.dumps(names)}[datum.value]",
        labelOverlap="parity",
    )


def _steps(shares: Any) -> Any:
    """A line along the tops of the bins, down to zero at both ends."""
    corners = [
        (0, 0.0),
        *((i + end, float(v)) for i, v in enumerate(shares) for end in (0, 1)),
        (len(shares), 0.0),
    ]
    rows = [{"from": place, "share": 100 * share, "n": n} for n, (place, share) in enumerate(corners)]
    return (
        alt.Chart(_data(rows))
        .mark_line(color=AFTER, strokeWidth=2, strokeJoin="round")
        .encode(x="from:Q", y="share:Q", order="n:Q")
    )


def _bars(rows: Sequence[Mapping[str, Any]], bars: Sequence[Bar], lang: Lang, **mark: Any) -> Any:
    names = [bar.name.in_(lang) for bar in bars]
    axis = alt.Axis(labelExpr=_look_up(names), labelLimit=150, labelColor=INK)
    y = alt.Y("i:O", title=None, axis=axis).scale(paddingInner=0.25, paddingOuter=0.1)
    return alt.Chart(_data(rows)).mark_bar(**mark).encode(y=y, x=_share_axis(alt.X, lang))


def _heat(names: Sequence[str], title: str, matrix: Any, lang: Lang, *, named: bool) -> Any:
    size = len(names)
    rows = [
        {"x": j, "y": i, "r": abs(r), "up": r >= 0, "says": shown(round(r, 2)).in_(lang)}
        for i in range(size)
        for j in range(size)
        if (r := _number(matrix[i][j])) is not None and j < i
    ]
    step = max(22, min(46, 190 // size))
    row_names = alt.Axis(labelExpr=_look_up(names), labelLimit=120) if named else None
    base = alt.Chart(_data(rows), title=title, width=alt.Step(step), height=alt.Step(step)).encode(
        x=alt.X(
            "x:O",
            title=None,
            axis=alt.Axis(labelExpr=_look_up(names), labelAngle=-40, labelLimit=90, domain=False),
        ),
        y=alt.Y("y:O", title=None, axis=row_names),
    )
    squares = base.mark_rect().encode(
        fillOpacity=alt.FillOpacity("r:Q", legend=None).scale(domain=[0, 1], range=[0.06, 0.9], clamp=True),
        color=alt.Color("up:N", legend=None).scale(domain=[False, True], range=[MINUS, PLUS]),
    )
    return squares + base.mark_text(fontSize=10, color=INK).encode(text="says:N") if step >= 30 else squares


def _number(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def short(value: float, lang: Lang) -> str:
    """A number for an axis: ``10 k``, ``2 M``; German writes ``10 Tsd.``, ``2 Mio.``."""
    words = {"en": (" k", " M", " bn"), "de": (" Tsd.", " Mio.", " Mrd.")}[lang]
    for size, word in zip((1e9, 1e6, 1e4), reversed(words), strict=True):
        if abs(value) >= size:
            return shown(value / max(size, 1e3) if size > 1e4 else value / 1e3).in_(lang) + word
    return shown(value).in_(lang)
