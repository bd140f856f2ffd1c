"""How a file is read, and the form to read it otherwise: separator, decimal sign, encoding, marks of missing values, sheet."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nicegui import background_tasks, ui

from tarnkappe.io.first_lines import is_text
from tarnkappe.language import Text
from tarnkappe.studio.frame import Here
from tarnkappe.studio.tasks.look import Look

_SEPARATOR = Text("Separator", "Trennzeichen")
_DECIMAL = Text("Decimal sign", "Dezimalzeichen")
_ENCODING = Text("Encoding", "Kodierung")
_MARKS = Text("Marks of missing values", "Zeichen für fehlende Werte")
_MARKS_HELP = Text(
    "Besides empty fields. Type one, such as NA or -9, and press Enter.",
    "Außer leeren Feldern. Etwa NA oder -9 eintippen, dann Eingabetaste.",
)
_SHEET = Text("Sheet", "Tabellenblatt")
_FOUND_OUT = Text("found out", "wird ermittelt")
_FOUND = Text("found out: {sign}", "ermittelt: {sign}")
_SIGNS: Mapping[str, Text] = {
    ";": Text("semicolon ;", "Semikolon ;"),
    ",": Text("comma ,", "Komma ,"),
    "\t": Text("tab", "Tabulator"),
    "|": Text("bar |", "Strich |"),
    " ": Text("blank", "Leerzeichen"),
    ".": Text("point .", "Punkt ."),
}
SEPARATORS, DECIMALS = (";", ",", "\t", "|", " "), (".", ",")
ENCODINGS: Mapping[str, str] = {
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252 (cp1252)",
    "iso-8859-15": "ISO 8859-15 (Latin-9)",
    "cp850": "DOS (cp850)",
    "utf-16": "UTF-16",
    "mac_roman": "Mac Roman",
}
_NO_MORE = Text("only empty fields", "nur leere Felder")
_MISSING = Text("missing: {marks}", "fehlend: {marks}")
_DECIMAL_IS = Text("decimal {sign}", "dezimal {sign}")
_SHEET_IS = Text("sheet {name}", "Blatt {name}")
_BY_FORMAT = Text(
    "The format says everything: nothing to set.", "Das Format sagt alles: nichts einzustellen."
)
_AUTO = ""
"""Stands for what is found out."""


@dataclass(slots=True, eq=False)
class ReadingForm:
    """The form; `changed` is given the new settings whole."""

    here: Here
    reading: dict[str, Any]
    """The settings as they stand in the form, also where the file could not be read with them."""
    found: Look | None
    changed: Callable[[dict[str, Any]], Awaitable[None]]

    @property
    def _text(self) -> bool:
        return is_text(str(self.reading["file"]))

    def draw(self) -> None:
        """Draw the settings that the format leaves open."""
        if not self._text and not self._sheets:
            ui.label(self.here.say(_BY_FORMAT)).classes("tk-soft")
            return
        with ui.element("div").classes("tk-reading"):
            if self._text:
                self._signs()
                self._select(_ENCODING, "encoding", self._encodings, _AUTO)
            if self._sheets:
                self._select(_SHEET, "sheet", {name: name for name in self._sheets}, self._sheets[0])
            self._marks()

    @property
    def _sheets(self) -> tuple[str, ...]:
        return self.found.sheets if self.found else ()

    @property
    def _encodings(self) -> dict[str, str]:
        """What is found out, the encoding of a plan that is none of the usual ones, and those."""
        named = self.reading.get("encoding", _AUTO)
        found = self.found.encoding if self.found and not named else None
        auto = self.here.say(_FOUND, sign=ENCODINGS.get(found, found)) if found else self.here.say(_FOUND_OUT)
        return {_AUTO: auto, named: named or auto, **ENCODINGS}

    def _signs(self) -> None:
        signs = self.found.signs if self.found else None
        for says, name, offered in ((_SEPARATOR, "separator", SEPARATORS), (_DECIMAL, "decimal", DECIMALS)):
            sign = getattr(signs, name) if signs and name not in self.reading else None
            auto = self.here.say(_FOUND, sign=_spelt(self.here, sign)) if sign else self.here.say(_FOUND_OUT)
            own = self.reading.get(name, _AUTO)
            known = {one: _spelt(self.here, one) for one in (*offered, *((own,) if own else ()))}
            self._select(says, name, {_AUTO: auto, **known}, _AUTO)

    def _select(self, says: Text, name: str, offered: Mapping[str, str], usual: str) -> None:
        def chosen(event: Any) -> None:
            self._set(name, None if event.value == usual else event.value)

        box = ui.select(dict(offered), value=self.reading.get(name, usual), label=self.here.say(says))
        box.on_value_change(chosen)
        box.props("outlined dense options-dense").mark(f"read-{name}")

    def _marks(self) -> None:
        marks = [mark for mark in self.reading.get("missing", ()) if mark]
        box = ui.input_chips(self.here.say(_MARKS), value=marks, new_value_mode="add-unique")
        box.on_value_change(lambda event: self._set("missing", ["", *event.value] if event.value else None))
        hint = self.here.say(_MARKS_HELP)
        box.props("outlined dense").props(f'hint="{hint}"').classes("tk-marks").mark("read-missing")

    def _set(self, name: str, value: Any) -> None:
        wanted = {key: part for key, part in self.reading.items() if key != name}
        if name in ("separator", "sheet"):
            wanted.pop("types", None)  # of columns that are no longer the same
        self.take(wanted if value is None else {**wanted, name: value})

    def take(self, wanted: dict[str, Any]) -> None:
        """Try other settings."""
        if wanted != self.reading:
            self.reading = wanted
            background_tasks.create(self.changed(wanted), name="reading")


def summary(here: Here, reading: Mapping[str, Any], found: Look) -> str:
    """How a file was read, in a line."""
    parts = []
    if found.signs:
        parts.append(_spelt(here, found.signs.separator))
        parts.append(here.say(_DECIMAL_IS, sign=_spelt(here, found.signs.decimal)))
    if is_text(str(reading["file"])):
        named = reading.get("encoding") or found.encoding or "utf-8"
        parts.append(ENCODINGS.get(named, named))
    if found.sheets:
        parts.append(here.say(_SHEET_IS, name=reading.get("sheet", found.sheets[0])))
    if found.sheets or found.signs:
        marks = [mark for mark in reading.get("missing", ()) if mark]
        parts.append(here.say(_MISSING, marks=", ".join(marks) or here.say(_NO_MORE)))
    return " · ".join(parts) or here.say(_BY_FORMAT)


def _spelt(here: Here, sign: str) -> str:
    return here.say(_SIGNS[sign]) if sign in _SIGNS else sign
