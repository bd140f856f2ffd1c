"""The monthly report of manufacturing (Höhne 2010, Fig. 13 and 14; TV-17 and TV-18 of the specification), tested on tables and rules."""

from __future__ import annotations

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.pattern import Status
from tarnkappe.data.table import Contributions, Table
from tarnkappe.errors.tables import NotAdditive

COLUMNS = ("units", "employees", "workers", "hours", "wages", "salaries", "turnover")
FIG_13 = {
    "15": (141, 11475, 7706, 1601, 14150, 11230, 289168),
    "15.13": (26, 1456, 1144, 213, 1611, 681, 18494),
    "15.33": (5, 255, 185, 32, 255, 307, 7855),
    "15.51": (4, 188, 136, 27, 256, 178, 6284),
    "15.81": (71, 3621, 2343, 503, 3232, 2317, 28059),
    "15.84": (11, 1804, 1298, 254, 2525, 1855, 60398),
    "15.86": (5, 575, 415, 82, 1146, 541, 104028),
    "15.88": (11, 2739, 1760, 366, 3625, 3853, 39015),
    "15.91": (5, 165, 95, 25, 141, 219, 10944),
    "15.96": (3, 672, 330, 99, 1358, 1278, 14091),
}
ROUNDED = ("wages", "salaries")
"""Columns whose parts miss the printed sum by 1."""


def table(rows, value, count, **more):
    tree = from_tree("class", {"15": [code for code in rows if code != "15"]})
    order = [str(code) for code in tree.codes]
    nobody = np.zeros((len(order), 0))
    kept = Contributions(np.array([count[c] for c in order]), nobody, nobody.astype(np.int64))
    return Table(
        "15",
        (tree,),
        np.arange(len(order))[:, None],
        np.array([value[c] for c in order], float),
        kept,
        **more,
    )


@pytest.mark.parametrize("column", COLUMNS)
def test_tv17_the_nine_classes_add_up(column):
    at = COLUMNS.index(column)
    value, count = ({code: row[i] for code, row in FIG_13.items()} for i in (at, 0))
    if column in ROUNDED:
        with pytest.raises(NotAdditive):
            table(FIG_13, value, count)
        assert len(table(FIG_13, value, count, tolerance=1 / value["15"])) == 10
    else:
        assert table(FIG_13, value, count).value[0] == value["15"]


def test_tv17_needs_no_suppression():
    """After SAFE every class has at least three units."""
    value, count = ({code: row[i] for code, row in FIG_13.items()} for i in (6, 0))
    done = tk.protect(table(FIG_13, value, count), [tk.rule.MinimumFrequency(n=3)], tk.table.Quader())
    assert (done.pattern.status == Status.OPEN).all()


FIG_14 = {
    "15.13": (19, 1171), "15.2": (1, None), "15.33": (3, 97), "15.51": (2, None), "15.61": (2, None), "15.81": (56, 3300),
    "15.82": (2, None), "15.84": (11, 1869), "15.86": (5, 603), "15.87": (2, None), "15.88": (1, None), "15.89": (1, None),
    "15.91": (5, 134),
}  # fmt: skip
"""Units and employees of January 2006; None where the report has a dot. Five units of division 15 (115, 9,986) are not in the excerpt."""


def test_tv18_classes_with_one_or_two_units_are_primary():
    dots = [code for code, (_, employees) in FIG_14.items() if employees is None]
    shown = sum(employees or 0 for _, employees in FIG_14.values())
    guessed = (9986 - shown) // (len(dots) + 1)
    value = {code: guessed if employees is None else employees for code, (_, employees) in FIG_14.items()}
    count = {code: units for code, (units, _) in FIG_14.items()}
    value |= {"rest": 9986 - sum(value.values()), "15": 9986}
    count |= {"rest": 115 - sum(count.values()), "15": 115}
    assert count["rest"] == 5
    made = table(value, value, count)
    done = tk.protect(made, [tk.rule.MinimumFrequency(n=3)], tk.table.Quader()).pattern
    codes = made.codes(0)
    assert {str(code) for code in codes[done.primary]} == set(dots)
    assert done.status[0] == Status.OPEN  # the report shows division 15
