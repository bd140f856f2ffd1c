import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, EmptyData, NotFinite
from tarnkappe.errors.risk import TotalUnknown
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.published_totals import PublishedTotals
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step


def firms(n=300, cells=30, seed=1):
    rng = np.random.default_rng(seed)
    return Microdata(
        {
            "turnover": Column.numbers_of(np.exp(rng.normal(size=n) * 2)),
            "region": Column.texts_of([f"r{c}" for c in rng.integers(0, cells, n)]),
        }
    )


def slow(before, after, f, *, within=True):
    """Cell by cell, in plain Python."""
    region = before.column("region").texts() if within else ["all"] * len(before)
    now = dict(
        zip(after.rows, after.column("region").texts() if within else ["all"] * len(after), strict=True)
    )
    shown = dict(zip(after.rows, after.column("turnover").numbers(), strict=True))
    x = dict(zip(before.rows, before.column("turnover").numbers(), strict=True))
    hits, alone, cases = 0, 0, 0
    for cell in sorted(set(region)):
        members = [
            i for i, r in zip(before.rows, region, strict=True) if r == cell and x[i] == x[i] and x[i] != 0
        ]
        total = sum(x[i] for i in members)
        released = sum(v for i, v in shown.items() if now[i] == cell and v == v)
        hidden = [i for i in members if now.get(i) != cell or shown[i] != shown[i]]
        largest = max(members, key=lambda i: abs(x[i]), default=None)
        for i in members:
            if i in hidden:
                guess, own = total - released, np.nan
            elif i == largest:
                own = shown[i]
                guess = own if hidden else own + total - released
            else:
                continue
            cases += 1
            hits += abs(guess - x[i]) <= f * abs(x[i])
            alone += abs(own - x[i]) <= f * abs(x[i])
    return hits / cases, alone / cases, cases


@pytest.mark.parametrize("seed", range(5))
def test_against_plain_python(seed):
    """Noise, records gone, moved and hidden, gaps, zeros and debts at once."""
    rng = np.random.default_rng(seed)
    before = firms(seed=seed)
    values = before.column("turnover").numbers() * np.where(rng.random(300) < 0.1, -1, 1)
    values[rng.random(300) < 0.05] = 0
    values[rng.random(300) < 0.05] = np.nan
    before = before.with_columns({"turnover": Column.numbers_of(values)})
    noisy = values * (1 + 0.05 * rng.normal(size=300))
    regions = before.column("region").texts().copy()
    regions[rng.random(300) < 0.05] = "r0"
    after = before.with_columns(
        {
            "turnover": Column.numbers_of(noisy).suppress(rng.random(300) < 0.05),
            "region": Column.texts_of(list(regions)),
        }
    ).take(rng.permutation(300)[:280])
    found = PublishedTotals(within=("region",), f=0.1).measure(after, before=before)
    hits, alone, cases = slow(before, after, 0.1)
    assert found.value == pytest.approx(hits)
    assert found.baseline == pytest.approx(alone)
    assert found.details["values_at_stake"] == cases
    whole = PublishedTotals(f=0.1).measure(after, before=before)
    assert (whole.value, whole.baseline) == pytest.approx(slow(before, after, 0.1, within=False)[:2])


def test_a_single_large_unit_that_was_removed_is_reproduced():
    """Höhne's first example: the shortfall of the sums is the unit."""
    before = firms()
    x = before.column("turnover").numbers()
    region = before.column("region").texts()
    giants = [max(np.flatnonzero(region == r), key=lambda i: x[i]) for r in np.unique(region)[:12]]
    after = before.take(np.setdiff1d(np.arange(300), giants))
    found = PublishedTotals(within=("region",)).measure(after, before=before)
    assert found.details["removed"] == {"values_at_stake": 12, "share": 1.0}
    assert found.value == 1
    assert found.baseline == pytest.approx(18 / 30)
    whole = PublishedTotals().measure(after, before=before)
    assert whole.details["removed"]["share"] < 0.2, "one total does not tell twelve units apart"


def test_a_single_large_unit_that_was_moved_is_reproduced():
    """Höhne's second example: a shortfall here, a surplus there."""
    before = firms()
    region = before.column("region").texts().copy()
    x = before.column("turnover").numbers()
    giant = int(np.argmax(x))
    region[giant] = "r1" if region[giant] != "r1" else "r2"
    after = before.with_columns({"region": Column.texts_of(list(region))})
    found = PublishedTotals(within=("region",)).measure(after, before=before)
    assert found.details["moved"] == {"values_at_stake": 1, "share": 1.0}
    assert found.details["totals_changed"] == pytest.approx(2 / 30)


