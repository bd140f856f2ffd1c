"""Wettig (2002), 4.6: tables with common cells. TV-23: twelve aligned subtables, each safe, give a value away together."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.attack.together import Attacker, attacked, joint_of
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.table import Table
from tarnkappe.methods.tables.quader import Quader
from tarnkappe.plan.linked_protection import Member, protect_linked

X = dict(enumerate((15, -2, -3, 5, 7, 8, 22, 18, 3, 17), start=1))
COLUMNS = ("c1", "c2", "S1", "c3", "c4", "S2", "c5", "c6", "S3", "T")
ROWS = {
    "r1": "X1 0 X1 X2 0 X2 X3 0 X3 10", "r2": "X4 0 X4 0 X5 X5 0 X6 X6 20", "R1": "20 0 20 X2 X5 X2+X5 X3 X6 X3+X6 30",
    "r3": "0 0 0 X7 0 X7 X8 0 X8 40", "r4": "0 0 0 0 X9 X9 0 X10 X10 20", "R2": "0 0 0 X7 X9 X7+X9 X8 X10 X8+X10 60",
    "T": "20 0 20 20 10 30 15 25 40 90",
}  # fmt: skip
"""L1235-1243; X1 to X10 are secret."""
ROW_GROUPS = (("R1", "r1", "r2"), ("R2", "r3", "r4"), ("T", "R1", "R2"))
COLUMN_GROUPS = (("S1", "c1", "c2"), ("S2", "c3", "c4"), ("S3", "c5", "c6"), ("T", "S1", "S2", "S3"))


def value(text):
    return sum(X[int(part[1:])] if part.startswith("X") else int(part) for part in text.split("+"))


def group(name, codes):
    return Hierarchy(name, np.array(codes, dtype=object), np.array([-1] + [0] * (len(codes) - 1)))


def subtable(rows, columns):
    """One of the twelve; values may be negative, so nothing is known of a secret cell beforehand."""
    cells, values, status = [], [], []
    for i, row in enumerate(rows):
        texts = dict(zip(COLUMNS, ROWS[row].split(), strict=True))
        for j, column in enumerate(columns):
            cells.append((i, j))
            values.append(float(value(texts[column])))
            hidden = "X" in texts[column]
            first = hidden and (row, column) == ("r1", "c1")
            status.append(Status.PRIMARY if first else Status.SECONDARY if hidden else Status.OPEN)
    trees = (group("row", rows), group("column", columns))
    table = Table(
        f"{rows[0]}{columns[0]}", trees, np.array(cells, dtype=np.int32), np.array(values), measure="x"
    )
    return Pattern(table, status=np.array(status, dtype=np.uint8), low=np.full(len(table), -np.inf))


@pytest.fixture
def subtables():
    return [subtable(rows, columns) for rows in ROW_GROUPS for columns in COLUMN_GROUPS]


def test_twelve_safe_subtables_give_two_cells_away_together(subtables):
    assert len(subtables) == 12
    outsider = Attacker(insiders="none")
    for pattern in subtables:
        assert not attacked(joint_of(PatternSet((pattern,)), outsider), exact=True).disclosed.any()
    over = PatternSet(tuple(subtables))
    assert len(over) == 70
    assert int(over.suppressed.sum()) == 32
    found = attacked(joint_of(over, outsider), exact=True)
    told = {
        over.tables.spelt(int(c)).split(": ")[1]: found.intervals.low[c]
        for c in np.flatnonzero(found.disclosed)
    }
    shown = {"r1 × c1": 15.0, "r1 × S1": 15.0, "r2 × c1": 5.0, "r2 × S1": 5.0}
    assert told == pytest.approx(shown)


def test_the_set_is_repaired_over_all_sums_together(subtables):
    """Without interval protection; the thesis repairs it with one zero, or with the two margins 10 and 20 (L1285-1297).

    The thesis finds (r2, c3) or (r2, c5) by cuboids of the extended table, as we do for one table
    (`test_tv23_repaired_in_the_extended_table`). Over a set a linear program looks for it and may find another zero that does as well.
    """
    outsider = Attacker(insiders="none")
    over = PatternSet(tuple(subtables)).aligned()
    for zeros, cost in (("free", 0.0), ("not-usable", 30.0)):
        method = Quader(span=0, zeros=zeros, insiders="none")
        after = protect_linked(over, [Member(method)] * 12, outsider)
        found = attacked(joint_of(after, outsider))
        assert found.holds
        added = after.suppressed & ~over.suppressed
        assert int(added.sum()) == (1 if zeros == "free" else 2)
        assert np.abs(over.tables.value[added]).sum() <= cost
