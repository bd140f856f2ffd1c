"""What a parameter takes, in words: kinds, choices and bounds, read from its schema, so that nothing is written twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tarnkappe.language import NOTHING, Text, both, number, same

Schema = Mapping[str, Any]

_KINDS = {
    "string": Text("text", "Text"),
    "integer": Text("whole number", "ganze Zahl"),
    "number": Text("number", "Zahl"),
    "boolean": same("`true`, `false`"),
    "null": NOTHING,
}
_BOUNDS = {
    "minimum": Text("at least {limit}", "mindestens {limit}"),
    "exclusiveMinimum": Text("above {limit}", "über {limit}"),
    "maximum": Text("at most {limit}", "höchstens {limit}"),
    "exclusiveMaximum": Text("below {limit}", "unter {limit}"),
}
_LENGTHS = {
    "minItems": Text("at least {limit}", "mindestens {limit}"),
    "maxItems": Text("at most {limit}", "höchstens {limit}"),
    "minProperties": Text("at least {limit}", "mindestens {limit}"),
    "maxProperties": Text("at most {limit}", "höchstens {limit}"),
}
_OR = Text("; or ", "; oder ")
_LIST = Text("{list}: {inner}", "{list}: {inner}")
_BARE_LIST = Text("list", "Liste")
_NAMED = Text("{name}: {inner}", "{name}: {inner}")
_NAME = Text("name", "Name")
_MAPPING = Text("mapping", "Zuordnung")


@dataclass(frozen=True, slots=True)
class Part:
    """A name inside a parameter that holds several."""

    name: str
    says: Text
    takes: Text
    required: bool
    default: Any
    parts: tuple[Part, ...]


def takes(schema: Schema, known: Schema) -> Text:
    """A JSON schema in words; `known` holds the definitions that it refers to."""
    schema = _resolved(schema, known)
    if "enum" in schema or "const" in schema:
        return same(", ".join(f"`{word}`" for word in schema.get("enum", [schema.get("const")])))
    if choices := (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        said = dict.fromkeys(filter(None, (takes(part, known) for part in choices)))
        return Text(_OR.en.join(t.en for t in said), _OR.de.join(t.de for t in said))
    kind = schema.get("type", "")
    if kind == "array":
        inner = takes(schema.get("items", {}), known)
        bare = _bounded(_BARE_LIST, schema, _LENGTHS)
        return _LIST.filled(list=bare, inner=inner) if inner else bare
    if kind == "object":
        return _bounded(_mapping(schema, known), schema, _LENGTHS)
    return _bounded(_KINDS.get(kind, same(kind)), schema, _BOUNDS)


def parts(schema: Schema, known: Schema, seen: frozenset[str] = frozenset()) -> tuple[Part, ...]:
    """The names that stand inside a parameter, wherever its schema holds them; alternatives follow one another."""
    found = [part for model in _models(schema, known, seen) for part in _parts_of(model, known, seen)]
    return tuple(dict.fromkeys(found)) if all(_hashable(part) for part in found) else tuple(found)


def _parts_of(model: tuple[Schema, frozenset[str]], known: Schema, seen: frozenset[str]) -> Iterator[Part]:
    schema, within = model
    for name, field in schema["properties"].items():
        yield Part(
            name,
            both(" ".join(field.get("description", "").split())),
            takes(field, known),
            name in schema.get("required", ()),
            field.get("default"),
            parts(field, known, seen | within),
        )


def _models(schema: Schema, known: Schema, seen: frozenset[str]) -> Iterator[tuple[Schema, frozenset[str]]]:
    """The objects with named fields that a schema holds, each once on its way down."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        if name not in seen:
            yield from _models(known[name], known, seen | {name})
        return
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _models(choice, known, seen)
    if "properties" in schema:
        yield schema, seen
    for inside in ("items", "additionalProperties"):
        if isinstance(schema.get(inside), Mapping):
            yield from _models(schema[inside], known, seen)


def _resolved(schema: Schema, known: Schema) -> Schema:
    return known[schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema


def _mapping(schema: Schema, known: Schema) -> Text:
    inside = schema.get("additionalProperties")
    inner = takes(inside, known) if isinstance(inside, Mapping) else NOTHING
    name = takes(schema.get("propertyNames", {}), known) or _NAME
    return _NAMED.filled(name=name, inner=inner) if inner else _MAPPING


def _bounded(kind: Text, schema: Schema, words: Mapping[str, Text]) -> Text:
    limits = [says.filled(limit=_limit(schema[key])) for key, says in words.items() if key in schema]
    return Text(", ".join([kind.en, *(t.en for t in limits)]), ", ".join([kind.de, *(t.de for t in limits)]))


def _limit(value: float) -> Text:
    """A bound in the digits of both languages; what a plan would need powers of ten for keeps them."""
    if value and (abs(value) < 1e-4 or abs(value) >= 1e15):
        return same(re.sub(r"e([+-])0*", r"e\1", f"{value:g}"))
    return Text(number(value, "en", 12), number(value, "de", 12))


def _hashable(part: Part) -> bool:
    return not isinstance(part.default, dict | list) and all(_hashable(inner) for inner in part.parts)
