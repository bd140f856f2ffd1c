"""Whom an attack finds: a release in which only the large firms stand out."""

from functools import partial

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing
from tarnkappe.risk.bayes_linkage import BayesLinkage
from tarnkappe.risk.linkage import Linkage
from tarnkappe.risk.probable_linkage import ProbableLinkage
from tarnkappe.risk.simple_matching import SimpleMatching
from tarnkappe.risk.useful_hits import UsefulHits
from tarnkappe.vocab import Role

N = 100


def firms():
    """Eighty small firms that look alike, and twenty with a turnover of their own; ten of these in each branch."""
    employees = np.arange(1.0, N + 1)
    turnover = np.where(employees > 80, 1000 * employees, 50.0)
    columns = {
        "turnover": Column.numbers_of(turnover),
        "employees": Column.numbers_of(employees),
        "profit": Column.numbers_of(employees * 3),
        "branch": Column.texts_of(["even" if e % 2 == 0 else "odd" for e in employees]),
    }
    return Microdata(columns, {Role.KEY: ("turnover",), Role.NUMERIC: ("profit",)})


def told(made):
    before = firms()
    return made.measure(before.take(np.random.default_rng(1).permutation(N)), before=before).details


@pytest.mark.parametrize(
    "made", [Linkage, UsefulHits, SimpleMatching, partial(ProbableLinkage, learns="truth"), BayesLinkage]
)
def test_the_largest_fifth_is_found(made):
    found = told(made(by="employees", within=("branch",), top=4))
    shares = [row["share"] for row in found["groups"]]
    assert [row["group"] for row in found["groups"]] == [1, 2, 3, 4, 5]
    assert [row["persons"] for row in found["groups"]] == [20] * 5
    assert shares[4] == pytest.approx(1)
    assert max(shares[:4]) < 0.06
    assert found["largest"] == {"top": 4, "persons": 8, "share": pytest.approx(1)}, "four of each branch"


def test_groups_of_a_category_are_numbered_and_the_worst_comes_first():
    found = told(SimpleMatching(by="branch"))
    assert [(row["group"], row["persons"], row["share"]) for row in found["groups"]] == [
        (1, 50, 0.2),
        (2, 50, 0.2),
    ]
    assert "largest" not in found


def test_equal_sizes_are_one_class_and_ties_at_the_edge_count():
    before = firms().with_columns({"employees": Column.numbers_of(np.repeat([1.0, 2.0], N // 2))})
    found = SimpleMatching(by="employees", top=3).measure(before, before=before).details
    assert [(row["group"], row["persons"]) for row in found["groups"]] == [(1, 50), (3, 50)]
    assert found["largest"]["persons"] == 50


def test_the_true_size_counts_not_the_one_the_attacker_has():
    before = firms()
    found = Linkage(keys=("turnover", "employees"), number_error=0.5, by="employees").measure(
        before, before=before
    )
    assert [row["persons"] for row in found.details["groups"]] == [20] * 5


def test_who_has_no_size_is_left_out_and_an_unknown_column_is_refused():
    before = firms()
    gaps = before.with_columns({"employees": Column.numbers_of(np.where(np.arange(N) < 10, np.nan, 5.0))})
    found = SimpleMatching(by="employees").measure(gaps, before=gaps).details
    assert sum(row["persons"] for row in found["groups"]) == 90
    with pytest.raises(ColumnMissing):
        told(SimpleMatching(by="weight"))
    assert "groups" not in told(SimpleMatching())
