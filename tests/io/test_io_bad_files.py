"""Bad files of every format, full of a marker: a coded error with exit code 2, and no word of the data in it."""

import polars as pl
import pytest
from io_samples import MARKER, everything, written

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.files import (
    FileEmpty,
    FileMissing,
    FileUnreadable,
    FormatUnknown,
    NamesTooLong,
    NotText,
    UnpacksTooLarge,
)
from tarnkappe.io import memory, read_columns, read_statistics
from tarnkappe.io.parquet_footer import unpacked_size
from tarnkappe.io.read import ENDINGS, read
from tarnkappe.io.write import FORMATS

BAD_TEXT = {
    "ragged": f"a,b\n{MARKER},1\n{MARKER}\n",
    "quotes": f'a,b\n"{MARKER}" {MARKER},1\n',
    "open quote": f'a,b\n"{MARKER},1\n',
    "encoding": f"a,b\n{MARKER},ä\n".encode("cp1252") + b"\x81\n",
    "zero": f"a,b\n{MARKER},\0\n",
    "no name": f"a,\n{MARKER},1\n",
    "twice": f"a,a\n{MARKER},1\n",
    "asked": f"n,b\n1,2\n{MARKER},3\n",
}


@pytest.mark.parametrize("fault", BAD_TEXT)
def test_no_message_about_a_text_file_carries_data(tmp_path, fault):
    path = tmp_path / "data.csv"
    content = BAD_TEXT[fault]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TarnkappeError) as caught:
        read(path, types={"n": "integer"} if fault == "asked" else None)
    error = caught.value
    assert error.exit_code == 2
    assert MARKER not in error.text("en") + error.text("de") + repr(error) + repr(error.facts)
    assert error.__cause__ is None


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_and_empty_files(tmp_path, ending):
    with pytest.raises(FileMissing):
        read(tmp_path / f"data{ending}")
    (tmp_path / f"data{ending}").touch()
    with pytest.raises(FileEmpty):
        read(tmp_path / f"data{ending}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_folder_with_the_name_of_a_file(tmp_path, ending):
    (tmp_path / f"data{ending}").mkdir()
    with pytest.raises(FileUnreadable, match="folder"):
        read(tmp_path / f"data{ending}")


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "csv"])
@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_torn_files_of_every_format(tmp_path, form, cut):
    raw = written(everything(), form)
    path = tmp_path / f"data.{form}"
    path.write_bytes(raw[: int(len(raw) * cut)])
    with pytest.raises(FileUnreadable) as caught:
        read(path)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "ipc"])
