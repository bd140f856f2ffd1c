"""A table in billions is judged like the same table in units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reference.flat import cell, flat_table, suppressing
from tarnkappe.attack.foreign import audit
from tarnkappe.data.pattern import Pattern, Sensitivity
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.system import system_of
from tarnkappe.language import Text
from tarnkappe.methods.tables.cuboid_noise import CuboidNoise
from tarnkappe.methods.tables.quader import Quader
from tarnkappe.plan.linked_audit import set_findings
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.table_audit import TableAudit

INNER = [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]
SCALES = [1e-300, 1e-12, 1e-8, 1e-6, 1.0, 1e12, 1e290]


def square(scale, required):
    """100 lies between 99 and 180, whatever the unit (Wettig 2002, L581-635)."""
    table = flat_table(np.array([[100.0, 80.0], [90.0, 1.0]]) * scale)
    pattern = suppressing(table, INNER, 0.0, 0.0)
    at = cell(table, "1", "1")
    lower = np.zeros(len(table))
    lower[at] = required * scale
    return replace(pattern, lower=lower)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("required", "holds"), [(0.5, True), (5.0, False)])
def test_the_audit_does_not_depend_on_the_unit(scale, required, holds):
    pattern = square(scale, required)
    assert TableAudit(insiders="none").audit(pattern).holds is holds
    assert set_findings(PatternSet((pattern,)), [TableAudit(insiders="none")])[0].value == holds
    assert audit(system_of(pattern)).narrow.any() != holds


@pytest.mark.parametrize("scale", SCALES)
def test_methods_do_not_depend_on_the_unit(scale):
    rng = np.random.default_rng(5)
    table = flat_table(np.round(rng.lognormal(3, 1, (4, 4)), 2) * scale)
    marked = np.zeros(len(table), dtype=bool)
    marked[[cell(table, "1", "2"), cell(table, "3", "3")]] = True
    need = np.where(marked, 0.2 * table.value, 0.0)
    pattern = Pattern(table).marked(Sensitivity(marked, need, need, Text("rule", "Regel")))
    after = Quader().protect(pattern, None)
    assert TableAudit().audit(after).holds
    assert after.suppressed.sum() == 6
    if scale > 1e12:  # noise is refused there
        return
    noisy = CuboidNoise().protect(pattern, stream("a secret of these tests", "table.cuboid-noise"))
    assert (np.abs(noisy.shown - table.value)[marked] >= 0.2 * table.value[marked] * (1 - 1e-6)).all()
