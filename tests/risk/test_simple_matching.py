"""Simple matching: brute force beside the kernel, attackers whose success is known, gaps, and bad input."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from risk.linkage_data import KEYS, noisy, persons, shuffled, strangers
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, NotFinite, NothingToUse
from tarnkappe.errors.risk import AttackerFileNeeded
from tarnkappe.kernels.tolerance_matches import Side, matches
from tarnkappe.risk.simple_matching import SimpleMatching
from tarnkappe.vocab import Kind


def slowly(known, released, unit, truth, tolerances):
    counts = np.zeros((len(truth), len(tolerances)), dtype=int)
    own = np.zeros_like(counts, dtype=bool)
    for i, (x, block) in enumerate(zip(*known, strict=True)):
        for level, t in enumerate(tolerances):
            for j, (y, other) in enumerate(zip(*released, strict=True)):
                fits = all(
                    np.isnan(a) or np.isnan(b) or a == b or abs(b - a) <= t * u * (1 + 1e-9)
                    for a, b, u in zip(x, y, unit[i], strict=True)
                )
                if block == other and fits:
                    counts[i, level] += 1
                    own[i, level] |= truth[i] == j
    return counts, own


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 15), st.integers(1, 15), st.integers(1, 3))
def test_the_kernel_counts_what_brute_force_counts(seed, n, m, keys):
    draw = np.random.default_rng(seed)
    blocks = draw.integers(1, 4)

    def side(count):
        values = draw.integers(-3, 6, (count, keys)).astype(float)
        values[draw.random((count, keys)) < 0.15] = np.nan
        return Side(values, draw.integers(0, blocks, count))

    known, released = side(n), side(m)
    unit = np.nan_to_num(np.abs(known.values)) * draw.integers(0, 2, keys)
    truth = draw.integers(-1, m, n)
    tolerances = np.unique(draw.choice([0.0, 0.2, 0.5, 1.0, 2.0], 3))
    counts, own = matches(known, released, unit, truth, tolerances)
    expected = slowly(known, released, unit, truth, tolerances)
    assert np.array_equal(counts, expected[0])
    assert np.array_equal(own, expected[1])


def rows(found):
    return {row["tolerance"]: row for row in found.details["by_tolerance"]}


def test_a_copy_gives_everybody_away():
    before = persons()
    found = SimpleMatching().measure(shuffled(before), before=before)
    assert found.value == 1
    assert found.trusted
    assert found.details["best_tolerance"] == 0
    assert found.per_record.min() == 1
    assert rows(found)[0.0] == {
        "tolerance": 0.0, "unique_right": 200, "unique_wrong": 0, "ambiguous": 0, "none_fits": 0,
    }  # fmt: skip


def test_keys_of_others_lead_to_others():
    before = persons()
    found = SimpleMatching().measure(strangers(before), before=before)
    assert found.value <= 0.03
    assert rows(found)[0.0]["unique_wrong"] >= 194


def test_noise_needs_tolerance_and_too_much_of_it_fits_too_many():
    before = persons(400)
    found = SimpleMatching().measure(noisy(before, share=0, relative=0.05), before=before)
    told = rows(found)
    assert told[0.0]["none_fits"] == 400
    assert 0 < found.details["best_tolerance"] < 0.5
    assert told[0.5]["ambiguous"] > told[0.1]["ambiguous"]
    assert all(sum(v for k, v in row.items() if k != "tolerance") == 400 for row in told.values())
    assert found.value * 400 == max(row["unique_right"] for row in told.values())


def firm(*turnovers, states=None):
    column = Column.numbers_of(np.array(turnovers, dtype=float))
    return Microdata(
        {"turnover": column if states is None else replace(column, state=np.array(states, "u1"))}
    )


@pytest.mark.parametrize(
    ("released", "tolerance", "fits"),
    [(105, 0.05, True), (95, 0.05, True), (105.1, 0.05, False), (94.9, 0.05, False), (100, 0, True)],
)
def test_the_tolerance_is_a_part_of_what_the_attacker_knows(released, tolerance, fits):
    found = SimpleMatching(keys=("turnover",), tolerances=(tolerance,)).measure(
        firm(released, 9e9), before=firm(100, 9e9)
    )
    assert found.value == (1 if fits else 0.5)


def test_of_zero_only_zero_agrees():
    found = SimpleMatching(keys=("turnover",), tolerances=(0.5,)).measure(firm(1, 50), before=firm(0, 50))
    assert rows(found)[0.5]["none_fits"] == 1


def test_what_is_suppressed_agrees_with_everything():
    made = SimpleMatching(keys=("turnover",), tolerances=(0,))
    found = made.measure(firm(1, 2, 3, states=[2, 0, 0]), before=firm(1, 2, 3))
    assert rows(found)[0.0] == {
        "tolerance": 0,
        "unique_right": 1,
        "unique_wrong": 0,
        "ambiguous": 2,
        "none_fits": 0,
    }


def test_a_suppressed_category_agrees_too():
    before = Microdata({"job": Column.texts_of(["a", "b", "c"])})
    after = before.with_columns({"job": before.column("job").suppress(np.array([True, False, False]))})
    found = SimpleMatching(keys=("job",), tolerances=(0,)).measure(after, before=before)
    assert rows(found)[0.0]["unique_right"] == 1
    assert rows(found)[0.0]["ambiguous"] == 2


def test_who_is_not_in_the_release_is_linked_wrongly_or_not_at_all():
    before = persons()
    after = before.take(np.arange(100))
    known = SimpleMatching().measure(after, before=before)
    unknown = SimpleMatching(presence_known=False).measure(after, before=before)
    assert known.value == 1
    assert unknown.value == 0.5 == known.details["found_of_searched"]
    assert unknown.details["found_of_in_release"] == 1


def test_dates_are_told_in_standard_deviations():
    days = np.array([0, 100, 1000, 1100])
    dates = Microdata({"born": Column(Kind.DATE, days)})  # standard deviation about 502 days
    later = dates.with_columns({"born": Column(Kind.DATE, days + np.array([20, 0, 0, 0]))})
    found = SimpleMatching(keys=("born",), tolerances=(0, 0.05, 0.3)).measure(later, before=dates)
    assert [row["unique_right"] for row in found.details["by_tolerance"]] == [3, 4, 0]


def test_tolerances_are_put_in_order():
    assert SimpleMatching(tolerances=(0.5, 0, 0.5)).tolerances == (0, 0.5)


def test_synthetic_records_belong_to_nobody():
    before = persons()
    after = replace(before, rows=-1 - np.arange(len(before)))
    assert not SimpleMatching().measure(after, before=before).trusted


def test_bad_input():
    before = persons()
    with pytest.raises(AttackerFileNeeded):
        SimpleMatching().measure(before)
    with pytest.raises(EmptyData):
        SimpleMatching().measure(before.take(np.arange(0)), before=before)
    with pytest.raises(NotFinite):
        SimpleMatching(keys=("turnover",)).measure(firm(1, np.inf), before=firm(1, 2))
    hidden = before.with_columns({n: before.column(n).suppress(np.ones(len(before), bool)) for n in KEYS})
    with pytest.raises(NothingToUse):
        SimpleMatching().measure(hidden, before=before)
