"""Categories grouped by dragging them together, or by choosing some and pressing a button. Every change goes into the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.frame import Here, icon_button
from tarnkappe.studio.grouping import Grouping
from tarnkappe.studio.tasks.hierarchy import Grouped

_FREE = Text("Not grouped", "Nicht gruppiert")
_FREE_SAYS = Text("right below the total", "direkt unter der Summe")
_RECORDS = Text("{n} records", "{n} Datensätze")
_NEW = Text("New group", "Neue Gruppe")
_GROUP = Text("Group", "Gruppe")
_TOGETHER = Text("Group the {n} chosen", "Die {n} gewählten gruppieren")
_MOVE_TO = Text("Move to …", "Verschieben nach …")
_OUT = Text("Take out of their groups", "Aus ihren Gruppen nehmen")
_DISSOLVE = Text("Dissolve the group", "Gruppe auflösen")
_FILTER = Text("Filter", "Filtern")
_HINT = Text(
    "Drag categories into a group, or click some and press the button.",
    "Ziehen Sie Kategorien in eine Gruppe, oder klicken Sie einige an und drücken Sie den Knopf.",
)
_EMPTY = Text("Drop categories here", "Kategorien hier ablegen")
_NAME = Text("Name of the group", "Name der Gruppe")
_TAKEN = Text("This name is in use.", "Dieser Name ist vergeben.")
_STAGES = (Text("Categories", "Kategorien"), Text("Groups of groups", "Gruppen von Gruppen"))
_MANY = Text(
    "The column has {n} categories; only the {shown} most frequent can be grouped here. For the others upload a file.",
    "Die Spalte hat {n} Kategorien; nur die {shown} häufigsten lassen sich hier gruppieren. Für die übrigen laden Sie eine Datei hoch.",
)
_SHOWN = 250
"""Chips of one box; the others come by the filter."""


class GroupEditor:
    """The editor of one column; `told` hears the tree after every change."""

    def __init__(self, here: Here, found: Grouped, told: Callable[[Any], Any]) -> None:
        self._here, self._told = here, told
        self._records: Mapping[str, int] = {one.code: one.records for one in found.categories}
        self._grouping = Grouping.of((one.code for one in found.categories), found.parents)
        self._chosen: set[str] = set()
        self._stage, self._word = 0, ""
        self._boxes: dict[int, str | None] = {}
        self._chips: dict[int, str] = {}
        ui.label(here.say(_HINT)).classes("tk-soft")
        if found.total > len(found.categories):
            numbers = {"n": here.number(found.total), "shown": here.number(len(found.categories))}
            ui.label(here.say(_MANY, **numbers)).classes("tk-warn")
        self._bar = ui.row().classes("w-full items-center gap-3")
        self._place = ui.element("div").classes("tk-groups")
        self.draw()

    # -- drawing --------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw the bar and all boxes anew."""
        self._draw_bar()
        self._draw_boxes()

    def _draw_boxes(self) -> None:
        self._place.clear()
        self._boxes, self._chips = {}, {}
        with self._place:
            self._draw_box(None)
            with ui.column().classes("tk-group-list"):
                for name in self._grouping.groups(self._stage):
                    self._draw_box(name)

    def _draw_bar(self) -> None:
        say = self._here.say
        self._bar.clear()
        with self._bar:
            if len(self._grouping.groups(0)) > 1 or self._stage:
                stages = dict(enumerate(map(say, _STAGES)))
                toggle = ui.toggle(stages, value=self._stage, on_change=lambda e: self._switch(e.value))
                toggle.props("no-caps unelevated dense").classes("tk-families").mark("stage")
            look = ui.input(
                placeholder=say(_FILTER), value=self._word, on_change=lambda e: self._filter(e.value)
            )
            look.props(f'outlined dense clearable debounce=250 aria-label="{say(_FILTER)}"').classes(
                "tk-filter"
            )
            ui.space()
            if self._chosen:
                self._draw_chosen()
            ui.button(say(_NEW), icon="add", on_click=self._new).props("flat no-caps").mark("new-group")

    def _draw_chosen(self) -> None:
        say, groups = self._here.say, self._grouping.groups(self._stage)
        together = ui.button(say(_TOGETHER, n=len(self._chosen)), on_click=self._together)
        together.props("unelevated no-caps").mark("group-chosen")
        with ui.dropdown_button(say(_MOVE_TO), auto_close=True).props("flat no-caps").mark("move-to"):
            for name in groups:
                move = partial(self._move_chosen, name)
                ui.item(name, on_click=move).mark(f"move-{name}")
            ui.item(say(_OUT), on_click=partial(self._move_chosen, None)).mark("move-out")

    def _draw_box(self, group: str | None) -> None:
        members = self._grouping.inside(group, self._stage)
        with ui.column().classes("tk-group" + ("" if group is not None else " tk-free")):
            self._draw_head(group, members)
            box = ui.row().classes("tk-chips").mark(f"group-{group}" if group is not None else "free")
            self._boxes[box.id] = group
            with box:
                shown = [one for one in members if self._word in one.casefold()]
                for one in shown[:_SHOWN]:
                    self._draw_chip(one)
            if not members and group is not None:
                box.props(f'data-hint="{self._here.say(_EMPTY)}"').classes("tk-empty")
            box.make_sortable(group="codes", ghost_class="tk-ghost", on_end=self._dropped)

    def _draw_head(self, group: str | None, members: list[str]) -> None:
        records = sum(self._count(one) for one in members)
        with ui.row().classes("w-full items-center no-wrap gap-2"):
            if group is None:
                with ui.column().classes("gap-0 tk-grow"):
                    ui.label(self._here.say(_FREE)).classes("tk-step-title")
                    ui.label(self._here.say(_FREE_SAYS)).classes("tk-soft tk-small")
            else:
                name = (
                    ui.input(value=group)
                    .props(f'dense borderless aria-label="{self._here.say(_NAME)}"')
                    .classes("tk-group-name tk-grow")
                    .mark(f"name-{group}")
                )
                name.on("blur", lambda: self._rename(group, name)).on(
                    "keydown.enter", lambda: self._rename(group, name)
                )
            ui.label(self._here.say(_RECORDS, n=self._here.number(records))).classes("tk-soft tk-small")
            if group is not None:
                icon_button(
                    "close", self._here.say(_DISSOLVE), lambda: self._move(members, None, group)
                ).props("size=sm")

    def _count(self, name: str) -> int:
        if self._stage == 0:
            return self._records.get(name, 0)
        return sum(self._records.get(code, 0) for code in self._grouping.inside(name, 0))

    def _draw_chip(self, name: str) -> None:
        pressed = name in self._chosen
        chip = (
            ui.element("button").classes("tk-code-chip" + (" tk-on" if pressed else "")).mark(f"chip-{name}")
        )
        chip.props(f"type=button aria-pressed={'true' if pressed else 'false'}")
        chip.on("click", lambda: self._toggle(name, chip))
        self._chips[chip.id] = name
        with chip:
            ui.label(name)
            ui.label(self._here.number(self._count(name))).classes("tk-soft")

    # -- acting ---------------------------------------------------------------------------------------------------

    def _switch(self, stage: int) -> None:
        self._stage = stage
        self._chosen.clear()
        self.draw()

    def _filter(self, word: str | None) -> None:
        self._word = (word or "").casefold()
        self._draw_boxes()

    def _toggle(self, name: str, chip: ui.element) -> None:
        self._chosen ^= {name}
        on = name in self._chosen
        chip.classes(**{"add" if on else "remove": "tk-on"}).props(
            f"aria-pressed={'true' if on else 'false'}"
        )
        self._draw_bar()

    def _dropped(self, event: Any) -> None:
        name, group = self._chips[event.item.id], self._boxes[event.target.id]
        if self._grouping.parents.get(name) == group:
            return
        self._move(sorted(self._chosen) if name in self._chosen else [name], group)

    def _move(self, members: list[str], group: str | None, gone: str | None = None) -> None:
        self._grouping.move(members, group)
        self._grouping.empty = [name for name in self._grouping.empty if name != gone]
        self._chosen.clear()
        self.draw()
        self._told(self._grouping.tree())

    def _move_chosen(self, group: str | None) -> None:
        self._move(sorted(self._chosen), group)

    def _together(self) -> None:
        self._move_chosen(self._grouping.free_name(self._here.say(_GROUP)))

    def _new(self) -> None:
        self._grouping.empty.append(self._grouping.free_name(self._here.say(_GROUP)))
        self.draw()

    def _rename(self, group: str, box: ui.input) -> None:
        name = (box.value or "").strip()
        if name == group or box.is_deleted:
            return
        if not name or self._grouping.taken(name):
            ui.notify(self._here.say(_TAKEN), type="warning")
            box.set_value(group)
            return
        self._grouping.rename(group, name)
        self.draw()
        self._told(self._grouping.tree())
