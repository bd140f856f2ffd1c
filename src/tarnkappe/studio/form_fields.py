"""Fields of forms: one per shape that a parameter can have. A field draws itself where it is made, and can be read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.spec import catalogue
from tarnkappe.studio.cards import takes_numbers
from tarnkappe.studio.choices import choice_words
from tarnkappe.studio.frame import Here
from tarnkappe.studio.tasks.columns import KnownColumn

Schema = Mapping[str, Any]
NOT_COLUMNS = frozenset(
    {"values", "yes", "base", "into", "flag", "formula", "series", "use", "event", "level"}
)
"""Parameters whose words are no names of columns: values, new names, formulas."""
LAZY = "debounce=350"
"""Milliseconds after the last key before a change counts."""

_YES_NO = {True: Text("yes", "ja"), False: Text("no", "nein")}
_NEW_WORDS = Text("Type and press Enter", "Eingeben und mit Enter bestätigen")
_LEVEL = Text("level", "Ebene")
_LEVEL_TOTAL = Text("total", "Summe")


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked for."""

    here: Here
    id: str
    """Of the thing that is declared."""
    name: str
    schema: Schema
    defs: Mapping[str, Schema]
    columns: tuple[KnownColumn, ...]
    changed: Callable[[], None]
    says: str = ""
    """For those who cannot see where the field stands."""
    column: str = ""
    """The column that a value belongs to, inside a mapping of columns."""

    def inner(self, schema: Schema, **other: Any) -> Ask:
        """The same asked of a part."""
        return replace(self, schema=resolved(schema, self.defs), **other)

    @property
    def is_column(self) -> bool:
        """Whether a word is the name of a column."""
        return self.name not in NOT_COLUMNS and (self.id, self.name) != ("risk.by-stratum", "of")

    def known(self, name: str) -> KnownColumn | None:
        return next((column for column in self.columns if column.name == name), None)


def resolved(schema: Schema, defs: Mapping[str, Schema]) -> Schema:
    """The schema itself, where it only refers to one; what may be left out is asked for all the same."""
    if "$ref" in schema:
        return resolved(defs[schema["$ref"].rsplit("/", 1)[-1]], defs)
    kinds = [s for s in schema.get("anyOf", ()) if s.get("type") != "null"]
    if len(kinds) == 1:
        return resolved(kinds[0], defs)
    return {**schema, "anyOf": kinds} if kinds else schema


def entered(value: Any, default: Any) -> bool:
    """Whether a value says more than the default."""
    nothing = value is None or (value in ([], {}) and not default)
    lean = {k: v for k, v in default.items() if v is not None} if isinstance(default, dict) else default
    return not nothing and bool(value != lean)


class Field(ABC):
    """A part of a form."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask

    @abstractmethod
    def read(self) -> Any:
        """What was entered, as it stands in a plan; None where nothing was."""

    @property
    def trouble(self) -> Text | None:
        """What was entered and cannot even be read."""
        return None

    def _named(self, element: Any) -> Any:
        """Dress an input and tell screen readers what it asks for."""
        label = self.ask.says.replace('"', "")
        return element.props(f'outlined dense hide-bottom-space aria-label="{label}"').classes("w-full")

    def _changed(self) -> None:
        self.ask.changed()


class _Figure(ui.number):
    """A number that keeps what was typed: bounds are told, not applied behind one's back."""

    def sanitize(self) -> None:
        """Nothing is put right silently."""


class NumberField(Field):
    """A number between bounds."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        whole = ask.schema.get("type") == "integer"
        low, high = ask.schema.get("minimum"), ask.schema.get("maximum")
        figure = _Figure(
            value=value, min=low, max=high, step=_step(ask.schema), on_change=lambda _: self._changed()
        )
        self._box = self._named(figure).props(f"{LAZY} inputmode={'numeric' if whole else 'decimal'}")
        self._box.classes("tk-number-field")

    def read(self) -> Any:
        value = self._box.value
        return int(value) if isinstance(value, float) and value.is_integer() else value


def _step(schema: Schema) -> float | None:
    """The step of the arrow keys: 1 for whole numbers, a hundredth for shares."""
    if schema.get("type") == "integer":
        return 1
    highest = schema.get("maximum", schema.get("exclusiveMaximum"))
    return 0.01 if highest is not None and highest <= 1 else None


def bounds(schema: Schema, number: Callable[[float], str]) -> str:
    """``≥ 2``, ``> 0, ≤ 1``: what a number must keep to."""
    signs = (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<"))
    return ", ".join(f"{sign} {number(schema[word])}" for word, sign in signs if word in schema)


class SwitchField(Field):
    """Yes or no; nothing as long as neither is given nor chosen."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        says = {on: ask.here.say(text) for on, text in _YES_NO.items()}
        self._box = ui.switch(says[bool(value)], value=bool(value), on_change=lambda _: self._switched())
        self._box.props(f'dense aria-label="{ask.says}"')
        self._says, self._chosen = says, value is not None

    def _switched(self) -> None:
        self._chosen = True
        self._box.set_text(self._says[self._box.value])
        self._changed()

    def read(self) -> bool | None:
        return bool(self._box.value) if self._chosen else None


