"""Who could find whom: sentences that say what was counted, pictures, and the page."""

import re
from dataclasses import replace

import numpy as np
import pytest

from surfaces.report_runs import made, make_run, persons
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.plan.exposed import exposed
from tarnkappe.plan.ledger import MeasureEntry, Unmeasured
from tarnkappe.report.exposure import exposure
from tarnkappe.report.exposure_charts import at_least
from tarnkappe.report.pages import attack_page, report_page
from tarnkappe.spec import Finding, catalogue
from tarnkappe.vocab import Role


def data_of(ages, sexes, ills):
    columns = {"age": Column.texts_of(ages), "sex": Column.texts_of(sexes), "ill": Column.texts_of(ills)}
    return Microdata(columns, {Role.KEY: ("age", "sex"), Role.SENSITIVE: ("ill",)})


BEFORE = data_of(["1", "2", "3", "3"], ["f", "f", "m", "m"], ["a", "b", "c", "c"])
AFTER = data_of(["1", "1", "3", "3"], ["f", "f", "m", "m"], ["a", "b", "c", "c"])


def entry(id, **parameters):
    measure = made(id, **parameters)
    alone = lambda data: measure.measure(data, before=data if measure.compares else None)  # noqa: E731
    return MeasureEntry(measure, alone(BEFORE), alone(AFTER), 0.0)


def said(*entries, **more):
    return [text.en for text in exposure(entries, **more).sentences()]


def test_the_prosecutor():
    first = "Somebody who knows age and sex of a person in the file finds that person's record with certainty in 0 of 4 cases"
    assert said(entry("risk.reidentification", population="release")) == [
        f"{first}; before: 2 of 4.",
        "The surest hit is right with a chance of 50%, an average one with 50%; before: 100% and 75%.",
    ]


def test_the_marketer_and_the_journalist():
    found = said(
        entry("risk.reidentification", attacker="marketer", population="release"),
        entry("risk.reidentification", attacker="journalist", population="release"),
    )
    assert "is right for about 2 of 4 records; before: 3 of 4." in found[0]
    assert "finds the right person with certainty for 0 of 4 records; before: 2 of 4." in found[2]
    assert "The released file itself is taken for the whole population" in found[1]


def test_an_attacker_with_keys_of_its_own_does_not_stand_for_the_one_with_all():
    own = entry("risk.reidentification", keys=("sex",), population="release")
    found = said(own, entry("risk.reidentification", population="release"))
    assert len(found) == 2
    assert found[0].startswith("Somebody who knows age and sex of")


def test_what_is_learnt():
    (first,) = said(entry("risk.l-diversity"))
    assert first.startswith("Of 2 of 4 persons “ill” becomes known for certain")
    assert first.endswith("; before: 4 of 4.")
    (changed,) = said(entry("risk.l-diversity"), changed=("ill",))
    assert changed.endswith("what becomes known is not the exact original.")


def test_what_drives_it():
    first, second = said(entry("risk.attribution"))
    assert (
        first
        == "What makes people recognisable in the release: “age” 50% and “sex” 50% of the chance of being found."
    )
    assert second == "Without “age” an average hit would be right with a chance of 50% instead of 50%."


def test_german():
    found = exposure([entry("risk.reidentification", population="release")]).sentences()
    assert found[0].de == (
        "Wer von einer Person in der Datei age und sex kennt, findet ihren Datensatz in 0 von 4 Fällen mit Sicherheit; vorher: 2 von 4."
    )


def test_a_doubt_is_said_with_the_number():
    doubted = entry("risk.reidentification", population="release")
    why = made("risk.k-anonymity").title
    doubted = replace(doubted, after=replace(doubted.after, trusted=False, because=why))
    assert said(doubted)[-1] == f"Not to be trusted: {why.en}"


def test_that_nothing_was_measured_is_no_good_sign():
    left = [Unmeasured(catalogue["risk.l-diversity"], made("risk.uniques").title)]
    assert said(entry("risk.uniques"), left=left) == [
        "What attackers would learn of people was not measured: Unique records."
    ]


def test_shares_by_chance():
    assert at_least(np.array([1, 0.5, 0.2, 0.001])) == [0.25, 0.5, 0.5, 0.75, 0.75, 0.75, 0.75, 0.75]


@pytest.fixture(scope="module")
def page():
    gone = made("microdata.drop", columns=("job",))
    measures = tuple(
        made(id, **p)
        for id, p in (
            ("risk.reidentification", {"population": "release"}),
            ("risk.attribution", {}),
            ("risk.k-anonymity", {}),
        )
    )
    run = make_run(persons(), gone, measures=measures)
    both = tuple(
        MeasureEntry(e.measure, e.measure.measure(run.before, before=run.before), e.after, 0.1)
        for e in run.measures
    )
    left = (Unmeasured(catalogue["risk.suda"], made("risk.uniques").title),)
    run = replace(run, measures=both, exposed=exposed(run.before, run.after, both), unmeasured=left)
    return run, report_page(run, "de")


def test_the_report_says_it_first(page):
    run, text = page
    assert text.index('id="exposure"') < text.index('id="gates"') < text.index('id="risk"')
    assert "Wer wen finden könnte" in text and "Who could find whom" in text
    assert "Die riskantesten Datensätze" in text
    assert catalogue["risk.suda"].title.de in text
    assert len(run.exposed) == 20


def test_the_riskiest_records_are_named_by_place_alone(page):
    run, text = page
    table = re.search(r"Die am sichersten gefundenen.*?</table>", text, re.DOTALL)[0]
    cells = set(re.findall(r"<t[dh][^>]*>([^<]+)</t", table))
    assert {str(one.record) for one in run.exposed} <= cells
    values = {
        str(v)
        for c in run.before.columns.values()
        for v in c.distinct()
        if not str(v).replace(".", "").isdigit()
    }
    assert not values & cells


def test_a_page_without_an_attacker_has_no_such_section():
    assert 'id="exposure"' not in report_page(make_run(persons(), measures=(made("utility.moments"),)), "en")


def test_the_page_of_an_attack():
    found = exposure([entry("risk.reidentification", population="release")])
    text = attack_page("a → b", found, [entry("risk.k-anonymity")], "en", basis=(BASIS,), gates=())
    assert BASIS.en in text and 'id="exposure"' in text and 'id="gates"' not in text


BASIS = made("risk.k-anonymity").does


def test_no_record_and_no_number():
    empty = Finding(float("nan"), trusted=False, because=BASIS)
    nothing = replace(entry("risk.reidentification", population="release"), before=None, after=empty)
    assert not exposure([nothing])
