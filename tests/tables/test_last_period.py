"""The pattern of the last period is a preference with its own cost, never a primary: it does not grow from period to period."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_digits
from tarnkappe.data.last_period import as_last_time, hidden_again, ranked
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.errors.table_files import StatusMissing
from tarnkappe.io.argus_history import history_text
from tarnkappe.io.last_table import with_last
from tarnkappe.io.marks import read_marks, with_marks
from tarnkappe.plan.last_period import LastPeriod, release_or_file
from tarnkappe.plan.tables import ruled

RULES = [tk.rule.PPercent(p=10), tk.rule.MinimumFrequency(n=3)]


def firms(change=0.0, seed=5, n=260):
    """Turnover by branch (two levels) and region; `change` moves every firm, another seed moves them anew."""
    rng = np.random.default_rng(5)
    branch = rng.choice(
        ["A1", "A2", "A3", "B1", "B2", "C1", "C2", "C3"], n, p=[0.2, 0.05, 0.15, 0.2, 0.1, 0.05, 0.05, 0.2]
    )
    region, size = rng.choice(list("NESW"), n), rng.lognormal(3, 1.2, n)
    size = np.rint(size * np.exp(change * np.random.default_rng(seed).standard_normal(n))) + 1
    column = Column.texts_of(branch.tolist())
    tree = from_digits("branch", np.array(sorted(set(branch)), dtype=object), [1, 2])
    return Microdata(
        {
            "branch": replace(column, hierarchy=tree),
            "region": Column.texts_of(region.tolist()),
            "turnover": Column.numbers_of(size),
        }
    )


def table(change=0.0, seed=5):
    return tk.tabulate(firms(change, seed), by=["branch", "region"], value="turnover")


def protected(start):
    return tk.protect(start, RULES, tk.table.Quader()).pattern


@pytest.fixture(scope="module")
def first():
    return protected(table())


def test_on_the_same_data_nothing_is_added(first):
    now, counts = first, [int(first.suppressed.sum())]
    for _ in range(3):
        now = protected(as_last_time(Pattern(table()), now))
        assert not (now.suppressed & ~first.suppressed).any()
        counts.append(int(now.suppressed.sum()))
    assert counts == sorted(counts, reverse=True)
    assert np.array_equal(now.primary, first.primary)


def test_over_years_the_number_of_cells_stays_that_of_the_data(first):
    """Six years of moving data: without memory and with it about as many cells, with it far fewer new ones."""
    now, fresh = first, first
    total, new = {True: 0, False: 0}, {True: 0, False: 0}
    for year in range(1, 7):
        this = Pattern(table(0.5, year))
        kept, apart = protected(as_last_time(this, now)), protected(this)
        for which, done, before in ((True, kept, now), (False, apart, fresh)):
            total[which] += int(done.suppressed.sum())
            new[which] += int((done.suppressed & ~before.suppressed & ~done.primary).sum())
        now, fresh = kept, apart
    assert total[True] <= 1.25 * total[False]
    assert new[True] < new[False]


def test_no_cell_is_primary_because_it_was_hidden(first):
    marked = as_last_time(Pattern(table()), first)
    assert not marked.primary.any()
    assert np.array_equal(ruled(marked, RULES).primary, ruled(Pattern(table()), RULES).primary)


def test_a_cost_of_its_own(first):
    free, usual = (
        hidden_again(Pattern(table()), first.suppressed, 0.0),
        hidden_again(Pattern(table()), first.suppressed, 1.0),
    )
    assert np.array_equal(protected(usual).suppressed, first.suppressed)
    assert set(free.again) == {0.0, 1.0}
    assert np.array_equal(
        hidden_again(free, ~first.suppressed, 0.5).again, np.where(first.suppressed, 0.0, 0.5)
    )


def test_ranks():
    pattern = hidden_again(Pattern(table()), np.arange(len(table())) % 3 == 0)
    rank = ranked(pattern, np.arange(len(table()), dtype=float))
    assert rank[pattern.again < 1].min() > rank[pattern.again == 1].max()
    assert (np.diff(rank[pattern.again == 1]) > 0).all()
    assert ranked(Pattern(table()), rank) is rank


# -- files ----------------------------------------------------------------------------------------------------------


def cells_of(pattern):
    by = [h.name for h in pattern.table.dimensions]
    rows = zip(*(pattern.table.codes(j) for j in range(len(by))), pattern.suppressed, strict=True)
    return "branch,region,value,status\n" + "".join(
        f"{b},{r},,{'suppressed' if s else 'published'}\n" for b, r, s in rows
    )


def test_files_of_the_last_period(tmp_path, first):
    (tmp_path / "t.csv").write_text(cells_of(first) + "A9,N,,suppressed\n")
    (tmp_path / "t.hst").write_text(history_text(first))
    told = [with_last(Pattern(table()), tmp_path / name, 0.01) for name in ("t.csv", "t.hst")]
    for each in told:
        assert np.array_equal(each.again < 1, first.suppressed)
    marks = with_marks(Pattern(table()), read_marks(tmp_path / "t.hst", ["branch", "region"]))
    assert np.array_equal(marks.again < 1, first.suppressed & ~first.primary)
    (tmp_path / "bare.csv").write_text("branch,region,value\nA1,N,3\n")
    with pytest.raises(StatusMissing):
        with_last(Pattern(table()), tmp_path / "bare.csv", 0.01)


def test_how_a_plan_names_it():
    assert release_or_file("out/2025") == {"release": "out/2025"}
    assert release_or_file("t.hst") == {"file": "t.hst"}
    assert LastPeriod(release="out").path("t") == "out/tables/t.csv"
    for wrong in ({}, {"release": "a", "file": "b"}, {"file": "a", "cost": 2}):
        with pytest.raises(ValueError, match=r"release|cost"):
            LastPeriod(**wrong)
