"""Structural outliers: planted ones are found, clean files are not accused, robust scores are those of the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData, WrongKind
from tarnkappe.errors.risk import NoAmounts
from tarnkappe.kernels.robust_scores import FEWEST, NORMAL, robust_scores
from tarnkappe.risk.structural_outliers import StructuralOutliers
from tarnkappe.vocab import Role


def firms(n=600, seed=1, **changed):
    """Log-normal amounts with a firm's size in common: large firms do not stand out by structure."""
    rng = np.random.default_rng(seed)
    size = rng.normal(10, 2, n)
    amounts = {name: np.exp(size + rng.normal(0, 0.3, n)) for name in ("home", "abroad", "wages")}
    amounts |= changed
    columns = {name: Column.numbers_of(values) for name, values in amounts.items()}
    columns["branch"] = Column.texts_of(rng.choice(list("ab"), n).tolist())
    return Microdata(columns, {Role.KEY: ("branch",), Role.NUMERIC: ("home", "abroad", "wages")})


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("structure", ["shares", "changes"])
def test_clean_firms_are_not_accused(seed, structure):
    found = StructuralOutliers(structure=structure).measure(firms(seed=seed))
    assert found.trusted
    assert found.value == 0


def amounts(name="abroad", seed=1):
    return np.array(firms(seed=seed).column(name).values)


def test_the_only_firm_that_does_not_export_is_found():
    abroad = amounts()
    abroad[17] = 0
    found = StructuralOutliers().measure(firms(abroad=abroad))
    assert np.flatnonzero(found.per_record).tolist() == [17]
    assert found.details["by_pattern"] == 1
    abroad[:300] = 0
    assert StructuralOutliers().measure(firms(abroad=abroad)).details["by_pattern"] == 0


def test_a_gap_and_a_loss_stand_out_like_a_zero():
    for odd in (np.nan, -5.0):
        abroad = amounts()
        abroad[17] = odd
        assert StructuralOutliers().measure(firms(abroad=abroad)).details["by_pattern"] == 1
    data = firms()
    one = np.arange(len(data)) == 17
    hidden = data.with_columns({"wages": data.column("wages").suppress(one)})
    assert np.flatnonzero(StructuralOutliers().measure(hidden).per_record).tolist() == [17]


def test_a_firm_of_unusual_ratio_is_found_whatever_its_size():
    abroad = amounts()
    abroad[42] *= 1000
    found = StructuralOutliers().measure(firms(abroad=abroad))
    assert np.flatnonzero(found.per_record).tolist() == [42]
    assert found.details["by_ratio"]["abroad"] == 1
    data = firms()
    giant = {
        n: Column.numbers_of(np.where(np.arange(600) == 42, 1e6, 1.0) * data.column(n).values)
        for n in data.role(Role.NUMERIC)
    }
    assert StructuralOutliers().measure(data.with_columns(giant)).value == 0


def test_a_break_in_a_series_is_found_where_it_happens():
    wages = amounts("wages")
    wages[7] /= 1000
    found = StructuralOutliers(structure="changes").measure(firms(wages=wages))
    assert found.details["by_ratio"] == {"abroad": 0, "wages": 1}


def test_what_is_usual_in_a_group_does_not_stand_out_there():
    data = firms()
    bank = data.column("branch").true_codes()[0] == 0
    rare = bank & (np.cumsum(bank) <= 40)
    branch = Column.texts_of(["bank" if r else "other" for r in rare])
    abroad = np.where(rare, 10_000, 1) * data.column("abroad").values
    data = data.with_columns({"branch": branch, "abroad": Column.numbers_of(abroad)})
    assert StructuralOutliers().measure(data).details["exposed"] == 40
    assert StructuralOutliers(within=("branch",)).measure(data).value == 0


def test_rare_keys_are_not_counted_again():
    data = firms()
    branch = Column.texts_of(["only" if i == 3 else "b" for i in range(600)])
    abroad = amounts()
    abroad[3] = 0
    data = data.with_columns({"branch": branch, "abroad": Column.numbers_of(abroad)})
    assert StructuralOutliers().measure(data).details["by_pattern"] == 0
    assert StructuralOutliers(keys=("home",)).measure(data).details["by_pattern"] == 0
    assert (
        StructuralOutliers()
        .measure(data.with_roles({Role.NUMERIC: ("home", "abroad")}))
        .details["by_pattern"]
        == 1
    )


def test_bad_input():
    data = firms()
    with pytest.raises(NoAmounts):
        StructuralOutliers().measure(data.with_roles({Role.KEY: ("branch",)}))
    with pytest.raises(EmptyData):
        StructuralOutliers().measure(data.take(np.zeros(0, dtype=np.int64)))
    with pytest.raises(WrongKind):
        StructuralOutliers(columns=("branch",)).measure(data)
    with pytest.raises(ColumnMissing):
        StructuralOutliers(columns=("profit",)).measure(data)
    few = StructuralOutliers().measure(data.take(np.arange(9)))
    assert not few.trusted
    assert StructuralOutliers(columns=("home",)).measure(data).value == 0
    assert StructuralOutliers().measure(data, before=data).baseline == 0


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.one_of(st.just(np.nan), st.integers(-9, 9))), min_size=1, max_size=60
    )
)
def test_robust_scores_by_definition(rows):
    groups, numbers = np.array([r[0] for r in rows]), np.array([r[1] for r in rows], dtype=float)
    found = robust_scores(numbers, groups, 3)
    for i, (group, own) in enumerate(rows):
        if np.isnan(own):
            assert np.isnan(found[i])
            continue
        mates = numbers[(groups == group) & ~np.isnan(numbers)]
        mates = numbers[~np.isnan(numbers)] if len(mates) < FEWEST else mates
        away = abs(own - np.median(mates))
        spread = NORMAL * np.median(np.abs(mates - np.median(mates)))
        assert found[i] == pytest.approx(0 if away == 0 else away / spread if spread else np.inf)
