"""Random data of the shape of the example, drawn with hypothesis (`pip install hypothesis`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.testing.example import example_data
from tarnkappe.vocab import Kind

_FLOATS = st.one_of(
    st.sampled_from([0.0, -0.0, 0.1, 0.5, 1.0, 2.5, 1e3, -1e3]),
    st.floats(-1e6, 1e6),
    st.floats(allow_nan=False, allow_infinity=True),
)
_WHOLE = st.one_of(st.integers(-3, 3), st.integers(0, 120), st.integers(-(2**62), 2**62))
_STATES = st.sampled_from([0, 0, 0, 0, 1, 2])


@st.composite
def microdata(draw: Any, most: int = 30) -> Microdata:
    """Up to `most` records: any numbers, any states, repeated categories, records in any order."""
    data = example_data(draw(st.integers(0, most)), draw(st.integers(0, 5)))
    data = data.with_columns({name: _column(draw, column) for name, column in data.columns.items()})
    order = draw(st.permutations(range(len(data))))
    return data.take(np.array(order, dtype=np.int64))


def _column(draw: Any, column: Column) -> Column:
    state = draw(st.none() | arrays(np.uint8, len(column), elements=_STATES))
    if column.kind is Kind.NUMBER:
        return replace(column, values=draw(arrays(np.float64, len(column), elements=_FLOATS)), state=state)
    if column.kind is Kind.INTEGER:
        return replace(column, values=draw(arrays(np.int64, len(column), elements=_WHOLE)), state=state)
    return replace(column, state=state)
