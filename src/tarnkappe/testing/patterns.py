"""Tables on their way to publication: marked, suppressed, with decisions of the office; as examples and at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarnkappe.data.column import Bools
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import tabulate
from tarnkappe.errors import TarnkappeError
from tarnkappe.language import Text
from tarnkappe.testing.example import example_data
from tarnkappe.testing.tables import example_table
from tarnkappe.vocab import Role

RULE = Text("marked for the contract", "für den Vertrag markiert")
FURTHER = ("sex", "year", "diagnosis")
"""Third dimensions of random tables."""
MEASURED = (None, None, "income", "wealth", "employees")
"""What random tables show: persons, for whom most methods are, or one of these."""


def example_patterns() -> dict[str, Pattern]:
    """The example tables in every state that a method may get them in, by name."""
    values, counts = example_table(), example_table(counts=True)
    tables = {"values": values, "counts": counts, "counts without owners": replace(counts, owners=None)}
    return {
        f"{name}, {state}": made
        for name, table in tables.items()
        for state, made in states_of(table).items()
        if state in ("as it is", "marked", "suppressed")
    }


def states_of(table: Table) -> dict[str, Pattern]:
    """One table: as it is, marked, suppressed, and with decisions of the office."""
    plain, some = Pattern(table), smallest(table)
    third = np.arange(len(table)) % 3 == 1
    return {
        "as it is": plain,
        "marked": marked(plain, some),
        "all marked": marked(plain, np.ones(len(table), dtype=np.bool_)),
        "suppressed": suppressed_but_total(marked(plain, some)),
        "some kept open": decided(marked(plain, some), third & ~some, Mark.KEEP),
        "all published": decided(plain, np.ones(len(table), dtype=np.bool_), Mark.PUBLISHED),
        "some to suppress": decided(plain, third & table.inner, Mark.SUPPRESS),
        "costs and bounds": _with_bounds(marked(plain, some)),
    }


def smallest(table: Table) -> Bools:
    """A quarter of the cells on the lowest level, by size; of equals all."""
    inner = table.inner & (table.value != 0)
    size = np.abs(table.value)
    return np.asarray(inner & (size <= np.quantile(size[inner], 0.25))) if inner.any() else inner


def marked(pattern: Pattern, cells: Bools) -> Pattern:
    """With these cells as primary: an attacker must be off by 15 percent, in counts by 1 at least."""
    value = pattern.table.value
    need = 0.15 * np.abs(value)
    need = np.maximum(np.ceil(need), 1.0) if pattern.table.counts else need
    upper = np.where(cells, need, 0.0)
    return pattern.marked(Sensitivity(cells, np.minimum(upper, value - pattern.low), upper, RULE))


def suppressed_but_total(pattern: Pattern) -> Pattern:
    """All cells are suppressed except the grand total: as safe as suppression can be."""
    total = (pattern.table.cells == 0).all(axis=1)
    return pattern.with_secondary(~total, RULE)


def decided(pattern: Pattern, cells: Bools, mark: Mark) -> Pattern:
    """With the decision of the office about some cells."""
    return replace(pattern, mark=np.where(cells, np.uint8(mark), pattern.mark))


def _with_bounds(pattern: Pattern) -> Pattern:
    """An attacker knows every cell up to four fifths of its size, and cells have costs."""
    size = np.abs(pattern.table.value)
    low, high = pattern.table.value - 0.8 * size, pattern.table.value + 0.8 * size
    lower, upper = (np.minimum(need, 0.8 * size) for need in (pattern.lower, pattern.upper))
    return replace(pattern, low=low, high=high, lower=lower, upper=upper, cost=1.0 + size)


def random_pattern(seed: int) -> Pattern | None:
    """A small table of random shape with random marks; None where the data makes no table."""
    rng = np.random.default_rng(seed)
    data = example_data(int(rng.integers(0, 120)), seed)
    measured = MEASURED[int(rng.integers(len(MEASURED)))]
    if measured is None or rng.random() < 0.5:
        data = data.with_roles({role: names for role, names in data.roles.items() if role is not Role.WEIGHT})
    by = ["region", "occupation", *rng.choice(FURTHER, int(rng.integers(0, 2)))]
    rng.shuffle(by)
    try:
        table = tabulate(data, tuple(by), measured, largest=5)
    except TarnkappeError:
        return None
    wanted = smallest(table) if rng.random() < 0.5 else table.inner | (rng.random(len(table)) < 0.2)
    pattern = marked(Pattern(table), wanted & (rng.random(len(table)) < rng.choice((0.0, 0.2, 0.5))))
    kept = ~pattern.primary & (rng.random(len(table)) < rng.choice((0.0, 0.0, 0.05, 0.3)))
    return decided(pattern, kept, Mark.KEEP)


def reordered(pattern: Pattern, dimension: int) -> Pattern:
    """The same cells with the codes of a dimension in the opposite order."""
    table = pattern.table
    old = table.dimensions[dimension]
    order = np.concatenate([[0], np.arange(len(old) - 1, 0, -1)])
    place = np.argsort(order)
    above = np.where(old.parent >= 0, place[old.parent], -1)[order]
    new = Hierarchy(old.name, old.codes[order], above, old.labels[order], old.level[order], old.level_names)
    cells = table.cells.copy()
    cells[:, dimension] = new.positions(list(old.codes))[cells[:, dimension]]
    dimensions = (*table.dimensions[:dimension], new, *table.dimensions[dimension + 1 :])
    told = table.unweighted and replace(table.unweighted, dimensions=dimensions, cells=cells)
    moved = replace(table, dimensions=dimensions, cells=cells, unweighted=told)
    rows = np.argsort(moved.find(cells.astype(np.int32)))
    fields = ("status", "reason", "lower", "upper", "span", "mark", "low", "high", "cost")
    kept = {name: array[rows] for name in fields if (array := getattr(pattern, name)) is not None}
    return replace(pattern, table=moved, **kept)
