from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.shuffle_rows import ShuffleRows
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data, variants


def records(data):
    columns = [data.column(n).texts() for n in data.names] + [data.column(n).suppressed for n in data.names]
    return Counter(zip(*columns, strict=True))


@pytest.mark.parametrize(
    "name", ["as it is", "empty", "one record", "duplicate records", "infinite", "out of order"]
)
def test_records_stay_whole(name):
    data = variants()[name]
    after = apply_step(ShuffleRows(), data, stream("s"))
    assert records(after) == records(data)
    assert sorted(after.rows) == sorted(data.rows)


def test_rows_say_where_a_record_came_from():
    data = Microdata({"x": Column.numbers_of(np.arange(100))})
    after = apply_step(ShuffleRows(), data, stream("s"))
    np.testing.assert_array_equal(after.rows, after.column("x").values)


def test_every_order_is_as_likely():
    data = Microdata({"x": Column.numbers_of(np.arange(3))})
    seen = Counter(tuple(apply_step(ShuffleRows(), data, stream(f"s{i}")).rows) for i in range(1200))
    assert len(seen) == 6
    assert all(150 < count < 250 for count in seen.values())  # expected 200, four standard deviations


def test_claims_see_lost_mixed_and_unmoved_records():
    data = example_data()
    step = ShuffleRows()
    order = np.arange(60)[::-1]
    assert not broken_claims(step, data, data.take(order))
    assert len(broken_claims(step, data, data)) == 1
    assert broken_claims(step, data, data.take(order[1:]))
    mixed = data.take(order).with_columns({"w": data.column("w")})
    assert broken_claims(step, data, mixed)
