"""Step 5: steps are chosen, set, moved and taken back; the preview tells at once what they do and what stops them."""

from __future__ import annotations

import asyncio

import pytest

from in_a_browser import drag, resting_box
from studio.small_drafts import CONTENT, lay, over, see, until
from tarnkappe.plan.progress import Progress
from tarnkappe.spec import Maturity, catalogue
from tarnkappe.studio.advisor import changed_ladders, take_over
from tarnkappe.studio.cards import family_of
from tarnkappe.studio.desk import Desk
from tarnkappe.studio.step_words import joined, split
from tarnkappe.studio.tasks.compare_columns import short
from tarnkappe.studio.tasks.preview import preview

pytestmark = pytest.mark.anyio
STEPS = [
    {"use": "microdata.drop", "columns": ["name"]},
    {"use": "microdata.mdav", "columns": ["cost"], "k": 4},
    "microdata.shuffle-rows",
]


@pytest.fixture
def quiet():
    return Progress()


def element(visitor, mark):
    return visitor.user.find(marker=mark).elements.pop()


async def lights(visitor, colours):
    """Wait until the lights of the steps are so."""
    for _ in range(600):
        rows = [element(visitor, f"step-{at}") for at in range(len(colours))]
        lit = [next(c for c in row.descendants() if "tk-light" in c.classes).classes for row in rows]
        if all(f"tk-light-{colour}" in classes for colour, classes in zip(colours, lit, strict=True)):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(lit)


def used(visitor):
    return [split(step)[0].partition(".")[2] for step in visitor.session.draft.get("steps", default=[])]


async def test_without_a_file_the_page_leads_to_opening_one(visitor):
    visitor.session.begin()
    await visitor.open("/protect")
    await visitor.user.should_see("No file is open yet.")


async def test_steps_with_lights_and_the_preview_in_both_languages(visitor):
    lay(visitor.session, steps=STEPS)
    await visitor.open("/protect")
    await lights(visitor, ["good", "good", "good"])
    await visitor.user.should_see("2. MDAV microaggregation")
    await visitor.user.should_see("cost · k = 4")
    await visitor.user.should_see("in every release")
    await visitor.user.should_see("On all 120 records.")
    await visitor.user.should_see("Smallest class (k)")
    visitor.session.lang = "de"
    await visitor.open("/protect")
    await lights(visitor, ["good", "good", "good"])
    await visitor.user.should_see("Kleinste Klasse (k)")
    await visitor.user.should_see("An allen 120 Datensätzen.")


async def test_a_parameter_is_set_in_the_form_and_taken_back(visitor):
    lay(visitor.session, steps=STEPS)
    await visitor.open("/protect")
    visitor.user.find(marker="choose-1").click()
    await see(visitor, "Smallest group size")
    ask = element(visitor, "ask-k")
    with visitor.user:
        next(e for e in ask.descendants() if hasattr(e, "sanitize")).set_value(6)
    assert visitor.session.draft.get("steps", 1) == {"use": "microdata.mdav", "columns": ["cost"], "k": 6}
    await see(visitor, "cost · k = 6")
    assert "MDAV" in visitor.session.draft.undoes.en
    visitor.session.draft.undo()
    assert visitor.session.draft.get("steps", 1, "k") == 4


async def test_the_card_of_a_step_tells_what_is_claimed_with_its_parameters(visitor):
    lay(visitor.session, steps=STEPS)
    await visitor.open("/protect")
    visitor.user.find(marker="choose-1").click()
    await see(visitor, "Smallest group size")

    def said():
        return " ".join(e.text for e in element(visitor, "card").descendants() if hasattr(e, "text"))

    assert "the total and the mean of every chosen column" in said()
    assert "whole numbers stay whole" not in said()
    ask = element(visitor, "ask-whole")
    with visitor.user:
        next(e for e in ask.descendants() if hasattr(e, "options")).set_value("nearest")
    assert "whole numbers stay whole (checked in every run)" in said()
    assert "the total and the mean of every chosen column" not in said()


async def test_moving_doubling_and_removing_steps(visitor):
    lay(visitor.session, steps=STEPS)
    await visitor.open("/protect")
    visitor.user.find(marker="choose-1").click()
    await see(visitor, "Smallest group size")
    visitor.user.find(marker="up").click()
    assert used(visitor) == ["mdav", "drop", "shuffle-rows"]
    visitor.user.find(marker="up").click()
    assert used(visitor) == ["mdav", "drop", "shuffle-rows"], "the first stays the first"
    visitor.user.find(marker="down").click()
    assert used(visitor) == ["drop", "mdav", "shuffle-rows"]
    visitor.user.find(marker="duplicate").click()
    await until(lambda: used(visitor) == ["drop", "mdav", "mdav", "shuffle-rows"])
    await asyncio.sleep(0.2)
    visitor.user.find(marker="remove").click()
    await until(lambda: used(visitor) == ["drop", "mdav", "shuffle-rows"])
    for _ in range(4):
        visitor.session.draft.undo()
    assert visitor.session.draft.get("steps") == STEPS


