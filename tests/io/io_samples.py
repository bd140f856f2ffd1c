"""Data for the tests of io: every kind, every state, awkward values, and a marker that must never be seen."""

import io

import numpy as np

from tarnkappe.data.column import BOOLEANS, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.io.write import write
from tarnkappe.vocab import Kind

MARKER = "GEHEIM-4711-long-enough-for-a-buffer-of-its-own"
MARKED_NUMBER = 471_147_114_711
MARKED_FLOAT = 47114711.4711
ROWS = 6


def hide(column, *records):
    cells = np.zeros(len(column), dtype=bool)
    cells[list(records)] = True
    return column.suppress(cells)


def everything():
    """Six records: 0-2 observed, 3 missing, 4 suppressed (with marked values underneath), 5 observed."""
    state = np.array([0, 0, 0, 1, 0, 0], dtype=np.uint8)
    columns = {
        "text": Column.texts_of(["01067", "ü€😀 ß", "a,b;c", None, MARKER, "x"], label="Ein Text"),
        "whole": Column.numbers_of(
            np.array([0, -5, 10**12, 0, MARKED_NUMBER, 7]), state, value_labels={"7": "seven", "-5": "minus"}
        ),
        "number": Column.numbers_of(np.array([-0.0, 1e-7, 1e300, np.nan, MARKED_FLOAT, 0.1])),
        "day": Column(Kind.DATE, np.array([0, 20_000, -9_000, 0, 4711, 1], dtype=np.int32), state),
        "instant": Column(
            Kind.DATETIME, np.array([0, 1_600_000_000_123_000, -(10**14), 0, 4711_000_000_000, 1000]), state
        ),
        "yes": Column(Kind.BOOLEAN, np.array([1, 0, 1, 0, 1, 0], dtype=np.uint8), state, BOOLEANS),
        "nothing": Column.texts_of([None] * ROWS),
    }
    return Microdata({name: hide(column, 4) for name, column in columns.items()})


def written(data, form):
    buffer = io.BytesIO()
    write(data, buffer, form)
    return buffer.getvalue()


def shown(data):
    """Kind and visible cells of every column."""
    return {name: (column.kind, column.texts().tolist()) for name, column in data.columns.items()}
