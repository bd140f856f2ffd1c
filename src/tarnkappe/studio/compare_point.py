"""One plan of the map: what it reaches, how it differs from the plan at hand, and its columns before and after."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.document import to_yaml
from tarnkappe.plan.risk_map import RiskMap
from tarnkappe.report.map_page import rows
from tarnkappe.report.measures import value_of
from tarnkappe.report.numbers import percent
from tarnkappe.studio.blocks import more, plain_table, sentences
from tarnkappe.studio.charts import AFTER, BEFORE, bars
from tarnkappe.studio.frame import Here, heading, trouble_box
from tarnkappe.studio.tasks.compare_columns import ColumnSeen
from tarnkappe.studio.tasks.look import Bars
from tarnkappe.studio.tasks.map import Mapped
from tarnkappe.studio.tasks.preview import Preview, preview

COLUMNS = "compare.columns"
_TAKE = Text("Make it the current plan", "Zum aktuellen Plan machen")
_IS_CURRENT = Text("This is the plan at hand.", "Das ist der aktuelle Plan.")
_DIFFERS = Text("What differs from the plan at hand", "Was sich vom aktuellen Plan unterscheidet")
_WHOLE = Text("The whole plan", "Der ganze Plan")
_MEASURE, _ORIGINAL, _HERE = (
    Text("Measure", "Maß"),
    Text("Original", "Original"),
    Text("This plan", "Dieser Plan"),
)
_CHARTS = Text("Before and after", "Vorher und nachher")
_SHOWN = Text("Columns shown", "Gezeigte Spalten")
_BEFORE, _AFTER = Text("before", "vorher"), Text("after", "nachher")
_CHANGED, _SUPPRESSED = (
    Text("{share} changed", "{share} verändert"),
    Text("{share} suppressed", "{share} unterdrückt"),
)
_SAME, _DROPPED, _NEW = Text("unchanged", "unverändert"), Text("dropped", "entfernt"), Text("new", "neu")
_SAMPLE = Text(
    "On {some} of {all} records, spread evenly over the file.",
    "An {some} von {all} Datensätzen, gleichmäßig über die Datei verteilt.",
)
_FIRST = 3
"""Columns that are shown at first."""
_PARTS = ("tarnkappe", "title", "data", "release", "steps", "allow", "process")


def point_panel(
    here: Here,
    mapped: Mapped,
    number: int,
    current: Mapping[str, Any],
    take: Callable[[str, Mapping[str, Any]], Any],
) -> None:
    """Everything about one plan; `take` makes it the current one."""
    found, plan = mapped.found, mapped.plans[number - 1]
    row = rows(found)[number - 1]
    same = plan == current
    with ui.column().classes("tk-panel").mark("point-panel"):
        with ui.row().classes("w-full items-start justify-between gap-4"):
            with ui.column().classes("gap-0"):
                heading(f"{number} · {row.name}")
                ui.label(here.say(row.state)).classes(
                    "tk-bad" if row.kind in ("refused", "failed") else "tk-good"
                )
            if same:
                ui.label(here.say(_IS_CURRENT)).classes("tk-soft")
            else:
                ui.button(here.say(_TAKE), on_click=lambda: take(row.name, plan)).props(
                    "unelevated no-caps"
                ).mark("take")
        if row.reasons:
            sentences(here.say(reason) for reason in row.reasons)
        _figures(here, found, number)
        if not same:
            _differences(here, current, plan)
        with more(here.say(_WHOLE)):
            ui.code(to_yaml(dict(plan)), language="yaml").classes("w-full tk-plan")
        if row.kind != "failed":
            heading(here.say(_CHARTS), 3)
            part = {name: plan[name] for name in _PARTS if name in plan}
            here.later(lambda seen: _charts(here, seen), preview, here.session.folder, part)


def _figures(here: Here, found: RiskMap, number: int) -> None:
    trial = found.trials[number - 1]
    pairs = (
        (found.risk, found.original.risk, trial.risk),
        (found.utility, found.original.utility, trial.utility),
    )
    plain_table(
        [here.say(_MEASURE), here.say(_ORIGINAL), here.say(_HERE)],
        [
            (here.say(m.title), *(here.say(value_of(m, f.value if f else None)) for f in (before, after)))
            for m, before, after in pairs
        ],
        right=(1, 2),
    )


def _differences(here: Here, current: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
    heading(here.say(_DIFFERS), 3)
    with ui.element("div").classes("tk-diff tk-code").mark("differences"):
        for kind, line in differences(current, plan):
            ui.label(line).classes(f"tk-diff-{kind}")


def differences(current: Mapping[str, Any], plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The lines that differ, each with its kind: old, new, or same around them."""
    old, new = (to_yaml(dict(content)).splitlines() for content in (current, plan))
    for line in difflib.unified_diff(old, new, lineterm="", n=1):
        if line.startswith(("---", "+++")):
            continue
        if line.startswith("@@"):
            yield "gap", "…"
        else:
            yield {"-": "old", "+": "new"}.get(line[0], "same"), ("−" + line[1:] if line[0] == "-" else line)


