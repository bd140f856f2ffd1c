"""A column that was computed from masked ones has no correction of its own; the masked ones keep theirs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tarnkappe as tk
from plans.workshop import SECRET, SIGNED
from tarnkappe import correct
from tarnkappe.errors.correct import NoCorrection
from tarnkappe.plan.document import to_yaml


def test_parts_are_corrected_and_their_sum_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("TARNKAPPE_SECRET_FIRMS", SECRET)
    rng = np.random.default_rng(4)
    home = np.round(rng.lognormal(10, 0.5, 2000)).astype(np.int64)
    abroad = np.round(home * rng.uniform(0.2, 0.8, 2000)).astype(np.int64)
    region = np.resize(["n", "s", "e", "w"], 2000)
    frame = pl.DataFrame({"region": region, "home": home, "abroad": abroad, "turnover": home + abroad})
    frame.write_csv(tmp_path / "firms.csv")
    plan = {
        "tarnkappe": 1, "title": "firms", "data": {"file": "firms.csv", "roles": {"key": ["region"]}}, "seed": {"secret": "firms"},
        "steps": [{"use": "microdata.noise", "columns": ["home", "abroad", "turnover"], "variance_ratio": 0.2}],
        "accept": SIGNED, "release": {"formats": ["csv"]},
    }  # fmt: skip
    (tmp_path / "plan.yaml").write_text(to_yaml(plan), encoding="utf-8")
    tk.release(tk.check_file(tmp_path / "plan.yaml"), tmp_path / "out")
    out = correct.open_release(tmp_path / "out")
    assert "mean(home)" in str(correct.moments(out, ["home", "abroad"]))
    with pytest.raises(NoCorrection):
        correct.moments(out, ["turnover"])
