"""Every declared bound of a parameter, broken once: made from the schema, so no bound is forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tarnkappe.spec import Declared, plain

Schema = Mapping[str, Any]


def bad_values(cls: type[Declared]) -> Iterator[tuple[str, Any]]:
    """(parameter, a value that breaks one of its bounds)."""
    schema = cls.model_json_schema()
    for name, part in schema.get("properties", {}).items():
        for value in _broken(part, schema.get("$defs", {}), plain(cls.example.get(name))):
            yield name, value


def _broken(part: Schema, defs: Schema, good: Any) -> Iterator[Any]:
    """Values that a part of a schema does not allow; `good` is one that it does."""
    if "$ref" in part:
        yield from _broken(defs[part["$ref"].rsplit("/", 1)[-1]], defs, good)
    for branch in (*part.get("anyOf", ()), *part.get("oneOf", ())):
        yield from _broken(branch, defs, good)
    yield from _broken_number(part)
    yield from _broken_text(part)
    yield from _broken_list(part, defs, good)
    yield from _broken_mapping(part, defs, good)
    if "enum" in part or "const" in part:
        yield "none of these"


def _broken_number(part: Schema) -> Iterator[Any]:
    if "minimum" in part:
        yield part["minimum"] - 1
    if "maximum" in part:
        yield part["maximum"] + 1
    for bound in ("exclusiveMinimum", "exclusiveMaximum"):
        if bound in part:
            yield part[bound]


def _broken_text(part: Schema) -> Iterator[Any]:
    if part.get("minLength"):
        yield ""
    if "maxLength" in part:
        yield "x" * (part["maxLength"] + 1)


def _broken_list(part: Schema, defs: Schema, good: Any) -> Iterator[Any]:
    if part.get("type") != "array":
        return
    entries = list(good) if isinstance(good, list) and good else ["x"]
    if part.get("minItems"):
        yield entries[: part["minItems"] - 1]
    if "maxItems" in part:
        yield entries[:1] * (part["maxItems"] + 1)
    for bad in _broken(part.get("items", {}), defs, entries[0]):
        yield [*entries[1:], bad]


def _broken_mapping(part: Schema, defs: Schema, good: Any) -> Iterator[Any]:
    if part.get("type") != "object":
        return
    entries = dict(good) if isinstance(good, Mapping) else {}
    if part.get("minProperties"):
        yield {}
    known: Schema = part.get("properties", {})
    for name, inner in known.items():
        for bad in _broken(inner, defs, entries.get(name)):
            yield {**entries, name: bad}
    values = part.get("additionalProperties")
    if isinstance(values, Mapping):
        name, held = next(iter(entries.items()), ("x", None))
        for bad in _broken(values, defs, held):
            yield {**entries, name: bad}