class ChoiceField(Field):
    """One of several words, or several of them."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        several = ask.schema.get("type") == "array"
        named = resolved(ask.schema["items"], ask.defs) if several else ask.schema
        words = {v: ask.here.say(choice_words(ask.name, v)) for v in named["enum"]}
        box = ui.select(words, value=value, multiple=several, on_change=lambda _: self._changed())
        self._box = self._named(box).props("use-chips" if several else "")

    def read(self) -> Any:
        return self._box.value


class LineField(Field):
    """A line of text: a new name, a formula, a date."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        box = ui.input(value="" if value is None else str(value), on_change=lambda _: self._changed())
        self._box = self._named(box).props(LAZY)
        if ask.schema.get("format") == "date":
            self._box.props("type=date")

    def read(self) -> Any:
        return self._box.value or None


class LevelField(LineField):
    """A level of a hierarchy where none is known to choose from: a number or a name."""

    def read(self) -> Any:
        said = super().read()
        return int(said) if said and said.isdecimal() else said


class KnownLevelField(Field):
    """A level of the hierarchy of a column."""

    def __init__(self, ask: Ask, value: Any, levels: tuple[str, ...]) -> None:
        super().__init__(ask)
        options = {name: self._words(number, name) for number, name in enumerate(levels)}
        at = levels[value] if isinstance(value, int) and 0 <= value < len(levels) else value
        if at is not None and at not in options:
            options[at] = str(at)
        self._given, self._at = value, at
        self._box = self._named(ui.select(options, value=at, on_change=lambda _: self._changed()))

    def _words(self, number: int, name: str) -> str:
        here = self.ask.here
        if number == 0:
            return f"0 · {here.say(_LEVEL_TOTAL)}"
        return f"{here.say(_LEVEL)} {name}" if name.isdecimal() else f"{number} · {name}"

    def read(self) -> Any:
        value = self._box.value
        if value == self._at:
            return self._given  # as it was written, by number or by name
        return int(value) if isinstance(value, str) and value.isdecimal() else value


class WordField(Field):
    """A column of the data, or a word that can be chosen or typed."""

    def __init__(self, ask: Ask, value: Any, *, clearable: bool = True) -> None:
        super().__init__(ask)
        options = list(dict.fromkeys([*offered(ask), *([value] if value else [])]))
        box = ui.select(
            options, value=value or None, with_input=True, new_value_mode="add-unique", clearable=clearable,
            on_change=lambda _: self._changed(),
        )  # fmt: skip
        self._box = self._named(box)

    def read(self) -> Any:
        return self._box.value


class WordsField(Field):
    """Columns of the data, or words: chosen or typed, in order."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        given = [value] if isinstance(value, str) else [str(v) for v in value or ()]
        self._written = (given, value)
        options = list(dict.fromkeys([*offered(ask), *given]))
        box = ui.select(
            options, value=given, multiple=True, with_input=True, new_value_mode="add-unique",
            on_change=lambda _: self._changed(),
        )  # fmt: skip
        self._box = self._named(box).props("use-chips")
        if not options:
            self._box.props(f'placeholder="{ask.here.say(_NEW_WORDS)}"')

    def read(self) -> Any:
        given, written = self._written
        return written if self._box.value == given else list(self._box.value)


def offered(ask: Ask) -> list[str]:
    """Names of columns, numbers first where a method works on numbers; for values of a column, its categories."""
    if ask.column:
        known = ask.known(ask.column)
        return list(known.values) if known else []
    if not ask.is_column:
        return []
    if ask.id in catalogue and takes_numbers(catalogue[ask.id]):
        # the declarations do not say of what kind a column must be: none is left out
        return [c.name for c in sorted(ask.columns, key=lambda column: not column.kind.is_number)]
    return [column.name for column in ask.columns]


class NumbersField(Field):
    """Several numbers in a line, parted by semicolons."""

    _WRONG = Text("must be numbers, parted by semicolons", "müssen Zahlen sein, durch Semikolon getrennt")

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        lang = ask.here.session.lang
        said = "; ".join(_spelt(number, lang) for number in value or ())
        box = ui.input(value=said, placeholder="1; 2; 5", on_change=lambda _: self._changed())
        self._box = self._named(box).props(LAZY)

    def _parts(self) -> list[float] | None:
        try:
            return [_number(part) for part in self._box.value.split(";") if part.strip()]
        except ValueError:
            return None

    def read(self) -> Any:
        return self._parts() or []

    @property
    def trouble(self) -> Text | None:
        return self._WRONG if self._parts() is None else None


def _spelt(number: float, lang: str) -> str:
    text = repr(number)
    return text.replace(".", ",") if lang == "de" else text


def _number(text: str) -> float:
    value = float(text.strip().replace(",", "."))
    return int(value) if value.is_integer() else value
