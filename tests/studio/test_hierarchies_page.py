"""Step 3: hierarchies are seen as trees and built by digits, bands, quantiles, groups and files; what has no place is told."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nicegui.elements.upload_files import SmallFileUpload

from in_a_browser import drag, resting_box
from studio.small_drafts import CONTENT, lay, see, until
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.plan.progress import Progress
from tarnkappe.studio.desk import Desk
from tarnkappe.studio.grouping import Grouping
from tarnkappe.studio.hierarchy_ways import free_name
from tarnkappe.studio.tasks.hierarchy import below, grouped, quantiles, tried

pytestmark = pytest.mark.anyio
QUIET = Progress()


def element(visitor, mark):
    return visitor.user.find(marker=mark).elements.pop()


def ladders(visitor):
    return visitor.session.draft.get("data", "hierarchies", default={})


async def choose(visitor, column, way=None):
    """Open a column, and a way to build its hierarchy."""
    await visitor.open("/hierarchies")
    await visitor.user.should_see(marker=f"column-{column}", retries=100)
    visitor.user.find(marker=f"column-{column}").click()
    await asyncio.sleep(0.05)
    if way:
        with visitor.user:
            element(visitor, "ways").set_value(way)


async def test_without_a_file_the_page_leads_to_opening_one(visitor):
    visitor.session.begin()
    await visitor.open("/hierarchies")
    await visitor.user.should_see("No file is open yet.")


async def test_a_hierarchy_as_levels_and_tree_in_both_languages(visitor):
    lay(visitor.session)
    await choose(visitor, "year")
    await see(visitor, "Every code of the data has its place.")
    await see(visitor, "Total  ·  120 records")
    await visitor.user.should_see("1900-1909  ·  10 records")
    tree = element(visitor, "tree")
    with visitor.user:
        tree.expand(["1900-1909"])
        for handler in tree._expand_handlers:
            await handler(type("Event", (), {"value": ["Total", "1900-1909"]}))
    await visitor.user.should_see("1903  ·  1 records")
    visitor.session.lang = "de"
    await choose(visitor, "year")
    await see(visitor, "Jeder Code der Daten hat seinen Platz.")


async def test_digits_are_tried_before_they_are_used_and_taken_back(visitor):
    lay(visitor.session)
    await choose(visitor, "name", "digits")
    with visitor.user:
        element(visitor, "way").set_value("2, 4")
    await see(visitor, "p0  ·  120 records")
    assert "name" not in ladders(visitor), "a preview changes nothing"
    visitor.user.find(marker="use").click()
    assert ladders(visitor)["name"] == {"digits": [2, 4]}
    assert "name" in visitor.session.draft.undoes.en
    visitor.session.draft.undo()
    assert "name" not in ladders(visitor)


async def test_wrong_words_and_widths_are_told(visitor):
    lay(visitor.session)
    await choose(visitor, "cost", "bands")
    with visitor.user:
        element(visitor, "way").set_value("ten")
    assert element(visitor, "way").error == "These are no numbers."
    with visitor.user:
        element(visitor, "way").set_value("10; 4")
    await see(visitor, "every width must be a multiple")
    visitor.session.lang = "de"
    await choose(visitor, "cost", "bands")
    with visitor.user:
        element(visitor, "way").set_value("20; 2,5")
    await see(visitor, "Diese Hierarchie verwenden")
    visitor.user.find(marker="use").click()
    assert ladders(visitor)["cost"] == {"bands": [20, 2.5]}


async def test_limits_and_quantiles(visitor):
    lay(visitor.session)
    await choose(visitor, "cost", "cuts")
    with visitor.user:
        element(visitor, "way").set_value("50\n25; 50; 75")
    await see(visitor, "Use this hierarchy")
    visitor.user.find(marker="use").click()
    assert ladders(visitor)["cost"] == {"cuts": [[50], [25, 50, 75]]}
    await choose(visitor, "cost", "quantiles")
    await see(visitor, "Use this hierarchy")
    visitor.user.find(marker="use").click()
    cuts = ladders(visitor)["cost"]["cuts"]
    assert len(cuts) == 2
    assert set(cuts[0]) < set(cuts[1])


async def test_quantiles_make_classes_of_about_equal_size(visitor):
    lay(visitor.session)
    folder, data = visitor.session.folder, CONTENT["data"]
    made = quantiles(Desk(), QUIET, folder, data, "cost", 4, 1)
    assert len(made["cuts"]) == 3
    seen = tried(Desk(), QUIET, folder, data, "cost", made)
    assert seen.levels[1].shown == 4
    assert seen.levels[1].smallest >= 20


async def test_the_usual_hierarchy_is_proposed(visitor):
    lay(visitor.session)
    await choose(visitor, "cost", "proposal")
    await see(visitor, "The usual hierarchy")
    await see(visitor, "Use this hierarchy")
    visitor.user.find(marker="use").click()
    assert "bands" in ladders(visitor)["cost"]
    await choose(visitor, "sex", "proposal")
    await see(visitor, "no natural hierarchy")


async def test_categories_are_grouped_by_clicking_and_every_change_is_taken_back(visitor):
    lay(visitor.session)
    await choose(visitor, "region", "tree")
    await see(visitor, "Not grouped")
    visitor.user.find(marker="chip-N").click()
    visitor.user.find(marker="chip-S").click()
    visitor.user.find(marker="group-chosen").click()
    assert ladders(visitor)["region"] == {"tree": [{"Group 1": ["N", "S"]}, "O", "W"]}
    visitor.user.find(marker="chip-O").click()
    visitor.user.find(marker="group-chosen").click()
    name = element(visitor, "name-Group 2")
    with visitor.user:
        name.set_value("N")
    visitor.user.find(marker="name-Group 2").trigger("blur")
    assert name.value == "Group 2", "a code is called so already"
    with visitor.user:
        name.set_value("east")
    visitor.user.find(marker="name-Group 2").trigger("blur")
    assert ladders(visitor)["region"] == {"tree": [{"Group 1": ["N", "S"]}, {"east": ["O"]}, "W"]}
    visitor.user.find(marker="chip-W").click()
    visitor.user.find(marker="move-to").click()
    visitor.user.find(marker="move-east").click()
    await until(lambda: ladders(visitor)["region"] == {"tree": {"Group 1": ["N", "S"], "east": ["O", "W"]}})
    for _ in range(4):
        visitor.session.draft.undo()
    assert "region" not in ladders(visitor)


async def test_codes_without_a_place_are_told_and_given_one(visitor):
    data = {**CONTENT["data"], "hierarchies": {"region": {"tree": {"north": ["N"]}}}}
    lay(visitor.session, data=data)
    await choose(visitor, "region")
    await see(visitor, "3 codes of the data (90 records) have no place in it:")
    await visitor.user.should_see("O (30), S (30), W (30)")
    visitor.user.find(marker="adopt").click()
    assert ladders(visitor)["region"] == {"tree": [{"north": ["N"]}, "O", "S", "W"]}
    await see(visitor, "Every code of the data has its place.")


async def test_levels_are_named(visitor):
    lay(visitor.session)
    await choose(visitor, "year")
    names = element(visitor, "level-names")
    with visitor.user:
        names.set_value("decade; one")
    visitor.user.find(marker="level-names").trigger("blur")
    assert ladders(visitor)["year"] == {"bands": 10, "levels": ["decade", "one"]}
    await see(visitor, "1 · decade")


async def test_a_file_of_codes_is_uploaded_and_what_it_lacks_is_told(visitor):
    lay(visitor.session)
    await choose(visitor, "region", "file")

    async def upload(name, text):
        box = element(visitor, "upload-hierarchy")
        with visitor.user:
            await box.handle_uploads([SmallFileUpload(name, "text/plain", text.encode())])

    await upload("regions.hrc", "north\n@N\n@W\n")
    await see(visitor, "2 codes of the data (60 records) have no place in it:")
    await visitor.user.should_see("upload it again")
    assert not element(visitor, "use").enabled
    await upload("regions.hrc", "north\n@N\n@W\nrest\n@S\n@O\n")
    await until(lambda: element(visitor, "use").enabled)
    visitor.user.find(marker="use").click()
    assert ladders(visitor)["region"] == {"file": "regions-2.hrc"}
    assert (visitor.session.folder / "regions-2.hrc").stat().st_mode & 0o077 == 0
    await choose(visitor, "region", "file")
    await upload("regions.csv", "code;parent\nN\n")
    await see(visitor, "hierarchy")
    await upload("../../evil.hrc", "north\n@N\n")
    assert not (visitor.session.folder.parent.parent / "evil.hrc").exists()


async def test_the_hierarchy_is_removed(visitor):
    lay(visitor.session)
    await choose(visitor, "year")
    visitor.user.find(marker="remove-hierarchy").click()
    assert ladders(visitor) == {}


def test_a_name_that_is_taken_is_numbered(tmp_path):
    (tmp_path / "a-b.hrc").touch()
    (tmp_path / "a-b-2.hrc").touch()
    assert free_name(tmp_path / "a-b.hrc") == tmp_path / "a-b-3.hrc"
    assert free_name(tmp_path / "c.hrc") == tmp_path / "c.hrc"


async def test_a_long_list_is_fetched_branch_by_branch(visitor):
    lay(visitor.session)
    folder, data = visitor.session.folder, CONTENT["data"]
    given = {"digits": [3, 5]}
    seen = tried(Desk(), QUIET, folder, data, "name", given)
    assert [node.code for node in seen.children] == ["p00"]
    assert seen.children[0].records == 120
    codes = below(Desk(), QUIET, folder, data, "name", given, "p00")
    assert sum(node.records for node in codes) == 120
    assert below(Desk(), QUIET, folder, data, "name", given, "unknown") == ()


async def test_groups_start_from_the_hierarchy_that_is_there(visitor):
    lay(visitor.session)
    tree = {"all": {"north": ["N", "X"], "south": ["S"]}}
    found = grouped(
        Desk(), QUIET, visitor.session.folder, CONTENT["data"], "region", {"tree": tree, "total": "T"}
    )
    grouping = Grouping.of((one.code for one in found.categories), found.parents)
    assert set(grouping.inside(None, 0)) == {"O", "W"}
    assert grouping.inside("north", 0) == ["N", "X"]
    assert grouping.inside("all", 1) == ["north", "south"]
    grouping.move(["S"], "north")
    assert grouping.groups(0) == ["north"], "a group without members is gone"
    assert grouping.tree() == [{"all": {"north": ["N", "S", "X"]}}, "O", "W"]


names = st.sampled_from("abcdefgh")


@given(st.lists(st.tuples(st.sets(names, min_size=1), st.sampled_from(["G", "H", "K", None]))))
def test_whatever_is_moved_the_tree_is_sound_and_holds_every_code(moves):
    grouping = Grouping.of("abcdefgh", {})
    for members, group in moves:
        grouping.move(sorted(members), group)
    built = from_tree("x", grouping.tree(), "Total")
    placed = {str(c): str(built.codes[p]) for c, p in zip(built.codes, built.parent, strict=True) if p > 0}
    assert set("abcdefgh") <= set(built.codes)
    assert placed == grouping.parents


def test_in_a_browser_categories_are_dragged_together(tab):
    tab.goto("/open")
    tab.get_by_role("button", name="With its finished plan").first.click()
    tab.get_by_text("records ×").wait_for()
    tab.goto("/hierarchies")
    tab.locator(".tk-column-row", has_text="education").click()
    chip, box = tab.locator(".tk-code-chip", has_text="vocational"), tab.locator(".tk-free .tk-chips")
    chip.wait_for()
    tab.locator(".tk-groups").scroll_into_view_if_needed()
    end = resting_box(box)
    drag(tab, chip, (end["x"] + 40, end["y"] + 20), box.locator(".tk-ghost"))
    tab.locator(".tk-free .tk-code-chip", has_text="vocational").wait_for()
    tab.get_by_role("button", name="Undo: group categories of education").click()
    tab.locator(".tk-group:not(.tk-free) .tk-code-chip", has_text="vocational").wait_for()
