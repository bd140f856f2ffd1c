import numpy as np
import pytest

import tarnkappe.risk.swaps_undone as module
from reference.rank_windows import fitting as slow
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, EmptyData
from tarnkappe.kernels.rank_windows import fitting, ranks
from tarnkappe.methods.microdata.rank_swap import RankSwap
from tarnkappe.methods.microdata.shuffle import Shuffle
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.swaps_undone import SwapsUndone
from tarnkappe.spec.step import apply_step


def data(x, **more):
    columns = {f"x{j}": Column.numbers_of(x[:, j].copy()) for j in range(x.shape[1])}
    return Microdata(columns | more)


def firms(n=500, m=8, seed=1):
    rng = np.random.default_rng(seed)
    return np.exp(rng.normal(size=(n, 1)) + 0.8 * rng.normal(size=(n, m)))


def swapped(x, percent, **more):
    names = {f"x{j}": {"percent": percent} for j in range(x.shape[1])}
    return apply_step(RankSwap(columns=names), data(x, **more), stream("the secret"))


@pytest.mark.parametrize("seed", range(6))
def test_windows_against_all_pairs(seed):
    """Ties, gaps on both sides, values that are not among the released ones."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(30, 3)) * 4)
    y = np.round(x + rng.normal(size=x.shape))
    x[rng.random(x.shape) < 0.1] = np.nan
    y[rng.random(x.shape) < 0.1] = np.nan
    windows = np.array([5, 8, 3])
    fits, apart = slow(x, y, windows)
    found = fitting([ranks(x[:, j], y[:, j]) for j in range(3)], windows, np.arange(30))
    assert found.fitting.tolist() == fits.sum(axis=1).tolist()
    assert found.fits.tolist() == np.diag(fits).tolist()
    for i in range(30):
        if fits[i].any():
            best = fits[i] & (apart[i] <= apart[i][fits[i]].min() + 1e-12)
            assert found.nearest[i] == best.sum()
            assert found.is_nearest[i] == best[i]


def test_rank_swapping_of_many_columns_is_undone_and_of_one_is_not():
    x = firms()
    many = SwapsUndone().measure(swapped(x, 10), before=data(x))
    one = SwapsUndone().measure(swapped(x[:, :1], 10), before=data(x[:, :1]))
    assert many.value > 0.5
    assert many.details["own_among_fitting"] == 1
    assert max(many.details["largest_move"].values()) <= 0.1
    assert one.value < 0.05
    assert one.details["median_fitting"] > 40
    assert many.baseline == one.baseline == pytest.approx(1 / 500)
    by_window = [SwapsUndone().measure(swapped(x, p), before=data(x)).value for p in (2, 10, 40)]
    assert by_window == sorted(by_window, reverse=True)
    assert by_window[-1] < 0.5


def test_one_column_in_closed_form():
    """Window w in n ranks: every record in the middle has 2w + 1 records that fit, its own among them."""
    x = np.arange(1000.0)[:, None]
    found = SwapsUndone(window=0.02).measure(data(x), before=data(x))
    assert found.details["ways"]["any_fitting"] == pytest.approx(
        np.mean([1 / (min(i, 20) + 1 + min(999 - i, 20)) for i in range(1000)])
    )
    assert found.value == 1, "the nearest is the own one when nothing moved"


def test_a_copy_is_found_whole_and_a_shuffle_hardly():
    x = firms(400, 3)
    assert SwapsUndone().measure(data(x), before=data(x)).value == 1
    order = [np.random.default_rng(j).permutation(400) for j in range(3)]
    apart = data(np.column_stack([x[order[j], j] for j in range(3)]))
    found = SwapsUndone().measure(apart, before=data(x))
    assert found.value < 0.03
    shuffled = apply_step(Shuffle(columns=("x0",), given=("x1",)), data(x), stream("any"))
    assert SwapsUndone(columns=("x0",)).measure(shuffled, before=data(x)).value < 0.03
    with_rest = SwapsUndone(columns=("x0", "x1")).measure(shuffled, before=data(x))
    assert with_rest.value == 1, "a column that stayed as it was finds everybody"


def test_a_wrong_window_misses():
    x = firms(300, 4)
    after = swapped(x, 20)
    found = SwapsUndone(window=0.05).measure(after, before=data(x))
    assert found.details["own_among_fitting"] < 0.3


def test_strata_are_searched_apart():
    x = firms(200, 1)
    s = Column.texts_of([f"s{i // 10}" for i in range(200)])
    found = SwapsUndone(columns=("x0",), within=("s",), window=1.0).measure(data(x, s=s), before=data(x, s=s))
    assert found.baseline == pytest.approx(1 / 10)
    assert found.details["ways"]["any_fitting"] == pytest.approx(1 / 10)
    assert found.details["strata"] == 20


def test_many_pairs_are_sampled(monkeypatch):
    x = firms(400, 2)
    after = swapped(x, 10)
    whole = SwapsUndone().measure(after, before=data(x))
    monkeypatch.setattr(module, "MOST", 8000)
    part = SwapsUndone().measure(after, before=data(x))
    assert 50 <= part.details["records"] < 200
    assert "equal distances" in part.because.en
    assert np.isnan(part.per_record).sum() == 400 - part.details["records"]
    assert part.low < whole.value < part.high


def test_gaps_and_bad_input():
    x = firms(40, 2)
    after = data(x)
    gone = after.with_columns({n: after.column(n).suppress(np.arange(40) < 10) for n in ("x0", "x1")})
    found = SwapsUndone().measure(gone, before=data(x))
    assert found.per_record[10:] == pytest.approx([1 / 11] * 30), (
        "ten records show nothing and could be anybody's"
    )
    x[:5] = np.nan
    assert np.isnan(SwapsUndone().measure(data(x), before=data(x)).per_record[:5]).all()
    same = data(np.ones((20, 2)))
    assert not SwapsUndone().measure(same, before=same).trusted
    with pytest.raises(BeforeNeeded):
        SwapsUndone().measure(after)
    with pytest.raises(EmptyData):
        SwapsUndone().measure(after.take(np.arange(0)), before=after)
    assert not SwapsUndone().measure(data(x[5:6]), before=data(x[5:6])).trusted
