"""MASSC, and an attacker who matches its release with the original."""

from collections import Counter

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.calibration import TotalsOutOfReach
from tarnkappe.errors.data import NameTaken, NothingToUse
from tarnkappe.errors.exchange import AloneTooOften
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind, Role

Massc = catalogue["microdata.massc"]


def people(n=3000, seed=5):
    draw = np.random.default_rng(seed)
    columns = {
        "age": Column(Kind.INTEGER, 18 + draw.integers(0, 70, n)),
        "job": Column.texts_of([f"j{i}" for i in np.minimum(draw.geometric(0.15, n), 30)]),
        "sex": Column.texts_of(list(draw.choice(["f", "m"], n))),
        "place": Column.texts_of(list(draw.choice(["A", "B", "C"], n, p=[0.7, 0.2, 0.1]))),
        "pay": Column(Kind.NUMBER, draw.lognormal(7, 1, n)),
        "w": Column(Kind.NUMBER, draw.uniform(1, 5, n)),
    }
    return Microdata(columns, {Role.NUMERIC: ("pay",), Role.WEIGHT: ("w",)})


KEYS = ("age", "job", "sex", "place")


def released(data, seed="a", **changed):
    given = {
        "keys": KEYS,
        "risk": 0.3,
        "substituted": 0.1,
        "similar": (("sex", "place"), ("sex",)),
        "weight": "w",
    }
    return apply_step(Massc(**{**given, **changed}), data, stream(f"secret {seed} of the tests"))


def hits(before, after):
    """Found by exact match on the keys: the chance that a guess among the matches is the sought record."""
    shown = {}
    for row, key in zip(after.rows, zip(*(after.column(n).texts() for n in KEYS), strict=True), strict=True):
        shown.setdefault(key, []).append(row)
    found = {}
    for row, key in zip(
        before.rows, zip(*(before.column(n).texts() for n in KEYS), strict=True), strict=True
    ):
        matches = shown.get(key, [])
        found[row] = (row in matches) / len(matches) if matches else 0.0
    return found


def test_an_attacker_finds_uniques_no_more_often_than_allowed():
    data = people()
    key = list(zip(*(data.column(n).texts() for n in KEYS), strict=True))
    often = Counter(key)
    unique = [row for row, k in zip(data.rows, key, strict=True) if often[k] == 1]
    rates = []
    for seed in range(5):
        found = hits(data, released(data, seed))
        rates.append(np.mean([found[row] for row in unique]))
    rate = np.mean(rates)
    assert len(unique) > 300
    assert rate <= 0.3
    assert rate > 0.2  # and not better protected, at a price, than was asked for


def test_totals_come_out_as_before():
    data = people()
    after = released(data, keep=("sex", "place", "pay"))
    old, new = data.column("w").values, after.column("weight").values
    for name, value in (("sex", "f"), ("place", "C")):
        had = old[data.column(name).texts() == value].sum()
        assert new[after.column(name).texts() == value].sum() == pytest.approx(had, rel=1e-6)
    assert new @ after.column("pay").values == pytest.approx(old @ data.column("pay").values, rel=1e-6)
    assert "w" not in after.names
    assert after.role(Role.WEIGHT) == ("weight",)


def test_substitution_spares_sub_sampling():
    data = people()
    assert len(released(data, substituted=0.2)) > len(released(data, substituted=0.0)) + 200


def test_donors_agree_where_they_must():
    """The job begins with the sex of whom it belongs to."""
    data = people()
    jobs = [f"{s} {j}" for s, j in zip(data.column("sex").texts(), data.column("job").texts(), strict=True)]
    data = data.with_columns({"job": Column.texts_of(jobs)})
    after = released(data, keys=("age", "job"), similar=(("sex",),))
    old = data.aligned_to(after)
    assert (old.column("sex").texts() == after.column("sex").texts()).all()
    assert [job[0] for job in after.column("job").texts()] == after.column("sex").texts().tolist()
    assert (old.column("job").texts() != after.column("job").texts()).any()


