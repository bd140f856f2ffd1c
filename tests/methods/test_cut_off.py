"""Cut-off: who stays, and when the step is refused."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.selection import TooFewLeftOut
from tarnkappe.methods.microdata.cut_off import CutOff
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role


def firms(sizes, owners=None):
    columns = {
        "size": Column.numbers_of(np.array(sizes, dtype=float)),
        "name": Column.texts_of([f"n{i}" for i in range(len(sizes))]),
    }
    roles = {Role.NUMERIC: ("size",)}
    if owners:
        columns["owner"] = Column.texts_of(owners)
        roles[Role.OWNER] = ("owner",)
    return Microdata(columns, roles)


def done(data, **parameters):
    method = CutOff(column="size", **parameters)
    return apply_step(method, data, stream("s" * 32, method.id))


def test_a_unit_goes_in_all_periods():
    """Three giants of one year, known in two others; a record without a unit stands for itself."""
    data = firms([90, 8, 95, 7, 91, 6, 3, 99, 4])
    units = Column.texts_of(["a", "a", "b", "b", "c", "c", "d", None, None])
    data = data.with_columns({"unit": units})
    assert done(data, upper=50).rows.tolist() == [1, 3, 5, 6, 8]
    assert done(data, upper=50, unit="unit").rows.tolist() == [6, 8]
    with pytest.raises(TooFewLeftOut):
        done(data.take(np.array([0, 6])), upper=50, unit=("unit",))


def test_a_value_at_the_limit_stays_and_missing_as_asked():
    data = firms([1, 5, 9, 10, 11, 12, 13, np.nan])
    assert done(data, upper=10).rows.tolist() == [0, 1, 2, 3, 7]
    with pytest.raises(TooFewLeftOut):
        done(data, upper=10, missing="drop")
    assert done(data, upper=10, missing="drop", at_least=1).rows.tolist() == [0, 1, 2, 3]
    assert done(data, lower=2, upper=10, at_least=1).rows.tolist() == [1, 2, 3, 7]
    assert done(data, upper=100).rows.tolist() == list(range(8))


def test_one_owner_counts_once():
    data = firms([1, 2, 50, 60, 70], owners=["a", "b", "c", "c", "d"])
    with pytest.raises(TooFewLeftOut):
        done(data, upper=10)
    assert len(done(firms([1, 2, 50, 60, 70]), upper=10)) == 2


def test_what_lies_under_a_suppressed_cell_is_judged_too():
    data = firms([1, 50, 60, 70])
    hidden = data.with_columns({"size": data.column("size").suppress(np.array([False, True, False, False]))})
    assert done(hidden, upper=10).rows.tolist() == [0]


def test_infinite_values_lie_beyond():
    assert done(firms([1, np.inf, np.inf, np.inf]), upper=1e308).rows.tolist() == [0]


def test_text_is_refused():
    with pytest.raises(WrongKind):
        method = CutOff(column="name", upper=3)
        method.apply(firms([1.0]), stream("s" * 32, method.id))


def test_the_office_learns_what_was_lost():
    data = firms([1, 2, 50, 60, 70])
    method = CutOff(column="size", upper=10)
    header, rows = method.keeps(data, done(data, upper=10))["left-out.csv"]
    assert header == ("of", "share", "distance")
    assert rows == [("records", "0.600000", ""), ("size", f"{180 / 183:.6f}", "1.000000")]
    large = firms([1e308, 1.7e308, 1.7e308, 1.7e308, np.inf])
    assert method.keeps(large, large.take([0]))["left-out.csv"][1][1][:2] == ("size", f"{51 / 61:.6f}")


def test_records_of_unknown_size_that_go_with_their_unit_are_no_tail():
    sizes = [50.0, np.nan, 60, np.nan, 70, 1]
    data = firms(sizes).with_columns({"u": Column.texts_of(list("aabbcd"))})
    after = done(data, upper=10, unit="u")
    assert after.rows.tolist() == [5]


@pytest.mark.parametrize(
    ("sizes", "which"),
    [
        ([1, 2, 5, 6, 7, 1e9], "below"),
        ([0, 1, 2, 5, 6, 7, 1e9], "above"),
        ([1, 5, 6, 7, 8e8, 9e8, 1e9], "below"),
        ([np.nan, np.nan, 5, 1e9], "above"),
    ],
)
def test_two_tiny_units_do_not_hide_a_giant(sizes, which):
    """With a known total, what is missing from it is the giant, whoever else is gone."""
    with pytest.raises(TooFewLeftOut) as refused:
        done(firms(sizes), lower=3, upper=10, missing="drop")
    assert which in str(refused.value)
    assert "halb der" in refused.value.text("de")


def test_each_end_with_enough_is_left_out():
    assert done(firms([0, 1, 2, 5, 6, 70, 80, 90]), lower=3, upper=10).rows.tolist() == [3, 4]
    owners = ["a", "b", "c", "d", "e", "f", "f", "g"]
    with pytest.raises(TooFewLeftOut):
        done(firms([0, 1, 2, 5, 6, 70, 80, 90], owners), lower=3, upper=10)
    assert (
        len(done(firms([0, 1, 2, 5, 70, 80, 90], ["a", "b", "c", "d", "a", "b", "c"]), lower=3, upper=10))
        == 1
    )


def test_the_periods_of_one_unit_count_once():
    data = firms([70, 80, 90, 5]).with_columns({"unit": Column.texts_of(["a", "a", "a", "b"])})
    with pytest.raises(TooFewLeftOut):
        done(data, upper=10, unit="unit")


def test_the_claim_counts_each_end_too():
    """A method that pooled the ends would break its claim."""
    data = firms([1, 2, 5, 6, 7, 1e9])
    after = data.take(np.array([2, 3, 4]))
    claim = CutOff.protects[1].check
    assert not claim(CutOff(column="size", lower=3, upper=10), data, after)
    assert claim(CutOff(column="size", lower=3, upper=10, at_least=1), data, after)


def test_only_the_limits_are_told():
    data = firms([0, 1, 2, 5, 6, 70, 80, 90])
    method = CutOff(column="size", lower=3, upper=10)
    assert method.tells(data, done(data, lower=3, upper=10)) == {"column": "size", "lower": 3, "upper": 10}
