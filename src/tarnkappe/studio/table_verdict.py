"""What the audit says of a protected table, above it."""

from __future__ import annotations

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.report.audits import leaks
from tarnkappe.studio.blocks import more, sentences
from tarnkappe.studio.frame import Here
from tarnkappe.studio.tasks.table import MarkedTable

_HOLDS = Text("The audit holds", "Die Prüfung hält")
_OPEN = Text(
    "No cell is marked, so there is nothing to protect: everything is published as it is.",
    "Keine Zelle ist markiert, also ist nichts zu schützen: Alles wird veröffentlicht, wie es ist.",
)
_LEAKS = Text("The table leaks", "Die Tabelle verrät zu viel")
_LISTED = Text("All that leaks, with what gives it away", "Alles, was verraten wird, und wodurch")


def verdict(here: Here, found: MarkedTable) -> None:
    """Whether the audit holds, and what leaks."""
    assert found.audit is not None, "protected tables are audited"
    if not found.pattern.hidden.any():
        ui.label(here.say(_OPEN)).classes("tk-note").mark("verdict")
        return
    holds = bool(found.audit.value) and found.audit.trusted
    with (
        ui.column()
        .classes("tk-verdict " + ("tk-verdict-good" if holds else "tk-verdict-bad"))
        .props("role=status")
        .mark("verdict")
    ):
        with ui.row().classes("items-center gap-2"):
            ui.icon("verified_user" if holds else "gpp_bad").props("aria-hidden=true")
            ui.label(here.say(_HOLDS if holds else _LEAKS)).classes("tk-strong")
            ui.label(here.say(found.audit.because))
        listing = [here.say(text) for text in leaks(found.audit.details)]
        if listing:
            with more(here.say(_LISTED)):
                sentences(listing)
