"""Fields that hold fields: lists, mappings, choices between shapes, parts with parameters of their own, and YAML for the rest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from nicegui import ui

from tarnkappe.errors import TarnkappeError
from tarnkappe.language import Text, both, same
from tarnkappe.plan.document import parse, to_yaml
from tarnkappe.studio.choices import choice_words
from tarnkappe.studio.form_fields import (
    LAZY,
    Ask,
    ChoiceField,
    Field,
    KnownLevelField,
    LevelField,
    LineField,
    NumberField,
    NumbersField,
    Schema,
    SwitchField,
    WordField,
    WordsField,
    entered,
    resolved,
)
from tarnkappe.studio.frame import icon_button
from tarnkappe.studio.words import ADD, REMOVE

_FREE_KEYS = frozenset({"noise", "groups", "into", "matrix", "share"})
"""Mappings from something else than columns."""
_A_NUMBER, _PER_COLUMN = Text("a number …", "eine Zahl …"), Text("one for each …", "je Spalte …")
_TITLES = {
    "Share": Text("by the share beyond it", "nach dem Anteil jenseits"),
    "Useless": Text("by what must be useless", "nach dem, was unbrauchbar sein soll"),
}
_YAML = Text("as in a plan, in YAML", "wie im Plan, in YAML")


def field_of(ask: Ask, value: Any) -> Field:
    """The field that fits the shape of what is asked for."""
    schema = ask.schema
    if "enum" in schema:
        return ChoiceField(ask, value)
    if "discriminator" in schema:
        return VariantField(ask, value)
    if "anyOf" in schema or "oneOf" in schema:
        return _one_of(ask, value)
    kinds: dict[str, Callable[[Ask, Any], Field]] = {
        "boolean": SwitchField, "integer": NumberField, "number": NumberField, "string": _text, "array": _array,
        "object": _object,
    }  # fmt: skip
    return kinds.get(schema.get("type", ""), YamlField)(ask, value)


def _text(ask: Ask, value: Any) -> Field:
    line = ask.schema.get("format") == "date" or not (ask.is_column or ask.column)
    return LineField(ask, value) if line else WordField(ask, value)


def _array(ask: Ask, value: Any) -> Field:
    items = resolved(ask.schema["items"], ask.defs)
    if "enum" in items:
        return ChoiceField(ask, value)
    if items.get("type") == "string":
        return WordsField(ask, value)
    return (NumbersField if items.get("type") in ("number", "integer") else RowsField)(ask, value)


def _object(ask: Ask, value: Any) -> Field:
    if "properties" in ask.schema:
        return PartField(ask, value)
    return (PairsField if isinstance(ask.schema.get("additionalProperties"), dict) else YamlField)(ask, value)


def _one_of(ask: Ask, value: Any) -> Field:
    kinds = {s.get("type") for s in ask.schema.get("anyOf", ())}
    if kinds == {"integer", "string"} and not any("enum" in s or "const" in s for s in ask.schema["anyOf"]):
        known = ask.known(ask.column)
        return KnownLevelField(ask, value, known.levels) if known and known.levels else LevelField(ask, value)
    return EitherField(ask, value)


def _empty(schema: Schema) -> Any:
    """What a new part begins with."""
    if "default" in schema:
        return schema["default"]
    return {"array": [], "object": {}}.get(schema.get("type", ""))


class EitherField(Field):
    """Words to choose from, or something to fill in: the choice first."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        self._ways = dict(self._alternatives())
        words = {way: label for way, (label, _) in self._ways.items()}
        at = self._way_of(value)
        with ui.column().classes("w-full gap-2"):
            box = ui.select(words, value=at, clearable=True, on_change=lambda _: self._chosen())
            self._box = self._named(box)
            self._place = ui.column().classes("w-full gap-2")
        self._inner: Field | None = None
        self._draw(value)

    def _alternatives(self) -> Any:
        say = self.ask.here.say
        for number, alternative in enumerate(self.ask.schema.get("anyOf") or self.ask.schema["oneOf"]):
            schema = resolved(alternative, self.ask.defs)
            fixed = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
            for word in fixed:
                yield f"={word}", (say(choice_words(self.ask.name, word)), None)
            if not fixed:
                yield str(number), (say(self._title(schema)), schema)

    def _title(self, schema: Schema) -> Text:
        if schema.get("type") in ("number", "integer"):
            return _A_NUMBER
        return _TITLES.get(schema.get("title", ""), _PER_COLUMN)

    def _way_of(self, value: Any) -> str | None:
        if isinstance(value, str) and f"={value}" in self._ways:
            return f"={value}"
        wanted = "object" if isinstance(value, dict) else "number" if isinstance(value, int | float) else ""
        kinds = {"integer": "number"}
        return next(
            (w for w, (_, s) in self._ways.items() if s and kinds.get(s["type"], s["type"]) == wanted), None
        )

    def _chosen(self) -> None:
        self._place.clear()
        self._draw(None)
        self._changed()

    def _draw(self, value: Any) -> None:
        schema = self._ways[self._box.value][1] if self._box.value else None
        self._inner = None
        if schema is not None:
            with self._place:
                self._inner = field_of(self.ask.inner(schema), _empty(schema) if value is None else value)

    def read(self) -> Any:
        if self._inner is not None:
            return self._inner.read()
        return self._box.value[1:] if self._box.value else None

    @property
    def trouble(self) -> Text | None:
        return self._inner.trouble if self._inner else None


