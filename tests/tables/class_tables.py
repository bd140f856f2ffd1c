"""Distributions in classes for tests: persons by class and column, merged, and as shown."""

from __future__ import annotations

import numpy as np

from tables.trees import hierarchy
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.methods.tables.class_merge import ClassMerge
from tarnkappe.randomness import public_stream as stream

INCOME = [
    "0", "100-30000", "30100-60000", "1000100-1200000", "1200100-1400000", "1400100-1600000", "1600100 and more",
]  # fmt: skip
BASIC, MARRIED = [27, 31, 15, 0, 0, 1, 0], [23, 32, 51, 0, 0, 0, 0]


def distribution(classes, columns, sparse=True):
    """Persons by class and column, with all sums; columns: {code: persons in every class}."""
    income = hierarchy("income", {"all": None} | dict.fromkeys(classes, "all"))
    tariff = hierarchy("tariff", {"total": None} | dict.fromkeys(columns, "total"))
    dense = np.zeros((len(classes) + 1, len(columns) + 1))
    dense[1:, 1:] = np.array(list(columns.values()), dtype=float).T
    dense[0], dense[:, 0] = dense.sum(axis=0), dense.sum(axis=1)
    dense[0, 0] = dense[1:, 1:].sum()
    cells = np.argwhere(dense > (0 if sparse else -1))
    return Table("persons", (income, tariff), cells, dense[tuple(cells.T)], counts=True)


def merged(table, pattern=None, **options):
    method = ClassMerge(**({"dimension": "income"} | options))
    before = pattern or Pattern(table)
    after = method.protect(before, stream("classes"))
    for claim in (*method.preserves, *method.protects):
        assert not claim.applies(method) or claim.check(method, before, after), claim.says.en
    return after


def shown(after, column):
    """{class: persons} of a column."""
    table = after.table
    classes, tariff = table.codes(0), table.codes(1)
    counted = {str(c): 0 for c in table.dimensions[0].codes[1:]}
    return counted | {
        c: int(v) for c, t, v in zip(classes, tariff, table.value, strict=True) if t == column and c != "all"
    }
