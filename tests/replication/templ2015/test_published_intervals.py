"""The interval risk that sdcMicro gives for its testdata; TARNKAPPE_TESTDATA names the file, which is not part of the project."""

import os

import pytest

from tarnkappe.io.read import read
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.interval_disclosure import IntervalDisclosure
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step

TESTDATA = os.environ.get("TARNKAPPE_TESTDATA", "")
NAMES = ("expend", "income", "savings")


@pytest.mark.skipif(not TESTDATA, reason="TARNKAPPE_TESTDATA names no file")
def test_interval_risk_of_averages():
    """sdcMicro 5.8.1: dRisk 0.129476 after MDAV with k = 3."""
    data = read(TESTDATA)
    after = apply_step(catalogue["microdata.mdav"](columns=NAMES, k=3), data, stream("any"))
    assert round(IntervalDisclosure(columns=NAMES).measure(after, before=data).value, 6) == 0.129476
