"""A list that may be long: searched by name and shown in pages, so that wide files stay quick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.frame import Here

PER_PAGE = 25
_SEARCH = Text("Find a column", "Spalte suchen")
_NOTHING = Text("No column of that name.", "Keine Spalte dieses Namens.")


class Named(Protocol):
    """Something with a name."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


@dataclass(eq=False)
class Paged(Generic[T]):
    """A table with a row for each thing; `row` draws the cells of one."""

    here: Here
    heads: Sequence[tuple[Text, str]]
    """What stands above the columns of the table, and their style."""
    items: Sequence[T]
    row: Callable[[T], Any]
    style: str = ""
    sought: str = ""
    page: int = 1

    def draw(self) -> None:
        """Draw the list with its search, if there is something to search."""
        if len(self.items) > PER_PAGE:
            says = self.here.say(_SEARCH)
            box = ui.input(
                placeholder=says, value=self.sought, on_change=lambda event: self._seek(event.value or "")
            )
            box.props(f'dense outlined clearable debounce=200 aria-label="{says}"')
            box.classes("tk-search").mark("find-column")
        self.rows()

    @ui.refreshable_method
    def rows(self) -> None:
        """The rows of the current page."""
        shown = [item for item in self.items if self.sought.casefold() in item.name.casefold()]
        if not shown:
            ui.label(self.here.say(_NOTHING)).classes("tk-soft")
            return
        pages = -(-len(shown) // PER_PAGE)
        self.page = min(self.page, pages)
        with ui.element("div").classes("tk-scroll"), ui.element("table").classes(f"tk-table {self.style}"):
            with ui.element("thead"), ui.element("tr"):
                for says, style in self.heads:
                    with ui.element("th").props("scope=col").classes(style):
                        ui.label(self.here.say(says))
            with ui.element("tbody"):
                for item in shown[(self.page - 1) * PER_PAGE : self.page * PER_PAGE]:
                    with ui.element("tr"):
                        self.row(item)
        if pages > 1:
            turn = ui.pagination(1, pages, value=self.page, on_change=self._turn)
            turn.props("max-pages=9 boundary-numbers").mark("pages")

    def _seek(self, sought: str) -> None:
        self.sought, self.page = sought.strip(), 1
        self.rows.refresh()

    def _turn(self, event: Any) -> None:
        self.page = event.value
        self.rows.refresh()
