from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from io_samples import MARKED_FLOAT, MARKED_NUMBER, MARKER, everything, hide, shown

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import (
    ColumnMissing,
    DuplicateColumn,
    NotOneFrame,
    TypeNotPossible,
    WordUnknown,
)
from tarnkappe.errors.files import ColumnMixed, ColumnType, ExtraNeeded, FrameFailed
from tarnkappe.io.frames import FRAMES, from_frame, to_frame
from tarnkappe.vocab import Kind, Role

C, B, I, N, D, T = Kind.CATEGORY, Kind.BOOLEAN, Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME
NATIVE = {
    "polars": pl.DataFrame, "polars-lazy": pl.LazyFrame, "pandas": pd.DataFrame, "pyarrow": pa.Table,
    "duckdb": duckdb.DuckDBPyRelation,
}  # fmt: skip


def one(column):
    return from_frame(pl.DataFrame({"x": column})).column("x")


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_comes_back_as_it_was(kind):
    frame = to_frame(everything(), kind)
    assert isinstance(frame, NATIVE[kind])
    data = from_frame(frame)
    assert data.origin == kind
    assert shown(data) == shown(everything())
    assert isinstance(to_frame(data), NATIVE[kind])


@pytest.mark.parametrize("kind", FRAMES)
def test_no_suppressed_value_is_anywhere_in_a_frame(kind):
    """Not even in the memory behind null cells, which goes with the frame where it goes."""
    frame = to_frame(everything(), kind)
    table = frame if kind == "pyarrow" else from_frame_to_arrow(frame)
    memory = b"".join(
        buffer.to_pybytes()
        for column in table.columns
        for chunk in column.chunks
        for buffer in chunk.buffers()
        if buffer
    )
    assert b"01067" in memory  # the test looks where data is
    for secret in (MARKER.encode(), np.int64(MARKED_NUMBER).tobytes(), np.float64(MARKED_FLOAT).tobytes()):
        assert secret not in memory


def from_frame_to_arrow(frame):
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return frame.to_arrow_table()
    return (
        pa.Table.from_pandas(frame)
        if isinstance(frame, pd.DataFrame)
        else frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    )


@pytest.mark.parametrize("kind", FRAMES)
def test_no_records_and_no_columns_are_frames_too(kind):
    data = from_frame(pl.DataFrame({"a": pl.Series([], dtype=pl.Int64), "b": pl.Series([], dtype=pl.String)}))
    back = from_frame(to_frame(data, kind))
    assert len(back) == 0
    assert back.names == ("a", "b")


def test_roles_and_types_are_given_in_words_or_as_words_of_the_trade():
    frame = pl.DataFrame({"sex": ["m", "f"], "plz": [1067, 99], "x": [1.0, 2.0], "w": [1, 2]})
    data = from_frame(
        frame, roles={"key": ["sex", "plz"], "weight": "w", Role.NUMERIC: ("x",)}, types={"plz": "category"}
    )
    assert data.role(Role.KEY) == ("sex", "plz")
    assert data.role(Role.WEIGHT) == ("w",)
    assert data.column("plz").texts().tolist() == ["1067", "99"]
    with pytest.raises(WordUnknown, match="Did you mean 'key'"):
        from_frame(frame, roles={"keys": ["sex"]})
    with pytest.raises(WordUnknown, match="Did you mean 'integer'"):
        from_frame(frame, types={"x": "integr"})
    with pytest.raises(ColumnMissing):
        from_frame(frame, roles={"key": ["nope"]})
    with pytest.raises(ColumnMissing):
        from_frame(frame, types={"nope": "integer"})


