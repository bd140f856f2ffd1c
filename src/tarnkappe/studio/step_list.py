"""The steps of a plan as a list: chosen by a click, moved by dragging or by buttons, each with a light that tells how it goes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from tarnkappe.language import NOTHING, Text
from tarnkappe.studio.frame import Here
from tarnkappe.studio.previews import REFUSED
from tarnkappe.studio.step_words import split, summary, title_of
from tarnkappe.studio.tasks.preview import Preview, StepSeen

_MOVE = Text("Drag to move", "Zum Verschieben ziehen")
_LIGHTS = {
    "wait": Text("not computed yet", "noch nicht gerechnet"),
    "good": Text("works on the sample", "gelingt an der Stichprobe"),
    "warn": Text("refused on the sample", "an der Stichprobe verweigert"),
    "bad": Text("wrong", "fehlerhaft"),
}
_IMPLIED = Text("in every release", "in jeder Freigabe")
_NONE = Text(
    "No step yet. Let the advisor propose a plan, or add a method.",
    "Noch kein Schritt. Lassen Sie sich einen Plan vorschlagen oder fügen Sie ein Verfahren hinzu.",
)
_OFF = Text("switched off: no part of the plan", "abgeschaltet: nicht Teil des Plans")
_AGAIN = Text("Switch on", "Anschalten")
_SWITCHED = Text("switch a step on", "Schritt anschalten")
_MOVED = Text("move a step", "Schritt verschieben")


class StepList:
    """The steps at one place of the draft; `on_choose` hears which one was chosen, `on_move` that the order changed."""

    def __init__(
        self,
        here: Here,
        on_choose: Callable[[int], Any],
        on_move: Callable[[], Any],
        on_again: Callable[[int], Any],
    ) -> None:
        self._here, self._on_choose, self._on_move, self._on_again = here, on_choose, on_move, on_again
        self.chosen: int | None = None
        self._rows: list[_Row] = []
        self._seen: Preview | None = None
        self._before = ui.column().classes("w-full gap-2")
        self._before.set_visibility(False)
        self._list = ui.column().classes("w-full gap-2 tk-step-list").props("role=list").mark("steps")
        self._list.make_sortable(handle=".tk-handle", ghost_class="tk-ghost", on_end=self._dropped)
        self._after = ui.column().classes("w-full gap-2")
        self._off = ui.column().classes("w-full gap-2")
        self.draw()

    @property
    def place(self) -> ui.column:
        """Where the rows stand."""
        return self._list

    @property
    def steps(self) -> list[Any]:
        return list(self._here.session.draft.get("steps", default=[]))

    def draw(self) -> None:
        """Draw all rows anew."""
        self._list.clear()
        self._rows = []
        with self._list:
            for at, step in enumerate(self.steps):
                self._rows.append(_Row(self._here, at, step, self.choose))
            if not self._rows:
                ui.label(self._here.say(_NONE)).classes("tk-soft")
        self._draw_off()
        self._mark()
        if self._seen:
            self._lights(self._seen)

    def _draw_off(self) -> None:
        """The steps that are switched off, each with the way back."""
        off = self._here.session.draft.off
        self._off.clear()
        self._off.set_visibility(bool(off))
        with self._off:
            for number, one in enumerate(off):
                title = self._here.say(title_of(split(one.step)[0]))
                with ui.row().classes("tk-step-row tk-implied").mark(f"off-{number}"):
                    with ui.column().classes("tk-step-text"):
                        ui.label(title).classes("tk-step-title")
                        ui.label(self._here.say(_OFF)).classes("tk-small tk-soft")
                    again = ui.button(self._here.say(_AGAIN), on_click=partial(self._switch_on, number))
                    again.props("flat no-caps dense").mark(f"switch-on-{number}")
                    again.props["aria-label"] = f"{self._here.say(_AGAIN)}: {title}"

    def _switch_on(self, number: int) -> Any:
        at = self._here.session.draft.switch_on(_SWITCHED, number)
        self._here.touched()
        return self._on_again(at)

    def _mark(self) -> None:
        for at, row in enumerate(self._rows):
            row.mark(chosen=at == self.chosen)

    def choose(self, at: int) -> Any:
        """Choose a step; what is returned may have to be awaited."""
        self.chosen = at
        self._mark()
        return self._on_choose(at)

    def retell(self, at: int) -> None:
        """The parameters of a step have changed."""
        self._rows[at].tell(self.steps[at])
        self._rows[at].light("wait", NOTHING, NOTHING)

    # -- moving ---------------------------------------------------------------------------------------------------

    def _dropped(self, event: Any) -> None:
        self.move(event.old_index, event.new_index)

    def move(self, old: int, new: int) -> None:
        """Put a step to another place."""
        steps = self.steps
        if old == new or not 0 <= new < len(steps) or not 0 <= old < len(steps):
            self.draw()
            return
        steps.insert(new, steps.pop(old))
        if self.chosen is not None:
            order = list(range(len(steps)))
            order.insert(new, order.pop(old))
            self.chosen = order.index(self.chosen)
        self._seen = None
        self._here.put(_MOVED, "steps", value=steps)
        self.draw()
        self._on_move()

    # -- lights ---------------------------------------------------------------------------------------------------

    def seen(self, found: Preview) -> None:
        """Light the lights after a preview, and show what every release does besides."""
        self._seen = found
        self._lights(found)
        for place, first in ((self._before, True), (self._after, False)):
            implied = [step for step in found.steps if step.at is None and step.first is first]
            place.clear()
            place.set_visibility(bool(implied))
            with place:
                for step in implied:
                    self._draw_implied(step)

    def _lights(self, found: Preview) -> None:
        told = {step.at: step for step in found.steps if step.at is not None}
        for at, row in enumerate(self._rows):
            step = told.get(at)
            if step is None:
                row.light("wait", NOTHING, NOTHING)
            elif step.trouble is None:
                row.light("good", step.says, NOTHING)
            else:
                colour = "warn" if step.trouble.exit_code == REFUSED else "bad"
                row.light(colour, step.trouble.what, step.trouble.remedy)

    def _draw_implied(self, step: StepSeen) -> None:
        with ui.row().classes("tk-step-row tk-implied"):
            with ui.column().classes("tk-step-text"):
                ui.label(self._here.say(step.title)).classes("tk-step-title")
                said = [self._here.say(_IMPLIED), self._here.say(step.says)]
                ui.label(" · ".join(part for part in said if part)).classes("tk-small tk-soft")
            if step.trouble:
                ui.label(self._here.say(step.trouble.what)).classes("tk-misfit")


class _Row:
    """One step."""

    def __init__(self, here: Here, at: int, step: Any, choose: Callable[[int], Any]) -> None:
        self._here, self._at = here, at
        with ui.row().classes("tk-step-row").props("role=listitem").mark(f"step-{at}") as self._row:
            ui.icon("drag_indicator").classes("tk-handle").tooltip(here.say(_MOVE)).props("aria-hidden=true")
            self._light = ui.element("span").classes("tk-light").props("role=img")
            with ui.element("button").classes("tk-step-text tk-bare").props("type=button") as button:
                self._title = ui.label().classes("tk-step-title")
                self._says = ui.label().classes("tk-small tk-soft tk-clamp")
                self._told = ui.label().classes("tk-small")
                self._remedy = ui.label().classes("tk-small tk-soft")
            button.on("click", lambda: choose(at)).mark(f"choose-{at}")
        self._colour = ""
        self.tell(step)
        self.light("wait", NOTHING, NOTHING)

    def tell(self, step: Any) -> None:
        id, parameters = split(step)
        self._title.set_text(f"{self._at + 1}. {self._here.say(title_of(id))}")
        said = summary(self._here, parameters)
        self._says.set_text(said)
        self._says.set_visibility(bool(said))

    def mark(self, *, chosen: bool) -> None:
        self._row.classes(**{"add" if chosen else "remove": "tk-step-chosen"})

    def light(self, colour: str, says: Text, remedy: Text) -> None:
        self._light.classes(
            add=f"tk-light-{colour}", remove=f"tk-light-{self._colour}" if self._colour else ""
        )
        if self._colour == colour:
            self._light.classes(add=f"tk-light-{colour}")
        self._colour = colour
        self._light.props(f'aria-label="{self._here.say(_LIGHTS[colour])}"')
        troubled = colour in ("warn", "bad")
        self._told.classes(replace=f"tk-small tk-{colour}" if troubled else "tk-small tk-soft")
        for label, text in ((self._told, says), (self._remedy, remedy)):
            label.set_text(self._here.say(text))
            label.set_visibility(bool(text))
