"""Mutated table files of every kind: a table or a coded error, never a traceback, never a value in the message."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_samples import full_table, tree

from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.errors import InputWrong
from tarnkappe.io.argus import ArgusFile, read_argus
from tarnkappe.io.argus_history import history_text
from tarnkappe.io.argus_write import argus_files
from tarnkappe.io.cells import CellColumns, CellFile, read_cells
from tarnkappe.io.jj import jj_bytes, jj_of, pattern_of_jj, read_jj
from tarnkappe.io.marks import read_marks, with_marks
from tarnkappe.io.patterns import pattern_of, rows_of
from tarnkappe.io.published import PublishedFile
from tarnkappe.io.read import read as read_records
from tarnkappe.io.write_columns import csv_bytes

SECRET = "77345"
"""Begins every value of the table: no message may hold it."""
BY = ("region", "sector")
TREES = {"region": tree("two levels", "region"), "sector": tree("flat", "sector")}
COLUMNS = CellColumns(count="count", largest=("largest_1", "largest_2"))


def sample() -> Pattern:
    leaves = np.full((3, 3), 77345.25)
    table = full_table(tuple(TREES.values()), leaves)
    status = np.zeros(len(table), dtype=np.uint8)
    status[table.inner] = Status.SECONDARY
    status[np.flatnonzero(table.inner)[:2]] = Status.PRIMARY
    lower = np.where(status == Status.PRIMARY, 77345.5, 0.0)
    return Pattern(table, status=status, lower=lower, upper=lower, cost=np.full(len(table), 77345.0))


PATTERN = sample()
ARGUS = argus_files(PATTERN, "t")
MARKS = b"region;sector;mark;low;high;cost\nN1;a;suppress;77345.0;;\nN2;a;keep;;;\nTotal;Total;;;773450000;77345.5\n"
PUBLISHED = b"region,sector,value,status,low,high\nTotal,Total,77345,published,,\nN,Total,,suppressed,,\nS,Total,,suppressed,,\nN,a,,range,1,77345\n"
RECORDS = b"a1,77345.5,2\nb2,77345,1\n"
RECORDS_RDA = (
    b'<SEPARATOR> ","\nr 2 "99"\n  <RECODEABLE>\n  <HIERLEVELS> 1 1\nv 9\n  <NUMERIC>\nw 2\n  <WEIGHT>\n'
)


def cells(folder):
    pattern_of(read_cells(CellFile(folder / "t.csv", BY, COLUMNS)), TREES, COLUMNS, "t")


def published(folder):
    file = PublishedFile(folder / "t.csv", BY)
    file.system(file.read(), TREES)


def marks(folder):
    with_marks(Pattern(PATTERN.table), read_marks(folder / "m.csv", BY))


def history(folder):
    with_marks(Pattern(PATTERN.table), read_marks(folder / "m.hst", BY))


READERS = {
    "cells": ({"t.csv": csv_bytes(rows_of(PATTERN))}, "t.csv", cells),
    "published": ({"t.csv": PUBLISHED}, "t.csv", published),
    "marks": ({"m.csv": MARKS}, "m.csv", marks),
    "history": ({"m.hst": history_text(PATTERN).encode()}, "m.hst", history),
    "jj": ({"t.jj": jj_bytes(jj_of(PATTERN))}, "t.jj", lambda f: pattern_of_jj(read_jj(f / "t.jj"), TREES)),
    "argus table": (ARGUS, "t.tab", lambda f: read_argus(ArgusFile(f / "t.tab"))),
    "argus metadata": (ARGUS, "t.rda", lambda f: read_argus(ArgusFile(f / "t.tab"))),
    "argus hierarchy": (ARGUS, "t_region.hrc", lambda f: read_argus(ArgusFile(f / "t.tab"))),
    "argus records": ({"t.asc": RECORDS, "t.rda": RECORDS_RDA}, "t.asc", lambda f: read_records(f / "t.asc")),
    "argus record metadata": ({"t.asc": RECORDS, "t.rda": RECORDS_RDA}, "t.rda", lambda f: read_records(f / "t.asc")),
}  # fmt: skip
WORDS = st.sampled_from(
    [
        b"", b" ", b"\n", b"\r", b"\t", b",", b";", b'"', b"'", b"-", b"-1", b"0", b"1", b"9", b"1e999", b"nan", b"inf", b"Total",
        b"N1", b"<", b">", b"<NUMERIC>", b"<RECODEABLE>", b"<STATUS>", b"<HIERLEVELS> 99999", b"<SEPARATOR>", b"//", b"@", b"@@",
        b":", b"(", b")", b"u", b"z", b"\xff", b"\x00", b"\xef\xbb\xbf", b"\xc3\xa4", b"99999999999999999999", b"0.5", b"1,5",
    ]
)  # fmt: skip


@st.composite
def mutated(draw, original: bytes) -> bytes:
    """The file with a few things replaced, left out, doubled or moved."""
    text = original
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 1, 2, 8, 60])))
        how = draw(st.sampled_from(["word", "drop", "double", "bytes", "lines"]))
        if how == "lines":
            lines = text.split(b"\n")
            at = draw(st.integers(0, len(lines) - 1))
            lines.insert(
                draw(st.integers(0, len(lines))), lines.pop(at) if draw(st.booleans()) else lines[at]
            )
            text = b"\n".join(lines)
            continue
        new = {
            "word": WORDS,
            "drop": st.just(b""),
            "double": st.just(2 * text[start:end]),
            "bytes": st.binary(max_size=4),
        }[how]
        text = text[:start] + draw(new) + text[end:]
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With one folder per kind of file: the files in it are written anew every time."""
    return tmp_path_factory.mktemp("fuzz")


def refuse_or_read(folder, files, read):
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        read(folder)
    except InputWrong as told:
        for lang in ("en", "de"):
            assert SECRET not in told.text(lang), told.code


@pytest.mark.parametrize("kind", READERS)
def test_the_file_as_it_is_can_be_read(tmp_path, kind):
    files, _, read = READERS[kind]
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    read(tmp_path)


@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_mutated_files(folder, kind, data):
    files, victim, read = READERS[kind]
    changed = data.draw(mutated(files[victim]))
    refuse_or_read(folder / kind, {**files, victim: changed}, read)


@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=40, deadline=None)
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_anything_in_place_of_a_file(folder, kind, content):
    files, victim, read = READERS[kind]
    refuse_or_read(folder / kind, {**files, victim: content}, read)


@pytest.mark.long
@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=1500, deadline=None)
@given(data=st.data())
def test_many_mutated_files(folder, kind, data):
    files, victim, read = READERS[kind]
    changed = data.draw(mutated(files[victim]))
    refuse_or_read(folder / kind, {**files, victim: changed}, read)
