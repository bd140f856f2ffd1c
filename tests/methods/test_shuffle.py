import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NotFinite, TooFewRecords
from tarnkappe.errors.exchange import Determined, NoPartner
from tarnkappe.kernels.shuffling import by_rank, conditional, correlations, scores
from tarnkappe.methods.microdata.shuffle import Shuffle
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Holds
from tarnkappe.spec.step import apply_step, broken_claims

RANKS = next(c for c in Shuffle.preserves if c.holds is Holds.ON_AVERAGE)


def numbers(**columns):
    return Microdata({n: Column.numbers_of(np.asarray(v, dtype=float)) for n, v in columns.items()})


def persons(n=3000, seed=1):
    rng = np.random.default_rng(seed)
    s, t = rng.normal(size=n), rng.normal(size=n)
    x = np.exp(0.6 * s + 0.5 * t + 0.6 * rng.normal(size=n))
    y = 0.5 * np.log(x) + 0.8 * rng.normal(size=n)
    return numbers(x=x, y=y, s=s, t=t**3)


def test_ranks_keep_their_relations_and_every_record_its_distance():
    data = persons()
    step = Shuffle(columns=("x", "y"), given=("s", "t"))
    after = apply_step(step, data, stream("any"))
    names = ("x", "y", "s", "t")
    old, new = (spearmanr(d.numbers(names)).statistic for d in (data, after))
    assert np.abs(old - new).max() < 0.05
    assert RANKS.check(step, data, after)
    for name in "xy":
        assert (after.column(name).values != data.column(name).values).all()
        assert np.array_equal(np.sort(after.column(name).values), np.sort(data.column(name).values))
    assert np.array_equal(after.column("s").values, data.column("s").values)


def test_given_the_others_new_and_old_are_independent():
    """The partial rank correlation of old and new given s is 0: over 30 seeds within five standard errors, 1e-6 by chance."""
    rng = np.random.default_rng(2)
    s = rng.normal(size=1000)
    x = 0.6 * s + 0.8 * rng.normal(size=1000)
    data, step = numbers(x=x, s=s), Shuffle(columns=("x",), given=("s",))
    found = []
    for seed in range(30):
        new = step.apply(data, stream(f"{seed}")).column("x").values
        r = np.corrcoef([x, new, s])
        found.append((r[0, 1] - r[0, 2] * r[1, 2]) / np.sqrt((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2)))
    assert abs(np.mean(found)) < 5 / np.sqrt(30 * 1000)


def test_without_given_columns_it_is_a_random_order():
    data = numbers(x=np.arange(500))
    after = apply_step(Shuffle(columns=("x",)), data, stream("any")).column("x").values
    assert abs(np.corrcoef(after, np.arange(500))[0, 1]) < 0.25
    assert (after != np.arange(500)).all()


def test_categories():
    rng = np.random.default_rng(3)
    group = rng.integers(0, 4, 4000)
    x = group * 1.0 + rng.normal(size=4000)
    data = numbers(x=x).with_columns({"g": Column.texts_of([f"g{v}" for v in group])})
    after = apply_step(Shuffle(columns=("x",), given=("g",)), data, stream("any")).column("x").values
    means = [after[group == g].mean() - x[group == g].mean() for g in range(4)]
    assert np.abs(means).max() < 0.2
    grades = Column.texts_of([["low", "mid", "high"][min(2, int(v > 0) + int(v > 2))] for v in x])
    graded = numbers(s=x).with_columns({"c": grades})
    step = Shuffle(columns=("c",), given=("s",), order={"c": ("low", "mid", "high")})
    moved = apply_step(step, graded, stream("any")).column("c")
    assert sorted(moved.texts()) == sorted(grades.texts())


def choices(n=20_000, seed=4):
    """Three colours that depend on s and t, and shapes that depend on the colour and on s."""
    rng = np.random.default_rng(seed)
    s, t = rng.normal(size=(2, n))
    colour = np.argmax(np.stack([np.zeros(n), 1.5 * s, t - 0.5 * s]) + rng.gumbel(size=(3, n)), axis=0)
    shape = (s + 1.5 * (colour == 1) + rng.normal(size=n) > 0.5).astype(int)
    data = numbers(s=s, t=t).with_columns(
        {
            "colour": Column.texts_of([("red", "green", "blue")[v] for v in colour]),
            "shape": Column.texts_of([("round", "square")[v] for v in shape]),
        }
    )
    return data, s, t, colour, shape


