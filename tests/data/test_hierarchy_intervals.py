from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column
from tarnkappe.data.intervals import Bands, Cuts, refuse_points, refuse_widths
from tarnkappe.errors.data import NotFinite, NothingToUse
from tarnkappe.errors.hierarchy import ClassesNone, ClassesTooNarrow, HierarchyNotNested, HierarchyTwice
from tarnkappe.vocab import Kind

INT = np.iinfo(np.int64)


def numbers(*values, **more):
    return Column.numbers_of(np.array(values, **more))


def shown(rule, column, level):
    tree = rule.build("x", column)
    return tree.generalise(column, level, "x").texts().tolist()


# -- bands ------------------------------------------------------------------------------------------------


def test_whole_numbers_and_others_are_spelt_differently():
    assert shown(Bands((5.0,)), numbers(20, 24, 25, 0, -1, -5, -6), 1) == [
        "20-24", "20-24", "25-29", "0-4", "-5--1", "-5--1", "-10--6",
    ]  # fmt: skip
    assert shown(Bands((5.0,)), numbers(20.0, 24.99, 25.0, -0.5), 1) == [
        "20-<25",
        "20-<25",
        "25-<30",
        "-5-<0",
    ]
    assert shown(Bands((2.5,)), numbers(1, 2, 3), 1) == ["0-<2.5", "0-<2.5", "2.5-<5"]


def test_nested_widths_in_any_order_and_from_an_origin():
    for widths in ((5.0, 10.0, 20.0), (20.0, 5.0, 10.0)):
        tree = Bands(widths, origin=3.0).build("x", numbers(12, 13, 2))
        place = tree.positions(["12", "13", "2"])
        assert tree.codes[tree.ancestors(3)[place]].tolist() == ["8-12", "13-17", "-2-2"]
        assert tree.codes[tree.ancestors(2)[place]].tolist() == ["3-12", "13-22", "-7-2"]
        assert tree.codes[tree.ancestors(1)[place]].tolist() == ["3-22", "3-22", "-17-2"]
        assert tree.depth == 4


def test_a_width_of_one_is_the_value_itself():
    tree = Bands((1.0, 5.0)).build("x", numbers(3, 4))
    assert tree.codes.tolist() == ["Total", "0-4", "3", "4"]
    assert tree.level.tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize("tenth", range(-30, 31))
def test_decimal_limits_are_what_people_read(tenth):
    value = tenth / 10
    low, high = f"{tenth / 10:g}", f"{(tenth + 1) / 10:g}"
    assert shown(Bands((0.1,)), numbers(value), 1) == [f"{low}-<{high}"]


@given(
    st.lists(st.integers(INT.min, INT.max), min_size=1, max_size=30),
    st.sampled_from([1.0, 3.0, 5.0, 7.5, 1000.0, 1e15, 2.0**60, 1e30]),
    st.integers(-100, 100),
)
def test_whole_numbers_lie_in_the_band_of_exact_arithmetic(values, width, origin):
    column = numbers(*values, dtype=np.int64)
    rule = Bands((width,), float(origin))
    try:
        rule.refuse_values("x", column)
    except ClassesTooNarrow:
        assume(False)
    (classes,) = rule.classes(column.values)
    step = Fraction(width) if width < 1e21 else Fraction(repr(width))
    for value, number in zip(values, classes.ids, strict=True):
        low, high = (Fraction(limit) for limit in classes.limits[number])
        assert low <= value < high
        assert (low - origin) / step == (value - origin) // step
    assert len(set(classes.codes())) == len(classes.limits) == len(set(classes.ids))


@given(
    st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=30),
    st.sampled_from([0.01, 0.1, 0.25, 1.0, 3.0, 1e9]),
    st.sampled_from([0.0, 0.05, -7.3]),
)
def test_numbers_lie_in_one_band_each_and_bands_do_not_overlap(values, width, origin):
    values = np.array(values)
    (classes,) = Bands((width,), origin).classes(values)
    limits = [(float(low), float(high)) for low, high in classes.limits]
    for value, number in zip(values, classes.ids, strict=True):
        assert limits[number][0] <= value < limits[number][1]
    ordered = sorted(limits)
    assert ordered == limits
    assert all(high <= low for (_, high), (low, _) in zip(ordered[:-1], ordered[1:], strict=True))
    assert len(set(classes.codes())) == len(limits)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_bands_are_nested_whatever_the_values(values):
    tree = Bands((0.1, 0.5, 5.0)).build("x", numbers(*values))
    assert tree.place(numbers(*values)).unknown.sum() == 0
    assert tree.depth == 4