class PartField(Field):
    """A part with parameters of its own."""

    def __init__(self, ask: Ask, value: Any, fixed: str = "") -> None:
        super().__init__(ask)
        given = value or {}
        self._given = given
        self._parts: dict[str, tuple[Field, Any]] = {}
        with ui.element("div").classes("tk-part"):
            for name, schema in ask.schema["properties"].items():
                if name != fixed:
                    self._parts[name] = (self._part(name, schema, given), schema.get("default"))

    def _part(self, name: str, schema: Schema, given: Any) -> Field:
        says = both(schema.get("description", name).replace("\n", " ")).in_(self.ask.here.session.lang)
        with ui.column().classes("tk-ask"):
            with ui.row().classes("tk-ask-label"):
                ui.label(says)
                ui.label(name).classes("tk-code")
            ask = self.ask.inner(schema, name=name, says=says, column="")
            return field_of(ask, given.get(name, schema.get("default")))

    def read(self) -> Any:
        out = {}
        for name, (field, default) in self._parts.items():
            value = field.read()
            if entered(value, default) or (name in self._given and value is not None):
                out[name] = value
        return out or None

    @property
    def trouble(self) -> Text | None:
        return next((f.trouble for f, _ in self._parts.values() if f.trouble), None)


class VariantField(Field):
    """One of several parts, told apart by a word: a law of noise, a way of control."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        said = ask.schema["discriminator"]
        self._word: str = said["propertyName"]
        self._kinds = {kind: resolved({"$ref": ref}, ask.defs) for kind, ref in said["mapping"].items()}
        words = {kind: ask.here.say(choice_words(self._word, kind)) for kind in self._kinds}
        at = (value or {}).get(self._word)
        with ui.column().classes("w-full gap-2"):
            box = ui.select(words, value=at, on_change=lambda _: self._chosen())
            self._box = self._named(box)
            self._place = ui.column().classes("w-full gap-2")
        self._draw(value)

    def _chosen(self) -> None:
        self._place.clear()
        self._draw({})
        self._changed()

    def _draw(self, value: Any) -> None:
        self._inner: PartField | None = None
        if self._box.value:
            with self._place:
                schema = self._kinds[self._box.value]
                self._inner = PartField(self.ask.inner(schema), value, self._word)

    def read(self) -> Any:
        if self._inner is None:
            return None
        return {self._word: self._box.value, **(self._inner.read() or {})}

    @property
    def trouble(self) -> Text | None:
        return self._inner.trouble if self._inner else None


class _Growing(Field):
    """Rows that are added and removed."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(ask)
        with ui.column().classes("w-full gap-2"):
            self._place = ui.column().classes("w-full gap-2")
            ui.button(ask.here.say(ADD), icon="add", on_click=self._more).props("flat no-caps dense").classes(
                "self-start"
            )

    @abstractmethod
    def _more(self) -> None:
        """Add an empty row."""

    def _remove_button(self, remove: Callable[[], None]) -> None:
        icon_button("close", self.ask.here.say(REMOVE), remove).props("size=sm")