async def test_a_method_is_found_on_the_shelf_and_added(visitor):
    lay(visitor.session, steps=[])
    await visitor.open("/protect")
    visitor.user.find(marker="add-method").click()
    await visitor.user.should_see("Microaggregate")
    visitor.user.find(marker="search").type("mdav")
    await visitor.user.should_see("MDAV microaggregation")
    await visitor.user.should_not_see(marker="microdata.drop")
    visitor.user.find(marker="microdata.mdav").click()
    await see(visitor, "protect columns that were not chosen")
    visitor.user.find(marker="take").click()
    await see(visitor, "Smallest group size")
    assert visitor.session.draft.get("steps") == [{"use": "microdata.mdav", "columns": ["cost"]}]
    assert "allow" not in visitor.session.draft.content


async def test_an_experimental_method_is_behind_a_switch_and_allowed_by_name(visitor, monkeypatch):
    monkeypatch.setattr(catalogue["microdata.mdav"], "maturity", Maturity.EXPERIMENTAL)
    lay(visitor.session, steps=[])
    await visitor.open("/protect")
    visitor.user.find(marker="add-method").click()
    await visitor.user.should_not_see(marker="microdata.mdav")
    with visitor.user:
        element(visitor, "experimental").set_value(True)
    visitor.user.find(marker="microdata.mdav").click()
    await see(visitor, "protect columns that were not chosen")
    visitor.user.find(marker="take").click()
    await until(lambda: visitor.session.draft.get("allow") == ["experimental"])
    await lights(visitor, ["good"])


async def test_a_sample_can_be_followed_by_all_records(visitor, quiet):
    lay(visitor.session, steps=STEPS)
    session = visitor.session
    content = {name: session.draft.get(name) for name in ("tarnkappe", "title", "data", "release", "steps")}
    session.know(preview, session.folder, content, found=preview(Desk(), quiet, session.folder, content, 50))
    await visitor.open("/protect")
    await see(visitor, "On 50 of 120 records")
    visitor.user.find(marker="all-records").click()
    job = await over(session, "preview")
    assert job.trouble is None
    await see(visitor, "On all 120 records.")
    await visitor.open("/protect")
    await see(visitor, "On all 120 records.")


async def test_what_stops_a_step_is_told_at_the_step_with_the_way_out(visitor):
    wrong = [
        {"use": "microdata.drop", "columns": ["name"]},
        {"use": "microdata.suppress-records", "below": 100, "budget": 0.01},
        {"use": "microdata.mdav", "columns": ["cost"], "k": 1},
        {"use": "microdata.nothing"},
    ]
    lay(visitor.session, steps=wrong[:2])
    await visitor.open("/protect")
    await lights(visitor, ["good", "warn"])
    await visitor.user.should_see("raise the budget")
    lay(visitor.session, steps=wrong)
    await visitor.open("/protect")
    await lights(visitor, ["good", "warn", "bad", "bad"])
    await visitor.user.should_see("k: must be at least 3")
    await visitor.user.should_see("there is no step 'microdata.nothing'")
    visitor.user.find(marker="choose-3").click()
    await see(visitor, "has no method 'microdata.nothing'")


async def test_an_unknown_column_is_told_at_its_step(visitor):
    lay(visitor.session, steps=[{"use": "microdata.drop", "columns": ["nome"]}])
    await visitor.open("/protect")
    await lights(visitor, ["bad"])
    await visitor.user.should_see("Did you mean 'name'?")


async def test_the_advisor_proposes_and_its_plan_is_one_step_back(visitor):
    lay(visitor.session, steps=STEPS)
    await visitor.open("/protect")
    visitor.user.find(marker="advise").click()
    job = await over(visitor.session, "advice")
    assert job.trouble is None
    await see(visitor, "Why")
    number = visitor.session.draft.number
    visitor.user.find(marker="take-over").click()
    await asyncio.sleep(0.1)
    assert visitor.session.draft.number == number + 1
    assert visitor.session.draft.get("steps") != STEPS
    assert visitor.session.draft.get("data", "roles") == CONTENT["data"]["roles"]
    visitor.session.draft.undo()
    assert visitor.session.draft.get("steps") == STEPS


