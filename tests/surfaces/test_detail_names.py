"""Every figure that is shown has a name in both languages: details of measures, and what steps tell recipients."""

import re

import pytest

from tarnkappe.randomness import stream
from tarnkappe.report.detail_names import NAMES
from tarnkappe.report.tables import flat
from tarnkappe.report.told import NAMES as TOLD
from tarnkappe.report.told import told
from tarnkappe.spec import Measure, Method, catalogue, plain
from tarnkappe.spec.parameters import build
from tarnkappe.testing import example_data

MEASURES = [cls for cls in catalogue if issubclass(cls, Measure)]
METHODS = [cls for cls in catalogue if issubclass(cls, Method) and cls.tells is not Method.tells]
DRAWN = {"bands", "quantiles", "from"}
"""Shown as a picture or a table of their own."""
BY_VALUE = re.compile(r"\d+(\.\d+)?%|\d+–\d*|.+\[.+\]")
"""Quantiles, bands of ages and levels of a regressor name themselves."""


def words(details):
    if isinstance(details, dict):
        for name, inner in details.items():
            yield str(name)
            yield from words(inner)
    elif isinstance(details, list | tuple):
        for inner in details:
            yield from words(inner)


@pytest.mark.parametrize("cls", MEASURES, ids=lambda cls: cls.id)
def test_details_are_named(cls):
    data = example_data()
    found = build(cls, cls.example).measure(data, data)
    said = {word for word in words(found.details) if not word.isdigit() and not BY_VALUE.fullmatch(word)}
    assert said - set(data.names) - DRAWN <= NAMES.keys()


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_what_recipients_are_told_has_words_in_both_languages(cls):
    data = example_data()
    method = build(cls, cls.example)
    after = method.apply(data, stream("0123456789abcdef" * 2, cls.id, 0))
    facts = plain(method.tells(data, after))
    rows = told(cls.id, facts)
    own = {*data.names, *after.names, *(str(key) for key in method.model_dump().get("into") or ())}
    values = (
        {str(key) for row in flat(facts) for key in row[0].split(" · ")} - own - TOLD.keys() - {"treated"}
    )
    assert all(key.isdigit() for key in values), values
    for name, value in rows:
        assert "_" not in re.sub(
            "|".join(map(re.escape, sorted(own, key=len, reverse=True))), "", name.de + name.en
        )
        if re.search("[a-z]{4}", value.en) and not set(re.split("[,:;] ", value.en)) & own:
            assert value.en != value.de or value.en in ("normal", "year"), value.en


def test_empty_facts_are_not_shown_and_matrices_are_counted():
    assert told("microdata.x", {"within": [], "unit": None, "noise": "additive, independent, normal"})[0][
        1
    ].de == ("additiv, unabhängig, normal")
    (row,) = told("microdata.pram", {"treated": [{"columns": ["job"], "strata": [{"matrix": [[1.0]]}]}]})
    assert row[0].de == "Übergangsmatrizen"
    assert row[1].en == "job: matrices and their corrections in about.json (1)"
