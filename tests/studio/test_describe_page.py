"""Step 2 of the studio: roles by a click, and the answers of the process in the plan."""

from __future__ import annotations

import asyncio

import pytest

from in_a_browser import expect
from tarnkappe.language import Text
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.studio.opening import pending, start_example
from tarnkappe.studio.questions import fitting_kind
from tarnkappe.studio.roles import EXPLAINED, roles_by_column, set_roles, toggled
from tarnkappe.vocab import Role

pytestmark = pytest.mark.anyio
COLUMNS = 13
NOTE = Text("x", "x")


async def until(check) -> None:
    for _ in range(1500):
        if check():
            return
        await asyncio.sleep(0.02)
    raise AssertionError


async def described(visitor, whole: str = "data") -> None:
    """Open the example of persons, wait for its proposal and go to the page."""
    start_example(visitor.session, "persons", whole)
    await until(lambda: pending(visitor.session) is None)
    await until(lambda: visitor.session.jobs.latest("propose").state.over)
    await visitor.open("/describe")
    await until(lambda: _seen(visitor, "next") and _seen(visitor, "remarks"))


def field(visitor, mark: str):
    return next(iter(visitor.user.find(marker=mark).elements))


def answer(visitor, mark: str, text: str) -> None:
    """Type into a field and leave it."""
    with visitor.user:
        field(visitor, mark).value = text
    visitor.user.find(marker=mark).trigger("blur")


def roles(visitor) -> dict[str, tuple[Role, ...]]:
    return roles_by_column(visitor.session.draft.get("data"))


async def test_without_a_file_the_page_leads_to_the_first(visitor):
    await visitor.open("/describe")
    await visitor.user.should_see("No file is open yet.")


async def test_all_proposals_are_taken_over_and_undone_in_one_step(visitor):
    await described(visitor)
    await visitor.user.should_see("GDPR Art. 9")
    await visitor.user.should_see("By its name: a postcode.")
    visitor.user.find(marker="take-all").click()
    assert len(roles(visitor)) == COLUMNS
    assert roles(visitor)["income"] == (Role.SENSITIVE, Role.NUMERIC)
    assert visitor.session.draft.get("data", "roles", "household") == "household"
    assert visitor.session.draft.get("data", "hierarchies", "birth_date")
    await visitor.user.should_see("Every column has a role.")
    await visitor.user.should_see("are the only ones with their combination")
    visitor.session.draft.undo()
    assert roles(visitor) == {}


async def test_a_role_is_taken_over_changed_and_moved_by_clicks(visitor):
    await described(visitor)
    visitor.user.find(marker="accept-household").click()
    assert roles(visitor) == {"household": (Role.HOUSEHOLD,)}
    visitor.user.find(marker="role-name").click()
    await visitor.user.should_see(EXPLAINED[Role.HOUSEHOLD].en)
    visitor.user.find(marker="pick-household").click()
    assert roles(visitor) == {"name": (Role.HOUSEHOLD,)}
    visitor.user.find(marker="take-all").click()
    assert roles(visitor)["name"] == (Role.HOUSEHOLD,)
    assert Role.HOUSEHOLD not in roles(visitor)["household"]


async def test_answers_enter_the_plan_when_their_field_is_left(visitor):
    await described(visitor)
    number = visitor.session.draft.number
    with visitor.user:
        field(visitor, "process-need-why").value = "They are patients."
    assert visitor.session.draft.number == number
    answer(visitor, "process-need-why", " They are patients. ")
    answer(visitor, "process-need-basis", "Art. 6(1)(e)\n\n Art. 6(4) ")
    answer(visitor, "process-need-assessment-answers-harm", "Loss of work.")
    answer(visitor, "process-review", "2027-12-31")
    answer(visitor, "process-use-analyses", "Claims by age")
    assert visitor.session.draft.get("process") == {
        "need": {
            "why": "They are patients.",
            "basis": ["Art. 6(1)(e)", "Art. 6(4)"],
            "assessment": {"answers": {"harm": "Loss of work."}},
        },
        "review": "2027-12-31",
        "use": {"analyses": ["Claims by age"]},
    }
    await visitor.user.should_see("4 of 16 answered")
    await visitor.user.should_see("6 of 7 prompts")
    answer(visitor, "process-need-why", "")
    assert "why" not in visitor.session.draft.get("process", "need")
    answer(visitor, "process-review", "soon")
    assert visitor.session.draft.get("process", "review") is None
    undone = visitor.session.draft.undoes.en
    assert undone.startswith("answer: When sources")


