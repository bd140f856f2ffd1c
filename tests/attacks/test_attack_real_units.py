"""Attacks on tables and groups in which a giant, or a firm over its years, would count as several contributors.

The attacker reads what is published, and counts the real firms by a list that everybody has (who is active in which branch and region).
"""

from __future__ import annotations

import numpy as np
import pytest

import tarnkappe as tk
import tarnkappe.spec
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.tabulate import tabulate
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

SECRET = "the secret of the office that no attacker has"


def step(data, id_, **parameters):
    return apply_step(tarnkappe.spec.catalogue[id_](**parameters), data, stream(SECRET, id_))


def file(seed, firms=240):
    """Firms by branch and region, one giant in every branch."""
    g = np.random.default_rng(seed)
    branch = g.integers(0, 6, firms)
    region = g.integers(0, 6, firms)
    turnover = np.round(np.exp(g.normal(5, 1, firms)))
    giants = [int(np.flatnonzero(branch == b)[0]) for b in range(6)]
    turnover[giants] = np.round(g.uniform(50_000, 90_000, 6))
    data = Microdata(
        {
            "id": Column.texts_of([f"F{i:05d}" for i in range(firms)]),
            "branch": Column.texts_of([f"b{x}" for x in branch]),
            "region": Column.texts_of([f"r{x}" for x in region]),
            "turnover": Column.numbers_of(turnover),
        },
        {Role.KEY: ("branch",), Role.NUMERIC: ("turnover",), Role.IDENTIFIER: ("id",)},
    )
    return data, branch, region, turnover


def marked(table, rules):
    out = np.zeros(len(table), dtype=bool)
    for id_, parameters in rules:
        out |= tarnkappe.spec.catalogue[id_](**parameters).mark(table).cells
    return {(str(table.codes(0)[i]), str(table.codes(1)[i])) for i in np.flatnonzero(~out) if table.inner[i]}


RULES = (("rule.minimum-frequency", {"n": 3}), ("rule.p-percent", {"p": 10}))


def dominated(turnover, cells):
    """Cells of real firms in which the second largest comes too near to the largest, or with fewer than three."""
    out = set()
    for cell in set(cells):
        x = sorted((t for t, c in zip(turnover, cells, strict=True) if c == cell), reverse=True)
        if len(x) < 3 or sum(x) - x[0] - x[1] < 0.1 * x[0]:
            out.add(cell)
    return out


@pytest.mark.parametrize("seed", range(4))
def test_parts_of_a_giant_are_one_contributor_of_a_table(seed):
    data, branch, region, turnover = file(seed)
    cells = [(f"b{b}", f"r{r}") for b, r in zip(branch, region, strict=True)]
    after = step(data.without(["id"]), "microdata.split", columns=("turnover",), above=20_000.0, parts=3)
    table = tabulate(after, ["branch", "region"], "turnover")
    unsafe = dominated(turnover, cells)
    assert len(unsafe) >= 6
    assert not marked(table, RULES) & unsafe


@pytest.mark.parametrize("seed", range(4))
def test_copies_of_a_firm_are_one_contributor_of_a_table(seed):
    data, branch, region, _turnover = file(seed, 80)
    cells = [(f"b{b}", f"r{r}") for b, r in zip(branch, region, strict=True)]
    after = step(
        data.without(["id"]), "microdata.clone", keys=("branch", "region"), k=3, columns=("turnover",)
    )
    table = tabulate(after, ["branch", "region"], "turnover")
    lone = {c for c in set(cells) if cells.count(c) < 3}
    assert lone
    assert not marked(table, RULES[:1]) & lone


@pytest.mark.parametrize("by", ["owners", "records"])
def test_a_mean_of_a_firm_and_its_copies_is_not_shown(by):
    """Whoever sees a class whose mean is that of one firm and its copies has the firm."""
    data, branch, region, _turnover = file(1, 80)
    cells = [(b, r) for b, r in zip(branch, region, strict=True)]
    alone = [i for i, c in enumerate(cells) if cells.count(c) == 1]
    cloned = step(
        data.without(["id"]), "microdata.clone", keys=("branch", "region"), k=3, columns=("turnover",)
    )
    after = step(
        cloned,
        "microdata.mdav",
        columns=("turnover",),
        k=3,
        within=("branch", "region"),
        too_small="suppress",
        by=by,
    ).sealed()
    place = {int(row): at for at, row in enumerate(after.rows)}
    shown = [after.column("turnover").observed[place[i]] for i in alone]
    assert alone
    assert not any(shown)


