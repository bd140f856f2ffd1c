from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column
from tarnkappe.data.intervals import Bands
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import NotFinite, NothingToUse, WrongKind
from tarnkappe.errors.hierarchy import ClassesNone, ClassesTooNarrow, ClassOpen, ClassTooSmall
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.band import Band
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data
from tarnkappe.vocab import Kind, Role

STREAM = stream("for tests only")


def banded(values, state=None, **parameters):
    column = Column.numbers_of(np.array(values), None if state is None else np.array(state, dtype=np.uint8))
    step = Band(columns=("x",), **parameters)
    return apply_step(step, Microdata({"x": column}, {Role.NUMERIC: ("x",)}), STREAM)


def shown(values, state=None, **parameters):
    return banded(values, state, **parameters).column("x").texts().tolist()


def test_classes_of_a_width_and_between_cuts():
    assert shown([1, 4, 5, -1], into={"width": 5}) == ["0-4", "0-4", "5-9", "-5--1"]
    assert shown([1.0, 4.5, 5.0], into={"width": 5, "origin": 2}) == ["-3-<2", "2-<7", "2-<7"]
    assert shown([17, 18, 64, 65], into={"cuts": [18, 65]}) == ["<18", "18-64", "18-64", ">=65"]


def test_categories_ascend():
    column = banded([50, 1, -7, 20], into={"width": 10}).column("x")
    assert column.categories.tolist() == ["-10--1", "0-9", "20-29", "50-59"]


def test_a_column_of_classes_is_no_longer_numeric_and_one_of_midpoints_is():
    assert banded([1, 2], into={"width": 5}).roles == {}
    assert banded([1, 2], into={"width": 5}, show="midpoint").roles == {Role.NUMERIC: ("x",)}


def test_midpoints_of_whole_numbers_stay_whole_if_they_can():
    odd = banded([20, 24, 7], into={"width": 5}, show="midpoint").column("x")
    assert (odd.kind, odd.values.tolist()) == (Kind.INTEGER, [22, 22, 7])
    even = banded([20, 29, 7], into={"width": 10}, show="midpoint").column("x")
    assert (even.kind, even.values.tolist()) == (Kind.NUMBER, [24.5, 24.5, 4.5])
    real = banded([20.0, 24.9], into={"width": 5}, show="midpoint").column("x")
    assert real.values.tolist() == [22.5, 22.5]


def test_open_classes_have_no_midpoint():
    assert shown([20, 30], into={"cuts": [18, 40]}, show="midpoint") == ["28.5", "28.5"]
    with pytest.raises(ClassOpen) as caught:
        banded([20, 17, 40, 50], into={"cuts": [18, 40]}, show="midpoint")
    assert caught.value.facts == {"name": "x", "count": 3}


def test_means_of_at_least_three():
    assert banded([1, 2, 6, 11, 12, 16], into={"width": 10}, show="mean").column("x").values.tolist() == [
        3,
        3,
        3,
        13,
        13,
        13,
    ]
    with pytest.raises(ClassTooSmall) as caught:
        banded([1, 2, 3, 11, 12, 25], into={"width": 10}, show="mean")
    assert caught.value.facts["count"] == 2
    assert caught.value.exit_code == 3


def test_means_are_those_of_what_is_shown_and_count_what_is_shown():
    state = [OBSERVED] * 3 + [SUPPRESSED]
    done = banded([1.0, 2.0, 6.0, 9.0], state, into={"width": 10}, show="mean").column("x")
    assert done.texts().tolist() == ["3.0", "3.0", "3.0", None]
    assert done.values.tolist() == [3.0] * 4
    with pytest.raises(ClassTooSmall):
        banded(
            [1.0, 2.0, 6.0, 9.0],
            [OBSERVED, OBSERVED, SUPPRESSED, SUPPRESSED],
            into={"width": 10},
            show="mean",
        )
    hidden = banded([1.0, 2.0, 6.0, 29.0], state, into={"width": 10}, show="mean").column("x")
    assert hidden.texts().tolist() == ["3.0", "3.0", "3.0", None]


@pytest.mark.parametrize("show", ["class", "midpoint", "mean"])
def test_states_stay_and_the_truth_under_suppressed_cells_moves_along(show):
    state = [OBSERVED, OBSERVED, OBSERVED, SUPPRESSED, MISSING]
    done = banded([1.0, 2.0, 3.0, 4.0, np.nan], state, into={"width": 10}, show=show).column("x")
    assert done.suppressed.tolist() == [False, False, False, True, False]
    assert done.missing.tolist() == [False, False, False, False, True]
    codes, _ = done.true_codes()
    assert codes.tolist() == [codes[0]] * 4 + [-1]


