"""Methods and options side by side on one table: cells, value, respondents, time (Wettig 2002, section 20 of the specification)."""

from __future__ import annotations

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.errors.mapping import MapDataDiffers, MapEmpty
from tarnkappe.plan.check import check_file
from tarnkappe.plan.run import run
from tarnkappe.plan.table_map import TableMap

PLAN = """tarnkappe: 1
title: Turnover
data: {{file: firms.csv, roles: {{identifier: [id]}}}}
tables:
  - name: turnover
    by: [region, sector]
    value: turnover
    rules: [{{use: rule.p-percent, p: 10}}, {{use: rule.minimum-frequency, n: 3}}]
    protect: {protect}
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(2)
    rows = [
        f"F{i},{rng.choice(list('NSOW'))},{rng.choice(list('abcdefg'))},{int(rng.lognormal(4, 1)) + 1}"
        for i in range(150)
    ]
    (tmp_path / "firms.csv").write_text("id,region,sector,turnover\n" + "\n".join(rows) + "\n")
    return tmp_path


def written(folder, name, protect="{use: table.quader}"):
    (folder / name).write_text(PLAN.format(protect=protect))
    return folder / name


def test_costs_of_one_method_side_by_side(folder):
    found = tk.map_plans(
        written(folder, "p.yaml"), vary={"tables.1.protect.cost": ["value", "constant", "log"]}
    )
    assert isinstance(found, TableMap)
    assert [trial.name for trial in found.trials] == ["cost = value", "cost = constant", "cost = log"]
    by = {trial.name: trial for trial in found.trials}
    assert all(trial.held and trial.primary > 0 and trial.cpu >= 0 for trial in found.trials)
    assert by["cost = constant"].secondary <= by["cost = value"].secondary
    assert by["cost = value"].value <= by["cost = constant"].value
    assert "cost = constant" in found.best["turnover"]["cells"]
    assert "cost = value" in found.best["turnover"]["value"]
    (entry,) = run(check_file(folder / "p.yaml")).tables
    pattern = entry.pattern
    alone = pattern.suppressed & ~pattern.primary
    assert by["cost = value"].secondary == int(alone.sum())
    assert by["cost = value"].value == pytest.approx(float(pattern.table.value[alone].sum()))
    assert by["cost = value"].respondents == int(pattern.table.contributions.count[alone].sum())


def test_methods_side_by_side(folder):
    plans = [
        written(folder, "quader.yaml"),
        written(folder, "noise.yaml", "{use: table.cuboid-noise}"),
        written(
            folder,
            "coarse.yaml",
            "{use: table.recode, dimension: sector, level: 0, rules: [{use: rule.p-percent, p: 10}, {use: rule.minimum-frequency, n: 3}]}",
        ),
    ]
    found = tk.map_plans(*plans)
    names = [trial.name for trial in found.trials]
    assert names == ["quader", "noise", "coarse"]
    noise, coarse = found.trials[1], found.trials[2]
    assert noise.altered > 0
    assert noise.distance > 0
    assert (coarse.table, coarse.method) == ("turnover", "table.recode")
    assert coarse.lost == 7 * 5


def test_what_cannot_be_run_is_told_in_its_place(folder):
    bad = written(folder, "bad.yaml", "{use: table.quader, cost: weight}")
    found = tk.map_plans(written(folder, "p.yaml"), bad)
    assert (found.trials[0].held, found.trials[1].table) == (True, "")
    assert found.trials[1].because.en
    with pytest.raises(MapEmpty):
        tk.map_plans(bad)


def test_other_data_is_refused(folder):
    other = folder / "other"
    other.mkdir()
    text = (folder / "firms.csv").read_text()
    (other / "firms.csv").write_text(text.replace("F0,", "G0,"))
    with pytest.raises(MapDataDiffers):
        tk.map_plans(written(folder, "p.yaml"), written(other, "p.yaml"))