async def test_who_receives_it_decides_the_kind_until_somebody_decides_otherwise(visitor):
    await described(visitor)
    with visitor.user:
        field(visitor, "process-audience-profile").value = "public"
    assert visitor.session.draft.get("release", "kind") == "public-use"
    await visitor.user.should_not_see(marker="process-audience-agreement")
    with visitor.user:
        field(visitor, "release-kind").value = "internal"
        field(visitor, "process-audience-profile").value = "partner"
    assert visitor.session.draft.get("release", "kind") == "internal"
    await visitor.user.should_see(marker="process-audience-agreement")
    assert fitting_kind(None) == fitting_kind("agreement") == "scientific-use"


async def test_a_scenario_is_recorded_with_its_reason_and_brings_its_attacker(visitor):
    await described(visitor)
    with visitor.user:
        field(visitor, "verdict-mass").value = False
    assert visitor.session.draft.get("process") is None
    answer(visitor, "because-mass", "No register is at hand.")
    answer(visitor, "because-publicity", "Journalists try.")
    told = visitor.session.draft.get("process", "scenarios")
    assert told[0] == {
        "attack": "mass",
        "because": "No register is at hand.",
        "excluded": True,
        "attacker": "marketer",
    }
    assert visitor.session.draft.get("release", "attackers") == ["journalist"]
    with visitor.user:
        field(visitor, "verdict-mass").value = True
    assert visitor.session.draft.get("release", "attackers") == ["marketer", "journalist"]
    await asyncio.sleep(0.1)
    with visitor.user:
        field(visitor, "attacker-prosecutor").value = True
    assert visitor.session.draft.get("release", "attackers") == ["prosecutor", "journalist", "marketer"]
    answer(visitor, "because-mass", "")
    assert len(visitor.session.draft.get("process", "scenarios")) == 1
    assert visitor.session.draft.get("release", "attackers") == ["prosecutor", "journalist", "marketer"]


async def test_granularity_is_asked_of_columns_with_levels_and_of_numbers(visitor):
    await described(visitor)
    await visitor.user.should_not_see(marker="least-birth_date")
    visitor.user.find(marker="take-all").click()
    await until(lambda: _seen(visitor, "least-birth_date"))
    with visitor.user:
        field(visitor, "least-birth_date").value = 2
        field(visitor, "width-claims_amount").value = 500
    visitor.user.find(marker="width-claims_amount").trigger("blur")
    fine = visitor.session.draft.get("process", "use", "granularity")
    assert fine == {"birth_date": {"least": 2}, "claims_amount": {"width": 500}}
    with visitor.user:
        field(visitor, "process-use-dispensable").value = ["birth_date", "sex"]
    use = visitor.session.draft.get("process", "use")
    assert use == {"dispensable": ["birth_date", "sex"], "granularity": {"claims_amount": {"width": 500}}}


def _seen(visitor, mark: str) -> bool:
    try:
        visitor.user.find(marker=mark)
    except AssertionError:
        return False
    return True


