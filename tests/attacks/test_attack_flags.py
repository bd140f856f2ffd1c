"""Flags attacked: what a flag says of a cell that is suppressed tells what was in it."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step


def persons(n=300):
    g = np.random.default_rng(5)
    rent = g.integers(0, 3, n) * 400.0
    return Microdata(
        {
            "region": Column.texts_of(g.choice(list("abc"), n).tolist()),
            "income": Column.numbers_of(g.lognormal(8, 0.7, n).round()),
            "wealth": Column.numbers_of(g.lognormal(10, 1, n).round()),
            "rent": Column.numbers_of(rent),
        },
        {"key": ("region",)},
    )


def done(data, *steps):
    for id, parameters in steps:
        data = apply_step(catalogue[id](**parameters), data, stream("flags", id))
    return data.sealed()


def told_by_flag(release, name, flag, says):
    """How many suppressed cells of a column a flag speaks of."""
    return np.count_nonzero(release.column(name).suppressed & (release.column(flag).texts() == says))


TOP = ("microdata.top-bottom-code", {"columns": ("income",), "upper": {"share": 0.05}})


def largest(data, name, count=6):
    return tuple(int(r) + 1 for r in np.argsort(-data.column(name).values)[:count])


@pytest.mark.parametrize("lone", ["refuse", "allow"])
def test_a_flag_goes_with_the_cell_it_describes(lone):
    data = persons()
    hide = (
        "microdata.suppress-cells",
        {"columns": ("income",), "records": largest(data, "income"), "lone": lone},
    )
    release = done(data, TOP, hide)
    assert np.count_nonzero(release.column("income").suppressed) == 6
    assert told_by_flag(release, "income", "income_limit", "upper") == 0
    assert np.count_nonzero(release.column("income_limit").texts() == "upper") >= 3, "the others keep it"


def test_also_after_further_steps_and_fewer_records():
    """Whatever stands between: the flag still knows its column."""
    data = persons()
    hidden = largest(data, "income")
    release = done(
        data, TOP,
        ("microdata.suppress-records", {"records": (7, 8, 9, 10)}),
        ("microdata.noise", {"columns": ("wealth",)}),
        ("microdata.suppress-cells", {"columns": ("income",), "records": hidden}),
        ("microdata.shuffle-rows", {}),
    )  # fmt: skip
    assert release.column("income").suppressed.any()
    assert told_by_flag(release, "income", "income_limit", "upper") == 0


def test_any_column_that_describes_another_goes_with_it():
    """A flag that says zero, as that of a ratio does, tells the suppressed rent."""
    data = persons()
    flagged = data.with_columns(
        {
            "why": Column.texts_of(
                ["zero" if r == 0 else "none" for r in data.column("rent").values], describes=("rent",)
            )
        }
    )
    release = done(flagged, ("microdata.suppress-cells", {"values": {"rent": ("0", "400")}, "share": 1}))
    assert told_by_flag(release, "rent", "why", "zero") == 0
    assert np.count_nonzero(release.column("why").texts() == "none") > 0
