"""tk.attacks on data in memory, and hold-outs for the legal criteria: in memory, by file, and in a plan."""

import numpy as np
import pytest

import tarnkappe as tk
from plans.workshop import as_csv, changed, checked, people
from tarnkappe.errors.release import PlanWrong
from tarnkappe.errors.risk import NotAnAttack
from tarnkappe.plan.attack import attack
from tarnkappe.plan.attack_files import Named, read_sides
from tarnkappe.plan.run import run
from tarnkappe.risk.singling_out import SinglingOut
from tarnkappe.vocab import Role

ROLES = {Role.KEY: ("region", "sex", "age"), Role.SENSITIVE: ("note",)}
CRITERIA = ("risk.singling-out", "risk.linkability", "risk.inference", "risk.membership")


def written(path, columns):
    path.write_text(as_csv(columns), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path):
    return [
        written(tmp_path / f"{name}.csv", people(90, seed=seed))
        for name, seed in (("before", 1), ("after", 1), ("holdout", 7))
    ]


def read(file):
    return tk.read(file).with_roles(ROLES)


def told(finding):
    """Inference tells every sensitive column on its own."""
    return finding.details.get("sensitive", {}).get("note", finding.details)


def by_id(found):
    return {entry.measure.id: entry for entry in found.entries}


def test_attacks_in_memory_find_what_attacks_on_files_find(files):
    before, after = map(read, files[:2])
    only = ("risk.k-anonymity", "risk.linkage", "risk.simple-matching")
    ours = by_id(tk.attacks(before, after, only=only))
    theirs = by_id(attack(read_sides(*files[:2], Named(ROLES)), only=only))
    assert ours.keys() == theirs.keys() == set(only)
    assert {id: e.after.value for id, e in ours.items()} == {id: e.after.value for id, e in theirs.items()}
    assert ours["risk.linkage"].after.value == pytest.approx(1, abs=0.2)


def test_records_know_where_they_come_from(files):
    before = read(files[0])
    after = before.take(np.random.default_rng(1).permutation(90)[:60])
    found = tk.attacks(before, after, keys=("region", "sex", "age", "income"), only=("risk.linkage",))
    assert found.entries[0].after.value > 0.95
    assert found.entries[0].after.details["searched"] == 90


def test_keys_replace_those_of_the_roles(files):
    before, after = map(read, files[:2])
    found = tk.attacks(before, after, keys=("region",), only=("risk.k-anonymity",))
    assert found.entries[0].after.details["keys"] == ("region",)
    with pytest.raises(NotAnAttack):
        tk.attacks(before, after, only=("risk.nothing",))


def test_a_hold_out_makes_the_legal_criteria_trusted(files):
    before, after, holdout = map(read, files)
    without = by_id(tk.attacks(before, after, only=("risk.singling-out",)))["risk.singling-out"].after
    held = by_id(tk.attacks(before, after, holdout=holdout, only=("risk.singling-out",)))["risk.singling-out"]
    assert without.details["holdout"] == "none"
    assert not without.trusted
    assert held.after.details["holdout"] == "given"
    assert held.after.as_json() == SinglingOut().against(after, before, holdout).as_json()
    assert held.against.file == "holdout"


def test_a_hold_out_by_file_serves_every_legal_criterion_and_is_named(files):
    sides = read_sides(*files[:2], Named(ROLES, holdout=files[2]))
    assert any("holdout.csv" in said.en and "90" in said.en for said in sides.basis)
    found = by_id(attack(sides, only=CRITERIA))
    assert {id: told(entry.after)["holdout"] for id, entry in found.items()} == dict.fromkeys(
        CRITERIA, "given"
    )


def test_a_plan_names_a_hold_out(tmp_path):
    written(tmp_path / "others.csv", people(80, seed=7))
    gate = {"measure": "risk.singling-out", "against": "others.csv", "attacks": 200, "at_most": 1}
    done = run(checked(tmp_path, changed(measures=[], release_if=[gate], steps=[])))
    entry = next(e for e in done.measures if isinstance(e.measure, SinglingOut) and e.against)
    assert entry.after.details["holdout"] == "given"
    assert "80" in entry.after.because.en
    assert "others.csv" in done.inputs


def test_what_has_no_use_for_a_file_says_so(tmp_path):
    written(tmp_path / "others.csv", people(80, seed=7))
    with pytest.raises(PlanWrong) as refused:
        checked(tmp_path, changed(measures=[{"measure": "risk.k-anonymity", "against": "others.csv"}]))
    assert "risk.simple-matching" in refused.value.text("en")
    assert "Vergleichsgruppe" in refused.value.text("de")


def test_members_are_those_whom_the_release_has(files):
    before, _, holdout = map(read, files)
    after = before.take(np.arange(0, 90, 2))
    found = SinglingOut(attacks=50).against(after, before, holdout)
    assert found.details["records"] == 45
