import io
import logging
from datetime import date, datetime, time

import pytest
import xlsxwriter
from io_samples import MARKER, shown

from tarnkappe.errors.data import DuplicateColumn, EmptyData
from tarnkappe.errors.files import ExtraNeeded, FileUnreadable, NamesMissing, SheetMissing
from tarnkappe.io.read import read
from tarnkappe.vocab import Kind

C, B, I, N, D, T = Kind.CATEGORY, Kind.BOOLEAN, Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME
FORMATS = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss", time: "hh:mm:ss"}


@pytest.fixture
def book(tmp_path):
    def make(*sheets, corner=(0, 0)):
        buffer = io.BytesIO()
        made = xlsxwriter.Workbook(buffer, {"in_memory": True, "strings_to_formulas": False})
        for name, rows in sheets:
            sheet = made.add_worksheet(name)
            for i, row in enumerate(rows, start=corner[0]):
                for j, value in enumerate(row, start=corner[1]):
                    if type(value) in FORMATS:
                        sheet.write_datetime(
                            i, j, value, made.add_format({"num_format": FORMATS[type(value)]})
                        )
                    elif isinstance(value, str):
                        sheet.write_string(i, j, value)
                    elif value is not None:
                        sheet.write(i, j, value)
        made.close()
        path = tmp_path / "book.xlsx"
        path.write_bytes(buffer.getvalue())
        return path

    return make


def test_cells_give_the_kinds(book):
    rows = [
        ("plz", "n", "x", "d", "t", "b", "mixed", "late"),
        ("01067", 1, 1.5, date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5), True, "x", None),
        ("99", None, 2, None, datetime(2020, 1, 2), None, 2.5, None),
        (None, 3, None, date(1950, 1, 1), None, False, True, None),
        *[(None,) * 8] * 1200,
        ("x", 4, 1, date(1950, 1, 1), None, False, 1, MARKER),
    ]
    found = read(book(("s", rows)))
    assert len(found) == 1204  # empty lines between are records
    seen = {name: (kind, [*texts[:3], texts[-1]]) for name, (kind, texts) in shown(found).items()}
    assert seen == {
        "plz": (C, ["01067", "99", None, "x"]), "n": (I, ["1", None, "3", "4"]), "x": (N, ["1.5", "2.0", None, "1.0"]),
        "d": (D, ["2020-01-02", None, "1950-01-01", "1950-01-01"]),
        "t": (T, ["2020-01-02T03:04:05.000000", "2020-01-02T00:00:00.000000", None, None]),
        "b": (B, ["true", None, "false", "false"]), "mixed": (C, ["x", "2.5", "true", "1"]), "late": (C, [None, None, None, MARKER]),
    }  # fmt: skip


def test_the_table_may_stand_anywhere_and_empty_columns_beside_it_are_nothing(book):
    path = book(("s", [("a", None, "b"), (1, None, "x")]), corner=(3, 2))
    assert shown(read(path)) == {"a": (I, ["1"]), "b": (C, ["x"])}


def test_marks_of_missing_values_free_the_numbers(book):
    path = book(
        ("s", [("a", "b"), (1, "01"), ("NA", "NA"), (2.5, "")])
    )  # the library itself takes NA for missing
    assert shown(read(path)) == {"a": (C, ["1", "NA", "2.5"]), "b": (C, ["01", "NA", None])}
    assert shown(read(path, missing=["NA"])) == {"a": (N, ["1.0", None, "2.5"]), "b": (C, ["01", None, ""])}


def test_sheets_by_name_and_number(book):
    path = book(("first", [("a",), (1,)]), ("zweites Blatt", [("b",), (2,)]))
    assert list(read(path).columns) == ["a"]
    assert list(read(path, sheet=1).columns) == ["a"]
    assert list(read(path, sheet=2).columns) == list(read(path, sheet="zweites Blatt").columns) == ["b"]
    with pytest.raises(SheetMissing, match="Did you mean 'first'"):
        read(path, sheet="frist")
    for number in (0, 3, -1):
        with pytest.raises(SheetMissing):
            read(path, sheet=number)


def test_bad_headers_and_no_data(book):
    with pytest.raises(DuplicateColumn):
        read(book(("s", [("a", "a"), (1, 2)])))
    with pytest.raises(NamesMissing):
        read(book(("s", [("a", None), (1, 2)])))
    with pytest.raises(EmptyData):
        read(book(("s", [("a", "b")])))
    with pytest.raises(EmptyData):
        read(book(("s", [])))


def test_numbers_as_names(book):
    assert list(read(book(("s", [(2019, "x"), (1, 2)]))).columns) == ["2019", "x"]


def test_types_can_be_asked_for(book):
    path = book(("s", [("plz", "d"), (1067, "1.2.2020"), (99, "3.4.2021")]))
    assert shown(read(path, types={"plz": "category", "d": "date"})) == {
        "plz": (C, ["1067", "99"]), "d": (D, ["2020-02-01", "2021-04-03"]),
    }  # fmt: skip


def test_nothing_is_logged(book, caplog):
    path = book(("s", [("a", "b"), (1, None)]))
    with caplog.at_level(logging.DEBUG):
        read(path)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("content", [b"PK\x03\x04" + MARKER.encode(), MARKER.encode()])
def test_what_is_no_excel_file_is_told_in_our_words(tmp_path, content):
    path = tmp_path / "bad.xlsx"
    path.write_bytes(content)
    with pytest.raises(FileUnreadable, match="not an Excel file") as caught:
        read(path)
    assert MARKER not in str(caught.value)


def test_a_torn_file_is_told_in_our_words(book):
    path = book(("s", [("a", "b"), (MARKER, 2)]))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FileUnreadable) as caught:
        read(path)
    assert MARKER not in str(caught.value)


def test_without_the_library_its_extra_is_named(book, monkeypatch):
    path = book(("s", [("a",), (1,)]))
    monkeypatch.setitem(__import__("sys").modules, "fastexcel", None)
    with pytest.raises(ExtraNeeded, match=r"tarnkappe\[excel\]"):
        read(path)


def test_words_among_numbers_and_dates_are_not_lost(book):
    path = book(("s", [("n", "d"), (1, date(2020, 1, 2)), ("null", "n/a")]))
    assert shown(read(path)) == {"n": (C, ["1", "null"]), "d": (C, ["2020-01-02 00:00:00", "n/a"])}
    assert shown(read(path, missing=["null", "n/a"])) == {
        "n": (I, ["1", None]),
        "d": (D, ["2020-01-02", None]),
    }