def test_a_sealed_cell_stays_empty():
    state = [OBSERVED, SUPPRESSED]
    for show in ("class", "midpoint"):
        done = banded([1.0, np.nan], state, into={"width": 10}, show=show).column("x")
        assert done.suppressed.tolist() == [False, True]
        assert done.texts()[1] is None


def test_quantiles():
    values = np.exp(np.random.default_rng(0).normal(8, 1, 400))
    done = banded(values, into={"quantiles": 4})
    sizes = np.bincount(done.column("x").values)
    assert len(sizes) == 4
    assert sizes.min() > 50


def test_limits_of_quantiles_show_no_value_of_a_record():
    values = np.round(np.exp(np.random.default_rng(0).normal(8, 1, 400)), 2)
    before = Microdata({"x": Column.numbers_of(values)})
    step = Band(columns=("x",), into={"quantiles": 10})
    limits = step.tells(before, step.apply(before, STREAM))["classes"]["x"]["limits"]
    assert not set(limits) & set(values)
    assert all(limit % 100 == 0 for limit in limits)


def test_quantiles_of_few_records_are_refused():
    with pytest.raises(ClassesNone):
        banded([1.0, 2.0, 3.0, 4.0, 5.0], into={"quantiles": 2})
    with pytest.raises(ClassesNone):
        banded([7.0] * 10, into={"quantiles": 4})
    with pytest.raises(NothingToUse):
        banded([np.nan], into={"quantiles": 4})


def test_infinite_values_lie_in_open_classes_only():
    assert shown([np.inf, -np.inf, 1.0], into={"cuts": [0, 5]}) == [">=5", "<0", "0-<5"]
    for parameters in ({"into": {"width": 5}}, {"into": {"cuts": [0, 5]}, "show": "mean"}):
        with pytest.raises(NotFinite) as caught:
            banded([1.0, np.inf, np.inf, np.inf, 2.0, 3.0], **parameters)
        assert caught.value.facts == {"name": "x", "count": 3, "first": 2}
    with pytest.raises(ClassOpen):
        banded([1.0, np.inf], into={"cuts": [0, 5]}, show="midpoint")


def test_values_too_large_for_their_classes():
    with pytest.raises(ClassesTooNarrow):
        banded([1.0, 1e300], into={"width": 5})


@pytest.mark.parametrize("values", [np.zeros(0), [np.nan, 7.0], [7.0], [7.0] * 5, [-0.0, 0.0]])
def test_few_values(values):
    for show in ("class", "midpoint"):
        assert len(banded(values, into={"width": 5}, show=show)) == len(values)


def test_only_numbers():
    with pytest.raises(WrongKind, match=r"microdata\.band"):
        Band(columns=("sex",), into={"width": 5}).apply(example_data(), STREAM)


def test_a_hierarchy_that_knows_the_classes_stays():
    age = Column.numbers_of(np.array([21, 34, 67]))
    age = replace(age, hierarchy=Bands((5.0, 10.0)).build("x", age))
    before = Microdata({"x": age})
    kept = Band(columns=("x",), into={"width": 5}).apply(before, STREAM).column("x")
    assert kept.hierarchy.generalise(kept, 1, "x").texts().tolist() == ["20-29", "30-39", "60-69"]
    assert Band(columns=("x",), into={"width": 7}).apply(before, STREAM).column("x").hierarchy is None


def test_tells_the_limits_a_receiver_needs():
    before = example_data()
    step = Band(columns=("income", "wealth"), into={"width": 500, "origin": 100}, show="midpoint")
    assert step.tells(before, step.apply(before, STREAM)) == {
        "show": "midpoint",
        "classes": {"income": {"width": 500, "origin": 100}, "wealth": {"width": 500, "origin": 100}},
    }
    cuts = Band(columns=("income",), into={"cuts": [1000, 3000]})
    assert cuts.tells(before, before)["classes"] == {"income": {"limits": [1000, 3000]}}


@pytest.mark.parametrize(
    "into",
    [
        {},
        {"width": 5, "cuts": [1]},
        {"width": 0},
        {"width": -1},
        {"width": np.inf},
        {"cuts": []},
        {"cuts": [2, 1]},
        {"cuts": [1, 1]},
        {"quantiles": 1},
        {"quantiles": 1001},
        {"quantiles": 4, "origin": 1},
        {"widths": 5},
        5,
    ],
)
def test_wrong_classes(into):
    with pytest.raises(ParameterWrong):
        Band(columns=("x",), into=into)


