"""Step 4: the risk of a file, before and after, and what is shown of records only when asked."""

from __future__ import annotations

import logging

import pytest

from studio.small_drafts import CONTENT, MARKER, lay, over, see
from tarnkappe.language import Text
from tarnkappe.spec import catalogue

pytestmark = pytest.mark.anyio
WITHOUT_KEYS = {**CONTENT["data"], "roles": {"sensitive": ["illness"]}}
TABLE = {
    "name": "costs", "by": ["region", "sex"], "value": "cost",
    "rules": [{"use": "rule.minimum-frequency", "n": 40}],
}  # fmt: skip


async def test_without_a_file_the_page_leads_to_opening_one(visitor):
    visitor.session.begin()
    await visitor.open("/risk")
    await visitor.user.should_see("No file is open yet.")
    visitor.user.find("Open a file").click()


async def test_without_keys_the_page_leads_to_the_roles(visitor):
    lay(visitor.session, data=WITHOUT_KEYS)
    await visitor.open("/risk")
    await visitor.user.should_see("Give roles")


async def test_the_original_in_sentences_and_figures(visitor):
    lay(visitor.session)
    await visitor.open("/risk")
    await see(visitor, "finds that person's record with certainty in 120 of 120 cases")
    await visitor.user.should_see("Smallest class, k")
    await visitor.user.should_see("100% of all records")
    await see(visitor, "What every key adds")


async def test_in_german(visitor):
    visitor.session.lang = "de"
    lay(visitor.session)
    await visitor.open("/risk")
    await see(visitor, "findet ihren Datensatz in 120 von 120 Fällen mit Sicherheit")
    await visitor.user.should_see("Kleinste Klasse, k")
    await visitor.user.should_see("100\u00a0% aller Datensätze")


async def test_after_the_steps_beside_before(visitor):
    lay(visitor.session)
    await visitor.open("/risk")
    with visitor.user:
        visitor.user.find(marker="side").elements.pop().set_value(True)
    job = await over(visitor.session, "risk-after")
    assert job.trouble is None
    await see(visitor, "in 0 of 120 cases; before: 120 of 120")
    await visitor.user.should_see("before: 1")
    await visitor.open("/risk")
    assert visitor.session.jobs.latest("risk-after") is job, "what was measured is not measured again"
    visitor.session.draft.put(Text("x", "x"), "steps", 0, "columns", value=["region"])
    await visitor.open("/risk")
    assert visitor.session.jobs.latest("risk-after") is not job, "another plan is measured anew"


async def test_steps_that_fail_are_explained_with_a_way_out(visitor):
    lay(visitor.session, steps=[{"use": "microdata.mdav", "columns": ["nowhere"], "k": 3}])
    visitor.session.asides["risk.side"] = True
    await visitor.open("/risk")
    await over(visitor.session, "risk-after")
    await see(visitor, "nowhere")
    await visitor.user.should_see("To the steps")


async def test_without_steps_there_is_no_choice_of_sides(visitor):
    lay(visitor.session, steps=None, release_if=None)
    await visitor.open("/risk")
    await see(visitor, "Smallest class, k")
    await visitor.user.should_not_see(marker="side")


async def test_records_are_masked_then_rows_then_values_then_hidden_again(visitor, caplog):
    caplog.set_level(logging.DEBUG)
    lay(visitor.session)
    await visitor.open("/risk")
    await see(visitor, "Row numbers lead to people.")
    await visitor.user.should_not_see("stands out by")
    visitor.user.find(marker="show-rows").click()
    await see(visitor, "stands out by")
    await visitor.user.should_not_see("1903")
    visitor.user.find(marker="reveal-values").click()
    await see(visitor, "1903")
    await visitor.user.should_see("These are real values of people.")
    await visitor.user.should_not_see(MARKER)
    visitor.user.find(marker="hide-values").click()
    await see(visitor, "Reveal values")
    await visitor.user.should_not_see("1903")
    assert "1903" not in caplog.text
    assert not any("1903" in str(found) for found in visitor.session._learnt.values())


async def test_further_attacks_run_as_a_job_and_are_found_again(visitor):
    lay(visitor.session)
    await visitor.open("/risk")
    await see(visitor, "Smallest class, k")
    visitor.user.find(marker="attack").click()
    await see(visitor, "Which attacks?")
    visitor.user.find(marker="attacks").elements.pop().set_value(["risk.outliers", "risk.rare-combinations"])
    visitor.user.find(marker="start-attacks").click()
    job = await over(visitor.session, "attacks")
    told = {one.title for one in job.result.outcomes} | {title for title, _ in job.result.left}
    assert told == {catalogue["risk.outliers"].title, catalogue["risk.rare-combinations"].title}
    await visitor.open("/risk")
    await see(visitor, "what it means")
    visitor.session.draft.put(Text("x", "x"), "title", value="Other")
    await visitor.open("/risk")
    await see(visitor, "The plan has changed since these attacks")


async def test_table_cells_that_fail_a_rule_and_why(visitor):
    lay(visitor.session, steps=None, release_if=None, tables=[TABLE])
    await visitor.open("/risk")
    await see(visitor, "Table cells that fail a rule")
    await see(visitor, "region × sex")
    await visitor.user.should_see("Look at the tables")


async def test_a_table_with_an_unknown_column_says_so(visitor):
    lay(visitor.session, steps=None, release_if=None, tables=[{**TABLE, "by": ["nowhere"]}])
    await visitor.open("/risk")
    await see(visitor, "the data has no column 'nowhere'")


async def test_a_file_of_cells_alone_shows_its_tables(visitor):
    cells = "region;value;count\nTotal;30;12\nN;10;2\nS;20;10\n"
    (visitor.session.folder / "cells.csv").write_text(cells)
    columns = {"value": "value", "count": "count"}
    rule = {"use": "rule.minimum-frequency", "n": 3}
    table = {"name": "t", "by": ["region"], "file": "cells.csv", "columns": columns, "rules": [rule]}
    visitor.session.begin({"tarnkappe": 1, "title": "t", "tables": [table]})
    await visitor.open("/risk")
    await see(visitor, "Table cells that fail a rule")
    await visitor.user.should_not_see("Give roles")
