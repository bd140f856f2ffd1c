import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NotFinite, WrongKind
from tarnkappe.errors.exchange import NoPartner
from tarnkappe.methods.microdata.covariance_swap import CovarianceSwap
from tarnkappe.methods.microdata.half_swap import HalfSwap
from tarnkappe.methods.microdata.rank_swap import RankSwap
from tarnkappe.methods.microdata.swap import Swap
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims


def numbers(**columns):
    return Microdata(
        {name: Column.numbers_of(np.asarray(values, dtype=float)) for name, values in columns.items()}
    )


def run(step, data, secret="any"):
    return apply_step(step, data, stream(secret))


def values(data, name="x"):
    return data.column(name).values


@pytest.mark.parametrize("make", [Swap, HalfSwap])
def test_every_record_has_the_value_of_another(make):
    data = numbers(x=np.arange(100), y=np.arange(100) * 2)
    after = run(make(columns=("x", "y")), data)
    for name in "xy":
        assert (values(after, name) != values(data, name)).all()
        assert np.array_equal(np.sort(values(after, name)), values(data, name))
    assert (values(after, "y") != 2 * values(after)).any()  # each on its own


def test_joint_swaps_keep_rows():
    data = numbers(x=np.arange(100), y=np.arange(100) * 2)
    after = run(Swap(columns=("x", "y"), joint=True), data)
    assert np.array_equal(values(after, "y"), 2 * values(after))
    assert (values(after) != values(data)).all()


@pytest.mark.parametrize("x", [np.arange(12) % 3, np.arange(12)])
def test_rows_that_are_broken_up_or_moved_to_another_stratum_are_seen(x):
    """Each column and stratum keeps its values, but not their combinations."""
    data = numbers(x=x, y=np.arange(12) % 4, g=np.arange(12) // 6)
    step = Swap(columns=("x", "y"), within=("g",), joint=True)
    whole = numbers(
        x=np.roll(x.reshape(2, 6), 1, axis=1).ravel(),
        y=np.roll((np.arange(12) % 4).reshape(2, 6), 1, axis=1).ravel(),
        g=np.arange(12) // 6,
    )
    assert "combinations" not in str([c.says.en for c in broken_claims(step, data, whole)])
    torn = numbers(x=x, y=np.roll((np.arange(12) % 4).reshape(2, 6), 1, axis=1).ravel(), g=np.arange(12) // 6)
    assert "combinations" in str([c.says.en for c in broken_claims(step, data, torn)])


def test_all_orders_are_equally_likely_on_three_records():
    """The two rings of three records, 4,000 seeds: fails by chance once in ten million (5.3 standard deviations)."""
    data = numbers(x=[0, 1, 2])
    first = [values(Swap(columns=("x",)).apply(data, stream(f"{i}")))[0] for i in range(4000)]
    assert abs(np.count_nonzero(np.array(first) == 1) - 2000) < 5.3 * np.sqrt(1000)


@pytest.mark.parametrize("make", [Swap, HalfSwap])
def test_groups_are_kept_apart(make):
    group = np.arange(90) % 3
    data = numbers(x=np.arange(90), g=group)
    after = run(make(columns=("x",), within=("g",)), data)
    assert np.array_equal(values(after).astype(int) % 3, group)
    assert (values(after) != values(data)).sum() >= 87


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, None]), max_size=30).filter(
        lambda x: not x or any(v is not None for v in x)
    ),
    st.lists(st.integers(0, 2), min_size=30, max_size=30),
    st.floats(0.05, 1),
    st.booleans(),
)
@settings(max_examples=60)
def test_claims_hold_with_ties_and_gaps(x, g, share, joint):
    x = np.array([np.nan if v is None else v for v in x], dtype=float)
    data = numbers(x=x, y=np.arange(len(x))[::-1], g=g[: len(x)])
    run(Swap(columns=("x", "y"), within=("g",), share=share, joint=joint, too_small="leave"), data)
    run(Swap(columns=("x", "y"), within=("g",), joint=joint, too_small="suppress"), data)
    run(HalfSwap(columns=("x", "y"), within=("g",), too_small="leave"), data)


def test_the_share_is_reached_and_hardly_passed():
    data = numbers(x=np.arange(1000))
    after = run(Swap(columns=("x",), share=0.1), data)
    assert np.count_nonzero(values(after) != values(data)) == 100
    near = run(Swap(columns=("x",), share=0.1, near=("x",)), data)
    assert np.count_nonzero(values(near) != values(data)) == 100


