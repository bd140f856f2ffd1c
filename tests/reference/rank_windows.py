"""Who fits in all windows, pair by pair."""

import numpy as np


def fitting(x, y, windows):
    """(target, released record) -> fits, and the sum of squared moves in parts of the window; NaN is unknown."""
    n, m = x.shape
    fits, apart = np.ones((n, n), dtype=bool), np.zeros((n, n))
    for j in range(m):
        shown = sorted(v for v in y[:, j] if not np.isnan(v))
        for i in range(n):
            for k in range(n):
                if np.isnan(x[i, j]) or np.isnan(y[k, j]):
                    continue
                below, upto = sum(v < x[i, j] for v in shown), sum(v <= x[i, j] for v in shown)
                first, last = below, max(below, upto - 1)
                low, high = sum(v < y[k, j] for v in shown), sum(v <= y[k, j] for v in shown) - 1
                moved = max(0, low - last, first - high)
                fits[i, k] &= moved <= windows[j]
                apart[i, k] += (moved / (windows[j] + 1)) ** 2
    return fits, apart
