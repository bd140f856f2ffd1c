"""Bad files of every format, full of a marker: a coded error with exit code 2, and no word of the data in it."""

import polars as pl
import pytest
from io_samples import MARKER, everything, written

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.files import FileEmpty, FileMissing, FileUnreadable, FormatUnknown
from tarnkappe.io.read import ENDINGS, read
from tarnkappe.io.write import FORMATS

BAD_TEXT = {
    "ragged": f"a,b\n{MARKER},1\n{MARKER}\n",
    "quotes": f'a,b\n"{MARKER}" {MARKER},1\n',
    "open quote": f'a,b\n"{MARKER},1\n',
    "encoding": f"a,b\n{MARKER},ä\n".encode("cp1252"),
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
