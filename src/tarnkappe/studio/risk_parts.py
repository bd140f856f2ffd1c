"""What the page of the risk shows: sentences, figures, class sizes, drivers and, when asked for, the riskiest records."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.ledger import Exposed
from tarnkappe.report.headline import Tile
from tarnkappe.report.numbers import percent
from tarnkappe.report.readings import AFTER_WORD, BEFORE_WORD
from tarnkappe.studio.blocks import Cell, more, plain_table, sentences
from tarnkappe.studio.charts import AFTER, BEFORE, TEXT, axis, base
from tarnkappe.studio.frame import Here, panel, trouble_box
from tarnkappe.studio.tasks.risk import Bands, Drivers, Riskiest, Sight
from tarnkappe.studio.worker import TaskFailed

SHOWN_FOR = 60.0
"""Seconds after which revealed values are hidden again."""
_WHO = Text("Who could find whom", "Wer wen finden könnte")
_SIZES = Text("How many look alike", "Wie viele sich gleichen")
_SIZES_SAY = Text(
    "Share of the records by the number of records that agree with them on all keys. 1 means: recognisable for certain.",
    "Anteil der Datensätze nach der Zahl derer, die in allen Schlüsseln mit ihnen übereinstimmen. 1 heißt: sicher erkennbar.",
)
_DRIVES = Text("What makes people recognisable", "Was Menschen erkennbar macht")
_DRIVES_SAY = Text(
    "What every key adds to the chance of being found, averaged over all orders in which somebody could learn them.",
    "Was jeder Schlüssel zur Wahrscheinlichkeit beiträgt, gefunden zu werden, gemittelt über alle Reihenfolgen, in denen jemand sie erfahren kann.",
)
_RISKIEST = Text("The riskiest records", "Die gefährdetsten Datensätze")
_MASKED = Text(
    "Row numbers lead to people. They are shown when you ask for them, and only here.",
    "Zeilennummern führen zu Menschen. Sie erscheinen erst, wenn Sie danach fragen, und nur hier.",
)
_SHOW = Text("Show rows", "Zeilen zeigen")
_REVEAL = Text("Reveal values", "Werte aufdecken")
_REVEAL_SAY = Text(
    "Shows what stands in the key columns of these records for one minute. Look around before you click.",
    "Zeigt eine Minute lang, was in den Schlüsselspalten dieser Datensätze steht. Sehen Sie sich vorher um.",
)
_REVEALED = Text(
    "These are real values of people. They are hidden again after a minute.",
    "Das sind echte Werte von Menschen. Nach einer Minute werden sie wieder verborgen.",
)
_HIDE = Text("Hide", "Verbergen")
_NONE_LISTED = Text(
    "No record can be listed: nobody was measured as an attacker.",
    "Es lässt sich kein Datensatz nennen: Es wurde kein Angreifer gemessen.",
)
_LEFT = Text("Not measured, and why ({n})", "Nicht gemessen, und warum ({n})")
_HEADS = (
    Text("Row", "Zeile"), Text("chance before", "Wahrsch. vorher"), Text("chance of being found", "Wahrscheinlichkeit"),
    Text("records that fit", "passende Datensätze"), Text("stands out by", "fällt auf durch"),
    Text("sensitive value certain", "sensibler Wert sicher"),
)  # fmt: skip
_YES = {True: Text("yes", "ja"), False: Text("no", "nein"), None: Text("–", "–")}
_PERCENT = {"en": "v => v.toLocaleString('en') + '%'", "de": "v => v.toLocaleString('de') + ' %'"}


def tiles(here: Here, shown: Sequence[Tile]) -> None:
    """Figures side by side."""
    with ui.element("div").classes("tk-tiles"):
        for tile in shown:
            with ui.element("div").classes("tk-tile"):
                ui.label(here.say(tile.name)).classes("tk-tile-name")
                ui.label(here.say(tile.now)).classes("tk-figure")
                if tile.note:
                    ui.label(here.say(tile.note)).classes("tk-soft tk-small")


def who(here: Here, sight: Sight) -> None:
    """Who finds whom, and what becomes known."""
    with panel(here.say(_WHO)):
        for assault in sight.assaults:
            with ui.element("div").classes("tk-risk-who"):
                ui.label(here.say(assault.attacker.text)).classes("tk-soft tk-small")
                first, *rest = assault.says
                ui.label(here.say(first)).classes("tk-risk-first")
                for says in (*rest, *assault.doubts):
                    ui.label(here.say(says)).classes("tk-risk-more")
        if sight.learns:
            with ui.element("div").classes("tk-risk-who"):
                for says in sight.learns:
                    ui.label(here.say(says)).classes("tk-risk-more")


def sizes(here: Here, bands: Bands) -> None:
    """Class sizes as bars."""
    with panel(here.say(_SIZES)):
        ui.label(here.say(_SIZES_SAY)).classes("tk-soft tk-small")
        series = _sides(here, bands.before, bands.after)
        labels = axis("category", data=list(bands.names))
        _chart(
            here, _SIZES, {"xAxis": labels, "yAxis": _share_axis(here) | {"max": 100, "interval": 25}}, series
        )


def drives(here: Here, found: Drivers) -> None:
    """What every key adds, as bars."""
    with panel(here.say(_DRIVES)):
        if not found.names:
            ui.label(here.say(found.because)).classes("tk-soft")
            return
        ui.label(here.say(_DRIVES_SAY)).classes("tk-soft tk-small")
        names = axis("category", data=list(found.names), inverse=True)
        series = _sides(here, found.before, found.after)
        _chart(here, _DRIVES, {"yAxis": names, "xAxis": _share_axis(here)}, series)
        for says in found.says:
            ui.label(here.say(says)).classes("tk-risk-more")


def _sides(here: Here, before: Sequence[float], after: Sequence[float]) -> dict[str, list[float]]:
    both = {here.say(BEFORE_WORD): before} if before else {}
    return {
        name: [round(100 * share, 2) for share in shares]
        for name, shares in (both | {here.say(AFTER_WORD) if before else "": after}).items()
    }


def _share_axis(here: Here) -> dict[str, Any]:
    made = axis("value", splitNumber=4, min=0)
    return made | {"axisLabel": {"color": TEXT, ":formatter": _PERCENT[here.session.lang]}}


def _chart(here: Here, says: Text, axes: dict[str, Any], series: dict[str, list[float]]) -> None:
    colours = [BEFORE, AFTER] if len(series) > 1 else [AFTER]
    options = base(
        color=colours,
        legend={"show": len(series) > 1, "textStyle": {"color": TEXT}, "top": 0, "right": 0},
        series=[
            {"type": "bar", "name": name, "data": data, "barMaxWidth": 34} for name, data in series.items()
        ],
        tooltip={"trigger": "axis", "confine": True, ":valueFormatter": _PERCENT[here.session.lang]},
        grid={
            "left": 8,
            "right": 16,
            "top": 32 if len(series) > 1 else 12,
            "bottom": 8,
            "containLabel": True,
        },
        **axes,
    )
    ui.echart(options).classes("tk-risk-chart").props(f'role=img aria-label="{here.say(says)}"')


def left_out(here: Here, left: Sequence[tuple[Text, Sequence[Text]]]) -> None:
    """What was not measured, by reason."""
    count = sum(len(titles) for _, titles in left)
    if count:
        with more(here.say(_LEFT, n=count)):
            sentences(
                f"{', '.join(here.say(title) for title in titles)}: {here.say(because)}"
                for because, titles in left
            )


# -- the riskiest records -----------------------------------------------------------------------------------------

Load = Callable[[], Awaitable[Riskiest]]
Values = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
Reveal = Callable[[Sequence[int]], Awaitable[Values]]


class Records:
    """The riskiest records: nothing until asked, then their rows, then, asked again, what stands in their keys."""

    def __init__(self, here: Here, load: Load, reveal: Reveal) -> None:
        self._here, self._load, self._reveal = here, load, reveal
        with panel(here.say(_RISKIEST)):
            self._place = ui.column().classes("w-full gap-4")
        with self._place, ui.column().classes("tk-risk-masked"):
            ui.label(here.say(_MASKED)).classes("tk-soft")
            self._button(_SHOW, "visibility", self._rows).mark("show-rows")

    async def _rows(self) -> None:
        await self._show(self._load, self._listed)

    async def _values(self, found: Riskiest) -> None:
        async def ask() -> Values:
            return await self._reveal([one.record for one in found.records])

        await self._show(ask, lambda values: self._revealed(found, values))

    async def _show(self, ask: Callable[[], Awaitable[Any]], show: Callable[[Any], None]) -> None:
        """Put what was asked for into the place, or why it could not be had."""
        try:
            found = await ask()
        except TaskFailed as problem:
            self._place.clear()
            with self._place:
                trouble_box(self._here, problem.trouble)
            return
        self._place.clear()
        with self._place:
            show(found)

    def _listed(self, found: Riskiest) -> None:
        here = self._here
        if not found.records:
            ui.label(here.say(_NONE_LISTED)).classes("tk-soft")
            return
        _table(here, found.records, None)
        if found.as_many:
            ui.label(here.say(found.as_many)).classes("tk-soft tk-small")
        with ui.row().classes("items-center gap-4"):
            self._button(_REVEAL, "lock_open", lambda: self._values(found)).mark("reveal-values")
            ui.label(here.say(_REVEAL_SAY)).classes("tk-soft tk-small")

    def _revealed(self, found: Riskiest, values: Values) -> None:
        _table(self._here, found.records, values)
        with ui.row().classes("items-center gap-4"):
            self._button(_HIDE, "lock", self._rows).mark("hide-values")
            ui.label(self._here.say(_REVEALED)).classes("tk-warn tk-small").props("role=status")
        ui.timer(SHOWN_FOR, self._rows, once=True)

    def _button(self, says: Text, icon: str, on_click: Callable[[], Any]) -> ui.button:
        return ui.button(self._here.say(says), icon=icon, on_click=on_click).props("outline no-caps")


def _table(here: Here, records: Sequence[Exposed], values: Values | None) -> None:
    both = any(one.before is not None for one in records)
    known = any(one.learnt is not None for one in records)
    wanted = [True, both, True, True, True, known]
    names = values[0] if values else ()
    rows = [
        [*(cell for cell, keep in zip(_row(here, one), wanted, strict=True) if keep), *_said(values, number)]
        for number, one in enumerate(records)
    ]
    heads = [here.say(head) for head, keep in zip(_HEADS, wanted, strict=True) if keep]
    plain_table([*heads, *names], rows, right=range(2 + both + 1))


def _row(here: Here, one: Exposed) -> tuple[str, ...]:
    return (
        here.number(one.record), here.say(percent(one.before)), here.say(percent(one.after)), here.number(one.fitting),
        one.key or "–", here.say(_YES[one.learnt]),
    )  # fmt: skip


def _said(values: Values | None, number: int) -> list[Cell]:
    def drawn(text: str) -> Cell:
        return lambda: ui.label(text).classes("tk-risk-value")

    return [drawn(text) for text in values[1][number]] if values else []
