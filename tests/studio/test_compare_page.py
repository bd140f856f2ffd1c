"""Step 6: variants on the map, their plans, and taking one over."""

from __future__ import annotations

import pytest

from studio.small_drafts import CONTENT, lay, over, see
from tarnkappe.language import Text
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.risk_map import map_plans
from tarnkappe.studio.compare_point import differences
from tarnkappe.studio.desk import Desk
from tarnkappe.studio.tasks.map import Wanted, draw_map

pytestmark = pytest.mark.anyio
GRID = (("steps.2.k", (3, 6)),)
RISK, UTILITY = "risk.k-anonymity", "utility.distance"


@pytest.fixture
def folder(tmp_path):
    class Room:
        folder = tmp_path

        def begin(self, content):
            pass

    lay(Room())
    return tmp_path


def wanted(**more):
    return Wanted(CONTENT, "current plan", risk=RISK, utility=UTILITY, **more)


async def drawn(visitor):
    visitor.session.asides["compare.axes"] = {"risk": RISK, "utility": UTILITY}
    visitor.session.asides["compare.grid"] = [{"path": "steps.2.k", "text": "3, 12"}]
    await visitor.open("/compare")
    visitor.user.find(marker="draw-map").click()
    job = await over(visitor.session, "map")
    assert job.trouble is None
    return job


async def test_the_map_says_what_the_command_line_says(folder):
    from tarnkappe.plan.document import to_yaml

    (folder / "plan.yaml").write_text(to_yaml(CONTENT))
    told = map_plans(folder / "plan.yaml", risk=RISK, utility=UTILITY, vary={"steps.2.k": [3, 6]}, fresh=True)
    mapped = draw_map(Desk(), Progress(), folder, wanted(grid=GRID))
    found = mapped.found.trials[1:]
    assert [t.name for t in found] == [t.name for t in told.trials] == ["k = 3", "k = 6"]
    assert [(t.risk, t.utility) for t in found] == [(t.risk, t.utility) for t in told.trials]
    assert [plan["steps"][1]["k"] for plan in mapped.plans] == [3, 3, 6]


async def test_kept_variants_stand_beside_the_plan(folder):
    other = {**CONTENT, "steps": CONTENT["steps"][:1]}
    mapped = draw_map(Desk(), Progress(), folder, wanted(kept=(("bare", other), ("bare", other))))
    assert [t.name for t in mapped.found.trials] == ["current plan", "bare (1)", "bare (2)"]
    assert mapped.plans[1] == other


async def test_a_variant_that_cannot_be_run_is_told_in_its_place(folder):
    mapped = draw_map(Desk(), Progress(), folder, wanted(grid=(("steps.2.k", (0, 3)),)))
    assert mapped.found.trials[1].failed
    assert mapped.found.trials[2].measured


async def test_differences_are_those_of_the_plan():
    other = {**CONTENT, "steps": [CONTENT["steps"][0], {**CONTENT["steps"][1], "k": 9}]}
    kinds = [
        (kind, line.strip("+− ")) for kind, line in differences(CONTENT, other) if kind in ("old", "new")
    ]
    assert kinds == [("old", "k: 3"), ("new", "k: 9")]


# -- the page ---------------------------------------------------------------------------------------------------------


async def test_without_steps_the_page_leads_to_them(visitor):
    lay(visitor.session, steps=None)
    await visitor.open("/compare")
    await visitor.user.should_see("There is nothing to compare yet")


async def test_a_point_is_looked_at_taken_over_and_undone(visitor):
    lay(visitor.session)
    await drawn(visitor)
    await visitor.user.should_see(marker="map-table")
    visitor.user.find(marker="point-3").click()
    await visitor.user.should_see("What differs from the plan at hand")
    await see(visitor, "Columns shown")
    visitor.user.find(marker="take").click()
    assert visitor.session.draft.get("steps", 1, "k") == 12
    await see(visitor, "have changed since the map was drawn")
    visitor.session.draft.undo()
    assert visitor.session.draft.get("steps", 1, "k") == 3


async def test_in_german(visitor):
    visitor.session.lang = "de"
    lay(visitor.session)
    await drawn(visitor)
    await visitor.user.should_see("Risiko-Nutzen-Karte")
    await visitor.user.should_see("würde freigegeben")
    await visitor.user.should_see("Das ist der aktuelle Plan.")


async def test_values_that_are_none_are_told_before_anything_runs(visitor):
    lay(visitor.session)
    await visitor.open("/compare")
    visitor.user.find(marker="vary").click()
    await visitor.user.should_see(marker="values-0")
    with visitor.user:
        visitor.user.find(marker="values-0").elements.pop().set_value("[")
    await visitor.user.should_see("give values separated by commas")
    assert visitor.session.jobs.latest("map") is None


async def test_a_plan_is_kept_as_a_variant(visitor):
    lay(visitor.session)
    await visitor.open("/compare")
    visitor.user.find(marker="keep-variant").click()
    await visitor.user.should_see(marker="variant-done")
    visitor.user.find(marker="variant-done").click()
    await see(visitor, "variant 1")
    visitor.session.draft.put(Text("less", "weniger"), "steps", value=CONTENT["steps"][:1])
    await visitor.open("/compare")
    visitor.session.asides["compare.axes"] = {"risk": RISK, "utility": UTILITY}
    visitor.user.find(marker="draw-map").click()
    job = await over(visitor.session, "map")
    assert job.trouble is None
    assert [len(plan["steps"]) for plan in job.result.plans] == [1, 2]


async def test_the_map_of_another_file_is_not_shown(visitor):
    lay(visitor.session)
    await drawn(visitor)
    other = {**CONTENT["data"], "file": "others.csv"}
    (visitor.session.folder / "others.csv").write_text((visitor.session.folder / "patients.csv").read_text())
    lay(visitor.session, data=other)
    await visitor.open("/compare")
    await visitor.user.should_see("What is compared")
    await visitor.user.should_not_see(marker="map-table")
