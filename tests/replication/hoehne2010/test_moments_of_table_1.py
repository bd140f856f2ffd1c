"""Höhne (2010), table 1: twelve values and their microaggregates with preserved variance.

Printed: mean 1 270 and 1 270,0, standard deviation 72,9 and 72,9. Only the divisor n reproduces it (n - 1 gives 76,2).
Tolerance: the printed digits, and 1e-8 for the unrounded values of the specification.
"""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.utility.moments import MomentsBeforeAfter

ORIGINAL = [1200, 1210, 1220, 1230, 1240, 1250, 1260, 1270, 1280, 1290, 1300, 1490]
PRINTED = [1203.8] * 2 + [1226.2] * 2 + [1243.8] * 2 + [1266.2] * 2 + [1253.1] * 2 + [1426.9] * 2
UNROUNDED = np.repeat([1203.819660, 1226.180340, 1243.819660, 1266.180340, 1253.109264, 1426.890736], 2)


def measured(after):
    before = Microdata({"x": Column.numbers_of(np.array(ORIGINAL))})
    return MomentsBeforeAfter().measure(Microdata({"x": Column.numbers_of(np.array(after))}), before=before)


def test_as_printed():
    found = measured(PRINTED).details["columns"]["x"]
    assert round(found["before"]["mean"]) == 1270
    assert round(found["after"]["mean"], 1) == 1270.0
    assert round(found["before"]["sd"], 1) == round(found["after"]["sd"], 1) == 72.9


def test_unrounded():
    finding = measured(UNROUNDED)
    found = finding.details["columns"]["x"]
    assert found["before"]["sd"] == pytest.approx(72.915476181, rel=1e-10)
    assert found["error"]["sd"] == pytest.approx(0, abs=1e-8)
    assert finding.value == pytest.approx(0, abs=1e-8)
