"""One spelling for every value, whatever type a file gave it.

The number 42 is ``42`` whether it came as text, as a whole number or as 42.0; text is in Unicode normal form
NFC and without blanks around it. So the same person gets the same pseudonym from a CSV file and from a
database.
"""

from __future__ import annotations

import unicodedata
from datetime import date, datetime
from typing import Any

import numpy as np

from tarnkappe.data.column import Column, Strings
from tarnkappe.kernels.coding import distinct
from tarnkappe.vocab import Kind


def canonical(column: Column) -> Strings:
    """The spelling behind every code of `true_codes`."""
    if column.categories is not None:
        spelt = [_text(t) for t in column.categories]
    elif column.kind is Kind.NUMBER:
        spelt = [_number(v) for v in distinct(column.values).tolist()]
    else:
        spelt = [column.spelt(v).removesuffix(".000000") for v in distinct(column.values).tolist()]
    return np.array(spelt, dtype=object)


def canonical_value(value: Any) -> Any:
    """A value of a plan in the same spelling; what is no single value is left as it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(float(value)) if isinstance(value, float) else str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    return _text(value) if isinstance(value, str) else value


def _text(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
