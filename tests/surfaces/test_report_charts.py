"""Charts: no picture shows a single record, every picture is small, safe and follows the theme."""

from __future__ import annotations

import re
from functools import partial
from xml.etree import ElementTree

import altair
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tarnkappe.data.column import Column
from tarnkappe.report import charts, heat_chart
from tarnkappe.report.axes import SMALLEST
from tarnkappe.report.drawing import VARIABLES, draw
from tarnkappe.report.frequencies import MOST, alone, as_numbers, same_categories, side, together
from tarnkappe.report.histogram import histogram
from tarnkappe.vocab import Kind

NASTY = '</svg><script>alert("x")</script> & {{7*7}} \u2028 \\ \x0b ü😀'


def numbers(values):
    return Column.numbers_of(np.asarray(values, dtype=float))


def random(seed=0):
    return np.random.default_rng(seed)


# -- histograms ---------------------------------------------------------------------------------------------------


def counts(shares, n):
    found = np.asarray(shares) * n
    assert np.allclose(found, np.rint(found))
    return np.rint(found).astype(int)


values = st.floats(-1e12, 1e12) | st.sampled_from([0.0, 0.0, 1.0, 5.0, 1e-9, -3.0])


@given(arrays(np.float64, st.integers(10, 60), elements=values))
@settings(max_examples=150, deadline=None)
def test_no_bin_stands_for_fewer_than_three_records(x):
    found = histogram(numbers(x), numbers(np.round(x, -1)))
    assert found is not None
    for shares, old in ((found.before, x), (found.after, np.round(x, -1))):
        n = np.count_nonzero(np.abs(old) > 1e-150) if found.zeros else len(old)
        c = counts(shares, n)
        assert not np.any((c > 0) & (c < SMALLEST))
        assert c.sum() <= n
    assert len(found.before) == len(found.after)
    assert all(0 <= place <= len(found.before) for place, _ in found.axis.ticks)


@given(
    arrays(np.float64, 40, elements=st.floats(-1e6, 1e6).map(lambda v: round(v, 3))),
    st.floats(1e8, 1e12),
    st.floats(1e8, 1e12),
)
@settings(max_examples=150, deadline=None)
def test_the_picture_is_the_same_whatever_the_largest_record_is(x, one, other):
    """Not the value of the largest record, only that it is beyond the open end, may matter."""
    pictures = []
    for beyond in (one, other):
        y = np.append(x, x.max() + beyond)
        found = histogram(numbers(y), numbers(np.zeros(41) + 0.5))
        pictures.append((found.axis.edges.tolist(), found.axis.ticks, found.before.tolist()))
    assert pictures[0] == pictures[1]


def test_an_outlier_is_not_on_the_axis():
    x = np.append(random().normal(100, 10, 500), 987_654_321.0)
    found = histogram(numbers(x), numbers(x))
    assert found.axis.edges.max() < 1000
    for lang in ("en", "de"):
        picture = draw(charts.overlaid(found, lang), lang, "x")
        assert "987" not in picture
        assert "M" not in re.sub(r'd="[^"]*"', "", re.sub("viewBox", "", picture)).split(">", 1)[1]


def test_too_few_values_get_no_picture():
    assert histogram(numbers(np.arange(9)), numbers(np.arange(9))) is None
    assert histogram(numbers(np.full(50, np.nan)), numbers(np.arange(50))) is None
    assert histogram(numbers([]), numbers([])) is None
    assert histogram(numbers(np.full(20, 1e308)), numbers(np.full(20, -1e308))) is None
    assert histogram(numbers(np.full(20, 1e149)), numbers(np.full(20, -1e149))) is not None


@pytest.mark.parametrize(
    "x", [np.full(30, 7.0), np.full(30, 0.0), np.full(30, -2e-7), np.tile([1.0, 2.0], 20)]
)
def test_constants_and_ties(x):
    found = histogram(numbers(x), numbers(x))
    assert found.before.sum() == pytest.approx(1)


def test_infinite_missing_and_suppressed_cells_are_left_out():
    x = np.append(np.arange(1.0, 401.0), [np.inf, -np.inf, np.nan])
    column = numbers(x).suppress(np.arange(403) < 100)
    found = histogram(column, column)
    assert counts(found.before, 300).sum() == 299  # the value 400 lies alone in its bin
    assert found.axis.edges.min() >= 100


def test_small_whole_numbers_have_a_bin_each():
    x = Column.numbers_of(np.repeat([0, 1, 2, 5], [40, 30, 20, 10]))
    found = histogram(x, x)
    assert found.before.tolist() == [0.4, 0.3, 0.2, 0, 0, 0.1]
    assert [value for _, value in found.axis.ticks] == [0, 1, 2, 3, 4, 5]
    assert found.zeros is None


