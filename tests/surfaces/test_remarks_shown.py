"""Remarks of steps reach the ledger and the page of the office, and no page that leaves the house."""

from dataclasses import replace

from surfaces.report_runs import made, make_run, persons
from tarnkappe.language import Text
from tarnkappe.plan.ledger import ledger
from tarnkappe.report.pages import about_page, report_page

SAID = Text("The <moon> was full.", "Es war <Vollmond>.")


def test_remarks_are_for_the_office():
    run = make_run(persons(), made("microdata.drop", columns=["name"]))
    assert "To be noted" not in report_page(run, "en")
    run = replace(run, steps=tuple(replace(step, remarks=(SAID,)) for step in run.steps))
    assert "The &lt;moon&gt; was full." in report_page(run, "en")
    assert "Es war &lt;Vollmond&gt;." in report_page(run, "de")
    assert "moon" not in about_page(run, "en")
    assert ledger(run)["steps"][0]["remarks"] == [{"en": SAID.en, "de": SAID.de}]