# -- charts ---------------------------------------------------------------------------------------------------------


def _charts(here: Here, seen: Preview) -> None:
    if seen.trouble:
        trouble_box(here, seen.trouble)
        return
    if seen.sampled:
        numbers = {"some": here.number(seen.records), "all": here.number(seen.whole)}
        ui.label(here.say(_SAMPLE, **numbers)).classes("tk-soft tk-small")
    names = [one.name for one in seen.columns]
    chosen = here.session.asides.get(COLUMNS)
    touched = [one.name for one in seen.columns if one.touched and one.after is not None]
    shown = [n for n in chosen if n in names] if chosen is not None else (touched or names)[:_FIRST]
    select = ui.select(names, value=shown, multiple=True, label=here.say(_SHOWN))
    select.props("outlined dense use-chips").classes("w-full").mark("compare-columns")
    place = ui.element("div").classes("tk-pairs")

    def draw() -> None:
        place.clear()
        with place:
            for name in select.value:
                _column(here, next(one for one in seen.columns if one.name == name))

    def chose() -> None:
        here.session.asides[COLUMNS] = list(select.value)
        draw()

    select.on_value_change(chose)
    draw()


def _column(here: Here, one: ColumnSeen) -> None:
    words = here.say(_BEFORE), here.say(_AFTER)
    says = _share(here, one)
    with ui.column().classes("tk-pair gap-1"):
        with ui.row().classes("w-full items-baseline justify-between no-wrap gap-2"):
            ui.label(one.name).classes("tk-strong")
            ui.label(says).classes("tk-soft tk-small")
        if one.together and one.before and one.after:
            _drawn(
                bars(one.before.labels, {words[0]: one.before.counts, words[1]: one.after.counts}),
                f"{one.name}: {says}",
            )
            return
        for side, word, colour in ((one.before, words[0], BEFORE), (one.after, words[1], AFTER)):
            if side is not None:
                _drawn(_single(side, word, colour), f"{one.name}, {word}")


def _single(side: Bars, word: str, colour: str) -> dict[str, Any]:
    return {**bars(side.labels, {word: side.counts}), "color": [colour]}


def _drawn(options: dict[str, Any], says: str) -> None:
    label = says.replace('"', "")
    ui.echart(options).classes("tk-pair-chart").props(f'role=img aria-label="{label}"')


def _share(here: Here, one: ColumnSeen) -> str:
    if one.before is None or one.after is None:
        return here.say(_DROPPED if one.after is None else _NEW)
    pairs = ((_CHANGED, one.changed), (_SUPPRESSED, one.suppressed))
    return " · ".join(here.say(text, share=percent(share)) for text, share in pairs if share) or here.say(
        _SAME
    )
