import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NotFinite, NothingToUse, WrongKind
from tarnkappe.errors.exchange import NoPartner, OrderIncomplete, WindowTooWide
from tarnkappe.errors.masking import NoSpread
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.rank_swap import RankSwap
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims


def numbers(**columns):
    return Microdata(
        {name: Column.numbers_of(np.asarray(values, dtype=float)) for name, values in columns.items()}
    )


def swapped(x, window, secret="any", **parameters):
    data = numbers(x=x)
    return apply_step(RankSwap(columns={"x": window}, **parameters), data, stream(secret)).column("x").values


@pytest.mark.parametrize("partner", ["free", "next", "beyond"])
def test_values_move_inside_the_window(partner):
    x = np.random.default_rng(1).permutation(1000).astype(float)
    y = swapped(x, {"percent": 5}, partner=partner)
    assert np.array_equal(np.sort(y), np.arange(1000))
    assert (y != x).all()
    reach = {"free": 50, "next": 49, "beyond": 999}[partner]
    assert np.abs(y - x).max() <= reach
    assert np.abs(y - x).mean() > 15


def test_percent_means_percent():
    """sdcMicro's parameter was a hundred times off: 5 must be five in a hundred records, not five hundred, not one in 2,000."""
    assert np.abs(swapped(np.arange(10_000.0), {"percent": 5}) - np.arange(10_000)).max() in range(450, 501)
    assert np.abs(swapped(np.arange(10_000.0), {"percent": 0.05}) - np.arange(10_000)).max() in range(4, 6)
    with pytest.raises(ParameterWrong, match="percent"):
        RankSwap(columns={"x": {"percent": 500}})


def test_the_limit_of_the_window_is_that_of_the_source():
    """Höhne: |i - l| < P n/100, so 15 percent of 20 reach two ranks; the others: at most P n/100, three ranks."""
    near = [
        np.abs(swapped(np.arange(20.0), {"percent": 15}, f"{i}", partner="next") - np.arange(20)).max()
        for i in range(20)
    ]
    far = [np.abs(swapped(np.arange(20.0), {"percent": 15}, f"{i}") - np.arange(20)).max() for i in range(20)]
    assert (max(near), max(far)) == (2, 3)


@pytest.mark.parametrize("partner", ["free", "next", "beyond"])
def test_a_window_reaches_two_records_at_least(partner):
    """With one, the largest would exchange with the second, the third with the fourth: whoever knows the method undoes it."""
    found = [swapped(np.arange(10.0), {"percent": 0.001}, f"{i}", partner=partner) for i in range(20)]
    assert len({tuple(y) for y in found}) > 5
    if partner != "beyond":
        assert max(np.abs(y - np.arange(10)).max() for y in found) == 2
    with pytest.raises(ParameterWrong):
        RankSwap(columns={"x": {"records": 1}})


def test_the_largest_value_always_moves():
    for i in range(30):
        y = swapped(np.arange(7.0), {"records": 2}, f"{i}")
        assert y[6] != 6
        assert np.count_nonzero(y == np.arange(7)) == 1


def test_windows_per_column_and_strata():
    rng = np.random.default_rng(2)
    group = np.arange(400) % 2
    data = numbers(x=rng.permutation(400), y=rng.permutation(400), g=group)
    step = RankSwap(columns={"x": {"records": 2}, "y": {"percent": 50}}, within=("g",))
    after = apply_step(step, data, stream("any"))
    for g in (0, 1):
        x, y = (data.column(n).values[group == g] for n in "xy")
        ranks = np.argsort(np.argsort(x))
        moved = np.searchsorted(np.sort(x), after.column("x").values[group == g])
        assert np.abs(moved - ranks).max() == 2
        assert np.array_equal(np.sort(after.column("y").values[group == g]), np.sort(y))


def test_ties_are_no_pattern():
    """Of ten equal values and one that is larger, each is equally likely to go up: fails by chance once in a million."""
    data, step = numbers(x=[0.0] * 10 + [1.0]), RankSwap(columns={"x": {"records": 3}})
    winners = [int(step.apply(data, stream(f"{i}")).column("x").values.argmax()) for i in range(2000)]
    times = np.bincount(winners, minlength=11)
    assert times[10] == 0
    assert ((times[:10] - 200) ** 2 / 200).sum() < 47