def test_garbage_named_as_columns(tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    path.write_bytes(MARKER.encode() * 20)
    with pytest.raises(FileUnreadable) as caught:
        read(path)
    assert MARKER not in str(caught.value)


def test_no_records_and_no_columns_in_a_parquet_file(tmp_path):
    for frame in (
        pl.DataFrame({"a": pl.Series([], dtype=pl.String), "b": pl.Series([], dtype=pl.Int8)}),
        pl.DataFrame(),
    ):
        frame.write_parquet(tmp_path / "data.parquet")
        with pytest.raises(EmptyData):
            read(tmp_path / "data.parquet")


def test_a_name_with_signs_of_a_pattern_is_a_name(tmp_path):
    for name in ("a*.parquet", "[ab].parquet", "a?.arrow"):
        path = tmp_path / name
        path.write_bytes(written(everything(), path.suffix[1:]))
        assert len(read(path)) == 6


def test_formats_are_known_by_their_ending_in_any_case(tmp_path):
    (tmp_path / "DATA.CSV").write_text("a\n1\n")
    assert len(read(str(tmp_path / "DATA.CSV"))) == 1
    (tmp_path / "data.pdf").write_text("a\n1\n")
    with pytest.raises(FormatUnknown, match=r"\.parquet"):
        read(tmp_path / "data.pdf")
    (tmp_path / "data").write_text("a\n1\n")
    with pytest.raises(FormatUnknown):
        read(tmp_path / "data")


def test_a_file_one_may_not_read(tmp_path, monkeypatch):
    path = tmp_path / "data.csv"
    path.write_text("a\n1\n")

    def refuse(*_, **__):
        raise PermissionError(13, MARKER)

    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(FileUnreadable, match="may not"):
        read(path)


def test_columns_of_a_type_without_a_kind_are_named(tmp_path):
    pl.DataFrame({"a": [1], "bad": [[MARKER]]}).write_parquet(tmp_path / "data.parquet")
    with pytest.raises(TarnkappeError, match="'bad'") as caught:
        read(tmp_path / "data.parquet")
    assert caught.value.code == "file.column-type"
    assert MARKER not in str(caught.value)


# -- small files that would fill the memory ------------------------------------------------------------------------


BOMBS = {
    "rows.parquet": lambda: {"a": [1] * 150_000},
    "text.parquet": lambda: {"a": ["x" * 2_000_000]},
    "columns.arrow": lambda: {f"c{i}": [0] * 10_000 for i in range(20)},
    "rows.zsav": lambda: {"a": [0.0] * 150_000},
}


def _packed(path, columns) -> None:
    frame = pl.DataFrame(columns)
    if path.suffix == ".zsav":
        pytest.importorskip("pyreadstat").write_sav(frame, str(path), compress=True)
    elif path.suffix == ".arrow":
        frame.write_ipc(path, compression="zstd")
    else:
        frame.write_parquet(path)


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_would_fill_the_memory_is_refused_unread(tmp_path, monkeypatch, name):
    _packed(tmp_path / name, BOMBS[name]())
    assert (tmp_path / name).stat().st_size < 200_000
    assert len(read(tmp_path / name))
    monkeypatch.setattr(memory.refuse_bomb, "__defaults__", (2**20, 5))  # instead of a gigabyte
    monkeypatch.setattr(read_columns, "_column", None)
    monkeypatch.setattr(read_statistics, "_column", None)
    with pytest.raises(UnpacksTooLarge):
        read(tmp_path / name)


def test_what_the_machine_cannot_hold_is_refused_however_large_the_file(tmp_path, monkeypatch):
    pl.DataFrame({"a": range(10_000)}).write_parquet(tmp_path / "data.parquet")
    monkeypatch.setattr(memory, "_memory", lambda: 50_000)
    with pytest.raises(UnpacksTooLarge, match="0.0 MiB"):
        read(tmp_path / "data.parquet")


@pytest.mark.parametrize("groups", [1, 7, 100])
def test_the_footer_tells_what_another_reader_finds(tmp_path, groups):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "data.parquet"
    frame = pl.DataFrame({"a": range(700), "b": ["ä" * (i % 9) for i in range(700)], "c": [True, None] * 350})
    frame.write_parquet(path, row_group_size=700 // groups, statistics=True)
    for _ in range(2):
        told = parquet.read_metadata(path)
        columns = [told.row_group(g).column(c) for g in range(told.num_row_groups) for c in range(3)]
        assert unpacked_size(path) == sum(column.total_uncompressed_size for column in columns) > 0
        parquet.write_table(parquet.read_table(path).replace_schema_metadata({"k": "v"}), path)


def test_a_torn_footer_is_told(tmp_path):
    pl.DataFrame({"a": range(100)}).write_parquet(tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for at in range(8, len(whole) - 8, 7):
        (tmp_path / "torn.parquet").write_bytes(whole[:at] + b"\xff\xfc\x9c" + whole[at + 3 :])
        try:
            read(tmp_path / "torn.parquet")
        except TarnkappeError as problem:
            assert problem.exit_code == 2


@pytest.mark.parametrize(
    "footer",
    [
        b"\x19\xf7" + b"\xff" * 8 + b"\x7f",
        b"\x19\xf7" + b"\xff" * 100_000,
        b"\x19" + b"\x19" * 100_000,
        b"\x18\xff\xff\x7f",
    ],
    ids=["a list of 2⁶³ numbers", "a number without end", "lists in lists", "a text beyond the end"],
)
def test_a_footer_made_to_keep_us_busy_is_refused_at_once(tmp_path, footer):
    length = len(footer).to_bytes(4, "little")
    (tmp_path / "trap.parquet").write_bytes(b"PAR1" + footer + length + b"PAR1")
    with pytest.raises(FileUnreadable):
        read(tmp_path / "trap.parquet")


def test_names_that_fill_pages_are_refused_in_every_format(tmp_path):
    (tmp_path / "data.csv").write_text("a," + "b" * 2001 + "\n1,2\n")
    pl.DataFrame({"a": [1], "b" * 2001: [2]}).write_parquet(tmp_path / "data.parquet")
    for name in ("data.csv", "data.parquet"):
        with pytest.raises(NamesTooLong, match="column 2"):
            read(tmp_path / name)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"PK\x03\x04,b\n1,2\n", "zip"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"PAR1" + bytes(8), "Parquet"),
        (b"%PDF-1.7", "PDF"),
        (b"\xef\xbb\xbf\r\n<!DOCTYPE html>\n<p>1</p>", "web page"),
        (b"<HTML>\n1\n", "web page"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(tmp_path, raw, kind):
    (tmp_path / "data.csv").write_bytes(raw)
    with pytest.raises(NotText, match=kind):
        read(tmp_path / "data.csv")


def test_names_that_begin_like_another_format_are_names(tmp_path):
    (tmp_path / "data.csv").write_text("PK,html\n1,<html>\n")
    assert read(tmp_path / "data.csv").names == ("PK", "html")
