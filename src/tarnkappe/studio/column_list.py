"""The columns of a file as a list: type, what is missing, how many values, how they are distributed. In pages, so that wide files stay quick."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.guess import percent
from tarnkappe.plan.profile import ColumnProfile
from tarnkappe.studio.charts import AFTER, axis, base
from tarnkappe.studio.frame import Here, heading
from tarnkappe.studio.sparks import share_bar, spark
from tarnkappe.studio.tasks.look import Bars, Look
from tarnkappe.studio.words import CLOSE
from tarnkappe.vocab import Kind

PER_PAGE = 25
_COLUMN = Text("Column", "Spalte")
_TYPE = Text("Type", "Typ")
_MISSING = Text("Missing", "Fehlend")
_DISTINCT = Text("Distinct", "Verschieden")
_DISTRIBUTION = Text("Distribution", "Verteilung")
_SEARCH = Text("Find a column", "Spalte suchen")
_NO_COLUMN = Text("No column of that name.", "Keine Spalte dieses Namens.")
_LARGER = Text("Distribution of {name}, larger", "Verteilung von {name}, größer")
_SPARK = Text("Distribution of {name}", "Verteilung von {name}")
_ARE_MISSING = Text("{share} missing", "{share} fehlen")
_CHANGE_TYPE = Text("Type of {name}: {kind}. Change", "Typ von {name}: {kind}. Ändern")
_FACTS = Text(
    "{distinct} different values, {missing} missing, the most frequent has {top}.",
    "{distinct} verschiedene Werte, {missing} fehlen, der häufigste hat {top}.",
)
_OTHERS = Text("{count} records in further categories.", "{count} Datensätze in weiteren Kategorien.")
_EMPTY = Text("There is no value to draw.", "Es gibt keinen Wert zu zeichnen.")
_RECORDS = Text("records", "Datensätze")


@dataclass(eq=False)
class ColumnList:
    """The list as it stands: what is looked for, and which page of it."""

    here: Here
    found: Look
    on_type: Callable[[str, Kind], Any]
    sought: str = ""
    page: int = 1

    def draw(self) -> None:
        """Draw the list with its search, if there is something to search."""
        if len(self.found.profiles) > PER_PAGE:
            box = ui.input(
                placeholder=self.here.say(_SEARCH), on_change=lambda event: self._seek(event.value or "")
            )
            box.props(f'dense outlined clearable debounce=200 aria-label="{self.here.say(_SEARCH)}"').classes(
                "tk-search"
            ).mark("find-column")
        self.rows()

    @ui.refreshable_method
    def rows(self) -> None:
        """The rows of the current page."""
        shown = [p for p in self.found.profiles if self.sought.casefold() in p.name.casefold()]
        if not shown:
            ui.label(self.here.say(_NO_COLUMN)).classes("tk-soft")
            return
        pages = -(-len(shown) // PER_PAGE)
        self.page = min(self.page, pages)
        with ui.element("div").classes("tk-scroll"), ui.element("table").classes("tk-table tk-columns"):
            self._head()
            with ui.element("tbody"):
                for column in shown[(self.page - 1) * PER_PAGE : self.page * PER_PAGE]:
                    self._row(column)
        if pages > 1:
            ui.pagination(1, pages, value=self.page, on_change=self._turn).props("max-pages=9").mark("pages")

    def _seek(self, sought: str) -> None:
        self.sought, self.page = sought.strip(), 1
        self.rows.refresh()

    def _turn(self, event: Any) -> None:
        self.page = event.value
        self.rows.refresh()

    def _head(self) -> None:
        with ui.element("thead"), ui.element("tr"):
            for says, style in (
                (_COLUMN, ""), (_TYPE, ""), (_MISSING, ""), (_DISTINCT, "tk-right"), (_DISTRIBUTION, "tk-wide-cell"),
            ):  # fmt: skip
                with ui.element("th").props("scope=col").classes(style):
                    ui.label(self.here.say(says))

    def _row(self, column: ColumnProfile) -> None:
        here = self.here
        with ui.element("tr"):
            with ui.element("td"):
                ui.label(column.name).classes("tk-column-name")
            with ui.element("td"):
                self._type(column)
            with ui.element("td"), ui.row().classes("items-center gap-2 no-wrap"):
                missing = here.say(percent(column.missing_share))
                ui.html(
                    share_bar(column.missing_share, here.say(_ARE_MISSING, share=missing)), sanitize=False
                )
                ui.label(missing).classes("tk-small tk-soft")
            with ui.element("td").classes("tk-right"):
                ui.label(here.number(column.distinct))
            with ui.element("td"):
                drawn = spark(self.found.bars[column.name], here.say(_SPARK, name=column.name))
                button = ui.button(on_click=lambda column=column: self._enlarge(column))
                button.props["aria-label"] = here.say(_LARGER, name=column.name)
                button.props("flat dense no-caps padding=0").classes("tk-spark-button").mark(
                    f"chart-{column.name}"
                )
                with button:
                    ui.html(drawn, sanitize=False)

    def _type(self, column: ColumnProfile) -> None:
        kind = self.here.say(column.kind.text)
        button = ui.button(kind).props("flat dense no-caps icon-right=expand_more size=.85rem")
        button.props["aria-label"] = self.here.say(_CHANGE_TYPE, name=column.name, kind=kind)
        button.classes("tk-type").mark(f"type-{column.name}")

        def choose() -> None:
            with button, ui.menu().props("auto-close") as menu:
                for other in Kind:
                    item = ui.menu_item(
                        self.here.say(other.text),
                        lambda other=other: self.on_type(column.name, other),
                    )
                    item.classes("tk-chosen" if other is column.kind else "").mark(f"kind-{other.value}")
            menu.on("hide", menu.delete)
            menu.open()

        button.on_click(choose)

    def _enlarge(self, column: ColumnProfile) -> None:
        here, bars = self.here, self.found.bars[column.name]
        with ui.dialog(value=True) as dialog, ui.card().classes("tk-dialog"):
            heading(column.name)
            facts = here.say(
                _FACTS, distinct=here.number(column.distinct), missing=here.say(percent(column.missing_share)),
                top=here.say(percent(column.top_share)),
            )  # fmt: skip
            ui.label(facts).classes("tk-soft")
            if bars.counts:
                ui.echart(chart(bars, here.say(_RECORDS))).classes("tk-large-chart")
            else:
                ui.label(here.say(_EMPTY))
            if bars.others:
                ui.label(here.say(_OTHERS, count=here.number(bars.others))).classes("tk-soft tk-small")
            with ui.row().classes("w-full justify-end"):
                ui.button(here.say(CLOSE), on_click=dialog.close).props("flat no-caps")
        dialog.on("hide", dialog.delete)


def chart(bars: Bars, says: str) -> dict[str, Any]:
    """A distribution as a large chart: classes as a histogram, categories as lying bars."""
    if bars.classes:
        labels = [f"{low} – {high}" for low, high in zip(bars.labels, bars.labels[1:], strict=False)]
        axes = {"xAxis": axis("category", data=labels), "yAxis": axis("value")}
    else:
        labels = list(bars.labels)
        axes = {"xAxis": axis("value"), "yAxis": axis("category", data=labels, inverse=True)}
    series = {
        "type": "bar", "name": says, "data": list(bars.counts), "itemStyle": {"color": AFTER},
        "barCategoryGap": "4%" if bars.classes else "30%",
    }  # fmt: skip
    return base(**axes, series=[series])