def test_nobody_at_risk_nothing_happens():
    data = people()
    after = released(data, keys=("sex",), similar=((),), keep=())
    assert len(after) == len(data)
    np.testing.assert_allclose(after.column("weight").values, data.column("w").values)


def test_without_weights_every_record_counts_once():
    after = released(people().without(["w"]), weight="", keep=("sex", "place"))
    assert after.column("weight").values.sum() == pytest.approx(3000)


def test_gaps_neither_give_nor_take():
    data = people()
    job = data.column("job").texts().tolist()
    data = data.with_columns({"job": Column.texts_of([None if i % 7 == 0 else j for i, j in enumerate(job)])})
    after = released(data)
    old = data.aligned_to(after)
    assert (old.column("job").missing == after.column("job").missing).all()


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_any_record(n):
    assert len(released(people().take(np.arange(n)), keep=())) <= n


def test_a_category_of_which_nothing_is_left_is_refused():
    data = people(40)
    with pytest.raises(TotalsOutOfReach):
        released(data, risk=0.02, substituted=0.0, keep=("job", "place"))


def test_the_new_column_must_be_new():
    with pytest.raises(NameTaken):
        released(people(), into="pay")


def test_keys_of_which_nothing_is_shown_are_refused():
    data = people(30)
    with pytest.raises(NothingToUse, match="job"):
        released(data.with_columns({"job": data.column("job").suppress(np.ones(30, dtype=np.bool_))}))


def sizes(data, names):
    """How many records share the values of each record."""
    keys = list(zip(*(data.column(n).texts() for n in names), strict=True))
    times = Counter(keys)
    return np.array([times[key] for key in keys])


def test_the_riskiest_are_substituted_first():
    """Records with other keys than before were alone with theirs, as long as the bound on bias does not reach to the next stratum."""
    data = people()
    after = released(data, substituted=0.05)
    was = data.aligned_to(after)
    other = np.any([was.column(n).values != after.column(n).values for n in KEYS], axis=0)
    before = dict(zip(data.rows.tolist(), sizes(data, KEYS).tolist(), strict=True))
    assert other.sum() > 30
    assert {before[row] for row in after.rows[other].tolist()} == {1}


def test_weights_are_raised_by_one_factor():
    """They stand for those who were left out as a whole, and tell nobody's class."""
    data = people()
    after = released(data, substituted=0.0)
    assert len(after) < 0.9 * len(data)
    factor = after.column("weight").values / data.aligned_to(after).column("w").values
    np.testing.assert_allclose(factor, factor[0])
    assert after.column("weight").values.sum() == pytest.approx(data.column("w").values.sum())


def test_more_right_matches_than_allowed_are_refused():
    with pytest.raises(AloneTooOften, match="0.3 is allowed"):
        released(people(), alone=0.3)


@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.INTEGER])
def test_a_quantity_needs_no_role_to_be_added_up(kind):
    """Two thousand different amounts are no categories, whether a role says so or not."""
    data = people(2000).with_roles({Role.WEIGHT: ("w",)})
    if kind is Kind.INTEGER:
        data = data.with_columns({"pay": Column(kind, np.rint(data.column("pay").values).astype(np.int64))})
    after = released(data, keep=("pay", "sex"))
    had, has = (
        d.column("pay").numbers() @ d.column(w).numbers() for d, w in ((data, "w"), (after, "weight"))
    )
    assert has == pytest.approx(had, rel=1e-6)
    assert len(after) < len(data)


def test_codes_of_which_no_record_is_left_are_refused_before_anything_is_solved(monkeypatch):
    """A key with a value for each record: some values are gone, whatever the weights."""

    def solved(*_):
        raise AssertionError("asked though it cannot be")

    data = people(400)
    data = data.with_columns({"number": Column(Kind.INTEGER, np.arange(400))})
    data = data.with_roles({Role.WEIGHT: ("w",), Role.KEY: ("number",)})
    monkeypatch.setattr("tarnkappe.methods.microdata.calibrating.calibrated", solved)
    with pytest.raises(TotalsOutOfReach):
        released(data, keep=("number",))
