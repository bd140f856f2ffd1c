"""Records of τ-ARGUS from end to end: weights, holdings and hierarchies of the `.rda` file reach tables, steps and proposals."""

from __future__ import annotations

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.io.read import read
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.plan.files import input_hashes
from tarnkappe.plan.prepare import prepare
from tarnkappe.plan.propose import propose
from tarnkappe.plan.run import run
from tarnkappe.vocab import Role

RDA = """<SEPARATOR> ","
Region 3
  <RECODEABLE>
  <TOTCODE> "All"
  <HIERARCHICAL>
  <HIERCODELIST> "C:\\\\argus\\\\regions.hrc"
  <HIERLEADSTRING> "@"
Industry 2
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERLEVELS> 1 1
Class 9
  <RECODEABLE>
  <TOTCODE> "sum"
Wgt 3
  <WEIGHT>
Turnover 6
  <NUMERIC>
Firm 4
  <HOLDING>
"""
HRC = "N\n@N1\n@N2\nS\n@S1\n"


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(7)
    rows = [
        f"{rng.choice(['N1', 'N2', 'S1'])},{rng.choice(['11', '12', '21'])},{rng.choice(['0-9', '10-99', '100+'])},"
        f"{rng.choice(['1', '1.5', '2'])},{int(rng.lognormal(4, 1)) + 1},G{i // 3}"
        for i in range(240)
    ]
    (tmp_path / "d.asc").write_text("\n".join(rows) + "\n")
    (tmp_path / "d.rda").write_text(RDA)
    (tmp_path / "regions.hrc").write_text(HRC)
    return tmp_path


def plan(folder, **data):
    table = {"name": "t", "by": ["Region", "Industry"], "value": "Turnover", "rules": [{"use": "rule.p-percent", "p": 10}],
             "protect": {"use": "table.quader"}}  # fmt: skip
    content = {"tarnkappe": 1, "title": "T", "data": {"file": "d.asc", **data}, "tables": [table]}
    return check(Document(content), folder)


def test_a_plan_needs_no_roles_and_no_hierarchies(folder):
    (entry,) = run(plan(folder)).tables
    table = entry.pattern.table
    rows = [line.split(",") for line in (folder / "d.asc").read_text().splitlines()]
    total = sum(float(r[3]) * float(r[4]) for r in rows)
    assert table.value[0] == pytest.approx(total)
    assert [str(c) for c in table.dimensions[0].codes] == ["All", "N", "N1", "N2", "S", "S1"]
    assert [str(c) for c in table.dimensions[1].codes] == ["Total", "1", "11", "12", "2", "21"]
    assert table.owners is not None
    assert int(table.owners.count[0]) == 80
    assert {"d.asc", "d.rda", "regions.hrc"} <= set(input_hashes(plan(folder)))


def test_what_the_plan_says_goes_before_the_metadata(folder):
    data = prepare(plan(folder, roles={"other": ["Wgt"], "owner": "Industry"}))
    assert (data.role(Role.WEIGHT), data.role(Role.OWNER)) == ((), ("Industry",))
    assert data.role(Role.KEY) == ("Region", "Class")
    other = prepare(plan(folder, hierarchies={"Region": {"total": "whole"}}))
    assert other.column("Region").hierarchy.total == "whole"


def test_python_reads_them(folder):
    data = tk.read(folder / "d.asc")
    assert data.role(Role.WEIGHT) == ("Wgt",)
    assert list(data.column("Class").hierarchy.codes) == ["sum", "0-9", "10-99", "100+"]
    assert tk.read(folder / "d.asc", roles={"weight": "Turnover"}).role(Role.WEIGHT) == ("Turnover",)
    assert tk.read(folder / "d.asc", types={"Wgt": "category"}).role(Role.WEIGHT) == ()


def test_the_first_plan_knows_them(folder):
    found = propose(read(folder / "d.asc"), "d.asc")
    roles = found.plan["data"]["roles"]
    assert (roles["weight"], roles["owner"]) == ("Wgt", "Firm")
    assert "Turnover" in roles["numeric"]
    assert "As the file itself says." in found.column("Wgt").why.en
    ran = prepare(check(Document(found.plan), folder))
    assert ran.column("Region").hierarchy.total == "All"
