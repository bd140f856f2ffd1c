"""A later table of one register divides cells further that an earlier one hid: intervals must stay as wide as was required then."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy.optimize import linprog

from tarnkappe.plan.check import check_file
from tarnkappe.report.release import release

P = 20
HEAD = """
tarnkappe: 1
title: {name}
data:
  file: data.csv
  roles: {{identifier: [name], key: [branch, size], numeric: [turnover]}}
register: releases.json
seed: {{secret: office}}
tables:
  - name: {name}
    by: {by}
    value: turnover
    rules: {rules}
    protect: {{use: table.quader, cost: value}}
"""
STRICT = f"[{{use: rule.minimum-frequency, n: 3}}, {{use: rule.p-percent, p: {P}}}]"
MILD = "[{use: rule.minimum-frequency, n: 3}]"


def firms():
    """Branch 0 has one large firm; in every branch size 0 is the smallest part, so a mild table hides it first."""
    rows = []
    for b in range(4):
        for s, amount in enumerate((2, 3, 4) if b == 0 else (2, 30, 400)):
            rows += [(b, s, amount + i + b) for i in range(1 if (b, s) in ((0, 0), (1, 0)) else 4)]
    return [*rows, (0, 2, 900)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for n, name in enumerate(("OFFICE", "RELEASES")):
        monkeypatch.setenv(f"TARNKAPPE_SECRET_{name}", np.random.default_rng(n).bytes(40).hex())
    lines = [f"Firma {i:03d};b{b};s{s};{x}" for i, (b, s, x) in enumerate(firms())]
    (tmp_path / "data.csv").write_text("name;branch;size;turnover\n" + "\n".join(lines) + "\n")
    return tmp_path


def published(folder, name, by, rules):
    (folder / f"{name}.yaml").write_text(HEAD.format(name=name, by=f"[{', '.join(by)}]", rules=rules))
    release(check_file(folder / f"{name}.yaml"), folder / name)
    with (folder / name / "tables" / f"{name}.csv").open(newline="") as file:
        return [(tuple(row[n] for n in by), row["value"]) for row in csv.DictReader(file)]


def members(cell, by):
    """The lowest cells (branch, size) behind a cell."""
    said = dict(zip(by, cell, strict=True))
    return [
        i
        for i, (b, s) in enumerate((b, s) for b in range(4) for s in range(3))
        if said.get("branch", "Total") in (f"b{b}", "Total")
        and said.get("size", "Total") in (f"s{s}", "Total")
    ]


def interval(tables, wanted):
    """Ends of a sum of lowest cells, none of them negative, given everything that is open."""
    rows, sums = [], []
    for by, cells in tables:
        for cell, value in cells:
            if value != "":
                rows.append(np.isin(np.arange(12), members(cell, by)).astype(float))
                sums.append(float(value))
    goal = np.isin(np.arange(12), wanted).astype(float)
    ends = [linprog(sign * goal, A_eq=np.array(rows), b_eq=sums, bounds=(0, None)).fun for sign in (1, -1)]
    return ends[0], -ends[1]


def test_a_later_table_does_not_narrow_what_an_earlier_one_had_to_keep_wide(folder):
    first = published(folder, "first", ["branch"], STRICT)
    assert dict(first)["b0",] == ""
    second = published(folder, "second", ["branch", "size"], MILD)
    own = sorted((x for b, _, x in firms() if b == 0), reverse=True)
    total = sum(own)
    required = P / 100 * own[0] - (total - own[0] - own[1])
    assert required > 0
    low, high = interval([(["branch"], first), (["branch", "size"], second)], members(("b0",), ["branch"]))
    assert high - total >= required - 1e-6 * total
    assert high - low >= required - 1e-6 * total
