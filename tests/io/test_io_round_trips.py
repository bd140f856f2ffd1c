"""Data goes out in every format and comes back as it was, as far as the format can hold it."""

import sys
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from io_samples import MARKED_FLOAT, MARKED_NUMBER, MARKER, everything, hide, shown, written

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.files import FormatUnknown, NameNotWritable, TooManyRows, ValuesNotWritable
from tarnkappe.io import scratch, write_excel, write_statistics
from tarnkappe.io.read import read
from tarnkappe.io.whole import if_whole
from tarnkappe.io.write import FORMATS, Empty, states
from tarnkappe.vocab import Kind

LOSSLESS = ("parquet", "arrow", "csv")


@pytest.fixture
def through(tmp_path):
    def go(data, form, **options):
        path = tmp_path / f"data.{form}"
        path.write_bytes(written(data, form))
        return read(path, **options)

    return go


@pytest.mark.parametrize("form", FORMATS)
def test_all_that_is_shown_comes_back(through, form):
    expected = shown(everything())
    if form in ("sav", "dta"):  # no type of their own for yes and no
        expected["yes"] = (Kind.INTEGER, ["1", "0", "1", None, None, "0"])
    assert shown(through(everything(), form)) == expected


@pytest.mark.parametrize("form", LOSSLESS)
def test_awkward_values_survive(through, form):
    data = Microdata(
        {
            "huge": Column.numbers_of(np.array([2**63 - 1, -(2**63), 2**53 + 1, 0])),
            "odd": Column.numbers_of(np.array([np.inf, -np.inf, 5e-324, 0.1 + 0.2])),
            "zero": Column.numbers_of(np.array([-0.0, 0.0, 1.0, -1.5])),
            "text": Column.texts_of(["", "NA", "a\r\nb", ' "q" ']),
            "beyond": Column.texts_of(["99999999999999999999", "1", "2", "3"]),
        }
    )
    back = through(data, form, missing=())
    assert shown(back) == shown(data)
    assert back.column("huge").values.tolist() == data.column("huge").values.tolist()
    assert np.signbit(back.column("zero").values).tolist() == [False, False, False, True], "-0.0 is 0.0"


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_instants_keep_their_microseconds_and_dates_their_range(through, form):
    days = np.array([-(2**31) + 1, 2**31 - 1], dtype=np.int32)
    data = Microdata({"t": Column(Kind.DATETIME, np.array([1, -(2**62)])), "d": Column(Kind.DATE, days)})
    back = through(data, form)
    assert back.column("t").values.tolist() == [1, -(2**62)]
    assert back.column("d").values.tolist() == days.tolist()


def test_nan_is_never_written(through):
    data = Microdata({"x": Column(Kind.NUMBER, np.array([np.nan, 1.5]))})  # observed, by some method's fault
    assert pl.read_parquet(written(data, "parquet"))["x"].to_list() == [None, 1.5]
    assert written(data, "csv") == b"x\n\n1.5\n"


@pytest.mark.parametrize(
    ("values", "whole"),
    [
        ([1.0, None], True),
        ([-0.0, 1.0], False),
        ([0.5], False),
        ([2.0**53], True),
        ([2.0**53 + 2], False),
        ([float("inf")], False),
        ([], True),
    ],
)
def test_floats_that_are_whole_numbers(values, whole):
    assert if_whole(pl.Series(values, dtype=pl.Float64)).dtype == (pl.Int64 if whole else pl.Float64)


def test_csv_keeps_microseconds(through):
    data = Microdata({"t": Column(Kind.DATETIME, np.array([1, 1_700_000_000_123_456]))})
    assert shown(through(data, "csv")) == shown(data)


@given(
    st.lists(
        st.tuples(
            st.none() | st.text(max_size=5),
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(allow_nan=False),
            st.none() | st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)),
            st.none() | st.booleans(),
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["parquet", "arrow"]),
)
def test_any_data_survives_parquet_and_arrow(tmp_path_factory, rows, form):
    from tarnkappe.io.frames import from_frame

    schema = {"s": pl.String, "i": pl.Int64, "f": pl.Float64, "t": pl.Datetime("us"), "b": pl.Boolean}
    data = from_frame(pl.DataFrame(rows, schema=schema, orient="row"))
    path = tmp_path_factory.getbasetemp() / f"any.{form}"
    path.write_bytes(written(data, form))
    assert shown(read(path)) == shown(data)


