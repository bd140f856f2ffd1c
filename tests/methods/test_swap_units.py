"""Units over periods: exchanges that keep correlations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.exchange import CorrelationsMissed, NoPartner
from tarnkappe.methods.microdata.covariance_swap import CovarianceSwap
from tarnkappe.randomness import stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Role

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
