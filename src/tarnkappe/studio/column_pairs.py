"""Columns before and after, side by side: a chooser and a small chart for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.report.numbers import percent
from tarnkappe.studio.charts import AFTER, BEFORE, NUMBER, TEXT, axis, base
from tarnkappe.studio.frame import Here
from tarnkappe.studio.tasks.compare_columns import ColumnSeen
from tarnkappe.studio.tasks.look import Bars

_COLUMNS = Text("Columns shown", "Gezeigte Spalten")
_BEFORE, _AFTER = Text("before", "vorher"), Text("after", "nachher")
_CHANGED = Text("{share} changed", "{share} verändert")
_SUPPRESSED = Text("{share} suppressed", "{share} unterdrückt")
_DROPPED, _NEW = Text("dropped", "entfernt"), Text("new", "neu")
_SAME = Text("unchanged", "unverändert")
_SHOWN = 4
"""Columns that are shown at first."""


def column_pairs(here: Here, columns: Sequence[ColumnSeen], memory: str) -> None:
    """Let people choose columns and draw them; the choice is found again under `memory`."""
    names = [one.name for one in columns]
    chosen = here.session.asides.get(memory)
    shown = [n for n in chosen if n in names] if chosen is not None else default_columns(columns)
    select = ui.select(names, value=shown, multiple=True, label=here.say(_COLUMNS))
    select.props("outlined dense use-chips").classes("w-full").mark(memory.replace(".", "-"))
    place = ui.element("div").classes("tk-charts")

    def draw() -> None:
        place.clear()
        with place:
            for name in select.value:
                _column(here, next(one for one in columns if one.name == name))

    def chose() -> None:
        here.session.asides[memory] = list(select.value)
        draw()

    select.on_value_change(chose)
    draw()


def default_columns(columns: Sequence[ColumnSeen]) -> list[str]:
    """The columns that were touched most and are still there; the first ones where nothing was touched."""
    kept = [one for one in columns if one.before is not None and one.after is not None]
    touched = [one.name for one in kept if one.touched]
    return (touched or [one.name for one in kept])[:_SHOWN]


def _column(here: Here, one: ColumnSeen) -> None:
    says, words = _share(here, one), (here.say(_BEFORE), here.say(_AFTER))
    with ui.column().classes("tk-chart gap-1"):
        with ui.row().classes("w-full items-baseline justify-between no-wrap gap-2"):
            ui.label(one.name).classes("tk-chart-name")
            ui.label(says).classes("tk-soft tk-small")
        if one.together and one.before and one.after:
            _chart(_pair(one.before, one.after, words), f"{one.name}: {says}")
            return
        with ui.row().classes("w-full no-wrap gap-2"):
            for side, word, colour in ((one.before, words[0], BEFORE), (one.after, words[1], AFTER)):
                if side is not None:
                    _chart(_single(side, word, colour), f"{one.name}: {says}, {word}")


def _share(here: Here, one: ColumnSeen) -> str:
    if one.after is None or one.before is None:
        return here.say(_DROPPED if one.after is None else _NEW)
    pairs = ((_CHANGED, one.changed), (_SUPPRESSED, one.suppressed))
    said = [here.say(text, share=percent(share)) for text, share in pairs if share]
    return " · ".join(said) or here.say(_SAME)


def _chart(options: dict[str, Any], says: str) -> None:
    label = says.replace('"', "")
    ui.echart(options).classes("tk-echart").props(f'role=img aria-label="{label}"')


def _pair(before: Bars, after: Bars, words: tuple[str, str]) -> dict[str, Any]:
    """Both in the same classes: grey before, blue after."""
    sides = ((before, words[0], BEFORE), (after, words[1], AFTER))
    return _drawn(
        before,
        [
            {"type": "bar", "name": word, "data": list(side.counts), "itemStyle": {"color": colour}, "barGap": "0%"}
            for side, word, colour in sides
        ],
    )  # fmt: skip


def _single(side: Bars, word: str, colour: str) -> dict[str, Any]:
    made = {"type": "bar", "name": word, "data": list(side.counts), "itemStyle": {"color": colour}}
    return _drawn(side, [made])


def _drawn(bars: Bars, series: list[dict[str, Any]]) -> dict[str, Any]:
    spelt = {":formatter": NUMBER} if bars.classes else {}
    return base(
        grid={"left": 4, "right": 4, "top": 6, "bottom": 18},
        xAxis=axis(
            "category", data=list(bars.labels),
            axisLabel={"color": TEXT, "fontSize": 10, "hideOverlap": True, "width": 60, "overflow": "truncate", **spelt},
        ),
        yAxis={**axis("value"), "show": False},
        series=series,
    )  # fmt: skip
