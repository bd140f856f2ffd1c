import numpy as np
import pytest

from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.data import NotFinite, NothingToUse
from tarnkappe.errors.exchange import NoPartner
from tarnkappe.errors.masking import NoSpread, ResultTooLarge
from tarnkappe.methods.microdata.exchange import Blocks
from tarnkappe.methods.microdata.exchange_movers import Movers
from tarnkappe.methods.microdata.recognised import Attack, Attacked, Known, Recognised
from tarnkappe.methods.microdata.swap_unprotected import SwapUnprotected
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Kind


def as_data(x, **more):
    columns = {f"x{j}": Column.numbers_of(x[:, j]) for j in range(x.shape[1])}
    return Microdata(columns | {n: Column.numbers_of(np.asarray(v)) for n, v in more.items()})


def firms(n=400, seed=1):
    return np.exp(1.2 * np.random.default_rng(seed).normal(size=(n, 2)))


def found(x, y, safety):
    """A plain attacker: every distance, every record; where another original is as near, nobody is found."""
    z, w = x / x.std(axis=0), y / x.std(axis=0)
    d = ((w[:, None] - z[None]) ** 2).sum(axis=2)
    own = (d < d.diagonal()[:, None] * (1 + 1e-9)).sum(axis=1) == 1
    return own & (np.abs(y - x) < safety / 100 * np.abs(x)).any(axis=1)


def test_nobody_is_found_afterwards_though_noise_alone_does_not_do_it():
    x = firms()
    step = SwapUnprotected(columns=("x0", "x1"), variance_ratio=0.02, safety=50)
    noisy = step._noisy(as_data(x), x, strata_of(as_data(x), ()), stream("any"))
    assert 10 < found(x, noisy, 50).sum() < 390
    y = apply_step(step, as_data(x), stream("any")).numbers(step.columns)
    assert found(x, y, 50).sum() == 0
    untouched = ~found(x, noisy, 50)
    assert np.array_equal(y[untouched], noisy[untouched])
    assert np.allclose(np.sort(y, axis=0), np.sort(noisy, axis=0))


def test_noise_has_the_covariance_of_the_data():
    """Over 200 seeds the mean variance ratio of the noise is alpha within 2 %: a wrong variance of 10 % is caught for certain."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(500, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]]) * [1, 1000] + [5, -7]
    step = SwapUnprotected(columns=("x0", "x1"), variance_ratio=0.3)
    data = as_data(x)
    whole = strata_of(data, ())
    noise = np.concatenate([step._noisy(data, x, whole, stream(f"{i}")) - x for i in range(200)])
    ratio = np.cov(noise.T) / np.cov(x.T)
    assert np.allclose(ratio, 0.3 * 499 / 500 * np.ones((2, 2)), rtol=0.02)
    assert np.abs(noise.mean(axis=0) / x.std(axis=0)).max() < 5 * np.sqrt(0.3 / 1e5)


def test_strata_gaps_and_constants():
    x = firms(300)
    x[::7, 1] = np.nan
    data = as_data(np.column_stack([x, np.ones(300)]), g=np.arange(300) % 3)
    step = SwapUnprotected(columns=("x0", "x1"), variance_ratio=0.05, safety=30, within=("g",))
    after = apply_step(step, data, stream("any"))
    assert np.array_equal(np.isnan(after.numbers(("x1",))[:, 0]), np.isnan(x[:, 1]))
    with pytest.raises(NoSpread, match="x2"):
        apply_step(step.model_copy(update={"columns": ("x0", "x2")}), data, stream("any"))


def test_a_single_known_record_exchanges_with_another():
    x = np.array([[1.0], [1.1], [1.2], [1.3], [1000.0]])
    step = SwapUnprotected(columns=("x0",), variance_ratio=1e-6, safety=100)
    for i in range(10):
        y = apply_step(step, as_data(x), stream(f"{i}")).numbers(("x0",))
        assert y[4, 0] < 500


def test_without_partner():
    data = as_data(np.array([[1.0], [2.0]]), g=[0, 1])
    step = SwapUnprotected(columns=("x0",), variance_ratio=1e-6, within=("g",))
    with pytest.raises(NoPartner):
        apply_step(step, data, stream("any"))
    hidden = apply_step(step.model_copy(update={"too_small": "suppress"}), data, stream("any"))
    assert hidden.column("x0").suppressed.all()
    with pytest.raises(NotFinite):
        apply_step(step, as_data(np.array([[np.inf], [2.0]]), g=[0, 1]), stream("any"))
    gone = Microdata(
        {"x0": Column(data.column("x0").kind, np.full(2, np.nan), np.full(2, MISSING)), "g": data.column("g")}
    )
    with pytest.raises(NothingToUse, match="x0"):
        apply_step(step, gone, stream("any"))


def test_only_the_noise_is_told():
    step = SwapUnprotected(columns=("x0", "x1"), variance_ratio=0.02)
    data = as_data(firms(50))
    told = dict(step.tells(data, data))
    assert (told.pop("within"), told.pop("rounded")) == ([], [])
    assert told == {"columns": ["x0", "x1"], "noise_variance_ratio": 0.02, "distribution": "normal"}


def test_noise_has_the_size_of_its_stratum():
    """Small firms among large ones are not drowned: over 100 seeds, the ratio of variances within 5 standard errors (3 %)."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]]) * np.repeat([1.0, 1e6], 200)[:, None]
    data = as_data(x, g=np.repeat([0, 1], 200))
    step = SwapUnprotected(columns=("x0", "x1"), variance_ratio=0.3, within=("g",))
    parts = strata_of(data, ("g",))
    noise = np.stack([step._noisy(data, x, parts, stream(f"{i}")) - x for i in range(100)])
    for rows in (slice(0, 200), slice(200, 400)):
        ratio = np.cov(noise[:, rows].reshape(-1, 2).T) / np.cov(x[rows].T)
        assert np.allclose(ratio, 0.3 * 199 / 200, rtol=5 * np.sqrt(2 / 20_000))
    assert step.tells(data, data)["within"] == ["g"]


