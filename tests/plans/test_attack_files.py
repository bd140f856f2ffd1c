"""Attacks on two files: who is who, which roles, what is run, what is refused."""

import numpy as np
import pytest

from plans.workshop import SECRET, VARIABLE, as_csv, changed, lay_out, people
from tarnkappe.errors.data import ColumnMissing
from tarnkappe.errors.release import NotOurRelease
from tarnkappe.errors.risk import BoundsBroken, IdentityUnclear, NotAnAttack
from tarnkappe.plan.attack import Bounds, attack
from tarnkappe.plan.attack_files import Named, read_sides
from tarnkappe.plan.check import check_file
from tarnkappe.report.release import release
from tarnkappe.vocab import Attacker, Role

ROLES = {Role.KEY: ("region", "sex", "age"), Role.SENSITIVE: ("note",)}
FEW = ("risk.reidentification", "risk.k-anonymity", "risk.l-diversity")


def written(path, columns):
    path.write_text(as_csv(columns), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path):
    return written(tmp_path / "before.csv", people()), written(tmp_path / "after.csv", people())


def test_a_perfect_copy_is_found_whole(files):
    roles = {Role.KEY: ("region", "sex", "age", "income", "wealth"), Role.SENSITIVE: ("note",)}
    found = attack(read_sides(*files, Named(roles)), only=("risk.reidentification", "risk.linkage"))
    for entry in found.entries:
        assert entry.after.value == pytest.approx(1.0), entry.measure
    assert [one.record for one in found.exposed] == list(range(1, 21))


def test_noise_is_not_found(tmp_path, files):
    rng = np.random.default_rng(4)
    keys = ("income", "wealth")
    noise = people() | {n: rng.permutation(people()[n]).tolist() for n in keys}
    after = written(tmp_path / "noise.csv", noise)
    (entry,) = attack(read_sides(files[0], after, Named({Role.KEY: keys})), only=("risk.linkage",)).entries
    assert entry.after.value < 0.1


def test_ids_tell_who_is_who_whatever_the_order(tmp_path, files):
    order = np.random.default_rng(1).permutation(90)[:70]
    mixed = {name: [values[i] for i in order] for name, values in people().items()}
    sides = read_sides(files[0], written(tmp_path / "mixed.csv", mixed), Named(ROLES, identity=("number",)))
    assert sides.after.rows.tolist() == order.tolist()
    assert "number" not in sides.after.columns, "attackers do not have it"
    assert "who is who" in sides.basis[1].en


def test_equally_many_records_are_taken_in_order_and_that_is_said(files):
    sides = read_sides(*files, Named(ROLES))
    assert sides.after.rows.tolist() == list(range(90))
    assert "order" in sides.basis[1].en and "Reihenfolge" in sides.basis[1].de


def test_otherwise_nothing_is_known(tmp_path, files):
    fewer = {name: values[:60] for name, values in people().items()}
    sides = read_sides(files[0], written(tmp_path / "fewer.csv", fewer), Named(ROLES))
    assert (sides.after.rows < 0).all()
    assert "--id" in sides.basis[1].en
    found = attack(sides, only=("risk.linkage", "risk.k-anonymity"))
    assert {e.measure.id: e.after.trusted for e in found.entries}["risk.k-anonymity"]
    assert not any(e.after.trusted for e in found.entries if e.measure.id == "risk.linkage")
    assert found.exposed == ()


def test_a_release_tells_its_roles_and_its_order(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    plan = lay_out(
        tmp_path / "in",
        changed(steps=[{"use": "microdata.generalise", "columns": {"age": 1}}], release_if=[]),
    )
    release(check_file(plan), tmp_path / "out")
    sides = read_sides(tmp_path / "in" / "people.csv", tmp_path / "out", Named())
    assert sides.after.role(Role.KEY) == ("region", "sex", "age")
    assert (sides.after.rows < 0).all(), "its records were shuffled"
    known = read_sides(tmp_path / "in" / "people.csv", tmp_path / "out", Named(plan=check_file(plan)))
    assert known.after.column("age").hierarchy is not None
    found = attack(known, attackers=(Attacker.JOURNALIST,), only=("risk.delta-presence",))
    assert all(e.after.trusted for e in found.entries), (
        "the coarser codes are found in the hierarchy of the plan"
    )


def test_without_roles_they_are_proposed(files):
    sides = read_sides(*files, Named())
    assert sides.after.role(Role.KEY)
    assert "No roles were given" in sides.basis[0].en


def test_all_measures_of_risk_are_run_or_named(files):
    found = attack(read_sides(*files, Named(ROLES)))
    taken, left = {e.measure.id for e in found.entries}, {u.measure.id for u in found.left}
    assert {"risk.k-anonymity", "risk.reidentification", "risk.linkage"} <= taken
    assert "risk.individual" in left
    assert not taken & left
    assert {e.measure.attacker for e in found.entries if hasattr(e.measure, "attacker")} == set(Attacker)


def test_knowledge_is_used_where_it_can_be(tmp_path, files):
    more = people(300, seed=6)
    columns = {n: people()[n] + more[n] for n in ("region", "sex", "age")}
    knowledge = written(tmp_path / "register.csv", columns)
    found = attack(read_sides(*files, Named(ROLES, knowledge=knowledge)), only=("risk.k-map", *FEW))
    held = {e.measure.id for e in found.entries if e.against}
    assert held == {"risk.k-map", "risk.reidentification"}
    assert found.entries[1].against.file == "register.csv"


def test_bounds(files):
    sides = read_sides(*files, Named(ROLES))
    met = attack(sides, only=("risk.k-anonymity",), bounds=Bounds(least={"risk.k-anonymity": 1}))
    met.refuse()
    broken = attack(
        sides, only=FEW[:1], bounds=Bounds(most={"risk.k-anonymity": 0.5, "risk.individual": 0.1})
    )
    with pytest.raises(BoundsBroken) as caught:
        broken.refuse()
    assert "k-anonymity ≤ 0.5" in str(caught.value)
    assert "Individual risk" in str(caught.value), "what could not be measured does not hold"


def test_what_is_wrong(tmp_path, files):
    with pytest.raises(NotAnAttack, match=r"risk\.k-anonymity"):
        attack(read_sides(*files, Named(ROLES)), only=("risk.k-anonimity",))
    with pytest.raises(ColumnMissing):
        read_sides(*files, Named({Role.KEY: ("regoin",)}))
    with pytest.raises(ColumnMissing):
        read_sides(*files, Named(ROLES, identity=("nummer",)))
    with pytest.raises(IdentityUnclear):
        read_sides(*files, Named(ROLES, identity=("region",)))
    with pytest.raises(NotOurRelease):
        read_sides(files[0], tmp_path, Named(ROLES))


def test_a_sensitive_column_that_was_changed(tmp_path, files):
    other = people() | {"note": people()["note"][::-1]}
    after = written(tmp_path / "other.csv", other)
    assert attack(read_sides(files[0], after, Named(ROLES)), only=FEW).changed == ("note",)
    assert attack(read_sides(*files, Named(ROLES)), only=FEW).changed == ()
