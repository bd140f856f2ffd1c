"""Blocks that pages are built from: a friendly empty page, a plain table, a list of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.frame import Here, fold, heading

Cell = str | Callable[[], Any]
"""Words, or a function that draws what stands in the cell."""


def nothing_yet(here: Here, icon: str, says: Text, hint: Text, way: tuple[Text, str]) -> None:
    """Say why there is nothing to see and where to go; `way` is what the button says and its path."""
    with ui.column().classes("tk-panel tk-nothing"):
        ui.icon(icon).classes("tk-nothing-icon").props("aria-hidden=true")
        heading(here.say(says))
        ui.label(here.say(hint)).classes("tk-soft tk-nothing-hint")
        words, path = way
        ui.button(here.say(words), on_click=lambda: ui.navigate.to(path)).props("unelevated no-caps")


def plain_table(
    heads: Sequence[str], rows: Iterable[Sequence[Cell]], *, right: Sequence[int] = ()
) -> ui.element:
    """A small table; `right` names the columns of numbers."""
    with ui.element("div").classes("tk-scroll") as scroll, ui.element("table").classes("tk-table"):
        with ui.element("thead"), ui.element("tr"):
            for number, head in enumerate(heads):
                _cell("th", head, is_number=number in right).props("scope=col")
        with ui.element("tbody"):
            for row in rows:
                with ui.element("tr"):
                    for number, cell in enumerate(row):
                        _cell("td", cell, is_number=number in right)
    return scroll


def _cell(tag: str, content: Cell, *, is_number: bool) -> ui.element:
    with ui.element(tag).classes("tk-right" if is_number else "") as made:
        if callable(content):
            content()
        else:
            ui.label(content)
    return made


def sentences(said: Iterable[str]) -> None:
    """A list of sentences."""
    with ui.element("ul").classes("tk-sentences"):
        for one in said:
            with ui.element("li"):
                ui.label(one)


def more(says: str) -> ui.expansion:
    """What is shown on demand."""
    return fold(says).classes("tk-further").props("dense dense-toggle expand-separator")
