"""Step 7: define a table, read it, look at a cell, decide about it, protect and audit."""

from __future__ import annotations

import asyncio
import base64
import re

import numpy as np
import pytest

from in_a_browser import choose, expect
from studio import small_drafts
from studio.small_drafts import CONTENT, over, see
from tarnkappe.data.pattern import Status
from tarnkappe.language import Text
from tarnkappe.plan.document import to_yaml
from tarnkappe.plan.progress import Progress
from tarnkappe.studio.desk import Desk
from tarnkappe.studio.table_cell import facts_of
from tarnkappe.studio.table_grid import TableGrid
from tarnkappe.studio.table_view import Layout, codes_of, counts_of, view_of
from tarnkappe.studio.tasks.table import mark_cell, mark_table, protect_tables

pytestmark = pytest.mark.anyio
BY_YEAR = {
    "name": "costs",
    "by": ["year", "region"],
    "value": "cost",
    "rules": [{"use": "rule.minimum-frequency", "n": 3}],
}
TABLE = {**BY_YEAR, "protect": {"use": "table.quader"}}
BECAUSE = Text("marks", "Marken")
ALONE = {"name": "costs", "by": ["year", "region"], "value": "cost", "marks": "one.csv"}
ONE = "year,region,mark\n1900-1909,N,suppress\n"
ONLY = {"steps": None, "release_if": None}


