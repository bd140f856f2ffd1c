"""Reading a file of any known format. The library a format needs is loaded when a file of it is read."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import NEEDS_NUMBERS, Microdata
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.files import FileEmpty, FileUnreadable, FormatUnknown
from tarnkappe.io.names import refuse_long
from tarnkappe.io.options import HowRead, ReadOptions, kinds_of
from tarnkappe.io.paths import existing
from tarnkappe.language import Text, from_locale
from tarnkappe.vocab import Kind, Role

__all__ = ["ENDINGS", "ReadOptions", "read", "read_telling", "read_with"]

_READERS = {
    ".csv": ("read_text", "read_text"),
    ".tsv": ("read_text", "read_text"),
    ".txt": ("read_text", "read_text"),
    ".asc": ("argus_records", "read_asc"),
    ".parquet": ("read_columns", "read_parquet"),
    ".arrow": ("read_columns", "read_arrow"),
    ".feather": ("read_columns", "read_arrow"),
    ".ipc": ("read_columns", "read_arrow"),
    ".xlsx": ("read_excel", "read_excel"),
    ".sav": ("read_statistics", "read_spss"),
    ".zsav": ("read_statistics", "read_spss"),
    ".dta": ("read_statistics", "read_stata"),
    ".sas7bdat": ("read_statistics", "read_sas"),
    ".xpt": ("read_statistics", "read_sas_transport"),
}
ENDINGS = tuple(_READERS)
_NOT_ALLOWED = Text("you may not read it.", "Sie dürfen sie nicht lesen.")


class Further(TypedDict, total=False):
    """What is seldom said of a file."""

    header: bool | None


def read(
    path: str | Path,
    *,
    types: Mapping[str, Kind | str] | None = None,
    missing: Sequence[str] = ("",),
    encoding: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    sheet: str | int | None = None,
    **further: Unpack[Further],
) -> Microdata:
    """Read a data file; its ending says the format. See `ReadOptions` for what the options mean."""
    options = ReadOptions(
        kinds_of(types or {}), tuple(missing), encoding, separator, decimal, sheet, **further
    )
    data, found = read_telling(path, options)
    if found and found.assumed:
        warnings.warn(found.notice(Path(path).name).in_(from_locale()), stacklevel=3)
    return data


def read_with(path: str | Path, options: ReadOptions) -> Microdata:
    """Read a data file as a plan describes it."""
    return read_telling(path, options)[0]


def read_telling(path: str | Path, options: ReadOptions) -> tuple[Microdata, HowRead | None]:
    """Read a data file as a plan describes it, and tell how a text file was read where it leaves that open."""
    file = existing(Path(path))
    columns, found = _columns(file, options)
    if not columns or not len(next(iter(columns.values()))):
        raise EmptyData
    refuse_long(columns, str(file))
    typed = _loaded("retyping", "retyped")(columns, options.types) if options.types else columns
    return Microdata(typed, _roles(file, typed)), found


def _roles(file: Path, columns: Mapping[str, Column]) -> Mapping[Role, tuple[str, ...]]:
    """What the file itself says its columns are: only records of τ-ARGUS do."""
    if file.suffix.lower() != ".asc":
        return {}
    told = cast("Mapping[Role, tuple[str, ...]]", _loaded("argus_records", "roles_of_asc")(file))
    fit = {
        role: tuple(n for n in names if role not in NEEDS_NUMBERS or columns[n].kind.is_number)
        for role, names in told.items()
    }
    return {role: names for role, names in fit.items() if names}


def _columns(file: Path, options: ReadOptions) -> tuple[dict[str, Column], HowRead | None]:
    ending = file.suffix.lower()
    if ending not in _READERS:
        raise FormatUnknown(format=ending, file=str(file), known=", ".join(ENDINGS))
    reader = _loaded(*_READERS[ending])
    read = reader(_openable(file), options)
    return read if isinstance(read, tuple) else (read, None)


def _loaded(module: str, function: str) -> Callable[..., Any]:
    return cast("Callable[..., Any]", getattr(import_module(f"tarnkappe.io.{module}"), function))


def _openable(file: Path) -> Path:
    try:
        with file.open("rb") as opened:
            if not opened.read(1):
                raise FileEmpty(file=str(file))
    except OSError:
        raise FileUnreadable(file=str(file), why=_NOT_ALLOWED) from None
    return file
