"""The step that was chosen: its form, its card, and what can be done with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.spec import Declared
from tarnkappe.studio.blocks import more
from tarnkappe.studio.cards import as_set, card
from tarnkappe.studio.draft import Content
from tarnkappe.studio.forms import form
from tarnkappe.studio.frame import Here, heading, icon_button
from tarnkappe.studio.step_words import class_of, joined, split, title_of
from tarnkappe.studio.words import CLOSE, REMOVE

_UP, _DOWN = Text("Move up", "Nach oben"), Text("Move down", "Nach unten")
_OFF = Text("Switch off, to compare", "Abschalten, zum Vergleichen")
_SWITCHED = Text("switch a step off", "Schritt abschalten")
_COPY = Text("Duplicate", "Verdoppeln")
_CARD = Text(
    "What it does, keeps, protects against and does not do",
    "Was es tut, erhält, wogegen es schützt und was es nicht leistet",
)
_SET = Text("set {title}", "{title} einstellen")
_COPIED, _REMOVED = Text("duplicate a step", "Schritt verdoppeln"), Text("remove a step", "Schritt entfernen")
_UNKNOWN = Text(
    "This version of Tarnkappe has no method {id!r}. Remove the step or choose another method.",
    "Diese Version von Tarnkappe kennt kein Verfahren {id!r}. Entfernen Sie den Schritt oder wählen Sie ein anderes Verfahren.",
)


@dataclass(slots=True)
class Doing:
    """What the page does when a step is worked on."""

    moved: Callable[[int, int], Any]
    """(from, to)"""
    set: Callable[[int], Any]
    """The parameters of a step have changed."""
    reordered: Callable[[int | None], Awaitable[None]]
    """Steps came or went; this one is to be chosen."""


class StepEditor:
    """The panel of one step; follows it when it is moved."""

    def __init__(self, here: Here, doing: Doing) -> None:
        self._here, self._doing = here, doing
        self.at: int | None = None
        self._place = ui.column().classes("tk-panel").mark("editor")
        self._place.set_visibility(False)

    async def show(self, at: int | None) -> None:
        """Show a step, or none."""
        self.at = at
        self._place.clear()
        self._place.set_visibility(at is not None)
        if at is None:
            return
        id, parameters = split(self._here.session.draft.get("steps", at))
        cls = class_of(id)
        with self._place:
            self._draw_head(id)
            if cls is None:
                ui.label(self._here.say(_UNKNOWN, id=id)).classes("tk-bad")
                return
            ui.label(self._here.say(cls.does)).classes("tk-soft")
            await form(self._here, cls, parameters, self._changed)
            with more(self._here.say(_CARD)):
                self._card = ui.column().classes("tk-card-inside").mark("card")
            self._draw_card(as_set(cls, parameters))

    def _draw_card(self, thing: type[Declared] | Declared) -> None:
        self._card.clear()
        with self._card:
            card(self._here, thing)

    def _draw_head(self, id: str) -> None:
        say = self._here.say
        with ui.row().classes("w-full items-center no-wrap gap-1"):
            with ui.column().classes("tk-grow gap-0"):
                heading(say(title_of(id)))
                ui.label(id).classes("tk-code")
            icon_button("arrow_upward", say(_UP), lambda: self._move(-1)).mark("up")
            icon_button("arrow_downward", say(_DOWN), lambda: self._move(1)).mark("down")
            icon_button("visibility_off", say(_OFF), self._switch_off).mark("switch-off")
            icon_button("content_copy", say(_COPY), self._duplicate).mark("duplicate")
            icon_button("delete_outline", say(REMOVE), self._remove).mark("remove")
            icon_button("close", say(CLOSE), lambda: self._doing.reordered(None)).mark("close-editor")

    def _changed(self, parameters: dict[str, Any]) -> None:
        assert self.at is not None, "a step is shown"
        id, _ = split(self._here.session.draft.get("steps", self.at))
        says = _SET.filled(title=title_of(id))
        self._here.put(says, "steps", self.at, value=joined(id, parameters))
        self._doing.set(self.at)
        cls = class_of(id)
        if cls is not None:
            self._draw_card(as_set(cls, parameters))

    def _move(self, by: int) -> None:
        assert self.at is not None, "a step is shown"
        target = self.at + by
        if 0 <= target < len(self._here.session.draft.get("steps")):
            at, self.at = self.at, target
            self._doing.moved(at, target)

    async def _switch_off(self) -> None:
        assert self.at is not None, "a step is shown"
        self._here.session.draft.switch_off(_SWITCHED, self.at)
        self._here.touched()
        await self._doing.reordered(None)

    async def _duplicate(self) -> None:
        at = self.at
        assert at is not None, "a step is shown"
        steps = self._here.session.draft.get("steps")
        steps.insert(at + 1, steps[at])
        self._here.put(_COPIED, "steps", value=steps)
        await self._doing.reordered(at + 1)

    async def _remove(self) -> None:
        at = self.at
        assert at is not None, "a step is shown"

        def change(content: Content) -> None:
            del content["steps"][at]
            if not content["steps"]:
                del content["steps"]

        self._here.change(_REMOVED, change)
        await self._doing.reordered(None)
