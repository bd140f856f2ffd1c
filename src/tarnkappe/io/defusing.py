"""Text that a spreadsheet would run as a formula is made harmless.

A cell that begins with one of these signs may be run when the file is opened; an apostrophe before it makes
it text. A plain number such as -5 is none, and stays as it is. The signs: OWASP, *CSV Injection*, with their
full-width forms.
"""

from __future__ import annotations

import polars as pl

from tarnkappe.io.names import refuse_twins

_RUNS = "^[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
_PLAIN = r"^[+-][0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?$"


def defused(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with harmless text and harmless names."""
    names = pl.DataFrame({"name": frame.columns}).select(_harmless("name")).to_series().to_list()
    refuse_twins(names)
    safe = frame.with_columns(_harmless(name) for name, kind in frame.schema.items() if kind == pl.String)
    return safe.rename(dict(zip(frame.columns, names, strict=True)))


def _harmless(name: str) -> pl.Expr:
    text = pl.col(name)
    runs = text.str.contains(_RUNS) & ~text.str.contains(_PLAIN)
    return pl.when(runs).then(text.str.replace("^", "'")).otherwise(text)
