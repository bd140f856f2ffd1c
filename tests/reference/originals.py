"""All whole-number originals of a small two-way table: every one is tried."""

import numpy as np


def all_tables(shape, most):
    """(tables, cells) every table of whole numbers from 0 to `most` with its totals, cells in the order of a flat table."""
    inner = np.stack(np.meshgrid(*[np.arange(most + 1.0)] * (shape[0] * shape[1]), indexing="ij"), axis=-1)
    inner = inner.reshape(-1, *shape)
    out = np.empty((len(inner), shape[0] + 1, shape[1] + 1))
    out[:, 1:, 1:] = inner
    out[:, 0, 1:], out[:, 1:, 0] = inner.sum(axis=1), inner.sum(axis=2)
    out[:, 0, 0] = inner.sum(axis=(1, 2))
    return out.reshape(len(inner), -1)


def ends(tables):
    """The least and largest value of every cell among some tables."""
    return tables.min(axis=0), tables.max(axis=0)
