"""Classes by sorting against those by hashing and a slow form."""

import numpy as np
import pytest

from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.sorted_classes import sorted_classes


@pytest.mark.parametrize("count", [1, 3, 2**40])
@pytest.mark.parametrize("columns", [1, 2, 5])
def test_the_same_partition(count, columns):
    """With 2^40 values a column, two of them no longer fit one number."""
    rng = np.random.default_rng(columns)
    codes = [rng.choice([-2, -1, 0, count - 1], 300) for _ in range(columns)]
    given = [(c, count) for c in codes]
    found, hashed = sorted_classes(given, 300), classes(given)
    rows = list(zip(*(c.tolist() for c in codes), strict=True))
    assert found.sizes[found.ids].tolist() == [rows.count(row) for row in rows]
    assert (
        len({*zip(found.ids.tolist(), hashed.ids.tolist(), strict=True)})
        == len(found.sizes)
        == len(hashed.sizes)
    )


def test_without_columns_all_agree_and_without_records_there_is_none():
    assert sorted_classes([], 4).sizes.tolist() == [4]
    assert sorted_classes([(np.zeros(0, dtype=np.int64), 3)], 0).sizes.tolist() == []