def test_wide_ranges_are_cut_by_ratio():
    x = 10 ** random().uniform(0, 6, 4000)
    found = histogram(numbers(x), numbers(x))
    ratios = found.axis.edges[1:] / found.axis.edges[:-1]
    assert np.allclose(ratios, ratios[0])
    assert {1e2, 1e3, 1e4, 1e5} <= {value for _, value in found.axis.ticks}


@pytest.mark.parametrize("low", [5e-324, 1e-303, 1e-30])
def test_the_tiniest_and_the_hugest_numbers_have_a_picture(low):
    x = np.append(np.full(300, low), np.geomspace(1, 1e149, 200))
    found = histogram(numbers(x), numbers(x))
    assert 3 <= len(found.before) <= 40
    assert draw(charts.overlaid(found, "en"), "en", "x")


def test_many_zeros_are_told_and_not_drawn():
    x = np.where(random().random(1000) < 0.6, 0, 10 ** random(1).uniform(1, 6, 1000))
    found = histogram(numbers(x), numbers(np.where(x == 0, 5.0, x)))
    assert found.zeros == (pytest.approx(np.mean(x == 0)), 0.0)
    assert counts(found.before, np.count_nonzero(x)).sum() >= np.count_nonzero(x) - 2 * len(found.before)


def test_rounding_does_not_look_like_a_shift():
    x = random().uniform(0, 100, 5000)
    found = histogram(numbers(x), numbers(np.round(x / 5) * 5))
    assert np.abs(found.before - found.after).max() < 0.03


def test_dates_are_cut_by_years_or_months():
    days = random().integers(-10_000, 15_000, 2000).astype(np.int32)
    found = histogram(Column(Kind.DATE, days), Column(Kind.DATE, days))
    assert all(1940 <= int(value) <= 2015 and int(value) % 5 == 0 for _, value in found.axis.ticks)
    short = Column(Kind.DATE, random().integers(18_000, 18_500, 300).astype(np.int32))
    assert len(histogram(short, short).before) >= 12
    assert next(value for _, value in histogram(short, short).axis.ticks).startswith("2019-")
    far = Column(Kind.DATE, random().integers(-2e9, 2e9, 300).astype(np.int32))
    assert histogram(far, far) is not None
    moments = Column(Kind.DATETIME, days.astype(np.int64) * 86_400_000_000)
    assert histogram(moments, moments).before.tolist() == found.before.tolist()


# -- categories -----------------------------------------------------------------------------------------------------


def test_rare_categories_have_no_bar_and_no_name():
    texts = ["usual"] * 50 + ["rare"] * 2 + [f"only {i}" for i in range(5)]
    bars = alone(side(Column.texts_of(texts)))
    assert [bar.name.en for bar in bars] == ["usual", "other (6)"]
    assert bars[1].after == pytest.approx(7 / 57)


def test_categories_under_suppressed_cells_are_not_shown():
    column = Column.texts_of(["a"] * 20 + ["hidden"] * 10)
    after = column.suppress(np.arange(30) >= 20)
    bars = together(side(column), side(after))
    assert {bar.name.en: bar.after for bar in bars} == {
        "a": pytest.approx(2 / 3), "hidden": 0, "suppressed": pytest.approx(1 / 3),
    }  # fmt: skip
    assert [bar.name.en for bar in alone(side(after))] == ["a", "suppressed"]


def test_one_or_two_suppressed_cells_are_not_drawn():
    column = Column.texts_of(["a"] * 20).suppress(np.arange(20) < 2)
    assert [bar.name.en for bar in alone(side(column))] == ["a"]


def test_new_categories_need_panels_of_their_own():
    old, new = Column.texts_of(["11", "12", "21"] * 9), Column.texts_of(["1", "1", "2"] * 9)
    assert not same_categories(side(old), side(new))
    assert same_categories(side(old), side(old.suppress(np.arange(27) < 5)))


def test_most_frequent_first_and_the_rest_together():
    texts = [f"c{i:02d}" for i in range(30) for _ in range(3 + i)]
    bars = alone(side(Column.texts_of(texts)))
    assert [bar.name.en for bar in bars[:3]] == ["c29", "c28", "c27"]
    assert len(bars) == MOST + 1
    assert sum(bar.after for bar in bars) == pytest.approx(1)


def test_bands_stand_in_their_order():
    bars = alone(side(Column.texts_of(["[100, 200)"] * 9 + ["[0, 50)"] * 5 + ["[50, 100)"] * 7)))
    assert [bar.name.en for bar in bars] == ["[0, 50)", "[50, 100)", "[100, 200)"]


