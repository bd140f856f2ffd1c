"""Gottschalk (2002): changes that grouping hides (section 2.1, G-U07), and shares of units and turnover that are lost (2.2, G-U06).

The paper states both in words; the vectors are constructed so that the answers can be counted.
"""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.utility.growth import Growth
from tarnkappe.utility.lost_share import LostShare
from tarnkappe.utility.ratios import Ratios

UNITS, YEARS = 10, 3
FIRM = np.repeat(np.arange(UNITS), YEARS)
YEAR = np.tile([1999, 2000, 2001], UNITS)
EMPLOYEES = np.array([[9, 11, 14]] * 5 + [[50, 50, 52]] * 5, dtype=float).ravel()


def panel(**columns):
    made = {
        n: Column.texts_of(c) if isinstance(c[0], str) else Column.numbers_of(np.asarray(c))
        for n, c in columns.items()
    }
    return Microdata({"firm": Column.numbers_of(FIRM), "year": Column.numbers_of(YEAR), **made})


def test_changes_within_a_class_become_invisible():
    """Classes below 10, 10 to 49, 50 and more: of 9 → 11 → 14 the second step is hidden, of 50 → 50 → 52 the one change there is."""
    before = panel(employees=EMPLOYEES)
    classes = [("<10", "10-49", "50+")[int(np.searchsorted([10, 50], v, side="right"))] for v in EMPLOYEES]
    found = Growth(unit="firm", period="year", columns=("employees",)).measure(
        panel(employees=classes), before=before
    )
    figures = found.details["columns"]["employees"]
    assert figures["true_changes"] == 15
    assert figures["invisible"] == pytest.approx(10 / 15)
    assert figures["growth_error"] is None
    assert not found.trusted


def test_growth_rates_under_a_factor():
    before = panel(employees=EMPLOYEES)
    kept = Growth(unit="firm", period="year").measure(panel(employees=EMPLOYEES * 1.2), before=before)
    assert kept.value == pytest.approx(0, abs=1e-12)
    turned = Growth(unit="firm", period="year").measure(panel(employees=200 - EMPLOYEES), before=before)
    assert turned.details["columns"]["employees"]["turned"] == pytest.approx(15 / 20)


def test_shares_lost():
    """Removing the five largest firms: half of the units, and their part of the employment."""
    before = panel(employees=EMPLOYEES)
    after = before.take(np.flatnonzero(FIRM < 5))
    found = LostShare(unit="firm", columns=("employees",)).measure(after, before=before)
    assert found.details["share_lost"] == {"records": 0.5, "units": 0.5}
    lost = EMPLOYEES[FIRM >= 5].sum() / EMPLOYEES.sum()
    assert found.details["columns"]["employees"]["share_lost"] == pytest.approx(lost)
    assert found.value == pytest.approx(lost)


def test_shared_factor_keeps_intensities():
    """TV-G3: turnover 10, employees 50 and R&D 0.5 with the factor 1.2 keep turnover per employee and R&D intensity."""
    base = np.array([10, 50, 0.5])
    rows = np.outer(np.linspace(1, 2, 12), base)
    factor = np.full(12, 1.2)
    before, after = (
        Microdata({n: Column.numbers_of(v[:, j]) for j, n in enumerate(("turnover", "employees", "rd"))})
        for v in (rows, rows * factor[:, None])
    )
    found = Ratios().measure(after, before=before)
    assert found.value == pytest.approx(0, abs=1e-12)
    shown = {(r["numerator"], r["denominator"]): r["ratio_after"] for r in found.details["worst_ratios"]}
    assert shown["turnover", "employees"] == pytest.approx(0.2)
    assert shown["rd", "turnover"] == pytest.approx(0.05)
