"""Step 1 of the studio: files come in, are read, seen and corrected; what cannot be read changes nothing."""

from __future__ import annotations

import asyncio
import stat
from dataclasses import replace

import numpy as np
import pytest
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload

from studio.bad_files import parquet, zip_bomb
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.examples import make_persons
from tarnkappe.io.first_lines import HEAD, Signs, signs_of, write_head
from tarnkappe.io.options import ReadOptions
from tarnkappe.studio.opening import cancel, pending, project_files, start_example
from tarnkappe.studio.sparks import spark, table
from tarnkappe.studio.tasks.look import BARS, bars

pytestmark = pytest.mark.anyio
GERMAN = "Name;Umsatz;Land\nMüller;1.234,50;Sachsen\nBäcker;99,10;Bayern\nSchulz;;Bayern\n"


def csv(text: str, encoding: str = "utf-8") -> bytes:
    return text.encode(encoding)


async def drop(visitor, *files: tuple[str, bytes]) -> None:
    """Drop files onto the page and wait until they are in or refused."""
    before = visitor.session.draft
    with visitor.user:
        box = next(iter(visitor.user.find(ui.upload).elements))
        await box.handle_uploads([SmallFileUpload(name, "", data) for name, data in files])
    await settled(visitor, before)


async def settled(visitor, before) -> None:
    """Wait until another plan is there, or an error is told, and the page is drawn."""
    await until(lambda: visitor.session.draft is not before or _codes(visitor))
    await asyncio.sleep(0.3)


def _codes(visitor) -> list[str]:
    labels = [element for element in visitor.user.client.elements.values() if isinstance(element, ui.label)]
    return [label.text for label in labels if "tk-code" in label.classes]


async def opened(visitor, name: str, data: bytes) -> None:
    await visitor.open("/open")
    await drop(visitor, (name, data))
    assert visitor.session.draft.get("data", "file") == name


async def until(check) -> None:
    for _ in range(1500):
        if check():
            return
        await asyncio.sleep(0.02)
    raise AssertionError


async def test_a_german_file_is_read_and_shown(visitor):
    await opened(visitor, "umsatz.csv", csv(GERMAN))
    await visitor.user.should_see("3 records × 3 columns")
    await visitor.user.should_see("semicolon ; · decimal comma , · UTF-8")
    draft = visitor.session.draft
    assert draft.get("tarnkappe") == 1
    assert draft.get("seed") == {"secret": "umsatz"}
    assert draft.get("data") == {"file": "umsatz.csv"}
    file = visitor.session.room / "umsatz.csv"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert visitor.session.jobs.latest("propose") is not None


async def test_the_page_speaks_german(visitor):
    visitor.session.lang = "de"
    await visitor.open("/open")
    await visitor.user.should_see("Oder mit einem Beispiel beginnen")
    await drop(visitor, ("umsatz.csv", csv(GERMAN)))
    await visitor.user.should_see("3 Datensätze × 3 Spalten")
    assert visitor.session.draft.get("title") == "Freigabe von umsatz"


async def test_another_separator_is_tried_enters_the_plan_and_is_undone(visitor):
    await opened(visitor, "odd.csv", csv("a;b|c\n1;2|3\n4;5|6\n"))
    await visitor.user.should_see("2 columns")
    box = next(iter(visitor.user.find(marker="read-separator").elements))
    with visitor.user:
        box.value = "|"
    await until(lambda: visitor.session.draft.get("data", "separator") == "|")
    visitor.session.draft.undo()
    assert visitor.session.draft.get("data") == {"file": "odd.csv"}


async def test_a_setting_that_does_not_work_is_told_and_changes_nothing(visitor):
    await opened(visitor, "umsatz.csv", csv(GERMAN))
    before = visitor.session.draft.content
    box = next(iter(visitor.user.find(marker="read-encoding").elements))
    with visitor.user:
        box.value = "utf-16"
    await until(lambda: "file.encoding" in _codes(visitor))
    await visitor.user.should_see("file.encoding")
    await visitor.user.should_see("3 records × 3 columns")
    assert visitor.session.draft.content == before
    with visitor.user:
        box.value = "utf-8"
    await until(lambda: not _codes(visitor))


async def test_a_type_is_changed_by_a_click(visitor):
    await opened(visitor, "codes.csv", csv("code,x\n1,2\n2,3\n3,4\n"))
    visitor.user.find(marker="type-code").click()
    await visitor.user.should_see(marker="kind-category")
    visitor.user.find(marker="kind-category").click()
    await until(lambda: visitor.session.draft.get("data", "types") == {"code": "category"})
    visitor.user.find(marker="type-x").click()
    visitor.user.find(marker="kind-date").click()
    await until(lambda: _codes(visitor))
    assert visitor.session.draft.get("data", "types") == {"code": "category"}


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
async def test_the_encoding_of_a_file_is_found_and_stands_in_the_plan(visitor, encoding):
    await opened(visitor, "umsatz.csv", csv(GERMAN, encoding))
    assert visitor.session.draft.get("data", "encoding") == encoding
    await visitor.user.should_see("3 records × 3 columns")


