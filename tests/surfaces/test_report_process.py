"""The chapters on the process in the internal report, and what of it recipients read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from surfaces.report_runs import made, make_run, persons
from surfaces.test_report_pages import Page
from tarnkappe.language import Text
from tarnkappe.plan.anonymity import Access, Anonymity, Leaves
from tarnkappe.plan.ledger import ConsistencyEntry
from tarnkappe.plan.process import ProcessDescription
from tarnkappe.report.about import about
from tarnkappe.report.guide import advice, guide
from tarnkappe.report.pages import about_page, report_page
from tarnkappe.report.process import process_view
from tarnkappe.spec import Method, catalogue

SECRETS = {
    "why": "WHY-inside", "officer": "OFFICER-inside", "because": "REASON-inside", "other": "OTHER-inside",
    "who": "WHO-outside", "agreement": "AGREED-outside", "analysis": "ANALYSIS-outside",
}  # fmt: skip
PROCESS = {
    "need": {
        "why": SECRETS["why"],
        "basis": ["GDPR Art. 6(4)"],
        "officer": SECRETS["officer"],
        "assessment": {"reference": "2026-17", "dated": "2026-09-30", "answers": {"harm": "<b>much</b>"}},
    },
    "audience": {
        "profile": "agreement", "who": SECRETS["who"], "other_data": SECRETS["other"], "agreement": SECRETS["agreement"],
    },
    "scenarios": [
        {"attack": "neighbour", "because": SECRETS["because"], "attacker": "prosecutor"},
        {"attack": "a burglar", "because": "no keys", "excluded": True, "sources": ["a phone book"]},
    ],
    "use": {"analyses": [SECRETS["analysis"]], "granularity": {"town": {"wanted": 2, "least": 1}, "income": {"width": 50}}},
    "decisions": [{"what": "keep towns", "because": "regions matter", "step": 5, "by": "Dep. 3", "dated": "2026-10-01"}],
    "approvals": [{"who": "A. Example", "role": "head", "dated": "2026-10-02"}, {"who": "B. Sample"}],
    "review": "2027-10-01",
}  # fmt: skip


@pytest.fixture(scope="module")
def run():
    done = make_run(
        persons(),
        made("microdata.drop", columns=["name"]),
        made("microdata.generalise", columns={"town": 1}),
        made("microdata.noise", columns=["rent"]),
        made("microdata.mdav", columns=["income"], too_small="suppress"),
    )
    rules = (
        ConsistencyEntry(Text("rent ≥ 0", "rent ≥ 0"), True, Text("", ""), hard=True, declared=True),
        ConsistencyEntry(Text("bad one", "schlecht"), False, Text("records: 3", "Datensätze: 3"), hard=False, declared=False),
        ConsistencyEntry(Text("unknown", "unbekannt"), None, Text("why", "warum"), hard=False, declared=True),
    )  # fmt: skip
    plan = replace(done.plan, process=ProcessDescription.model_validate(PROCESS))
    return replace(done, plan=plan, consistency=rules)


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_report_has_every_chapter_and_is_well_formed(run, lang):
    text = report_page(run, lang)
    Page(text)
    for chapter in ("process", "legal", "audience", "use", "consistency", "decisions"):
        assert f'<section id="{chapter}">' in text
        assert f'href="#{chapter}"' in text
    for words in (
        *SECRETS.values(),
        "2026-17, 2026-09-30",
        "a burglar",
        "a phone book",
        "keep towns",
        "Dep. 3, 2026-10-01",
    ):
        assert words in text
    assert "no legal advice" in text
    assert "keine Rechtsberatung" in text
    assert "&lt;b&gt;much" in text
    for criterion in ("Singling out", "Linkability", "Inference"):
        assert criterion in text


def test_the_checklist_says_what_is_done_and_what_is_open(run):
    view = process_view(run)
    steps = {step.number: step for step in view.steps}
    assert list(steps) == list(range(1, 13))
    assert [t.en for t in steps[2].open] == ["what was cleaned, merged or removed beforehand"]
    assert not steps[3].open
    assert not steps[4].open
    assert [t.en for t in steps[11].open] == ["broken rules: 1"]
    assert "approvals" in [t.en for t in steps[12].open]
    assert "approvals: 1" in [t.en for t in steps[12].done]
    assert view.ready == sum(not s.open for s in view.steps)


def test_the_criteria_show_what_was_measured_before_and_after(run):
    first, second, _ = process_view(run).criteria
    assert "k-anonymity" in [one.title.en for one in first.measures]
    assert all(one.before and one.after for one in first.measures)
    assert second.measures == ()
    assert "not measured" in report_page(run, "en")


def test_without_a_process_the_report_says_so(run):
    bare = replace(run, plan=replace(run.plan, process=None), consistency=())
    text = report_page(bare, "en")
    Page(text)
    assert "The plan says nothing about it." in text
    assert '<section id="consistency">' not in text
    assert {s.number for s in process_view(bare).steps if s.open} >= {1, 2, 3, 4, 5, 12}


def test_recipients_read_whom_and_what_it_is_for_and_nothing_else_of_the_process(run):
    told, page = json.dumps(about(run)), about_page(run, "en")
    Page(page)
    for name, words in SECRETS.items():
        inside = "inside" in words
        assert (words in told) is not inside, name
        assert (words in page) is not inside, name
    for words in ("2026-17", "A. Example", "regions matter", "burglar"):
        assert words not in told
        assert words not in page


def test_the_guide_tells_what_can_be_corrected(run):
    told = {entry["method"]: entry for entry in guide(run)}
    assert told["microdata.noise"]["correctable"]
    assert told["microdata.noise"]["columns"] == ["rent"]
    assert not told["microdata.mdav"]["correctable"]
    assert "no correction" in told["microdata.mdav"]["advice"].en
    assert told["microdata.drop"]["columns"] == ["name"], (
        "which columns are gone is told (Gottschalk 2002, 5.1)"
    )
    assert not told["microdata.drop"]["correctable"]
    assert "tarnkappe correct" in about_page(run, "en")


def test_columns_that_keep_their_values_are_told_to_do_so():
    """Advice of the family holds for the method: whoever says that counts and means are right claims it in every run."""
    told = advice(catalogue["microdata.swap"])
    assert "those of the original" in told.en
    for cls in catalogue.methods():
        keeps = any("each as often as before" in claim.says.en for claim in cls.preserves)
        assert (advice(cls) == told) is keeps, cls.id
    assert "totals" in advice(catalogue["microdata.cut-off"]).en
    assert "correct.bounds" in advice(catalogue["microdata.camouflage"]).en


@pytest.mark.parametrize("cls", [c for c in catalogue if issubclass(c, Method)], ids=lambda c: c.id)
def test_every_method_has_advice_in_both_languages(cls):
    said = advice(cls)
    assert said.en
    assert said.de
    assert said.en != said.de


def with_release(run, **told):
    plan = replace(run.plan, release=run.plan.release.model_copy(update=told))
    return replace(run, plan=plan)


def test_degree_of_anonymity_and_way_of_access_stand_in_both_documents(run):
    told = with_release(run, anonymity=Anonymity.FACTUAL, access=Access.OFF_SITE)
    assert about(told)["release"]["anonymity"]["degree"] == "factual"
    assert about(told)["release"]["access"]["way"] == "off-site"
    for page in (about_page(told, "en"), report_page(told, "en")):
        assert "factual: finding a unit would cost more" in page
        assert "off-site: the file is handed over" in page
        assert "faktisch: eine Einheit zu finden" in page
    assert about(run)["release"]["anonymity"] is None
    assert "Degree of anonymity" not in about_page(run, "en")


def test_where_a_model_is_released_the_report_says_what_to_see_to(run):
    assert "A model leaves the house" not in report_page(run, "en")
    page = report_page(with_release(run, object=Leaves.MODEL), "en")
    assert "A model leaves the house" in page
    assert "NIST AI 100-2" in page


def test_the_report_shows_what_each_technique_leaves_open(run):
    page = report_page(run, "en")
    assert "Which technique leaves which risk (WP216)" in page
    for law in (
        "BStatG § 16",
        "AI Act Art. 10(5)",
        "GDV 2023",
        "ten misunderstandings",
        "ICC/ESOMAR code",
        "Sole proprietors",
        "Three degrees of anonymity",
    ):
        assert law in page, law