def test_categories_without_an_order_keep_counts_and_relations():
    """Differences of 5 standard errors are allowed: 20,000 records, a category mean has one of 0.02 at most."""
    data, s, t, colour, shape = choices()
    step = Shuffle(columns=("t", "colour", "shape"), given=("s",))
    after = apply_step(step, data, stream("any"))
    new = np.array([("red", "green", "blue").index(v) for v in after.column("colour").texts()])
    new_shape = (np.array(after.column("shape").texts()) == "square").astype(int)
    assert np.array_equal(np.bincount(new), np.bincount(colour))
    assert new_shape.sum() == shape.sum()
    for value in range(3):
        assert abs(s[new == value].mean() - s[colour == value].mean()) < 0.1
        assert abs(after.column("t").values[new == value].mean() - t[colour == value].mean()) < 0.1
        assert abs(new_shape[new == value].mean() - shape[colour == value].mean()) < 0.05
    assert s[colour == 1].mean() > 0.4
    alone = np.array([(s[new == v].mean() - s.mean()) for v in range(3)])
    assert np.ptp(alone) > 0.5
    expected = sum(np.mean(colour[near] == v) ** 2 for near in [np.abs(s) < 0.2] for v in range(3))
    near = np.abs(s) < 0.2
    assert (
        abs((new[near] == colour[near]).mean() - expected) < 0.08
    )  # given s, the new category knows nothing of the old


def test_a_rare_category_moves_and_a_determined_one_is_refused():
    n = 60
    names = ["rare", *["usual"] * (n - 1)]
    data = numbers(s=np.arange(n)).with_columns({"c": Column.texts_of(names)})
    for i in range(20):
        after = apply_step(Shuffle(columns=("c",), given=("s",)), data, stream(f"{i}"))
        assert after.column("c").texts()[0] == "usual"
    known = numbers(s=np.arange(4000) % 2).with_columns(
        {"c": Column.texts_of(["ab"[i % 2] for i in range(4000)])}
    )
    with pytest.raises(Determined):
        apply_step(Shuffle(columns=("c",), given=("s",)), known, stream("any"))


def test_many_categories_without_given_columns():
    data = numbers(x=np.arange(300.0)).with_columns(
        {"c": Column.texts_of([f"v{i % 150}" for i in range(300)])}
    )
    after = apply_step(Shuffle(columns=("c",)), data, stream("any")).column("c").texts()
    assert sorted(after) == sorted(data.column("c").texts())
    same = np.mean(np.array(after) == np.array(data.column("c").texts()))
    assert same < 0.1


def test_strata_gaps_and_small_strata():
    data = persons(300)
    x = data.column("x").values.copy()
    state = np.zeros(300, dtype=np.uint8)
    state[:40], state[40:60] = MISSING, SUPPRESSED
    x[:40] = np.nan
    group = np.array([0] * 290 + [1] * 10)
    data = data.with_columns(
        {
            "x": Column(data.column("x").kind, x, state),
            "s": Column.numbers_of(np.where(np.arange(300) % 7 == 0, np.nan, data.column("s").values)),
            "g": Column.numbers_of(group),
        }
    )
    step = Shuffle(columns=("x", "y"), given=("s",), within=("g",), k=11, too_small="leave")
    after = apply_step(step, data, stream("any"))
    assert np.array_equal(after.column("x").state, state)
    assert np.array_equal(after.column("x").values[40:60], x[40:60])
    assert np.array_equal(after.column("y").values[290:], data.column("y").values[290:])
    assert (after.column("y").values[:290] != data.column("y").values[:290]).all()
    with pytest.raises(NoPartner) as caught:
        apply_step(Shuffle(columns=("x", "y"), within=("g",), k=11), data, stream("any"))
    assert caught.value.facts["count"] == 10


