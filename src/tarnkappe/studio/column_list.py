"""The columns of a file as a list: type, what is missing, how many values, how they are distributed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.guess import percent
from tarnkappe.plan.profile import ColumnProfile
from tarnkappe.studio.charts import AFTER, axis, base
from tarnkappe.studio.frame import Here, heading, open_dialog
from tarnkappe.studio.paged import Paged
from tarnkappe.studio.sparks import share_bar, spark
from tarnkappe.studio.tasks.look import Bars, Look
from tarnkappe.studio.words import CLOSE
from tarnkappe.vocab import Kind

_COLUMN = Text("Column", "Spalte")
_TYPE = Text("Type", "Typ")
_MISSING = Text("Missing", "Fehlend")
_DISTINCT = Text("Distinct", "Verschieden")
_DISTRIBUTION = Text("Distribution", "Verteilung")
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


@dataclass(frozen=True, slots=True)
class ColumnList:
    """The list; `on_type` is called when another type is chosen for a column."""

    here: Here
    found: Look
    on_type: Callable[[str, Kind], Any]

    def draw(self) -> None:
        """Draw the list."""
        heads = ((_COLUMN, ""), (_TYPE, ""), (_MISSING, ""), (_DISTINCT, "tk-right"), (_DISTRIBUTION, ""))
        Paged(self.here, heads, self.found.profiles, self._row, "tk-columns").draw()

    def _row(self, column: ColumnProfile) -> None:
        here = self.here
        with ui.element("td"):
            ui.label(column.name).classes("tk-column-name")
        with ui.element("td"):
            self._type(column)
        with ui.element("td"), ui.row().classes("items-center gap-2 no-wrap"):
            missing = here.say(percent(column.missing_share))
            drawn = share_bar(column.missing_share, here.say(_ARE_MISSING, share=missing))
            ui.html(drawn, sanitize=False)
            ui.label(missing).classes("tk-small tk-soft")
        with ui.element("td").classes("tk-right"):
            ui.label(here.number(column.distinct))
        with ui.element("td"):
            button = ui.button(on_click=lambda: self._enlarge(column)).props("flat dense no-caps padding=0")
            button.props["aria-label"] = here.say(_LARGER, name=column.name)
            with button.mark(f"chart-{column.name}"):
                ui.html(
                    spark(self.found.bars[column.name], here.say(_SPARK, name=column.name)), sanitize=False
                )

    def _type(self, column: ColumnProfile) -> None:
        kind = self.here.say(column.kind.text)
        button = ui.button(kind, color=None).props("flat dense no-caps icon-right=expand_more size=.85rem")
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
        with open_dialog(column.name) as dialog, ui.card().classes("tk-dialog"):
            heading(column.name)
            facts = here.say(
                _FACTS, distinct=here.number(column.distinct), missing=here.say(percent(column.missing_share)),
                top=here.say(percent(column.top_share)),
            )  # fmt: skip
            ui.label(facts).classes("tk-soft")
            if bars.counts:
                drawn = chart(bars, here.say(_RECORDS), self._speller(column))
                ui.echart(drawn).classes("tk-large-chart")
            else:
                ui.label(here.say(_EMPTY))
            if bars.others:
                ui.label(here.say(_OTHERS, count=here.number(bars.others))).classes("tk-soft tk-small")
            with ui.row().classes("w-full justify-end"):
                ui.button(here.say(CLOSE), on_click=dialog.close).props("flat no-caps")
        dialog.on("hide", dialog.delete)

    def _speller(self, column: ColumnProfile) -> Callable[[str], str]:
        """How a value is written for people: numbers in their language."""
        if column.kind.is_number and self.found.bars[column.name].classes:
            return lambda label: self.here.number(float(label))
        return lambda label: label


def chart(bars: Bars, says: str, spelt: Callable[[str], str]) -> dict[str, Any]:
    """A distribution as a large chart: classes as a histogram, categories as lying bars."""
    named = [spelt(label) for label in bars.labels]
    counts = axis("value", minInterval=1)
    if bars.classes:
        labels = [f"{low} – {high}" for low, high in pairwise(named)]
        axes = {"xAxis": axis("category", data=labels), "yAxis": counts}
    else:
        axes = {"xAxis": counts, "yAxis": axis("category", data=named, inverse=True)}
    series = {
        "type": "bar", "name": says, "data": list(bars.counts), "itemStyle": {"color": AFTER},
        "barCategoryGap": "4%" if bars.classes else "30%",
    }  # fmt: skip
    return base(**axes, series=[series])