@pytest.mark.parametrize("form", FORMATS)
def test_one_record_and_one_column(through, form):
    data = Microdata({"a": Column.texts_of(["x"])})
    assert shown(through(data, form)) == shown(data)


@pytest.mark.parametrize("form", FORMATS)
def test_a_column_with_nothing_observed_comes_back_empty(through, form):
    data = Microdata({"a": hide(Column.texts_of(["x", "y"]), 0, 1), "b": Column.texts_of(["z", "z"])})
    assert shown(through(data, form))["a"] == (Kind.CATEGORY, [None, None])


# -- what must not be in a file ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_of_a_suppressed_cell_is_in_the_bytes(form):
    data = everything()
    labelled = Column.texts_of(["a", "b", "c", None, "d", "e"], value_labels={"d": MARKER, "a": "first"})
    data = data.with_columns({"code": hide(labelled, 4)})
    hidden = Column.numbers_of(np.arange(6), value_labels={"4": MARKER, "1": "one"})
    data = data.with_columns({"number_code": hide(hidden, 4)})
    assert MARKER in data.column("text").categories  # the test could fail
    raw = written(data, form)
    seen = unzipped(raw) if form == "xlsx" else raw
    for secret in (
        MARKER.encode(), MARKER.encode("utf-16-le"), str(MARKED_NUMBER).encode(), np.int64(MARKED_NUMBER).tobytes(),
        np.float64(MARKED_NUMBER).tobytes(), str(MARKED_FLOAT).encode(), np.float64(MARKED_FLOAT).tobytes(),
    ):  # fmt: skip
        assert secret not in seen
    if form in ("parquet", "arrow"):
        frame = pl.read_parquet(raw) if form == "parquet" else pl.read_ipc(raw)
        assert frame.schema["text"] == pl.String
        assert (
            not frame.with_columns(pl.all().cast(pl.String) == MARKER)
            .select(pl.any_horizontal(pl.all().any()))
            .item()
        )


def unzipped(raw):
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        return b"".join(parts.read(name) for name in parts.namelist())


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_values_under_null_are_wiped_even_uncompressed(form):
    """The buffers behind null cells, which a reader does not show, hold nothing either."""
    import io

    from tarnkappe.io.series import frame_of

    buffer = io.BytesIO()
    frame = frame_of(everything().sealed())
    frame.write_ipc(buffer, compression="uncompressed") if form == "arrow" else frame.write_parquet(
        buffer, compression="uncompressed"
    )
    for secret in (np.int64(MARKED_NUMBER), np.float64(MARKED_FLOAT), np.int64(4711_000_000_000)):
        assert secret.tobytes() not in buffer.getvalue()


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_data_gives_the_same_bytes_at_any_time(form, monkeypatch):
    first = written(everything(), form)
    assert first == written(everything(), form)
    if form == "sav":
        assert first[92:109] == b"01 Jan 0000:00:00"
    if form == "dta":
        assert b"<timestamp>\x1101 Jan 2000 00:00</timestamp>" in first
    year = str(datetime.now(tz=UTC).year).encode()
    assert form not in ("sav", "dta", "xlsx") or year not in (
        unzipped(first) if form == "xlsx" else first[:1000]
    )


@pytest.mark.parametrize("form", ["parquet", "arrow", "csv"])
def test_large_files_are_the_same_whatever_the_threads_do(form):
    rng = np.random.default_rng(5)
    n = 300_000
    data = Microdata(
        {
            "x": Column.numbers_of(rng.random(n)),
            "c": Column.coded(rng.integers(0, 500, n), np.array([f"c{i}" for i in range(500)], dtype=object)),
        }
    )
    assert written(data, form) == written(data, form)


def test_states_tell_missing_from_suppressed():
    found = states(everything())
    assert found["text"] == Empty(missing=1, suppressed=1)
    assert found["nothing"] == Empty(missing=6, suppressed=0)
    assert list(found) == list(everything().columns)


# -- formulas ----------------------------------------------------------------------------------------------