def test_wrong_combinations():
    with pytest.raises(ParameterWrong, match="no midpoints"):
        Band(columns=("x",), into={"quantiles": 4}, show="midpoint")
    with pytest.raises(ParameterWrong):
        Band(columns=("x",), into={"width": 4}, show="median")
    with pytest.raises(ParameterWrong):
        Band(columns=(), into={"width": 4})


into = st.one_of(
    st.builds(
        lambda w, o: {"width": w, "origin": o}, st.sampled_from([0.1, 1.0, 7.0, 1e6]), st.floats(-5, 5)
    ),
    st.lists(st.integers(-50, 50), min_size=1, max_size=5, unique=True).map(lambda c: {"cuts": sorted(c)}),
    st.integers(2, 6).map(lambda q: {"quantiles": q}),
)
real = st.floats(allow_nan=True) | st.floats(-100, 100) | st.sampled_from([0.0, -0.0, 0.1, 0.3, 7.0])


@given(st.lists(st.tuples(real | st.integers(-100, 100), st.sampled_from([0, 0, 0, 0, 1, 2])), max_size=40), into,
       st.sampled_from(["class", "midpoint", "mean"]), st.booleans())  # fmt: skip
@settings(max_examples=400, deadline=None)
def test_claims_hold_or_a_refusal_has_a_code(cells, into, show, whole):
    values, state = [v for v, _ in cells], [s for _, s in cells]
    if whole:
        values = [int(v) if np.isfinite(v) and abs(v) < 2**62 else 0 for v in values]
    try:
        done = banded(np.array(values, dtype=np.int64 if whole else np.float64), state, into=into, show=show)
    except ParameterWrong:
        assert show == "midpoint" and "quantiles" in into
    except TarnkappeError as problem:
        assert problem.exit_code in (2, 3)
    else:
        assert len(done) == len(cells)


def test_claims_find_planted_faults():
    values = np.array([1.0, 2.0, 3.0, 11.0, 12.0, 16.0])
    before = Microdata({"x": Column.numbers_of(values)})

    def broken(new, show):
        step = Band(columns=("x",), into={"width": 10}, show=show)
        after = before.with_columns({"x": Column.numbers_of(np.array(new))})
        return {c.says.en.split(" ")[1] for c in broken_claims(step, before, after)}

    assert broken([2.0] * 3 + [13.0] * 3, "mean") == set()
    assert broken([3.0] * 3 + [13.0] * 3, "mean") == {"mean"}
    assert broken([5.0] * 3 + [15.0] * 3, "midpoint") == set()
    assert "value" in broken([5.0] * 3 + [25.0] * 3, "midpoint")
    assert "order" in broken([15.0] * 3 + [5.0] * 3, "midpoint")
    assert broken(values, "midpoint") == {"within"}
    assert "class" in broken([2.0, 2.0, 2.0, 11.5, 11.5, 16.0], "mean")
    assert broken([2.0] * 3 + [13.0] * 2 + [np.nan], "mean") & {"cells"}


@pytest.mark.parametrize(
    ("into", "shown"),
    [
        ({"width": 10, "at_least": 3}, ["<20"] * 3 + ["20-39"] * 3 + [">=40"] * 4),
        ({"cuts": (5, 15, 25, 65), "at_least": 5}, ["<25"] * 5 + [">=25"] * 5),
        ({"quantiles": 2, "at_least": 3}, None),
    ],
)
def test_neighbours_are_merged_until_each_class_is_large_enough(into, shown):
    """Gottschalk 2002, G-M01, min_count."""
    values = np.array([1, 2, 12, 21, 22, 33, 47, 61, 62, 63])
    data = Microdata({"x": Column.numbers_of(values)})
    method = Band(columns=("x",), into=into)
    texts = apply_step(method, data, stream("s" * 32, method.id)).column("x").texts().tolist()
    assert min(texts.count(t) for t in texts) >= into["at_least"]
    if shown:
        assert texts == shown


def test_a_file_that_is_too_small_for_two_classes_is_refused():
    method = Band(columns=("x",), into={"width": 1, "at_least": 3})
    with pytest.raises(ClassesNone):
        method.apply(Microdata({"x": Column.numbers_of(np.arange(5))}), stream("s" * 32, method.id))