def test_rare_combinations_exchange_first():
    key = np.array([0] * 90 + list(range(1, 11)))
    data = numbers(x=np.arange(100), key=key)
    after = run(Swap(columns=("x",), keys=("key",), share=0.1), data)
    assert np.flatnonzero(values(after) != values(data)).tolist() == list(range(90, 100))


def test_partners_are_near_and_not_always_the_same():
    rng = np.random.default_rng(1)
    place = rng.normal(size=400)
    data = numbers(x=np.arange(400), place=place)
    found = [values(run(Swap(columns=("x",), near=("place",)), data, secret)).astype(int) for secret in "ab"]
    apart = np.abs(place[found[0]] - place)
    assert np.median(apart) < 0.02
    assert np.mean(found[0] == found[1]) < 0.9
    with_gaps = numbers(x=np.arange(400), place=np.where(rng.random(400) < 0.1, np.nan, place))
    assert (values(run(Swap(columns=("x",), near=("place",)), with_gaps)) != np.arange(400)).all()


def test_gaps_keep_their_state_and_what_is_under_them():
    state = np.zeros(30, dtype=np.uint8)
    state[:5], state[5:8] = MISSING, SUPPRESSED
    x = np.where(state == MISSING, np.nan, np.arange(30.0))
    data = Microdata({"x": Column(Column.numbers_of(x).kind, x, state)})
    for step in (Swap(columns=("x",)), HalfSwap(columns=("x",))):
        after = run(step, data).column("x")
        assert np.array_equal(after.state, state)
        assert after.values[5:8].tolist() == [5, 6, 7]
        assert (after.values[8:] != x[8:]).all()


@pytest.mark.parametrize("make", [Swap, HalfSwap])
def test_a_lone_record(make):
    data = numbers(x=[1, 2, 3, 4], g=[0, 0, 0, 1])
    with pytest.raises(NoPartner) as caught:
        run(make(columns=("x",), within=("g",)), data)
    assert (caught.value.facts["count"], caught.value.exit_code) == (1, 3)
    left = values(run(make(columns=("x",), within=("g",), too_small="leave"), data))
    assert sorted(left[:3]) == [1, 2, 3]
    assert (left[:3] != [1, 2, 3]).any()
    assert left[3] == 4
    hidden = run(make(columns=("x",), within=("g",), too_small="suppress"), data).column("x")
    assert hidden.suppressed.tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    "make",
    [
        lambda **given: Swap(columns=("x",), **given),
        lambda **given: Swap(columns=("x",), share=0.5, joint=True, **given),
        lambda **given: Swap(columns=("x",), near=("x",), **given),
        lambda **given: HalfSwap(columns=("x",), **given),
        lambda **given: RankSwap(columns={"x": {"percent": 50}}, **given),
        lambda **given: CovarianceSwap(columns=("x",), tolerance=1.0, **given),
    ],
)
def test_two_records_exchange_for_certain_so_they_are_too_few(make):
    """Whoever sees a group of two knows that each carries the value of the other."""
    data = numbers(x=[1, 2, 3, 4, 5, 6, 7], g=[0, 0, 1, 1, 1, 1, 1])
    with pytest.raises(NoPartner) as caught:
        run(make(within=("g",)), data)
    assert caught.value.facts["count"] == 2
    hidden = run(make(within=("g",), too_small="suppress"), data).column("x")
    assert hidden.suppressed.tolist() == [True, True, False, False, False, False, False]
    assert values(run(make(within=("g",), too_small="leave"), data))[:2].tolist() == [2, 1]
    run(make(within=("g",)), numbers(x=[1, 2, 3, 4, 5, 6, 7], g=[0, 0, 0, 1, 1, 1, 1]))


def test_texts_dates_and_whole_numbers_are_swapped_as_they_are():
    data = Microdata(
        {"t": Column.texts_of(list("abcd")), "i": Column.numbers_of(np.array([2**62, 2**62 + 1, 3, 4]))}
    )
    after = run(Swap(columns=("t", "i")), data)
    assert sorted(after.column("t").texts()) == list("abcd")
    assert sorted(after.column("i").values.tolist()) == [3, 4, 2**62, 2**62 + 1]
    with pytest.raises(WrongKind):
        run(Swap(columns=("i",), near=("t",)), data)
    with pytest.raises(WrongKind):
        run(HalfSwap(columns=("t",)), data)
    assert sorted(
        run(HalfSwap(columns=("t",), order={"t": tuple("dcba")}), data).column("t").texts()
    ) == list("abcd")


