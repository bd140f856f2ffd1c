"""Few suppressions in large strata: never dearer than a few records without keys, whatever the file, and never cheaper for a larger k."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.local_suppression import LocalSuppression
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step

KEYS = ("a", "b", "c", "d")


def file(records, strata, seed, many=9):
    rng = np.random.default_rng(seed)
    columns = {key: Column.texts_of([f"v{v}" for v in rng.zipf(1.6, records) % many]) for key in KEYS}
    return Microdata({**columns, "s": Column.numbers_of(rng.integers(0, strata, records))})


def cells(data, k, **parameters):
    """Suppressed cells by stratum and key; all claims are checked by the step."""
    method = LocalSuppression(keys=KEYS, within=("s",), mode="least", k=k, **parameters)
    after = apply_step(method, data, stream("s" * 32, method.id))
    hidden = np.column_stack([after.column(key).suppressed for key in KEYS])
    strata = data.column("s").numbers().astype(int)
    return np.stack([hidden[strata == s].sum(axis=0) for s in np.unique(strata)])


@pytest.mark.parametrize(("records", "strata"), [(1500, 1), (3600, 3)])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_stratum_costs_more_than_records_without_keys(records, strata, k):
    """k - 1 records where somebody has a twin, which is so in these files."""
    found = cells(file(records, strata, seed=k), k)
    assert (found.sum(axis=1) <= (k - 1) * len(KEYS)).all()


def test_a_larger_k_never_costs_less():
    data = file(1500, 1, seed=8)
    prices = [int(cells(data, k).sum()) for k in range(2, 8)]
    assert prices == sorted(prices)


def test_importance_decides_what_is_cheaper():
    data, importance = file(1500, 1, seed=8), {"a": 50.0}
    price = cells(data, 3, importance=importance)[0] @ np.array([50.0, 1, 1, 1])
    assert price <= 2 * 53


def test_all_different_records_need_one_more():
    """Where nobody has a twin, who is emptied is fitted by k emptied records."""
    codes = np.array([(i, j) for i in range(40) for j in range(30)])
    data = Microdata(
        {
            "a": Column.texts_of([f"a{i}" for i in codes[:, 0]]),
            "b": Column.texts_of([f"b{i}" for i in codes[:, 1]]),
        }
    )
    method = LocalSuppression(keys=("a", "b"), mode="least", k=4)
    after = apply_step(method, data, stream("s" * 32, method.id))
    assert sum(int(after.column(key).suppressed.sum()) for key in ("a", "b")) <= 4 * 2