# -- what the types of a column become ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("series", "kind", "texts"),
    [
        (pl.Series(["b", None, "a", ""]), C, ["b", None, "a", ""]),
        (pl.Series(["b", None, "a"], dtype=pl.Categorical), C, ["b", None, "a"]),
        (pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "z", "a"])), C, ["b", None, "a"]),
        (pl.Series([None, None]), C, [None, None]),
        (pl.Series([time(1, 2), None]), C, ["01:02:00", None]),
        (pl.Series([True, None, False]), B, ["true", None, "false"]),
        (pl.Series([1, None], dtype=pl.Int8), I, ["1", None]),
        (pl.Series([2**63 - 1], dtype=pl.UInt64), I, [str(2**63 - 1)]),
        (pl.Series([2**64 - 1, None, 1], dtype=pl.UInt64), C, [str(2**64 - 1), None, "1"]),
        (pl.Series([2**100, -5], dtype=pl.Int128), C, [str(2**100), "-5"]),
        (pl.Series([-5, None], dtype=pl.Int128), I, ["-5", None]),
        (pl.Series([0.5, None, float("nan"), float("inf")], dtype=pl.Float32), N, ["0.5", None, None, "inf"]),
        (pl.Series([Decimal("1.10"), None]), N, ["1.1", None]),
        (pl.Series([Decimal(5), None], dtype=pl.Decimal(10, 0)), I, ["5", None]),
        (pl.Series([Decimal(10) ** 30], dtype=pl.Decimal(38, 0)), C, [str(10**30)]),
        (pl.Series([date(2020, 1, 2), None]), D, ["2020-01-02", None]),
        (pl.Series([datetime(2020, 1, 2, 3), None]), T, ["2020-01-02T03:00:00.000000", None]),
        (pl.Series([datetime(2020, 7, 2, 3)]).dt.replace_time_zone("Europe/Berlin"), T, ["2020-07-02T01:00:00.000000"]),
        (pl.Series([1_999, -1], dtype=pl.Int64).cast(pl.Datetime("ns")), T,
         ["1970-01-01T00:00:00.000001", "1969-12-31T23:59:59.999999"]),
        (pl.Series([1_500], dtype=pl.Int64).cast(pl.Datetime("ms")), T, ["1970-01-01T00:00:01.500000"]),
        (pl.Series([None], dtype=pl.Int64), I, [None]),
        (pl.Series([None], dtype=pl.Float64), N, [None]),
    ],
)  # fmt: skip
def test_a_polars_type_has_its_kind(series, kind, texts):
    column = one(series)
    assert (column.kind, column.texts().tolist()) == (kind, texts)


def test_categories_are_sorted_used_and_compact_whatever_the_frame_says():
    column = one(pl.Series(["b", "a", "b"], dtype=pl.Enum(["z", "b", "a"])))
    assert column.categories.tolist() == ["a", "b"]
    assert column.values.tolist() == [1, 0, 1]
    assert column.values.dtype == np.uint8
    many = one(pl.Series([f"{i:05d}" for i in range(300)]))
    assert many.values.dtype == np.uint16


@pytest.mark.parametrize(
    "series",
    [
        pl.Series([[1]]),
        pl.Series([{"a": MARKER}]),
        pl.Series([MARKER.encode()]),
        pl.Series([timedelta(1)]),
        pl.Series([object()]),
    ],
)
def test_types_without_a_kind_are_refused_by_name(series):
    with pytest.raises(ColumnType) as caught:
        one(series)
    assert MARKER not in str(caught.value)


def test_instants_beyond_what_microseconds_reach_are_refused():
    with pytest.raises(TypeNotPossible):
        one(pl.Series([0, 10**16], dtype=pl.Int64).cast(pl.Datetime("ms")))


def test_pandas_types():
    frame = pd.DataFrame(
        {
            "str": ["a", None, "b"],
            "object": pd.Series(["a", np.nan, "b"], dtype=object),
            "NA": pd.Series(["a", pd.NA, "b"], dtype=object),
            "category": pd.Categorical(["y", None, "x"], categories=["y", "x", "z"], ordered=True),
            "codes": pd.Categorical([3, 1, 3]),
            "Int64": pd.array([1, None, 3], dtype="Int64"),
            "uint64": pd.Series([1, 2, 2**64 - 1], dtype="uint64"),
            "float": [1.5, np.nan, np.inf],
            "whole object": pd.Series([1, None, 2], dtype=object),
            "bool": [True, False, True],
            "boolean": pd.array([True, None, False], dtype="boolean"),
            "date": pd.Series([date(2020, 1, 1), None, date(1800, 2, 3)], dtype=object),
            "datetime": pd.to_datetime(["2020-01-01", None, "2021-02-03 04:05"], format="ISO8601"),
            "zone": pd.to_datetime(["2020-07-01", None, "2021-01-03"]).tz_localize("Europe/Berlin"),
            "decimal": pd.Series([Decimal("1.5"), None, Decimal(2)], dtype=object),
            "null": pd.Series([None] * 3, dtype=object),
            7: [1, 2, 3],
        }
    )
    frame.index = [5, 5, 9]
    found = shown(from_frame(frame))
    expected = {
        "str": (C, ["a", None, "b"]), "object": (C, ["a", None, "b"]), "NA": (C, ["a", None, "b"]),
        "category": (C, ["y", None, "x"]), "codes": (I, ["3", "1", "3"]), "Int64": (I, ["1", None, "3"]),
        "uint64": (C, ["1", "2", str(2**64 - 1)]), "float": (N, ["1.5", None, "inf"]), "whole object": (I, ["1", None, "2"]),
        "bool": (B, ["true", "false", "true"]), "boolean": (B, ["true", None, "false"]),
        "date": (D, ["2020-01-01", None, "1800-02-03"]),
        "datetime": (T, ["2020-01-01T00:00:00.000000", None, "2021-02-03T04:05:00.000000"]),
        "zone": (T, ["2020-06-30T22:00:00.000000", None, "2021-01-02T23:00:00.000000"]),
        "decimal": (N, ["1.5", None, "2.0"]), "null": (C, [None] * 3), "7": (I, ["1", "2", "3"]),
    }  # fmt: skip
    assert found == expected


