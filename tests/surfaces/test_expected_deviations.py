"""What receivers are told of deviations: sizes in classes, no direction, and nothing where few stand behind a figure."""

import json

import numpy as np
import pytest

from surfaces.report_runs import made, make_run
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.report.about import about
from tarnkappe.report.deviations import CLASSES
from tarnkappe.vocab import Role


def firms(n=200, giant=1.0, seed=1):
    rng = np.random.default_rng(seed)
    size = rng.uniform(10, 30, n)
    size[0] *= giant
    columns = {
        "turnover": Column.numbers_of(size),
        "wages": Column.numbers_of(size * rng.uniform(0.2, 0.4, n)),
        "branch": Column.texts_of(rng.choice(["a", "b", "c"], n).tolist()),
        "still": Column.numbers_of(rng.normal(size=n)),
    }
    return Microdata(columns, {Role.NUMERIC: ("turnover", "wages", "still")})


def told(data, *steps):
    said = about(make_run(data, *steps, measures=()))["expected_deviations"]
    return {} if said is None else {(f["of"]["en"], *f["columns"]): f["at_most"] for f in said["figures"]}


NOISE = made("microdata.factor-noise", columns=["turnover", "wages"])


def test_sizes_are_classes_that_hold():
    data = firms()
    run = make_run(data, NOISE, made("microdata.pram", columns=["branch"], alpha=0.3), measures=())
    figures = about(run)["expected_deviations"]["figures"]
    sizes = {(f["of"]["en"], *f["columns"]): f["at_most"] for f in figures}
    assert set(sizes.values()) <= {*CLASSES}
    for name in ("turnover", "wages"):
        old, new = data.column(name).values, run.after.column(name).values
        assert abs(new.mean() / old.mean() - 1) <= sizes["mean", name]
        assert abs(new.std() / old.std() - 1) <= sizes["standard deviation", name]
    r = [np.corrcoef(d.column("turnover").values, d.column("wages").values)[0, 1] for d in (data, run.after)]
    assert abs(r[1] - r[0]) <= sizes["correlation of two numeric columns", "turnover", "wages"]
    shares = [
        np.unique(d.column("branch").texts().astype(str), return_counts=True)[1] / 200
        for d in (data, run.after)
    ]
    assert np.abs(shares[1] - shares[0]).max() <= sizes["share of a category", "branch"]
    assert not any("still" in key for key in sizes)


def test_no_direction_is_told():
    """Two releases that err in opposite directions say the same."""
    data = firms()
    up, down = (
        data.with_columns({"turnover": Column.numbers_of(data.column("turnover").values * factor)})
        for factor in (1.03, 0.97)
    )
    runs = [
        make_run(data, made("microdata.round", columns=["turnover"], base=1e-9), measures=())
        for _ in range(2)
    ]
    said = []
    for run, after in zip(runs, (up, down), strict=True):
        object.__setattr__(run, "after", after)
        said.append(json.dumps(about(run)["expected_deviations"], sort_keys=True))
    assert said[0] == said[1]
    assert '"at_most": 0.05' in said[0]


@pytest.mark.parametrize("data", [firms(20), firms(200, giant=1e4)])
def test_few_contributors_and_giants_are_not_told(data):
    sizes = told(data, NOISE)
    assert sizes["mean", "turnover"] is None
    assert sizes["standard deviation", "turnover"] is None
    assert "correlation of two numeric columns" not in {key[0] for key in sizes}


def test_nothing_is_told_where_nothing_changed():
    assert told(firms()) == {}
    fewer = told(firms(), made("microdata.suppress-records", records=[1, 2, 3]))
    assert ("mean", "still") in fewer
