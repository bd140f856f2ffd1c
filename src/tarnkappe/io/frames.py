"""Frames of pandas, polars, pyarrow and DuckDB in, and the same kind out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals as nw
import polars as pl

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.data import NotOneFrame, WordUnknown
from tarnkappe.errors.files import ColumnMixed, FrameFailed
from tarnkappe.io.coding import column_of
from tarnkappe.io.foreign import in_our_words, needed
from tarnkappe.io.names import refuse_twins
from tarnkappe.io.options import kinds_of, roles_of
from tarnkappe.io.retyping import retyped
from tarnkappe.io.series import frame_of
from tarnkappe.language import Text
from tarnkappe.vocab import Kind, Role

_KIND = Text("kind of frame", "Eine Art von Frame")


def from_frame(
    frame: Any,
    roles: Mapping[Role, Sequence[str]] | Mapping[str, Sequence[str] | str] | None = None,
    types: Mapping[str, Kind | str] | None = None,
) -> Microdata:
    """Microdata from a frame of pandas, polars (eager or lazy), pyarrow or DuckDB.

    The index of a pandas frame is left out. A column becomes what its type says (see `tarnkappe.io.coding`)
    unless `types` names another kind for it. NaN is missing.
    """
    wrapped = _wrapped(frame)
    origin = _origin(wrapped, frame)
    if isinstance(wrapped, nw.LazyFrame):
        with in_our_words(FrameFailed(kind=origin)):
            wrapped = wrapped.collect("polars" if origin == "polars-lazy" else "pyarrow")
    names = [str(name) for name in wrapped.columns]
    refuse_twins(names)
    columns = {
        name: column_of(_polars(column, name), name)
        for name, column in zip(names, wrapped.iter_columns(), strict=True)
    }
    data = Microdata(retyped(columns, kinds_of(types or {})), origin=origin)
    return data.with_roles(roles_of(roles or {}))


def to_frame(data: Microdata, kind: str | None = None) -> Any:
    """A frame of the kind the data came from, or of the kind named; missing and suppressed cells are null."""
    wanted = kind or data.origin
    if wanted not in _MAKERS:
        raise WordUnknown(what=_KIND, word=wanted, hint=did_you_mean(wanted, _MAKERS))
    return _MAKERS[wanted](frame_of(data.sealed()))


def _wrapped(frame: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    wrapped: nw.DataFrame[Any] | nw.LazyFrame[Any]
    try:
        wrapped = nw.from_native(frame)
    except nw.exceptions.DuplicateError:
        refuse_twins([str(name) for name in getattr(frame, "column_names", None) or frame.columns])
        raise
    except TypeError:
        raise NotOneFrame(found=type(frame).__name__) from None
    return wrapped


def _origin(wrapped: nw.DataFrame[Any] | nw.LazyFrame[Any], frame: Any) -> str:
    name = str(wrapped.implementation.name).lower()
    if name == "polars" and isinstance(wrapped, nw.LazyFrame):
        return "polars-lazy"
    if name not in _MAKERS:
        raise NotOneFrame(found=type(frame).__name__)
    return name


def _polars(column: nw.Series[Any], name: str) -> pl.Series:
    if not column.implementation.is_polars():
        needed("pyarrow", column.implementation.name.lower(), column.implementation.name.lower())
    with in_our_words(ColumnMixed(name=name)):
        return column.to_polars()


# -- out -------------------------------------------------------------------------------------------------


def _pyarrow(frame: pl.DataFrame) -> Any:
    needed("pyarrow", "pyarrow", "pyarrow")
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())


def _duckdb(frame: pl.DataFrame) -> Any:
    return needed("duckdb", "duckdb", "duckdb").from_arrow(_pyarrow(frame))


def _pandas(frame: pl.DataFrame) -> Any:
    pandas = needed("pandas", "pandas", "pandas")
    needed("pyarrow", "pandas", "pandas")
    return pandas.DataFrame({column.name: _pandas_column(column, pandas) for column in frame})


def _pandas_column(column: pl.Series, pandas: Any) -> Any:
    """Whole numbers and yes/no values with gaps get pandas' own types for that; a date stays a date."""
    gaps = column.is_null().to_numpy().copy()
    if gaps.any() and column.dtype == pl.Int64:
        return pandas.arrays.IntegerArray(column.fill_null(0).to_numpy().copy(), gaps)
    if gaps.any() and column.dtype == pl.Boolean:
        return pandas.arrays.BooleanArray(column.fill_null(value=False).to_numpy().copy(), gaps)
    return column.to_pandas(date_as_object=True)


_MAKERS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "polars-lazy": lambda frame: frame.lazy(),
    "pandas": _pandas,
    "pyarrow": _pyarrow,
    "duckdb": _duckdb,
}
FRAMES = tuple(_MAKERS)
