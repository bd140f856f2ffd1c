"""Lists of answers that belong together, such as who has approved: a row each, and an empty one for the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nicegui import ui
from pydantic import BaseModel

from tarnkappe.language import Text
from tarnkappe.plan.process import ApprovalDescription, DecisionDescription, ProcessDescription
from tarnkappe.studio.answers_form import Asked, described, is_date
from tarnkappe.studio.frame import Here

_APPROVALS = Text("Approvals", "Zustimmungen")
_DATE = Text("Date", "Datum")
_DECISIONS = Text("Decisions with their reasons", "Entscheidungen mit Begründung")


def approvals(here: Here, asked: Asked) -> None:
    """Who approves."""
    rows = Rows(here, asked, "approvals", ApprovalDescription, ("who", "role", "dated"), ("who",))
    rows.draw(_APPROVALS)


def decisions(here: Here, asked: Asked) -> None:
    """What was decided, and why."""
    names = ("what", "because", "by", "dated")
    Rows(here, asked, "decisions", DecisionDescription, names, ("what", "because")).draw(_DECISIONS)


@dataclass(eq=False)
class Rows:
    """A list of the process; a row enters the plan when all that it needs is there."""

    here: Here
    asked: Asked
    part: str
    model: type[BaseModel]
    names: Sequence[str]
    needed: Sequence[str]
    _rows: list[dict[str, Any]] = field(default_factory=list)

    def draw(self, title: Text) -> None:
        """Draw the rows that are there and one for the next."""
        given = self.here.session.draft.get("process", self.part, default=[])
        ui.label(self.here.say(title)).classes("tk-h3 tk-small")
        self._place = ui.column().classes("w-full gap-2")
        for row in [*given, {}]:
            self._draw(dict(row))
        self.asked.counts("process", self.part)

    def _draw(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        number = len(self._rows)
        with self._place, ui.element("div").classes("tk-list-row"):
            for name in self.names:
                label = _DATE if name == "dated" else described(self.model, name)
                box = ui.input(self.here.say(label), value=str(row.get(name) or ""))
                box.tooltip(self.here.say(described(self.model, name)))
                box.props("outlined dense" + (" type=date stack-label" if name == "dated" else ""))
                box.mark(f"{self.part}-{number}-{name}")
                box.on("blur", lambda box=box, name=name: self._left(row, name, box.value.strip()))

    def _left(self, row: dict[str, Any], name: str, value: str) -> None:
        row.pop(name, None)
        if value and (name != "dated" or is_date(value)):
            row[name] = value
        told = [one for one in self._rows if all(one.get(part) for part in self.needed)]
        if told != self.here.session.draft.get("process", self.part, default=[]):
            self.asked.put(described(ProcessDescription, self.part), ("process", self.part), told)
        if row is self._rows[-1] and row in told:
            self._draw({})
