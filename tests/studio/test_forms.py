"""Forms made from declarations: every declared thing has one, and what is entered is what the plan gets."""

from __future__ import annotations

import pytest
from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.spec import catalogue, plain
from tarnkappe.spec.card import facts
from tarnkappe.studio.choices import has_words
from tarnkappe.studio.form_fields import NumbersField, WordsField
from tarnkappe.studio.forms import Form, form
from tarnkappe.studio.frame import Here, all_pages
from tarnkappe.studio.tasks.columns import KnownColumn
from tarnkappe.vocab import Kind

pytestmark = pytest.mark.anyio

COLUMNS = (
    KnownColumn("income", Kind.NUMBER, ("numeric",)),
    KnownColumn("sex", values=("f", "m")),
    KnownColumn("postcode", levels=("0", "land", "2")),
)


def here_of(visitor):
    return Here(visitor.session, all_pages()[0])


@pytest.fixture
async def form_of(visitor):
    """Draw a form on an open page: form_of(id, given) -> the form and the list of what it told."""
    await visitor.open("/open")
    with visitor.user:
        column = ui.column()

    def draw(id, given, known=COLUMNS):
        told = []
        with column:
            return Form(here_of(visitor), catalogue[id], given, told.append, known), told

    return draw


async def test_every_declared_thing_has_a_form_that_gives_back_its_example(form_of):
    for cls in catalogue:
        given = plain(dict(cls.example))
        made, _ = form_of(cls.id, given)
        assert made.read() == given, cls.id
        assert made.misfits == [], cls.id
        assert set(made._fields) == set(cls.__pydantic_fields__), cls.id
        empty, _ = form_of(cls.id, {})
        assert empty.read() == {}, cls.id
        required = {n for n, f in cls.__pydantic_fields__.items() if f.is_required()}
        assert {m.place[0] for m in empty.misfits if m.place} >= required, cls.id


def _choices(schema):
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("properties", {}).values()]
    for part in (inner, [schema["items"]] if "items" in schema else []):
        for one in part:
            yield from _choices(one)
    yield from schema.get("enum", ())


async def test_every_choice_has_words():
    wordless = []
    for cls in catalogue:
        whole = cls.model_json_schema()
        shapes = [
            *((p["name"], p["schema"]) for p in facts(cls)["parameters"]),
            *(pair for d in whole.get("$defs", {}).values() for pair in d.get("properties", {}).items()),
            *((name.lower(), d) for name, d in whole.get("$defs", {}).items() if "enum" in d),
        ]
        wordless += [
            (cls.id, n, v)
            for n, s in shapes
            for v in _choices(s)
            if isinstance(v, str) and not has_words(n, v)
        ]
    assert wordless == []


async def test_a_misfit_is_told_at_its_field_and_written_all_the_same(form_of, visitor):
    made, told = form_of("microdata.mdav", {"columns": ["income"]})
    made._fields["k"]._box.set_value(2)
    assert told == [{"columns": ["income"], "k": 2}]
    assert made._troubles["k"].visible
    assert "3" in made._troubles["k"].text
    made._fields["k"]._box.set_value(5)
    assert not made._troubles["k"].visible
    assert told[-1] == {"columns": ["income"], "k": 5}
    made._fields["k"]._box.set_value(3)
    assert told[-1] == {"columns": ["income"]}, "what is at its default is not written"
    visitor.session.lang = "de"
    made, _ = form_of("microdata.mdav", {})
    assert made._troubles["columns"].text == "muss angegeben werden"


async def test_levels_are_offered_by_name_and_kept_as_they_were_written(form_of):
    made, told = form_of("microdata.generalise", {"columns": {"postcode": 1}})
    pairs = made._fields["columns"]
    assert made.read() == {"columns": {"postcode": 1}}
    level = pairs._rows[0].value
    assert list(level._box.options) == ["0", "land", "2"]
    level._box.set_value("2")
    assert told[-1] == {"columns": {"postcode": 2}}
    level._box.set_value("land")
    assert told[-1] == {"columns": {"postcode": 1}}
    pairs._more()
    assert told[-1] == {"columns": {"postcode": 1}}, "a row without a column says nothing"
    pairs._rows[1].key._box.set_options(["sex"], value="sex")
    pairs._rows[1].value._box.set_value("1")
    assert told[-1] == {"columns": {"postcode": 1, "sex": 1}}
    pairs._remove(pairs._rows[0])
    assert told[-1] == {"columns": {"sex": 1}}


async def test_shapes_that_can_be_one_thing_or_another(form_of):
    made, told = form_of("microdata.top-bottom-code", {"columns": ["income"]})
    upper = made._fields["upper"]
    way = next(w for w, (_, s) in upper._ways.items() if s["type"] == "object")
    upper._box.set_value(way)
    upper._inner._parts["share"][0]._box.set_value(0.1)
    assert told[-1]["upper"] == {"share": 0.1}
    upper._box.set_value(None)
    assert "upper" not in told[-1]
    made, told = form_of("microdata.factor-noise", {"columns": ["income"]})
    made._fields["factors"]._box.set_value("uniform")
    assert told[-1]["factors"] == {"law": "uniform"}


async def test_yaml_that_cannot_be_read_changes_nothing(form_of):
    given = {"columns": ["income"], "step": {"use": "microdata.mdav", "columns": ["income"]}}
    made, told = form_of("microdata.restore-variance", given)
    made._fields["step"]._box.set_value("use: [")
    assert made._troubles["step"].visible
    assert told[-1]["step"] == given["step"]
    made._fields["step"]._box.set_value("use: microdata.mdav\ncolumns: [income]\nk: 4")
    assert told[-1]["step"]["k"] == 4
    assert not made._troubles["step"].visible


async def test_numbers_in_a_line_with_decimal_commas(form_of, visitor):
    visitor.session.lang = "de"
    made, told = form_of("utility.quantiles", {"shares": [0.25, 0.5]})
    assert isinstance(made._fields["shares"], NumbersField)
    assert made._fields["shares"]._box.value == "0,25; 0,5"
    made._fields["shares"]._box.set_value("0,1; 0,9")
    assert told[-1] == {"shares": [0.1, 0.9]}
    made._fields["shares"]._box.set_value("a")
    assert made._troubles["shares"].visible


async def test_parameters_that_the_declaration_does_not_know_are_kept_and_told(form_of):
    made, _ = form_of("microdata.drop", {"columns": ["sex"], "colums": ["income"]})
    assert made.read() == {"columns": ["sex"], "colums": ["income"]}
    assert made._troubles[""].visible


async def test_columns_are_offered_values_are_not(form_of):
    made, _ = form_of("microdata.suppress-cells", {"columns": ["income"], "values": {"sex": ["f"]}})
    assert isinstance(made._fields["columns"], WordsField)
    assert made._fields["columns"]._box.options == ["income", "sex", "postcode"]
    assert made._fields["values"]._rows[0].value._box.options == ["f", "m"]


async def test_a_form_without_data_offers_no_columns(visitor):
    await visitor.open("/open")
    with visitor.user, ui.column():
        made = await form(here_of(visitor), catalogue["microdata.drop"], {}, lambda _: None)
    assert made._fields["columns"]._box.options == []
    assert made.misfits[0].says == Text("is required", "muss angegeben werden")
