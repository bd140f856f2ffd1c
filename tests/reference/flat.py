"""Tables from plain arrays, with all totals: row and column 0 of every dimension is the total."""

import itertools

import numpy as np

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Pattern, Sensitivity
from tarnkappe.data.table import Contributions, Table
from tarnkappe.language import Text


def flat_dimension(name, codes):
    return Hierarchy(name, np.array(["T", *codes], dtype=object), np.array([-1] + [0] * len(codes)))


def flat_table(x, counts=None, **settings):
    """Every cell of an array and every sum over some of its axes."""
    x = np.asarray(x)
    dimensions = [
        flat_dimension("rcdefg"[j], [str(i + 1) for i in range(size)]) for j, size in enumerate(x.shape)
    ]
    places = list(itertools.product(*(range(size + 1) for size in x.shape)))
    chosen = [tuple(slice(None) if i == 0 else i - 1 for i in place) for place in places]
    kept = None
    if counts is not None:
        count = np.array([np.asarray(counts)[c].sum() for c in chosen])
        sole = np.array([[number if n == 1 else -1] for number, n in enumerate(count)])
        kept = Contributions(count, np.where(sole >= 0, 1.0, 0.0), sole)
    return Table(
        "t",
        tuple(dimensions),
        np.array(places, dtype=np.int32),
        np.array([x[c].sum() for c in chosen], float),
        kept,
        **settings,
    )


def cell(table, *codes):
    """The row of a cell given by its codes."""
    nodes = [h.positions([code])[0] for h, code in zip(table.dimensions, codes, strict=True)]
    return int(table.find(np.array([nodes], dtype=np.int32))[0])


def suppressing(table, cells, lower=0.5, upper=0.5):
    """A pattern with these cells as primary; each is given by its codes."""
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[[cell(table, *codes) for codes in cells]] = True
    return Pattern(table).marked(
        Sensitivity(mask, np.where(mask, lower, 0.0), np.where(mask, upper, 0.0), Text("x", "x"))
    )
