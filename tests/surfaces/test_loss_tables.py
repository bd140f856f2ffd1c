"""Tables of what numbers lost: figures that the findings have, in both languages."""

import math

import numpy as np
import pytest

from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.report.losses import _BY_COLUMN, by_column, groups, ratios
from tarnkappe.report.measures import views
from tarnkappe.report.numbers import NONE
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.testing import example_data

PLAIN = {
    "utility.growth": {"unit": ["sex"], "period": "age"},
    "utility.subgroups": {"within": ["sex"]},
}


def entry(id):
    before = example_data(200)
    names = ["income", "employees"]
    noise = np.random.default_rng(1).uniform(0.7, 1.3, (200, 2))
    after = before.with_numbers(names, before.numbers(names) * noise).take(np.arange(180))
    measure = build(catalogue[id], {"columns": names, **PLAIN.get(id, {})})
    return MeasureEntry(measure, None, measure.measure(after, before=before), 0.0, None)


@pytest.mark.parametrize("id", _BY_COLUMN)
def test_every_heading_has_its_figure(id):
    (table,) = by_column(entry(id))
    assert [row[0].en for row in table.rows] == ["income", "employees"]
    assert all(len(row) == len(table.heads) for row in table.rows)
    for at in range(1, len(table.heads)):
        assert any(row[at] != NONE for row in table.rows), table.heads[at]


def test_lists_of_groups_and_ratios():
    (table,) = groups(entry("utility.subgroups"))
    assert {row[0].en for row in table.rows} == {"sex"}
    assert all(row[3].en.endswith("%") for row in table.rows)
    assert all(row[4].de == "nein" for row in table.rows)
    (table,) = ratios(entry("utility.ratios"))
    assert {row[0].en for row in table.rows} == {"income", "employees"}


def test_verdicts_are_german_in_german():
    (table,) = by_column(entry("utility.variances"))
    assert {row[-1].de for row in table.rows} <= {"brauchbar", "zweifelhaft", "unbrauchbar"}


@pytest.mark.parametrize("id", [*_BY_COLUMN, "utility.subgroups", "utility.ratios"])
def test_views_show_them_once(id):
    (view,) = views([entry(id)], "utility")
    assert len(view.tables) == 1
    assert not math.isnan(view.finding.value)