def lay(session, **changes):
    """As elsewhere, but two patients a year: a year of one patient alone would be refused as good as a name."""
    small_drafts.lay(session, **changes)
    lines = small_drafts.csv().splitlines()
    for i, line in enumerate(lines[1:]):
        lines[i + 1] = line.replace(f";{1900 + i};", f";{1900 + i // 2};")
    (session.folder / "patients.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def parts(table, **more):
    return {"data": CONTENT["data"], "tables": [table], **more}


@pytest.fixture
def folder(tmp_path):
    class Room:
        folder = tmp_path

        def begin(self, content):
            pass

    lay(Room())
    return tmp_path


@pytest.fixture
def marked(folder):
    return mark_table(Desk(), Progress(), folder, parts(TABLE))


@pytest.fixture
def protected(folder):
    return protect_tables(Desk(), Progress(), folder, parts(TABLE))["costs"]


def grid_of(visitor):
    return next(iter(visitor.user.find(kind=TableGrid).elements))


def values_of(content):
    """The numbers that the browser is given; not a number where none is to be seen."""
    return np.frombuffer(base64.b64decode(content["values"]), "<f8")


def place_of(grid, letter):
    """A place of the grid with a cell of a kind."""
    return divmod(grid.props["kinds"].index(letter), len(grid.props["cols"]["text"]))


async def open_cell(visitor, letter):
    await visitor.user.should_see(kind=TableGrid, retries=100)
    row, col = place_of(grid_of(visitor), letter)
    with visitor.user:
        visitor.user.find(kind=TableGrid).trigger("cell", {"row": row, "col": col})
    await visitor.user.should_see(marker="cell-panel")


# -- the table as it is laid out ------------------------------------------------------------------------------------


async def test_every_cell_stands_at_its_codes(marked):
    pattern = marked.pattern
    view = view_of(marked, Layout.of(2), "en", reveal=True)
    rows, columns = view.content["rows"]["text"], view.content["cols"]["text"]
    seen = {
        (rows[i], columns[j]): values_of(view.content)[i * len(columns) + j]
        for i in range(len(rows)) for j in range(len(columns)) if view.cells[i, j] >= 0
    }  # fmt: skip
    expected = {codes_of(pattern, c): float(pattern.table.value[c]) for c in range(len(pattern.table))}
    assert seen == expected
    assert view.content["rows"]["size"][0] == len(rows) - 1


async def test_turning_a_table_turns_its_cells(marked):
    straight, turned = (view_of(marked, Layout.of(2, down, 1 - down), "en") for down in (0, 1))
    np.testing.assert_array_equal(straight.cells, turned.cells.T)


async def test_values_under_suppressed_cells_do_not_leave_unless_asked_for(protected):
    view = view_of(protected, Layout.of(2), "en")
    hidden = protected.pattern.suppressed[view.cells.ravel()] & (view.cells.ravel() >= 0)
    assert hidden.any()
    assert np.isnan(values_of(view.content)[hidden]).all()
    revealed = view_of(protected, Layout.of(2), "en", reveal=True)
    assert not np.isnan(values_of(revealed.content)[hidden]).any()


async def test_the_letters_are_the_kinds(protected):
    counts = counts_of(protected)
    assert counts["p"] == int(protected.pattern.primary.sum()) > 0
    assert counts["s"] == int((protected.pattern.status == Status.SECONDARY).sum()) > 0
    assert sum(counts.values()) == len(protected.pattern.table)


async def test_further_dimensions_are_held_at_a_code(folder):
    found = mark_table(Desk(), Progress(), folder, parts({"name": "n", "by": ["year", "region", "sex"]}))
    total = view_of(found, Layout.of(3), "de")
    female = view_of(found, Layout(0, 1, ((2, 1),)), "de")
    first = [values_of(view.content)[0] for view in (total, female)]
    assert first == [120, 60]


async def test_a_table_of_one_dimension_has_one_column(folder):
    found = mark_table(Desk(), Progress(), folder, parts({"name": "n", "by": ["region"]}))
    view = view_of(found, Layout.of(1), "de")
    assert view.cells.shape == (5, 1)
    assert view.content["cols"]["text"] == ["Anzahl"]


async def test_a_large_table_is_cut_at_whole_levels_and_says_so(marked, monkeypatch):
    monkeypatch.setattr("tarnkappe.studio.table_view.MOST", 200)
    view = view_of(marked, Layout.of(2), "en")
    assert view.cells.size <= 200
    assert view.left_out > 0


# -- one cell ---------------------------------------------------------------------------------------------------------


async def test_a_leak_is_told_with_the_sum_that_gives_it_away(folder):
    """One suppressed cell follows from the others of its row; rules are told with their parameters."""
    (folder / "one.csv").write_text(ONE)
    found = protect_tables(Desk(), Progress(), folder, parts(ALONE))["costs"]
    cell = int(np.flatnonzero(found.audit.per_cell["leaks"])[0])
    facts = facts_of(found, cell)
    assert facts.leaks
    assert "what is left of the sum Total × N along year" in facts.proof[0].en
    assert not facts.value
    assert facts.because[0].en == "suppressed because the office asks for it"


async def test_a_rule_is_told_with_its_parameters(marked):
    facts = facts_of(marked, int(np.flatnonzero(marked.pattern.primary)[0]))
    assert "n = 3" in facts.because[0].en
    assert "fewer than n" in facts.because[0].en


async def test_a_protected_cell_has_an_interval_around_its_value(protected):
    cell = int(np.flatnonzero(protected.pattern.primary)[0])
    facts = facts_of(protected, cell)
    assert not facts.leaks
    assert "to" in facts.finds.en
    assert facts.contributors < 3


# -- marks ------------------------------------------------------------------------------------------------------------


async def test_marks_are_files_that_the_plan_reads_again(folder, marked):
    cell = codes_of(marked.pattern, int(np.flatnonzero(marked.pattern.status == Status.OPEN)[3]))
    other = codes_of(marked.pattern, int(np.flatnonzero(marked.pattern.status == Status.OPEN)[4]))
    first = mark_cell(Desk(), Progress(), folder, TABLE, cell, "suppress")
    second = mark_cell(Desk(), Progress(), folder, {**TABLE, "marks": first}, other, "keep")
    again = mark_table(Desk(), Progress(), folder, parts({**TABLE, "marks": second}))
    assert counts_of(again)["p"] == counts_of(marked)["p"] + 1
    assert counts_of(again)["k"] == 1
    assert mark_cell(Desk(), Progress(), folder, {**TABLE, "marks": second}, other, None) == first
    assert mark_cell(Desk(), Progress(), folder, {**TABLE, "marks": first}, cell, None) is None


# -- the page ---------------------------------------------------------------------------------------------------------


async def test_without_a_table_one_can_be_defined(visitor):
    lay(visitor.session, **ONLY)
    await visitor.open("/tables")
    visitor.user.find(marker="define").click()
    await visitor.user.should_see(marker="table-done", retries=100)
    visitor.user.find(marker="table-done").click()
    await visitor.user.should_see("Dimensions: ")
    with visitor.user:
        visitor.user.find(marker="table-by").elements.pop().set_value(["year", "region"])
        visitor.user.find(marker="table-value").elements.pop().set_value("cost")
    visitor.user.find(marker="table-done").click()
    await see(visitor, "cost by year × region")
    assert visitor.session.draft.get("tables") == [
        {"name": "cost-year-region", "by": ["year", "region"], "value": "cost"}
    ]


async def test_a_cell_its_decision_and_undo(visitor):
    lay(visitor.session, tables=[TABLE], **ONLY)
    await visitor.open("/tables")
    await open_cell(visitor, "o")
    visitor.user.find(marker="mark-suppress").click()
    await see(visitor, "Decided: suppress")
    assert visitor.session.draft.get("tables", 0, "marks")
    visitor.session.draft.undo()
    await visitor.open("/tables")
    await see(visitor, "Keep open")
    assert visitor.session.draft.get("tables", 0, "marks") is None


async def test_values_and_shares_are_shown_on_request_only(visitor):
    lay(visitor.session, tables=[TABLE], **ONLY)
    await visitor.open("/tables")
    await open_cell(visitor, "p")
    await visitor.user.should_see("hidden")
    visitor.user.find(marker="show-shares").click()
    await visitor.user.should_see("%")


async def test_protecting_shows_what_the_audit_says_in_german(visitor):
    visitor.session.lang = "de"
    lay(visitor.session, tables=[TABLE], **ONLY)
    await visitor.open("/tables")
    visitor.user.find(marker="protect-tables").click()
    job = await over(visitor.session, "table")
    assert job.trouble is None
    await see(visitor, "Die Prüfung hält")
    await visitor.user.should_see("sekundär: schützt andere")


async def test_a_table_without_protection_leaks_and_lists_it(visitor):
    lay(visitor.session, tables=[ALONE], **ONLY)
    (visitor.session.folder / "one.csv").write_text(ONE)
    await visitor.open("/tables")
    visitor.user.find(marker="protect-tables").click()
    await over(visitor.session, "table")
    await see(visitor, "The table leaks")
    await visitor.user.should_see("an attacker finds out too much")


async def test_refused_protection_is_explained(visitor):
    """Everything but the marked cell must stay open: nothing can protect that one."""
    table = {"name": "persons", "by": ["region"], "marks": "marks.csv", "protect": {"use": "table.quader"}}
    lay(visitor.session, tables=[table], **ONLY)
    marks = ["region,mark", "N,suppress", *(f"{region},keep" for region in ("Total", "S", "O", "W"))]
    (visitor.session.folder / "marks.csv").write_text("\n".join(marks))
    await visitor.open("/tables")
    visitor.user.find(marker="protect-tables").click()
    await over(visitor.session, "table")
    await see(visitor, "The protection was refused")
    visitor.user.find(marker="forget-marks").click()
    assert visitor.session.draft.get("tables", 0, "marks") is None


async def test_a_file_of_cells_is_shown_and_changed(visitor):
    table = {
        "name": "cells",
        "file": "cells.csv",
        "by": ["region"],
        "columns": {"value": "value", "count": "n"},
    }
    lay(visitor.session, tables=[table], data=None, **ONLY)
    (visitor.session.folder / "cells.csv").write_text("region,value,n\nTotal,30,5\nN,10,2\nS,20,3\n")
    await visitor.open("/tables")
    await see(visitor, "value by region, from cells.csv")
    await visitor.user.should_see(kind=TableGrid, retries=100)
    assert values_of(grid_of(visitor).props).tolist() == [30, 10, 20]
    visitor.user.find(marker="edit-table").click()
    await visitor.user.should_see(marker="table-cell-largest", retries=100)
    visitor.user.find(marker="table-done").click()
    assert visitor.session.draft.get("tables") == [table]


async def test_a_table_is_removed_and_brought_back(visitor):
    lay(visitor.session, tables=[TABLE], **ONLY)
    await visitor.open("/tables")
    visitor.user.find(marker="remove-table").click()
    await see(visitor, "No table yet")
    visitor.session.draft.undo()
    assert visitor.session.draft.get("tables") == [TABLE]


async def test_a_third_dimension_is_a_filter(visitor):
    lay(visitor.session, tables=[{"name": "n", "by": ["year", "region", "sex"]}], **ONLY)
    await visitor.open("/tables")
    await visitor.user.should_see(kind=TableGrid, retries=100)
    with visitor.user:
        visitor.user.find(marker="filter-sex").elements.pop().set_value(1)
    await visitor.user.should_see(kind=TableGrid, retries=100)
    for _ in range(100):
        await asyncio.sleep(0.05)
        if visitor.user.find(kind=TableGrid).elements and values_of(grid_of(visitor).props)[0] == 60:
            break
    assert values_of(grid_of(visitor).props)[0] == 60


async def test_places_that_the_browser_invents_are_ignored(visitor):
    lay(visitor.session, tables=[TABLE], **ONLY)
    await visitor.open("/tables")
    await visitor.user.should_see(kind=TableGrid, retries=100)
    with visitor.user:
        visitor.user.find(kind=TableGrid).trigger("cell", {"row": 10**6, "col": -3})
    await visitor.user.should_not_see(marker="cell-panel")


async def test_a_rule_that_does_not_fit_is_told(visitor):
    lay(visitor.session, tables=[{**TABLE, "by": ["year", "nowhere"]}], **ONLY)
    await visitor.open("/tables")
    await see(visitor, "nowhere")


# -- in a browser -----------------------------------------------------------------------------------------------------

WALK = """async grid => {
  const seen = [], frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const box = grid.getBoundingClientRect(), head = grid.querySelector("[role=columnheader]");
  for (let step = 0; step <= 40; step++) {
    grid.scrollTop = grid.scrollHeight * step / 40;
    grid.scrollLeft = grid.scrollWidth * step / 40;
    await frame();
    const bottom = head.getBoundingClientRect().bottom, blank = [];
    for (let y = bottom + 15; y < Math.min(box.bottom, innerHeight) - 30; y += 30)
      for (const x of [box.left + 60, box.left + box.width / 2, box.right - 60])
        if (!document.elementFromPoint(x, y)?.closest(".tkg-cell, .tkg-title")?.textContent.trim()) blank.push([x, y]);
    seen.push({ cells: grid.querySelectorAll("[role=gridcell]").length, top: head.getBoundingClientRect().top - box.top, blank: blank.length });
  }
  return seen;
}"""

IN_ORDER = """() => [["[role=row]", "aria-rowindex"], ["[role=columnheader]:not([style*=none])", "aria-colindex"]].every(([what, name]) => {
  const found = [...document.querySelectorAll(".tkg " + what)].map(one => Number(one.getAttribute(name)));
  return found.every((n, k) => !k || n > found[k - 1]);
})"""
"""Once it rests, what is read aloud stands in the order of the table."""


def large_table(folder):
    """101,100 cells by codes of one to three and of one to two digits; a cell is the product of what its codes weigh."""
    leaves = {f"{i:02d}{j}" for i in range(100) for j in range(9)}, {f"{i}" for i in range(10, 100)}
    weights = []
    for codes in leaves:
        all_codes = sorted({code[:n] for code in codes for n in range(len(code) + 1)})
        weights.append(
            {code or "Total": sum(int(c) for c in codes if c.startswith(code)) for code in all_codes}
        )
    down, across = weights
    lines = [f"{i},{j},{v * w}" for i, v in down.items() for j, w in across.items()]
    (folder / "cells.csv").write_text("\n".join(["industry,region,value", *lines]))
    table = {
        "name": "large", "file": "cells.csv", "by": ["industry", "region"],
        "hierarchies": {"industry": {"digits": [1, 2, 3]}, "region": {"digits": [1, 2]}},
    }  # fmt: skip
    (folder / "plan.yaml").write_text(to_yaml({"tarnkappe": 1, "title": "Large", "tables": [table]}))
    return down, across


def test_a_browser_shows_a_hundred_thousand_cells_with_the_elements_of_a_screen(tab, tmp_path):
    down, across = large_table(tmp_path)
    assert len(down) * len(across) > 100_000
    tab.goto("/open")
    tab.locator("input[type=file]").first.set_input_files([tmp_path / "plan.yaml", tmp_path / "cells.csv"])
    grid = tab.get_by_role("grid")
    grid.get_by_role("rowheader", name="Total").wait_for()
    for axis, level in (("Rows", 3), ("Columns", 2)):
        choose(tab, f"{axis} to level", str(level))
    grid.get_by_role("rowheader", name="000").wait_for()
    for of, count in (("row", "1012"), ("col", "101")):
        expect(grid).to_have_attribute(f"aria-{of}count", count)
    seen = grid.evaluate(WALK)
    assert {(one["top"], one["blank"]) for one in seen} == {(1, 0)}
    assert max(one["cells"] for one in seen) < 500
    assert {one["cells"] for one in seen} == {seen[0]["cells"]}

    grid.get_by_role("rowheader", name="998").wait_for()
    last = grid.locator("[aria-rowindex='1012']")
    cells = grid.locator(f"#{last.get_attribute('aria-owns')}")
    expect(cells.locator("[aria-colindex='101']")).to_have_text(f"{down['998'] * across['99']:,}")
    expect(grid.get_by_role("columnheader", name="99")).to_be_visible()
    tab.wait_for_function(IN_ORDER)
    cells = "".join(f'\n    - gridcell "{down["998"] * across[code]:,}"' for code in ("97", "98", "99"))
    assert re.search(f'rowheader "998"(\\n    - gridcell "[0-9,]+")+{cells}$', grid.aria_snapshot())

    grid.get_by_role("button", name="Close: 99").first.click()
    expect(grid.get_by_role("rowheader", name="99")).to_have_attribute("aria-expanded", "false")
    expect(grid.get_by_role("rowheader", name="998")).to_have_count(0)
    tab.keyboard.press("Control+End")
    at = grid.locator("[role=gridcell][aria-selected=true]")
    expect(at).to_have_text(f"{down['99'] * across['99']:,}")
    expect(grid).to_have_attribute("aria-activedescendant", at.get_attribute("id"))
    tab.keyboard.press("Enter")
    tab.get_by_role("complementary").get_by_text("99").first.wait_for()
    for key in ("Control+Home", "ArrowRight", "ArrowDown"):
        tab.keyboard.press(key)
    expect(at).to_have_text(f"{down['0'] * across['Total']:,}")


@pytest.mark.parametrize("weighted", [True, False])
async def test_weighted_or_not_is_said_and_chosen(visitor, weighted):
    data = {**CONTENT["data"], "roles": {**CONTENT["data"]["roles"], "weight": "cost"}}
    lay(visitor.session, data=data, **ONLY)
    await visitor.open("/tables")
    visitor.user.find(marker="define").click()
    await visitor.user.should_see(marker="table-weighted", retries=100)
    with visitor.user:
        visitor.user.find(marker="table-by").elements.pop().set_value(["year", "region"])
        visitor.user.find(marker="table-weighted").elements.pop().set_value(weighted)
    visitor.user.find(marker="table-done").click()
    await see(visitor, "year × region")
    assert visitor.session.draft.get("tables", 0).get("weighted", True) is weighted


async def test_without_weights_it_is_said_that_there_are_none(visitor):
    lay(visitor.session, **ONLY)
    await visitor.open("/tables")
    visitor.user.find(marker="define").click()
    await visitor.user.should_see(marker="table-no-weights", retries=100)