def test_ordered_categories():
    data = Microdata({"c": Column.texts_of(["low", "mid", "high"] * 30)})
    step = RankSwap(columns={"c": {"records": 5}}, order={"c": ("low", "mid", "high")})
    after = apply_step(step, data, stream("any")).column("c")
    pairs = set(zip(data.column("c").texts(), after.texts(), strict=True))
    assert ("low", "high") not in pairs and ("high", "low") not in pairs
    assert ("low", "mid") in pairs
    with pytest.raises(WrongKind):
        apply_step(RankSwap(columns={"c": {"records": 5}}), data, stream("any"))
    with pytest.raises(OrderIncomplete, match="1 of its values"):
        apply_step(RankSwap(columns={"c": {"records": 5}}, order={"c": ("low", "mid")}), data, stream("any"))
    with pytest.raises(ParameterWrong, match="names a value twice"):
        RankSwap(columns={"c": {"records": 5}}, order={"c": ("low", "mid", "high", "low")})


@given(
    st.lists(st.sampled_from([0.0, 1.0, 5.0, -3.0, None]), max_size=25),
    st.sampled_from([{"percent": 30.0}, {"correlation": 0.9}, {"change": 0.1}]),
    st.sampled_from(["free", "next", "beyond"]),
)
@settings(max_examples=60)
def test_claims_hold_with_ties_and_gaps(x, window, partner):
    x = np.array([np.nan if v is None else v for v in x], dtype=float)
    data = numbers(x=x, g=np.arange(len(x)) // 7)
    step = RankSwap(columns={"x": window}, within=("g",), partner=partner, too_small="leave")
    try:
        apply_step(step, data, stream("any"))
    except (WindowTooWide, NoSpread):
        assert "percent" not in window
    except NothingToUse:
        assert np.isnan(x).all()


def test_bad_input():
    with pytest.raises(WindowTooWide, match="reaches 5 away in rank; nobody is farther away than 4"):
        swapped(np.arange(5.0), {"records": 5})
    with pytest.raises(WindowTooWide):
        swapped(np.arange(5.0), {"change": 50})
    with pytest.raises(NotFinite):
        swapped(np.array([1.0, np.inf, 2]), {"correlation": 0.5})
    assert np.isinf(swapped(np.array([1.0, np.inf, 2]), {"percent": 50})).sum() == 1
    with pytest.raises(NoPartner):
        swapped(np.array([1.0]), {"percent": 5})
    with pytest.raises(ParameterWrong, match="exactly one"):
        RankSwap(columns={"x": {"percent": 5, "records": 3}})
    assert swapped(np.array([]), {"percent": 5}).tolist() == []
    with pytest.raises(NoSpread):
        swapped(np.full(9, 4.0), {"correlation": 0.9})
    assert swapped(np.full(9, 4.0), {"percent": 50}).tolist() == [4.0] * 9


def test_a_value_that_moved_too_far_is_noticed():
    data = numbers(x=np.arange(100))
    step = RankSwap(columns={"x": {"records": 3}})
    rolled = numbers(x=np.roll(np.arange(100), 4))
    assert [c.says.en[:5] for c in broken_claims(step, data, rolled)] == ["ranks"]


def test_a_user_can_correct_correlations():
    """Moore's law backwards: the mean corrected correlation of 30 runs is much nearer to the original than the plain one."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=1000)
    data = numbers(x=x, y=0.7 * x + 0.7 * rng.normal(size=1000))
    step = RankSwap(columns={"x": {"percent": 25}, "y": {"percent": 25}})
    plain, corrected = [], []
    for seed in range(30):
        after = step.apply(data, stream(f"{seed}"))
        told = step.tells(data, after)["correlation_with_the_original"]
        plain.append(np.corrcoef(after.numbers(("x", "y")).T)[0, 1])
        corrected.append(plain[-1] / (told["x"] * told["y"]))
    truth = np.corrcoef(data.numbers(("x", "y")).T)[0, 1]
    assert truth - np.mean(plain) > 0.08
    assert abs(np.mean(corrected) - truth) < 0.04
    few = numbers(x=x[:49], y=x[:49])
    assert step.tells(few, few) == {"correlation_with_the_original": {}}
    flat = numbers(x=np.ones(60), y=np.arange(60))
    assert step.tells(flat, flat)["correlation_with_the_original"] == {"x": None, "y": 1.0}