@pytest.mark.parametrize("whole", ["nearest", "total"])
def test_whole_numbers_stay_whole_and_nobody_is_found(whole):
    heads = np.ceil(20 * firms(300)).astype(np.int64)
    data = Microdata(
        {f"x{j}": Column(Kind.INTEGER, heads[:, j]) for j in (0, 1)}
        | {"g": Column.numbers_of(np.arange(300) % 2)}
    )
    step = SwapUnprotected(columns=("x0", "x1"), variance_ratio=0.02, safety=50, within=("g",), whole=whole)
    after = apply_step(step, data, stream("any"))
    assert all(after.column(n).kind is Kind.INTEGER for n in step.columns)
    assert step.tells(data, after)["rounded"] == ["x0", "x1"]
    for g in (0, 1):
        rows = np.arange(300) % 2 == g
        x, y = heads[rows].astype(float), after.numbers(step.columns)[rows]
        assert found(x, y, 50).sum() == 0


@pytest.mark.parametrize(("off", "known"), [(0.09, 5), (0.11, 0), (-0.09, 5)])
def test_only_values_within_the_safety_are_of_use(off, known):
    """Five firms far apart, all values off by nine or eleven percent: each leads to its own, and ten percent decide."""
    x = np.array([[100.0], [200.0], [400.0], [800.0], [1600.0]])
    step = SwapUnprotected(columns=("x0",), safety=10)
    assert step.recognised(as_data(x), x.copy(), x * (1 + off)).seen.sum() == known


def test_who_can_be_found_is_noticed():
    x = firms(100)
    assert broken_claims(SwapUnprotected(columns=("x0", "x1"), safety=50), as_data(x), as_data(x * 1.01))


def one_block(members, size, old, masked):
    """The first of some records is recognised by one column."""
    known = Known(np.array(old, dtype=float)[:, None], np.array(masked)[:, None].__getitem__, np.array([0]))
    block = Attacked(np.array(members), np.arange(len(members)) == 0, known)
    movers = Movers(Blocks(block.members, np.array([0, len(members)])), size, None)
    return Recognised(movers, Attack([block], size), None)


def test_a_single_known_record_takes_nothing_that_leads_to_it():
    """Record 3 is masked so that it leads to record 7: record 7 must not get its values."""
    for i in range(10):
        source, lone = one_block([7, 3, 5], 8, [0, 5, 9], [0.1, 0.2, 8.0]).exchanged(stream(f"{i}").generator)
        assert (source.tolist(), lone.tolist()) == ([0, 1, 2, 3, 4, 7, 6, 5], [])
    _, lone = one_block([7, 3, 5], 8, [0, 5, 9], [0.1, 0.2, 0.3]).exchanged(stream("any").generator)
    assert lone.tolist() == [7]


def test_the_only_partner_is_found_among_many():
    """All but one of 9,000 records lead to the known one."""
    masked = np.full(9000, 0.5)
    masked[6000] = 55.0
    found = one_block(np.arange(9000), 9000, np.append(0, np.linspace(50, 60, 8999)), masked)
    source, _ = found.exchanged(stream("any").generator)
    assert source[[0, 6000]].tolist() == [6000, 0]


def test_values_at_the_end_of_the_scale():
    data = as_data(np.array([[1.7e308], [-1.7e308], [1.6e308]]))
    with pytest.raises(ResultTooLarge):
        apply_step(SwapUnprotected(columns=("x0",), variance_ratio=1.0), data, stream("any"))
