"""Estimates and scores stand side by side in reports, in both languages."""

from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.report.measures import views
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.testing import example_data
from tarnkappe.testing.measures import protected


def view(id, **parameters):
    before = example_data()
    measure = build(catalogue[id], parameters or catalogue[id].example)
    return views(
        [MeasureEntry(measure, None, measure.measure(protected(before), before=before), 0.0)], "utility"
    )[0]


def test_coefficients_have_a_row_each():
    shown = view("utility.regression", formula="income ~ age + sex")
    (table,) = shown.tables
    assert [row[0].de for row in table.rows][:2] == ["Konstante", "age"]
    assert len(table.rows) == 3
    assert all(len(row) == len(table.heads) == 6 for row in table.rows)
    assert not any("coefficient " in row[0].en for more in shown.more for row in more.rows)


def test_an_impossible_model_has_no_table():
    before = example_data()
    measure = build(catalogue["utility.regression"], {"formula": "income ~ age"})
    found = measure.measure(before.without(["age"]), before=before)
    (shown,) = views([MeasureEntry(measure, None, found, 0.0)], "utility")
    assert shown.tables == ()
    assert "age" in found.because.de


def test_actuarial_figures_and_scores():
    (table,) = view("utility.actuarial").tables
    assert "Schadenhäufigkeit" in [row[0].de for row in table.rows]
    (score,) = view("utility.score").tables
    assert [row[0].en for row in score.rows] == ["utility.contingency", "utility.moments"]
