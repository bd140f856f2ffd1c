"""A reader of published tables who puts all of them into one linear program; knows nothing of how they were protected."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

TOTAL = "Total"
Cell = tuple[str, frozenset[tuple[str, str]]]
"""Measure and codes, totals left out."""


@dataclass
class Reader:
    """Published cells, and the equations and bounds that hold between them."""

    shown: dict[Cell, float] = field(default_factory=dict)
    hidden: set[Cell] = field(default_factory=set)
    rows: list[dict[Cell, float]] = field(default_factory=list)
    bounds: dict[Cell, tuple[float, float]] = field(default_factory=dict)

    def read(self, file: Path, by: list[str], measure: str) -> list[Cell]:
        """A flat table: its cells, and that parts add up to totals."""
        cells = []
        with file.open() as lines:
            for row in csv.DictReader(lines):
                cell = (measure, frozenset((d, row[d]) for d in by if row[d] != TOTAL))
                cells.append(cell)
                if row["value"]:
                    self.shown[cell] = float(row["value"])
                else:
                    self.hidden.add(cell)
        known = set(cells)
        for codes in sorted({c[1] for c in cells}, key=sorted):
            for d in by:
                if d not in {name for name, _ in codes}:
                    parts = [
                        c for c in known if len(c[1]) == len(codes) + 1 and codes < c[1] and d in dict(c[1])
                    ]
                    if parts:
                        self.equation({(measure, codes): -1.0} | dict.fromkeys(parts, 1.0))
        return cells

    def equation(self, terms: Mapping[Cell, float]) -> None:
        self.rows.append(dict(terms))

    def intervals(self, wanted: Iterable[Cell]) -> dict[Cell, tuple[float, float]]:
        """Lowest and highest value of hidden cells that fit everything; cells in no table are unknown and not negative."""
        unknown = sorted(
            {c for row in self.rows for c in row if c not in self.shown}, key=lambda c: (c[0], sorted(c[1]))
        )
        place = {c: i for i, c in enumerate(unknown)}
        entries = [(r, place[c], w) for r, row in enumerate(self.rows) for c, w in row.items() if c in place]
        right = np.array(
            [-sum(w * self.shown[c] for c, w in row.items() if c in self.shown) for row in self.rows]
        )
        if not entries:
            return {}
        r, c, w = zip(*entries, strict=True)
        matrix = coo_array((w, (r, c)), shape=(len(self.rows), len(unknown))).tocsr()
        used = np.flatnonzero(np.diff(matrix.indptr))
        bounds = [self.bounds.get(cell, (0.0, None)) for cell in unknown]
        out = {}
        for cell in wanted:
            if cell in place:
                ends = []
                for sign in (1.0, -1.0):
                    cost = np.zeros(len(unknown))
                    cost[place[cell]] = sign
                    found = linprog(cost, A_eq=matrix[used], b_eq=right[used], bounds=bounds, method="highs")
                    if found.status == 3:
                        ends.append(sign * -np.inf)
                    else:
                        assert found.status == 0, found.message
                        ends.append(sign * found.fun)
                out[cell] = (ends[0], ends[1])
        return out


def exactly(intervals: Mapping[Cell, tuple[float, float]]) -> list[Cell]:
    """Cells that are known to less than a ten-thousandth."""
    return [c for c, (low, high) in intervals.items() if high - low <= 1e-4 * max(1.0, abs(high))]


def every(*codes: Iterable[tuple[str, str]]) -> Iterable[frozenset[tuple[str, str]]]:
    for one in product(*codes):
        yield frozenset(one)
