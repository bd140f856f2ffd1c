"""Classes attacked with a list of firms: three years of one firm hide nobody, however many records they are."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

KEYS = ("branch", "size")
YEARS = 3


def panel(seed, firms=60, *, moving=False, named=Role.UNIT):
    """Firms over three years; with `moving` their size class changes."""
    g = np.random.default_rng(seed)
    firm = np.repeat(np.arange(firms), YEARS)
    branch, size = g.integers(0, 5, firms)[firm], g.integers(0, 4, firms)[firm]
    if moving:
        size = np.where(g.random(len(firm)) < 0.2, g.integers(0, 4, len(firm)), size)
    return Microdata(
        {
            "firm": Column.texts_of([f"F{i:03d}" for i in firm]),
            "year": Column.numbers_of(np.tile(np.arange(YEARS), firms) + 2020),
            "branch": Column.texts_of([f"b{x}" for x in branch]),
            "size": Column.texts_of([f"s{x}" for x in size]),
            "turnover": Column.numbers_of(np.round(np.exp(g.normal(5, 1, len(firm))))),
        },
        {Role.KEY: KEYS, named: ("firm",), Role.PERIOD: ("year",), Role.NUMERIC: ("turnover",)},
    )


def fewest(release, truth):
    """For somebody who knows a firm's keys in a year: the fewest firms that have a record which fits."""
    names = truth.column("firm").texts()
    shown = [(release.column(k).texts(), release.column(k).suppressed) for k in KEYS]
    true = [truth.column(k).texts() for k in KEYS]
    of_row = {row: i for i, row in enumerate(truth.rows.tolist())}
    firms = [names[of_row[row]] for row in release.rows.tolist()]
    out = len(set(names))
    for row in release.rows.tolist():
        i = of_row[row]
        fits = {
            f
            for j, f in enumerate(firms)
            if all(
                hidden[j] or cell[j] == known[i] for (cell, hidden), known in zip(shown, true, strict=True)
            )
        }
        out = min(out, len(fits))
    return out


def done(data, id_, **parameters):
    return apply_step(catalogue[id_](**parameters), data, stream("years"))


@pytest.mark.parametrize("named", [Role.UNIT, Role.OWNER, Role.IDENTIFIER])
@pytest.mark.parametrize("seed", range(3))
def test_k_counts_firms_and_says_so(seed, named):
    data = panel(seed, named=named)
    found = catalogue["risk.k-anonymity"]().measure(data)
    assert found.value == fewest(data, data) == 1
    assert "units" in found.reads.en
    assert catalogue["risk.uniques"]().measure(data).value > 0


@pytest.mark.parametrize("mode", ["strict", "least"])
@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_local_suppression_hides_a_firm_among_firms(seed, moving, mode):
    data = panel(seed, moving=moving)
    after = done(data, "microdata.local-suppression", k=3, mode=mode)
    assert fewest(after, data) >= 3
    assert catalogue["risk.k-anonymity"]().measure(after).value >= 3


@pytest.mark.parametrize("seed", range(3))
def test_records_whose_class_is_of_few_firms_go(seed):
    data = panel(seed)
    after = done(data, "microdata.suppress-records", below=3, budget=0.99)
    assert 0 < len(after) < len(data)
    assert fewest(after, data) >= 3


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_blocks_hold_several_firms(seed, moving):
    data = panel(seed, moving=moving)
    after = done(data, "microdata.mondrian", k=3)
    firms: dict[tuple[str, ...], set[str]] = {}
    rows = zip(*(after.column(k).texts() for k in KEYS), data.column("firm").texts(), strict=True)
    for *row, firm in rows:
        firms.setdefault(tuple(row), set()).add(firm)
    assert len(firms) > 1
    assert min(map(len, firms.values())) >= 3


@pytest.mark.parametrize("seed", range(3))
def test_clones_are_firms_with_names_of_their_own(seed):
    after = done(panel(seed), "microdata.clone", k=3, columns=("turnover",), unit="firm")
    firms: dict[tuple[str, ...], set[str]] = {}
    for *row, firm in zip(*(after.column(k).texts() for k in (*KEYS, "firm")), strict=True):
        firms.setdefault(tuple(row), set()).add(firm)
    assert min(map(len, firms.values())) >= 3


def test_without_a_unit_records_count():
    data = panel(0)
    plain = data.without(["firm"])
    found = catalogue["risk.k-anonymity"]().measure(plain)
    assert found.value == YEARS
    assert not found.reads
