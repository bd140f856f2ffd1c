"""Files for attacks by linkage: persons, and releases of them."""

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.vocab import Role

KEYS = ("sex", "place", "job", "age", "income")


def persons(n=200, seed=1):
    draw = np.random.default_rng(seed)
    columns = {
        "sex": _texts(draw.integers(2, size=n), "s"),
        "place": _texts(draw.integers(8, size=n), "p"),
        "job": _texts(draw.integers(6, size=n), "j"),
        "age": Column.numbers_of(draw.integers(18, 80, n)),
        "income": Column.numbers_of(np.exp(7 + 0.6 * draw.standard_normal(n))),
        "half": _texts(np.arange(n) % 2, "h"),
    }
    return Microdata(columns, {Role.KEY: KEYS})


def _texts(codes, letter):
    return Column.texts_of([f"{letter}{c}" for c in codes])


def shuffled(data, seed=2):
    """The same records in another order."""
    return data.take(np.random.default_rng(seed).permutation(len(data)))


def strangers(data, names=KEYS, seed=3):
    """Every record gets the keys of a random other one, all of them together."""
    order = np.random.default_rng(seed).permutation(len(data))
    return data.with_columns({name: data.column(name).take(order) for name in names})


def noisy(data, share=0.2, relative=0.1, seed=4):
    """Categories exchanged at random, numbers with relative noise."""
    draw = np.random.default_rng(seed)
    columns = {}
    for name in KEYS:
        column = data.column(name)
        if column.categories is None:
            values = column.numbers() * (1 + relative * draw.standard_normal(len(data)))
            columns[name] = Column.numbers_of(values)
        else:
            wrong = draw.random(len(data)) < share
            codes = np.where(wrong, draw.permutation(column.values), column.values)
            columns[name] = Column.coded(codes, column.categories)
    return data.with_columns(columns)