def test_what_is_determined_is_refused():
    s = np.random.default_rng(1).normal(size=100)
    with pytest.raises(Determined) as caught:
        apply_step(Shuffle(columns=("x",), given=("s",)), numbers(x=np.exp(s), s=s), stream("any"))
    assert "x" in str(caught.value.facts["names"])
    noise = np.random.default_rng(2).normal(size=100)
    with pytest.raises(Determined) as caught:
        apply_step(Shuffle(columns=("x",), given=("s", "t")), numbers(x=noise, s=s, t=s**3), stream("any"))
    assert "t" in str(caught.value.facts["names"]) and "x" not in str(caught.value.facts["names"])


def test_bad_input():
    with pytest.raises(NotFinite):
        apply_step(Shuffle(columns=("x",)), numbers(x=[np.inf, *range(20)]), stream("any"))
    many = numbers(x=range(10)).with_columns({"c": Column.texts_of([f"{i}" for i in range(10)])})
    with pytest.raises(TooFewRecords):
        apply_step(Shuffle(columns=("x",), given=("c",)), many, stream("any"))
    with pytest.raises(TooFewRecords, match="only 5"):
        apply_step(Shuffle(columns=("x",), too_small="leave"), numbers(x=range(5)), stream("any"))
    with pytest.raises(NoPartner):
        apply_step(
            Shuffle(columns=("x",), within=("g",)), numbers(x=range(15), g=[1] * 10 + [2] * 5), stream("any")
        )
    assert len(apply_step(Shuffle(columns=("x",)), numbers(x=[]), stream("any"))) == 0
    flat = apply_step(
        Shuffle(columns=("x",), given=("s",)), numbers(x=[3.0] * 20, s=range(20)), stream("any")
    )
    assert set(flat.column("x").values) == {3.0}


@given(st.lists(st.integers(0, 3), min_size=3, max_size=12), st.integers(0, 99))
@settings(max_examples=80)
def test_nobody_keeps_its_own_value(x, seed):
    rng = np.random.default_rng(seed)
    order = np.argsort(x, kind="stable")
    y = (
        rng.normal(size=len(x)) if seed % 2 else np.array(x) + 0.01 * np.arange(len(x))
    )  # or the old order exactly
    source = by_rank(order, np.argsort(y), np.array([0, len(x)]))
    assert np.array_equal(np.sort(source), np.arange(len(x)))
    assert (source != np.arange(len(x))).all()


def test_correlations_of_scores_follow_from_those_of_ranks():
    """D-M12, step 2: r = 2 sin(π ρ/6) between ranked columns, as they are beside an indicator."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=500)
    y, mark = x + rng.normal(size=500), np.where(x > 1, 1.0, 0.0)
    (a, one), (b, two) = scores(x), scores(y)
    c = (mark - mark.mean()) / mark.std()
    r = correlations(np.stack([a, b, c]), np.stack([one, two, c]), np.array([True, True, False]))
    rho = np.corrcoef(np.argsort(np.argsort(x)), np.argsort(np.argsort(y)))[0, 1]
    assert r[0, 1] == pytest.approx(2 * np.sin(np.pi * rho / 6), abs=1e-9)
    assert r[0, 2] == pytest.approx((a * c).mean(), abs=1e-9)


def test_correlations_are_a_correlation_matrix():
    rng = np.random.default_rng(5)
    ranks = np.argsort(np.argsort(rng.normal(size=(6, 5)), axis=0), axis=0).astype(float)
    z = (ranks - ranks.mean(axis=0)) / ranks.std(axis=0)
    r = correlations(z.T, z.T, np.ones(5, dtype=bool))
    assert np.linalg.eigvalsh(r).min() > -1e-9
    assert np.allclose(np.diag(r), 1)
    b, rest = conditional(np.array([[1.0, 0.6], [0.6, 1.0]]), 1)
    assert (b[0, 0], rest[0, 0]) == (0.6, 1 - 0.36)


def test_a_lazy_shuffle_is_noticed():
    data = persons(100)
    assert broken_claims(Shuffle(columns=("x",)), data, data)


def test_no_remark_where_no_number_is_shuffled():
    data = persons(100).with_columns({"c": Column.texts_of(list("abcde" * 20))})
    step = Shuffle(columns=("c",), given=("x",))
    assert step.remarks(data, apply_step(step, data, stream("any"))) == ()
