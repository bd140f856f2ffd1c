"""about.json and certificate.json: what the public may know, all of it, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from surfaces.report_runs import SECRET, STRENGTH, Shift, made, make_run, persons
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.release import GateClosed
from tarnkappe.language import Text
from tarnkappe.plan.ledger import GateEntry
from tarnkappe.plan.model import Gate
from tarnkappe.report.about import MOST_VALUES, about
from tarnkappe.report.certificate import certificate


@pytest.fixture(scope="module")
def run():
    steps = (
        made("microdata.drop", columns=["name"]),
        made("microdata.generalise", columns={"town": 1}),
        made("microdata.suppress-cells", values={"job": ["astronaut"]}, lone="allow"),
        Shift(columns=("income",)),
        made("microdata.suppress-records", records=[3, 4, 5]),
    )
    gates = (
        Gate(made("risk.k-anonymity"), at_least=3.0),
        Gate(made("utility.moments", columns=["rent"]), at_most=0.25),
    )
    return make_run(persons(), *steps, gates=gates, title="Persons")


def column(document, name):
    return next(c for c in document["columns"] if c["name"] == name)


def test_about_says_what_the_receiver_needs(run):
    said = about(run)
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert said["title"] == "Persons"
    assert said["release"]["kind"] == "scientific-use"
    assert said["date"] == "2026-03-14"
    assert said["records"] == 197
    assert [m["id"] for m in said["methods"]][-2:] == ["microdata.shift", "microdata.suppress-records"]
    assert said["methods"][3]["columns"] == ["income"]
    assert said["corrections"][-1]["step"] >= 4
    shift = next(c for c in said["corrections"] if c["method"] == "microdata.shift")
    assert shift["facts"] == {"income": {"distribution": "point", "mean": 1}}
    assert {"en": "keep totals", "de": "Summen erhalten"} in next(
        m for m in said["limits"] if m["method"] == "microdata.shift"
    )["does_not"]
    assert "apostrophe" in said["spreadsheets"]["en"]


def test_about_describes_every_released_column(run):
    said = about(run)
    assert [c["name"] for c in said["columns"]] == list(run.after.names)
    town = column(said, "town")
    assert town["label"] == "Town"
    assert town["kind"] == "category"
    assert [r["role"] for r in town["roles"]] == ["key"]
    assert [v["value"] for v in town["values"]] == ["north", "south"]
    assert town["treatment"][0]["does"]["en"]
    assert column(said, "sex")["values"] == [
        {"value": "f", "label": "female"},
        {"value": "m", "label": "male"},
    ]
    assert column(said, "sex")["treatment"] == []
    assert column(said, "income")["share_missing"] == pytest.approx(27 / 197)
    assert column(said, "income")["empty"] == "missing"


def test_about_takes_labels_from_the_hierarchy():
    tree = from_tree("town", {"north": ["n1", "n2"], "south": ["s1"]})
    labels = np.array([f"label of {code}" for code in tree.codes], dtype=object)
    data = persons()
    towns = replace(data.column("town"), hierarchy=replace(tree, labels=labels))
    run = make_run(data.with_columns({"town": towns}).without(["name"]), measures=())
    assert column(about(run), "town")["values"][0] == {"value": "n1", "label": "label of n1"}


def test_one_or_two_cells_have_no_share(run):
    said = column(about(run), "job")
    assert said["share_suppressed"] is None
    assert said["share_missing"] == 0
    assert said["empty"] == "suppressed"


def test_the_value_under_a_suppressed_cell_is_nowhere(run):
    assert "astronaut" not in json.dumps(about(run))
    assert "astronaut" not in json.dumps(certificate(run, {}))


@pytest.mark.parametrize("document", [about, lambda run: certificate(run, {"data.csv": "ab"})])
def test_no_parameter_no_seed_and_nothing_of_the_original(run, document):
    text = json.dumps(document(run), ensure_ascii=False)
    for secret in (
        str(STRENGTH),
        "strength",
        SECRET,
        run.secret,
        "survey",
        "Person ",
        '"name": "name"',
        "200",
        'data.csv": "abab',
    ):
        assert secret not in text, secret


def test_internal_gates_and_their_findings_stay_inside(run):
    text = json.dumps([about(run), certificate(run, {})], ensure_ascii=False)
    assert "no identifier is left" not in text
    assert all(gate.because.en not in text for gate in run.gates if gate.because)


def test_many_values_are_listed_only_where_they_have_labels():
    texts = [f"{i:04d}" for i in range(MOST_VALUES + 1)]
    data = Microdata({"c": Column.texts_of(texts, value_labels={"0007": "seven", "9999": "not in the file"})})
    said = about(make_run(data, measures=()))
    assert said["columns"][0]["values"] == [{"value": "0007", "label": "seven"}]


def test_every_sentence_is_in_both_languages(run):
    def sentences(part):
        if isinstance(part, dict) and set(part) == {"en", "de"}:
            yield part
        elif isinstance(part, dict | list):
            for child in part.values() if isinstance(part, dict) else part:
                yield from sentences(child)

    found = list(sentences([about(run), certificate(run, {})]))
    assert len(found) > 30
    assert all(s["en"] and s["de"] for s in found)


def test_the_certificate_names_what_held(run):
    said = certificate(run, {"data.csv": "00", "about.json": "11"})
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert said["files"] == {"data.csv": "00", "about.json": "11"}
    assert said["records"] == 197
    assert said["columns"]["town"] == {"kind": "category", "roles": ["key"], "empty": "missing"}
    assert said["columns"]["rent"]["roles"] == ["numeric"]
    assert said["versions"]["tarnkappe"] == "0.1.0"
    shift = said["methods"][3]
    assert (shift["id"], shift["revision"]) == ("microdata.shift", 4)
    assert [(c["side"], c["holds"], c["checked"]) for c in shift["claims"]] == [
        ("preserves", "always", True), ("protects", "on-average", False),
    ]  # fmt: skip


def test_the_certificate_lets_gates_be_counted_again(run):
    k, moments, left = certificate(run, {})["gates"]
    assert (k["measure"], k["at_least"], k["held"], k["recount"]) == ("risk.k-anonymity", 3.0, True, True)
    found = next(e.after.value for e in run.measures if e.measure.id == "risk.k-anonymity")
    assert k["value"] == found >= 3
    assert k["parameters"]["missing"] == "category"
    assert (moments["at_most"], moments["recount"]) == (0.25, False)
    assert "measure" not in left


def test_claims_that_broke_are_not_certified(run):
    broken = replace(run.steps[3], claims=tuple(replace(c, kept=False) for c in run.steps[3].claims))
    steps = (*run.steps[:3], broken, *run.steps[4:])
    assert certificate(replace(run, steps=steps), {})["methods"][3]["claims"] == []


def test_a_refused_run_has_no_certificate(run):
    closed = GateEntry(Text("not this", "nicht das"), False, Text("found", "gefunden"))
    with pytest.raises(GateClosed, match="not this"):
        certificate(replace(run, gates=(*run.gates, closed)), {})


def test_only_the_day_of_the_run_is_told(run):
    later = replace(run, started=run.started + timedelta(hours=3))
    assert about(later) == about(run)
    assert certificate(later, {}) == certificate(run, {})
