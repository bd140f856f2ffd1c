"""What needs no data is found by check: roles, hierarchies, columns that are gone, and a secret that is there but weak."""

import pytest

from tarnkappe.errors.release import PlanWrong
from tarnkappe.plan.check import check
from tarnkappe.plan.document import parse

HEAD = "tarnkappe: 1\ntitle: t\ndata: {file: f.csv, roles: {key: [a, b], numeric: [x], sensitive: [s]}, hierarchies: {a: {digits: [1, 2]}}}\n"


@pytest.fixture
def problems(tmp_path):
    (tmp_path / "f.csv").write_text("a,b,x,s,w\n")

    def found(text, head=HEAD):
        try:
            check(parse(head + text), tmp_path)
        except PlanWrong as problem:
            return problem.text("en")
        return ""

    return found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("measures: [risk.individual]", "line 4, measures[1]: risk.individual needs a column with the role weight"),
        ("measures: [risk.individual]", "or say population"),
        ("measures: [risk.weight-leakage]", "needs a column with the role weight; give one this role under data: roles"),
        ("release_if: [{measure: risk.k-map, at_least: 3}]", "needs a column with the role weight"),
        ("measures: [risk.series-breaks]", "needs a column with the role unit or owner"),
        ("steps: [{use: microdata.mdav, columns: [x], k: 3, weighted: true}]", "needs a column with the role weight"),
        ("steps: [{use: microdata.drop, columns: [a, b]}]\nmeasures: [risk.uniques]", "role key, and the steps leave none"),
        ("steps: [{use: microdata.drop, columns: [x]}, {use: microdata.mdav, columns: [x], k: 3}]", "'x', which an earlier step drops"),
        ("steps: [{use: microdata.drop, columns: [b]}]\nmeasures: [{measure: risk.uniques, keys: [b]}]", "an earlier step drops"),
        ("steps: [{use: microdata.generalise, columns: {b: 1}}]", "Column 'b' has no hierarchy"),
        ("measures: [{measure: risk.l-diversity, keys: [s]}]", "'s'"),
    ],
)  # fmt: skip
def test_what_will_be_refused_is_told(problems, text, says):
    assert says in problems(text)


@pytest.mark.parametrize(
    "text",
    [
        "measures: [{measure: risk.individual, population: 10000}, risk.uniques, risk.l-diversity]",
        "measures: [risk.reidentification]",  # the prosecutor needs no population
        "steps: [{use: microdata.generalise, columns: {a: 1}}]",
        "steps: [{use: microdata.drop, columns: [b]}]\nmeasures: [risk.uniques, utility.recoding]",
        "steps: [{use: microdata.suppress-records, records: [1]}]",
    ],
)
def test_what_lacks_nothing_passes(problems, text):
    assert problems(text) == ""


def test_no_roles_at_all(problems):
    head = "tarnkappe: 1\ntitle: t\ndata: {file: f.csv}\n"
    text = (
        "steps: [{use: microdata.local-suppression, k: 3}]\nmeasures: [risk.l-diversity, risk.linkability]\n"
    )
    said = problems(text, head)
    assert said.count("needs a column with the role key") == 3
    assert "role sensitive" in said
    assert "role numeric or sensitive" in said


@pytest.mark.parametrize("way", ["file", "environment"])
def test_a_secret_that_is_weak_is_told_by_check(problems, tmp_path, monkeypatch, way):
    weak = "a" * 64
    if way == "environment":
        monkeypatch.setenv("TARNKAPPE_SECRET_MINE", weak)
    else:
        folder = tmp_path / ".tarnkappe/secrets"
        folder.mkdir(parents=True)
        (folder / "mine").write_text(weak)
        (folder / "mine").chmod(0o600)
    said = problems("seed: {secret: mine}\nsteps: [{use: microdata.drop, columns: [b]}]")
    assert "line 4, seed.secret" in said
    assert weak not in said


def test_check_draws_no_secret(problems, tmp_path):
    assert problems("seed: {secret: mine}\nsteps: [{use: microdata.drop, columns: [b]}]") == ""
    assert not (tmp_path / ".tarnkappe").exists()
