"""Numbers that are too near to zero to have all their digits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooNearZero
from tarnkappe.kernels.standard import lacks_digits
from tarnkappe.vocab import Kind


def refuse_near_zero(data: Microdata, names: Iterable[str]) -> None:
    """A number must have all its digits, or be zero; what lies under suppressed cells counts too."""
    for name in names:
        column = data.column(name)
        if column.kind is Kind.NUMBER:
            small = lacks_digits(column.values) & ~column.missing
            if small.any():
                first = data.record(np.argmax(small))
                raise TooNearZero(name=name, count=int(np.count_nonzero(small)), first=first)
