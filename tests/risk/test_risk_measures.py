import json

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData, MissingKeys, NoKeys
from tarnkappe.risk.class_sizes import ClassSizes
from tarnkappe.risk.k_anonymity import KAnonymity
from tarnkappe.risk.uniques import Uniques
from tarnkappe.vocab import Kind, Missing, Role

ALL = [KAnonymity, Uniques, ClassSizes]


def data(**columns):
    made = {name: c if isinstance(c, Column) else Column.texts_of(c) for name, c in columns.items()}
    return Microdata(made, {Role.KEY: tuple(made)})


SMALL = data(p=list("aaabbc"), q=["x", "x", None, "y", "y", "y"])


def test_k_is_the_smallest_class():
    found = KAnonymity().measure(SMALL)
    assert found.value == 1
    assert found.per_record.tolist() == [2, 2, 1, 2, 2, 1]
    assert found.details["classes"] == 4
    assert found.details["in_smallest"] == 2
    assert found.details["below"] == {"2": 2, "3": 6, "5": 6, "10": 6}


def test_missing_keys_by_every_policy():
    assert KAnonymity(missing=Missing.CATEGORY).measure(SMALL).per_record.tolist() == [2, 2, 1, 2, 2, 1]
    assert KAnonymity(missing=Missing.WILDCARD).measure(SMALL).per_record.tolist() == [3, 3, 3, 2, 2, 1]
    with pytest.raises(MissingKeys) as caught:
        KAnonymity(missing=Missing.REFUSE).measure(SMALL)
    assert caught.value.facts == {"count": 1, "first": 3}


def test_a_missing_key_never_vanishes_from_the_count():
    """The answer of pycanon 1.3.6 here is 2: its group-by drops the record."""
    assert KAnonymity().measure(data(p=["a", "a", "b", "b", None])).value == 1


def test_records_keep_their_counts_after_filtering():
    """Counts belong to positions, not to row labels."""
    part = SMALL.take(np.array([5, 3, 4]))
    assert KAnonymity().measure(part).per_record.tolist() == [1, 2, 2]


def test_bands_count_every_record_once():
    sizes = [1, 2, 3, 4, 5, 9, 10, 49, 50, 120]
    texts = [f"c{i}" for i, size in enumerate(sizes) for _ in range(size)]
    bands = KAnonymity().measure(data(p=texts)).details["bands"]
    assert [(b["from"], b["to"], b["records"]) for b in bands] == [
        (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (5, 9, 14), (10, 49, 59), (50, None, 170),
    ]  # fmt: skip
    of_classes = ClassSizes().measure(data(p=texts)).details["bands"]
    assert [b["classes"] for b in of_classes] == [1, 1, 1, 1, 2, 2, 2]
    assert [b["records"] for b in of_classes] == [b["records"] for b in bands]


def test_keys_of_every_kind_are_counted():
    columns = {
        "number": Column.numbers_of(np.array([0.5, 0.5, np.nan, np.nan])),
        "whole": Column.numbers_of(np.array([-(2**62), -(2**62), 2**62, 2**62])),
        "date": Column(Kind.DATE, np.array([1, 1, 5, 5], dtype=np.int32)),
        "zero": Column.numbers_of(np.array([0.0, -0.0, np.inf, np.inf])),
    }
    assert KAnonymity().measure(data(**columns)).per_record.tolist() == [2, 2, 2, 2]
    assert KAnonymity(missing=Missing.WILDCARD).measure(data(number=columns["number"])).value == 4


def test_values_under_missing_cells_do_not_matter():
    state = np.array([0, 1, 1], dtype=np.uint8)
    column = Column(Kind.INTEGER, np.array([7, 8, 9]), state)
    assert KAnonymity().measure(data(p=column)).per_record.tolist() == [1, 2, 2]


def test_uniques_and_twice():
    found = Uniques().measure(data(p=list("abbccc")))
    assert found.value == pytest.approx(1 / 6)
    assert (found.details["once"], found.details["twice"], found.details["share_twice"]) == (
        1,
        2,
        pytest.approx(1 / 3),
    )
    assert found.per_record.tolist() == [1, 0, 0, 0, 0, 0]
    assert (found.low, found.high) == (None, None)
    assert "no interval" in found.because.en


def test_class_sizes_are_those_of_the_printed_file():
    hidden = data(p=Column.texts_of(list("aabb")).suppress(np.array([True, False, True, False])))
    found = ClassSizes().measure(hidden, before=data(p=list("aabb")))
    assert found.value == pytest.approx(4 / 3)
    assert found.baseline == 2
    assert found.details["quantiles"] == {
        "classes": {"5": 1, "25": 1, "50": 1, "75": 2, "95": 2},
        "records": {"5": 1, "25": 1, "50": 1, "75": 2, "95": 2},
    }
    assert found.per_record.tolist() == [2, 1, 2, 1]


@pytest.mark.parametrize("cls", ALL)
def test_baseline_is_the_value_of_the_original(cls):
    before, after = data(p=list("abcdef")), data(p=list("aaabbb"))
    assert cls().measure(after, before=before).baseline == cls().measure(before).value
    assert cls().measure(after).baseline is None


@pytest.mark.parametrize("cls", ALL)
def test_given_keys_come_before_the_role(cls):
    two = data(p=list("aabb"), q=list("wxyz"))
    assert cls(keys=("p",)).measure(two).per_record.tolist() != cls().measure(two).per_record.tolist()
    assert cls(keys=("p",)).measure(two).details["keys"] == ("p",)
    with pytest.raises(ColumnMissing):
        cls(keys=("r",)).measure(two)


@pytest.mark.parametrize("cls", ALL)
def test_edges(cls):
    one = cls().measure(data(p=["a"]))
    assert one.value == 1
    assert cls().measure(data(p=[None, None])).per_record is not None
    with pytest.raises(EmptyData):
        cls().measure(data(p=[]))
    with pytest.raises(NoKeys):
        cls().measure(Microdata({"p": Column.texts_of(["a"])}))


@pytest.mark.parametrize("cls", ALL)
def test_findings_hold_no_value_of_a_record(cls):
    found = cls().measure(data(p=["MARKER-1", "MARKER-2", "MARKER-2"]), before=data(p=["MARKER-3"] * 3))
    assert "MARKER" not in json.dumps(found.as_json())


@pytest.mark.parametrize("measure", ALL)
def test_keys_without_a_single_value_are_no_reason_to_trust(measure):
    unknown = measure().measure(data(p=[None] * 4, q=[None] * 4))
    assert not unknown.trusted
    assert unknown.because
    assert measure().measure(data(p=[None] * 4, q=list("aabb"))).trusted
