"""Every figure in the details of a risk measure has a name in both languages."""

import pytest

from tarnkappe.report.detail_names import NAMES
from tarnkappe.spec import Measure, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.testing import example_data

RISKS = [cls for cls in catalogue if issubclass(cls, Measure) and cls.id.startswith("risk.")]
DRAWN = {"bands", "quantiles", "from"}
"""Shown as a picture or a table of their own."""


def words(details):
    if isinstance(details, dict):
        for name, inner in details.items():
            yield str(name)
            yield from words(inner)
    elif isinstance(details, list | tuple):
        for inner in details:
            yield from words(inner)


@pytest.mark.parametrize("cls", RISKS, ids=lambda cls: cls.id)
def test_details_are_named(cls):
    data = example_data()
    found = build(cls, cls.example).measure(data, data)
    told = {word for word in words(found.details) if not word.isdigit()} - set(data.names) - DRAWN
    assert told <= NAMES.keys()
