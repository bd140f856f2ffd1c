"""All published tables as one set of equations, with what the released records add up to and measures that add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import lsqr

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.guess import Attempt, CellGuess
from tarnkappe.data.seen import Seen, SeenTable
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Attack, Source, attack

MOST_CELLS = 20_000
"""Larger sets of tables are left to slower programs."""
MOST_PROGRAMS = 40
"""So many hidden cells are followed to both ends of their interval."""
MOST_UNKNOWN = 500
"""The same, where no more is hidden in all."""
STEPS = 2_000
"""So long it is looked for what equations leave open."""
TELLING = 5
"""Shown cells in which measures must agree before a relation between them is believed."""
AGREE = 0.9
"""Records add up to a table when they do so in this share of its shown cells."""
CLOSE = 1e-6
Cell = tuple[str, frozenset[tuple[str, str]]]
_HOW = Text(
    "sums and differences of the published tables, of measures that add up, and of the released records",
    "Summen und Differenzen der veröffentlichten Tabellen, von Merkmalen, die sich summieren, und der freigegebenen Datensätze",
)
_LARGE = Text("sets of so many cells", "Mengen so vieler Zellen")


@attack(
    "attack.tables-together",
    title=Text("All tables read together", "Alle Tabellen zusammen gelesen"),
    does=Text(
        "Works out hidden cells from all published tables together, from measures that add up in them, and from the released records.",
        "Errechnet verborgene Zellen aus allen veröffentlichten Tabellen zusammen, aus Merkmalen, die sich darin summieren, und aus den freigegebenen "
        "Datensätzen.",
    ),
    sources=(
        Source("wettig2002", "section 4.6: linked tables"),
        Source("hundepool2012", "ch. 4, the attacker's intervals"),
    ),
    knows=Text(
        "The stranger has all published files and knows that parts add up to their sums and that amounts are not negative unless some are shown so.",
        "Der Fremde hat alle veröffentlichten Dateien und weiß, dass sich Teile zu ihren Summen addieren und Beträge nicht negativ sind, wenn keine "
        "negativen gezeigt werden.",
    ),
    helps=Text(
        "Publish the tables by one plan, so that they are protected as one set; declare under relations what adds up; mask or drop in the records what "
        "a table protects.",
        "Veröffentlichen Sie die Tabellen mit einem Plan, damit sie gemeinsam geschützt werden; nennen Sie unter relations, was sich summiert; verändern "
        "oder entfernen Sie in den Datensätzen, was eine Tabelle schützt.",
    ),
    does_not=(
        Text(
            "guess which categories of one table lie in which of another: only equal codes are put together",
            "erraten, welche Kategorien einer Tabelle in welchen einer anderen liegen: nur gleiche Codes werden zusammengebracht",
        ),
    ),
    example={},
)
class TablesTogether(Attack):
    """Every hidden cell is an unknown, every sum an equation.

    Cells of different tables are the same where the measure and all codes below the totals are. Where three measures add up in all cells that show all of
    them, the stranger supposes that they do everywhere. Where the released records add up to nearly all shown cells of a table, he takes their
    sums for the hidden ones. Cells that the equations fix are known for certain; for a few others the interval is followed to its ends.
    """

    def attempt(self, seen: Seen) -> Attempt:
        tables = [table for table in seen.tables if not np.isin(table.status, ("rounded", "perturbed")).any()]
        hidden = sum(len(table.hidden) for table in tables)
        if not hidden:
            return Attempt(0)
        if sum(map(len, tables)) > MOST_CELLS:
            return Attempt(0, (), _LARGE)
        book = _Book()
        names = [book.enter(table) for table in tables]
        book.relate(sorted({table.measure for table in tables}))
        for table, cells in zip(tables, names, strict=True):
            book.from_records(seen, table, cells)
        found = book.solved([c for t, cells in zip(tables, names, strict=True) for c in _hidden(t, cells)])
        guesses = (_guessed(table, cells, found) for table, cells in zip(tables, names, strict=True))
        return Attempt(hidden, tuple(guess for guess in guesses if guess is not None), NOTHING)


def _hidden(table: SeenTable, cells: Sequence[Cell]) -> list[Cell]:
    return [cells[i] for i in table.hidden.tolist()]


def _guessed(
    table: SeenTable, cells: Sequence[Cell], found: Mapping[Cell, tuple[float, float]]
) -> CellGuess | None:
    places = [i for i in table.hidden.tolist() if cells[i] in found]
    if not places:
        return None
    low, high = np.array([found[cells[i]] for i in places]).T
    sure = high - low <= CLOSE * np.maximum(1.0, np.abs(high))
    return CellGuess(table.name, np.array(places, dtype=np.int64), low, high, sure, _HOW)


@dataclass
class _Book:
    """What is known of every cell, and the equations between them."""

    known: dict[Cell, float] = field(default_factory=dict)
    between: dict[Cell, tuple[float, float]] = field(default_factory=dict)
    signed: set[str] = field(default_factory=set)
    cells: dict[Cell, None] = field(default_factory=dict)
    rows: list[dict[Cell, float]] = field(default_factory=list)

    def enter(self, table: SeenTable) -> list[Cell]:
        """The cells of a table, with its sums."""
        codes = [np.asarray(t.codes)[table.codes[:, j]].astype(str) for j, t in enumerate(table.dimensions)]
        names = [
            (
                table.measure,
                frozenset(
                    (tree.name, str(codes[j][i]))
                    for j, tree in enumerate(table.dimensions)
                    if table.codes[i, j] != 0
                ),
            )
            for i in range(len(table))
        ]
        if table.signed:
            self.signed.add(table.measure)
        for i, cell in enumerate(names):
            self.cells[cell] = None
            if np.isfinite(table.value[i]):
                self.known[cell] = float(table.value[i])
            elif np.isfinite(table.low[i]) and np.isfinite(table.high[i]):
                self.between[cell] = (float(table.low[i]), float(table.high[i]))
        self._sums(table, names)
        return names

    def _sums(self, table: SeenTable, names: Sequence[Cell]) -> None:
        place = {tuple(row): i for i, row in enumerate(table.codes.tolist())}
        for j, tree in enumerate(table.dimensions):
            parts: dict[tuple[int, ...], list[int]] = {}
            for row, i in place.items():
                if row[j] != 0:
                    above = (*row[:j], int(tree.parent[row[j]]), *row[j + 1 :])
                    parts.setdefault(above, []).append(i)
            for above, below in parts.items():
                if above in place:
                    self.rows.append({names[place[above]]: -1.0} | {names[i]: 1.0 for i in below})

    def relate(self, measures: Sequence[str]) -> None:
        """Measures that add up, or are proportional, in all cells that show all of them."""
        by = {m: {codes: value for (n, codes), value in self.known.items() if n == m} for m in measures}
        keys = {codes for _, codes in self.cells}
        for one, other in combinations(measures, 2):
            shared = [codes for codes in by[one] if codes in by[other]]
            x, y = (np.array([by[m][codes] for codes in shared]) for m in (one, other))
            if len(shared) >= TELLING and (y != 0).all() and np.ptp(x / y) <= CLOSE * np.abs(x / y).max():
                self._tie({one: 1.0, other: -float(x[0] / y[0])}, keys)
        for total, (one, other) in (
            (t, p) for t in measures for p in combinations(measures, 2) if t not in p
        ):
            shared = [codes for codes in by[total] if codes in by[one] and codes in by[other]]
            a, b, c = (np.array([by[m][codes] for codes in shared]) for m in (total, one, other))
            telling = (b != 0) & (c != 0) if shared else np.zeros(0, dtype=np.bool_)
            if telling.sum() >= TELLING and (np.abs(a - b - c) <= CLOSE * np.abs(a)).all():
                self._tie({total: 1.0, one: -1.0, other: -1.0}, keys)

    def _tie(self, terms: Mapping[str, float], keys: set[frozenset[tuple[str, str]]]) -> None:
        for codes in keys:
            if all((measure, codes) in self.cells for measure in terms):
                self.rows.append({(measure, codes): weight for measure, weight in terms.items()})

    def from_records(self, seen: Seen, table: SeenTable, cells: Sequence[Cell]) -> None:
        """Hidden cells by the sums of released records, where these agree with what is shown."""
        by = [tree.name for tree in table.dimensions]
        value = seen.columns.get(table.measure)
        if any(name not in seen.columns for name in by) or (table.measure and value is None):
            return
        if value is not None and not value.kind.is_number:
            return
        x = np.ones(seen.records) if value is None else np.nan_to_num(value.numbers())
        sums = _added(seen, table, x)
        shown = np.isfinite(table.value)
        same = np.abs(sums - table.value) <= CLOSE * np.maximum(1.0, np.abs(table.value))
        if shown.sum() >= TELLING and same[shown].mean() >= AGREE:
            self.known.update({cells[i]: float(sums[i]) for i in table.hidden.tolist()})

    def solved(self, wanted: Sequence[Cell]) -> dict[Cell, tuple[float, float]]:
        """The hidden cells that are fixed, and the intervals of a few others."""
        out = {cell: (self.known[cell],) * 2 for cell in wanted if cell in self.known}
        unknown = [cell for cell in self.cells if cell not in self.known]
        place = {cell: i for i, cell in enumerate(unknown)}
        entries = [(r, place[c], w) for r, row in enumerate(self.rows) for c, w in row.items() if c in place]
        if not entries:
            return out
        r, c, w = (np.array(side) for side in zip(*entries, strict=True))
        used, row = np.unique(r, return_inverse=True)
        matrix = coo_array((w, (row, c)), shape=(len(used), len(unknown))).tocsr()
        right = np.array(
            [
                -sum(x * self.known[k] for k, x in self.rows[i].items() if k in self.known)
                for i in used.tolist()
            ]
        )
        fixed, value = _fixed(matrix, right)
        left = [cell for cell in wanted if cell in place and not fixed[place[cell]]]
        out |= {cell: (value[place[cell]],) * 2 for cell in wanted if cell in place and fixed[place[cell]]}
        bounds = [self.between.get(cell, (None if cell[0] in self.signed else 0.0, None)) for cell in unknown]
        small = len(left) <= MOST_PROGRAMS and len(unknown) <= MOST_UNKNOWN
        dense = np.asarray(matrix.toarray(), dtype=np.float64) if small else np.zeros((0, 0))
        for cell in left if small else ():
            ends = _ends(dense, right, bounds, place[cell])
            if ends is not None:
                out[cell] = ends
        return out


def _added(seen: Seen, table: SeenTable, x: Floats) -> Floats:
    """What the released records add up to, for every cell of a table."""
    inside = np.ones((len(table), len(x)), dtype=np.bool_) if len(table) * len(x) <= 50_000_000 else None
    if inside is None:
        return np.full(len(table), np.nan)
    for j, tree in enumerate(table.dimensions):
        node = tree.positions(seen.columns[tree.name].texts().astype(str))
        below = np.zeros((len(tree), len(x)), dtype=np.bool_)
        up = node.copy()
        for _ in range(tree.depth + 1):
            there = np.flatnonzero(up >= 0)
            below[up[there], there] = True
            up = np.where(up > 0, tree.parent[np.maximum(up, 0)], -1)
        below[0] = True
        inside &= below[table.codes[:, j]]
    return np.asarray(inside @ x)


def _fixed(matrix: csr_array, right: Floats) -> tuple[Bools, Floats]:
    """Unknowns that every solution of the equations has in common, and one solution."""
    size = matrix.shape[1]
    moves = np.zeros(size)
    for seed in (1, 2):
        start = np.random.default_rng(seed).uniform(1.0, 2.0, size)
        within = lsqr(matrix, matrix @ start, atol=1e-13, btol=1e-13, iter_lim=min(20 * size, STEPS))[0]
        moves = np.maximum(moves, np.abs(start - within))
    value = lsqr(matrix, right, atol=1e-13, btol=1e-13, iter_lim=min(20 * size, STEPS))[0]
    return np.asarray(moves < CLOSE), value


def _ends(
    matrix: Floats, right: Floats, bounds: Sequence[tuple[float | None, float | None]], at: int
) -> tuple[float, float] | None:
    ends = []
    for sign in (1.0, -1.0):
        cost = np.zeros(matrix.shape[1])
        cost[at] = sign
        found = linprog(cost, A_eq=matrix, b_eq=right, bounds=bounds, method="highs")
        if found.status not in (0, 3):
            return None
        ends.append(-sign * np.inf if found.fun is None else sign * float(found.fun))
    return ends[0], ends[1]
