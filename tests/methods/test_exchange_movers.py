"""Panels: all records of a unit exchange with those of one other unit, period by period."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.exchange import NoPartner
from tarnkappe.methods.microdata.half_swap import HalfSwap
from tarnkappe.methods.microdata.rank_swap import RankSwap
from tarnkappe.methods.microdata.shuffle import Shuffle
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims

METHODS = {
    "half": HalfSwap(columns=("x",), within=("year",), unit="firm"),
    "rank": RankSwap(columns={"x": {"percent": 10}}, within=("year",), unit="firm"),
    "next": RankSwap(columns={"x": {"records": 5}}, within=("year",), unit="firm", partner="next"),
    "shuffle": Shuffle(columns=("x",), given=("s",), within=("year",), unit="firm"),
}
RECORDS = {
    "half": HalfSwap(columns=("x",), within=("year",)),
    "rank": RankSwap(columns={"x": {"percent": 10}}, within=("year",)),
}


def panel(firms=90, seed=1):
    """Three years; the last third of the firms enters in the second year, and rows stand in random order."""
    rng = np.random.default_rng(seed)
    level = rng.normal(size=firms)
    rows = [(f, y) for f in range(firms) for y in range(3) if f < 60 or y > 0]
    rows = [rows[i] for i in rng.permutation(len(rows))]
    firm, year = np.array(rows).T
    x = 100 * level[firm] + 10 * firm + year * (1 + firm / 100)
    s = level[firm] + 0.5 * rng.normal(size=firms)[firm]
    columns = {"x": x, "s": s, "year": year.astype(float)}
    data = Microdata(
        {n: Column.numbers_of(v) for n, v in columns.items()}
        | {"firm": Column.texts_of([f"F{f}" for f in firm])}
    )
    return data, firm, year, x


@pytest.mark.parametrize("name", METHODS)
def test_a_firm_gets_the_whole_series_of_another(name):
    data, firm, year, x = panel()
    after = apply_step(METHODS[name], data, stream("any")).column("x").values
    old = {f: tuple(x[firm == f][np.argsort(year[firm == f])]) for f in range(90)}
    new = {f: tuple(after[firm == f][np.argsort(year[firm == f])]) for f in range(90)}
    owner = {series: f for f, series in old.items()}
    giver = {f: owner[series] for f, series in new.items()}  # fails where a series is not that of one firm
    assert sorted(giver.values()) == list(range(90))
    assert all((f < 60) == (g < 60) for f, g in giver.items())  # entries stay entries
    assert sum(f == g for f, g in giver.items()) <= 2


def test_the_window_counts_units():
    data, firm, _, x = panel()
    after = apply_step(METHODS["next"], data, stream("any")).column("x").values
    means = np.array([x[firm == f].mean() for f in range(90)])
    for first, last in ((0, 60), (60, 90)):
        rank = np.argsort(np.argsort(means[first:last]))
        for f in range(first, last):
            taken = np.flatnonzero(np.isclose(means[first:last], after[firm == f].mean()))[0]
            assert abs(rank[taken] - rank[f - first]) <= 5


def test_shuffled_units_keep_the_relation_to_what_is_given():
    data, firm, _, x = panel(900)
    after = apply_step(METHODS["shuffle"], data, stream("any")).column("x").values
    s = data.column("s").values
    late = firm >= 60
    assert abs(np.corrcoef(after[late], s[late])[0, 1] - np.corrcoef(x[late], s[late])[0, 1]) < 0.2
    assert abs(np.corrcoef(after, x)[0, 1]) < 0.9


@pytest.mark.parametrize("name", RECORDS)
def test_claims_notice_what_is_not_moved_as_a_whole(name):
    data, *_ = panel()
    apart = apply_step(RECORDS[name], data, stream("any"))
    says = [c.says.en for c in broken_claims(METHODS[name], data, apart)]
    assert any(s.startswith("the series") for s in says)
    says = [c.says.en for c in broken_claims(METHODS[name], data, data)]
    assert any(s.startswith("every unit carries") for s in says)


@pytest.mark.parametrize("name", METHODS)
def test_a_unit_without_its_like(name):
    data, firm, year, _ = panel()
    gone = data.take(np.flatnonzero((firm != 5) | (year != 1)))  # firm 5 is away in the middle
    with pytest.raises(NoPartner):
        apply_step(METHODS[name], gone, stream("any"))
    hidden = apply_step(METHODS[name].model_copy(update={"too_small": "suppress"}), gone, stream("any"))
    of = np.array(gone.column("firm").texts())
    assert np.array_equal(hidden.column("x").suppressed, of == "F5")
    left = apply_step(METHODS[name].model_copy(update={"too_small": "leave"}), gone, stream("any"))
    assert np.array_equal(left.column("x").values[of == "F5"], gone.column("x").values[of == "F5"])


@pytest.mark.parametrize("name", METHODS)
def test_gaps_stay_gaps(name):
    data, firm, _, x = panel()
    gap = (firm < 30) & (data.column("year").values == 2)
    data = data.with_columns({"x": Column.numbers_of(np.where(gap, np.nan, x))})
    after = apply_step(METHODS[name], data, stream("any")).column("x")
    assert np.array_equal(after.missing, gap)


def test_the_office_learns_who_found_no_partner():
    """Firms without firm 5 are 59 that are there from the first year on, and 30 that enter: one is left, and firm 5 has nobody."""
    data, firm, year, _ = panel()
    gone = data.take(np.flatnonzero((firm != 5) | (year != 1)))
    for step in (METHODS["half"], METHODS["rank"]):
        assert step.remarks(data, data) == ()
        for too_small, count in (("leave", 2), ("suppress", 1)):
            (said,) = step.model_copy(update={"too_small": too_small}).remarks(gone, gone)
            assert said.en.startswith(f"x: {count} found no partner") and said.de.startswith(
                f"x: {count} fanden"
            )
    for step in RECORDS.values():
        (said,) = step.remarks(data.take(np.flatnonzero(year < 2)[:-1]), data)
        assert said.en.startswith("x: 1 found")
