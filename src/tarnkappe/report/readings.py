"""What a part of a picture says when it is pointed at, reached by key or listed in a table: a name, then figures with their words.

Parts that say the same belong together: the page lights them up together and lists them once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tarnkappe.language import Lang, Text
from tarnkappe.report.axes import Axis
from tarnkappe.report.drawing import FIGURE, LINE_END, ZONE, drawable
from tarnkappe.report.numbers import percent, shown
from tarnkappe.report.places import value_at

BEFORE_WORD = Text("before", "vorher")
AFTER_WORD = Text("after", "nachher")
FEW = Text("fewer than 3 records", "weniger als 3 Datensätze")
"""Nothing is drawn there: no record, or one or two."""
BEYOND = Text("beyond the picture", "außerhalb des Bildes")
_LONGEST = 80
_BETWEEN = Text("{low} to below {high}", "{low} bis unter {high}")
_BELOW = Text("below {high}", "unter {high}")
_FROM = Text("{low} and more", "ab {low}")


def reading(name: str, figures: Iterable[tuple[Text, Text]], lang: Lang) -> str:
    """One line for the name and one for every figure."""
    lines = (f"{word.in_(lang)}{FIGURE}{value.in_(lang)}" for word, value in figures)
    return LINE_END.join((drawable(name, _LONGEST), *lines))


def sides(before: float | None, after: float | None, *, complete: bool = False) -> list[tuple[Text, Text]]:
    """Shares before and after; None where a side is not drawn at all. `complete`: nothing is left out, so none is none."""
    pairs = ((BEFORE_WORD, before), (AFTER_WORD, after))
    said = percent if complete else share_of
    return [(word, said(value)) for word, value in pairs if value is not None]


def share_of(value: float) -> Text:
    """A share; zero stands for fewer than three records."""
    return percent(value) if value > 0 else FEW


def zones(rows: Iterable[Mapping[str, Any]], places: Mapping[str, Any]) -> dict[str, Any]:
    """Unseen areas over a picture that say what is below them; `places` are the channels along one axis, the other is full."""
    along_x = "x" in places
    full = ("y", "y2", "height") if along_x else ("x", "x2", "width")
    return {
        "data": {"values": list(rows)},
        "mark": {"type": "rect", "color": ZONE, "aria": True},
        "encoding": {
            **places,
            full[0]: {"value": 0},
            full[1]: {"value": full[2]},
            "description": {"field": "says"},
        },
    }


# -- names of bins and of values ------------------------------------------------------------------------------------


def bin_names(axis: Axis, lang: Lang) -> list[str]:
    """The names of all bins, the open ones first and last."""
    if axis.whole:
        ends = [written(v, axis, lang) for v in axis.edges]
        middle = ends[:-1]
    elif axis.days:
        ends, middle = _spans(axis)
    else:
        ends = [written(v, axis, lang) for v in axis.edges]
        middle = [_BETWEEN.filled(low=low, high=high).in_(lang) for low, high in pairwise(ends)]
    return [_BELOW.filled(high=ends[0]).in_(lang), *middle, _FROM.filled(low=ends[-1]).in_(lang)]


def value_said(place: float, axis: Axis, lang: Lang) -> Text:
    """The value at a place between the open ends, in the language of the picture."""
    value = value_at(place, axis)
    if value is None:
        return BEYOND
    said = written(value, axis, lang)
    return Text(said, said)


def written(value: float, axis: Axis, lang: Lang) -> str:
    """A value of the axis: days as dates, years without a separator."""
    if axis.days:
        return str(np.datetime64(round(value), "D"))
    if any(isinstance(name, str) for _, name in axis.ticks):
        return f"{value:.0f}"
    return shown(float(value), 4).in_(lang)


def _spans(axis: Axis) -> tuple[list[str], list[str]]:
    """Where spans of months or years begin, and their names; the last month or year of a span belongs to it."""
    starts = np.rint(axis.edges).astype("M8[D]")
    unit = "M8[Y]" if (starts.astype("M8[Y]").astype("M8[D]") == starts).all() else "M8[M]"
    firsts = starts.astype(unit).astype(str).tolist()
    lasts = (starts[1:] - 1).astype(unit).astype(str).tolist()
    spans = zip(firsts, lasts, strict=False)
    return firsts, [low if low == high else f"{low} – {high}" for low, high in spans]


def binned(
    names: Sequence[str],
    before: Sequence[float] | None,
    after: Sequence[float] | None,
    lang: Lang,
) -> list[dict[str, Any]]:
    """One row per bin: where it begins and ends, and what it says."""
    count = len(before if before is not None else after or ())
    return [
        {
            "from": i,
            "to": i + 1,
            "says": reading(
                names[i],
                sides(
                    None if before is None else float(before[i]), None if after is None else float(after[i])
                ),
                lang,
            ),
        }
        for i in range(count)
    ]
