"""Changed categories attacked through a whole plan: weights, gaps and finer columns that give them back keep a release in the house."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from plans.workshop import SECRET, VARIABLE, as_csv, checked
from tarnkappe.plan.run import run

N = 600
REASON = "Made-up people of whom nothing can become known."
LEFT_OPEN = ("risk.l-diversity", "risk.interval-disclosure", "risk.further-keys", "risk.linkage")


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def survey(seed):
    """Regions with weights of their own; wages only of those who work, pensions mostly of those who do not; towns in regions."""
    g = np.random.default_rng(seed)
    town = g.integers(0, 18, N)
    works = g.random(N) < 0.6
    pay = np.exp(g.normal(8, 1, N)).round()
    return {
        "region": [f"r{t // 3}" for t in town],
        "town": [f"t{t}" for t in town],
        "status": ["works" if w else "retired" for w in works],
        "sex": g.choice(["f", "m"], N).tolist(),
        "wage": [f"{p:.0f}" if w else "" for p, w in zip(pay, works, strict=True)],
        "hours": g.integers(10, 60, N).astype(str).tolist(),
        "w": [str(10 + 3.5 * (t // 3)) for t in town],
    }


def done(folder, columns, step, drop=()):
    left = {name: values for name, values in columns.items() if name not in drop}
    roles = {"key": ["sex"], **({"weight": "w"} if "w" in left else {})}
    plan = {
        "tarnkappe": 1, "title": "Changed categories", "data": {"file": "people.csv", "roles": roles},
        "release": {"formats": ["csv"]}, "seed": {"secret": "survey"},
        "steps": [{"use": "microdata.pram", "alpha": 0.4, **step}],
        "accept": [{"what": what, "reason": REASON} for what in LEFT_OPEN],
    }  # fmt: skip
    return run(checked(folder, plan, as_csv(left)))


def come_back(found, name, groups):
    """Of changed values, the share that somebody has back who takes what most records of a group show."""
    now = found.after.column(name).texts()
    was = found.before.aligned_to(found.after).column(name).texts()
    shown = defaultdict(Counter)
    for group, value in zip(groups, now, strict=True):
        shown[group][value] += 1
    guess = np.array([shown[group].most_common(1)[0][0] for group in groups])
    changed = now != was
    assert changed.sum() > 40
    return float(np.mean(guess[changed] == was[changed]))


def standing(found):
    return {one.what for one in found.standing if not one.reason}


@pytest.mark.parametrize("seed", range(2))
def test_weights_give_regions_back(tmp_path, seed):
    found = done(tmp_path, survey(seed), {"columns": ["region"]}, ("town",))
    assert come_back(found, "region", found.after.column("w").numbers().tolist()) > 0.95
    assert "risk.weight-leakage" in standing(found)
    assert not all(gate.held for gate in found.gates)


@pytest.mark.parametrize("seed", range(2))
def test_gaps_give_the_status_back(tmp_path, seed):
    step = {"columns": ["status"], "leak": "masked-later"}
    found = done(tmp_path, survey(seed), step, ("w", "town"))
    assert come_back(found, "status", found.after.column("wage").missing.tolist()) > 0.95
    assert "risk.dependencies" in standing(found)
    assert not all(gate.held for gate in found.gates)


def test_towns_give_regions_back(tmp_path):
    found = done(tmp_path, survey(3), {"columns": ["region"], "leak": "masked-later"}, ("w",))
    assert come_back(found, "region", found.after.column("town").texts().tolist()) > 0.95
    assert "risk.dependencies" in standing(found)


def test_without_what_tells_nothing_stands_out(tmp_path):
    found = done(tmp_path, survey(4), {"columns": ["region"]}, ("w", "town"))
    assert come_back(found, "region", found.after.column("sex").texts().tolist()) < 0.5
    assert not standing(found)
