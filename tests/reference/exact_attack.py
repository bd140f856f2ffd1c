"""The attacker's intervals by the simplex method in fractions: slow, and without any rounding. Shares no code with the product."""

from fractions import Fraction

import numpy as np


class _Tableau:
    """All y ≥ 0 with matrix · y = right, brought to a corner."""

    def __init__(self, matrix, right):
        rows, self.count = len(matrix), len(matrix[0])
        self.rows = []
        for i, (row, b) in enumerate(zip(matrix, right, strict=True)):
            sign = -1 if b < 0 else 1
            art = [Fraction(int(i == j)) for j in range(rows)]
            self.rows.append([Fraction(sign * a) for a in row] + art + [sign * Fraction(b)])
        self.basis = [self.count + i for i in range(rows)]
        self._improve([Fraction(0)] * self.count + [Fraction(1)] * rows, self.count + rows)
        if sum(row[-1] for row, b in zip(self.rows, self.basis, strict=True) if b >= self.count) != 0:
            raise ValueError("contradiction")
        for i in reversed(range(rows)):
            if self.basis[i] >= self.count:
                free = [j for j in range(self.count) if self.rows[i][j] != 0]
                if free:
                    self._pivot(i, free[0])
                else:
                    del self.rows[i], self.basis[i]

    def smallest(self, price):
        """The least price · y; None where nothing bounds it."""
        return self._improve([Fraction(p) for p in price], self.count)

    def _improve(self, price, columns):
        while True:
            into = next((j for j in range(columns) if self._reduced(price, j) < 0), None)
            if into is None:
                return sum(
                    (price[b] * row[-1] for row, b in zip(self.rows, self.basis, strict=True)), Fraction(0)
                )
            steps = [
                (row[-1] / row[into], self.basis[i], i) for i, row in enumerate(self.rows) if row[into] > 0
            ]  # fmt: skip
            if not steps:
                return None
            self._pivot(min(steps)[2], into)

    def _reduced(self, price, j):
        return price[j] - sum(
            price[b] * row[j] for row, b in zip(self.rows, self.basis, strict=True) if price[b]
        )

    def _pivot(self, i, j):
        by = self.rows[i][j]
        self.rows[i] = [x / by for x in self.rows[i]]
        for k, row in enumerate(self.rows):
            if k != i and row[j] != 0:
                times = row[j]
                self.rows[k] = [x - times * y for x, y in zip(row, self.rows[i], strict=True)]
        self.basis[i] = j


def exact_intervals(matrix, value, hidden):
    """Both ends of every hidden cell that is not negative, as fractions; None: no end. Values are meant as they are written."""
    cells = np.flatnonzero(hidden)
    part = np.asarray(matrix)[:, cells]
    used = np.flatnonzero(np.abs(part).sum(axis=1))
    known = [Fraction(0) if h else Fraction(repr(float(v))) for v, h in zip(value, hidden, strict=True)]
    right = [
        -sum((int(a) * k for a, k in zip(matrix[r], known, strict=True) if a), Fraction(0)) for r in used
    ]
    if not len(used):
        return {int(c): (Fraction(0), None) for c in cells}
    tableau = _Tableau(part[used].astype(int).tolist(), right)
    ends = {}
    for at, cell in enumerate(cells.tolist()):
        unit = [int(k == at) for k in range(len(cells))]
        high = tableau.smallest([-u for u in unit])
        ends[cell] = (tableau.smallest(unit), None if high is None else -high)
    return ends