async def test_a_file_of_dos_is_opened_once_its_encoding_is_named(visitor):
    await visitor.open("/open")
    await drop(visitor, ("umsatz.csv", csv(GERMAN + "Mühle;1;2\n", "cp850")))
    await visitor.user.should_see("file.encoding")
    await visitor.user.should_see("umsatz.csv could not be opened")
    await visitor.user.should_not_see(str(visitor.session.home))
    assert visitor.session.draft.content == {}
    box = next(iter(visitor.user.find(marker="read-encoding").elements))
    with visitor.user:
        box.value = "cp850"
    await until(lambda: visitor.session.draft.get("data", "encoding") == "cp850")


BROKEN = {
    "empty.csv": (lambda: b"", "file.empty"),
    "junk.csv": (lambda: bytes(range(256)) * 40, "file.encoding"),
    "torn.parquet": (lambda: parquet()[:-200], "file.unreadable"),
    "bomb.xlsx": (zip_bomb, "file.unpacks-too-large"),
    "no.xlsx": (lambda: b"PK\x03\x04nothing", "file.unreadable"),
    "wide.csv": (lambda: b",".join(b"c%d" % i for i in range(3001)) + b"\n", "studio.too-many-columns"),
    "long.csv": (lambda: b"a" * 500_000 + b",b\n1,2\n", "file.names-too-long"),
    "twins.csv": (lambda: b"a,a\n1,2\n", "data.duplicate-column"),
    "ragged.csv": (lambda: b"a,b\n1,2\n1,2,3\n", "file.ragged"),
    "header.csv": (lambda: b"a,b\n", "data.empty"),
    "what.docx": (lambda: b"x", "file.format-unknown"),
    "plan.yaml": (lambda: b"steps: [", "plan.yaml"),
    "gone.yaml": (lambda: b"tarnkappe: 1\ntitle: x\ndata: {file: gone.csv}\n", "plan.wrong"),
    "table.tab": (lambda: b"A,1\n", "argus.metadata-missing"),
    ".hidden.csv": (lambda: b"a\n1\n", "studio.file-name"),
    "what?.csv": (lambda: b"a\n1\n", "studio.file-name"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_file_is_told_with_its_code_and_leaves_what_was_open(visitor, name):
    await opened(visitor, "good.csv", csv("a,b\n1,2\n3,4\n"))
    content, room = visitor.session.draft.content, visitor.session.room
    visitor.user.find(marker="another").click()
    await drop(visitor, (name, BROKEN[name][0]()))
    assert _codes(visitor) == [BROKEN[name][1]]
    assert visitor.session.draft.content == content
    assert visitor.session.room == room
    assert (room / "good.csv").is_file()
    await visitor.open("/open")
    await visitor.user.should_see("2 records × 2 columns")


async def test_a_name_that_climbs_ends_in_the_private_folder(visitor):
    await visitor.open("/open")
    await drop(visitor, ("../../x.csv", csv("a,b\n1,2\n")))
    assert visitor.session.draft.get("data", "file") == "x.csv"
    assert (visitor.session.room / "x.csv").parent.parent == visitor.session.home


async def test_what_is_too_large_is_refused_in_words(visitor, monkeypatch):
    monkeypatch.setattr(visitor.session, "settings", replace(visitor.session.settings, largest=10))
    await visitor.open("/open")
    await drop(visitor, ("x.csv", csv("a,b\n1,2\n3,4\n")))
    await visitor.user.should_see("studio.file-too-large")
    assert visitor.session.draft.content == {}
    assert [p for p in visitor.session.home.rglob("*") if p.is_file()] == []


async def test_two_data_files_at_once_are_refused(visitor):
    await visitor.open("/open")
    await drop(visitor, ("a.csv", b"a\n1\n"), ("b.csv", b"a\n1\n"))
    await visitor.user.should_see("studio.several-files")


async def test_an_excel_sheet_is_chosen(visitor, tmp_path):
    pl = pytest.importorskip("polars")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    book = xlsxwriter.Workbook(tmp_path / "two.xlsx")
    pl.DataFrame({"a": [1, 2]}).write_excel(book, worksheet="First")
    pl.DataFrame({"b": ["x", "y", "z"]}).write_excel(book, worksheet="Second")
    book.close()
    await opened(visitor, "two.xlsx", (tmp_path / "two.xlsx").read_bytes())
    await visitor.user.should_see("sheet First")
    box = next(iter(visitor.user.find(marker="read-sheet").elements))
    with visitor.user:
        box.value = "Second"
    await until(lambda: visitor.session.draft.get("data", "sheet") == "Second")
    await visitor.user.should_see("3 records × 1 columns")


async def test_an_example_comes_with_its_plan(visitor):
    await visitor.open("/open")
    before = visitor.session.draft
    visitor.user.find(marker="example-enterprises-plan").click()
    await settled(visitor, before)
    draft = visitor.session.draft
    assert draft.get("data", "roles", "owner") == "owner"
    assert draft.get("steps")[0]["use"] == "microdata.pseudonymise"
    await visitor.user.should_see("5,000 records")


async def test_the_recipe_of_the_zew_is_at_hand(visitor):
    await visitor.open("/open")
    before = visitor.session.draft
    visitor.user.find(marker="example-enterprises-zew-mip").click()
    await settled(visitor, before)
    assert visitor.session.draft.get("steps")[0]["values"] == {"answers_for": ["group"]}
    await visitor.user.should_see("5,000 records")


async def test_a_plan_is_opened_with_its_data_and_alone_with_the_file_that_is_open(visitor):
    plan = b"tarnkappe: 1\ntitle: Mine\ndata: {file: d.csv, roles: {key: [a]}}\nsteps:\n- {use: microdata.drop, columns: [b]}\n"
    await visitor.open("/open")
    await drop(visitor, ("plan.yaml", plan), ("d.csv", b"a,b\n1,2\n3,4\n"))
    assert visitor.session.draft.get("title") == "Mine"
    visitor.user.find(marker="another").click()
    await drop(visitor, ("other.yaml", plan.replace(b"Mine", b"Yours")))
    assert visitor.session.draft.get("title") == "Yours"
    assert (visitor.session.room / "d.csv").is_file()


CELLS = "region,sex,count\nTotal,Total,10\nTotal,m,4\nTotal,f,6\nN,Total,7\nN,m,3\nN,f,4\nS,Total,3\nS,m,1\nS,f,2\n"


async def test_a_table_of_cells_is_recognised_and_opened_as_a_table(visitor):
    await opened(visitor, "cells.csv", csv(CELLS))
    await visitor.user.should_see(marker="cells-note")
    visitor.user.find(marker="are-cells").click()
    await visitor.user.should_see(marker="open-cells")
    before = visitor.session.draft
    visitor.user.find(marker="open-cells").click()
    await settled(visitor, before)
    draft = visitor.session.draft
    assert draft.get("data") is None
    assert draft.get("tables") == [
        {
            "name": "cells",
            "file": "cells.csv",
            "by": ["region", "sex"],
            "columns": {"value": "count", "count": "count"},
        }
    ]


async def test_records_are_not_taken_for_cells(visitor):
    await opened(visitor, "good.csv", csv("name,city,x\nA,P,1\nB,P,2\nC,Q,3\n"))
    await visitor.user.should_not_see(marker="cells-note")


async def test_a_table_of_argus_comes_with_its_metadata(visitor):
    rda = '<SEPARATOR> ","\nregion\n<RECODEABLE>\n<TOTCODE> Total\nvalue\n<NUMERIC>\n'
    await visitor.open("/open")
    await drop(visitor, ("t.tab", b"Total,5\nN,2\nS,3\n"), ("t.rda", rda.encode()))
    assert visitor.session.draft.get("tables") == [{"name": "t", "file": "t.tab", "by": ["region"]}]


async def test_a_wide_file_is_listed_in_pages_and_searched(visitor):
    names = [f"column_{i}" for i in range(200)]
    await opened(
        visitor,
        "wide.csv",
        csv(",".join(names) + "\n" + ",".join("1" * 200) + "\n" + ",".join("2" * 200) + "\n"),
    )
    await visitor.user.should_see("column_24")
    await visitor.user.should_see(marker="type-column_24")
    await visitor.user.should_not_see(marker="type-column_25")
    visitor.user.find(marker="find-column").type("column_199")
    await visitor.user.should_see(marker="type-column_199")
    await visitor.user.should_not_see(marker="type-column_24")


async def test_a_file_of_the_project_is_chosen_from_its_list(visitor, tmp_path, monkeypatch):
    (tmp_path / "d.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "e.csv").write_text("a\n1\n")
    (tmp_path / "below" / "plan.yaml").write_text("x")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "f.csv").write_text("a\n1\n")
    (tmp_path / "released").mkdir()
    (tmp_path / "released" / "certificate.json").write_text("{}")
    (tmp_path / "released" / "data.csv").write_text("a\n1\n")
    (tmp_path / "notes.md").write_text("x")
    (tmp_path / "out").symlink_to("/etc")
    assert project_files(tmp_path) == ("d.csv", "below/e.csv")
    monkeypatch.setattr(visitor.session, "settings", replace(visitor.session.settings, project=tmp_path))
    await visitor.open("/open")
    before = visitor.session.draft
    visitor.user.find(marker="file-d.csv").click()
    await settled(visitor, before)
    assert visitor.session.in_project
    assert visitor.session.folder == tmp_path
    await visitor.user.should_see("2 records × 2 columns")


# -- what is drawn --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        np.arange(1000.0),
        np.array([np.inf, -np.inf, *range(100)], dtype=float),
        np.array([-1e308, 1e308, *range(100)]),
        np.array([np.nan, *range(100)]),
        np.arange(1000),
    ],
)
def test_numbers_fall_into_classes_that_hold_them_all(values):
    column = Column.numbers_of(values)
    drawn = bars(column)
    assert drawn.classes
    assert len(drawn.counts) == BARS
    assert sum(drawn.counts) == np.isfinite(values).sum()


