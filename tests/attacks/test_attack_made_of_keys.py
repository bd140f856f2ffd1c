"""A column made of keys is a key: an attacker who knows the parts computes it and finds records that the keys alone do not show."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from plans.workshop import ANYTHING, SECRET, VARIABLE, as_csv, checked
from tarnkappe.plan.run import run
from tarnkappe.vocab import Role


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def deceased(n=600):
    rng = np.random.default_rng(3)
    born = rng.integers(1900, 1960, n)
    died = born + rng.integers(20, 100, n)
    return {
        "region": rng.choice(["north", "south", "east"], n).tolist(),
        "born": born.astype(str).tolist(),
        "died": died.astype(str).tolist(),
        "adults": (1 + rng.integers(0, 4, n)).astype(str).tolist(),
        "children": rng.poisson(0.8, n).astype(str).tolist(),
        "note": rng.choice(["calm", "fair", "storm"], n).tolist(),
    }


def plan(keys, steps):
    return {
        "tarnkappe": 1, "title": "Made of keys",
        "data": {"file": "people.csv", "roles": {"key": keys, "other": [n for n in ("born", "died") if n not in keys]}}, "release": {"formats": ["csv"]},
        "seed": {"secret": "survey"}, "steps": steps, "release_if": [{"measure": "risk.k-anonymity", "at_least": 3}], "accept": ANYTHING,
    }  # fmt: skip


def smallest_class(columns, keys, computed):
    """Counted from the original, with what the attacker computes: how many look the same."""
    return min(Counter(zip(*(columns[k] for k in keys), computed, strict=True)).values())


def found_k(found):
    return next(m.after.value for m in found.measures if m.measure.id == "risk.k-anonymity")


@pytest.mark.parametrize(
    ("keys", "step", "name", "make"),
    [
        (
            ["region", "born", "died"],
            {"use": "microdata.combine", "into": {"age_at_death": {"died": 1, "born": -1}}},
            "age_at_death",
            lambda c: [int(d) - int(b) for d, b in zip(c["died"], c["born"], strict=True)],
        ),
        (
            ["region", "adults", "children"],
            {"use": "microdata.combine", "into": {"persons": {"adults": 1, "children": 1}}},
            "persons",
            lambda c: [int(a) + int(b) for a, b in zip(c["adults"], c["children"], strict=True)],
        ),
    ],
)  # fmt: skip
def test_a_combination_of_keys_counts(tmp_path, keys, step, name, make):
    columns = deceased()
    found = run(checked(tmp_path, plan(keys, [step]), as_csv(columns)))
    left = [k for k in keys if k in found.after.names]
    assert name in found.after.role(Role.KEY)
    assert found_k(found) == smallest_class(columns, left, make(columns))


def test_a_ratio_of_keys_counts(tmp_path):
    columns = deceased()
    steps = [
        {
            "use": "microdata.ratio",
            "into": {"per_adult": {"of": "children", "over": "adults"}},
            "leak": "masked-later",
        },
        {"use": "microdata.drop", "columns": ["adults"]},
    ]
    found = run(checked(tmp_path, plan(["region", "adults", "children"], steps), as_csv(columns)))
    assert found.after.role(Role.KEY) == ("region", "per_adult")
    shown = zip(found.after.column("region").texts(), found.after.column("per_adult").texts(), strict=True)
    assert found_k(found) == min(Counter(shown).values())


def test_a_column_of_the_file_that_follows_from_keys_counts(tmp_path):
    """Nobody called it a key, and the keys that tell it are gone."""
    columns = deceased()
    age = [int(d) - int(b) for d, b in zip(columns["died"], columns["born"], strict=True)]
    cohort = [f"{int(b) // 5 * 5}" for b in columns["born"]]
    columns |= {"age": [str(a) for a in age], "cohort": cohort}
    steps = [{"use": "microdata.drop", "columns": ["born", "died"]}]
    found = run(checked(tmp_path, plan(["region", "born", "died"], steps), as_csv(columns)))
    assert set(found.after.role(Role.KEY)) == {"region", "age", "cohort"}
    assert found_k(found) == smallest_class(columns, ["region", "cohort"], age)
    assert not all(gate.held for gate in found.gates)


def test_other_columns_are_no_keys(tmp_path):
    columns = deceased()
    steps = [{"use": "microdata.drop", "columns": ["born", "died"]}]
    found = run(checked(tmp_path, plan(["region", "born", "died"], steps), as_csv(columns)))
    assert found.after.role(Role.KEY) == ("region",)