def test_infinite_values_are_only_refused_where_distances_are_needed():
    data = numbers(x=[np.inf, 1, 2, -np.inf])
    assert np.isinf(values(run(Swap(columns=("x",)), data))).sum() == 2
    with pytest.raises(NotFinite):
        run(Swap(columns=("x",), near=("x",)), data)


def test_a_value_that_came_back_is_noticed():
    data = numbers(x=np.arange(50))
    step = Swap(columns=("x",))
    after = run(step, data)
    back = values(after).copy()
    other = int(np.flatnonzero(back == 0)[0])
    back[0], back[other] = 0, back[0]
    assert len(broken_claims(step, data, numbers(x=back))) == 1
    wrong = values(after).copy()
    wrong[0] = 99
    assert len(broken_claims(step, data, numbers(x=wrong))) == 1


def test_halves_change_large_values_most():
    rng = np.random.default_rng(3)
    x = np.sort(np.exp(1.5 * rng.normal(size=2000)))
    after = values(run(HalfSwap(columns=("x",)), numbers(x=x)))
    change = np.abs(after - x) / x
    assert np.median(change[500:1500]) < 0.1
    assert np.abs(after - x)[-20:].mean() > 100 * np.abs(after - x)[1000:1500].mean()


def test_half_swaps_keep_correlations_of_large_files():
    """Over 20 seeds the mean correlation of 4,000 records is within 0.01 of the old one, that of 40 records is not."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=4000)
    y = 0.8 * x + 0.6 * rng.normal(size=4000)

    def mean_correlation(n):
        step, data = HalfSwap(columns=("x", "y")), numbers(x=x[:n], y=y[:n])
        found = [np.corrcoef(step.apply(data, stream(f"{i}")).numbers(("x", "y")).T)[0, 1] for i in range(20)]
        return np.corrcoef(x[:n], y[:n])[0, 1] - np.mean(found)

    assert abs(mean_correlation(4000)) < 0.01
    assert mean_correlation(40) > 0.03


def panel(firms=60, years=3, seed=1):
    """Firms over three years; every fifth enters late, every seventh leaves early."""
    rng = np.random.default_rng(seed)
    rows = [
        (f, y)
        for f in range(firms)
        for y in range(years)
        if not (f % 5 == 0 and y == 0) and not (f % 7 == 0 and y == years - 1)
    ]
    firm, year = np.array(rows)[rng.permutation(len(rows))].T
    return numbers(firm=firm, year=year, x=firm * 10 + year, y=-(firm * 10 + year))


@pytest.mark.parametrize("joint", [True, False])
def test_a_firm_takes_all_years_of_one_other_firm(joint):
    data = panel(120)  # four firms enter late and leave early, enough to exchange with each other
    after = run(Swap(columns=("x", "y"), within=("year",), unit="firm", joint=joint), data)
    firm, year = values(data, "firm"), values(data, "year")
    for name, sign in (("x", 1), ("y", -1)):
        new = sign * values(after, name)
        assert np.array_equal(new % 10, year)
        for f in set(firm):
            (source,) = set(new[firm == f] // 10)
            assert source != f
            assert sorted(year[firm == source]) == sorted(year[firm == f])


def test_units_by_rarity_nearness_share_and_without_their_like():
    data = panel(120)
    firm = values(data, "firm")
    rare = np.where(firm < 6, firm + 10, 0.0)
    data = data.with_columns({"key": Column.numbers_of(rare)})
    step = Swap(columns=("x",), within=("year",), unit="firm", keys=("key",), share=0.1, too_small="leave")
    changed = set(firm[values(run(step, data)) != values(data)])
    assert {1, 2, 3, 4} <= changed
    near = run(Swap(columns=("x",), within=("year",), unit="firm", near=("x",)), data)
    assert np.median(np.abs(values(near) // 10 - firm)) <= 2
    odd = numbers(firm=[1, 1, 2, 3, 4], year=[0, 1, 0, 0, 0], x=[1, 2, 3, 4, 5])
    with pytest.raises(NoPartner) as caught:
        run(Swap(columns=("x",), within=("year",), unit="firm"), odd)
    assert caught.value.facts["count"] == 2
    hidden = run(Swap(columns=("x",), within=("year",), unit="firm", too_small="suppress"), odd).column("x")
    assert hidden.suppressed.tolist() == [True, True, False, False, False]
