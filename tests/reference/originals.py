"""All whole-number originals of a small two-way table that fit what is published: by trying every one."""

import itertools

import numpy as np


def with_margins(x):
    """An array with its totals, in the order of the cells of a flat table: row and column 0 are the totals."""
    x = np.asarray(x)
    out = np.zeros((x.shape[0] + 1, x.shape[1] + 1))
    out[1:, 1:] = x
    out[0, 1:], out[1:, 0], out[0, 0] = x.sum(axis=0), x.sum(axis=1), x.sum()
    return out


def fitting(shape, most, fits):
    """Every table of whole numbers from 0 to `most` for which `fits(cells with margins)` holds."""
    for numbers in itertools.product(range(most + 1), repeat=shape[0] * shape[1]):
        cells = with_margins(np.reshape(numbers, shape))
        if fits(cells):
            yield cells.reshape(-1)


def ends(tables):
    """The least and largest value of every cell among some tables."""
    stacked = np.array(list(tables))
    return stacked.min(axis=0), stacked.max(axis=0)