def test_few_numbers_and_categories_are_counted_each():
    assert bars(Column.numbers_of(np.array([3, 1, 1, 2]))).labels == ("1", "2", "3")
    texts = bars(Column.texts_of(["b", "a", "b", None]))
    assert (texts.labels, texts.counts, texts.others) == (("b", "a"), (2, 1), 0)
    many = bars(Column.texts_of([str(i) for i in range(100)]))
    assert (len(many.counts), many.others) == (BARS, 100 - BARS)
    assert bars(Column.texts_of([None, None])).counts == ()
    data = make_persons(200)
    assert sum(bars(data.column("birth_date")).counts) == 200


def test_what_is_drawn_cannot_break_out():
    drawn = table(("<b>",), [("<script>",), (None,)], (False,))
    assert "<script>" not in drawn
    assert "<b>" not in drawn
    assert spark(bars(Column.texts_of([])), "x") == ""
    assert Microdata({}).names == ()


def test_a_browser_uploads_by_dropping_and_sees_the_file(tab, tmp_path):
    (tmp_path / "umsatz.csv").write_text(GERMAN)
    tab.goto("/open")
    with tab.expect_file_chooser() as chooser:
        tab.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(tmp_path / "umsatz.csv")
    tab.get_by_text("3 records × 3 columns").wait_for()
    tab.get_by_role("button", name="Distribution of Umsatz, larger").click()
    tab.get_by_role("dialog", name="Umsatz").get_by_role("heading", name="Umsatz").wait_for()
    tab.keyboard.press("Escape")
    tab.get_by_role("dialog").wait_for(state="detached")
    tab.get_by_role("button", name="Next: describe it").click()
    tab.get_by_role("heading", name="Describe").wait_for()