class RowsField(_Growing):
    """A list of parts or of lists."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        self._rows: list[Field] = []
        for part in value or ():
            self._add(part)

    def _more(self) -> None:
        self._add(_empty(resolved(self.ask.schema["items"], self.ask.defs)))
        self._changed()

    def _add(self, value: Any) -> None:
        with self._place, ui.row().classes("tk-pair") as row:
            with ui.column().classes("tk-pair-value"):
                field = field_of(self.ask.inner(self.ask.schema["items"]), value)
            self._rows.append(field)
            self._remove_button(lambda: self._remove(field, row))

    def _remove(self, field: Field, row: ui.row) -> None:
        self._rows.remove(field)
        row.delete()
        self._changed()

    def read(self) -> Any:
        return [value if (value := row.read()) is not None else {} for row in self._rows]

    @property
    def trouble(self) -> Text | None:
        return next((row.trouble for row in self._rows if row.trouble), None)


class _Pair:
    """One row of a mapping: what it is for, and its value."""

    key: Field
    place: ui.column
    value: Field | None = None

    def __init__(self, row: ui.row) -> None:
        self.row = row


class PairsField(_Growing):
    """A mapping, mostly from columns: a row for each."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        self._rows: list[_Pair] = []
        for key, part in (value or {}).items():
            self._add(str(key), part)

    def _more(self) -> None:
        self._add(None, _empty(resolved(self.ask.schema["additionalProperties"], self.ask.defs)))
        self._changed()

    def _add(self, key: str | None, value: Any) -> None:
        with self._place, ui.row().classes("tk-pair") as row:
            pair = _Pair(row)
            with ui.column().classes("tk-pair-key"):
                named = self.ask.inner({"type": "string"}, changed=lambda: self._renamed(pair))
                free = self.ask.name in _FREE_KEYS or self.ask.column
                pair.key = LineField(named, key) if free else WordField(named, key, clearable=False)
            pair.place = ui.column().classes("tk-pair-value")
            self._rows.append(pair)
            self._draw(pair, value)
            self._remove_button(lambda: self._remove(pair))

    def _draw(self, pair: _Pair, value: Any) -> None:
        pair.place.clear()
        with pair.place:
            column = "" if self.ask.name in _FREE_KEYS else pair.key.read() or ""
            pair.value = field_of(
                self.ask.inner(self.ask.schema["additionalProperties"], column=column), value
            )

    def _renamed(self, pair: _Pair) -> None:
        self._draw(pair, pair.value.read() if pair.value else None)
        self._changed()

    def _remove(self, pair: _Pair) -> None:
        self._rows.remove(pair)
        pair.row.delete()
        self._changed()

    def read(self) -> Any:
        return {p.key.read(): p.value.read() for p in self._rows if p.key.read() and p.value is not None}

    @property
    def trouble(self) -> Text | None:
        return next((p.value.trouble for p in self._rows if p.value and p.value.trouble), None)


class YamlField(Field):
    """The rare shape that fits no other field, written as it stands in a plan."""

    def __init__(self, ask: Ask, value: Any) -> None:
        super().__init__(ask)
        self._read: Any = value
        self._trouble: Text | None = None
        said = to_yaml(value).strip() if value not in (None, {}, []) else ""
        box = ui.textarea(value=said, placeholder=ask.here.say(_YAML), on_change=lambda _: self._typed())
        self._box = self._named(box).props(f"autogrow {LAZY}").classes("tk-yaml")

    def _typed(self) -> None:
        try:
            self._read, self._trouble = parse(self._box.value, self.ask.name).content, None
        except TarnkappeError as problem:
            self._trouble = problem.facts.get("why", same(problem.code))  # type: ignore[assignment]
        self._changed()

    def read(self) -> Any:
        return self._read

    @property
    def trouble(self) -> Text | None:
        return self._trouble
