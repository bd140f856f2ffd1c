"""One command per method: the words of the terminal make the step that Python, a plan and JSON make."""

from __future__ import annotations

import json

import pytest

from surfaces.command import command
from tarnkappe.plan.document import parse, to_yaml
from tarnkappe.spec import catalogue, plain
from tarnkappe.spec.parameters import build

EVERYTHING = list(catalogue)


def words_for(example):
    """The example as somebody would type it."""
    words = []
    for name, value in plain(example).items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, list):
            words += [w for entry in value for w in (flag, flow(entry))]
        elif isinstance(value, dict):
            words += [w for key, entry in value.items() for w in (flag, f"{key}={flow(entry)}")]
        else:
            words += [flag, flow(value)]
    return words


def flow(value):
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("cls", EVERYTHING, ids=lambda cls: cls.id)
def test_the_example_typed_as_a_command(capsys, cls):
    made = build(cls, cls.example)
    said = command(capsys, "step", cls.id, *words_for(cls.example))
    assert (said.code, said.err) == (0, ""), said.err
    step = parse(said.out).content["steps"][0]
    assert step.pop("use") == cls.id
    assert build(cls, step) == made == cls(**cls.example), "command, plan and Python"
    assert build(cls, json.loads(json.dumps(made.model_dump(mode="json")))) == made, "JSON"


@pytest.mark.parametrize("cls", EVERYTHING, ids=lambda cls: cls.id)
def test_help_names_every_parameter(capsys, cls):
    said = command(capsys, "step", cls.id, "--help")
    assert said.code == 0
    for name in cls.__pydantic_fields__:
        assert f"--{name.replace('_', '-')}" in said.out, name
    assert cls.title.en in said.out


def test_a_step_can_be_put_into_a_plan_as_it_is(capsys):
    said = command(capsys, "step", "microdata.mdav", "--columns", "income", "--columns", "wealth", "--k", "5")
    assert said.out == to_yaml(
        {"steps": [{"use": "microdata.mdav", "columns": ["income", "wealth"], "k": 5}]}
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("microdata.mdav", "--columns", "income", "--k", "one"), "whole number"),
        (("microdata.mdav", "--columns", "income", "--k", "1"), "at least 3"),
        (("microdata.mdav",), "required"),
        (("microdata.mdav", "--columns", "income", "--kk", "3"), "--kk"),
        (("microdata.mdav", "--columns", "income", "--too-small", "ignore"), "one of"),
        (("microdata.mdav", "--columns", "[a", "--k", "3"), "YAML"),
        (("no.such",), "no.such"),
    ],
)
def test_what_does_not_fit_ends_with_2(capsys, monkeypatch, words, expected):
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    said = command(capsys, "step", *words)
    assert said.code == 2
    assert expected in said.err
    assert said.out == ""


def test_words_mean_what_they_mean_in_a_plan(capsys):
    """NO and 012 are text there, so they are here."""
    said = command(
        capsys, "step", "microdata.drop", "--columns", "NO", "--columns", "012", "--columns", "a b"
    )
    assert parse(said.out).content["steps"][0]["columns"] == ["NO", "012", "a b"]


@pytest.mark.parametrize("cls", EVERYTHING, ids=lambda cls: cls.id)
def test_the_schema_allows_the_example(cls):
    """As a form or an editor would check it: types, bounds and names of the JSON schema."""
    schema = cls.model_json_schema()
    example = plain(build(cls, cls.example).model_dump(mode="json"))
    assert set(example) == set(schema["properties"])
    for name, value in example.items():
        assert fits(schema["properties"][name], value, schema.get("$defs", {})), name


def fits(part, value, defs):
    if "$ref" in part:
        return fits(defs[part["$ref"].rsplit("/", 1)[-1]], value, defs)
    choices = part.get("anyOf") or part.get("oneOf")
    if choices:
        return any(fits(choice, value, defs) for choice in choices)
    if "enum" in part or "const" in part:
        return value in part.get("enum", [part.get("const")])
    kinds = {
        "array": list,
        "object": dict,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    if "type" in part and not isinstance(value, kinds[part["type"]]):
        return False
    if isinstance(value, list):
        return all(fits(part.get("items", {}), v, defs) for v in value)
    return not ("minimum" in part and value < part["minimum"])
