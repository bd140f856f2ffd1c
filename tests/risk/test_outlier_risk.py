import numpy as np
import pytest
from scipy.stats import chi2, kstest

from reference.dense_outliers import dense_outliers
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, EmptyData, NotFinite
from tarnkappe.kernels.outlying import nearest_other, robust_distances
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.outliers import Outliers
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step


def data(x):
    return Microdata({f"x{j}": Column.numbers_of(x[:, j].copy()) for j in range(x.shape[1])})


def cloud(n=400, m=3, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, m)) @ rng.normal(size=(m, m))
    x[:8] += 15 * rng.normal(size=(8, m))
    return x


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("radius", [0.0, 0.05, 0.4])
def test_as_with_the_distances_of_all_pairs(radius, joint):
    x = cloud()
    y = x + 0.05 * np.random.default_rng(2).normal(size=x.shape)
    y[100:110] = y[100]
    found = Outliers(width=0.1, radius=radius, joint=joint).measure(data(y), before=data(x))
    unsafe, alone = dense_outliers(x, y, 0.1, radius, joint=joint)
    assert found.details["unsafe"] == pytest.approx(unsafe)
    assert found.value == pytest.approx(alone)
    assert Outliers(width=0.1, radius=None, joint=joint).measure(
        data(y), before=data(x)
    ).value == pytest.approx(unsafe)


def test_robust_distances_of_a_normal_cloud_follow_chi():
    x = np.random.default_rng(3).normal(size=(20_000, 4)) @ np.random.default_rng(4).normal(size=(4, 4))
    assert kstest(robust_distances(x) ** 2, chi2(4).cdf).statistic < 0.02


def test_outliers_do_not_hide_themselves():
    """A quarter of wild points pulls the plain distance, not the robust one."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(1000, 2))
    x[:250] = [20, 20] + 0.1 * rng.normal(size=(250, 2))
    assert robust_distances(x)[:250].min() > 15
    plain = np.sqrt(np.einsum("ij,jk,ik->i", x - x.mean(0), np.linalg.inv(np.cov(x.T)), x - x.mean(0)))
    assert plain[:250].max() < 3


def test_a_flat_core_still_sees_who_lies_off_it():
    """More than half zeros in a column: the few who have something lie far out."""
    x = np.random.default_rng(6).normal(size=(500, 2))
    x[:, 1] = 0
    x[:20, 1] = 5
    far = robust_distances(x)
    assert far[:20].min() > 4
    assert np.median(far[20:]) < 1.5
    assert np.isfinite(far).all()
    assert robust_distances(np.zeros((5, 2))).tolist() == [0] * 5


def test_the_further_out_the_wider():
    """The same change betrays an outlier and not somebody in the middle; equal widths would not tell them apart."""
    x = cloud(2000)
    y = x + 0.02 * x.std(axis=0) * np.where(np.arange(2000) % 2, 1, -1)[:, None]
    found = Outliers(width=0.005, radius=None, joint=True).measure(data(y), before=data(x))
    far = robust_distances(x)
    assert found.per_record.tolist() == (far >= 4).astype(float).tolist()
    assert found.per_record[:8].mean() > 0.8
    assert found.value < 0.1
    assert found.details["unsafe_by_distance"] == pytest.approx(far[far >= 4].sum() / far.sum())


def test_a_copy_is_found_unless_it_is_hidden():
    x = cloud()
    assert Outliers(radius=None).measure(data(x), before=data(x)).value == 1
    twice = np.repeat(x, 2, axis=0)
    assert Outliers().measure(data(twice), before=data(twice)).value == 0
    averaged = apply_step(
        catalogue["microdata.mdav"](columns=("x0", "x1", "x2"), k=3), data(x), stream("any")
    )
    assert Outliers(width=0.05).measure(averaged, before=data(x)).value == 0, (
        "the members of a group hide each other"
    )
    assert Outliers(width=0.05, radius=None).measure(averaged, before=data(x)).value > 0.05


def test_values_of_others_give_the_baseline():
    x = cloud(3000)
    y = x[np.random.default_rng(9).permutation(3000)]
    found = Outliers(width=0.1, radius=None).measure(data(y), before=data(x))
    assert found.value == pytest.approx(found.baseline, abs=0.03)


def test_gaps_constants_and_bad_input():
    x = cloud(60)
    gaps = x.copy()
    gaps[:15, 0] = np.nan
    found = Outliers(radius=None).measure(data(x), before=data(gaps))
    assert found.details["records"] == 45
    assert np.isnan(found.per_record[:15]).all()
    assert "gap" in found.because.en
    hidden = data(x).with_columns(
        {f"x{j}": data(x).column(f"x{j}").suppress(np.arange(60) < 30) for j in range(3)}
    )
    assert Outliers(radius=None).measure(hidden, before=data(x)).value == 0.5
    flat = x.copy()
    flat[:, 2] = 4
    assert "x2" in Outliers().measure(data(flat), before=data(flat)).because.en
    assert not Outliers().measure(data(flat[:, [2]]), before=data(flat[:, [2]])).trusted
    for n in (1, 2, 3):
        assert not Outliers().measure(data(x[:n]), before=data(x[:n])).trusted
    with pytest.raises(EmptyData):
        Outliers().measure(data(x[:0]), before=data(x))
    with pytest.raises(BeforeNeeded):
        Outliers().measure(data(x))
    wild = x.copy()
    wild[0, 0] = np.inf
    with pytest.raises(NotFinite):
        Outliers().measure(data(x), before=data(wild))


def test_nearest_other_record():
    y = np.array([[0.0, 0], [3, 4], [3, 4], [0, 1]])
    assert nearest_other(y).tolist() == [1, 0, 0, 1]
    assert nearest_other(y[:1]).tolist() == [np.inf]
    assert nearest_other(y[1:3]).tolist() == [0, 0]
    assert nearest_other(y[:0]).tolist() == []