RISKY = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\ta", "\ra", "\na", "-", "＝1", "+49 30"]
RISKY += [" =1", "\u00a0=1", "\u200b@a", "  -2+3"]
PLAIN = [
    "-5",
    "+5",
    "-1.5",
    "-1,5",
    "+1e5",
    "a=b",
    "'=1",
    "",
    "5",
    " -5",
    "52.5, -13.4",
    "1;-2|+3",
    "a; b=c",
    "x-y",
]
CUT = {
    "a;=1+1": "a;'=1+1",
    "a; =1": "a;' =1",
    "a,b|@c": "a,b|'@c",
    "a\t=1": "a\t'=1",
    "a\n=1;+b": "a\n'=1;'+b",
    "a;-5": "a;'-5",
    "\t=1": "'\t'=1",
    ";＝1": ";'＝1",
}
"""Cells that a spreadsheet with another separator cuts, so that a formula begins one."""


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_formulas_are_defused_and_plain_numbers_are_not(through, form):
    column = Column.texts_of([*RISKY, *PLAIN, *CUT])
    data = Microdata({"=name": column, "n": Column.numbers_of(np.arange(len(column)) - 10)})
    options = {"separator": ","} if form == "csv" else {}
    back = through(data, form, missing=(), types={"'=name": "category"}, **options)
    assert back.column("'=name").texts().tolist() == [
        *("'" + text for text in RISKY),
        *PLAIN,
        *CUT.values(),
    ]
    assert back.column("n").values.tolist() == data.column("n").values.tolist()


def test_a_cell_full_of_signs_is_defused_in_no_time():
    """No search that grows with the square of the text, or worse."""
    from tarnkappe.io.defusing import harmless

    assert harmless(["1,-1" * 50_000 + "x"])[0].count("'") == 50_000


def test_codes_that_look_like_formulas_are_known_again():
    from tarnkappe.data.hierarchy_builders import from_pairs
    from tarnkappe.io.cells import nodes_of

    tree = from_pairs("d", ["T", "=a", "b;=c", "'e"], [None, "T", "T", "T"])
    cells = Microdata({"d": Column.texts_of(["T", "'=a", "b;'=c", "b;=c", "'e"])})
    assert nodes_of(cells, {"d": tree})[:, 0].tolist() == [0, 1, 2, 2, 3]


def test_excel_gets_strings_not_formulas_or_links():
    parts = unzipped(
        written(Microdata({"a": Column.texts_of(["=1+1", "http://x.example", "ftp://y"])}), "xlsx")
    )
    assert b"<f>" not in parts
    assert b"hyperlink" not in parts


def test_names_that_become_alike_by_defusing_are_refused():
    from tarnkappe.errors.data import DuplicateColumn

    with pytest.raises(DuplicateColumn):
        written(Microdata({"=a": Column.texts_of(["x"]), "'=a": Column.texts_of(["y"])}), "csv")


# -- labels ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["sav", "dta"])
def test_labels_go_out_and_come_back(through, form):
    back = through(everything(), form)
    assert back.column("text").label == "Ein Text"
    assert dict(back.column("whole").value_labels) == {"7": "seven", "-5": "minus"}
    assert dict(back.column("yes").value_labels) == {"0": "false", "1": "true"}


def test_spss_labels_text_too(through):
    column = Column.texts_of(["m", "f", "f"], value_labels={"m": "male", "f": "female", "x": "not there"})
    assert dict(through(Microdata({"sex": column}), "sav").column("sex").value_labels) == {
        "m": "male",
        "f": "female",
    }


def test_labels_that_are_too_long_are_cut(through):
    column = Column.numbers_of(np.array([1]), label="ä" * 300, value_labels={"1": "ö" * 300})
    for form in ("sav", "dta"):
        back = through(Microdata({"a": column}), form).column("a")
        assert set(back.label) == {"ä"}
        assert set(back.value_labels["1"]) == {"ö"}


# -- what a format cannot hold -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "column", "first"),
    [
        ("xlsx", Column.numbers_of(np.array([1, 10**15 + 1])), 2),
        ("sav", Column.numbers_of(np.array([2**53 + 1, 1])), 1),
        ("dta", Column.numbers_of(np.array([1, 2, -(2**53) - 1])), 3),
        ("xlsx", Column.numbers_of(np.array([1.0, np.inf])), 2),
        ("sav", Column.numbers_of(np.array([-np.inf])), 1),
        ("dta", Column.numbers_of(np.array([1e308])), 1),
        ("xlsx", Column.texts_of(["x" * 32_768]), 1),
        ("sav", Column.texts_of(["x" * 32_768]), 1),
        ("sav", Column.texts_of(["a\0b"]), 1),
        ("dta", Column.texts_of(["a\0b"]), 1),
        ("xlsx", Column(Kind.DATE, np.array([-25_600], dtype=np.int32)), 1),
        ("xlsx", Column(Kind.DATETIME, np.array([0, -(10**16)])), 2),
    ],
)
def test_values_a_format_cannot_hold_are_refused_with_their_record(form, column, first):
    with pytest.raises(ValuesNotWritable) as caught:
        written(Microdata({"a": column}), form)
    assert (caught.value.facts["count"], caught.value.facts["first"]) == (1, first)
    assert "xxx" not in str(caught.value)


