"""Data from a file or a frame, with roles and hierarchies: the door for Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tarnkappe.data.microdata import Microdata
from tarnkappe.io.frames import from_frame
from tarnkappe.io.options import kinds_of, roles_of
from tarnkappe.io.read import read as read_file
from tarnkappe.plan.hierarchies import HierarchyDescription
from tarnkappe.plan.prepare import with_hierarchies
from tarnkappe.spec.parameters import fit_or_raise
from tarnkappe.vocab import Kind

Names = Sequence[str] | str


def read(
    source: str | Path | Any,
    *,
    roles: Mapping[str, Names] | None = None,
    hierarchies: Mapping[str, Mapping[str, Any]] | None = None,
    types: Mapping[str, Kind | str] | None = None,
    **options: Any,
) -> Microdata:
    """Read a file, or take a pandas, polars, pyarrow or DuckDB table.

    Parameters
    ----------
    source
        A path (CSV, Parquet, Arrow, Excel, SPSS, Stata, SAS) or a frame.
    roles
        Role -> columns, for example ``{"key": ["region", "nace"], "weight": "w"}``.
    hierarchies
        Column -> description as in a plan, for example ``{"nace": {"digits": [1, 2, 4]}, "age": {"bands": 5}}``.
    types
        Column -> type, where the one found is not right.
    options
        For files: `missing`, `encoding`, `separator`, `decimal`, `sheet`.
    """
    folder = Path()
    if isinstance(source, str | Path):
        data = read_file(source, types=kinds_of(types or {}), **options)
        folder = Path(source).resolve().parent
    else:
        data = from_frame(source, types=types or {})
    described = {name: fit_or_raise(HierarchyDescription, d, name) for name, d in (hierarchies or {}).items()}
    return with_hierarchies(data.told(roles_of(roles or {})), described, folder)