def test_pandas_gets_types_that_hold_gaps():
    state = np.array([0, 1], dtype=np.uint8)
    data = Microdata(
        {
            "i": Column.numbers_of(np.array([2**53 + 1, 0]), state),
            "b": Column(
                B, np.array([1, 0], dtype=np.uint8), state, np.array(["false", "true"], dtype=object)
            ),
            "full": hide(Column.numbers_of(np.array([1, 2]))),
        }
    )
    frame = to_frame(data, "pandas")
    assert [str(kind) for kind in frame.dtypes] == ["Int64", "boolean", "int64"]
    assert frame["i"][0] == 2**53 + 1


@pytest.mark.parametrize(
    "values",
    [
        [MARKER, 1],
        [1, MARKER],
        [1.5, MARKER],
        [True, MARKER],
        [date(2020, 1, 1), MARKER],
        [2**70],
        [1j],
        [Decimal(1), MARKER],
    ],
)
def test_mixed_columns_are_refused_without_their_values(values):
    frame = pd.DataFrame({"good": ["x"] * len(values), "bad": pd.Series(values, dtype=object)})
    with pytest.raises(ColumnMixed, match="'bad'") as caught:
        from_frame(frame)
    assert MARKER not in caught.value.text("en") + caught.value.text("de")
    assert caught.value.__suppress_context__


def test_pyarrow_types():
    table = pa.table(
        {
            "dictionary": pa.chunked_array(
                [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", None]).dictionary_encode()]
            ),
            "numbers": pa.array([3, 1, None, 3]).dictionary_encode(),
            "null": pa.nulls(4),
            "large": pa.array(["x", None, "y", "z"], pa.large_string()),
            "decimal": pa.array([Decimal("1.5"), None, Decimal(2), Decimal(0)]),
            "zone": pa.array([datetime(2020, 1, 1, tzinfo=UTC)] * 4, pa.timestamp("s", "Asia/Tokyo")),
        }
    )
    found = shown(from_frame(table))
    assert found["dictionary"] == (C, ["b", "a", "c", None])
    assert found["numbers"] == (I, ["3", "1", None, "3"])
    assert found["null"] == (C, [None] * 4)
    assert found["large"] == (C, ["x", None, "y", "z"])
    assert found["decimal"] == (N, ["1.5", None, "2.0", "0.0"])
    assert found["zone"] == (T, ["2020-01-01T00:00:00.000000"] * 4)


def test_duckdb_types():
    relation = duckdb.sql(
        "select * from (values (1::hugeint, 1.5::decimal(9, 2), 'a'::enum('b', 'a'), date '2020-01-02', true, 5::ubigint, null),"
        " (null, null, null, null, null, null, null)) as t(h, d, e, day, b, u, n)"
    )
    found = shown(from_frame(relation))
    assert found == {
        "h": (I, ["1", None]), "d": (N, ["1.5", None]), "e": (C, ["a", None]), "day": (D, ["2020-01-02", None]),
        "b": (B, ["true", None]), "u": (I, ["5", None]), "n": (found["n"][0], [None, None]),
    }  # fmt: skip
    with pytest.raises((ColumnMixed, ColumnType), match="'i'"):
        from_frame(duckdb.sql("select interval 1 month as i"))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pd.DataFrame([[1, 2]], columns=[1, "1"]),
        pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ],
)
def test_names_that_occur_twice_are_refused(frame):
    with pytest.raises(DuplicateColumn):
        from_frame(frame)


@pytest.mark.parametrize(
    "thing", [5, MARKER, [1], {"a": [MARKER]}, np.zeros((2, 2)), pl.Series([MARKER]), None]
)
def test_what_is_no_frame_is_refused(thing):
    with pytest.raises(NotOneFrame) as caught:
        from_frame(thing)
    assert MARKER not in str(caught.value)


