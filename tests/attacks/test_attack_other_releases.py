"""Whoever lays releases of one register side by side: tables with other suppressions, other noise, columns that only one plan calls a key."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.check import check_file
from tarnkappe.report.release import release

SECRETS = ("office", "releases")
HEAD = """
tarnkappe: 1
title: {title}
data:
  file: data.csv
  roles: {roles}
register: releases.json
seed: {{secret: office}}
"""
FIRMS = "{identifier: [name], key: [branch, region], numeric: [turnover]}"
TABLE = """
tables:
  - name: {name}
    by: [branch, region]
    value: turnover
    rules: [{{use: rule.minimum-frequency, n: 3}}, {{use: rule.p-percent, p: 15}}]
    protect: {{use: table.quader, cost: {cost}}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for n, name in enumerate(SECRETS):
        monkeypatch.setenv(f"TARNKAPPE_SECRET_{name.upper()}", np.random.default_rng(n).bytes(40).hex())
    g = np.random.default_rng(4)
    rows = [
        f"Firma {i:03d} GmbH;b{g.integers(6)};r{g.integers(6)};{int(np.exp(g.normal(5, 1.4)))};{g.integers(18, 70)}"
        for i in range(150)
    ]
    (tmp_path / "data.csv").write_text("name;branch;region;turnover;age\n" + "\n".join(rows) + "\n")
    return tmp_path


def made(folder, name, content):
    (folder / f"{name}.yaml").write_text(content)
    return release(check_file(folder / f"{name}.yaml"), folder / name)


def refused(folder, name, content):
    try:
        made(folder, name, content)
    except TarnkappeError as problem:
        return str(problem)
    return ""


def shown(folder, name):
    lines = (folder / name / "tables" / f"{name}.csv").read_text().splitlines()
    head = lines[0].split(",")
    rows = [dict(zip(head, line.split(","), strict=True)) for line in lines[1:]]
    return {(r["branch"], r["region"]): r["value"] for r in rows}


def test_the_same_table_with_another_cost_shows_no_cell_that_was_hidden(folder):
    for name, cost in (("first", "value"), ("second", "constant"), ("third", "log")):
        text = refused(
            folder, name, HEAD.format(title=name, roles=FIRMS) + TABLE.format(name=name, cost=cost)
        )
        assert not text, text
    tables = [shown(folder, name) for name in ("first", "second", "third")]
    hidden = {cell for cell, value in tables[0].items() if value == ""}
    assert len(hidden) > 4
    for later in tables[1:]:
        assert not [cell for cell in hidden if later[cell] != ""]


NOISE = """
steps:
  - use: microdata.drop
    columns: [age, branch]
  - use: microdata.noise
    columns: [turnover]
    variance_ratio: {ratio}
release_if:
  - {{measure: risk.k-anonymity, at_least: 3}}
accept:
  - {{what: risk.interval-disclosure, reason: Only staff in our own rooms will ever work with it}}
  - {{what: risk.further-keys, reason: Only staff in our own rooms will ever work with it}}
  - {{what: risk.linkage, reason: Only staff in our own rooms will ever work with it}}
"""
BY_REGION = "{identifier: [name], key: [region], numeric: [turnover]}"


def test_noise_that_averages_out_over_releases_is_refused(folder):
    first = HEAD.format(title="one", roles=BY_REGION) + NOISE.format(ratio=0.3)
    text = refused(folder, "one", first)
    assert not text, text
    again = refused(folder, "again", first)
    assert "averages out" not in again
    other = refused(folder, "two", HEAD.format(title="two", roles=BY_REGION) + NOISE.format(ratio=0.4))
    assert "averages out" in other


PLAIN = """
steps:
  - use: microdata.drop
    columns: [{drop}]
release_if:
  - {{measure: risk.k-anonymity, at_least: 3}}
accept:
  - {{what: risk.interval-disclosure, reason: Only staff in our own rooms will ever work with it}}
  - {{what: risk.further-keys, reason: Only staff in our own rooms will ever work with it}}
"""


def test_a_key_of_an_earlier_release_counts_whatever_the_second_plan_calls_it(folder):
    one = HEAD.format(title="one", roles="{identifier: [name], key: [region]}")
    assert not refused(folder, "one", one + PLAIN.format(drop="turnover, age, branch"))
    two = HEAD.format(title="two", roles="{identifier: [name], key: [branch]}")
    text = refused(folder, "two", two + PLAIN.format(drop="turnover"))
    assert "together with earlier releases" in text


def test_newcomers_close_the_gate(folder):
    one = HEAD.format(title="one", roles="{identifier: [name], key: [region]}")
    assert not refused(folder, "one", one + PLAIN.format(drop="turnover, age, branch"))
    with (folder / "data.csv").open("a") as file:
        file.write("Firma 901 GmbH;b0;r0;500;33\nFirma 902 GmbH;b1;r1;700;44\n")
    text = refused(folder, "two", one.replace("one", "two") + PLAIN.format(drop="turnover, age, branch"))
    assert "differs from an earlier release" in text
    signed = "  - {what: editions, reason: The two newcomers have agreed in writing to be shown}\n"
    assert not refused(
        folder, "three", one.replace("one", "three") + PLAIN.format(drop="turnover, age, branch") + signed
    )


def test_a_renamed_column_of_a_published_table_is_noticed(folder):
    plain = HEAD.replace("register: releases.json\n", "")
    assert not refused(
        folder, "one", plain.format(title="one", roles=FIRMS) + TABLE.format(name="one", cost="value")
    )
    text = (folder / "data.csv").read_text()
    for old, new in (("branch", "sector"), ("turnover", "sales")):
        (folder / "data.csv").write_text(text.replace(old, new, 1))
        content = (
            plain.format(title="two", roles=FIRMS) + TABLE.format(name="two", cost="constant")
        ).replace(old, new)
        said = refused(folder, "two", content + "published: [{release: one}]\n")
        assert "linked.published-shares-nothing" in said
