"""Ways to build a hierarchy: by digits, bands, limits, quantiles, periods or from a file. Each asks little and gives a description."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import chain, count
from pathlib import Path
from typing import Any

from nicegui import ui

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.studio import UploadTooLarge
from tarnkappe.language import Text
from tarnkappe.studio.frame import Here, trouble_box
from tarnkappe.studio.tasks.hierarchy import quantiles
from tarnkappe.studio.uploads import keep
from tarnkappe.studio.worker import TaskFailed, Trouble

Description = dict[str, Any]
_LARGEST = 16 * 2**20
"""Bytes of a file of codes."""
_LAZY = "outlined dense debounce=350"

DIGITS_SAYS = Text(
    "Leading digits on each level, coarse to fine", "Führende Stellen je Ebene, von grob nach fein"
)
_DIGITS_HINT = Text("For example 1, 3, 5", "Zum Beispiel 1, 3, 5")
_WIDTHS = Text(
    "Widths of the classes, each a multiple of the next",
    "Breiten der Klassen, jede ein Vielfaches der nächsten",
)
_WIDTHS_HINT = Text("For example 20; 10; 5", "Zum Beispiel 20; 10; 5")
_ORIGIN = Text("Where a class begins", "Wo eine Klasse beginnt")
_LIMITS = Text(
    "Limits of the classes; a line for each level, coarse to fine",
    "Grenzen der Klassen; eine Zeile je Ebene, von grob nach fein",
)
_LIMITS_HINT = Text("18; 65", "18; 65")
_CLASSES = Text("Classes on the finest level", "Klassen auf der feinsten Ebene")
_LEVELS = Text("Levels", "Ebenen")
_PERIODS = Text("Periods, coarse to fine", "Zeiträume, von grob nach fein")
_PERIOD_WORDS = {
    "decade": Text("decade", "Jahrzehnt"), "year": Text("year", "Jahr"), "quarter": Text("quarter", "Quartal"),
    "month": Text("month", "Monat"), "day": Text("day", "Tag"),
}  # fmt: skip
_FILE = Text(
    "A file of codes: .hrc of τ-ARGUS, a hierarchy of ARX, or a CSV with the columns code, parent, label.",
    "Eine Datei mit Codes: .hrc von τ-ARGUS, eine Hierarchie von ARX oder eine CSV mit den Spalten code, parent, label.",
)
_UPLOAD = Text("Upload .hrc or CSV", ".hrc oder CSV hochladen")
_LEADING = Text("Sign of the levels in a .hrc file", "Zeichen der Ebenen in einer .hrc-Datei")
_IS = Text("In use: {name}", "Verwendet wird: {name}")
_NOT_NUMBERS = Text("These are no numbers.", "Das sind keine Zahlen.")


class Way(ABC):
    """A way asks, and calls back with a description when there is one, or with None."""

    def __init__(self, here: Here, column: str, told: Callable[[Description | None], Any]) -> None:
        self.here, self.column, self.told = here, column, told

    @abstractmethod
    def draw(self, given: Mapping[str, Any]) -> None:
        """Ask, beginning with a description of the same way or with nothing."""

    def _line(self, says: Text, hint: Text, value: str, change: Callable[[], Any]) -> ui.input:
        box = ui.input(
            self.here.say(says), value=value, placeholder=self.here.say(hint), on_change=lambda _: change()
        )
        box.props(_LAZY).classes("w-full tk-way-line").mark("way")
        return box.without_auto_validation()

    def _numbers(self, text: str) -> list[float] | None:
        """Numbers parted by semicolons or blanks; commas part them too where the language does not use them as decimal sign."""
        if self.here.session.lang == "de":
            parts = re.split(r"[;\s]+|,\s+", text.strip())
            parts = [part.replace(",", ".") for part in parts]
        else:
            parts = re.split(r"[;,\s]+", text.strip())
        try:
            numbers = [float(part) for part in parts if part]
        except ValueError:
            return None
        return [int(n) if n.is_integer() else n for n in numbers]

    def _spelt(self, numbers: Any) -> str:
        given = numbers if isinstance(numbers, list | tuple) else [numbers]
        text = "; ".join(str(int(n) if float(n).is_integer() else n) for n in given)
        return text.replace(".", ",") if self.here.session.lang == "de" else text


class DigitsWay(Way):
    """Leading digits."""

    def draw(self, given: Mapping[str, Any]) -> None:
        self._box = self._line(DIGITS_SAYS, _DIGITS_HINT, self._spelt(given.get("digits", ())), self._changed)

    def _changed(self) -> None:
        numbers = self._numbers(self._box.value.replace(",", ";"))
        self._box.error = self.here.say(_NOT_NUMBERS) if numbers is None else None
        self.told({"digits": numbers} if numbers else None)


class BandsWay(Way):
    """Classes of equal width."""

    def draw(self, given: Mapping[str, Any]) -> None:
        self._box = self._line(_WIDTHS, _WIDTHS_HINT, self._spelt(given.get("bands", ())), self._changed)
        self._origin = ui.number(
            self.here.say(_ORIGIN), value=given.get("origin", 0), on_change=lambda _: self._changed()
        )
        self._origin.props(_LAZY).classes("tk-number-field")

    def _changed(self) -> None:
        numbers = self._numbers(self._box.value)
        self._box.error = self.here.say(_NOT_NUMBERS) if numbers is None else None
        origin = {"origin": self._origin.value} if self._origin.value else {}
        self.told({"bands": numbers, **origin} if numbers else None)


class CutsWay(Way):
    """Classes between limits."""

    def draw(self, given: Mapping[str, Any]) -> None:
        cuts = given.get("cuts", ())
        lines = cuts if cuts and isinstance(cuts[0], list | tuple) else [cuts] if cuts else []
        text = "\n".join(self._spelt(line) for line in lines)
        self._box = ui.textarea(
            self.here.say(_LIMITS), value=text, placeholder=self.here.say(_LIMITS_HINT), on_change=lambda _: self._changed()
        )  # fmt: skip
        self._box.props(f"{_LAZY} autogrow").classes("w-full").mark("way")
        self._box.without_auto_validation()

    def _changed(self) -> None:
        lines = [self._numbers(line) for line in self._box.value.splitlines() if line.strip()]
        self._box.error = self.here.say(_NOT_NUMBERS) if None in lines else None
        sound = [line for line in lines if line]
        self.told({"cuts": sound if len(sound) > 1 else sound[0]} if sound and None not in lines else None)


class QuantilesWay(Way):
    """Classes of about equally many records: the limits are computed once and stand in the plan."""

    def draw(self, given: Mapping[str, Any]) -> None:
        del given
        with ui.row().classes("gap-4"):
            self._classes = self._figure(_CLASSES, 8, 2, 100)
            self._levels = self._figure(_LEVELS, 2, 1, 6)
        self._place = ui.column().classes("w-full")
        ui.timer(0, self._changed, once=True)

    def _figure(self, says: Text, value: int, low: int, high: int) -> ui.number:
        figure = ui.number(
            self.here.say(says), value=value, min=low, max=high, step=1, on_change=self._changed
        )
        return figure.props(_LAZY).classes("tk-number-field")

    async def _changed(self) -> None:
        classes, levels = self._classes.value, self._levels.value
        if not classes or classes < 2 or not levels:
            self.told(None)
            return
        session = self.here.session
        self._place.clear()
        try:
            found = await session.learn(
                quantiles, session.folder, session.draft.get("data"), self.column, int(classes), int(levels)
            )
        except TaskFailed as problem:
            with self._place:
                trouble_box(self.here, problem.trouble)
            self.told(None)
            return
        self.told(dict(found))


class DatesWay(Way):
    """Periods of dates."""

    def draw(self, given: Mapping[str, Any]) -> None:
        words = {name: self.here.say(text) for name, text in _PERIOD_WORDS.items()}
        dates = given.get("dates", [])
        box = ui.select(
            words, value=[dates] if isinstance(dates, str) else list(dates), multiple=True,
            label=self.here.say(_PERIODS), on_change=lambda e: self._changed(e.value),
        )  # fmt: skip
        box.props("outlined dense use-chips").classes("w-full").mark("way")

    def _changed(self, chosen: list[str]) -> None:
        ordered = [name for name in _PERIOD_WORDS if name in chosen]
        self.told({"dates": ordered} if ordered else None)


class FileWay(Way):
    """A file of codes, kept beside the plan."""

    def draw(self, given: Mapping[str, Any]) -> None:
        self._given = dict(given)
        here = self.here
        ui.label(here.say(_FILE)).classes("tk-soft")
        if given.get("file"):
            ui.label(here.say(_IS, name=given["file"]))
        self._place = ui.column().classes("w-full")
        box = ui.upload(
            label=here.say(_UPLOAD), auto_upload=True, max_file_size=_LARGEST, max_files=1, on_upload=self._arrived,
            on_rejected=lambda: self._tell(UploadTooLarge(largest=f"{_LARGEST // 2**20} MiB")),
        )  # fmt: skip
        box.props('flat bordered accept=".hrc,.csv,.txt"').classes("w-full").mark("upload-hierarchy")
        self._leading = ui.input(here.say(_LEADING), value=given.get("leading", "@"), on_change=self._changed)
        self._leading.props(_LAZY).classes("tk-number-field")

    def _tell(self, problem: TarnkappeError) -> None:
        self._place.clear()
        with self._place:
            trouble_box(self.here, Trouble.of(problem))

    async def _arrived(self, event: Any) -> None:
        self._place.clear()
        session = self.here.session
        try:
            path = free_name(session.path_for(event.file.name, session.folder))
            await keep(path, event.file.iterate(), _LARGEST)
        except TarnkappeError as problem:
            self._tell(problem)
            return
        self._given = {"file": path.name}
        self._changed()

    def _changed(self) -> None:
        if not self._given.get("file"):
            self.told(None)
            return
        leading = self._leading.value or "@"
        more = {"leading": leading} if leading != "@" and self._given["file"].lower().endswith(".hrc") else {}
        self.told({"file": self._given["file"], **more})


def free_name(path: Path) -> Path:
    """The same name, numbered where a file has it: one that is in use stays as it is."""
    names = chain([path], (path.with_name(f"{path.stem}-{n}{path.suffix}") for n in count(2)))
    return next(name for name in names if not name.exists())
