"""Registers that attackers have, named by gates and measures of a plan."""

import numpy as np
import pytest

from plans.workshop import as_csv, changed, checked, people
from tarnkappe.errors.release import PlanWrong
from tarnkappe.errors.risk import RegisterColumn, RegisterTooSmall
from tarnkappe.plan.ledger import ledger
from tarnkappe.plan.model import RegisterDescription
from tarnkappe.plan.run import run
from tarnkappe.risk.k_map import KMap

KEYS = ("region", "sex", "age")


def register(size=400, names=KEYS, seed=1):
    """The persons of the data come first."""
    inside, outside = people(seed=seed), people(size, seed=9)
    return {name: inside[name] + outside[name] for name in names}


def planned(folder, *measures, gates=(), columns=None, attackers=("prosecutor",)):
    (folder / "register.csv").write_text(as_csv(register() if columns is None else columns), encoding="utf-8")
    plan = changed(
        measures=list(measures), release_if=list(gates), steps=[], release={"attackers": list(attackers)}
    )
    return checked(folder, plan)


@pytest.mark.parametrize("said", ["register.csv", {"file": "register.csv", "separator": ","}])
def test_a_gate_is_held_against_a_register(tmp_path, said):
    gate = {"measure": "risk.k-map", "against": said, "at_least": 1}
    done = run(planned(tmp_path, gates=[gate]))
    entry = next(e for e in done.measures if isinstance(e.measure, KMap))
    assert done.gates[0].held
    assert entry.against.file == "register.csv"
    assert entry.after.details["persons"] == 490
    assert "register.csv" in done.inputs, "its hash belongs to the ledger"
    assert next(m for m in ledger(done)["measures"] if m["id"] == "risk.k-map")["against"] == "register.csv"


def test_the_count_is_that_of_the_register(tmp_path):
    done = run(planned(tmp_path, {"use": "risk.k-map", "against": "register.csv"}))
    rows = list(zip(*register().values(), strict=True))
    entry = next(e for e in done.measures if isinstance(e.measure, KMap))
    expected = min(rows.count(row) for row in rows[:90])
    assert entry.after.value == entry.before.value == expected


def test_the_journalist_has_the_register_and_the_prosecutor_does_not(tmp_path):
    attackers = ("prosecutor", "journalist", "marketer")
    done = run(planned(tmp_path, {"use": "risk.k-map", "against": "register.csv"}, attackers=attackers))
    found = {e.measure.attacker.value: e for e in done.measures if e.measure.id == "risk.reidentification"}
    assert set(found) == set(attackers)
    assert found["prosecutor"].against is None
    assert (
        found["journalist"].against == found["marketer"].against == RegisterDescription(file="register.csv")
    )
    risk = {who: float(np.mean(e.after.per_record)) for who, e in found.items()}
    assert risk["prosecutor"] > risk["journalist"]


def test_the_same_measure_with_and_without_a_register_are_two(tmp_path):
    plain = {"use": "risk.reidentification", "population": "original", "attacker": "journalist"}
    done = run(planned(tmp_path, plain, {**plain, "against": "register.csv"}))
    taken = [e.against for e in done.measures if e.measure.id == "risk.reidentification"]
    assert taken[:2] == [None, RegisterDescription(file="register.csv")]


def test_numbers_of_a_register_are_read_as_those_of_the_data(tmp_path):
    """Regions are codes with leading zeros in the plan; in the register they look like numbers."""
    columns = people()
    columns["region"] = ["01" if r == "north" else "2" for r in columns["region"]]
    (tmp_path / "register.csv").write_text(as_csv({n: columns[n] for n in KEYS}), encoding="utf-8")
    plan = changed(steps=[], release_if=[], measures=[{"use": "risk.k-map", "against": "register.csv"}])
    plan["data"]["types"] = {"region": "category", "age": "category"}
    plan["data"].pop("hierarchies")
    done = run(checked(tmp_path, plan, as_csv(columns)))
    entry = next(e for e in done.measures if isinstance(e.measure, KMap))
    assert entry.after.trusted or "register" not in entry.after.because.en


def test_a_column_says_who_is_who(tmp_path):
    columns = register(names=("name", *KEYS))
    said = {"file": "register.csv", "identity": "name"}
    attack = {"use": "risk.linkage", "against": said, "keys": list(KEYS)}
    columns["name"][90:] = [f"other {i}" for i in range(400)]
    done = run(planned(tmp_path, attack, columns=columns))
    entry = next(e for e in done.measures if e.measure.id == "risk.linkage" and e.against)
    assert entry.after.details["in_release"] == 90


# -- what is wrong with it ------------------------------------------------------------------------------------------


def problems(folder, **parts):
    with pytest.raises(PlanWrong) as caught:
        checked(folder, changed(**parts))
    return str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    said = problems(tmp_path, measures=[{"use": "risk.k-map", "against": "peple.csv"}])
    assert "measures[1].against: there is no such file. Did you mean 'people.csv'?" in said


def test_a_file_outside_of_the_folder(tmp_path):
    gate = {"measure": "risk.k-map", "against": "../register.csv", "at_least": 2}
    assert "release_if[1].against" in problems(tmp_path, release_if=[gate])


def test_a_measure_that_takes_none(tmp_path):
    gate = {"measure": "risk.k-anonymity", "against": "people.csv", "at_least": 2}
    said = problems(tmp_path, release_if=[gate])
    assert (
        "release_if[1].against: risk.k-anonymity is not held against a register or a hold-out; these are:"
        in said
    )
    assert "risk.k-map" in said


@pytest.mark.parametrize("against", [5, {"fil": "people.csv"}, {"file": ""}, []])
def test_a_description_that_does_not_fit(tmp_path, against):
    assert "measures[1].against" in problems(tmp_path, measures=[{"use": "risk.k-map", "against": against}])


def test_a_register_without_a_key(tmp_path):
    plan = planned(
        tmp_path, {"use": "risk.k-map", "against": "register.csv"}, columns=register(names=("region", "sex"))
    )
    with pytest.raises(RegisterColumn, match="'register.csv' has no column 'age'"):
        run(plan)


def test_a_key_that_is_dropped_need_not_be_in_the_register(tmp_path):
    plan = changed(
        measures=[{"use": "risk.k-map", "against": "register.csv"}],
        steps=[{"use": "microdata.drop", "columns": ["age"]}],
        release_if=[],
    )
    (tmp_path / "register.csv").write_text(as_csv(register(names=("region", "sex"))), encoding="utf-8")
    entry = next(e for e in run(checked(tmp_path, plan)).measures if isinstance(e.measure, KMap))
    assert entry.after.value > 1
    assert entry.before is None


def test_a_register_that_is_too_small(tmp_path):
    small = {name: values[:50] for name, values in register().items()}
    with pytest.raises(RegisterTooSmall):
        run(planned(tmp_path, {"use": "risk.k-map", "against": "register.csv"}, columns=small))
