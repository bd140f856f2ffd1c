"""-0.0 and 0.0 are one number: neither the file nor a count tells them apart."""

from __future__ import annotations

import numpy as np

from plans.workshop import ANYTHING, SECRET, VARIABLE, checked
from tarnkappe.data.column import Column
from tarnkappe.data.digest import digest_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.report.release import release

ONE, OTHER = np.array([0.0, 1.5, 0.0]), np.array([0.0, 1.5, -0.0])


def test_columns_hold_one_zero():
    column = Column.numbers_of(OTHER)
    assert not np.signbit(column.values).any()
    assert np.signbit(OTHER).any(), "what was given is left as it was"
    assert not np.signbit(column.with_numbers(np.array([-0.0, -0.0, 1.5])).values).any()


def test_fingerprints_are_the_same():
    first, second = (digest_of(Microdata({"x": Column.numbers_of(x)})) for x in (ONE, OTHER))
    assert first == second


def test_a_release_shows_one_zero(tmp_path, monkeypatch):
    """Counted as one class of sixty, so it must look like one."""
    monkeypatch.setenv(VARIABLE, SECRET)
    values = ["0.0"] * 59 + ["-0.0"] + ["2.5"] * 60
    plan = {
        "tarnkappe": 1, "title": "Zeros", "data": {"file": "people.csv", "roles": {"key": ["change"]}}, "seed": {"secret": "survey"},
        "release": {"formats": ["csv"]}, "release_if": [{"measure": "risk.k-anonymity", "at_least": 60}], "accept": ANYTHING,
    }  # fmt: skip
    rows = "change,kind\n" + "".join(f"{v},{'ab'[i % 2]}\n" for i, v in enumerate(values))
    release(checked(tmp_path / "in", plan, rows), tmp_path / "out")
    lines = (tmp_path / "out" / "data.csv").read_text().splitlines()[1:]
    shown = [line.split(",")[0] for line in lines]
    assert {v: shown.count(v) for v in shown} == dict.fromkeys(set(shown), 60)