def test_the_seed_leaves_age_40_without_a_class_and_we_do_not():
    """The example of dav2025 has "<30", "3*" and ">40"."""
    ages = numbers(*range(-5, 130))
    for rule in (Bands((10.0,)), Cuts(((30.0, 40.0),))):
        assert None not in shown(rule, ages, 1)
    assert shown(Cuts(((30.0, 40.0),)), numbers(29, 30, 39, 40, 41), 1) == [
        "<30",
        "30-39",
        "30-39",
        ">=40",
        ">=40",
    ]


def test_missing_cells_make_no_class_and_suppressed_ones_do():
    column = Column(
        Kind.INTEGER, np.array([3, 77, 21]), np.array([OBSERVED, MISSING, SUPPRESSED], dtype=np.uint8)
    )
    assert Bands((10.0,)).build("x", column).codes.tolist() == ["Total", "0-9", "3", "20-29", "21"]


@pytest.mark.parametrize(
    "column", [numbers(dtype=np.int64), numbers(np.nan, np.nan), numbers(dtype=np.float64)]
)
def test_no_values_no_classes(column):
    for rule in (Bands((10.0, 20.0)), Cuts(((1.0,), (1.0, 2.0)))):
        tree = rule.build("x", column)
        assert (tree.codes.tolist(), tree.depth) == (["Total"], 3)
        assert tree.generalise(column, 1, "x").texts().tolist() == [None] * len(column)


def test_infinite_values_have_no_band():
    with pytest.raises(NotFinite) as caught:
        Bands((5.0,)).build("x", numbers(1.0, np.inf, -np.inf))
    assert caught.value.facts == {"name": "x", "count": 2, "first": 2}


@pytest.mark.parametrize(("value", "width"), [(1e300, 5.0), (1.0, 1e-300), (-1e17, 1.0), (1.7e308, 0.1)])
def test_bands_that_cannot_be_told_apart_are_refused(value, width):
    with pytest.raises(ClassesTooNarrow) as caught:
        Bands((width,)).build("x", numbers(0.0, value))
    assert caught.value.facts == {"name": "x", "count": 1, "first": 2}


def test_an_origin_far_away_is_refused_like_a_value_far_away():
    with pytest.raises(ClassesTooNarrow):
        Bands((0.1,), origin=1e17).build("x", numbers(1e17))