def test_a_proposal_replaces_only_the_hierarchies_its_steps_use():
    draft = {
        "data": {"file": "a", "hierarchies": {"a": {"digits": [1]}, "b": {"digits": [1]}}},
        "steps": ["x"],
    }
    proposed = {
        "data": {"hierarchies": {"a": {"digits": [2]}, "b": {"digits": [2]}, "c": {"digits": [3]}}, "roles": {"key": ["a"]}},
        "steps": [{"use": "microdata.generalise", "columns": {"a": 1}}], "title": "t", "seed": {"secret": "s"},
    }  # fmt: skip
    assert changed_ladders(draft, proposed) == ["a"]
    take_over(draft, proposed)
    assert draft["data"]["hierarchies"] == {"a": {"digits": [2]}, "b": {"digits": [1]}, "c": {"digits": [3]}}
    assert draft["data"]["roles"] == {"key": ["a"]}
    assert draft["steps"] == proposed["steps"]


async def test_rules_and_protector_of_a_table(visitor):
    table = {"name": "costs", "by": ["region", "sex"], "value": "cost"}
    lay(visitor.session, steps=[], tables=[table])
    await visitor.open("/protect")
    await see(visitor, "No rule: no cell is marked")
    await visitor.user.should_see("publishes tables only")
    visitor.user.find(marker="add-rule").click()
    await see(visitor, "Search by name")
    visitor.user.find(marker="rule.p-percent").click()
    await see(visitor, "Marks")
    visitor.user.find(marker="take").click()
    await until(lambda: visitor.session.draft.get("tables", 0, "rules") == [{"use": "rule.p-percent"}])
    await asyncio.sleep(0.2)
    visitor.user.find(marker="add-protector").click()
    await see(visitor, "Search by name")
    visitor.user.find(marker="table.quader").click()
    await asyncio.sleep(0.1)
    visitor.user.find(marker="take").click()
    await until(lambda: visitor.session.draft.get("tables", 0, "protect") == {"use": "table.quader"})
    await asyncio.sleep(0.2)
    rule = element(visitor, "rule-0")
    with visitor.user:
        next(e for e in rule.descendants() if hasattr(e, "sanitize")).set_value(20)
    assert visitor.session.draft.get("tables", 0, "rules") == [{"use": "rule.p-percent", "p": 20}]
    visitor.user.find(marker="remove-rule-0").click()
    await until(lambda: "rules" not in visitor.session.draft.get("tables", 0))
    assert visitor.session.draft.get("tables", 0, "protect") == {"use": "table.quader"}


def test_every_card_stands_under_a_family():
    assert all(family_of(cls).de for cls in catalogue)


def test_a_step_is_written_as_it_was():
    assert split("microdata.drop") == ("microdata.drop", {})
    assert joined(*split({"use": "microdata.mdav", "k": 3})) == {"use": "microdata.mdav", "k": 3}


async def test_a_preview_on_a_sample_says_so_and_is_the_same_every_time(visitor, quiet):
    lay(visitor.session, steps=STEPS)
    content, folder = dict(visitor.session.draft.content), visitor.session.folder
    some = preview(Desk(), quiet, folder, content, 50)
    assert (some.records, some.whole, some.sampled) == (50, 120, True)
    assert some.columns == preview(Desk(), quiet, folder, content, 50).columns
    cost = next(one for one in some.columns if one.name == "cost")
    assert cost.together
    assert [short(x) for x in (0.25, 940, 12_345, 3_500_000, -2e9)] == ["0.25", "940", "12.3k", "3.5M", "-2G"]
    assert sum(cost.before.counts) == sum(cost.after.counts) == 50
    name = next(one for one in some.columns if one.name == "name")
    assert name.after is None
    assert not (folder / ".tarnkappe").exists(), "a preview draws no secret of the plan"


def test_in_a_browser_steps_are_dragged_and_the_preview_follows(tab):
    tab.goto("/open")
    tab.get_by_role("button", name="With its finished plan").first.click()
    tab.get_by_text("records ×").wait_for()
    tab.goto("/protect")
    tab.locator(".tk-light-good").nth(3).wait_for()
    before = tab.locator(".tk-step-list .tk-step-title").all_inner_texts()
    first = resting_box(tab.locator(".tk-handle").first)
    top = tab.locator(".tk-step-list > .tk-ghost:first-child")
    drag(tab, tab.locator(".tk-handle").nth(3), (first["x"] + 8, first["y"] + 4), top)
    tab.get_by_text(f"1. {before[3][3:]}").wait_for()
    tab.get_by_role("button", name="Undo: move a step").click()
    tab.get_by_text(before[0]).wait_for()


async def test_a_step_is_switched_off_and_on_again(visitor):
    lay(visitor.session, steps=STEPS)
    await visitor.open("/protect")
    visitor.user.find(marker="choose-1").click()
    await visitor.user.should_see(marker="switch-off", retries=100)
    visitor.user.find(marker="switch-off").click()
    await see(visitor, "switched off: no part of the plan")
    assert visitor.session.draft.get("steps") == [STEPS[0], STEPS[2]]
    visitor.user.find(marker="switch-on-0").click()
    await visitor.user.should_not_see(marker="off-0")
    assert visitor.session.draft.get("steps") == STEPS
