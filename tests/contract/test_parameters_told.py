"""A card says what every parameter takes: its choices, its bounds and its default, also of what stands inside it."""

import pytest

from tarnkappe.language import LANGUAGES, Text, number
from tarnkappe.spec import catalogue
from tarnkappe.spec.allowed import parts, takes
from tarnkappe.spec.card import facts, markdown


@pytest.mark.parametrize("cls", [cls for cls in catalogue if cls.__pydantic_fields__], ids=lambda cls: cls.id)
def test_the_card_shows_what_is_allowed(cls):
    schema = cls.model_json_schema()
    told = {one["name"]: one for one in facts(cls)["parameters"]}
    for name, field in schema["properties"].items():
        said = told[name]["takes"]
        assert said["en"] and said["de"], name
        for choice in _choices(field, schema.get("$defs", {})):
            assert choice in said["en"], f"{name}: {choice} is allowed and not told"
            assert choice in said["de"], f"{name}: {choice} is allowed and not told"
        for lang in LANGUAGES:
            assert f"- `{name}` ({said[lang]}" in markdown(cls, lang)


def _choices(field, known):
    if "$ref" in field:
        yield from _choices(known[field["$ref"].rsplit("/", 1)[-1]], known)
    yield from (f"`{word}`" for word in field.get("enum", ()))
    for key in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
        if key in field and 1e-4 <= abs(field[key]) < 1000:
            yield number(field[key], "en", 12) if float(field[key]).is_integer() else ""
    for choice in (*field.get("anyOf", ()), *field.get("oneOf", ())):
        yield from _choices(choice, known)


def test_bounds_choices_and_defaults():
    card = markdown(catalogue["microdata.noise"], "en")
    assert "- `variance_ratio` (number, above 0; = 0.1): " in card
    assert "- `columns` (list, at least 1: text; required): " in card
    assert "- `treat` (`all`, `outliers`; = all): " in card
    assert "  - `largest` (number, above 1): " in card
    german = markdown(catalogue["microdata.noise"], "de")
    assert "- `variance_ratio` (Zahl, über 0; = 0.1): " in german
    assert "- `columns` (Liste, mindestens 1: Text; muss angegeben werden): " in german


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "integer", "minimum": 2, "maximum": 1000}, Text("whole number, at least 2, at most 1,000", "ganze Zahl, mindestens 2, höchstens 1.000")),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5}, Text("number, above 0, below 0.5", "Zahl, über 0, unter 0,5")),
        ({"type": "number", "minimum": 1e-09}, Text("number, at least 1e-9", "Zahl, mindestens 1e-9")),
        ({"type": "boolean"}, Text("`true`, `false`", "`true`, `false`")),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, Text("number", "Zahl")),
        ({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, Text("text; or list: text", "Text; oder Liste: Text")),
        ({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1}, Text("name: whole number, at least 1", "Name: ganze Zahl, mindestens 1")),
        ({"type": "array"}, Text("list", "Liste")),
        ({"type": "object"}, Text("mapping", "Zuordnung")),
        ({"const": "normal"}, Text("`normal`", "`normal`")),
    ],
)  # fmt: skip
def test_schemas_in_words(schema, said):
    assert takes(schema, {}) == said


def test_what_holds_itself_is_told_once():
    node = {"type": "object", "properties": {"below": {"$ref": "#/$defs/Node"}, "name": {"type": "string"}}}
    (below, name) = parts({"$ref": "#/$defs/Node"}, {"Node": node})
    assert (below.name, below.parts, name.name) == ("below", (), "name")