def test_noise_on_the_dominant_unit_is_taken_back_and_kept_totals_hide_nothing():
    """One giant in every cell: almost the whole difference is his."""
    before = firms(600, 20)
    x = before.column("turnover").numbers().copy()
    region = before.column("region").texts()
    for r in np.unique(region):
        x[np.flatnonzero(region == r)[0]] = 1e5
    before = before.with_columns({"turnover": Column.numbers_of(x)})
    noise = catalogue["microdata.factor-noise"](columns=("turnover",), shared="nothing")
    after = apply_step(noise, before, stream("any"))
    found = PublishedTotals(within=("region",)).measure(after, before=before)
    assert found.value == 1
    assert found.baseline < 0.2
    assert found.details["dominated"] == 1


def test_small_units_behind_noise_are_safe():
    before = firms(600, 3)
    flat = before.with_columns({"turnover": Column.numbers_of(np.random.default_rng(1).uniform(1, 2, 600))})
    noise = catalogue["microdata.factor-noise"](columns=("turnover",), shared="nothing")
    found = PublishedTotals(within=("region",)).measure(apply_step(noise, flat, stream("any")), before=flat)
    assert found.value == 0
    assert found.details["dominated"] == 0
    assert not found.trusted, "three values only"


def test_a_copy_tells_everything_by_itself():
    before = firms()
    found = PublishedTotals(within=("region",)).measure(before, before=before)
    assert found.value == found.baseline == 1
    assert found.details["totals_changed"] == 0
    assert np.nansum(found.per_record) == 30


def test_published_totals_that_were_rounded():
    """A rounded total gives the removed unit away only as far as the rounding goes."""
    before = Microdata({"turnover": Column.numbers_of(np.append(np.ones(30), 100.0))})
    after = before.take(np.arange(30))
    near = PublishedTotals(published={"turnover": 128}).measure(after, before=before)
    assert near.details["removed"]["share"] == 1
    far = PublishedTotals(published={"turnover": 150}).measure(after, before=before)
    assert far.details["removed"]["share"] == 0
    with pytest.raises(TotalUnknown):
        PublishedTotals(published={"wages": 1}).measure(after, before=before)


def test_dominance_of_the_published_total():
    """p per cent rule by hand: 100 + 50 + r with r ≤ 5 gives the first away to the second to within five per cent."""
    for rest, expected in ((4.0, 1.0), (6.0, 0.0)):
        before = Microdata({"turnover": Column.numbers_of(np.array([100.0, 50, rest]))})
        assert PublishedTotals().measure(before, before=before).details["dominated"] == expected
    debts = Microdata({"turnover": Column.numbers_of(np.array([100.0, -50, 1]))})
    assert PublishedTotals().measure(debts, before=debts).details["dominated"] is None


def test_coarser_groups_of_the_release_are_those_of_the_totals():
    from tarnkappe.data.hierarchy_builders import from_tree

    tree = from_tree("region", {"north": ["r1", "r2"], "south": ["r3", "r4"]})
    before = Microdata(
        {
            "turnover": Column.numbers_of(np.arange(1.0, 41)),
            "region": Column.texts_of(["r1", "r2", "r3", "r4"] * 10, hierarchy=tree),
        }
    )
    after = apply_step(catalogue["microdata.generalise"](columns={"region": 1}), before, stream("any"))
    found = PublishedTotals(within=("region",)).measure(after.take(np.arange(39)), before=before)
    assert found.details["totals"] == 2
    assert found.details["removed"] == {"values_at_stake": 1, "share": 1.0}


def test_bad_input():
    data = firms(20)
    with pytest.raises(BeforeNeeded):
        PublishedTotals().measure(data)
    with pytest.raises(EmptyData):
        PublishedTotals().measure(data.take(np.arange(0)), before=data)
    with pytest.raises(NotFinite):
        wild = data.with_columns({"turnover": Column.numbers_of(np.full(20, np.inf))})
        PublishedTotals().measure(wild, before=data)
    zeros = data.with_columns({"turnover": Column.numbers_of(np.zeros(20))})
    nothing = PublishedTotals().measure(zeros, before=zeros)
    assert np.isnan(nothing.value) and not nothing.trusted


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_are_judged_as_those_of_any_size():
    plain = firms(40, 8)
    hidden = Column.numbers_of(np.where(np.arange(40) % 5 == 0, np.nan, plain.column("turnover").numbers()))
    huge = 2.0 ** (1023 - np.ceil(np.log2(plain.column("turnover").numbers().max())))

    def found(factor):
        before, after = (
            one.with_columns({"turnover": Column.numbers_of(one.column("turnover").numbers() * factor)})
            for one in (plain, plain.with_columns({"turnover": hidden}))
        )
        return PublishedTotals(columns=("turnover",), within=("region",)).measure(after, before=before)

    assert found(huge).value == found(1.0).value
