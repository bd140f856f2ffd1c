"""The risk–utility map on the page: every plan a point, and the same as a table for those who do not point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import events, ui

from tarnkappe.language import Text
from tarnkappe.plan.risk_map import RiskMap
from tarnkappe.plan.trial import Trial
from tarnkappe.report.map_chart import Axis, axes_of, kind_of, legend
from tarnkappe.report.map_page import Row, rows
from tarnkappe.report.measures import value_of
from tarnkappe.studio.blocks import plain_table
from tarnkappe.studio.charts import AFTER, BEFORE, TEXT, WARN, axis, base
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
    points = [
        (number, trial, kind_of(found, trial))
        for number, trial in enumerate(found.trials, start=1)
        if trial.measured
    ]
    beside = len(points) <= _BESIDE
    series = [
        {
            "type": "scatter", "name": kind, **look,
            "data": [_point(here, found, (x, y), (n, t), beside=beside, on=n == chosen) for n, t, k in points if k == kind],
        }
        for kind, look in _LOOKS.items() if kind != "original"
    ]  # fmt: skip
    if found.original.measured:
        at = _point(here, found, (x, y), (0, found.original), beside=True, on=False)
        series.append({"type": "scatter", "name": "original", **_LOOKS["original"], "data": [at]})
    series.append(_front(found, x, y))
    series[0]["markLine"] = _gates(here, found, x, y)
    return base(
        tooltip={"trigger": "item", "confine": True, "formatter": "{b}"},
        grid={"left": 56, "right": 40, "top": 28, "bottom": 52},
        xAxis=_axis(here, x, _RIGHT),
        yAxis=_axis(here, y, _LOWER),
        series=series,
    )


def _axis(here: Here, of: Axis, says: Text) -> dict[str, Any]:
    across = says is _RIGHT
    unit = "%" if here.session.lang == "en" else "\u00a0%"
    return axis(
        "value", name=here.say(says, title=here.say(of.measure.title)), nameLocation="middle" if across else "end",
        nameGap=32 if across else 12, nameTextStyle={"color": TEXT, "align": "center" if across else "left", "fontSize": 12},
        scale=True, inverse=of.reverse, boundaryGap=["8%", "8%"],
        axisLabel={"color": TEXT, "formatter": "{value}" + (unit if of.share else "")},
    )  # fmt: skip


def _point(
    here: Here, found: RiskMap, axes: tuple[Axis, Axis], plan: tuple[int, Trial], *, beside: bool, on: bool
) -> dict[str, Any]:
    number, trial = plan
    assert trial.risk is not None, "only measured plans have a place"
    assert trial.utility is not None, "only measured plans have a place"
    name = trial.name if number else here.say(_ORIGINAL)
    figures = ((found.risk, trial.risk), (found.utility, trial.utility))
    says = " · ".join(f"{here.say(m.title)}: {here.say(value_of(m, f.value))}" for m, f in figures)
    made: dict[str, Any] = {
        "value": [axes[0].number(trial.utility.value), axes[1].number(trial.risk.value)], "name": f"{name} · {says}",
        "label": {"show": True, "position": "right", "color": TEXT, "formatter": name if beside else str(number), "fontSize": 12},
        "number": number or None,
    }  # fmt: skip
    if on:
        made |= {"symbolSize": 24, "label": {**made["label"], "fontWeight": "bold"}}
    return made


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
