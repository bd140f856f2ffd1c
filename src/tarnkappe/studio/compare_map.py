"""The risk–utility map on the page: every plan a point, and the same as a table for those who do not point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import events, ui

from tarnkappe.language import Text
from tarnkappe.plan.risk_map import RiskMap
from tarnkappe.report.map_chart import Axis, axes_of, kind_of, legend
from tarnkappe.report.map_page import Row, rows
from tarnkappe.report.measures import value_of
from tarnkappe.studio.blocks import plain_table
from tarnkappe.studio.charts import AFTER, BEFORE, NUMBER, TEXT, WARN, axis, base
from tarnkappe.studio.frame import Here, heading

Choose = Callable[[int], Any]
"""Called with the number of a plan, counted from 1."""
_MAP = Text("Risk–utility map", "Risiko-Nutzen-Karte")
_LOWER = Text("{title}: lower is safer", "{title}: unten ist sicherer")
_RIGHT = Text("{title}: further right is more useful", "{title}: rechts ist nützlicher")
_ORIGINAL = Text("original", "Original")
_HEADS = (Text("No.", "Nr."), Text("Plan", "Plan"))
_RESULT = Text("Result", "Ergebnis")
_PICTURE = Text(
    "Map of {n} plans; the table below says the same.",
    "Karte von {n} Plänen; die Tabelle darunter sagt dasselbe.",
)
_LOOKS: dict[str, dict[str, Any]] = {
    "front": {"symbol": "circle", "symbolSize": 16, "itemStyle": {"color": AFTER}},
    "released": {"symbol": "emptyCircle", "symbolSize": 13, "itemStyle": {"color": AFTER, "borderWidth": 2}},
    "refused": {"symbol": "triangle", "symbolSize": 13, "itemStyle": {"color": WARN}},
    "original": {"symbol": "rect", "symbolSize": 12, "itemStyle": {"color": BEFORE}},
}
_BESIDE = 8
"""So many points have their names beside them; else numbers."""
_NEAR = 0.015
"""Points nearer than this share of both axes share a label."""


def map_panel(here: Here, found: RiskMap, chosen: int, choose: Choose) -> None:
    """The chart, what its marks mean, and the table."""
    with ui.column().classes("tk-panel"):
        heading(here.say(_MAP))
        label = here.say(_PICTURE, n=len(found.trials))
        chart = ui.echart(map_options(here, found, chosen), on_point_click=lambda e: _clicked(e, choose))
        chart.classes("tk-map").props(f'role=img aria-label="{label}"').mark("map")
        with ui.row().classes("gap-4"):
            for kind, says in legend():
                with ui.row().classes("items-center gap-2 tk-small tk-soft"):
                    ui.element("span").classes(f"tk-mark tk-mark-{kind}").props("aria-hidden=true")
                    ui.label(here.say(says))
        _table(here, found, chosen, choose)


def _clicked(event: events.EChartPointClickEventArguments, choose: Choose) -> None:
    data: Any = event.data  # points are given with more than their place
    number = data.get("number") if isinstance(data, dict) else None
    if isinstance(number, int):
        choose(number)


def map_options(here: Here, found: RiskMap, chosen: int) -> dict[str, Any]:
    """The chart: utility to the right, risk upwards, whatever way the measures count."""
    x, y = axes_of(found)
    points = list(_points(here, found, x, y))
    names = _labels(points)
    series: list[dict[str, Any]] = [
        {
            "type": "scatter", "name": kind, "clip": False, "z": 3, **look,
            "data": [_drawn(p, says, on=p.number == chosen) for p, says in zip(points, names, strict=True) if p.kind == kind],
        }
        for kind, look in _LOOKS.items()
    ]  # fmt: skip
    series.append(_front(found, x, y))
    series[0]["markLine"] = _gates(here, found, x, y)
    return base(
        tooltip={"trigger": "item", "confine": True, "formatter": "{b}"},
        grid={"left": 56, "right": 90, "top": 32, "bottom": 52},
        xAxis=_axis(here, x, _RIGHT, [p.at[0] for p in points]),
        yAxis=_axis(here, y, _LOWER, [p.at[1] for p in points]),
        series=series,
    )


@dataclass(frozen=True, slots=True)
class _Point:
    number: int
    """0 for the original."""
    name: str
    kind: str
    at: tuple[float, float]
    says: str


def _points(here: Here, found: RiskMap, x: Axis, y: Axis) -> Iterator[_Point]:
    drawn = [(n, t, kind_of(found, t), t.name) for n, t in enumerate(found.trials, start=1) if t.measured]
    drawn += [(0, found.original, "original", here.say(_ORIGINAL))] if found.original.measured else []
    for number, trial, kind, name in drawn:
        assert trial.risk is not None, "only measured plans have a place"
        assert trial.utility is not None, "only measured plans have a place"
        figures = ((found.risk, trial.risk), (found.utility, trial.utility))
        says = [f"{here.say(m.title)}: {here.say(value_of(m, f.value))}" for m, f in figures]
        at = x.number(trial.utility.value), y.number(trial.risk.value)
        yield _Point(number, name, kind, at, " · ".join([name, *says]))


def _labels(points: Sequence[_Point]) -> list[str]:
    """Names beside the points where they are few, else numbers; points at one place share theirs."""
    size = [max(p.at[j] for p in points) - min(p.at[j] for p in points) or 1.0 for j in (0, 1)]
    words = [p.name if len(points) <= _BESIDE or not p.number else str(p.number) for p in points]
    out = []
    for i, point in enumerate(points):
        near = [
            k
            for k, other in enumerate(points)
            if all(abs(point.at[j] - other.at[j]) <= _NEAR * size[j] for j in (0, 1))
        ]
        out.append(", ".join(words[k] for k in near) if near[0] == i else "")
    return out


def _axis(here: Here, of: Axis, says: Text, values: Sequence[float]) -> dict[str, Any]:
    """With some room around the points; shares do not go beyond 0 and 100 per cent."""
    across = says is _RIGHT
    unit = "" if not of.share else "%" if here.session.lang == "en" else "\u00a0%"
    room = 0.1 * (max(values) - min(values)) or max(abs(max(values)) * 0.1, 0.1)
    low, high = _round(min(values) - room, up=False), _round(max(values) + room, up=True)
    return axis(
        "value", name=here.say(says, title=here.say(of.measure.title)), nameLocation="middle" if across else "end",
        nameGap=32 if across else 14, nameTextStyle={"color": TEXT, "align": "center" if across else "left", "fontSize": 12},
        min=max(low, 0.0) if of.share else low, max=min(high, 100.0) if of.share else high, inverse=of.reverse,
        axisLabel={"color": TEXT, ":formatter": f"value => ({NUMBER})(value) + '{unit}'", "hideOverlap": True},
    )  # fmt: skip


def _round(value: float, *, up: bool) -> float:
    """The next number that reads well."""
    if not value:
        return 0.0
    step = 10.0 ** math.floor(math.log10(abs(value))) / 2
    return (math.ceil(value / step) if up else math.floor(value / step)) * step


def _drawn(point: _Point, label: str, *, on: bool) -> dict[str, Any]:
    made: dict[str, Any] = {
        "value": list(point.at), "name": point.says, "number": point.number or None,
        "label": {
            "show": bool(label), "position": "right", "color": TEXT, "formatter": label, "fontSize": 12,
            "width": 220, "overflow": "truncate", **({"fontWeight": "bold"} if on else {}),
        },
    }  # fmt: skip
    return made | ({"symbolSize": 24} if on else {})


def _front(found: RiskMap, x: Axis, y: Axis) -> dict[str, Any]:
    places = sorted(
        [x.number(t.utility.value), y.number(t.risk.value)] for t in found.front if t.risk is not None and t.utility is not None
    )  # fmt: skip
    return {
        "type": "line", "name": "line", "data": places, "symbol": "none", "silent": True, "z": 1,
        "lineStyle": {"color": AFTER, "width": 1.6, "opacity": 0.6}, "tooltip": {"show": False},
    }  # fmt: skip


def _gates(here: Here, found: RiskMap, x: Axis, y: Axis) -> dict[str, Any]:
    """Conditions of the release as dashed lines with their words."""
    lines = [
        {
            ("xAxis" if bound.axis == "utility" else "yAxis"): (x if bound.axis == "utility" else y).number(bound.value),
            "label": {"formatter": here.say(bound.says), "color": TEXT, "position": "insideEndTop"},
        }
        for bound in found.bounds
    ]  # fmt: skip
    return {
        "silent": True, "symbol": "none", "data": lines, "lineStyle": {"color": TEXT, "type": "dashed"},
    }  # fmt: skip


def _table(here: Here, found: RiskMap, chosen: int, choose: Choose) -> None:
    heads = [
        *(here.say(head) for head in _HEADS),
        here.say(found.risk.title),
        here.say(found.utility.title),
        here.say(_RESULT),
    ]

    def name(row: Row) -> Callable[[], Any]:
        def draw() -> None:
            button = ui.button(row.name, on_click=lambda: choose(row.number)).props(
                "flat no-caps dense align=left"
            )
            button.classes("tk-point" + (" tk-point-on" if row.number == chosen else "")).mark(
                f"point-{row.number}"
            )
            if row.number == chosen:
                button.props("aria-current=true")

        return draw

    def result(row: Row) -> Callable[[], Any]:
        def draw() -> None:
            ui.label(here.say(row.state)).classes("tk-strong" if row.kind == "front" else "")
            for reason in row.reasons:
                ui.label(here.say(reason)).classes("tk-soft tk-small")

        return draw

    body = [
        (str(row.number), name(row), here.say(row.risk), here.say(row.utility), result(row))
        for row in rows(found)
    ]
    plain_table(heads, body, right=(0, 2, 3)).mark("map-table")
