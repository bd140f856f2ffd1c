"""Mondrian: the kernel beside the book's recursion, the labels, the example of the report."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import mondrian as reference
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_digits, from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.errors.risk import OrderNeeded
from tarnkappe.kernels.mondrian import blocks, fulfils, sensitive
from tarnkappe.methods.microdata.mondrian import Mondrian
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step


def done(data, **parameters):
    method = Mondrian(**parameters)
    return apply_step(method, data, stream("s" * 32, method.id))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(-1, 4)), min_size=1, max_size=50),
    st.integers(2, 4),
    st.sampled_from([1, 1.5, 2, 3]),
    st.sampled_from([0.1, 0.3, 0.5, 1]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_the_kernel_gives_the_blocks_of_the_recursion(rows, k, variety, closeness, entropy, ordered):
    places = np.array([row[:2] for row in rows])
    _, kinds = np.unique([row[2] for row in rows], return_inverse=True)
    kinds -= min(row[2] for row in rows) < 0
    asked = sensitive(kinds, variety, closeness, entropy=entropy, ordered=ordered)
    label = blocks(places, np.zeros(len(rows), np.int64), k, asked)
    found = {frozenset(np.flatnonzero(label == b).tolist()) for b in range(label.max() + 1)}

    def fits(half):
        if variety > 1 and reference.varied(half, entropy=entropy) < variety - 1e-9:
            return False
        return (
            closeness == 1 or reference.distance(half, kinds.tolist(), ordered=ordered) <= closeness + 1e-12
        )

    assert found == reference.blocks([row[:2] for row in rows], k, kinds.tolist(), fits)


def patients():
    """The table of the report (DAV 2025, L304-317)."""
    plz = [
        "13053",
        "13068",
        "13068",
        "13053",
        "14853",
        "14853",
        "14850",
        "14850",
        "13053",
        "13053",
        "13068",
        "13068",
    ]
    postcode = Column.texts_of(plz)
    jobs = ["K", "L", "A", "L", "M", "K", "L", "L", "L", "M", "A", "L"]
    return Microdata(
        {
            "plz": Column.coded(
                postcode.values,
                postcode.categories,
                hierarchy=from_digits("plz", postcode.distinct(), (1, 2, 3, 4, 5)),
            ),
            "age": Column.numbers_of(np.array([28, 29, 21, 23, 50, 55, 47, 49, 31, 37, 36, 35])),
            "job": Column.texts_of(jobs),
        }
    )


def test_the_report_s_table_is_recoded_locally():
    """Postcodes of different length side by side, as in the report (6.2); halving twelve records gives two classes of six."""
    after = done(patients(), keys=("age", "plz", "job"), k=4)
    shown = list(zip(*(after.column(n).texts().tolist() for n in ("plz", "age")), strict=True))
    assert {(p, a): shown.count((p, a)) for p, a in shown} == {("130", "21 – 35"): 6, ("1", "36 – 55"): 6}


def test_values_that_agree_are_shown_as_they_are():
    data = Microdata({"a": Column.texts_of(["x"] * 6), "n": Column.numbers_of(np.array([1, 1, 1, 5, 5, 5]))})
    after = done(data, keys=("a", "n"), k=3)
    assert after.column("a").texts().tolist() == ["x"] * 6
    assert after.column("n").texts().tolist() == ["1"] * 3 + ["5"] * 3


def test_categories_without_hierarchy_become_lists_and_with_one_the_code_above():
    texts = ["p", "q", "p", "r", "r", "s"]
    plain = Column.texts_of(texts)
    tree = Column.coded(
        plain.values, plain.categories, hierarchy=from_tree("t", {"low": ["p", "q"], "high": ["r", "s"]})
    )
    after = done(Microdata({"c": plain}), keys=("c",), k=3)
    assert after.column("c").texts().tolist() == ["p | q", "p | q", "p | q", "r | s", "r | s", "r | s"]
    after = done(Microdata({"c": tree}), keys=("c",), k=3)
    assert after.column("c").texts().tolist() == ["low"] * 3 + ["high"] * 3


def test_gaps_are_treated_together_or_refused():
    n = Column.numbers_of(np.array([1.0, 2.0, 3.0, np.nan, np.nan, np.nan]))
    after = done(Microdata({"n": n}), keys=("n",), k=3)
    assert after.column("n").texts().tolist() == ["1.0 – 3.0"] * 3 + [None] * 3
    lone = Column.numbers_of(np.array([1.0, 2.0, 3.0, np.nan]))
    m = Column.texts_of(["a", "a", "a", "b"])
    with pytest.raises(TooFewRecords):
        done(Microdata({"n": lone, "m": m}), keys=("n", "m"), k=3)
    after = done(Microdata({"n": lone, "m": m}), keys=("n", "m"), k=3, too_small="suppress")
    assert after.column("m").texts().tolist() == ["a", "a", "a", None]


def test_variety_of_the_sensitive_column():
    data = Microdata(
        {
            "n": Column.numbers_of(np.arange(8)),
            "s": Column.texts_of(["x", "x", "x", "x", "x", "y", "x", "y"]),
        }
    )
    assert set(done(data, keys=("n",), k=2).column("n").texts()) == {"0 – 1", "2 – 3", "4 – 5", "6 – 7"}
    after = done(data, keys=("n",), k=2, sensitive="s", variety=2)
    assert set(after.column("n").texts()) == {"0 – 5", "6 – 7"} or len(set(after.column("n").texts())) == 1
    with pytest.raises(ParameterWrong, match="variety"):
        Mondrian(keys=("n",), variety=2)


def test_values_that_hold_a_bar_are_still_true():
    given = Microdata({"k": Column.texts_of(["a | b", "a", "c", "b"])}, {"key": ("k",)})
    after = apply_step(Mondrian(k=2), given, stream("s" * 32))
    assert set(after.column("k").texts()) == {"a | a | b", "b | c"}


def ages(n=40):
    """Who is old is ill: a split by age alone would tell the diagnosis."""
    age = np.arange(n)
    ill = np.where(age < n // 2, np.where(age % 4, "none", "flu"), np.where(age % 4, "cancer", "none"))
    return Microdata(
        {
            "age": Column.numbers_of(age),
            "ill": Column.texts_of(ill.tolist()),
            "wage": Column.numbers_of(age * 10.0),
        }
    )


def test_blocks_are_as_mixed_and_as_near_to_the_whole_as_asked():
    """Judged by the measures, which share no code with the method."""
    loose = done(ages(), keys=("age",), k=2)
    mixed = done(ages(), keys=("age",), k=2, sensitive="ill", variety=2, kind="entropy")
    near = done(ages(), keys=("age",), k=2, sensitive="ill", closeness=0.4)
    by_order = done(ages(), keys=("age",), k=4, sensitive="wage", closeness=0.26, ground="ordered")

    def judged(id, after, sensitive="ill", **how):
        measure = catalogue[id](keys=("age",), sensitive=(sensitive,), **how)
        return measure.measure(after).value

    assert (
        judged("risk.l-diversity", loose, kind="entropy")
        < 2
        <= judged("risk.l-diversity", mixed, kind="entropy")
    )
    assert judged("risk.t-closeness", loose) > 0.4 >= judged("risk.t-closeness", near)
    assert judged("risk.t-closeness", by_order, "wage", ground="ordered") <= 0.26
    assert len(set(near.column("age").texts())) > 1
    assert len(set(by_order.column("age").texts())) > 1


def test_suppressed_sensitive_values_do_not_count_and_missing_ones_do():
    ill = Column.texts_of(["a", "a", None, "a"] * 2)
    data = Microdata({"n": Column.numbers_of(np.arange(8)), "s": ill})
    assert len(set(done(data, keys=("n",), k=2, sensitive="s", variety=2).column("n").texts())) == 2
    hidden = data.with_columns(
        {"s": Column.texts_of(["a", "a", "b", "a"] * 2).suppress(np.arange(8) % 4 == 2)}
    )
    with pytest.raises(TooFewRecords):
        done(hidden, keys=("n",), k=2, sensitive="s", variety=2)


def test_an_order_is_needed_where_distances_count_values_between():
    how = {"keys": ("age",), "k": 4, "sensitive": "ill", "closeness": 0.5, "ground": "ordered"}
    with pytest.raises(OrderNeeded):
        done(ages(), **how)
    worse = ("none", "flu", "cancer")
    measure = catalogue["risk.t-closeness"](
        keys=("age",), sensitive=("ill",), ground="ordered", order={"ill": worse}
    )
    assert measure.measure(done(ages(), **how, order=worse)).value <= 0.5


def test_a_planted_fault_in_the_distance_breaks_the_claim(monkeypatch):
    monkeypatch.setattr(
        Mondrian, "_blocks", lambda self, data, *_: (np.arange(len(data)) // 4, np.zeros(len(data), bool))
    )
    with pytest.raises(ClaimBroken):
        done(ages(), keys=("age",), k=4, sensitive="ill", closeness=0.3)


def test_nothing_is_asked_of_blocks_without_a_sensitive_column():
    assert fulfils(np.arange(3), sensitive(np.zeros(3, np.int64)))
    assert not fulfils(np.arange(3), sensitive(np.full(3, -1), variety=2))
