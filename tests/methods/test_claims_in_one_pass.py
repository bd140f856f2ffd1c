"""Checks of claims that go through records in one pass, against the slow forms that go through them one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, MISSING_CODE, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata import clone, local_suppression, suppress_cells, suppress_records
from tarnkappe.methods.microdata.clone import Clone
from tarnkappe.methods.microdata.local_suppression import LocalSuppression
from tarnkappe.methods.microdata.suppress_cells import SuppressCells
from tarnkappe.methods.microdata.suppress_records import SuppressRecords
from tarnkappe.randomness import public_stream as stream
from tarnkappe.vocab import Role

SEEDS = range(40)


def shown_rows(data, names):
    return list(zip(*(data.column(n).codes()[0].tolist() for n in names), strict=True))


def combinations_shared(m, before, after):
    keys = before.keys(m.keys)
    rows = Counter(shown_rows(after, (*keys, *m.within)))
    return all(count >= m.k for row, count in rows.items() if MISSING_CODE not in row[: len(keys)])


def classes_large(m, before, after):
    return min(Counter(shown_rows(after, after.keys(m.keys))).values(), default=np.inf) >= (m.below or 0)


def none_alone(m, before, after):
    groups = shown_rows(after, m.within)
    for name in m.cells(before):
        gaps = np.flatnonzero(after.columns[name].suppressed)
        new = np.flatnonzero(after.columns[name].suppressed & before.columns[name].observed)
        found = Counter(groups[i] if groups else () for i in gaps)
        if any(found[groups[i] if groups else ()] == 1 for i in new):
            return False
    return True


def weights_shared(m, before, after):
    keys = before.keys(m.keys)
    for name in before.role(Role.WEIGHT):
        sums = []
        for data in (before, after):
            found = {}
            texts = zip(*(data.column(k).texts().tolist() for k in keys), strict=True)
            for key, weight in zip(texts, np.nan_to_num(data.column(name).numbers()).tolist(), strict=True):
                found[key] = found.get(key, 0.0) + weight
            sums.append(found)
        if sums[0].keys() != sums[1].keys() or any(
            abs(sums[0][k] - sums[1][k]) > 1e-9 * abs(sums[0][k]) for k in sums[0]
        ):
            return False
    return True


def people(rng, n):
    """A few records with gaps; sometimes so few values that all classes are large."""

    def texts(values, share):
        return Column.texts_of(
            [None if rng.random() < share else f"v{i}" for i in rng.integers(0, values, n)]
        ).suppress(rng.random(n) < share)

    share = rng.choice([0.0, 0.1])
    numbers = rng.integers(0, 2, n)
    columns = {
        "a": texts(rng.integers(1, 4), share),
        "b": Column.numbers_of(numbers, np.where(rng.random(n) < share, MISSING, 0).astype(np.uint8)),
        "s": texts(2, share / 2),
        "w": Column.numbers_of(rng.integers(1, 9, n) / 4),
    }
    return Microdata(columns, {Role.KEY: ("a", "b"), Role.WEIGHT: ("w",)})


def compared(fast, slow, cases):
    """The answers of both, which are the same in every case; and both answers are among them."""
    answers = [(fast(m, before, after), slow(m, before, after)) for m, before, after in cases]
    assert all(one is two for one, two in answers)
    assert {one for one, _ in answers} == {True, False}


@pytest.mark.parametrize("within", [(), ("s",)])
def test_combinations_shown_often_enough(within):
    def cases():
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            data = people(rng, int(rng.integers(0, 40)))
            yield LocalSuppression(k=int(rng.integers(2, 5)), within=within), data, data
        lone = Column.texts_of(["v0"] * 6 + [None])  # a record with a gap is alone, and does not count
        data = Microdata({"a": lone, "b": lone, "s": Column.texts_of(["v"] * 7)}, {Role.KEY: ("a", "b")})
        yield LocalSuppression(within=within), data, data

    compared(local_suppression._combinations_shared, combinations_shared, cases())


def test_classes_large_enough():
    def cases():
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            data = people(rng, int(rng.integers(0, 40)))
            yield SuppressRecords(below=int(rng.integers(2, 5))), data, data

    compared(suppress_records._classes_large, classes_large, cases())


@pytest.mark.parametrize("within", [(), ("s",), ("s", "b")])
def test_no_lone_cell(within):
    def cases():
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            before = people(rng, int(rng.integers(2, 40)))
            cells = rng.random(len(before)) < rng.choice([0.05, 0.5])
            after = before.with_columns({"a": before.column("a").suppress(cells)})
            yield SuppressCells(columns=("a",), records=(1,), within=within), before, after

    compared(suppress_cells._none_alone, none_alone, cases())


def test_weights_of_classes():
    """Clones, some of them with a weight, or a key, that is another one; other categories in another order do no harm."""

    def cases():
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            before = people(rng, int(rng.integers(1, 40)))
            method = Clone(k=3)
            after = method.apply(before, stream("s" * 32, method.id))
            fault = seed % 4
            if fault == 1:
                w = after.column("w").values.copy()
                w[rng.integers(len(w))] *= 1.001
                after = after.with_columns({"w": Column.numbers_of(w)})
            elif fault == 2:
                texts = ["new" if i == 0 else t for i, t in enumerate(after.column("a").texts())]
                after = after.with_columns({"a": Column.texts_of(texts)})
            elif fault == 3:
                a = after.column("a")
                turned = Column.coded(
                    len(a.categories) - 1 - a.values.astype(int), a.categories[::-1], a.state
                )
                after = after.with_columns({"a": turned if len(a.categories) else a})
            yield method, before, after

    compared(clone._weights_shared, weights_shared, cases())
