"""What stands at the top of every page: the file, undo and redo, the plan, light and language."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import events, ui

from tarnkappe.language import Text
from tarnkappe.studio.plan_dialog import show_plan

if TYPE_CHECKING:
    from tarnkappe.studio.frame import Here

_UNDO = Text("Undo: {what} (Ctrl+Z)", "Rückgängig: {what} (Strg+Z)")
_REDO = Text("Redo: {what} (Ctrl+Y)", "Wiederholen: {what} (Strg+Y)")
_NO_UNDO = Text("Nothing to undo", "Nichts rückgängig zu machen")
_NO_REDO = Text("Nothing to redo", "Nichts zu wiederholen")
_PLAN = Text("Plan", "Plan")
_LIGHT = Text("Light or dark", "Hell oder dunkel")
_OTHER_LANGUAGE = Text("Deutsch", "English")
_NO_FILE = Text("no file open", "keine Datei geöffnet")


class Toolbar:
    """The tools stay where they are when the plan changes, so that who uses them by keyboard stays on them."""

    def __init__(self, here: Here) -> None:
        self._here = here
        say = here.say
        self._file = ui.label().classes("tk-file tk-soft")
        self._undo = _Tool("undo", lambda: self._step(here.session.draft.undo))
        self._redo = _Tool("redo", lambda: self._step(here.session.draft.redo))
        _Tool("description", lambda: show_plan(here)).tell(say(_PLAN))
        _Tool("contrast", self._switch_light).tell(say(_LIGHT))
        ui.button(say(_OTHER_LANGUAGE), on_click=self._switch_language).props("flat no-caps dense").classes(
            "tk-language"
        )
        ui.keyboard(self._pressed, repeating=False, ignore=["input", "select", "textarea"])
        self.touched()

    def touched(self) -> None:
        """The plan has changed: the file, undo and redo follow."""
        say, draft = self._here.say, self._here.session.draft
        files = [draft.get("data", "file"), *(one.get("file") for one in draft.get("tables", default=[]))]
        self._file.set_text(next(filter(None, files), say(_NO_FILE)))
        undoes, redoes = draft.undoes, draft.redoes
        self._undo.tell(say(_UNDO, what=undoes) if undoes else say(_NO_UNDO), enabled=bool(undoes))
        self._redo.tell(say(_REDO, what=redoes) if redoes else say(_NO_REDO), enabled=bool(redoes))

    def _step(self, move: Callable[[], None]) -> None:
        move()
        self.touched()
        self._here.redraw()

    def _pressed(self, event: events.KeyEventArguments) -> None:
        """Ctrl+Z, Ctrl+Y and Ctrl+Shift+Z; in fields they belong to the browser."""
        held, draft, key = event.modifiers, self._here.session.draft, str(event.key.name).lower()
        if not event.action.keydown or not (held.ctrl or held.meta):
            return
        if key == "z" and not held.shift and draft.undoes:
            self._step(draft.undo)
        elif (key == "y" or (key == "z" and held.shift)) and draft.redoes:
            self._step(draft.redo)

    def _switch_language(self) -> None:
        self._here.session.lang = "en" if self._here.session.lang == "de" else "de"
        ui.navigate.reload()

    def _switch_light(self) -> None:
        self._here.session.dark = not self._here.session.dark
        ui.navigate.reload()


class _Tool:
    """A button with a sign, whose words may change."""

    def __init__(self, icon: str, on_click: Callable[[], Any]) -> None:
        self._button = ui.button(icon=icon, on_click=on_click).props("flat round dense").mark(f"tool-{icon}")
        with self._button:
            self._tip = ui.tooltip("")

    def tell(self, says: str, *, enabled: bool = True) -> None:
        self._button.props["aria-label"] = says
        self._button.update()
        self._tip.set_text(says)
        self._button.set_enabled(enabled)
