"""Classes, means and limits that every stratum has of its own, against each stratum treated alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column
from tarnkappe.data.intervals import Bands, Cuts, limits_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import ascending_strata, strata_of
from tarnkappe.data.stratum_cuts import StratumCuts, classes_by, merged
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import NothingToUse, WrongKind
from tarnkappe.errors.hierarchy import ClassesNone, ClassOpen, ClassTooSmall
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.kernels.class_means import block_limits, class_means, rounded_quantiles
from tarnkappe.methods.microdata.band import Band
from tarnkappe.randomness import public_stream as stream
from tarnkappe.report.told import told
from tarnkappe.spec import plain
from tarnkappe.spec.step import apply_step, broken_claims

STREAM = stream("for tests only")
QUANTILES, MERGED, MEANS = (
    {"quantiles": 3, "at_least": 4},
    {"width": 50, "at_least": 4},
    {"cuts": [900, 1100]},
)


def stratified(seed, whole=False, n=400):
    """Strata of different size and level, with gaps, suppressed cells and strata without a name."""
    g = np.random.default_rng(seed)
    regions = g.choice(["north", "east", "south", None], n, p=[0.5, 0.3, 0.15, 0.05])
    level = {"north": 1000.0, "east": 300.0, "south": 10.0, None: 5.0}
    x = np.array([level[r] for r in regions]) * np.exp(g.normal(0, 0.5, n))
    state = g.choice([OBSERVED, MISSING, SUPPRESSED], n, p=[0.85, 0.05, 0.1]).astype(np.uint8)
    column = Column.numbers_of(np.rint(x).astype(np.int64) if whole else x, state)
    return Microdata(
        {"x": column, "r": Column.texts_of(regions.tolist()), "z": Column.numbers_of(g.integers(0, 2, n))}
    )


def alone(method, data):
    """What every stratum shows if it is the whole file; a file that is refused as too small is one class."""
    out = np.full(len(data), None, dtype=object)
    for rows in strata_of(data, method.within).blocks():
        part = data.take(rows)
        step = Band(columns=method.columns, into=method.into, show=method.show)
        try:
            out[rows] = step.apply(part, STREAM).column("x").texts()
        except (ClassesNone, NothingToUse):
            column = part.column("x")
            shown = column.values[column.observed]
            all_of_it = "Total" if method.show == "class" else str(shown.mean()) if len(shown) else None
            out[rows] = np.where(column.observed, all_of_it, None)
    return out


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    ("into", "show"),
    [
        (QUANTILES, "class"),
        (QUANTILES, "mean"),
        (MERGED, "class"),
        (MERGED, "mean"),
        ({"cuts": [200, 900], "at_least": 3}, "class"),
    ],
)
def test_every_stratum_is_treated_as_if_it_were_alone(into, show, whole):
    for seed in range(5):
        data = stratified(seed, whole)
        method = Band(columns=("x",), into=into, show=show, within=("r", "z"))
        got, want = apply_step(method, data, STREAM).column("x").texts(), alone(method, data)
        if show == "class":
            assert got.tolist() == want.tolist()
        else:
            assert [g is None for g in got] == [w is None for w in want]
            there = np.array([w is not None for w in want])
            np.testing.assert_allclose(got[there].astype(float), want[there].astype(float), rtol=1e-12)


def test_means_of_given_classes_are_means_of_the_stratum():
    data = Microdata(
        {"x": Column.numbers_of(np.array([1.0, 2, 6, 2, 3, 7])), "r": Column.texts_of(list("aaabbb"))}
    )
    done = apply_step(Band(columns=("x",), into={"width": 10}, show="mean", within=("r",)), data, STREAM)
    assert done.column("x").values.tolist() == [3.0] * 3 + [4.0] * 3
    with pytest.raises(ClassTooSmall):
        apply_step(
            Band(columns=("x",), into={"width": 10}, show="mean", within=("r",)),
            data.take(np.arange(5)),
            STREAM,
        )


def test_classes_of_all_strata_ascend():
    data = stratified(1)
    column = apply_step(Band(columns=("x",), into=QUANTILES, within=("r",)), data, STREAM).column("x")
    limits = [limits_of(code) for code in column.categories]
    assert limits == sorted(limits)
    assert len(set(limits)) == len(limits) > 3


def test_a_stratum_too_small_for_two_classes_is_one():
    values = np.array([*range(1, 13), 5.0, 7.0, 7.0, 7.0])
    data = Microdata({"x": Column.numbers_of(values), "r": Column.texts_of([*"a" * 12, "b", *"ccc"])})
    for into in ({"quantiles": 2}, {"quantiles": 2, "at_least": 3}, {"width": 4, "at_least": 3}):
        texts = apply_step(Band(columns=("x",), into=into, within=("r",)), data, STREAM).column("x").texts()
        assert set(texts[12:]) == {"Total"} and "Total" not in texts[:12]
    with pytest.raises(ClassTooSmall):  # one record has no mean of its own
        apply_step(Band(columns=("x",), into={"quantiles": 2}, show="mean", within=("r",)), data, STREAM)
    with pytest.raises(ClassesNone):
        apply_step(
            Band(columns=("x",), into={"quantiles": 2}, within=("r",)), data.take(np.arange(12, 16)), STREAM
        )


def test_small_classes_of_a_stratum_are_refused():
    values = np.array([*range(1, 13), 1.0, 2.0, 8.0, 9.0])
    data = Microdata({"x": Column.numbers_of(values), "r": Column.texts_of([*"a" * 12, *"bbbb"])})
    with pytest.raises(ClassTooSmall) as caught:
        apply_step(Band(columns=("x",), into={"quantiles": 2}, within=("r",)), data, STREAM)
    assert caught.value.facts["count"] == 2


def test_a_stratum_that_shows_no_value_stays_hidden():
    state = np.array([OBSERVED] * 8 + [SUPPRESSED, MISSING], dtype=np.uint8)
    data = Microdata(
        {"x": Column.numbers_of(np.arange(10.0), state), "r": Column.texts_of([*"a" * 8, "b", "b"])}
    )
    for show in ("class", "mean"):
        done = apply_step(Band(columns=("x",), into={"quantiles": 2}, show=show, within=("r",)), data, STREAM)
        assert done.column("x").texts()[8:].tolist() == [None, None]
        assert "Total" not in (done.column("x").sealed().categories if show == "class" else ())


@pytest.mark.parametrize(("size", "error"), [(0, NothingToUse), (1, ClassesNone)])
def test_nothing_and_one_record(size, error):
    data = Microdata(
        {"x": Column.numbers_of(np.arange(float(size))), "r": Column.texts_of(["a"] * size)},
    )
    with pytest.raises(error):
        apply_step(Band(columns=("x",), into={"quantiles": 2}, within=("r",)), data, STREAM)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"into": {"width": 5}}, "same in all strata"),
        ({"into": {"cuts": [1, 2]}}, "same in all strata"),
        ({"into": {"width": 5}, "show": "midpoint"}, "same in all strata"),
        ({"into": {"quantiles": 4}, "within": ("x",)}, "column that is treated"),
    ],
)
def test_strata_that_change_nothing_are_refused(parameters, says):
    with pytest.raises(ParameterWrong, match=says):
        Band(**{"columns": ("x",), "within": ("r",), **parameters})


def test_text_is_refused_with_strata_too():
    with pytest.raises(WrongKind):
        Band(columns=("r",), into={"quantiles": 4}, within=("z",)).apply(stratified(1), STREAM)


def test_claims_hold_in_every_stratum_or_are_broken():
    data = Microdata(
        {"x": Column.numbers_of(np.array([1.0, 2, 6, 2, 3, 7])), "r": Column.texts_of(list("aaabbb"))}
    )
    step = Band(columns=("x",), into={"width": 10}, show="mean", within=("r",))

    def broken(*new):
        after = data.with_columns({"x": Column.numbers_of(np.array(new))})
        return {claim.says.en.split(" ")[1] for claim in broken_claims(step, data, after)}

    assert broken(3.0, 3, 3, 4, 4, 4) == set()
    assert broken(3.5, 3.5, 3.5, 3.5, 3.5, 3.5) == {"mean"}, "right for the file, wrong in its strata"
    assert {"order", "within", "class"} <= broken(3.0, 3, 3, 6, 4, 2)
    assert "class" in broken(3.0, 3, 3, 3, 4.5, 4.5), "two records of a stratum share a mean"


def test_limits_of_strata_are_told_without_naming_a_stratum():
    data = stratified(3)
    step = Band(columns=("x",), into=QUANTILES, show="mean", within=("r",))
    facts = step.tells(data, apply_step(step, data, STREAM))
    assert facts["within"] == ["r"]
    limits = facts["classes"]["x"]["limits_by_stratum"]
    for row, name in zip(limits, (None, "east", "north", "south"), strict=True):
        part = data.take(np.flatnonzero(data.column("r").texts() == name))
        try:
            assert row == Band(columns=("x",), into=QUANTILES).tells(part, part)["classes"]["x"]["limits"]
        except ClassesNone:
            assert row == []
    shown = Band(columns=("x",), into=QUANTILES, within=("r",)).tells(data, data)
    assert shown["classes"] == {"x": {"limits_stand_in": "the classes shown"}}


def test_the_page_for_receivers_counts_strata_and_speaks_both_languages():
    data = stratified(3)
    for show, says in (
        ("mean", "of 4 strata in about.json | von 4 Schichten in about.json"),
        ("class", "the classes shown | den gezeigten Klassen"),
    ):
        step = Band(columns=("x",), into=QUANTILES, show=show, within=("r",))
        rows = told(step.id, plain(step.tells(data, data)))
        assert says in [f"{value.en} | {value.de}" for _, value in rows]
        assert all("limits_" not in name.en and "limits_" not in name.de for name, _ in rows)


def test_record_numbers_are_those_of_the_original():
    values = np.array([1.0, 2.0, np.inf, 3.0])
    data = Microdata({"x": Column.numbers_of(values)}).take(np.array([1, 2, 3]))
    for into in ({"width": 5}, {"cuts": [0]}, {"width": 5, "at_least": 3}):
        with pytest.raises(TarnkappeError, match="record 3"):
            Band(columns=("x",), into=into, show="mean").apply(data, STREAM)
    far = Microdata({"x": Column.numbers_of(np.array([1.0, 1e300, 2.0]))}).take(np.array([1, 2]))
    with pytest.raises(TarnkappeError, match="record 2"):
        Band(columns=("x",), into={"width": 5}).apply(far, STREAM)


def test_a_record_that_a_method_made_has_the_number_of_its_place():
    for value in (np.inf, 1e300):
        data = Microdata({"x": Column.numbers_of(np.array([1.0, 2.0, value, 3.0]))})
        made = data.with_made(np.array([0, 2])).take(np.array([0, 4, 5]))
        assert made.rows.tolist() == [0, -1, -2]
        with pytest.raises(TarnkappeError, match=r"record 3\b"):
            Band(columns=("x",), into={"width": 5}).apply(made, STREAM)


# -- what it is made of ------------------------------------------------------------------------------------------------


def plain_limits(values, count):
    """Quantiles as numpy has them, rounded to the leading digit of the median distance of those half a class apart."""
    halves = np.quantile(values, np.arange(1, 2 * count) / (2 * count))
    gaps = np.diff(halves)
    digits = -math.floor(math.log10(np.median(gaps[gaps > 0]))) if (gaps > 0).any() else 0
    return sorted({round(limit, digits) for limit in halves[1::2].tolist()})


@pytest.mark.parametrize("count", [2, 4, 10])
def test_limits_of_blocks_are_those_of_each_block(count):
    g = np.random.default_rng(count)
    sizes = g.integers(0, 30, 60)
    parts = [np.sort(np.round(np.exp(g.normal(k % 9, 2, n)), k % 4)) for k, n in enumerate(sizes)]
    limits, begin = block_limits(np.concatenate(parts), np.concatenate([[0], np.cumsum(sizes)]), count)
    for k, part in enumerate(parts):
        own = limits[begin[k] : begin[k + 1]].tolist()
        assert own == (plain_limits(part, count) if len(part) else [])


def test_limits_at_the_end_of_all_numbers():
    limits = rounded_quantiles(np.array([-1.7e308, -1e308, 1.0, 1e308, 1.7e308, 1.79e308]), 3)
    assert limits == [-3e307, 1.2e308]
    assert rounded_quantiles(np.array([-1.79e308, 1.79e308]), 2) == [0.0]


def test_means_of_tiny_numbers_beside_huge_ones():
    values, ids = np.array([1e-300, 3e-300, 1e300, 3e300]), np.array([0, 0, 1, 1])
    np.testing.assert_allclose(class_means(values, ids, 2), [2e-300, 2e300], rtol=1e-15)


@pytest.mark.parametrize("kind", [np.float64, np.int64])
def test_cuts_of_strata_are_cuts_in_each(kind):
    g = np.random.default_rng(2)
    points = [sorted(g.choice(40, g.integers(0, 6), replace=False) / 2 - 3) for _ in range(20)]
    rule = StratumCuts(np.concatenate(points), np.cumsum([0, *map(len, points)]))
    values, of = g.integers(-9, 25, 500).astype(kind), g.integers(0, 20, 500)
    found = rule.classes(values, of)
    for stratum, own in enumerate(points):
        here = of == stratum
        (want,) = Cuts((tuple(own),)).classes(values[here]) if own else [None]
        got = [found.limits[k] for k in found.ids[here]]
        assert got == ([want.limits[k] for k in want.ids] if want else got)
        assert want or set(found.codes()[found.ids[here]]) == {"Total"}


def test_merged_classes_are_those_of_each_stratum():
    data = stratified(5)
    strata, column = strata_of(data, ("r",)), data.column("x")
    rule = merged(Bands((20.0,)), column, strata, np.arange(len(data)), 5)
    for rows, points in zip(strata.blocks(), rule.by_stratum(), strict=True):
        values = column.values[rows][column.observed[rows]]
        counts, here, left, want = {}, 0, len(values), []
        for value in values:
            counts[20 * np.floor(value / 20)] = counts.get(20 * np.floor(value / 20), 0) + 1
        for low in sorted(counts):
            if here >= 5 and left >= 5:
                want.append(low)
                here = 0
            here, left = here + counts[low], left - counts[low]
        assert points.tolist() == want


def test_strata_ascend_as_whoever_has_the_records_sorts_them():
    data = Microdata(
        {
            "a": Column.coded(np.array([1, 0, 1, 0, 0]), np.array(["x", "B"], dtype=object)),
            "b": Column.numbers_of(np.array([10.0, 9.0, -3.0, np.nan, 9.0])),
        }
    )
    strata = ascending_strata(data, ("a", "b"))
    assert strata.of.tolist() == [1, 3, 0, 2, 3]
    assert strata.sizes.tolist() == [1, 1, 1, 2]
    gaps = Column.texts_of(["a", None, "a", "a"]).suppress(np.array([False, False, True, False]))
    assert ascending_strata(Microdata({"a": gaps}), ("a",)).of.tolist() == [2, 1, 0, 2]
    assert classes_by(Cuts(((0.0,),)), np.array([1.0]), np.array([0])).codes().tolist() == [">=0"]


def test_a_stratum_of_one_class_has_no_midpoint():
    x = np.array([0.0, 1, 2, 10, 11, 12, 20, 21, 22, 1, 2])
    data = Microdata({"x": Column.numbers_of(x), "g": Column.numbers_of((np.arange(11) > 8).astype(int))})
    method = Band(columns=("x",), into={"cuts": [10.0, 20.0], "at_least": 3}, show="midpoint", within=("g",))
    with pytest.raises(ClassOpen):
        apply_step(method, data, stream("s" * 32))
