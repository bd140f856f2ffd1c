"""Tables of weighted records: rules count respondents, whatever the weights say."""

from __future__ import annotations

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.tabulate import tabulate
from tarnkappe.methods.tables.primary.dominance import Dominance
from tarnkappe.methods.tables.primary.group_disclosure import GroupDisclosure
from tarnkappe.methods.tables.primary.linear import Linear
from tarnkappe.methods.tables.primary.minimum_frequency import MinimumFrequency
from tarnkappe.methods.tables.primary.p_percent import PPercent
from tarnkappe.methods.tables.primary.p_q import PQ
from tarnkappe.methods.tables.primary.shares import Shares
from tarnkappe.methods.tables.primary.small_counts import SmallCounts
from tarnkappe.vocab import Role

OF_VALUES = [
    MinimumFrequency(n=3), Dominance(n=1, k=85), Dominance(n=2, k=80), PPercent(p=15), PPercent(p=15, coalition=2), PQ(p=10, q=60),
    Linear(weights=[0.5, 0.2, -0.3], tail=-1),
]  # fmt: skip
OF_COUNTS = [MinimumFrequency(n=3), SmallCounts(n=2), GroupDisclosure(coalition=1), Shares()]


def firms(seed, *, weighted=True, owners=False):
    """Firms in few cells, many of them alone, with weights below and above 1."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    columns = {
        "region": Column.texts_of([f"r{i}" for i in rng.integers(0, 4, n)]),
        "trade": Column.texts_of([f"t{i}" for i in rng.integers(0, 3, n)]),
        "turnover": Column.numbers_of(np.round(rng.lognormal(3, 1.5, n), 1)),
        "w": Column.numbers_of(rng.choice([0.5, 1.0, 2.5, 7.0, 40.0], n)),
        "group": Column.texts_of([f"g{i}" for i in rng.integers(0, n // 2, n)]),
    }
    roles = {Role.WEIGHT: ("w",)} if weighted else {}
    return Microdata(columns, roles | ({Role.OWNER: ("group",)} if owners else {}))


@pytest.mark.parametrize("seed", range(12))
def test_the_role_weight_alone_changes_no_primary_cell(seed):
    owners = seed % 2 == 1
    for value, rules in (("turnover", OF_VALUES), (None, OF_COUNTS)):
        tables = [
            tabulate(firms(seed, weighted=w, owners=owners), ["region", "trade"], value, largest=5)
            for w in (True, False)
        ]
        assert tables[0].weighted
        assert not tables[1].weighted
        for rule in rules:
            with_weights, without = (rule.mark(table) for table in tables)
            np.testing.assert_array_equal(with_weights.cells, without.cells, err_msg=rule.id)


@pytest.mark.parametrize("rule", OF_VALUES, ids=lambda rule: rule.id)
def test_required_protection_grows_with_equal_weights(rule):
    data = firms(3)
    five = data.with_columns({"w": Column.numbers_of(np.full(len(data), 5.0))})
    weighted, plain = (tabulate(d, ["region", "trade"], "turnover") for d in (five, firms(3, weighted=False)))
    found, told = rule.mark(weighted), rule.mark(plain)
    np.testing.assert_allclose(found.upper, 5 * told.upper, rtol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_with_weights_inside_the_rules_cells_of_few_respondents_stay_marked(seed):
    table = tabulate(firms(seed, owners=seed % 2 == 1), ["region", "trade"], "turnover", largest=5)
    kept = table.owners or table.contributions
    least = {0: 3, 1: 2, 2: 3, 3: 3, 4: 4, 5: 3, 6: 3}
    for number, rule in enumerate(OF_VALUES):
        found = rule.model_copy(update={"weighted": True}).mark(table)
        few = (kept.count > 0) & (kept.count < least[number])
        assert (found.cells[few]).all(), rule.id
        assert (found.upper[few] > 0).all(), rule.id


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_protected_table_of_weighted_records_publishes_no_cell_of_few_respondents(seed, inside):
    data = firms(seed)
    codes = np.stack([data.column(c).texts() for c in ("region", "trade")], axis=1)
    rules = [MinimumFrequency(n=3, weighted=inside), PPercent(p=10, weighted=inside)]
    done = tk.protect(tk.tabulate(data, ["region", "trade"], "turnover"), rules, tk.table.Quader())
    shown = done.published()
    for region, trade, status in zip(
        *(shown.column(c).texts() for c in ("region", "trade", "status")), strict=True
    ):
        behind = (codes[:, 0] == region) | (region == "Total")
        behind &= (codes[:, 1] == trade) | (trade == "Total")
        assert status == "suppressed" or not 0 < behind.sum() < 3, (region, trade)


def test_sums_of_suppressed_cells_count_respondents_too():
    """Two suppressed cells of one respondent each, with large weights: their sum is as good as published, and needs a third."""
    rows = [("a", 10), ("b", 12)] + [("c", 20)] * 5 + [("d", 30)] * 6
    data = Microdata(
        {
            "code": Column.texts_of([code for code, _ in rows]),
            "x": Column.numbers_of(np.array([float(x) for _, x in rows])),
            "w": Column.numbers_of(np.array([50.0, 50.0] + [1.0] * 11)),
        },
        {Role.WEIGHT: ("w",)},
    )
    done = tk.protect(tk.tabulate(data, ["code"], "x"), [PPercent(p=10)], tk.table.Quader())
    assert int(done.pattern.suppressed.sum()) >= 3
