"""Section 6 of the report (specification, D-U02, D-U08, D-U15): vectors for categories, intervals and recoding."""

from __future__ import annotations

import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.estimates import Estimate
from tarnkappe.utility.categories import Categories
from tarnkappe.utility.compared_models import common
from tarnkappe.utility.recoding import Recoding
from tarnkappe.vocab import Role


def keyed(values):
    return Microdata({"v": Column.texts_of(values)}, {Role.KEY: ("v",)})


@pytest.mark.parametrize(("other", "value"), [((2, 14), 0.7333333), ((2, 8), 0.8), ((12, 14), -0.6)])
def test_overlap(other, value):
    assert common(Estimate(5, 0, 10), Estimate(0, *other)) == pytest.approx(value, abs=5e-8)


def test_ordinal_distance_counts_one_end():
    """From the first to the third of five categories: two of five."""
    order = ("very bad", "bad", "fair", "good", "very good")
    found = Categories(order={"v": order}).measure(
        keyed(["fair"] * 10), before=keyed(["very bad"] * 9 + ["fair"])
    )
    assert found.value == pytest.approx(0.9 * 2 / 5)
    nominal = Categories().measure(keyed(["fair"] * 10), before=keyed(["very bad"] * 9 + ["fair"]))
    assert nominal.value == pytest.approx(0.9)


def test_discernibility_and_class_size():
    """Twelve records in classes of 4, 4 and 4: Σ f² = 48, average class size 4, divided by k = 4 it is 1."""
    before = keyed([f"v{i}" for i in range(12)])
    after = keyed([f"c{i // 4}" for i in range(12)])
    found = Recoding(loss="discernibility").measure(after, before=before)
    assert found.details["after"] == 48
    size = Recoding(loss="class-size", k=4).measure(after, before=before)
    assert (size.details["after"], size.details["of_k"]) == (4, 1)
    removed = Recoding(loss="discernibility").measure(
        after.take([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), before=before
    )
    assert removed.details["after"] == 16 + 16 + 9 + 12
