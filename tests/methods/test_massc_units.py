"""MASSC of whole units: in a panel a unit is substituted or left out in all its periods."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NothingToUse
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.exchange_units import units_of
from tarnkappe.methods.microdata.unit_substitution import as_one_unit, unit_donors
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Kind, Role

Massc = catalogue["microdata.massc"]
KEYS = ("job", "place")


def panel(units=1500, seed=5, years=3):
    """People over three years; a fifth comes later, one in ten changes the place once; rows stand in random order."""
    draw = np.random.default_rng(seed)
    rows = [(u, y) for u in range(units) for y in range(years) if u % 5 or y]
    unit, year = np.array(rows)[draw.permutation(len(rows))].T
    job = np.minimum(draw.geometric(0.06, units), 60)
    place = draw.integers(0, 6, units)[unit] + (draw.random(units) < 0.1)[unit] * (
        year >= draw.integers(1, 3, units)[unit]
    )
    columns = {
        "person": Column.texts_of([f"P{u}" for u in unit]),
        "year": Column.numbers_of(year),
        "job": Column.texts_of([f"j{v}" for v in job[unit]]),
        "place": Column.texts_of([f"p{v}" for v in place]),
        "sex": Column.texts_of([("f", "m")[v] for v in draw.integers(0, 2, units)[unit]]),
        "pay": Column.numbers_of(draw.lognormal(7, 1, len(unit))),
        "w": Column.numbers_of(draw.uniform(1, 5, units)[unit]),
    }
    return Microdata(columns, {Role.NUMERIC: ("pay",), Role.WEIGHT: ("w",), Role.PERIOD: ("year",)})


def step(**changed):
    given = {
        "keys": KEYS,
        "risk": 0.3,
        "substituted": 0.1,
        "similar": (("sex",),),
        "weight": "w",
        "into": "adjusted",
    }
    return Massc(**{**given, "unit": "person", **changed})


def released(data, seed="a", **changed):
    return apply_step(step(**changed), data, stream(f"secret {seed} of the tests"))


def paths(data, names=("year", *KEYS), unit="person"):
    """What every unit shows in all its records."""
    out = {}
    for who, *values in zip(*(data.column(n).texts() for n in (unit, *names)), strict=True):
        out.setdefault(who, []).append(tuple(values))
    return {who: tuple(sorted(path, key=str)) for who, path in out.items()}


def says(method, before, after):
    return [claim.says.en for claim in broken_claims(method, before, after)]


def test_a_unit_shows_one_donor_in_all_years_or_itself():
    data = panel()
    old, sex = paths(data), paths(data, ("sex",))
    owners = {}
    for who, path in old.items():
        owners.setdefault(path, set()).add(who)
    after = released(data)
    new, other = paths(after), 0
    for who, path in new.items():
        assert [year for year, *_ in path] == [year for year, *_ in old[who]], "entries and exits stay"
        if path != old[who]:
            other += 1
            assert not set(path) & set(old[who]), "no year shows what was true"
            assert any(sex[giver] == sex[who] for giver in owners[path]), "one donor gives all years"
    assert 100 < other < 0.1 * 1500 + 1
    left_out = old.keys() - new.keys()
    assert 50 < len(left_out) < 500


def test_an_attacker_finds_units_by_one_year_or_by_all_no_more_often_than_allowed():
    """Of units with a path of their own; the bound is met, not more than met."""
    data = panel()
    old = paths(data)
    often = Counter(old.values())
    unique = [who for who, path in old.items() if often[path] == 1]
    rates = []
    for seed in range(5):
        new = paths(released(data, seed))
        rates.append(np.mean([bool(set(new.get(who, ())) & set(old[who])) for who in unique]))
    assert len(unique) > 150
    assert 0.22 < np.mean(rates) <= 0.3 + 1 / len(unique)


def test_the_risk_of_a_unit_is_that_of_its_path():
    """Strata by how many units have the same path, counted one by one; of keys alone those with a path of their own come first."""
    data = panel(400)
    method = step(more=("sex",), risk=0.15)
    units = method.units(data)
    strata = method.strata(data, units)
    shared, alone = (
        Counter(paths(data, names).values()) for names in (("year", *KEYS, "sex"), ("year", *KEYS))
    )
    whole, keys = paths(data, ("year", *KEYS, "sex")), paths(data)
    who = np.array(data.column("person").texts())[units.first]
    for name, of in zip(who, strata.of, strict=True):
        size = shared[whole[name]]
        assert strata.chance[of] == (0.0 if size >= 1 / 0.15 else 1 / size)
    first = {name for name, of in zip(who, strata.of, strict=True) if of == 0}
    assert first == {name for name in who if alone[keys[name]] == 1}


def test_totals_weights_and_columns_that_stay():
    data = panel()
    after = released(data, keep=("sex", "year", "pay"))
    old, new = data.column("w").values, after.column("adjusted").values
    for name, value in (("sex", "f"), ("year", "2")):
        had = old[data.column(name).texts() == value].sum()
        assert new[after.column(name).texts() == value].sum() == pytest.approx(had, rel=1e-6)
    assert new @ after.column("pay").values == pytest.approx(old @ data.column("pay").values, rel=1e-6)
    assert released(data).column("adjusted").values.sum() == pytest.approx(old.sum(), rel=0.1)
    assert step().tells(data, after)["unit"] == ["person"]


@pytest.mark.parametrize("bound", [0.0, 0.01, 0.05])
def test_the_bound_on_bias_counts_records(bound):
    """Those with three years have more records than the mean: counted by units, too many values would be those of donors."""
    data = panel()
    method = step(substituted=bound, risk=0.05)
    units = method.units(data)
    chosen = method._substitutes(
        method.strata(data, units), np.ones(1500, dtype=np.bool_), units.size, np.random.default_rng(1)
    )
    assert bound * len(data) - 3 < units.size[chosen].sum() <= bound * len(data)


def test_the_period_is_named_or_has_the_role_or_the_order_of_the_file_counts():
    data = panel()
    bare = data.with_roles({Role.WEIGHT: ("w",)})
    by_role, named = released(data), released(bare, period="year")
    assert by_role.rows.tolist() == named.rows.tolist()
    for name in KEYS:
        assert np.array_equal(by_role.column(name).values, named.column(name).values)
    old, new = paths(data), paths(released(bare))
    without_years = {tuple(sorted(p[1:] for p in path)) for path in old.values()}
    assert all(len(path) == len(old[who]) for who, path in new.items())
    assert all(tuple(sorted(p[1:] for p in path)) in without_years for path in new.values())


def test_several_records_of_a_unit_in_one_period():
    """Households: a donor has as many persons, and shares no value with any of those of the household."""
    draw = np.random.default_rng(2)
    sizes = draw.integers(1, 5, 600)
    home = np.repeat(np.arange(600), sizes)
    data = Microdata(
        {
            "home": Column.numbers_of(home),
            "age": Column(Kind.INTEGER, draw.integers(0, 20, len(home))),
            "sex": Column.texts_of(list(draw.choice(["f", "m"], len(home)))),
        }
    )
    after = apply_step(
        Massc(keys=("age", "sex"), unit="home", risk=0.5, substituted=0.3, into="w"),
        data,
        stream("homes of the tests"),
    )
    old, new = (paths(d, ("age", "sex"), "home") for d in (data, after))
    other = {who for who, path in new.items() if path != old[who]}
    assert len(other) > 50
    for who, path in new.items():
        assert len(path) == len(old[who])
        assert path in set(old.values())
        assert who not in other or not set(path) & set(old[who])


def test_records_without_a_unit_are_units_of_their_own():
    data = panel()
    early = np.array([int(p[1:]) for p in data.column("person").texts()]) < 300
    state = np.where(early, MISSING, 0).astype(np.uint8)
    told = data.with_columns({"person": replace(data.column("person"), state=state)})
    after = released(told)
    there = set(after.rows.tolist())
    kept = Counter(p for p, row in zip(data.column("person").texts(), data.rows, strict=True) if row in there)
    full = Counter(data.column("person").texts())
    whole = [kept[p] in (0, full[p]) for p in full if int(p[1:]) >= 300]
    parted = [kept[p] in (0, full[p]) for p in full if int(p[1:]) < 300]
    assert all(whole) and not all(parted)


def test_units_with_gaps_neither_give_nor_take():
    data = panel()
    person = np.array([int(p[1:]) for p in data.column("person").texts()])
    gap = (person % 7 == 0) & (data.column("year").values == 2)
    job = replace(data.column("job"), state=np.where(gap, MISSING, 0).astype(np.uint8))
    after = released(data.with_columns({"job": job}))
    was = data.aligned_to(after)
    other = was.column("place").values != after.column("place").values
    names = np.array([int(p[1:]) for p in after.column("person").texts()])
    assert other.any() and not other[names % 7 == 0].any()
    assert np.array_equal(after.column("job").missing, (names % 7 == 0) & (after.column("year").values == 2))


@pytest.mark.parametrize("seed", range(60))
def test_donors_against_all_that_may_give(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 40))
    data = Microdata(
        {
            "u": Column.numbers_of(rng.integers(0, 12, n)),
            "t": Column.numbers_of(rng.integers(0, 2, n)),
            "k": Column.numbers_of(rng.integers(0, 6, n)),
            "s": Column.numbers_of(rng.integers(0, 2, n)),
            "r": Column.numbers_of(rng.integers(0, 2, n)),
        }
    )
    if seed % 4 == 1 and n:
        data = data.with_columns(
            {"k": replace(data.column("k"), state=(rng.random(n) < 0.1).astype(np.uint8) * MISSING)}
        )
    period = () if seed % 3 == 0 else ("t",)
    similar = (("s", "r"), ("s",), ())
    source = unit_donors(data, ("u",), period, ("k",), similar, np.random.default_rng(seed))
    u, k = data.column("u").values, data.column("k")
    rows = {unit: np.flatnonzero(u == unit) for unit in np.unique(u)}

    def kinds(unit, names):
        return sorted(tuple(data.column(n).values[i] for n in names) for i in rows[unit])

    for unit, mine in rows.items():
        for names in similar:
            may = [
                other
                for other in rows
                if k.observed[np.concatenate([rows[other], mine])].all()
                and kinds(other, (*period, *names)) == kinds(unit, (*period, *names))
                and not set(kinds(other, (*period, "k"))) & set(kinds(unit, (*period, "k")))
            ]
            if may:
                break
        if not may:
            assert (source[mine] == -1).all()
            continue
        (giver,) = set(u[source[mine]].tolist())
        assert giver in may
        assert sorted(source[mine].tolist()) == rows[giver].tolist()
        for name in (*period, *names):
            assert np.array_equal(data.column(name).values[mine], data.column(name).values[source[mine]])


class TestClaims:
    method = step(risk=0.5)

    def released(self):
        data = panel(400)
        return data, apply_step(self.method, data, stream("secret of the claims"))

    def test_a_record_of_a_unit_that_is_missing(self):
        data, after = self.released()
        assert not says(self.method, data, after)
        assert any(
            s.startswith("units: all records")
            for s in says(self.method, data, after.take(np.arange(1, len(after))))
        )

    def test_a_shorter_path_may_be_that_of_another_unit(self):
        """Without its first year a unit shows what one had that came later: still a record is missing."""
        rows = {"person": ["A", "A", "B"], "year": ["0", "1", "1"], "job": ["x", "x", "x"]}
        data = Microdata({n: Column.texts_of(v) for n, v in rows.items()})
        units = units_of(data, ("person",))
        assert as_one_unit(data, data.take(np.array([2])), units, ("year", "job"))
        assert not as_one_unit(data, data.take(np.array([1, 2])), units, ("year", "job"))

    def test_a_year_that_is_another_donors(self):
        """A job that everybody has in no year else: the path is nobody's, though every single record could be somebody's."""
        data, after = self.released()
        job = after.column("job")
        who = np.array(after.column("person").texts())
        first = np.flatnonzero((who == who[0]) & (after.column("year").values == 1))[0]
        values = job.values.copy()
        values[first] = (values[first] + 1) % len(job.categories)
        assert any(
            s.startswith("units: all records")
            for s in says(self.method, data, after.with_columns({"job": replace(job, values=values)}))
        )

    def test_true_values_in_a_single_year(self):
        """Of all units with a path of their own one year is true again: each is found by it."""
        data, after = self.released()
        was, year = data.aligned_to(after), after.column("year").values == 2
        columns = {
            n: replace(after.column(n), values=np.where(year, was.column(n).values, after.column(n).values))
            for n in KEYS
        }
        assert any(
            s.startswith("whoever looks for a unit")
            for s in says(self.method, data, after.with_columns(columns))
        )


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_any_record(n):
    assert len(released(panel().take(np.arange(n)))) <= n


def test_nobody_at_risk_nothing_happens():
    data = panel()
    after = released(data, keys=("sex",), similar=((),))
    assert len(after) == len(data)
    np.testing.assert_allclose(after.column("adjusted").values, data.column("w").values)


def test_keys_of_which_nothing_is_shown_are_refused():
    data = panel(30)
    with pytest.raises(NothingToUse, match="job"):
        released(data.with_columns({"job": data.column("job").suppress(np.ones(len(data), dtype=np.bool_))}))


def test_parameters_that_contradict_each_other():
    with pytest.raises(ParameterWrong, match="period goes with unit"):
        Massc(keys=KEYS, period="year")
    for more in ({"keys": ("person",)}, {"more": ("person",)}):
        with pytest.raises(ParameterWrong, match="cannot be in unit and in keys or more"):
            step(**more)


def test_the_office_is_told_of_a_panel_without_units():
    data = panel(60)
    said, *_ = step(unit=()).remarks(data, data)
    assert "no unit is named" in said.en and "keine Einheit" in said.de
    for other in (step().remarks(data, data), step(unit=()).remarks(data.with_roles({}), data)):
        assert not any("no unit is named" in remark.en for remark in other)
