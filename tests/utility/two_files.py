"""Small files for measures of categories and models."""

import numpy as np

from tarnkappe.data.column import SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata


def texts(**columns):
    return Microdata({n: Column.texts_of(list(c)) for n, c in columns.items()})


def mixed(roles=None, **columns):
    """Lists of strings become categories, everything else numbers."""
    made = {
        n: Column.texts_of(list(c)) if isinstance(next((v for v in c if v is not None), None), str) else Column.numbers_of(np.asarray(c))
        for n, c in columns.items()
    }  # fmt: skip
    return Microdata(made, roles or {})


def suppressed(data, name, cells):
    mark = np.zeros(len(data), dtype=bool)
    mark[list(cells)] = True
    assert SUPPRESSED == 2
    return data.with_columns({name: data.column(name).suppress(mark)})


def renumbered(data, first=-1):
    """The same values as records that nobody reported."""
    return Microdata(data.columns, data.roles, rows=first - np.arange(len(data), dtype=np.int64))
