"""A table that is out, and a later one by columns that follow from its own: branch and county then, group of branches and state now."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy.optimize import linprog

from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.check import check_file
from tarnkappe.report.release import release

PLAN = """
tarnkappe: 1
title: {name}
data:
  file: data.csv
  roles: {{identifier: [name], numeric: [turnover, exports, domestic]}}
seed: {{secret: office}}
{after}
tables:
  - name: {name}
    by: [{by}]
    value: {value}
    rules: [{{use: rule.minimum-frequency, n: 3}}, {{use: rule.p-percent, p: 10}}]
    protect: {{use: table.quader, cost: {cost}}}
"""
BRANCHES, COUNTIES = [f"b{i}" for i in range(8)], [f"{s}{i}" for s in "NSW" for i in range(3)]
GROUP = {branch: f"g{i // 3}" for i, branch in enumerate(BRANCHES)}


def firms(folder, seed):
    g = np.random.default_rng(seed)
    lines = ["name,branch,group,county,state,legal,turnover,exports,domestic"]
    for i in range(140):
        branch, county = g.choice(BRANCHES), g.choice(COUNTIES)
        turnover = int(g.lognormal(6, 1.3)) + 2
        exports = int(turnover * g.beta(1, 2))
        lines.append(
            f"Firma {i:03d} GmbH,{branch},{GROUP[branch]},{county},{county[0]},{g.choice(['AG', 'KG'])},{turnover},{exports},{turnover - exports}"
        )
    (folder / "data.csv").write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for n, name in enumerate(("office", "releases")):
        monkeypatch.setenv(f"TARNKAPPE_SECRET_{name.upper()}", np.random.default_rng(n).bytes(40).hex())
    return tmp_path


def said(folder, name, by, value="turnover", after="", cost="value"):
    (folder / f"{name}.yaml").write_text(
        PLAN.format(name=name, by=", ".join(by), value=value, after=after, cost=cost)
    )
    try:
        release(check_file(folder / f"{name}.yaml"), folder / name)
    except TarnkappeError as problem:
        return problem.code
    return "released"


def lies_in(code, dimension, branch, county):
    shown = {"branch": branch, "group": GROUP[branch], "county": county, "state": county[0]}[dimension]
    return code in ("Total", shown)


def exact_cells(folder, tables):
    """How many hidden cells of tables of turnover follow exactly from all of them, and how many are hidden."""
    parts = [(branch, county) for branch in BRANCHES for county in COUNTIES]
    known, right, hidden = [], [], []
    for name, by in tables.items():
        rows = list(csv.DictReader((folder / name / "tables" / f"{name}.csv").read_text().splitlines()))
        there = {tuple(row[d] for d in by) for row in rows}
        empty = [(a, b) for a in {c[0] for c in there} for b in {c[1] for c in there} if (a, b) not in there]
        for cell, value in [
            *((tuple(r[d] for d in by), r["value"]) for r in rows),
            *((c, "0") for c in empty),
        ]:
            inside = [
                float(all(lies_in(code, d, *part) for code, d in zip(cell, by, strict=True)))
                for part in parts
            ]
            if value == "":
                hidden.append(inside)
            else:
                known.append(inside)
                right.append(float(value))
    exact = 0
    for inside in hidden:
        ends = [
            linprog(sign * np.array(inside), A_eq=np.array(known), b_eq=np.array(right)) for sign in (1, -1)
        ]
        exact += ends[1].status == 0 and abs(ends[0].fun + ends[1].fun) < 1e-6
    return exact, len(hidden)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_follows_from_a_later_table_by_groups(folder, seed, named):
    firms(folder, seed)
    register = "" if named else "register: releases.json"
    tables = {"first": ("branch", "county")}
    assert said(folder, "first", tables["first"], after=register) == "released"
    after = "published: [{release: first}]" if named else register
    now = said(folder, "second", ("group", "state"), after=after, cost="constant")
    assert now in ("released", "linked.unprotectable")
    if now == "released":
        tables["second"] = ("group", "state")
    assert exact_cells(folder, {"first": tables["first"]})[0] == 0
    exact, hidden = exact_cells(folder, tables)
    assert hidden > 10
    assert exact == 0


@pytest.mark.parametrize(
    ("by", "value"),
    [(("group", "state"), "turnover"), (("state", "legal"), "turnover"), (("branch", "county"), "domestic")],
)
def test_a_published_table_that_only_records_tie_to_the_plan_is_taken_in(folder, by, value):
    firms(folder, 3)
    assert said(folder, "first", ("branch", "county")) == "released"
    now = said(folder, "second", by, value, after="published: [{release: first}]")
    assert now in ("released", "linked.unprotectable")
