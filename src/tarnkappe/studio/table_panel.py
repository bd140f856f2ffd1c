"""Beside the table: one cell with its reason, its contributors, what an attacker finds, and what the office decides about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from tarnkappe.data.pattern import Status
from tarnkappe.language import Text
from tarnkappe.studio.blocks import sentences
from tarnkappe.studio.frame import Here, heading, icon_button
from tarnkappe.studio.table_cell import CellFacts
from tarnkappe.studio.table_view import KINDS, LEAKS, SIGNS
from tarnkappe.studio.words import CLOSE

Decide = Callable[[str | None], Awaitable[Any]]
"""Called with the mark that is to be set; None takes it away."""
_CELL = Text("Cell", "Zelle")
_VALUE = Text("Value", "Wert")
_STATUS = Text("Status", "Status")
_WHY = Text("Why", "Warum")
_WHO = Text("Contributors", "Beitragende")
_OWNERS = Text("{n} (owners: {owners})", "{n} (Eigentümer: {owners})")
_UNKNOWN = Text("not known", "nicht bekannt")
_SHARES = Text("Shares of the largest", "Anteile der größten")
_NEEDS = Text("Required protection", "Verlangter Schutz")
_FINDS = Text("An attacker finds", "Ein Angreifer findet")
_PROOF = Text("What gives it away", "Was sie verrät")
_SHOW = Text("Show", "Zeigen")
_MASKED = Text("hidden", "verborgen")
_DECIDE = Text("Your decision", "Ihre Entscheidung")
_KEEP = Text("Keep open", "Offen halten")
_SUPPRESS = Text("Suppress", "Sperren")
_SAFE = Text("Treat as safe", "Als sicher behandeln")
_SAFE_SAYS = Text(
    "A rule marks this cell. If you know better, it can be treated as safe: then no rule applies to it, though it may still be "
    "suppressed to protect others.",
    "Eine Regel markiert diese Zelle. Wissen Sie es besser, kann sie als sicher gelten: Dann gilt keine Regel für sie, zum Schutz "
    "anderer kann sie trotzdem gesperrt werden.",
)
_TAKE_BACK = Text("Take the decision back", "Entscheidung zurücknehmen")
_DECIDED = Text("Decided: {mark}", "Entschieden: {mark}")
_LETTERS = {
    Status.OPEN: "o", Status.PRIMARY: "p", Status.SECONDARY: "s", Status.ROUNDED: "r", Status.PERTURBED: "n", Status.RANGE: "i",
}  # fmt: skip


def cell_panel(here: Here, facts: CellFacts, decide: Decide, close: Callable[[], Any]) -> None:
    """Everything about one cell; shares and values under suppressed cells are shown when asked for."""
    with ui.column().classes("tk-panel tk-cell-panel").mark("cell-panel").props("role=complementary"):
        with ui.row().classes("w-full items-center justify-between no-wrap"):
            heading(here.say(_CELL), 3)
            icon_button("close", here.say(CLOSE), close)
        with ui.column().classes("gap-1 w-full"):
            for name, code in facts.codes:
                with ui.row().classes("tk-fact-row no-wrap"):
                    ui.label(name).classes("tk-soft")
                    ui.label(code).classes("tk-strong")
        _value(here, facts)
        letter = _LETTERS[facts.status]
        _fact(
            here, _STATUS, f"{SIGNS.get(letter, '')} {here.say(KINDS[letter])}".strip(), f"tk-kind-{letter}"
        )
        if facts.because:
            _heading(here, _WHY)
            sentences(here.say(text) for text in facts.because)
        _contributors(here, facts)
        if facts.needs:
            _fact(here, _NEEDS, here.say(facts.needs))
        _fact(here, _FINDS, here.say(facts.finds), "tk-bad" if facts.leaks else "")
        if facts.leaks:
            _proof(here, facts)
        _decisions(here, facts, decide)


def _heading(here: Here, says: Text) -> None:
    ui.label(here.say(says)).classes("tk-fact-name")


def _fact(here: Here, says: Text, value: str, classes: str = "") -> None:
    with ui.column().classes("gap-0 w-full"):
        _heading(here, says)
        ui.label(value).classes(classes)


def _value(here: Here, facts: CellFacts) -> None:
    if facts.value:
        with ui.column().classes("gap-0 w-full"):
            _heading(here, _VALUE)
            ui.label(here.say(facts.value)).classes("tk-figure")
    else:
        _asked_for(here, _VALUE, here.say(facts.hidden_value), "value")


def _asked_for(here: Here, says: Text, secret: str, name: str) -> None:
    """A fact that stays hidden until somebody asks."""

    def show() -> None:
        label.set_text(secret)
        label.classes(remove="tk-soft")
        button.delete()

    with ui.column().classes("gap-0 w-full"):
        _heading(here, says)
        with ui.row().classes("items-center gap-2"):
            label = ui.label(here.say(_MASKED)).classes("tk-soft").mark(f"masked-{name}")
            button = (
                ui.button(here.say(_SHOW), on_click=show).props("flat dense no-caps").mark(f"show-{name}")
            )


def _contributors(here: Here, facts: CellFacts) -> None:
    if facts.contributors is None:
        _fact(here, _WHO, here.say(_UNKNOWN))
        return
    count = here.number(facts.contributors)
    says = count if facts.owners is None else here.say(_OWNERS, n=count, owners=here.number(facts.owners))
    _fact(here, _WHO, says)
    if facts.shares:
        _asked_for(here, _SHARES, " · ".join(here.say(share) for share in facts.shares), "shares")


def _proof(here: Here, facts: CellFacts) -> None:
    with ui.column().classes("tk-trouble gap-1"):
        ui.label(here.say(_PROOF)).classes("tk-trouble-what")
        for text in facts.proof or (LEAKS,):
            for line in here.say(text).split("; "):
                ui.label(line).classes("tk-small")


def _decisions(here: Here, facts: CellFacts, decide: Decide) -> None:
    ui.separator()
    _heading(here, _DECIDE)

    def offer(says: Text, mark: str | None, name: str) -> None:
        ui.button(here.say(says), on_click=lambda: decide(mark)).props("outline no-caps dense").classes(
            "tk-decide"
        ).mark(name)

    if facts.mark:
        ui.label(here.say(_DECIDED, mark=here.say(facts.mark)))
        with ui.row().classes("gap-2"):
            offer(_TAKE_BACK, None, "mark-none")
        return
    if facts.status is Status.PRIMARY:
        ui.label(here.say(_SAFE_SAYS)).classes("tk-soft tk-small")
        with ui.row().classes("gap-2"):
            offer(_SAFE, "safe", "mark-safe")
        return
    with ui.row().classes("gap-2"):
        offer(_KEEP, "keep", "mark-keep")
        offer(_SUPPRESS, "suppress", "mark-suppress")
