"""Two editions of a table with noise, the second with three persons more: the difference must not say where they are."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.plan.check import check_file
from tarnkappe.plan.run import run

PLAN = """
tarnkappe: 1
title: Persons
data:
  file: {file}.csv
  roles: {{identifier: [id], key: [region, branch]}}
seed: {{secret: office}}
tables:
  - name: t
    by: [region, branch]
    protect: {protect}
  - name: margin
    by: [region]
    protect: {protect}
"""


@pytest.fixture
def secret(tmp_path):
    folder = tmp_path / ".tarnkappe" / "secrets"
    folder.mkdir(parents=True)
    file = folder / "office"
    file.write_bytes(np.random.default_rng(3).bytes(48))
    for path in (tmp_path / ".tarnkappe", folder):
        path.chmod(0o700)
    file.chmod(0o600)


def people(n, *, names):
    g = np.random.default_rng(11)
    region, branch = g.integers(0, 4, n), g.integers(0, 3, n)
    who = [f"P{i:04d}" for i in range(n)] if names else [""] * n
    return [f"{w};r{r};b{b}" for w, r, b in zip(who, region, branch, strict=True)]


def edition(folder, file, records, protect):
    (folder / f"{file}.csv").write_text("id;region;branch\n" + "\n".join(records) + "\n")
    plan = folder / f"{file}.yaml"
    plan.write_text(PLAN.format(file=file, protect=protect))
    return run(check_file(plan)).tables


@pytest.mark.parametrize(
    "protect",
    ["{use: table.perturb, scope: all}", "{use: table.round-random, base: 3}"],
    ids=["noise", "rounding"],
)
@pytest.mark.usefixtures("secret")
def test_newcomers_are_not_read_off(tmp_path, protect):
    records = people(400, names=True)
    more = [*records[:50], "P9001;r0;b0", *records[50:], "P9002;r1;b2", "P9003;r3;b1"]
    first, margin = edition(tmp_path, "first", records, protect)
    second, _ = edition(tmp_path, "second", more, protect)
    again, _ = edition(tmp_path, "again", records[::-1], protect)
    assert (first.pattern.shown == again.pattern.shown).all(), "the order of the records is no edition"
    change = second.pattern.table.value - first.pattern.table.value
    seen = second.pattern.shown - first.pattern.shown
    assert int((change != 0).sum()) == 10
    assert (seen[change == 0] == 0).all()
    assert not (seen == change)[change != 0].all()
    rows = {str(c): i for i, c in enumerate(margin.pattern.table.codes(0))}
    table = first.pattern.table
    for i in range(len(table)):
        if table.cells[i, 1] == 0:  # the same cell of two tables is changed alike
            assert first.pattern.shown[i] == margin.pattern.shown[rows[str(table.codes(0)[i])]]
