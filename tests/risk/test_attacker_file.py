"""The attacker's file: errors as stated, the same every time, and the truth kept."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.identity import identified
from tarnkappe.data.microdata import Microdata
from tarnkappe.risk.attacker_file import Incompatible
from tarnkappe.risk.outside import CategoryKey, NumberKey, beside, places
from tarnkappe.testing import example_data
from tarnkappe.vocab import Kind


def people(n=4000):
    rng = np.random.default_rng(1)
    return Microdata({
        "income": Column.numbers_of(np.exp(rng.normal(size=n))),
        "children": Column.numbers_of(rng.integers(0, 2000, n)),
        "born": Column(Kind.DATE, rng.integers(-9000, 9000, n).astype(np.int32)),
        "town": Column.texts_of([f"T{t}" for t in rng.integers(0, 6, n) ** 2]),
    })  # fmt: skip


def test_errors_have_the_stated_size():
    data = people()
    made = Incompatible(
        1.0, {"income": 0.1, "children": 0.05, "born": 0.2}, {"town": 0.3}, {"born": 0.25}
    ).made(data, data.names)
    relative = made.column("income").values / data.column("income").values - 1
    assert relative.std() == pytest.approx(0.1, rel=0.05)
    assert abs(relative.mean()) < 0.01
    assert made.column("children").kind is Kind.INTEGER
    days = data.column("born").values.astype(float)
    moved = made.column("born").numbers() - days
    assert np.nanstd(moved) == pytest.approx(0.2 * days.std(), rel=0.05)
    assert made.column("born").missing.mean() == pytest.approx(0.25, abs=0.03)
    wrong = made.column("town").values != data.column("town").values
    assert wrong.mean() == pytest.approx(0.3, abs=0.03)


def test_the_same_every_time_and_one_key_more_changes_no_other():
    data = people(200)
    how = Incompatible(0.5, 0.1, 0.1, 0.1)
    one, two = how.made(data, ("income",)), how.made(data, data.names)
    assert np.array_equal(one.rows, two.rows)
    assert len(one) == 100
    assert np.array_equal(one.column("income").values, two.column("income").values, equal_nan=True)
    assert not np.array_equal(one.rows, Incompatible(0.51, 0.1).made(data, ("income",)).rows[:100])


def test_without_errors_it_is_the_original_also_under_suppressed_cells():
    data = people(50)
    hidden = data.with_columns({"income": data.column("income").suppress(np.ones(50, dtype=bool))})
    made = Incompatible().made(hidden, hidden.names)
    assert np.array_equal(made.column("income").numbers(), data.column("income").values)


def test_a_single_category_cannot_be_wrong():
    data = Microdata({"town": Column.texts_of(["x"] * 20)})
    made = Incompatible(category_error=1.0).made(data, ("town",))
    assert set(made.column("town").texts()) == {"x"}


def test_places_by_row_numbers():
    assert places(np.array([5, 9, -3, 2]), np.array([2, -3, 5])).tolist() == [2, -1, -1, 0]


def test_identity_gives_row_numbers():
    data = example_data()
    file = Microdata(data.take(np.arange(60)[::-1]).columns)
    assert np.array_equal(identified(file, data, "name").rows, np.arange(60)[::-1])


def test_keys_blocks_and_truth():
    data = example_data()
    after = data.take(np.arange(0, 60, 2))
    outside = beside(after, data, ("age", "sex", "birth"), ("region",))
    assert [type(key) for key in outside.keys] == [NumberKey, CategoryKey, NumberKey]
    assert np.array_equal(outside.truth[::2], np.arange(30))
    assert (outside.truth[1::2] == -1).all()
    assert np.array_equal(outside.findable, outside.there)
    regions, times = np.unique(after.column("region").texts().astype(str), return_counts=True)
    sizes = dict(zip(regions, times, strict=True))
    expected = [1 / sizes[r] for r in after.column("region").texts()]
    assert outside.by_chance[::2] == pytest.approx(expected)
    for key in outside.keys:
        known, released = key.known[::2], key.released
        unknown = released == -1 if isinstance(key, CategoryKey) else np.isnan(released)
        assert np.array_equal(known[~unknown], released[~unknown])
