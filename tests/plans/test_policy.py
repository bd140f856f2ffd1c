"""No release by omission: the default policy gates what a plan does not, and only a written reason asks for less."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plans.workshop import SECRET, VARIABLE, as_csv, changed, checked, document, people, with_data
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import InputWrong, Refused
from tarnkappe.errors.policy import KeysNeeded, PolicyWrong, RolesNeeded, RuleNeeded
from tarnkappe.errors.release import GateClosed, PlanWrong
from tarnkappe.plan.accept import is_trivial
from tarnkappe.plan.check import check
from tarnkappe.plan.document import parse
from tarnkappe.plan.ledger import Colour
from tarnkappe.plan.looks import look_of
from tarnkappe.plan.policy import Look, policy_of, standard_policies, standard_text
from tarnkappe.plan.policy_gates import default_gates, less_than_policy
from tarnkappe.plan.profile import profile
from tarnkappe.plan.run import run
from tarnkappe.report.about import ANONYMISED, PROTECTED, UNCHANGED, about
from tarnkappe.report.pages import about_page, report_page
from tarnkappe.report.release import release
from tarnkappe.report.verify import signed_in, verify
from tarnkappe.vocab import ReleaseKind, Role

REASON = "Recipients work in our own rooms under supervision."


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def signed(*what: str, **more: Any) -> list[dict[str, Any]]:
    return [{"what": one, "reason": REASON, **more} for one in what]


def nobody_protected(folder: Path, plan: dict[str, Any]) -> Any:
    """Names, birth dates and postcodes: nothing but the file."""
    rng = np.random.default_rng(5)
    n = 60
    columns = people(n)
    rows = {
        "name": columns["name"],
        "birth_date": [f"19{y}-0{m}-1{d}" for y, m, d in zip(rng.integers(40, 99, n), rng.integers(1, 9, n), rng.integers(0, 9, n), strict=True)],
        "postcode": rng.integers(10115, 99998, n).astype(str).tolist(),
        "amount": columns["income"],
    }  # fmt: skip
    return checked(folder, plan, as_csv(rows))


BARE = {"tarnkappe": 1, "title": "Bare", "data": {"file": "people.csv"}}


# -- nothing is released by omission ----------------------------------------------------------------------------------


def test_a_file_that_nobody_described_is_refused(tmp_path):
    plan = nobody_protected(tmp_path, BARE)
    (problem,) = less_than_policy(plan)
    assert "no column has the role key" in problem.says.en
    assert "keine Spalte hat die Rolle key" in problem.says.de
    with pytest.raises(KeysNeeded) as told:
        release(plan, tmp_path / "out")
    assert told.value.exit_code == 3
    assert not (tmp_path / "out").exists()


def test_columns_that_look_like_identifiers_stop_the_run_and_no_value_is_told(tmp_path):
    plan = {**BARE, "data": {"file": "people.csv", "roles": {"key": ["amount"]}}}
    with pytest.raises(RolesNeeded) as told:
        run(nobody_protected(tmp_path, plan))
    said = told.value.text("en")
    assert told.value.exit_code == 3
    assert all(f"'{name}'" in said for name in ("name", "birth_date", "postcode"))
    assert "Ada" not in said


def test_a_role_makes_the_column_pass_also_the_role_other(tmp_path):
    roles = {"identifier": ["name"], "key": ["birth_date"], "other": ["postcode", "amount"]}
    plan = {**BARE, "data": {"file": "people.csv", "roles": roles}}
    done = run(nobody_protected(tmp_path, plan))
    assert done.colour is Colour.REFUSED
    assert any(gate.of_policy and gate.gate and not gate.held for gate in done.gates), "k is 1"


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Vorname", lambda i: "abc"[i % 3]),
        ("q", lambda i: f"p{i % 7}@example.org"),
        ("surname_2", lambda i: f"x{i % 30}"),
    ],
)
def test_names_and_contacts_are_not_made_harmless_by_calling_them_other(tmp_path, header, value):
    columns = people()
    columns[header] = [value(i) for i in range(len(columns["name"]))]
    plan = {
        **BARE,
        "data": {
            "file": "people.csv",
            "roles": {"key": ["sex"], "other": [n for n in columns if n != "sex"]},
        },
        "steps": [{"use": "microdata.drop", "columns": ["name"]}],
    }
    with pytest.raises(RolesNeeded, match=header):
        run(checked(tmp_path, plan, as_csv(columns)))
    run(checked(tmp_path, {**plan, "accept": signed("roles", columns=[header])}, as_csv(columns)))


def test_the_default_gates_what_the_plan_does_not(tmp_path):
    plan = changed(release_if=None, steps=[])
    done = run(checked(tmp_path, plan))
    closed = [gate for gate in done.gates if not gate.held]
    assert [gate.says.en for gate in closed] == ["k-anonymity ≥ 3"]
    assert closed[0].of_policy


@pytest.mark.parametrize(("kind", "k"), [("public-use", 5), ("scientific-use", 3), ("internal", 2)])
def test_every_kind_has_its_own_default(tmp_path, kind, k):
    plan = changed(release_if=None, release={"kind": kind, "formats": ["csv"]})
    assert [gate.at_least for gate in default_gates(checked(tmp_path, plan))] == [k]


def test_a_stricter_gate_of_the_plan_is_not_doubled(tmp_path):
    plan = changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 4}])
    assert not list(default_gates(checked(tmp_path, plan)))


def test_a_gate_of_another_measure_can_take_the_place(tmp_path):
    gate = {"measure": "risk.reidentification", "at_most": 0.3}
    assert not list(default_gates(checked(tmp_path, changed(release_if=[gate]))))
    part = gate | {"keys": ["sex"]}
    assert list(default_gates(checked(tmp_path, changed(release_if=[part])))), "of some keys only"
    weak = gate | {"at_most": 0.9}
    assert list(default_gates(checked(tmp_path, changed(release_if=[weak]))))


def test_keys_that_are_all_dropped_leave_nothing_to_find_by_keys(tmp_path):
    plan = changed(release_if=None, steps=[{"use": "microdata.drop", "columns": ["region", "sex", "age"]}])
    done = run(checked(tmp_path, plan))
    assert [g.held for g in done.gates if g.of_policy] == [True]


# -- less than the default needs a reason -----------------------------------------------------------------------------


def test_a_weaker_gate_is_found_before_data_is_read(tmp_path):
    plan = changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 2}])
    (problem,) = less_than_policy(checked(tmp_path, plan))
    assert problem.place == ("release_if", 0)
    assert "less than the default policy" in problem.says.en
    assert not list(less_than_policy(checked(tmp_path, plan | {"accept": signed("risk.k-anonymity")})))


def test_what_is_accepted_holds_down_to_its_limit(tmp_path):
    plan = changed(release_if=None, steps=[])
    down = plan | {"accept": [*plan["accept"], *signed("risk.k-anonymity", at_least=1)]}
    done = run(checked(tmp_path, down))
    assert done.colour is Colour.SIGNED
    assert [gate.says.en for gate in done.gates if gate.gate] == ["k-anonymity ≥ 1"]
    short = plan | {"accept": [*plan["accept"], *signed("risk.k-anonymity", at_least=2)]}
    assert run(checked(tmp_path, short)).colour is Colour.REFUSED


def test_what_was_accepted_but_reached_all_the_same_is_not_told(tmp_path):
    plan = changed()
    plan["accept"] = [*plan["accept"], *signed("risk.k-anonymity")]
    assert "risk.k-anonymity" not in {one.what for one in run(checked(tmp_path, plan)).accepted}


@pytest.mark.parametrize("reason", ["", " ", "ok", "because because because because", "12 34 56 78 90 12 34 56", "Approved by Ms X"])  # fmt: skip
def test_a_trivial_reason_is_refused(tmp_path, reason):
    plan = changed(accept=[{"what": "risk.k-anonymity", "reason": reason}])
    with pytest.raises(InputWrong, match=r"accept\[1\]"):
        checked(tmp_path, plan)
    assert is_trivial(reason, standard_policies()[ReleaseKind.PUBLIC].reason)
    assert not is_trivial(REASON, standard_policies()[ReleaseKind.PUBLIC].reason)


@pytest.mark.parametrize(
    "wrong",
    [
        {"what": "risk.k-anonimity"}, {"what": "roles"}, {"what": "rules"}, {"what": "keys", "at_least": 2},
        {"what": "risk.k-anonymity", "columns": ["sex"]}, {"what": "roles", "columns": ["a"], "tables": ["t"]},
    ],
)  # fmt: skip
def test_what_cannot_be_accepted_is_told(tmp_path, wrong):
    with pytest.raises(PlanWrong, match="accept"):
        checked(tmp_path, changed(accept=[{"reason": REASON, **wrong}]))


def test_columns_can_stay_without_a_role_for_a_reason(tmp_path):
    columns = people()
    columns["religion"] = columns["note"]
    plan = changed()
    with pytest.raises(RolesNeeded, match="special category"):
        run(checked(tmp_path, plan, as_csv(columns)))
    plan["accept"] = [*plan["accept"], *signed("roles", columns=["religion"])]
    done = run(checked(tmp_path, plan, as_csv(columns)))
    assert [one.what for one in done.less] == ["roles"]


def test_the_reason_stands_in_every_document(tmp_path):
    plan = changed(release_if=None, steps=[])
    plan["accept"] = [*plan["accept"], *signed("risk.k-anonymity")]
    done = release(checked(tmp_path / "in", plan), tmp_path / "out")
    told = {
        name: (tmp_path / "out" / name).read_text("utf-8")
        for name in (
            "about.html",
            "about.json",
            "certificate.json",
            "internal/report.html",
            "internal/ledger.json",
        )
    }
    assert all(REASON in text for text in told.values())
    for name in ("certificate.json", "internal/ledger.json"):
        assert json.loads(told[name])["verdict"] == "signed"
    verify(tmp_path / "out")
    assert [one.what for one in signed_in(tmp_path / "out")] == [one.what for one in done.accepted]


# -- the policy is data -----------------------------------------------------------------------------------------------


def test_an_office_has_its_own_policy(tmp_path):
    own = standard_text().replace("at_least: 3\n        instead", "at_least: 40\n        instead")
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "ours.yaml").write_text(own)
    plan = changed(release_if=None, release={"formats": ["csv"], "policy": "ours.yaml"})
    done = run(checked(tmp_path, plan))
    assert [gate.says.en for gate in done.gates if not gate.held] == ["k-anonymity ≥ 40"]
    assert "ours.yaml" in done.inputs


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: c["kinds"].pop("scientific-use"), "nothing for scientific-use"),
        (lambda c: c["kinds"]["scientific-use"]["gates"][0].update(measure="risk.k"), "risk.k"),
        (lambda c: c["kinds"]["scientific-use"]["gates"][0].pop("at_least"), "at_least"),
        (lambda c: c["kinds"]["scientific-use"]["roles"].update(looks=["ugly"]), "looks"),
        (lambda c: c.pop("tarnkappe_policy"), "tarnkappe_policy"),
    ],
)
def test_a_policy_that_cannot_be_used(tmp_path, change, says):
    content = copy.deepcopy(parse(standard_text()).content)
    change(content)
    from tarnkappe.plan.document import to_yaml

    (tmp_path / "ours.yaml").write_text(to_yaml(content))
    with pytest.raises(PolicyWrong, match=says):
        policy_of(ReleaseKind.SCIENTIFIC, "ours.yaml", tmp_path)
    plan = changed(release={"policy": "ours.yaml"})
    with pytest.raises(PlanWrong, match="policy"):
        check(document(plan), tmp_path)


@pytest.mark.parametrize("left_out", ["roles", "gates", "findings", "tables"])
def test_what_a_policy_of_an_office_leaves_out_is_as_in_the_default(tmp_path, left_out):
    parts = {"roles": {"needed": [], "looks": []}, "gates": [], "findings": [], "tables": {}}
    del parts[left_out]
    (tmp_path / "own.yaml").write_text(json.dumps({"tarnkappe_policy": 1, "kinds": {"public-use": parts}}))
    own, default = (
        policy_of(ReleaseKind("public-use"), "own.yaml", tmp_path),
        standard_policies()[ReleaseKind("public-use")],
    )
    asked = {"roles": "roles", "gates": "gates", "findings": "findings", "tables": "least"}
    assert [name for name, part in asked.items() if getattr(own, part) == getattr(default, part)] == [
        left_out
    ]


def test_a_policy_that_is_not_there_is_told_among_the_files(tmp_path):
    with pytest.raises(PlanWrong, match=r"release.policy: there is no such file"):
        checked(tmp_path, changed(release={"policy": "none.yaml"}))


def test_every_limit_says_why_and_what_would_help_in_both_languages():
    for policy in standard_policies().values():
        for one in (*policy.gates, *policy.findings):
            assert one.why.en != one.why.de
            assert one.helps.en != one.helps.de


# -- three colours ----------------------------------------------------------------------------------------------------


def test_what_stands_out_and_is_not_signed_is_no_release(tmp_path):
    done = run(checked(tmp_path, changed(accept=None)))
    assert done.colour is Colour.REFUSED
    assert {one.what for one in done.standing} == {"risk.further-keys"}
    assert all(one.why and one.helps and not one.reason for one in done.standing)
    with pytest.raises(GateClosed) as told:
        release(checked(tmp_path, changed(accept=None)), tmp_path / "out")
    assert "Next: " in told.value.text("en")
    assert "accept: what: risk.further-keys" in told.value.text("en")
    assert not (tmp_path / "out").exists()


def test_a_signature_reaches_as_far_as_it_says(tmp_path):
    plan = changed()
    bounded = [
        one | ({"at_most": 0.11} if one["what"] == "risk.further-keys" else {}) for one in plan["accept"]
    ]
    done = run(checked(tmp_path, plan | {"accept": bounded}))
    assert [one.what for one in done.standing if not one.reason] == ["risk.further-keys"]


def test_signed_and_clear(tmp_path):
    assert run(checked(tmp_path, changed())).colour is Colour.SIGNED
    bands = {"use": "microdata.drop", "columns": ["income", "wealth", "note", "age"]}
    clear = run(checked(tmp_path, changed(steps=[bands], accept=None)))
    assert (clear.colour, clear.standing, clear.accepted) == (Colour.CLEAR, (), ())


def test_pseudonyms_are_no_further_keys(tmp_path):
    drop = {"use": "microdata.drop", "columns": ["income", "wealth", "note", "age"]}
    named = {"use": "microdata.pseudonymise", "columns": ["number"]}
    done = run(checked(tmp_path, changed(steps=[named, drop], accept=None)))
    assert "risk.further-keys" not in {one.what for one in done.standing}


@pytest.mark.parametrize(("lang", "words"), [("en", "What stands out"), ("de", "Was auffällt")])
def test_the_report_shows_what_stands_out(tmp_path, lang, words):
    done = run(checked(tmp_path, changed()))
    page = report_page(done, lang)
    assert words in page
    assert 'class="light mid"' in page
    assert "Made-up people" in page


# -- the word anonymised ----------------------------------------------------------------------------------------------


def test_anonymised_is_said_only_where_a_step_protected_and_its_conditions_held(tmp_path):
    protected = run(checked(tmp_path, changed()))
    assert about(protected)["anonymised"]["en"] == ANONYMISED.en
    untouched = changed(steps=[], release_if=None)
    untouched["accept"] = [*untouched["accept"], *signed("risk.k-anonymity")]
    bare = run(checked(tmp_path, untouched))
    assert about(bare)["anonymised"]["de"] == UNCHANGED.de
    assert all("nonymis" not in about_page(bare, lang).split("<main")[1] for lang in ("en", "de"))
    little = untouched | {"steps": [{"use": "microdata.round", "columns": ["wealth"], "base": 10}]}
    assert about(run(checked(tmp_path, little)))["anonymised"]["en"] == PROTECTED.en


# -- tables -----------------------------------------------------------------------------------------------------------

TABLE = {"name": "t", "by": ["region"], "protect": {"use": "table.quader"}}


def test_a_table_without_a_rule_is_refused_before_and_after_reading(tmp_path):
    plan = changed(steps=None, release_if=None, tables=[TABLE])
    (problem,) = less_than_policy(checked(tmp_path, plan))
    assert problem.place == ("tables", 0)
    (tmp_path / "cells.csv").write_text("region,value\nTotal,3\nN,1\nS,2\n")
    cells = {**BARE, "data": None, "tables": [TABLE | {"file": "cells.csv"}]}
    with pytest.raises(RuleNeeded) as told:
        run(check(document(cells), tmp_path))
    assert told.value.exit_code == 2
    assert "rule.minimum-frequency" in told.value.text("en")
    accepted = cells | {"accept": signed("rules", tables=["t"])}
    done = run(check(document(accepted), tmp_path))
    assert done.colour is Colour.SIGNED


def test_marks_in_the_file_and_methods_with_a_rule_of_their_own_say_what_needs_protection(tmp_path):
    (tmp_path / "cells.csv").write_text("region,value,status\nTotal,9,\nN,1,u\nS,5,\nW,3,\n")
    quader = TABLE | {"file": "cells.csv"}
    assert run(check(document({**BARE, "data": None, "tables": [quader]}), tmp_path)).tables
    rounded = quader | {"protect": {"use": "table.round-conventional"}}
    assert run(check(document({**BARE, "data": None, "tables": [rounded]}), tmp_path)).tables


def test_a_weaker_rule_needs_a_reason(tmp_path):
    weak = TABLE | {"rules": [{"use": "rule.minimum-frequency", "n": 2}]}
    plan = changed(steps=None, release_if=None, tables=[weak])
    assert [p.place for p in less_than_policy(checked(tmp_path, plan))] == [("tables", 0, "rules")]
    fine = plan | {"accept": signed("rules", tables=["t"])}
    assert not list(less_than_policy(checked(tmp_path, fine)))


# -- only strong looks ------------------------------------------------------------------------------------------------


def looked(name: str, values: list[str] | np.ndarray[Any, Any]) -> Look | None:
    column = Column.numbers_of(values) if isinstance(values, np.ndarray) else Column.texts_of(values)
    (one,) = profile(Microdata({name: column}))
    found = look_of(one)
    return found.look if found else None


MANY = [f"w{i} x" for i in range(60)]
FEW = ["a", "b", "c"] * 20


@pytest.mark.parametrize(
    ("name", "values", "look"),
    [
        ("surname", MANY, Look.IDENTIFIER),
        ("Nachname", MANY, Look.IDENTIFIER),
        ("Nachname", FEW, Look.IDENTIFIER),
        ("First_Name", FEW, Look.IDENTIFIER),
        ("lastName1", FEW, Look.IDENTIFIER),
        ("kontakt", [f"p{i}@example.org" for i in range(60)], Look.IDENTIFIER),
        ("x1", MANY, Look.IDENTIFIER),
        ("row", np.arange(60), Look.IDENTIFIER),
        ("religion", FEW, Look.SPECIAL),
        ("Diagnose", FEW, Look.SPECIAL),
        ("c7", [f"{letter}{i:02d}.1" for letter in "EFGJ" for i in range(10, 25)] * 2, Look.SPECIAL),
        ("PLZ", [str(10115 + 13 * i) for i in range(60)], Look.PLACE_AND_BIRTH),
        ("birthdate", [f"19{i + 10}-01-02" for i in range(60)], Look.PLACE_AND_BIRTH),
        ("age", np.arange(60) % 40, Look.KNOWN),
        ("company", FEW, None),
        ("mobile", ["yes", "no"] * 30, None),
        ("note", FEW, None),
        ("treatment", FEW, None),
        ("party", FEW, None),
        ("claims_number", np.arange(60) % 5, None),
        ("turnover", np.linspace(0.5, 99.5, 60), None),
        ("q17", np.arange(60) % 7, None),
        ("name", ["same"] * 60, None),
    ],
)
def test_strong_looks_and_no_others(name, values, look):
    assert looked(name, values) == look


def test_what_a_step_drops_needs_no_role(tmp_path):
    columns = people()
    columns["religion"] = columns["note"]
    plan = changed()
    plan["steps"] = [{"use": "microdata.drop", "columns": ["religion"]}, *plan["steps"]]
    assert run(checked(tmp_path, plan, as_csv(columns))).released


def test_public_use_wants_a_role_for_what_others_know(tmp_path):
    roles = {role: names for role, names in with_data()["data"]["roles"].items() if role != "key"}
    plan = with_data(roles=roles | {"key": ["region", "sex"]}, hierarchies=None) | {
        "steps": [],
        "release_if": [],
    }
    kind = {"release": {"kind": "public-use", "formats": ["csv"]}}
    with pytest.raises(Refused, match="'age'"):
        run(checked(tmp_path, plan | kind))
    assert Role.KEY in standard_policies()[ReleaseKind.PUBLIC].roles.needed