def test_a_kind_of_frame_that_is_not_known():
    with pytest.raises(WordUnknown, match="Did you mean 'pandas'"):
        to_frame(everything(), "panda")


@pytest.mark.parametrize(
    ("kind", "package"), [("pandas", "pandas"), ("duckdb", "duckdb"), ("pyarrow", "pyarrow")]
)
def test_absent_packages_are_named_with_their_extra(kind, package, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(ExtraNeeded, match=rf"tarnkappe\[{package}\]"):
        to_frame(everything(), kind)


# -- other types than the frame's --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("series", "kind", "texts"),
    [
        (pl.Series([1067, None, 99]), "category", ["1067", None, "99"]),
        (pl.Series([1, 0, None]), "boolean", ["true", "false", None]),
        (pl.Series([1, 0]), "number", ["1.0", "0.0"]),
        (pl.Series([1.0, 5.0, None]), "integer", ["1", "5", None]),
        (pl.Series(["1,5"]), "category", ["1,5"]),
        (pl.Series(["01", None, "+7"]), "integer", ["1", None, "7"]),
        (pl.Series(["1.5", "nan", ""]), "number", ["1.5", None, None]),
        (pl.Series(["31.12.2020"]), "date", ["2020-12-31"]),
        (pl.Series([datetime(2020, 1, 2), None]), "date", ["2020-01-02", None]),
        (pl.Series([date(2020, 1, 2)]), "datetime", ["2020-01-02T00:00:00.000000"]),
        (pl.Series([date(2020, 1, 2)]), "category", ["2020-01-02"]),
        (pl.Series([True, None]), "category", ["true", None]),
        (pl.Series([None, None]), "integer", [None, None]),
        (pl.Series([], dtype=pl.String), "number", []),
    ],
)
def test_an_asked_type_is_given(series, kind, texts):
    column = from_frame(pl.DataFrame({"x": series}), types={"x": kind}).column("x")
    assert (column.kind, column.texts().tolist()) == (Kind(kind), texts)


@pytest.mark.parametrize(
    ("series", "kind", "count", "first"),
    [
        (pl.Series(["1", MARKER, None, MARKER]), "integer", 2, 2),
        (pl.Series([1.0, 1.5]), "integer", 1, 2),
        (pl.Series([0, 2]), "boolean", 1, 2),
        (pl.Series([datetime(2020, 1, 2, 3)]), "date", 1, 1),
        (pl.Series([True]), "date", 1, 1),
    ],
)
def test_an_asked_type_that_does_not_fit_is_refused_with_count_and_first(series, kind, count, first):
    with pytest.raises(TypeNotPossible) as caught:
        from_frame(pl.DataFrame({"x": series}), types={"x": kind})
    assert (caught.value.facts["count"], caught.value.facts["first"]) == (count, first)
    assert MARKER not in caught.value.text("en") + caught.value.text("de")


def test_many_records_are_coded_in_parts_as_in_one(tmp_path, monkeypatch):
    from tarnkappe.io import read_columns
    from tarnkappe.io.read import read

    rng = np.random.default_rng(3)
    texts = [None if x < 5 else f"v{x}" for x in rng.integers(0, 400, 5000)]
    frame = pl.DataFrame({"text": texts, "cat": pl.Series(texts, dtype=pl.Categorical), "n": np.arange(5000)})
    frame.write_parquet(tmp_path / "x.parquet", row_group_size=700)
    whole = from_frame(frame)
    monkeypatch.setattr(read_columns, "_SLICE", 333)
    parts = read(tmp_path / "x.parquet")
    for name in frame.columns:
        a, b = whole.column(name), parts.column(name)
        assert a.values.tolist() == b.values.tolist()
        assert a.values.dtype == b.values.dtype
        assert a.texts().tolist() == b.texts().tolist()


@pytest.mark.parametrize(
    "make",
    [
        lambda: duckdb.sql(f"select cast(x as integer) as n from (values ('1'), ('{MARKER}')) as t(x)"),
        lambda: pl.LazyFrame({"x": ["1", MARKER]}).select(pl.col("x").cast(pl.Int64)),
    ],
)
def test_a_lazy_frame_that_fails_is_told_in_our_words(make):
    with pytest.raises(FrameFailed) as caught:
        from_frame(make())
    assert MARKER not in caught.value.text("en") + caught.value.text("de")
    assert caught.value.__suppress_context__
