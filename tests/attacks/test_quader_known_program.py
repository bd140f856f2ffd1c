"""Somebody who has the program and its parameters, but not the secret, against suppression in small tables of counts.

He writes down every table that fits the published cells (nobody hides a zero, and he knows it) and protects each, with one made-up secret
after the other, until he gets the published pattern. Tables for which that never happens he rules out.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.errors import TarnkappeError
from tarnkappe.methods.tables.primary.minimum_frequency import MinimumFrequency
from tarnkappe.methods.tables.quader import Quader
from tarnkappe.randomness import public_stream, stream

FEW = MinimumFrequency(n=3)
TRIES = 40


def flat(name, many):
    codes = [f"all {name}", *(f"{name}{i}" for i in range(many))]
    return Hierarchy(name, np.array(codes, dtype=object), np.array([-1] + [0] * many))


def summed(inner):
    whole = np.zeros(np.add(inner.shape, 1))
    whole[1:, 1:] = inner
    whole[0, 1:], whole[1:, 0], whole[0, 0] = inner.sum(axis=0), inner.sum(axis=1), inner.sum()
    return whole


def program(inner, secret, **options):
    """The hidden cells; None where the table is refused."""
    whole = summed(inner)
    cells = np.array(list(product(*map(range, whole.shape))))
    by = tuple(flat(name, many) for name, many in zip("ab", inner.shape, strict=True))
    table = Table("t", by, cells, whole[tuple(cells.T)], counts=True)
    try:
        done = Quader(**options).protect(Pattern(table).marked(FEW.mark(table)), secret)
    except TarnkappeError:
        return None
    return done.suppressed.reshape(whole.shape)


def that_fit(inner, hidden):
    """Every table of counts from 1 that agrees with all that is shown, row by row."""
    whole, unknown = summed(inner), hidden[1:, 1:]
    most = int(whole[0, 0]) if not hidden[0, 0] else 40

    def rows(i):
        free = np.flatnonzero(unknown[i])
        for values in product(range(1, most + 1), repeat=len(free)):
            row = inner[i].copy()
            row[free] = values
            if hidden[i + 1, 0] or row.sum() == whole[i + 1, 0]:
                yield row

    tables = [[]]
    for i in range(len(inner)):
        mine = list(rows(i))
        tables = [[*above, row] for above in tables for row in mine if np.all(
            hidden[0, 1:] | (sum(above) + row <= whole[0, 1:])
        )]  # fmt: skip
    out = [np.array(table) for table in tables]
    return [t for t in out if np.array_equal(np.where(hidden, 0, summed(t)), np.where(hidden, 0, whole))]


def attacked(shape, tables, *, draw, seed):
    rng, found = np.random.default_rng(seed), Counter()
    for number in range(tables):
        inner = rng.integers(1, 10, shape).astype(float)
        hidden = program(inner, public_stream(f"secret {number}"), draw=draw)
        if hidden is None or not hidden.any() or hidden[0].any() or hidden[:, 0].any():
            continue
        fits = that_fit(inner, hidden)
        left = [t for t in fits if np.array_equal(t, inner) or _looks_like(t, hidden, draw)]
        for cell in zip(*np.nonzero(hidden[1:, 1:] & (inner < 3)), strict=True):
            found["primary"] += 1
            by_sums = len({t[cell] for t in fits}) == 1
            found["by sums"] += by_sums
            found["by the program"] += not by_sums and len({t[cell] for t in left}) == 1
        found["hidden"] += int(hidden.sum())
    return found


def _looks_like(table, hidden, draw):
    for guess in range(TRIES if draw != "nothing" else 1):
        again = program(table, public_stream(f"guess {guess}"), draw=draw)
        if again is not None and np.array_equal(again, hidden):
            return True
    return False


@pytest.mark.parametrize(("shape", "tables"), [((3, 3), 16), ((2, 4), 20)])
def test_costs_from_the_secret_leave_him_hardly_more_than_sums(shape, tables, record_property):
    found = {draw: attacked(shape, tables, draw=draw, seed=1) for draw in ("nothing", "costs")}
    record_property("known program", {draw: dict(f) for draw, f in found.items()})
    assert found["nothing"]["primary"] > 20
    assert found["costs"]["by the program"] <= found["costs"]["primary"] / 25
    assert found["costs"]["by the program"] <= found["nothing"]["by the program"]


def test_without_a_kept_secret_the_values_decide():
    """Else two runs of one plan would hide different cells, and together show what either hides."""
    inner = np.random.default_rng(3).integers(1, 10, (4, 5)).astype(float)
    plain = program(inner, public_stream("x"), draw="nothing")
    assert all(np.array_equal(program(inner, stream(), draw="widely"), plain) for _ in range(5))
    seen = {program(inner, public_stream(f"secret {i}"), draw="widely").tobytes() for i in range(12)}
    assert len(seen) > 1


def test_hardly_more_is_hidden():
    many = Counter()
    for seed in range(60):
        inner = np.random.default_rng(seed).integers(1, 16, (5, 6)).astype(float)
        for draw in ("costs", "nothing"):
            hidden = program(inner, public_stream(f"secret {seed}"), draw=draw)
            many[draw] += 0 if hidden is None else int(hidden.sum())
    assert many["costs"] <= 1.05 * many["nothing"]
