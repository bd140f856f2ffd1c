"""Checks of a declaration: names, languages, parameters, and the ways to write them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.language import LANGUAGES, Text
from tarnkappe.plan.document import parse, step_as_plain, to_yaml
from tarnkappe.spec import Declared, plain
from tarnkappe.spec.card import facts, markdown
from tarnkappe.spec.parameters import build, describe
from tarnkappe.testing.bad_values import bad_values
from tarnkappe.testing.telling import as_json, assert_silent, words_of
from tarnkappe.testing.variants import MARKERS

_ID = re.compile(r"[a-z0-9]+(\.[a-z0-9]+(-[a-z0-9]+)*)+")


def example(cls: type[Declared]) -> Declared:
    """The declared thing with the parameters of its example."""
    return build(cls, cls.example)


def named_well(cls: type[Declared]) -> None:
    """An id is ``family.words-with-hyphens``; the file is called like its last part."""
    assert _ID.fullmatch(cls.id), f"{cls.id!r} is not of the form family.words-with-hyphens"
    file, last = cls.module.rsplit(".", 1)[-1], cls.id.rsplit(".", 1)[-1]
    assert file == last.replace("-", "_"), f"{cls.id} is declared in the file {file!r}"


def speaks_both_languages(cls: type[Declared]) -> None:
    """Sentences are there in English and in German, and are not the same."""
    sentences = [cls.does, *cls.does_not, *(describe(cls, name) for name in cls.__pydantic_fields__)]
    sentences += [claim.says for side in ("preserves", "protects") for claim in getattr(cls, side, ())]
    for sentence in sentences:
        assert sentence.en, f"{cls.id}: a sentence has no English"
        assert sentence.de not in ("", sentence.en), f"{cls.id}: {sentence.en!r} has no German"


def example_shows_every_parameter(cls: type[Declared]) -> None:
    """No parameter is at its default, so one that gets lost on the way shows."""
    made = example(cls)
    for name, field in cls.__pydantic_fields__.items():
        assert name in cls.example, f"{cls.id}: the example does not give {name!r}"
        if not field.is_required():
            default = field.get_default(call_default_factory=True, validated_data={})
            assert getattr(made, name) != default, f"{cls.id}: the example leaves {name!r} at its default"


def doors_lead_to_the_same_object(cls: type[Declared]) -> None:
    """Python, a plan, JSON and the schema agree."""
    made = example(cls)
    assert cls(**cls.example) == made, f"{cls.id}: Python and the plan differ"
    step = parse(to_yaml({"steps": [step_as_plain(made)]})).content["steps"][0]
    assert step.pop("use") == cls.id, f"{cls.id}: a plan names another step"
    assert build(cls, step) == made, f"{cls.id}: does not come back from a plan as it went in"
    again = json.loads(as_json(made.model_dump(mode="json"), cls.id))
    assert build(cls, again) == made, f"{cls.id}: does not come back from JSON as it went in"
    _schema_agrees(cls)


def _schema_agrees(cls: type[Declared]) -> None:
    schema = cls.model_json_schema()
    fields = cls.__pydantic_fields__
    properties: Mapping[str, Any] = schema.get("properties", {})
    assert set(properties) == set(fields), f"{cls.id}: the schema has other parameters"
    assert schema.get("additionalProperties") is False, f"{cls.id}: the schema allows unknown parameters"
    needed = {name for name, field in fields.items() if field.is_required()}
    assert set(schema.get("required", ())) == needed, f"{cls.id}: the schema requires other parameters"
    for name, part in properties.items():
        assert part.get("description") == fields[name].description, f"{cls.id}: {name!r} is not described"
        if "default" in part:
            default = fields[name].get_default(call_default_factory=True, validated_data={})
            assert part["default"] == plain(default), f"{cls.id}: {name!r} has another default in the schema"


def unknown_parameters_are_refused(cls: type[Declared]) -> None:
    """A misspelt parameter is refused, and the right one suggested."""
    names = list(cls.__pydantic_fields__) or ["anything"]
    for name in names:
        misspelt = name + name[-1]
        said = _refusal(cls, {**cls.example, misspelt: 1})
        assert misspelt in said, f"{cls.id}: does not name the unknown parameter {misspelt!r}"
        if name in cls.__pydantic_fields__:
            assert f"Did you mean {name!r}" in said, f"{cls.id}: does not suggest {name!r} for {misspelt!r}"


def bounds_hold(cls: type[Declared]) -> None:
    """Every declared bound, broken once, is refused in a sentence that names the parameter."""
    for name, value in bad_values(cls):
        said = _refusal(cls, {**cls.example, name: value})
        assert name in said, f"{cls.id}: the refusal of a bad {name!r} does not name it"


def _refusal(cls: type[Declared], parameters: Mapping[str, Any]) -> str:
    try:
        build(cls, parameters)
    except ParameterWrong as refused:
        return words_of(refused)
    raise AssertionError(f"{cls.id}: accepts {dict(parameters)}")


def parameters_are_not_echoed(cls: type[Declared]) -> None:
    """A value given in the wrong place may be one of the data: it is not repeated."""
    for name in cls.__pydantic_fields__:
        for wrong in (MARKERS[0], [[MARKERS[0]]], {"a": {"b": MARKERS[0]}}, float(MARKERS[1])):
            try:
                build(cls, {**cls.example, name: wrong})
            except TarnkappeError as refused:
                assert_silent(words_of(refused), f"{cls.id}: {name}")


def card_is_complete(cls: type[Declared]) -> None:
    """The card is plain data, and shows every text in both languages."""
    as_json(facts(cls), f"{cls.id}: card")
    for lang in LANGUAGES:
        shown = markdown(cls, lang)
        texts: list[Text] = [cls.title, cls.does, *cls.does_not]
        assert all(text.in_(lang) in shown for text in texts), (
            f"{cls.id}: the card leaves something out ({lang})"
        )