def test_the_largest_values_a_format_holds_come_back(through):
    for form, largest in (("xlsx", 10**15), ("sav", 2**53), ("dta", 2**53)):
        data = Microdata({"a": Column.numbers_of(np.array([largest, -largest, 0]))})
        assert shown(through(data, form)) == shown(data)
    for edge in (2_147_483_620, 2_147_483_621, 2_147_483_647, -2_147_483_647, -2_147_483_648):
        edges = Microdata({"a": Column.numbers_of(np.array([edge, 0]))})
        assert shown(through(edges, "dta")) == shown(edges)  # beyond lie Stata's marks of missing values
    first = Microdata({"d": Column(Kind.DATE, np.array([-25_508, 2_932_896], dtype=np.int32))})
    assert shown(through(first, "xlsx")) == shown(first)  # 1900-03-01 and 9999-12-31


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("sav", ["1a"]), ("sav", ["a b"]), ("sav", ["_a"]), ("sav", ["ALL"]), ("sav", ["ä" * 33]), ("sav", ["a", "A"]),
        ("sav", ["a."]), ("sav", [""]), ("dta", ["1a"]), ("dta", ["a b"]), ("dta", ["a.b"]), ("dta", ["int"]),
        ("dta", ["str12"]), ("dta", ["x" * 33]), ("dta", [""]), ("dta", ["a-b"]),
    ],
)  # fmt: skip
def test_names_a_format_cannot_hold_are_refused(form, names):
    with pytest.raises(NameNotWritable):
        written(Microdata({name: Column.texts_of(["x"]) for name in names}), form)


@pytest.mark.parametrize("names", [["a", "A", "ä_1", "_x", "x" * 32], ["größe"]])
def test_names_a_format_can_hold_are_kept(through, names):
    data = Microdata({name: Column.texts_of(["x"]) for name in names})
    assert list(through(data, "dta").columns) == names


def test_spss_names_with_its_signs(through):
    names = ["a.b", "c$1", "d#", "e@", "ä" * 32]
    assert list(through(Microdata({name: Column.texts_of(["x"]) for name in names}), "sav").columns) == names


def test_excel_has_an_end(monkeypatch):
    monkeypatch.setattr(write_excel, "_ROWS", 2)
    written(Microdata({"a": Column.texts_of(["x"] * 2)}), "xlsx")
    with pytest.raises(TooManyRows, match="at most 2 records"):
        written(Microdata({"a": Column.texts_of(["x"] * 3)}), "xlsx")
    monkeypatch.setattr(write_excel, "_COLUMNS", 1)
    with pytest.raises(TooManyRows, match="at most 1 columns"):
        written(Microdata({"a": Column.texts_of(["x"]), "b": Column.texts_of(["x"])}), "xlsx")


def test_excel_really_ends_where_excel_ends():
    assert write_excel._ROWS + 1 == 2**20


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(FormatUnknown, match="csv, parquet, arrow, xlsx, sav, dta"):
        written(everything(), "pdf")


# -- no traces ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_writing_makes_no_files(form, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.chdir(tmp_path)
    seen = []
    original = scratch._through_memory
    monkeypatch.setattr(
        scratch,
        "_through_memory",
        lambda write: original(lambda path: (write(path), seen.extend(tmp_path.iterdir()))),
    )
    written(everything(), form)
    assert seen == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="compares the two ways")
def test_without_a_file_in_memory_the_bytes_are_the_same_and_nothing_is_left(tmp_path, monkeypatch):
    expected = written(everything(), "sav")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(write_statistics, "written_bytes", scratch._through_folder)
    assert written(everything(), "sav") == expected
    assert list(tmp_path.iterdir()) == []
