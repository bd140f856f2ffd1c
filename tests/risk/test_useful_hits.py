"""Two-stage risk: right record and useful value."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded
from tarnkappe.errors.risk import NothingToLearn, SensitiveIsKey
from tarnkappe.risk.linkage import Linkage
from tarnkappe.risk.useful_hits import UsefulHits
from tarnkappe.vocab import Role


def data_of(**columns):
    made = {
        name: Column.texts_of(values)
        if isinstance(values[0], str)
        else Column.numbers_of(np.array(values, dtype=float))
        for name, values in columns.items()
    }
    return Microdata(made, {Role.KEY: ("key",), Role.SENSITIVE: tuple(n for n in made if n != "key")})


def test_formula_by_hand():
    """R05: persons 1 and 2 keep their places, 3 and 4 change them; useful are values within 5 % of the true one."""
    before = data_of(key=[1, 2, 30, 40], x=[100, -100, 50, 60], y=[0, 10, 5, 5])
    after = data_of(key=[1, 2, 40, 30], x=[105, -104, 50, 60], y=[0.001, 10, 5, 5])
    found = UsefulHits(f=0.05).measure(after, before=before)
    assert found.value == pytest.approx((0.5 * 1 + 0.5 * 2) / 4)
    assert found.per_record == pytest.approx([0.5, 1, 0, 0])
    assert found.details["hits"] == 2
    assert found.details["useful_of_hits"] == pytest.approx(3 / 4)
    assert found.details["columns"] == pytest.approx({"x": 1.0, "y": 0.5})
    assert found.details["useful_values"] == 3
    assert found.baseline == pytest.approx((0.5 + 1 + 1 + 1) / 4 / 4)


def test_missing_suppressed_and_categories():
    before = data_of(key=[1, 2, 3], x=[1, np.nan, 1], c=["a", "b", "c"])
    after = data_of(key=[1, 2, 3], x=[1, 7, 1], c=["a", "b", "a"])
    after = after.with_columns({"x": after.column("x").suppress(np.array([False, False, True]))})
    found = UsefulHits().measure(after, before=before)
    assert found.per_record == pytest.approx(
        [1, 1, 0]
    )  # the second has one value to learn, the third loses both
    assert found.value == pytest.approx(2 / 3)


def test_never_above_the_share_found():
    rng = np.random.default_rng(3)
    before = data_of(key=rng.normal(size=200), x=np.exp(rng.normal(size=200)))
    after = before.with_numbers(
        ("key", "x"), before.numbers(("key", "x")) * (1 + 0.05 * rng.normal(size=(200, 2)))
    )
    for match in ("nearest", "one-to-one"):
        found, useful = (m(match=match).measure(after, before=before) for m in (Linkage, UsefulHits))
        assert 0 < useful.value < found.value
        assert UsefulHits(match=match, f=0.9).measure(after, before=before).value == pytest.approx(
            found.value
        )


def test_what_cannot_be_learnt_is_refused():
    before = data_of(key=[1, 2], x=[1, 2])
    with pytest.raises(SensitiveIsKey):
        UsefulHits(columns=("key",)).measure(before, before=before)
    with pytest.raises(NothingToLearn):
        UsefulHits().measure(before.without(["x"]), before=before)
    with pytest.raises(BeforeNeeded):
        UsefulHits().against(before, before)
