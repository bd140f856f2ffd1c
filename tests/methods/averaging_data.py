"""Data and short cuts for the tests of microaggregation."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind, Role


def numbers(values, state=None):
    return Column(
        Kind.NUMBER, np.array(values, dtype=float), None if state is None else np.array(state, np.uint8)
    )


def done(method, data, secret="any", **parameters):
    cls = catalogue[f"microdata.{method}"]
    return apply_step(build(cls, parameters), data, stream(secret, cls.id))


def firms(n=240, seed=1, owners=0):
    """Skewed columns that hang together, whole numbers, strata, and where asked owners of several records."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    columns = {
        "turnover": numbers(np.exp(8 + 1.3 * size)),
        "wages": numbers(np.exp(6 + 1.2 * size + 0.3 * rng.normal(size=n))),
        "staff": Column.numbers_of(np.exp(3 + size).astype(np.int64) + 1),
        "branch": Column.texts_of(rng.choice(["a", "b", "c"], n).tolist()),
    }
    if not owners:
        return Microdata(columns)
    columns["group"] = Column.texts_of([f"g{i}" for i in rng.integers(owners, size=n)])
    return Microdata(columns, {Role.OWNER: ("group",)})


def contributors_per_value(data, *names, owner=None):
    """For every shown combination how many records, or owners, have it."""
    found = {}
    owners = data.column(owner).texts() if owner else np.arange(len(data))
    for row, who in zip(zip(*(data.column(n).texts() for n in names), strict=True), owners, strict=True):
        found.setdefault(row, set()).add(who)
    return [len(who) for row, who in found.items() if any(cell is not None for cell in row)]
