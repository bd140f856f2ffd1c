"""An attacker with the release in hand, and a forger with the plan: neither gets further than the contract says."""

from __future__ import annotations

import csv
import itertools
import json
import shutil

import numpy as np
import pytest

from plans.workshop import ANYTHING, SECRET, VARIABLE, changed, checked, people
from tarnkappe.errors.release import VerifyFailed
from tarnkappe.report.release import release
from tarnkappe.report.verify import verify


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked")
    treat = {"use": "microdata.pseudonymise", "columns": ["number"]}
    plan = changed()
    plan["steps"] = [treat, *plan["steps"]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, SECRET)
        release(checked(folder / "in", plan), folder / "out")
    shutil.rmtree(folder / "out" / "internal")
    return folder / "out"


@pytest.fixture(scope="module")
def rows(out):
    return list(csv.DictReader((out / "data.csv").read_text().splitlines()))


def test_nobody_is_alone_with_what_an_attacker_may_know(rows):
    """The attacker knows region, sex and age of everybody in the file, and looks for lone records."""
    known = people()
    for i in range(len(known["name"])):
        decade = f"{int(known['age'][i]) // 10}"
        fits = [
            r
            for r in rows
            if r["region"] == known["region"][i]
            and r["sex"] == known["sex"][i]
            and r["age"].startswith(decade)
        ]
        assert len(fits) == 0 or len(fits) >= 3


def test_the_order_of_records_tells_nothing(rows):
    """Records of the file were in the order of their household; in the release neighbours are strangers."""
    was = {number: i for i, number in enumerate(people()["household"])}
    assert was
    numbers = [int(r["household"]) for r in rows]
    together = sum(a == b for a, b in itertools.pairwise(numbers))
    assert together < 8, "in the original every second pair of neighbours shared a household"
    assert abs(np.corrcoef(np.arange(len(numbers)), numbers)[0, 1]) < 0.35


def test_no_original_income_can_be_looked_up(rows):
    """Linking by an exact amount, the easiest attack of all."""
    known = set(people()["income"])
    assert not {r["income"] for r in rows} & known


def test_pseudonyms_do_not_follow_from_the_files(out, rows):
    """Neither certificate nor documentation holds anything a pseudonym could be made with."""
    import hashlib
    import hmac

    certificate = json.loads((out / "certificate.json").read_text())
    keys = {value for value in walk(certificate) if isinstance(value, str)}
    keys |= {value for value in walk(json.loads((out / "about.json").read_text())) if isinstance(value, str)}
    shown = {r["number"].lstrip("p") for r in rows}
    for key, number in itertools.product(sorted(keys)[:400], people()["number"][:10]):
        assert hmac.digest(key.encode(), number.encode(), "sha256").hex()[:32] not in shown
        assert hashlib.sha256(f"{key}{number}".encode()).hexdigest()[:32] not in shown


def walk(node):
    if isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from walk(value)
    else:
        yield node


def test_a_swap_of_two_values_is_noticed(out, tmp_path):
    """Same k, same number of records, other data: only the hash tells, and it does."""
    forged = shutil.copytree(out, tmp_path / "out")
    verify(forged)
    text = (forged / "data.csv").read_text().splitlines()
    text[1], text[2] = text[2], text[1]
    (forged / "data.csv").write_text("\n".join(text) + "\n")
    with pytest.raises(VerifyFailed, match="data.csv"):
        verify(forged)


def test_two_releases_of_the_same_data_cannot_be_joined_by_their_numbers(tmp_path, monkeypatch):
    """Pseudonyms and household numbers of two plans with two secrets have nothing in common."""
    shown = []
    for i, secret in enumerate((SECRET, SECRET[::-1])):
        monkeypatch.setenv(VARIABLE, secret)
        plan = changed()
        plan["steps"] = [{"use": "microdata.pseudonymise", "columns": ["number"]}]
        plan |= {"release_if": [], "accept": ANYTHING}
        release(checked(tmp_path / f"in{i}", plan), tmp_path / f"out{i}")
        shown.append(list(csv.DictReader((tmp_path / f"out{i}" / "data.csv").read_text().splitlines())))
    one, two = ({r["number"] for r in rows} for rows in shown)
    assert not one & two
    by_income = [{r["income"]: r["household"] for r in rows} for rows in shown]
    same = sum(by_income[0][k] == by_income[1][k] for k in by_income[0])
    assert same < 10, "household numbers agree by chance only"
