import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from tarnkappe.errors.data import BeforeNeeded, ColumnMissing, WrongKind
from tarnkappe.errors.models import ModelImpossible
from tarnkappe.utility.actuarial import Actuarial
from utility.two_files import mixed, suppressed

N = 600
RNG = np.random.default_rng(11)
AGE = RNG.integers(20, 60, N).astype(float)
YEARS = RNG.uniform(0.2, 1.0, N)
REGION = [str(v) for v in RNG.choice(["east", "north", "west"], N, p=[0.6, 0.2, 0.2])]
CLAIMS = RNG.poisson(YEARS * np.exp(-0.5 + 0.4 * (np.array(REGION) == "west"))).astype(float)
AMOUNT = np.where(CLAIMS > 0, CLAIMS * RNG.lognormal(7, 1, N), 0.0)
PREMIUM = 900 * YEARS
LAPSE = (RNG.random(N) < 0.1 + 0.003 * (AGE - 20)) * 1.0
YEAR = RNG.integers(2019, 2023, N)
BOOK = {
    "age": AGE,
    "years": YEARS,
    "region": REGION,
    "claims": CLAIMS,
    "amount": AMOUNT,
    "premium": PREMIUM,
    "lapse": LAPSE,
    "year": YEAR,
}
OLD = mixed(**BOOK)
FULL = {
    "claims": "claims", "exposure": "years", "amount": "amount", "premium": "premium", "expected": "years", "events": ("lapse",),
    "age": "age", "relativities": ("region",), "origin": "year",
}  # fmt: skip


def figure(found, kind, part="all", side="before"):
    return found.details["figures"][kind][part][side]


def test_equal_files_lose_nothing():
    found = Actuarial(**FULL).measure(OLD, before=OLD)
    assert found.value == 0
    assert found.details["figures_lost"] == 0
    assert set(found.details["figures"]) == {
        "frequency", "severity", "loss_ratio", "actual_to_expected", "lapse", "relativity", "run_off",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "above", "below"),
    [("frequency", CLAIMS, YEARS), ("severity", AMOUNT, CLAIMS), ("loss_ratio", AMOUNT, PREMIUM)],
)
def test_ratios_are_weighted_means_of_statsmodels(kind, above, below):
    found = Actuarial(**FULL).measure(OLD, before=OLD)
    there = below > 0
    model = sm.WLS((above[there] / below[there]), np.ones(there.sum()), weights=below[there]).fit(
        cov_type="HC1", use_t=False
    )
    shown = figure(found, kind)
    assert shown["estimate"] == pytest.approx(model.params[0])
    low, high = model.conf_int()[0]
    assert (shown["low"], shown["high"]) == (pytest.approx(low, rel=1e-2), pytest.approx(high, rel=1e-2))


def test_rates_by_band_of_five_years():
    found = Actuarial(**FULL).measure(OLD, before=OLD)
    rates = found.details["figures"]["lapse"]
    assert list(rates) == [f"{b}–" for b in range(20, 60, 5)]
    here = (AGE >= 35) & (AGE < 40)
    assert rates["35–"]["before"]["estimate"] == pytest.approx(LAPSE[here].sum() / YEARS[here].sum())


def test_relativities_are_those_of_a_poisson_model_with_offset():
    found = Actuarial(**FULL).measure(OLD, before=OLD)
    data = pd.DataFrame(BOOK)
    model = smf.glm("claims ~ C(region)", data, family=sm.families.Poisson(), offset=np.log(data.years)).fit(
        tol=1e-12
    )
    shown = figure(found, "relativity", "region[3]")
    assert shown["estimate"] == pytest.approx(math.exp(model.params["C(region)[T.west]"]), rel=1e-7)


def test_run_off_totals_by_year():
    after = mixed(**BOOK).take(np.flatnonzero(YEAR != 2019))
    found = Actuarial(amount="amount", premium="premium", origin="year").measure(after, before=OLD)
    totals = found.details["figures"]["run_off"]
    for number, year in enumerate(range(2019, 2023), 1):
        assert totals[str(number)]["before"]["estimate"] == pytest.approx(AMOUNT[year == YEAR].sum())
    assert "after" not in totals["1"]
    assert totals["2"]["overlap"] == pytest.approx(1)
    assert found.details["figures_lost"] == 1


def test_what_the_release_does_not_allow_is_lost_and_told():
    bands = mixed(**dict(BOOK, age=["young" if a < 40 else "old" for a in AGE]))
    found = Actuarial(**FULL).measure(bands, before=OLD)
    assert "age" in found.because.en
    assert found.details["figures_lost"] == 8
    blind = Actuarial(**FULL).measure(OLD.without(["years"]), before=OLD)
    assert "after" not in blind.details["figures"]["frequency"]["all"]
    assert "after" not in blind.details["figures"]["relativity"]["region[2]"]
    assert blind.details["figures"]["severity"]["all"]["overlap"] == 1
    assert "exposure" in blind.because.en.lower()


def test_distorted_amounts_are_seen():
    twice = mixed(**dict(BOOK, amount=AMOUNT * 3))
    found = Actuarial(claims="claims", amount="amount", premium="premium").measure(twice, before=OLD)
    assert found.details["figures"]["frequency"]["all"]["overlap"] == 1
    assert found.details["figures"]["severity"]["all"]["overlap"] < 0
    assert found.value == pytest.approx(2 / 3)


def test_wrong_input():
    with pytest.raises(BeforeNeeded):
        Actuarial(claims="claims").measure(OLD)
    with pytest.raises(ColumnMissing):
        Actuarial(claims="claim").measure(OLD, before=OLD)
    with pytest.raises(WrongKind):
        Actuarial(claims="region").measure(OLD, before=OLD)
    with pytest.raises(ModelImpossible):
        Actuarial().measure(OLD, before=OLD)
    few = OLD.take(np.arange(5))
    with pytest.raises(ModelImpossible):
        Actuarial(claims="claims").measure(few, before=few)


def test_gaps_are_left_out():
    found = Actuarial(claims="claims").measure(suppressed(OLD, "claims", range(300)), before=OLD)
    assert figure(found, "frequency", side="after")["estimate"] == pytest.approx(CLAIMS[300:].mean())