def test_huge_and_tiny_bands():
    assert shown(Bands((1e300,)), numbers(1.5e300, -1.0), 1) == ["1e+300-<2e+300", "-1e+300-<0"]
    assert shown(Bands((1e-9,)), numbers(2.5e-9, 0.0), 1) == ["2e-09-<3e-09", "0-<1e-09"]
    assert shown(Bands((1000.0,)), numbers(INT.max // 10**6), 1) == ["9223372036000-9223372036999"]
    assert shown(Bands((1e18,)), numbers(INT.max, INT.min), 1) == [
        "9000000000000000000-9999999999999999999",
        "-10000000000000000000--9000000000000000001",
    ]


def test_widths_of_very_different_size_are_nested():
    tree = Bands((1.0, 1e30)).build("x", numbers(-5, 5))
    assert tree.children("Total").tolist() == ["-1e+30--1", "0-1e+30"]


@pytest.mark.parametrize(
    "widths", [(), (0.0,), (-5.0,), (5.0, 7.0), (5.0, 5.0), (np.inf,), (np.nan, 1.0), (0.3, 1.0)]
)
def test_widths_that_do_not_nest(widths):
    with pytest.raises(HierarchyNotNested):
        Bands(widths).build("x", numbers(1))


@pytest.mark.parametrize("widths", [(0.1, 0.3), (0.1, 1.0), (5e-324, 1.5e308), (2.5, 5.0, 100.0)])
def test_widths_that_nest_as_decimals(widths):
    refuse_widths("x", widths)


def test_a_total_that_is_a_class():
    with pytest.raises(HierarchyTwice):
        Bands((5.0,), total="0-4").build("x", numbers(1))


# -- cut points -------------------------------------------------------------------------------------------


def test_cut_points_are_open_at_both_ends():
    column = numbers(-1e308, 17.99, 18.0, 34.99, 35.0, np.inf, -np.inf)
    assert shown(Cuts(((18.0, 35.0),)), column, 1) == [
        "<18",
        "<18",
        "18-<35",
        "18-<35",
        ">=35",
        ">=35",
        "<18",
    ]


def test_levels_of_cut_points():
    tree = Cuts(((40.0,), (18.0, 40.0, 65.0))).build("x", numbers(17, 18, 40, 65))
    assert tree.codes.tolist() == [
        "Total",
        "<40",
        "<18",
        "17",
        "18-39",
        "18",
        ">=40",
        "40-64",
        "40",
        ">=65",
        "65",
    ]


def test_a_class_that_is_the_same_on_two_levels_is_one():
    tree = Cuts(((40.0,), (40.0, 65.0))).build("x", numbers(17, 70))
    assert tree.codes.tolist() == ["Total", "<40", "17", ">=40", ">=65", "70"]
    assert tree.level.tolist() == [0, 1, 3, 1, 2, 3]
    assert tree.generalise(numbers(17, 70), 2, "x").texts().tolist() == ["<40", ">=65"]


def test_cut_points_between_whole_numbers():
    assert shown(Cuts(((17.5, 20.0),)), numbers(17, 18, 19, 20), 1) == [
        "<17.5",
        "17.5-<20",
        "17.5-<20",
        ">=20",
    ]


def test_cut_points_beyond_all_whole_numbers():
    assert shown(Cuts(((-1e30, 0.0, 1e30),)), numbers(INT.min, INT.max, 0), 1) == [
        "-1e+30--1",
        "0-1e+30",
        "0-1e+30",
    ]
    assert shown(Cuts(((-1e30,),)), numbers(INT.min), 1) == [">=-1e+30"]
    assert shown(Cuts(((1e30,),)), numbers(INT.max), 1) == ["<1e+30"]


@given(
    st.lists(st.floats(allow_nan=False), max_size=30),
    st.sets(st.floats(-1e6, 1e6), min_size=1, max_size=6).map(sorted),
)
def test_every_number_lies_in_the_class_of_its_limits(values, points):
    (classes,) = Cuts((tuple(points),)).classes(np.array(values, dtype=np.float64))
    for value, number in zip(values, classes.ids, strict=True):
        low, high = (float(limit) for limit in classes.limits[number])
        assert low <= value < high or (value == high == np.inf)


@pytest.mark.parametrize(
    "points",
    [
        (),
        ((),),
        ((2.0, 1.0),),
        ((1.0, 1.0),),
        ((1.0,), (2.0, 3.0)),
        ((1.0,), (1.0,)),
        ((np.inf,),),
        ((np.nan,),),
    ],
)
def test_cut_points_that_do_not_nest(points):
    with pytest.raises(HierarchyNotNested):
        refuse_points("x", points)


# -- quantiles --------------------------------------------------------------------------------------------


def test_quantile_classes_do_not_look_under_suppressed_cells():
    values = np.concatenate([np.arange(100.0), np.full(100, 1e9)])
    state = np.repeat([OBSERVED, SUPPRESSED], 100).astype(np.uint8)
    assert Cuts.at_quantiles(Column(Kind.NUMBER, values, state), "x", 4).points == ((20.0, 50.0, 70.0),)


def test_no_value_or_one_value_cannot_be_parted():
    with pytest.raises(NothingToUse):
        Cuts.at_quantiles(numbers(np.nan), "x", 4)
    with pytest.raises(ClassesNone):
        Cuts.at_quantiles(numbers(7.0, 7.0, 7.0), "x", 4)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60), st.integers(2, 9))
@settings(max_examples=150)
def test_every_limit_of_quantiles_parts_some_values(values, count):
    try:
        (points,) = Cuts.at_quantiles(numbers(*values), "x", count).points
    except ClassesNone:
        return
    assert 1 <= len(points) < count
    for point in points:
        assert min(values) < point <= max(values)
