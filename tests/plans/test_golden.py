"""A plan whose result is recorded: the same data, plan and secret give the same bytes in every version.

When a recorded number changes, a method gives other results than it did: raise its `revision`, say so in the changelog
under its own heading, and only then record the new number here.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from tarnkappe.plan.check import check_file
from tarnkappe.report.release import release
from tarnkappe.report.verify import verify

GOLDEN = Path(__file__).parent / "golden"
SECRET = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90"
DATA = "e42486bfef2dde733029892e8910789fff26030b217fe8b2c6d67337b6332f72"
FINGERPRINT = "dba63232ecc4ee6a"
RECORDS = {"before": 150, "after": 149}
STEPS = [
    ("microdata.drop", 1, True, 0, 0),
    ("microdata.pseudonymise", 1, False, 150, 0),
    ("microdata.generalise", 1, False, 150, 0),
    ("microdata.suppress-cells", 3, False, 0, 3),
    ("microdata.suppress-records", 2, False, 0, 0),
    ("microdata.top-bottom-code", 3, False, 6, 0),
    ("microdata.round", 1, False, 141, 0),
    ("microdata.mdav", 4, False, 144, 0),
    ("microdata.drop", 1, True, 0, 0),
    ("microdata.renumber", 1, True, 149, 0),
    ("microdata.tell-states", 1, True, 0, 0),
    ("microdata.shuffle-rows", 1, True, 0, 0),
]
"""Id, revision, implied, cells changed, cells suppressed."""
MEASURES = {
    "risk.attribution": [0.4411111111111111, 0.015659955257270694],
    "risk.class-sizes": [1.530612244897959, 18.625],
    "risk.k-anonymity": [1.0, 15.0],
    "risk.reidentification": [1.0, 1 / 15],
    "risk.uniques": [0.4, 0.0],
    "utility.changed": [None, 0.5675934803451582],
    "utility.correlations": [None, 0.012230890922742967],
    "utility.moments": [None, 0.006087438105806697],
}
"""Value before and after."""


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    shutil.copytree(GOLDEN, folder / "in")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TARNKAPPE_SECRET_GOLDEN", SECRET)
        release(check_file(folder / "in" / "plan.yaml"), folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def ledger(out):
    return json.loads((out / "internal" / "ledger.json").read_bytes())


def test_the_data(out):
    assert hashlib.sha256((out / "data.csv").read_bytes()).hexdigest() == DATA


def test_the_secret(ledger):
    assert ledger["secret"] == {"fingerprint": FINGERPRINT, "repeatable": True}


def test_the_records(ledger):
    assert ledger["records"] == RECORDS


def test_the_steps(ledger):
    found = [
        (s["id"], s["revision"], s["implied"], sum(c["changed"] for c in s["changes"].values()), sum(c["suppressed"] for c in s["changes"].values()))
        for s in ledger["steps"]
    ]  # fmt: skip
    assert found == STEPS


def test_the_measures(ledger):
    found = {m["id"]: [m["before"] and m["before"]["value"], m["after"]["value"]] for m in ledger["measures"]}
    assert set(MEASURES) <= set(found), "a measure of every run is gone"
    for name, values in MEASURES.items():
        assert found[name] == [None if v is None else pytest.approx(v, rel=1e-9) for v in values], name


def test_it_verifies(out):
    verify(out)