async def test_approvals_and_decisions_are_listed(visitor):
    await described(visitor)
    answer(visitor, "approvals-1-role", "data protection officer")
    assert visitor.session.draft.get("process") is None
    answer(visitor, "approvals-1-who", "A. Weber")
    answer(visitor, "approvals-2-who", "B. Beck")
    answer(visitor, "decisions-1-what", "No postcodes")
    answer(visitor, "decisions-1-because", "Too fine")
    assert visitor.session.draft.get("process") == {
        "approvals": [{"role": "data protection officer", "who": "A. Weber"}, {"who": "B. Beck"}],
        "decisions": [{"what": "No postcodes", "because": "Too fine"}],
    }
    answer(visitor, "approvals-1-who", "")
    assert visitor.session.draft.get("process", "approvals") == [{"who": "B. Beck"}]


async def test_what_is_answered_makes_a_plan_that_checks(visitor):
    await described(visitor, "plan")
    answer(visitor, "process-need-why", "Patients.")
    answer(visitor, "because-neighbour", "Everybody has neighbours.")
    answer(visitor, "approvals-1-who", "A. Weber")
    answer(visitor, "approvals-1-dated", "2026-11-16")
    session = visitor.session
    plan = check(Document(dict(session.draft.content), name="plan"), session.folder)
    assert plan.process.approvals[0].dated is not None


async def test_the_page_speaks_german(visitor):
    visitor.session.lang = "de"
    await described(visitor)
    await visitor.user.should_see("Was die Spalten bedeuten")
    await visitor.user.should_see("Dem Namen nach: eine Postleitzahl.")
    await visitor.user.should_see("Schutzbedarf")
    await visitor.user.should_see("1 von 16 beantwortet")


async def test_a_process_that_is_not_sound_breaks_nothing(visitor):
    await described(visitor)
    visitor.session.draft.put(
        NOTE, "process", value={"review": 7, "frame": "../x.yaml", "scenarios": [{"attack": "own words"}]}
    )
    await visitor.open("/describe")
    await visitor.user.should_see("own words")


async def test_tables_alone_have_no_roles_but_questions(visitor):
    visitor.session.begin(
        {"tarnkappe": 1, "title": "T", "tables": [{"name": "t", "by": ["a"], "file": "t.csv"}]}
    )
    await visitor.open("/describe")
    await visitor.user.should_see("What only people can decide")
    await visitor.user.should_not_see("What the columns mean")


def test_identifier_and_other_stand_alone_and_single_roles_move():
    assert toggled((Role.KEY, Role.NUMERIC), Role.IDENTIFIER) == (Role.IDENTIFIER,)
    assert toggled((Role.IDENTIFIER,), Role.KEY) == (Role.KEY,)
    assert toggled((Role.KEY,), Role.SENSITIVE) == (Role.KEY, Role.SENSITIVE)
    assert toggled((Role.KEY,), Role.KEY) == ()
    content = {"data": {"file": "x", "roles": {"weight": "a", "key": ["a", "b"], "other": "c"}}}
    assert roles_by_column(content["data"]) == {
        "a": (Role.KEY, Role.WEIGHT),
        "b": (Role.KEY,),
        "c": (Role.OTHER,),
    }
    set_roles(content, {"b": (Role.WEIGHT,)})
    assert content["data"]["roles"] == {"key": ["a"], "weight": "b", "other": ["c"]}
    set_roles(content, {"a": (), "b": (), "c": ()})
    assert content["data"] == {"file": "x"}


def test_a_browser_keeps_the_focus_while_answers_are_given(tab):
    tab.goto("/open")
    tab.get_by_role("button", name="Health insurance register: Open the data").click()
    tab.get_by_text("5,000 records ×").wait_for()
    tab.goto("/describe")
    tab.get_by_role("button", name="Need for protection").click()
    first = tab.get_by_label("Whose data it is and why it must be protected")
    first.fill("Patients")
    first.press("Tab")
    tab.get_by_text("2 of 16 answered").wait_for()
    second = tab.get_by_label("Legal basis of the anonymisation")
    expect(second).to_be_focused()
    tab.keyboard.type("Art. 6")
    expect(second).to_have_value("Art. 6")
