"""Relations that a plan declares: read with their place, held against the columns and the values of the data."""

from __future__ import annotations

import pytest

from plans.workshop import SECRET, VARIABLE, as_csv, changed, checked, people
from tarnkappe.errors.relations import RelationBroken
from tarnkappe.errors.release import PlanWrong
from tarnkappe.plan.prepare import prepare


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def laid_out(folder, relations, *, fault=0):
    columns = people()
    columns["double"] = [str(2 * int(w) + (7 if i < fault else 0)) for i, w in enumerate(columns["wealth"])]
    return checked(folder, changed(relations=relations), as_csv(columns))


def test_a_plan_declares_relations(tmp_path):
    plan = laid_out(tmp_path, ["double = 2 * wealth", "wealth <= double"])
    assert [r.sense for r in plan.relations] == ["=", "<="]
    assert "double" in prepare(plan).names


def test_what_cannot_be_read_and_what_is_not_there_is_told_with_its_line(tmp_path):
    with pytest.raises(PlanWrong) as problem:
        laid_out(tmp_path, ["double = wealth", "double = = wealth"])
    assert ("relations", 1) in problem.value.places
    assert "relation.unreadable" in str(problem.value)
    with pytest.raises(PlanWrong) as problem:
        prepare(laid_out(tmp_path, ["doubl = 2 * wealth"]))
    assert "Did you mean 'double'" in str(problem.value)
    with pytest.raises(PlanWrong, match="numbers"):
        prepare(laid_out(tmp_path, ["double = 2 * region"]))


def test_a_relation_that_the_data_breaks_is_refused_with_the_number_of_records(tmp_path):
    with pytest.raises(RelationBroken) as problem:
        prepare(laid_out(tmp_path, ["double = 2 * wealth"], fault=3))
    assert problem.value.facts["count"] == 3
    assert problem.value.facts["records"] == 90
