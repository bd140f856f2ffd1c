"""Broken and hostile files in a real browser: told in words with the way out, and nothing of them stays."""

from __future__ import annotations

import io

import polars as pl

from in_a_browser import choose, expect
from studio.bad_files import parquet, zip_bomb


def _columns_bomb() -> bytes:
    """A hundred and fifty kilobytes that would be more than a gigabyte."""
    out = io.BytesIO()
    pl.DataFrame({"a": pl.repeat(False, 130_000_000, eager=True)}).write_parquet(out, statistics=False)
    return out.getvalue()


def _wide() -> bytes:
    return b",".join(b"c%d" % i for i in range(20_000)) + b"\n" + b",".join([b"1"] * 20_000) + b"\n"


FILES = {
    "empty.csv": (lambda: b"", "file.empty", "Give a file with a header and records."),
    "binary.csv": (lambda: bytes(range(256)) * 40, "file.encoding", "Name the encoding"),
    "bomb.xlsx": (zip_bomb, "file.unpacks-too-large", "write it as several smaller files"),
    "bomb.parquet": (_columns_bomb, "file.unpacks-too-large", "leave columns out"),
    "torn.parquet": (lambda: parquet()[:-200], "file.unreadable", "Check that it is complete"),
    "header.csv": (lambda: b"a,b\n", "data.empty", "lines below the header"),
    "wide.csv": (_wide, "studio.too-many-columns", "leave columns out"),
    "long.csv": (lambda: b"x" * 600_000 + b"\n1\n", "file.names-too-long", "Check the separator"),
    "page.csv": (lambda: b"<!DOCTYPE html>\n<p>1, 2</p>\n", "file.not-text", "export the data as CSV"),
    "what.docx": (lambda: b"x", "file.format-unknown", "Known formats"),
    "cells.jj": (lambda: b"0\n1\n", "studio.jj-alone", "together with a plan"),
    "bad.yaml": (lambda: b"steps: [", "plan.yaml", "Check the indentation"),
}


def left(live) -> list[str]:
    """Uploads that lie in the private folder."""
    home = live.log.parent / "run"
    return [file.name for file in home.rglob("*") if file.is_file() and file.name != "lock"]


def test_broken_files_are_told_and_leave_nothing(tab, live):
    before = set(left(live))
    tab.goto("/open")
    box = tab.locator("input[type=file]").first
    code = tab.locator(".tk-trouble .tk-code")
    for name, (made, told, way_out) in FILES.items():
        box.wait_for(state="attached")
        box.set_input_files({"name": name, "mimeType": "", "buffer": made()})
        code.filter(has_text=told).wait_for()
        expect(tab.locator(".tk-trouble")).to_contain_text(way_out)
        assert str(live.log.parent) not in tab.locator("body").inner_text()
        tab.get_by_role("button", name="Do not open it").click()
        tab.get_by_text("Drop a file here").wait_for()
        assert set(left(live)) == before, name
    old = "Name;Umsatz\nMüller;1,5\nBäcker;2,5\n".encode("cp850")
    box.set_input_files({"name": "alt.csv", "mimeType": "text/csv", "buffer": old})
    code.filter(has_text="file.encoding").wait_for()
    choose(tab, "Encoding", "DOS")
    tab.get_by_text("2 records × 2 columns").wait_for()
    assert "Traceback" not in live.log.read_text()
