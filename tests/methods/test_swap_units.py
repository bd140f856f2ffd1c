"""Units over periods: exchanges that keep correlations, and exchanges of those whom noise does not protect."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.exchange import CorrelationsMissed, NoPartner
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.covariance_swap import CovarianceSwap
from tarnkappe.methods.microdata.exchange import Blocks
from tarnkappe.methods.microdata.exchange_movers import Movers, movers_of
from tarnkappe.methods.microdata.exchange_units import units_of
from tarnkappe.methods.microdata.recognised import Attack, Recognised
from tarnkappe.methods.microdata.swap_unprotected import SwapUnprotected
from tarnkappe.methods.microdata.unit_noise import ALIKE
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Kind, Role

NAMES = ("a", "b", "c")


def panel(firms=240, seed=1, years=3):
    """A quarter of the firms enters in the second year; rows stand in random order."""
    rng = np.random.default_rng(seed)
    rows = [(f, y) for f in range(firms) for y in range(years) if f % 4 or y]
    firm, year = np.array(rows)[rng.permutation(len(rows))].T
    level = rng.normal(size=(firms, 1)) + 0.6 * rng.normal(size=(firms, 3))
    x = np.exp(0.5 * level[firm] + 0.1 * rng.normal(size=(len(firm), 3)) + 0.05 * year[:, None])
    columns = {name: Column.numbers_of(x[:, j]) for j, name in enumerate(NAMES)}
    columns["firm"] = Column.texts_of([f"F{f}" for f in firm])
    columns["year"] = Column.numbers_of(year)
    return Microdata(columns), firm, year


def series(data, name, firm, year):
    """What every firm shows, year by year."""
    x = data.column(name).numbers()
    return {f: tuple(x[firm == f][np.argsort(year[firm == f])]) for f in np.unique(firm).tolist()}


def off(x, y):
    return np.abs(np.corrcoef(x.T) - np.corrcoef(y.T)).sum() / x.shape[1] ** 2


def says(step, before, after):
    return [claim.says.en for claim in broken_claims(step, before, after)]


def done(step, data, secret="any"):
    return apply_step(step, data, stream(secret))


class TestCovarianceSwap:
    step = CovarianceSwap(columns=NAMES, within=("year",), unit="firm")

    def test_every_firm_has_the_series_of_another_and_correlations_stay(self):
        data, firm, year = panel()
        after = done(self.step, data)
        givers = []
        for name in NAMES:
            owner = {values: f for f, values in series(data, name, firm, year).items()}
            giver = {
                f: owner[v] for f, v in series(after, name, firm, year).items()
            }  # fails for mixed series
            assert sorted(giver.values()) == sorted(giver)
            assert all(f != g and (f % 4 == 0) == (g % 4 == 0) for f, g in giver.items())
            givers.append(giver)
        assert givers[0] != givers[1] != givers[2], "each column by itself"
        assert off(data.numbers(NAMES), after.numbers(NAMES)) <= 0.01

    def test_kept_columns_and_strata_besides_the_year(self):
        data, firm, year = panel(400)
        data = data.with_columns({"branch": Column.numbers_of(firm // 4 % 3)})
        step = CovarianceSwap(columns=("a", "b"), keep=("c",), within=("year", "branch"), unit="firm")
        after = done(step, data)
        assert np.array_equal(after.column("c").values, data.column("c").values)
        assert off(data.numbers(NAMES), after.numbers(NAMES)) <= 0.01
        branch = dict(zip(firm.tolist(), (firm // 4 % 3).tolist(), strict=True))
        owner = {values: f for f, values in series(data, "a", firm, year).items()}
        for f, values in series(after, "a", firm, year).items():
            assert branch[owner[values]] == branch[f]

    def test_the_share_counts_units_and_the_others_stay_in_all_years(self):
        data, firm, year = panel()
        step = self.step.model_copy(update={"share": 0.5, "tolerance": 0.02})
        after = done(step, data)
        moved = []
        for name in NAMES:
            old, new = (series(d, name, firm, year) for d in (data, after))
            moved.append({f for f in old if old[f] != new[f]})
        assert moved[0] == moved[1] == moved[2]
        assert [sum(f % 4 == 0 for f in moved[0]), sum(f % 4 > 0 for f in moved[0])] == [30, 90]

    def test_gaps_are_exchanged_with_gaps(self):
        data, firm, year = panel()
        gap = (firm < 60) & (year == 2)
        data = data.with_columns({"b": Column.numbers_of(np.where(gap, np.nan, data.column("b").values))})
        after = done(self.step, data)
        assert np.array_equal(after.column("b").missing, gap)
        owner = {values[:2]: f for f, values in series(data, "a", firm, year).items()}
        assert all((owner[v[:2]] < 60) == (f < 60) for f, v in series(after, "a", firm, year).items())

    def test_a_unit_without_its_like(self):
        data, firm, year = panel()
        gone = data.take(np.flatnonzero((firm != 5) | (year != 1)))  # firm 5 is away in the middle
        with pytest.raises(NoPartner):
            done(self.step, gone)
        of = np.array(gone.column("firm").texts())
        hidden = done(self.step.model_copy(update={"too_small": "suppress"}), gone)
        left = done(self.step.model_copy(update={"too_small": "leave"}), gone)
        for name in NAMES:
            assert np.array_equal(hidden.column(name).suppressed, of == "F5")
            assert np.array_equal(left.column(name).values[of == "F5"], gone.column(name).values[of == "F5"])

    def test_units_of_two_owners_are_too_few(self):
        data, firm, _ = panel()
        for owners, few in ((2, True), (3, False)):
            told = data.with_columns({"o": Column.numbers_of(firm % owners)})
            told = told.with_roles({Role.OWNER: ("o",)})
            if few:
                with pytest.raises(NoPartner):
                    done(self.step, told)
            else:
                assert len(done(self.step, told)) == len(data)

    def test_records_without_a_unit_are_units_of_their_own(self):
        data, firm, year = panel()
        state = np.where(firm < 100, MISSING, 0).astype(np.uint8)
        told = data.with_columns({"firm": replace(data.column("firm"), state=state)})
        after = done(self.step, told)
        for y in range(3):
            here = (firm < 100) & (year == y)
            old, new = data.column("a").values[here], after.column("a").values[here]
            assert np.array_equal(np.sort(old), np.sort(new)) and (old != new).all()
        assert "the series of every unit" in " ".join(says(self.step, data, after))

    def test_a_unit_whose_name_is_suppressed_moves_as_one(self):
        data, firm, _ = panel()
        told = data.with_columns({"firm": data.column("firm").suppress(firm < 100)})
        plain, hidden = done(self.step, data), done(self.step, told)
        for name in NAMES:
            assert np.array_equal(plain.column(name).values, hidden.column(name).values)

    def test_several_records_of_a_unit_in_one_stratum_go_in_the_order_of_the_file(self):
        data, firm, _ = panel()
        step = self.step.model_copy(update={"within": ()})
        after = done(step, data)
        x, y = data.column("a").values, after.column("a").values
        owner = {tuple(x[firm == f]): f for f in range(240)}
        assert sorted(owner[tuple(y[firm == f])] for f in range(240)) == list(range(240))

    @pytest.mark.parametrize("size", [1e300, 1e-300, -1.0])
    def test_magnitudes(self, size):
        data, firm, year = panel()
        same = data.with_columns({n: Column.numbers_of(data.column(n).values * size) for n in NAMES})
        after = done(self.step, same)
        assert set(series(after, "a", firm, year).values()) == set(series(same, "a", firm, year).values())

    def test_zeros_constants_and_hardly_any_record(self):
        data, firm, year = panel()
        flat = data.with_columns(
            {
                "a": Column.numbers_of(np.zeros(len(data))),
                "b": Column.numbers_of(np.where(firm % 3, 0.0, firm)),
            }
        )
        after = done(self.step, flat)
        assert not after.column("a").values.any()
        assert set(series(after, "b", firm, year).values()) == set(series(flat, "b", firm, year).values())
        assert len(done(self.step, data.take(np.zeros(0, dtype=np.int64)))) == 0
        with pytest.raises(NoPartner):
            done(self.step, data.take(np.array([0])))

    def test_a_goal_that_is_not_reached_is_refused(self):
        step = self.step.model_copy(update={"tolerance": 1e-6, "steps": 1})
        with pytest.raises(CorrelationsMissed):
            done(step, panel()[0])

    def test_claims_notice_what_is_not_moved_as_a_whole(self):
        data, *_ = panel()
        apart = done(CovarianceSwap(columns=NAMES, within=("year",)), data)
        assert any(s.startswith("the series") for s in says(self.step, data, apart))
        assert [s[:12] for s in says(self.step, data, data)] == ["of the units"]
        part = done(self.step.model_copy(update={"share": 0.8, "tolerance": 0.05}), data)
        wide = self.step.model_copy(update={"tolerance": 0.05})
        assert [s[:12] for s in says(wide, data, part)] == ["of the units"]
        plain = done(self.step, data.with_columns({"b": data.column("a"), "c": data.column("a")}))
        after = done(self.step, data)
        mixed = after.with_columns({"b": data.column("b"), "a": plain.column("a")})
        assert any(s.startswith("all correlations") for s in says(self.step, data, mixed))


# -- noise, and an exchange of whom it does not protect ---------------------------------------------------------------------


def small_noise(**more):
    given = {
        "columns": ("a", "b"),
        "within": ("year",),
        "unit": "firm",
        "variance_ratio": 0.05,
        "safety": 20.0,
    }
    return SwapUnprotected(**{**given, **more})


def noisy(step, data, secret="any"):
    """The noise that the step draws before anybody exchanges."""
    x = data.numbers(step.columns)
    return step._noisy(data, x, strata_of(data, step.within), stream(secret))


def nearest_own(z, w):
    """Everybody whose own original is nearer than any other: all distances, one by one."""
    d = ((w[:, None] - z[None]) ** 2).sum(axis=2)
    return (d < d.diagonal()[:, None] * (1 + 1e-9)).sum(axis=1) == 1


def attacked(x, y, firm, year, safety):
    """A plain attacker on records year by year, and on the series of firms that are there in the same years; values over the standard
    deviations of a year. Told are the firms that are found and give a value away."""
    near = (np.abs(y - x) < safety / 100 * np.abs(x)).any(axis=1)
    found, z, w = set(), np.empty_like(x), np.empty_like(y)
    for t in np.unique(year):
        here = np.flatnonzero(year == t)
        z[here], w[here] = x[here] / x[here].std(axis=0), y[here] / x[here].std(axis=0)
        own = nearest_own(z[here], w[here]) & near[here]
        found |= set(firm[here[own]].tolist())
    rows = {f: np.flatnonzero(firm == f)[np.argsort(year[firm == f])] for f in np.unique(firm).tolist()}
    for pattern in {tuple(year[r]) for r in rows.values()}:
        firms = [f for f, r in rows.items() if tuple(year[r]) == pattern]
        old, new = (np.stack([v[rows[f]].ravel() for f in firms]) for v in (z, w))
        own = nearest_own(old, new) & np.array([near[rows[f]].any() for f in firms])
        found |= {f for f, seen in zip(firms, own.tolist(), strict=True) if seen}
    return found


class TestSwapUnprotected:
    @pytest.mark.parametrize("seed", range(3))
    def test_firms_that_are_found_exchange_as_a_whole_and_nobody_is_found(self, seed):
        data, firm, year = panel(seed=seed)
        step = small_noise()
        x, before = data.numbers(step.columns), noisy(step, data)
        known = attacked(x, before, firm, year, 20)
        assert 20 < len(known) < 220
        after = done(step, data).numbers(step.columns)
        assert not attacked(x, after, firm, year, 20)
        owner = {tuple(before[firm == f][np.argsort(year[firm == f])].ravel()): f for f in range(240)}
        giver = {f: owner[tuple(after[firm == f][np.argsort(year[firm == f])].ravel())] for f in range(240)}
        assert sorted(giver.values()) == list(range(240))
        moved = {f for f, g in giver.items() if f != g}
        assert known <= moved and len(moved - known) <= 4, "others exchange only where a partner is lacking"
        assert all((f % 4 == 0) == (g % 4 == 0) for f, g in giver.items())

    def test_by_record_and_by_series(self):
        """One firm is recognised in one year only, another by all years together though in none of them."""
        data, firm, year = panel()
        step = small_noise()
        x, y = data.numbers(step.columns), noisy(step, data)
        found = step.recognised(data, x.copy(), y)
        record, together = found.movers.having(found.records.found), found.series.found
        assert (record & ~together).any() and (together & ~record).any()
        names = np.array([f"F{f}" for f in sorted(attacked(x, y, firm, year, 20))])
        seen = np.array(data.column("firm").texts())[found.movers.units.first[found.seen]]
        assert sorted(seen) == sorted(names)

    @pytest.mark.parametrize("within", [(), ("year",)])
    def test_noise_is_partly_in_common_with_and_without_strata(self, within):
        """Twenty panels: correlation 0.7 and variance ratio 0.3, each within 0.03; 0.63 or 0.27 would be noticed."""
        step = small_noise(within=within, variance_ratio=0.3, common=0.7)
        alike, size = [], []
        for i in range(20):
            data, firm, year = panel(seed=i)
            x = data.numbers(step.columns)
            e = noisy(step, data, f"{i}") - x
            for t in range(3) if within else [slice(None)]:
                rows = year == t if within else t
                size.append(e[rows].var(axis=0) / x[rows].var(axis=0))
                e[rows] /= e[rows].std(axis=0)
            later = [np.flatnonzero((firm == f) & (year > 0)) for f in range(240)]
            alike.append(np.mean([e[r[0]] * e[r[1]] for r in later]))
        assert abs(np.mean(alike) - 0.7) < 0.03
        assert abs(np.mean(size) - 0.3) < 0.03

    def test_noise_in_common_is_claimed_and_the_claim_can_fail(self):
        for seed in range(5):
            data, *_ = panel(600, seed)
            step = small_noise(safety=5.0)
            (claim,) = [c for c in step.protects if c.says == ALIKE.says]
            assert claim.applies(step) and claim.check(step, data, done(step, data))
            alone = SwapUnprotected(columns=("a", "b"), within=("year",), variance_ratio=0.05, safety=5.0)
            assert not claim.applies(alone)
            assert not claim.check(step, data, alone.apply(data, stream("any")))

    @pytest.mark.parametrize("whole", ["nearest", "total"])
    def test_whole_numbers_gaps_and_states(self, whole):
        data, firm, year = panel()
        heads = np.ceil(100 * data.column("a").values).astype(np.int64)
        state = np.where(
            (firm < 40) & (year == 1), MISSING, np.where((firm < 80) & (year == 2), SUPPRESSED, 0)
        )
        told = data.with_columns({"a": Column(Kind.INTEGER, heads, state.astype(np.uint8))})
        after = done(small_noise(whole=whole), told)
        assert after.column("a").kind is Kind.INTEGER
        assert np.array_equal(after.column("a").state, state)

    def test_a_unit_without_its_like_is_recognised_by_that(self):
        data, firm, year = panel()
        gone = data.take(np.flatnonzero((firm != 5) | (year != 1)))
        of = np.array(gone.column("firm").texts())
        step = small_noise(variance_ratio=0.001)
        with pytest.raises(NoPartner):
            done(step, gone)
        hidden = done(step.model_copy(update={"too_small": "suppress"}), gone)
        assert np.array_equal(hidden.column("a").suppressed, of == "F5")
        left = done(step.model_copy(update={"too_small": "leave"}), gone)
        assert left.column("a").observed.all()
        np.testing.assert_array_equal(left.numbers(step.columns)[of == "F5"], noisy(step, gone)[of == "F5"])

    def test_names_of_units_that_are_missing_or_suppressed(self):
        """Without a name a record is its own unit; a suppressed one moves with its unit, but has noise of its own."""
        data, firm, year = panel()
        step = small_noise(variance_ratio=0.001)
        state = np.where(firm < 100, MISSING, 0).astype(np.uint8)
        lacking = data.with_columns({"firm": replace(data.column("firm"), state=state)})
        found = step.recognised(lacking, *(data.numbers(step.columns) for _ in range(2)))
        assert found.movers.size == 140 + np.count_nonzero(firm < 100)
        assert len(done(step, lacking)) == len(data)
        hidden = data.with_columns({"firm": data.column("firm").suppress(firm < 100)})
        assert step.recognised(hidden, *(data.numbers(step.columns) for _ in range(2))).movers.size == 240
        e = noisy(step.model_copy(update={"common": 0.9}), hidden) - data.numbers(step.columns)
        for there, least, most in ((firm < 100, -0.3, 0.3), (firm >= 100, 0.7, 1.0)):
            pairs = [e[(firm == f) & (year > 0), 0] for f in np.unique(firm[there])]
            assert least < np.corrcoef(np.array(pairs).T)[0, 1] < most

    def test_units_named_by_two_columns(self):
        data, firm, _ = panel()
        told = data.with_columns(
            {"land": Column.numbers_of(firm % 2), "number": Column.numbers_of(firm // 2)}
        )
        plain, both = small_noise(), small_noise(unit=("land", "number"))
        np.testing.assert_array_equal(
            done(plain, told).numbers(plain.columns), done(both, told).numbers(plain.columns)
        )

    @pytest.mark.parametrize("size", [1e300, 1e-300])
    def test_magnitudes(self, size):
        data, *_ = panel()
        step = small_noise()
        same = data.with_columns({n: Column.numbers_of(data.column(n).values * size) for n in step.columns})
        expected = done(step, data).numbers(step.columns)
        np.testing.assert_allclose(done(step, same).numbers(step.columns) / size, expected, rtol=1e-9)

    def test_negative_values_and_zeros(self):
        data, firm, year = panel()
        step = small_noise()
        values = {"a": -data.column("a").values, "b": np.where(firm % 2, 0.0, data.column("b").values)}
        told = data.with_columns({n: Column.numbers_of(v) for n, v in values.items()})
        after = done(step, told)
        assert not attacked(told.numbers(step.columns), after.numbers(step.columns), firm, year, 20)

    def test_hardly_any_record(self):
        data, firm, _ = panel()
        assert len(done(small_noise(), data.take(np.zeros(0, dtype=np.int64)))) == 0
        one = data.take(np.flatnonzero(firm == 1))
        with pytest.raises(NoPartner):
            done(small_noise(), one)
        hidden = done(small_noise(too_small="suppress"), one)
        assert hidden.column("a").suppressed.all()

    def test_several_records_of_a_unit_in_one_stratum(self):
        data, firm, _ = panel()
        step = small_noise(within=())
        before, after = noisy(step, data), done(step, data).numbers(step.columns)
        owner = {tuple(before[firm == f].ravel()): f for f in range(240)}
        assert sorted(owner[tuple(after[firm == f].ravel())] for f in range(240)) == list(range(240))

    def test_claims_notice_a_single_year_and_who_is_found(self):
        data, firm, year = panel()
        step = small_noise(variance_ratio=0.001)
        after = done(step, data)
        x = after.column("a").values.copy()
        of = [
            int(np.flatnonzero((firm == f) & (year == 1))[0])
            for f in np.argsort([x[firm == f].mean() for f in range(240)])[[3, -3]]
        ]
        x[of] = x[of[::-1]]
        wrong = after.with_columns({"a": Column.numbers_of(x)})
        assert any(s.startswith("what a unit shows") for s in says(step, data, wrong))
        shown = data.with_columns({"a": Column.numbers_of(noisy(step, data)[:, 0]), "b": after.column("b")})
        assert any(s.startswith("what a unit shows") for s in says(step, data, shown))
        plain = data.with_numbers(step.columns, noisy(step, data))
        assert [s[:12] for s in says(step, data, plain)] == ["no record is"]

    def test_only_the_series_is_found(self):
        """Values of each year lead elsewhere, all together they lead home: the claim sees it."""
        data, *_ = panel()
        step = small_noise()
        y = noisy(step, data)
        found = step.recognised(data, data.numbers(step.columns), y)
        hide = found.movers.having(found.records.found) | ~found.series.found
        rows = found.movers.members(np.flatnonzero(hide))
        masked = np.zeros(len(data), dtype=np.bool_)
        masked[rows] = True
        after = data.with_numbers(step.columns, y)
        after = after.with_columns({n: after.column(n).suppress(masked) for n in step.columns})
        asked = step.model_copy(update={"too_small": "suppress"})
        assert [s[:12] for s in says(asked, data, after)] == ["no record is"]

    def test_receivers_and_the_office_are_told(self):
        data, *_ = panel()
        data = data.with_roles({Role.IDENTIFIER: ("firm",), Role.PERIOD: ("year",)})
        step, alone = small_noise(common=0.3), SwapUnprotected(columns=("a", "b"), within=("year",))
        told = step.tells(data, data)
        assert (told["unit"], told["common"]) == (["firm"], 0.3)
        assert "unit" not in alone.tells(data, data)
        assert any("drawn anew in every period" in said.en for said in alone.remarks(data, data))
        assert not step.remarks(data, data)

    def test_common_goes_with_unit(self):
        with pytest.raises(ParameterWrong, match="common goes with unit"):
            SwapUnprotected(columns=("a",), common=0.3)


class Given(Recognised):
    """Units of one block of which it is known who leads to whom."""

    bad: np.ndarray
    known: np.ndarray

    @property
    def seen(self):
        return self.known

    def lead(self, givers, receivers):
        return self.bad[givers, receivers]


def given(bad, known):
    n = len(known)
    data = Microdata({"u": Column.numbers_of(np.arange(n))})
    movers = Movers(Blocks(np.arange(n), np.array([0, n])), n, units_of(data, ("u",)))
    found = Given(movers, Attack([], n), Attack([], n))
    object.__setattr__(found, "bad", bad)
    object.__setattr__(found, "known", known)
    return found


def can_be(bad, known):
    """Is there an exchange in which nobody gets what leads to it?"""
    n = len(known)
    return any(
        all((not known[j]) if p[j] == j else not bad[p[j], j] for j in range(n))
        for p in permutations(range(n))
    )


def test_an_exchange_is_found_where_there_is_one():
    """Up to six units, many of which lead to each other: nobody gets what leads to it, and hardly anybody is left over who need not be."""
    needless = tried = hard = 0
    for seed in range(800):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 7))
        known = rng.random(n) < 0.7
        bad = rng.random((n, n)) < rng.choice([0.0, 0.1, 0.4])
        bad[known, known] = True  # who is recognised leads to itself
        partner, lone = given(bad, known).exchanged(stream(f"{seed}").generator)
        assert sorted(partner.tolist()) == list(range(n))
        assert known[lone].all(), "nobody is left over for the sake of others"
        settled = np.setdiff1d(np.arange(n), lone)
        moved = partner[settled] != settled
        assert not bad[partner[settled[moved]], settled[moved]].any()
        assert moved[known[settled]].all(), "everybody who is recognised gets other values, or is left over"
        if known.any():
            tried, hard = tried + 1, hard + (len(lone) > 0)
            needless += len(lone) > 0 and can_be(bad, known)
    assert hard > 50
    assert needless <= 0.02 * tried


@pytest.mark.parametrize("seed", range(100))
def test_few_units_that_are_nearly_all_recognised(seed):
    """Two to eight units in up to three years: the claims hold, and the plain attacker finds nobody who is shown."""
    rng = np.random.default_rng(seed)
    units, years = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    firm, year = np.repeat(np.arange(units), years), np.tile(np.arange(years), units)
    x = np.exp(rng.normal(size=units))[firm] * np.exp(0.3 * rng.normal(size=len(firm)))
    columns = {"a": Column.numbers_of(x), "firm": Column.numbers_of(firm), "year": Column.numbers_of(year)}
    ratio = float(rng.choice([0.02, 0.2, 1.0]))
    step = small_noise(columns=("a",), variance_ratio=ratio, safety=1000.0, too_small="suppress")
    after = done(step, Microdata(columns), f"{seed}")
    shown = after.column("a").observed
    y = np.where(shown, after.column("a").values, 1e6)
    assert not attacked(x[:, None], y[:, None], firm, year, 1000) & set(firm[shown].tolist())


def test_who_leads_to_whom_against_all_distances():
    """In a year, or by all years together; both happen without the other."""
    by_year, together = 0, 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        firm, year = np.repeat(np.arange(12), 3), np.tile(np.arange(3), 12)
        x = np.exp(rng.normal(size=(12, 2)))[firm] * np.exp(0.3 * rng.normal(size=(36, 2)))
        y = x * np.exp(0.8 * rng.normal(size=x.shape))
        columns = {"a": x[:, 0], "b": x[:, 1], "firm": firm, "year": year}
        data = Microdata({n: Column.numbers_of(v) for n, v in columns.items()})
        found = small_noise(safety=1000.0).recognised(data, x.copy(), y)
        z, w = (v.reshape(12, 3, 2) / x.reshape(12, 3, 2).std(axis=0) for v in (x, y))
        giver, receiver = (m.ravel() for m in np.meshgrid(np.arange(12), np.arange(12), indexing="ij"))
        apart = ((w[:, None] - z[None]) ** 2).sum(axis=3)  # giver, receiver, year
        nearest = apart.argmin(axis=1)
        records = (nearest[giver] == receiver[:, None]).any(axis=1)
        series = apart.sum(axis=2).argmin(axis=1)[giver] == receiver
        assert np.array_equal(found.lead(giver, receiver), records | series)
        by_year, together = by_year + (records & ~series).sum(), together + (series & ~records).sum()
    assert min(by_year, together) > 5


def test_units_of_like_records_stand_in_the_same_order():
    """The places of movers: as many records in each stratum, in the order of the strata."""
    data, firm, year = panel(30)
    movers = movers_of(data, ("firm",), ("year",), ("a",))
    for first, last, places in zip(
        movers.blocks.starts[:-1], movers.blocks.starts[1:], movers.places, strict=True
    ):
        rows = movers.rows(movers.blocks.order[first:last]).reshape(-1, places)
        assert (firm[rows] == firm[rows[:, :1]]).all()
        assert (year[rows] == year[rows[:1]]).all()
