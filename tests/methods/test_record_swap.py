from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NoKeys, TooFewRecords
from tarnkappe.errors.exchange import NoPartner, RateMissed
from tarnkappe.methods.microdata.record_swap import RecordSwap
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims


def texts(**columns):
    return Microdata({name: Column.texts_of([str(v) for v in values]) for name, values in columns.items()})


def census(households=300, seed=1):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 4, households)
    place = rng.integers(0, 12, households)
    house = np.repeat(np.arange(households), size)
    n = len(house)
    return texts(
        state=place[house] // 6,
        district=place[house] // 2,
        town=place[house],
        house=[f"{h:04d}" for h in house],
        sex=rng.integers(0, 2, n),
        age=rng.integers(0, 6, n),
        kind=rng.integers(0, 2, households)[house],
    )


LEVELS = ("state", "district", "town")


def run(data, secret="any", **parameters):
    parameters = {"columns": LEVELS, "keys": ("sex", "age"), "unit": "house", **parameters}
    return apply_step(RecordSwap(**parameters), data, stream(secret))


def changed(before, after, name):
    return before.column(name).values != after.column(name).values


def test_households_at_risk_move_and_stay_whole():
    data = census()
    after = run(data, k=2)
    house = data.column("house").texts()
    sizes = {}
    for key in zip(*(data.column(n).texts() for n in (*LEVELS, "sex", "age")), strict=True):
        sizes[key] = sizes.get(key, 0) + 1
    risky = {
        h
        for h, *key in zip(house, *(data.column(n).texts() for n in (*LEVELS, "sex", "age")), strict=True)
        if sizes[tuple(key)] < 2
    }
    moved = changed(data, after, "town")
    assert risky <= set(house[moved])
    for h in set(house):
        assert len(set(after.column("town").texts()[house == h])) == 1
    for name in LEVELS:  # every region has as many records as before, and the hierarchy holds
        assert np.array_equal(np.bincount(data.column(name).values), np.bincount(after.column(name).values))
    town = after.column("town").texts().astype(int)
    assert np.array_equal(after.column("district").texts().astype(int), town // 2)


def test_safe_households_are_left_alone_where_risky_ones_suffice():
    """Two towns, two unique persons in each: they exchange with each other and nobody else is touched."""
    data = texts(town=["a"] * 22 + ["b"] * 22, age=([1] * 20 + [2, 3]) * 2, house=range(44))
    after = run(data, columns=("town",), keys=("age",), k=2)
    assert set(np.flatnonzero(changed(data, after, "town"))) <= {20, 21, 42, 43}
    assert changed(data, after, "town").sum() == 4


def test_no_farther_than_the_risk_demands():
    """A person unique in its town, but not in its district, stays in the district."""
    data = texts(
        district=["x"] * 40 + ["y"] * 40,
        town=["a"] * 20 + ["b"] * 20 + ["c"] * 20 + ["d"] * 20,
        age=([1] * 19 + [2]) * 4,
        house=range(80),
    )
    after = run(data, columns=("district", "town"), keys=("age",), k=2)
    assert not changed(data, after, "district").any()
    assert np.flatnonzero(changed(data, after, "town")).tolist() == [19, 39, 59, 79]


def test_partners_are_similar():
    data = census()
    after = run(data, k=2, similar=(("kind",), ("kind",)), too_small="leave")
    for town in range(12):
        for name in ("kind",):
            was = data.column(name).values[data.column("town").texts() == str(town)]
            now = data.column(name).values[after.column("town").texts() == str(town)]
            assert np.array_equal(np.bincount(was, minlength=2), np.bincount(now, minlength=2))
    persons = run(data, k=2, similar=(("sex",),), too_small="leave")
    for town in range(12):
        was = data.column("sex").values[data.column("town").texts() == str(town)]
        now = data.column("sex").values[persons.column("town").texts() == str(town)]
        assert was.sum() == now.sum()


def test_the_share_is_reached():
    data = census()
    after = run(data, k=1, share=0.3)
    first = np.unique(data.column("house").values, return_index=True)[1]
    assert 90 <= changed(data, after, "town")[first].sum() <= 92
    assert not changed(data, after, "district").any()


def test_columns_are_carried_record_by_record():
    data = census()
    number = Column.numbers_of(np.arange(len(data), dtype=float), None)
    data = data.with_columns({"number": number})
    after = run(data, k=2, carry=("number",))
    moved = changed(data, after, "town")
    assert np.array_equal(moved, changed(data, after, "number"))
    source = after.column("number").values.astype(int)
    assert np.array_equal(after.column("town").values, data.column("town").values[source])
    gaps = np.where(np.arange(len(data)) % 3 == 0, MISSING, 0).astype(np.uint8)
    holed = data.with_columns({"number": Column(number.kind, np.where(gaps, np.nan, number.values), gaps)})
    assert np.array_equal(run(holed, k=2, carry=("number",)).column("number").state, gaps)


def test_without_a_partner():
    data = texts(town=["a"] * 5, age=[1, 1, 1, 1, 2], house=range(5))
    parameters = {"columns": ("town",), "keys": ("age",), "k": 2}
    with pytest.raises(NoPartner) as caught:
        run(data, **parameters)
    assert (caught.value.facts["count"], caught.value.exit_code) == (1, 3)
    assert run(data, **parameters, too_small="suppress").column("town").suppressed.tolist() == [False] * 4 + [
        True
    ]
    assert not changed(data, run(data, **parameters, too_small="leave"), "town").any()
    with pytest.raises(RateMissed):
        run(data, columns=("town",), keys=("age",), k=1, share=0.5)


def test_who_is_at_risk_in_a_town_only_keeps_the_district():
    """Two districts; the only town of the first has a person whom the town tells apart and the state does not."""
    data = texts(
        state=["s"] * 12,
        district=["x"] * 6 + ["y"] * 6,
        town=["a"] * 6 + ["b"] * 6,
        age=[1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1],
        house=range(12),
    )
    person = [i == 5 for i in range(12)]
    after = run(
        data, keys=("age",), k=2, columns=("state", "town"), too_small="suppress", similar=(("age",),)
    )
    for name in ("state", "town"):
        assert after.column(name).suppressed.tolist() == person  # unique in the state
    two = data.with_columns({"age": Column.texts_of(["1"] * 5 + ["2", "2"] + ["1"] * 5)})
    near = {"keys": ("age",), "k": 2, "columns": ("state", "district", "town"), "too_small": "suppress"}
    after = run(
        two, **near, similar=(("age", "town"),)
    )  # unique in both districts, and nobody is like them elsewhere
    both = [i in (5, 6) for i in range(12)]
    assert [after.column(n).suppressed.tolist() for n in near["columns"]] == [[False] * 12, both, both]
    step = RecordSwap(columns=near["columns"], keys=("age",), k=2, unit="house", too_small="suppress")
    late = after.with_columns({"district": two.column("district")})
    assert [c.says.en[:10] for c in broken_claims(step, two, late)] == ["every unit"]


def test_regions_that_are_not_shown_take_no_part():
    data = census()
    gaps = np.where(np.arange(len(data)) % 5 == 0, MISSING, 0).astype(np.uint8)
    town = data.column("town")
    data = data.with_columns({"town": Column(town.kind, town.values, gaps, town.categories)})
    after = run(data, k=2, too_small="leave")
    assert np.array_equal(after.column("town").missing, gaps == MISSING)
    assert not changed(data, after, "district")[gaps == MISSING].any()


def test_keys_by_role_and_without_unit():
    data = census()
    with pytest.raises(NoKeys):
        run(data, keys=())
    after = apply_step(
        RecordSwap(columns=("town",), keys=("age",), k=1, share=1.0, too_small="leave"), data, stream("x")
    )
    assert changed(data, after, "town").mean() > 0.9


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 3), st.integers(0, 6), st.integers(0, 2)), max_size=40
    ),
    st.integers(2, 4),
)
@settings(max_examples=60)
def test_claims_hold_on_anything(rows, k):
    state, town, house, age = zip(*rows, strict=True) if rows else ((), (), (), ())
    data = texts(state=state, town=town, house=house, age=age)
    for too_small in ("leave", "suppress"):
        with pytest.raises(TooFewRecords) if 0 < len(rows) < k else nullcontext():
            run(data, columns=("state", "town"), keys=("age",), k=k, too_small=too_small)


def test_who_stays_at_risk_is_noticed():
    data = census()
    step = RecordSwap(columns=LEVELS, keys=("sex", "age"), unit="house", k=2)
    assert broken_claims(step, data, data)
