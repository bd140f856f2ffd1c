"""Further keys: the column that singles people out is named, brute force beside it, and bad input."""

from collections import Counter

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData, NoKeys
from tarnkappe.errors.risk import ColumnsMissing
from tarnkappe.risk.further_keys import FurtherKeys
from tarnkappe.vocab import Kind, Role


def data(n=200, seed=1):
    draw = np.random.default_rng(seed)
    columns = {
        "sex": Column.texts_of([f"s{c}" for c in draw.integers(0, 2, n)]),
        "place": Column.texts_of([f"p{c}" for c in draw.integers(0, 4, n)]),
        "job": Column.texts_of([f"j{c}" for c in draw.integers(0, 30, n)]),
        "smokes": Column.texts_of([f"n{c}" for c in draw.integers(0, 2, n)]),
        "income": Column.numbers_of(np.exp(draw.normal(8, 1, n))),
        "name": Column.texts_of([f"N{i}" for i in range(n)]),
    }
    return Microdata(columns, {Role.KEY: ("sex", "place"), Role.IDENTIFIER: ("name",)})


def rows(found):
    return {row["column"]: row for row in found.details["further"]}


def test_the_column_that_exposes_most_comes_first():
    persons = data()
    found = FurtherKeys().measure(persons)
    assert [row["column"] for row in found.details["further"]] == ["job", "income", "smokes"]
    assert found.baseline == 0
    told = list(zip(*(persons.column(n).texts() for n in ("sex", "place", "job")), strict=True))
    alone = sum(times == 1 for times in Counter(told).values()) / len(told)
    assert found.value == rows(found)["job"]["share"] == pytest.approx(alone)
    assert rows(found)["job"]["smallest_class"] == min(Counter(told).values())
    assert found.details["smallest_class"] > 1


def test_numbers_are_known_in_classes_only():
    persons = data()
    few, many = (
        rows(FurtherKeys(classes=c, columns=("income",)).measure(persons))["income"] for c in (2, 100)
    )
    assert few["share"] < many["share"]
    assert many["share"] > 0.8


@pytest.mark.parametrize("kind", [Kind.DATE, Kind.DATETIME])
def test_dates_are_known_to_the_day(kind):
    days = np.arange(-9_000, -8_800, dtype=np.int32 if kind is Kind.DATE else np.int64)
    persons = data().with_columns({"day": Column(kind, days)})
    assert rows(FurtherKeys(columns=("day",)).measure(persons))["day"]["share"] == 1


def test_equal_numbers_are_in_one_class_and_gaps_stay():
    persons = data(40).with_columns({"income": Column.numbers_of(np.where(np.arange(40) < 39, 7.0, np.nan))})
    found = FurtherKeys(columns=("income",)).measure(persons)
    assert found.per_record.sum() == 1, "whose income is missing stands out"


def test_who_is_alone_by_the_keys_is_not_counted_again():
    persons = data().with_roles({Role.KEY: ("name",)})
    found = FurtherKeys(columns=("job",)).measure(persons)
    assert (found.value, found.baseline, found.per_record.max()) == (1, 1, 0)


def test_bad_input():
    persons = data()
    with pytest.raises(NoKeys):
        FurtherKeys().measure(persons.with_roles({}))
    with pytest.raises(ColumnMissing):
        FurtherKeys(columns=("height",)).measure(persons)
    with pytest.raises(ColumnsMissing):
        FurtherKeys(columns=("sex",)).measure(persons)
    with pytest.raises(EmptyData):
        FurtherKeys().measure(persons.take(np.arange(0)))
    flat = Microdata({n: Column.texts_of(["x"] * 5) for n in "ab"}, {Role.KEY: ("a",)})
    assert not FurtherKeys().measure(flat).trusted