async def test_opening_can_be_cancelled_and_leaves_what_was_open(visitor):
    await opened(visitor, "good.csv", csv("a,b\n1,2\n3,4\n"))
    content = visitor.session.draft.content
    opening = start_example(visitor.session, "persons", "data")
    await asyncio.sleep(0)
    while not opening.over:
        await cancel(visitor.session, opening)
        await asyncio.sleep(0.01)
    assert opening.trouble is None
    assert pending(visitor.session) is None
    assert visitor.session.draft.content == content
    assert not opening.folder.exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_first_lines_of_a_large_file_are_whole_in_every_encoding(tmp_path, encoding, end):
    line = f"Müller;1,5;Bäcker{end}"
    file, head = tmp_path / "large.csv", tmp_path / "head.csv"
    file.write_bytes((f"name;x;y{end}" + line * (HEAD // len(line) + 500)).encode(encoding))
    write_head(file, head, encoding)
    lines = head.read_text("utf-8").splitlines()
    assert lines[0] == "name;x;y"
    assert set(lines[1:]) == {line.strip()}
    assert 1000 < len(lines) < len(file.read_bytes().decode(encoding).splitlines())
    assert signs_of(head, ReadOptions()) == Signs(";", ",")


def test_far_values_do_not_hide_the_others():
    values = np.concatenate([np.arange(1000.0), [1e9]])
    drawn = bars(Column.numbers_of(values))
    assert sum(drawn.counts) == 1001
    assert max(drawn.counts) < 100


async def test_who_would_lose_a_release_is_warned(visitor):
    await opened(visitor, "a.csv", b"x;y\n1;2\n3;4\n")
    await visitor.open("/open")
    await visitor.user.should_see(marker="another", retries=100)
    visitor.user.find(marker="another").click()
    await visitor.user.should_not_see(marker="lost")
    (visitor.session.room / "releases").mkdir()
    await visitor.open("/open")
    await visitor.user.should_see(marker="another", retries=100)
    visitor.user.find(marker="another").click()
    await visitor.user.should_see(marker="lost")
