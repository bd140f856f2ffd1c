"""Who attacks from inside: named in refusals, chosen by an option, and told of before the work."""

from __future__ import annotations

import json

import pytest
from command import command

# b and c have one contributor each and stand in one sum: with only these two hidden, each would know the other.
CELLS = """code,value,n
Total,1000,60
a,400,30
b,60,1
c,40,1
d,500,28
"""
OPTIONS = ("--by", "code", "--count", "n", "--rule", "rule.minimum-frequency: {n: 3}")
PLAN = """tarnkappe: 1
title: t
tables:
  - name: t
    file: t.csv
    by: [code]
    columns: {count: n}
    rules: [{use: rule.minimum-frequency, n: 3}]
    protect: %s
    audit: {%s}
"""


@pytest.fixture
def cells(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(CELLS)
    return path


def protect(capsys, cells, *more):
    return command(capsys, "table", "protect", cells, *OPTIONS, "--out", cells.parent / "out", *more)


def test_a_refusal_names_the_insider_and_what_leaves_him_out(capsys, cells):
    said = protect(capsys, cells, "--method", "table.quader: {insiders: none}")
    assert said.code == 3
    assert "the sole contributor to" in said.err
    assert "--insiders none" in said.err
    assert "b" in said.err.split("sole contributor to")[1].split(".")[0] or "c" in said.err
    assert not (cells.parent / "out").exists()


def test_it_is_told_before_the_work(capsys, cells):
    said = protect(capsys, cells, "--method", "table.quader: {insiders: none}")
    warned = said.err.index("does not reckon with attackers from inside")
    assert warned < said.err.index("[1/")


@pytest.mark.parametrize("who", ["none", "owners", "contributors"])
def test_the_option_is_for_method_and_audit_alike(capsys, cells, who):
    said = protect(capsys, cells, "--insiders", who, "--quiet")
    assert said.code == 0, said.all
    assert "inside" not in said.err
    shown = (cells.parent / "out" / "tables" / "t.csv").read_text()
    assert shown.count("suppressed") == (2 if who == "none" else 3)


@pytest.mark.parametrize(
    ("method", "audit", "warns"),
    [
        ("table.quader", "", False),
        ("{use: table.quader, insiders: none}", "", True),
        ("{use: table.quader, insiders: none}", "insiders: none", False),
        ("{use: table.quader, insiders: contributors}", "", True),
        ("table.quader", "coalition: 2", True),
    ],
)
def test_check_says_what_method_and_audit_do_not_share(capsys, cells, method, audit, warns):
    plan = cells.parent / "plan.yaml"
    plan.write_text(PLAN % (method, audit))
    said = command(capsys, "check", plan)
    assert said.code == 0, said.all
    assert ("may be refused after the work" in said.all.replace("\n", " ")) is warns


PUBLISHED = """code,value,status,n
Total,1000,open,60
a,400,open,30
b,,suppressed,1
c,,suppressed,1
d,500,open,28
"""


def test_the_audit_of_a_published_table_names_insiders(capsys, tmp_path):
    path, report = tmp_path / "p.csv", tmp_path / "found.json"
    path.write_text(PUBLISHED)
    attacked = ("table", "audit", path, "--by", "code", "--count", "n")
    assert command(capsys, *attacked).code == 0
    assert command(capsys, *attacked, "--insiders", "none").code == 0
    said = command(capsys, *attacked, "--insiders", "contributors", "--out", report)
    assert said.code == 3
    assert "b ← the sole contributor to c" in said.out
    assert "c ← the sole contributor to b" in said.out
    assert "[table.seen-inside]" in said.err
    assert {one["cell"] for one in json.loads(report.read_text())["inside"]} == {"b", "c"}


def test_a_third_cell_keeps_insiders_in_doubt(capsys, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(PUBLISHED.replace("d,500,open,28", "d,,suppressed,28"))
    said = command(
        capsys, "table", "audit", path, "--by", "code", "--count", "n", "--insiders", "contributors"
    )
    assert said.code == 0, said.all


def test_insiders_need_counts(capsys, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(PUBLISHED)
    said = command(capsys, "table", "audit", path, "--by", "code", "--insiders", "owners")
    assert said.code == 2
    assert "--count" in said.err
