"""What is measured in every run, and what is said of the rest."""

import pytest

from plans.workshop import as_csv, changed, checked, people, with_data
from tarnkappe.plan.exposed import HEADER, MOST, as_rows
from tarnkappe.plan.ledger import ledger
from tarnkappe.plan.routine import ROUTINE
from tarnkappe.plan.run import run
from tarnkappe.spec import catalogue


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    return run(checked(tmp_path_factory.mktemp("routine")))


def test_every_measure_of_risk_is_taken_or_left_out_with_a_reason(done):
    taken = {e.measure.id for e in done.measures}
    left = {u.measure.id: u.because for u in done.unmeasured}
    risks = {cls.id for cls in catalogue.measures() if cls.id.startswith("risk.")}
    assert risks <= taken | set(left)
    assert not taken & set(left)
    assert all(because.en and because.de for because in left.values())
    assert {u["id"] for u in ledger(done)["unmeasured"]} == set(left)


def test_what_the_data_has_no_column_for_is_told(done):
    left = {u.measure.id: u.because.en for u in done.unmeasured}
    assert "role 'sensitive'" in left["risk.l-diversity"]
    assert "role 'weight'" in left["risk.individual"]
    assert "on request" in left["risk.suda"]


def test_the_ids_exist_or_are_still_to_come():
    ids = [one.id for one in ROUTINE]
    assert len(ids) == len(set(ids))
    assert {"risk.k-anonymity", "risk.reidentification", "risk.attribution"} <= {
        i for i in ids if i in catalogue
    }


def test_every_attacker_of_the_plan_is_measured_on_both_sides(tmp_path):
    gone = {"use": "microdata.suppress-records", "records": [1, 2], "budget": 0.1}
    plan = changed(release={"attackers": ["journalist", "marketer"]}, steps=[gone], release_if=[])
    done = run(checked(tmp_path, plan))
    found = [e for e in done.measures if e.measure.id == "risk.reidentification"]
    assert [e.measure.attacker.value for e in found] == ["journalist", "marketer"]
    assert {e.measure.population for e in found} == {"original"}, (
        "records were suppressed: the file is a part"
    )
    for entry in found:
        assert len(entry.before.per_record) == len(done.before)
        assert len(entry.after.per_record) == len(done.after)


def test_weights_tell_the_population(tmp_path):
    columns = people()
    columns["w"] = ["10"] * 90
    named = {"identifier": ["name", "number"], "key": ["region", "sex", "age"], "weight": "w"}
    plan = with_data(roles=named)
    plan |= {"release": {"attackers": ["journalist"]}, "steps": [], "release_if": []}
    found = {e.measure.id: e for e in run(checked(tmp_path, plan, as_csv(columns))).measures}
    assert found["risk.reidentification"].measure.population == "weights"
    assert "risk.individual" in found


def test_too_many_sets_of_keys_are_not_routine(tmp_path, monkeypatch):
    monkeypatch.setattr("tarnkappe.plan.routine.MOST_COUNTED", 90 * 2**3 - 1)
    left = {u.measure.id: u.because for u in run(checked(tmp_path)).unmeasured}
    assert "too costly for every run with 90 records" in left["risk.attribution"].en
    assert "90 Datensätzen" in left["risk.attribution"].de


def test_what_the_policy_asks_for_is_measured_whatever_the_effort(tmp_path, monkeypatch):
    """A finding that must be signed is not left out because a file is large."""
    monkeypatch.setattr("tarnkappe.plan.routine.MOST_ADDED", 1)
    monkeypatch.setattr("tarnkappe.plan.routine.MOST_COMPARED", 1)
    done = run(checked(tmp_path))
    costly = {"risk.further-keys", "risk.linkage"}
    assert costly <= {condition.id for condition in done.plan.policy.findings}
    assert costly <= {entry.measure.id for entry in done.measures}
    assert not costly & {left.measure.id for left in done.unmeasured}


def test_tables_alone_have_no_routine(tmp_path):
    plan = changed(
        steps=None, release_if=None,
        tables=[{"name": "t", "by": ["region"], "rules": [{"use": "rule.minimum-frequency", "n": 3}]}],
    )  # fmt: skip
    done = run(checked(tmp_path, plan))
    assert (done.measures, done.unmeasured, done.exposed) == ((), (), ())


# -- the riskiest records ---------------------------------------------------------------------------------------------


def test_the_riskiest_records_are_those_that_are_found_most_surely(done):
    k = next(e for e in done.measures if e.measure.id == "risk.k-anonymity")
    rows = dict(zip(done.after.rows.tolist(), k.after.per_record.tolist(), strict=True))
    was = k.before.per_record
    assert len(done.exposed) == MOST
    for one in done.exposed:
        assert one.fitting == rows[one.record - 1]
        assert one.after == pytest.approx(1 / one.fitting)
        assert one.before == pytest.approx(1 / was[one.record - 1])
        assert one.learnt is None, "there is no sensitive column"
    listed = {one.record - 1 for one in done.exposed}
    others = [fit for row, fit in rows.items() if row not in listed]
    assert max(one.fitting for one in done.exposed) <= min(others)
    order = [(-one.after, -one.before, one.record) for one in done.exposed]
    assert order == sorted(order)


def test_the_key_by_which_a_record_stands_out(tmp_path):
    columns = people()
    columns["region"] = ["north"] * 90
    columns["sex"] = ["f"] * 89 + ["m"]
    columns["age"] = ["30"] * 90
    done = run(checked(tmp_path, changed(steps=[], release_if=[]), as_csv(columns)))
    first = done.exposed[0]
    assert (first.record, first.fitting, first.after, first.key) == (90, 1, 1.0, "sex")


def test_a_sensitive_value_that_is_known_comes_first(tmp_path):
    columns = people()
    columns |= {"region": ["north"] * 45 + ["south"] * 45, "sex": ["f"] * 90, "age": ["30"] * 90}
    columns["note"] = ["calm", "fair", "storm"] * 15 + ["calm"] * 45
    named = {"identifier": ["name", "number"], "key": ["region", "sex", "age"], "sensitive": ["note"]}
    plan = with_data(roles=named)
    plan |= {"steps": [], "release_if": []}
    done = run(checked(tmp_path, plan, as_csv(columns)))
    assert [one.learnt for one in done.exposed] == [True] * MOST
    assert {one.record for one in done.exposed} <= set(range(46, 91))


def test_the_file_holds_places_and_no_values(done):
    header, rows = as_rows(done.exposed)
    assert header == HEADER
    assert {row[4] for row in rows} <= {"region", "sex", "age"}
    values = {v for column in people().values() for v in column if not v.isdigit()}
    assert not values & {cell for row in rows for cell in row}
    assert done.kept_files["riskiest-records.csv"] == (header, rows)


def test_records_that_a_method_made_up_are_nobodys(tmp_path):
    plan = changed(steps=[{"use": "microdata.clone", "k": 3, "columns": ["income"]}], release_if=[])
    done = run(checked(tmp_path, plan))
    assert (done.after.rows < 0).any()
    assert all(1 <= one.record <= 90 for one in done.exposed)
