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
from tarnkappe.studio.blocks import more, plain_table, sentences
from tarnkappe.studio.column_pairs import column_pairs
from tarnkappe.studio.frame import Here, heading, trouble_box
from tarnkappe.studio.plan_dialog import plan_text
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
_SAMPLE = Text(
    "On {some} of {all} records, spread evenly over the file.",
    "An {some} von {all} Datensätzen, gleichmäßig über die Datei verteilt.",
)
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
            plan_text(here, to_yaml(dict(plan)))
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
    column_pairs(here, seen.columns, COLUMNS)