def test_equal_shortened_labels_stay_apart():
    long = "x" * 60
    bars = alone(side(Column.texts_of([long + "a"] * 5 + [long + "b"] * 4)))
    assert len(bars) == 2
    picture = draw(charts.single(bars, "en"), "en", "x")
    assert picture.count("x…") == 2


def test_many_bands_become_a_histogram():
    texts = [str(1950 + i) for i in range(40) for _ in range(4)]
    column = as_numbers(Column.texts_of(texts))
    assert column.numbers().min() == 1950
    assert as_numbers(Column.texts_of(["a"] * 20)) is None
    assert as_numbers(Column.texts_of(["1", "2"] * 20)) is None


def test_a_booleans_only_value_keeps_its_name():
    column = Column(
        Kind.BOOLEAN, np.ones(20, dtype=np.uint8), None, np.array(["false", "true"], dtype=object)
    )
    assert [bar.name.en for bar in alone(side(column))] == ["true"]


# -- pictures -------------------------------------------------------------------------------------------------------


def gallery():
    x = random().lognormal(8, 2, 2000)
    wide = histogram(numbers(x), numbers(x * 1.1))
    texts = Column.texts_of(
        [NASTY if i % 3 else f"{i % 7} words" for i in range(700)], value_labels={"0 words": NASTY}
    )
    bars = together(side(texts), side(texts.suppress(np.arange(700) < 90)))
    matrix = np.corrcoef(random().normal(size=(4, 30))).tolist()
    matrix[2][1] = None
    names = [NASTY, "b", "c", "d"]
    return {
        "overlaid": partial(charts.overlaid, wide),
        "one": partial(charts.one_histogram, wide, side=1),
        "paired": partial(charts.paired, bars),
        "single": partial(charts.single, alone(side(texts)), side=0),
        "classes": partial(charts.class_sizes, ["1", "2", "3+"], [0.5, 0.2, 0.3], [0.0, 0.0125, 0.9875]),
        "after only": partial(charts.class_sizes, ["1", "2"], None, [0.25, 0.75]),
        "correlations": partial(heat_chart.correlations, names, {"before": matrix, "after": matrix}),
    }


@pytest.mark.parametrize("name", gallery())
@pytest.mark.parametrize("lang", ["en", "de"])
def test_pictures_are_small_safe_and_follow_the_theme(name, lang):
    spec = gallery()[name](lang)
    altair.Chart.from_dict(spec)  # holds against the schema of Vega-Lite, or raises
    picture = draw(spec, lang, 'says "this" & <that>')
    assert len(picture.encode()) < 60_000
    root = ElementTree.fromstring(picture)
    assert root.get("aria-label") == 'says "this" & <that>'
    assert root.get("role") == "img"
    assert {e.tag for e in root.iter()} <= {"svg", "g", "path", "line", "rect", "text", "title"}
    attributes = {a for e in root.iter() for a in e.attrib}
    assert not attributes & {"id", "style", "class", "href", "onload"}
    assert "http" not in picture
    assert not any(colour in picture for colour in VARIABLES)
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', picture)) <= {*VARIABLES.values(), "none"}
    assert "<script" not in picture
    assert draw(spec, lang, 'says "this" & <that>') == picture


def test_languages_differ_in_words_and_in_decimal_signs():
    spec = gallery()["classes"]
    english, german = (draw(spec(lang), lang, "x") for lang in ("en", "de"))
    assert "share of records" in english
    assert "Anteil der Datensätze" in german
    assert "1.2%" in english
    assert "1,2\u00a0%" in german


def test_labels_are_shown_as_they_are():
    root = ElementTree.fromstring(draw(gallery()["single"]("en"), "en", "x"))
    texts = [e.text for e in root.iter("text")]
    assert any(t.startswith('</svg><script>alert("x")') for t in texts)


def test_a_rest_that_dwarfs_the_others_is_told_not_drawn():
    texts = [f"c{i:03d}" for i in range(200) for _ in range(3)]
    spec = charts.single(alone(side(Column.texts_of(texts))), "en")
    rest = spec["layer"][0]["data"]["values"][-1]
    assert rest["share"] == 0
    assert rest["says"] == "94%"


@pytest.mark.parametrize(
    ("value", "en", "de"),
    [
        (0, "0", "0"),
        (1000, "1,000", "1.000"),
        (20_000, "20 k", "20 Tsd."),
        (2.5e6, "2.5 M", "2,5 Mio."),
        (-3e9, "−3 bn", "−3 Mrd."),
    ],
)
def test_numbers_on_axes_are_short(value, en, de):
    assert (charts.short(value, "en"), charts.short(value, "de")) == (en, de)
