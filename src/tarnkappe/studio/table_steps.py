"""How a table is protected: its rules, its protector and its audit, chosen from cards and set by forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.check_tables import AUDIT
from tarnkappe.spec import Declared, Rule, TableMethod, catalogue
from tarnkappe.studio.blocks import more
from tarnkappe.studio.cards import Shelf, as_set, card
from tarnkappe.studio.forms import form, known_columns
from tarnkappe.studio.frame import Here, heading, icon_button
from tarnkappe.studio.step_words import class_of, joined, split, summary, title_of
from tarnkappe.studio.tasks.columns import KnownColumn
from tarnkappe.studio.words import ADD, REMOVE

_RULES = Text("Which cells need protection", "Welche Zellen Schutz brauchen")
_NO_RULE = Text(
    "No rule: no cell is marked, and every cell is published.",
    "Keine Regel: Keine Zelle wird markiert, jede wird veröffentlicht.",
)
_ADD_RULE = Text("Add a rule", "Regel hinzufügen")
_METHOD = Text("How they are protected", "Wie sie geschützt werden")
_NO_METHOD = Text(
    "No method: marked cells are audited, but nothing is done about them.",
    "Kein Verfahren: Markierte Zellen werden geprüft, aber es geschieht nichts.",
)
_CHOOSE = Text("Choose a method", "Verfahren wählen")
_OTHER = Text("Another method", "Anderes Verfahren")
_AUDIT = Text("Audit: who attacks, and what is known", "Prüfung: wer angreift und was bekannt ist")
_SAYS_RULE = Text("set the rules of the table {name}", "Regeln der Tabelle {name} einstellen")
_SAYS_METHOD = Text("set the protection of the table {name}", "Schutz der Tabelle {name} einstellen")
_SAYS_AUDIT = Text("set the audit of the table {name}", "Prüfung der Tabelle {name} einstellen")
_CARD = Text("What it does and does not do", "Was es tut und was nicht")


async def table_protection(here: Here, index: int, on_change: Callable[[], Any] | None = None) -> None:
    """Draw rules, protector and audit of ``tables[index]``; every change is a step that can be undone."""
    shown = _Shown(here, index, on_change or (lambda: None))
    await shown.draw()


class _Shown:
    """The protection of one table."""

    def __init__(self, here: Here, index: int, on_change: Callable[[], Any]) -> None:
        self._here, self._index, self._on_change = here, index, on_change
        self._place = ui.column().classes("w-full gap-4").mark(f"table-protection-{index}")

    @property
    def _table(self) -> dict[str, Any]:
        return dict(self._here.session.draft.get("tables", self._index, default={}))

    def _put(self, says: Text, part: str, value: Any) -> None:
        named = says.filled(name=self._table.get("name", self._index + 1))
        self._here.put(named, "tables", self._index, part, value=value)
        self._on_change()

    async def _again(self) -> None:
        self._place.clear()
        await self.draw()

    async def _known(self) -> tuple[KnownColumn, ...]:
        """The dimensions of the table first, then the columns of the data."""
        by = [str(name) for name in self._table.get("by", ())]
        found = {one.name: one for one in await known_columns(self._here)}
        first = [found.get(name) or KnownColumn(name) for name in by]
        return (*first, *(one for name, one in found.items() if name not in by))

    async def draw(self) -> None:
        with self._place:
            heading(self._here.say(_RULES), 3)
            rules = list(self._table.get("rules") or ())
            if not rules:
                ui.label(self._here.say(_NO_RULE)).classes("tk-soft")
            for at, rule in enumerate(rules):
                await self._draw_thing(f"rule-{at}", rule, partial(self._set_rule, at))
            self._shelf_button(_ADD_RULE, Rule, self._add_rule, "add-rule")
            heading(self._here.say(_METHOD), 3)
            method = self._table.get("protect")
            if method is None:
                ui.label(self._here.say(_NO_METHOD)).classes("tk-soft")
            else:
                await self._draw_thing("protect", method, self._set_method)
            self._shelf_button(
                _CHOOSE if method is None else _OTHER, TableMethod, self._choose, "add-protector"
            )
            await self._draw_audit()

    def _shelf_button(
        self, says: Text, kind: type[Declared], pick: Callable[[type[Declared]], Any], mark: str
    ) -> None:
        things = [cls for cls in catalogue if issubclass(cls, kind)]
        shelf = Shelf(self._here, says, ADD, things, pick)
        ui.button(self._here.say(says), icon="add", on_click=shelf.open).props("flat no-caps").mark(mark)

    async def _draw_thing(self, name: str, given: Any, put: Callable[[Any], Any]) -> None:
        id, parameters = split(given)
        cls = class_of(id)
        with ui.column().classes("tk-thing").mark(name):
            with ui.row().classes("w-full items-center no-wrap"):
                with ui.column().classes("tk-grow gap-0"):
                    ui.label(self._here.say(title_of(id))).classes("tk-step-title")
                    line = ui.label(summary(self._here, parameters)).classes("tk-soft tk-small")

                async def remove() -> None:
                    put(None)
                    await self._again()

                icon_button("delete_outline", self._here.say(REMOVE), remove).mark(f"remove-{name}")
            if cls is None:
                return

            def changed(new: dict[str, Any]) -> None:
                line.set_text(summary(self._here, new))
                put(joined(id, new))
                show(new)

            def show(now: dict[str, Any]) -> None:
                inside.clear()
                with inside:
                    card(self._here, as_set(cls, now))

            await form(self._here, cls, parameters, changed, await self._known())
            with more(self._here.say(_CARD)):
                inside = ui.column().classes("tk-card-inside").mark(f"card-{name}")
            show(parameters)

    def _set_rule(self, at: int, value: Any) -> None:
        rules = list(self._table.get("rules") or ())
        rules[at : at + 1] = [] if value is None else [value]
        self._put(_SAYS_RULE, "rules", rules)

    async def _add_rule(self, cls: type[Declared]) -> None:
        self._put(_SAYS_RULE, "rules", [*(self._table.get("rules") or ()), {"use": cls.id}])
        with self._place:
            await self._again()

    def _set_method(self, value: Any) -> None:
        self._put(_SAYS_METHOD, "protect", value)

    async def _choose(self, cls: type[Declared]) -> None:
        self._put(_SAYS_METHOD, "protect", {"use": cls.id})
        with self._place:
            await self._again()

    async def _draw_audit(self) -> None:
        given = self._table.get("audit") or {}
        with more(self._here.say(_AUDIT)), ui.column().classes("tk-card-inside"):
            await form(
                self._here, catalogue[AUDIT], given, lambda new: self._put(_SAYS_AUDIT, "audit", new), ()
            )