def test_a_mean_of_parts_of_one_giant_is_not_shown():
    data, _branch, _, turnover = file(2)
    giants = np.flatnonzero(turnover > 20_000)
    split = step(data.without(["id"]), "microdata.split", columns=("turnover",), above=20_000.0, parts=3)
    after = step(split, "microdata.mdav", columns=("turnover",), k=3, within=("branch",))
    x = after.column("turnover").numbers()
    for giant in giants:
        assert not np.any(np.abs(3 * x / turnover[giant] - 1) < 0.01)


def panel(roles):
    """Firms over four years; some branches have one or two of them."""
    g = np.random.default_rng(7)
    firms = 60
    branch = np.concatenate([[0], [1, 1], g.integers(2, 8, firms - 3)])
    years = np.tile(np.arange(2019, 2023), firms)
    of = np.repeat(np.arange(firms), 4)
    x = np.round(np.exp(g.normal(5, 0.3, firms)))[of] + g.integers(0, 20, len(of))
    columns = {
        "firm": Column.texts_of([f"Firma {i:03d}" for i in of]),
        "line": Column.texts_of([str(i) for i in range(len(of))]),
        "year": Column.texts_of([str(y) for y in years]),
        "branch": Column.texts_of([f"b{branch[i]}" for i in of]),
        "turnover": Column.numbers_of(x.astype(float)),
    }
    return Microdata(columns, roles), branch, of


@pytest.mark.parametrize(
    "roles",
    [
        {Role.IDENTIFIER: ("firm",)},
        {Role.IDENTIFIER: ("firm",), Role.PERIOD: ("year",)},
        {Role.IDENTIFIER: ("line", "firm"), Role.PERIOD: ("year",)},
        {Role.IDENTIFIER: ("line", "firm")},
        {Role.IDENTIFIER: ("line",), Role.UNIT: ("firm",)},
    ],
)
@pytest.mark.parametrize("dropped", [False, True])
def test_years_of_a_firm_are_one_contributor(roles, dropped):
    data, _, _ = panel(roles)
    if dropped:
        data = step(
            data, "microdata.drop", columns=[n for names in roles.values() for n in names if n != "year"]
        )
    table = tabulate(data, ["branch"], "turnover")
    few = tarnkappe.spec.catalogue["rule.minimum-frequency"](n=3).mark(table).cells
    hidden = {str(table.codes(0)[i]) for i in np.flatnonzero(few)}
    assert {"b0", "b1"} <= hidden
    assert table.of_units


def test_namesakes_beside_a_number_of_their_own_are_persons():
    names = ["Anna Berg", "Jan Hof", "Anna Berg", "Ute Au", "Eva Tal"]
    data = Microdata(
        {
            "id": Column.texts_of([str(i) for i in range(5)]),
            "name": Column.texts_of(names),
            "sex": Column.texts_of(list("fmfff")),
        },
        {Role.IDENTIFIER: ("id", "name")},
    )
    table = tabulate(data, ["sex"])
    assert table.contributions.count.max() == 5
    assert not table.of_units


def test_who_owns_a_unit_is_known_after_its_column_is_gone():
    data, _, _ = panel({Role.OWNER: ("firm",)})
    after = step(data, "microdata.drop", columns=("firm",))
    table = tabulate(after, ["branch"], "turnover")
    assert sorted(table.contributions.count.tolist())[:2] == [1, 2]


def test_the_unit_of_a_panel_in_python():
    data, _, _ = panel({Role.IDENTIFIER: ("firm",), Role.PERIOD: ("year",)})
    table = tk.tabulate(data, ["branch"])
    assert table.value.max() == 240
    assert table.contributions.count.max() == 60
