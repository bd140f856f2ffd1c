"""table.class-merge: distributions in classes (specification 12)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.class_tables import distribution, merged, shown
from tables.trees import hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity
from tarnkappe.data.table import Table
from tarnkappe.errors.release import ParameterWrong, Unattainable
from tarnkappe.errors.tables import DimensionUnknown, LimitsMisfit, NotFlat, NotWhole
from tarnkappe.language import Text
from tarnkappe.methods.tables.class_merge import ClassMerge, merged_codes
from tarnkappe.spec.parameters import build


def brute_force(persons, k, together, cost):
    """Every set of cuts; the cheapest feasible one."""
    classes = len(persons)
    everybody = persons.sum(axis=0)
    best = None
    for number in range(classes):
        for inner in combinations(range(1, classes), number):
            cuts = (0, *inner, classes)
            parts = [persons[a:b].sum(axis=0) for a, b in zip(cuts[:-1], cuts[1:], strict=True)]
            if any(((p > 0) & (p < k)).any() for p in parts):
                continue
            if (
                together == "merge"
                and len(parts) > 1
                and any(((p == everybody) & (p > 0)).any() for p in parts)
            ):
                continue
            if everybody.sum() and (parts[0].sum() == 0 or parts[-1].sum() == 0):
                continue
            total = sum(cost(a, b) for a, b in zip(cuts[:-1], cuts[1:], strict=True))
            best = total if best is None else min(best, total)
    return best


@given(
    seed=st.integers(0, 2**32),
    together=st.sampled_from(["merge", "show"]),
    loss=st.sampled_from(["detail", "cuts"]),
)
@settings(max_examples=120, deadline=None)
def test_no_cheaper_way(seed, together, loss):
    rng = np.random.default_rng(seed)
    classes, columns = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    persons = rng.choice([0, 0, 1, 2, 5, 9, 30], (classes, columns))
    limits = np.cumsum(rng.integers(1, 9, classes)).astype(float)
    names = [f"c{i}" for i in range(classes)]
    table = distribution(names, {f"t{c}": persons[:, c] for c in range(columns)})
    width = np.append(np.diff(limits), np.diff(limits)[-1:]) if classes > 1 else np.ones(1)
    heads = persons.sum(axis=1)

    def cost(a, b):
        detail = heads[a:b] @ np.log(width[a:b].sum() / width[a:b])
        return b - a - 1 if loss == "cuts" else detail + 1e-6 * (b - a - 1)

    best = brute_force(persons, 3, together, cost)
    options = {"k": 3, "loss": loss, "together": together, "limits": tuple(limits)}
    if best is None:
        with pytest.raises(Unattainable):
            merged(table, **options)
        return
    merged(table, **options)
    cuts = ClassMerge(dimension="income", **options).cuts(Pattern(table))
    assert sum(cost(a, b) for a, b in zip(cuts[:-1], cuts[1:], strict=True)) == pytest.approx(best, abs=1e-9)


def test_widths_count():
    """The lone person goes to the wide neighbour, whose persons lose little by it."""
    table = distribution(["0-9", "10-19", "20-29", "30+"], {"t": [10, 1, 10, 10]})
    assert shown(merged(table, limits=(0, 100, 110, 120)), "t") == {"≤19": 11, "20-29": 10, "30+": 10}
    assert shown(merged(table, limits=(0, 10, 20, 1000)), "t") == {"0-9": 10, "10-29": 11, "30+": 10}


def test_same_cuts_on_every_level():
    income = hierarchy("income", {"all": None, "low": "all", "mid": "all", "high": "all"})
    area = hierarchy("area", {"town": None, "K": "town", "a": "K", "b": "K", "c": "town"})
    dense = np.zeros((4, 5))
    for place, row in {2: (5, 4, 0), 3: (6, 1, 9), 4: (8, 8, 8)}.items():
        dense[1:, place] = row
    dense[:, 1] = dense[:, 2] + dense[:, 3]
    dense[:, 0] = dense[:, 1] + dense[:, 4]
    dense[0] = dense[1:].sum(axis=0)
    cells = np.argwhere(dense > 0)
    after = merged(Table("t", (income, area), cells, dense[tuple(cells.T)]), together="show")
    assert list(after.table.dimensions[0].codes) in (["all", "low..mid", "high"], ["all", "low", "mid..high"])
    assert len({tuple(after.table.codes(0)[after.table.codes(1) == a]) for a in ("town", "K", "b", "c")}) == 1


def test_everybody_in_one_class():
    table = distribution(["low", "mid", "high"], {"a": [0, 9, 0], "b": [5, 5, 5]})
    assert list(merged(table).table.dimensions[0].codes) == ["all", "low..high"]
    assert shown(merged(table, together="show"), "a") == {"low": 0, "mid": 9, "high": 0}


def test_ends_are_not_empty():
    """An empty class at an end would tell how far the others reach."""
    table = distribution(["a", "b", "c", "d", "e"], {"t": [0, 5, 0, 5, 0], "u": [0, 5, 0, 5, 0]})
    assert shown(merged(table), "t") == {"a..b": 5, "c": 0, "d..e": 5}


@pytest.mark.parametrize(
    ("codes", "segment", "spelt"),
    [
        (["0-9", "10-19", "20+"], (0, 2), "≤19"), (["0-9", "10-19", "20+"], (1, 3), "10+"),
        (["0-9", "10-19", "20-29", "30+"], (1, 3), "10-29"), (["0", "1", "2-5", "6"], (1, 3), "1-5"),
        (["a", "b", "c"], (0, 2), "a..b"), (["0,5-1,5", "1,5-2"], (0, 2), "0,5+"), (["0", "100–200", "300"], (0, 2), "≤200"),
    ],
)  # fmt: skip
def test_codes(codes, segment, spelt):
    rest = [(i, i + 1) for i in range(len(codes)) if not segment[0] <= i < segment[1]]
    assert merged_codes(codes, [segment, *rest])[0] == spelt


def test_unknowns_are_not_merged():
    table = distribution(["low", "mid", "high", "?"], {"t": [9, 9, 1, 8], "u": [9, 9, 9, 9]})
    assert shown(merged(table), "t") == {"low": 9, "mid..high": 10, "?": 8}


def marks(table, what, *cells):
    mark = np.zeros(len(table), np.uint8)
    for cell in cells:
        mark[table.find(np.array([cell]))] = what
    return mark


def test_marks_and_rules():
    table = distribution(["a", "b", "c", "d"], {"t": [5, 5, 1, 5], "u": [5, 5, 5, 5]})
    kept = merged(table, Pattern(table, mark=marks(table, Mark.PUBLISHED, (4, 1))))
    assert list(kept.table.dimensions[0].codes) == ["all", "a", "b..c", "d"]
    with pytest.raises(Unattainable):
        merged(table, Pattern(table, mark=marks(table, Mark.KEEP, (2, 1), (4, 1))))
    one = np.arange(len(table)) == table.find(np.array([(1, 1)]))[0]
    ruled = Pattern(table).marked(Sensitivity(one, one * 1.0, one * 3.0, Text("rule", "Regel")))
    assert list(merged(table, ruled).table.dimensions[0].codes)[1] == "a..b"
    whole = np.arange(len(table)) == 0
    with pytest.raises(Unattainable):
        merged(
            table, Pattern(table).marked(Sensitivity(whole, whole * 1.0, whole * 1.0, Text("rule", "Regel")))
        )


def test_refusals_name_columns_and_no_values():
    table = distribution(["a", "b"], {"tiny": [1, 1], "big": [987654, 9]})
    with pytest.raises(Unattainable, match="all × tiny") as caught:
        merged(table)
    assert "987654" not in caught.value.text("en") + caught.value.text("de")


def test_bad_input():
    table = distribution(["a", "b", "c"], {"t": [5, 5, 5]})
    with pytest.raises(DimensionUnknown, match="income"):
        merged(table, dimension="incom")
    with pytest.raises(LimitsMisfit):
        merged(table, limits=(0, 1))
    with pytest.raises(LimitsMisfit):
        merged(table, limits=(0, 2, 2))
    deep = hierarchy("income", {"all": None, "a": "all", "a1": "a"})
    with pytest.raises(NotFlat):
        merged(Table("t", (deep,), np.arange(3)[:, None], np.array([5.0, 5, 5])))
    with pytest.raises(NotWhole):
        merged(distribution(["a", "b"], {"t": [5.5, 5]}))
    for wrong in ({"k": 1}, {"loss": "none"}, {"together": "split"}):
        with pytest.raises(ParameterWrong):
            build(ClassMerge, {"dimension": "income"} | wrong)


def test_one_dimension_one_class_and_nothing():
    flat = hierarchy("income", {"all": None, "a": "all", "b": "all"})
    after = merged(Table("t", (flat,), np.arange(3)[:, None], np.array([9.0, 8, 1])))
    assert after.table.codes(0).tolist() == ["all", "a..b"]
    assert len(merged(Table("t", (flat,), np.zeros((0, 1), int), np.zeros(0))).table) == 0
    only = hierarchy("income", {"all": None})
    assert len(merged(Table("t", (only,), np.zeros((1, 1), int), np.array([7.0]))).table) == 1
