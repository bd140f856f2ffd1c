"""Checks of a rule for tables, run with the parameters of its example."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.pattern import Sensitivity
from tarnkappe.data.sums import sums_of
from tarnkappe.data.table import Table
from tarnkappe.errors import TarnkappeError
from tarnkappe.spec import Declared, Rule
from tarnkappe.testing.declarations import example
from tarnkappe.testing.tables import example_table, marked_numbers, table_variants
from tarnkappe.testing.telling import assert_silent, attempt, words_of


def made(cls: type[Declared]) -> Rule:
    return cast("Rule", example(cls))


def marked_by(cls: type[Declared], table: Table) -> Sensitivity:
    """What the example of a rule says of a table, with what must be true of every answer checked."""
    found = made(cls).mark(table)
    for part in (found.cells, found.lower, found.upper):
        assert part.shape == (len(table),), f"{cls.id}: not one answer per cell"
    assert found.cells.dtype == np.bool_, f"{cls.id}: cells are marked or not, nothing else"
    wide = np.maximum(found.lower, found.upper)
    assert np.isfinite(wide).all(), f"{cls.id}: asks for a protection that is no number"
    assert min(found.lower.min(initial=0), found.upper.min(initial=0)) == 0, f"{cls.id}: negative protection"
    assert np.array_equal(wide > 0, found.cells), f"{cls.id}: protection elsewhere than on the marked cells"
    assert found.because.en not in ("", found.because.de), f"{cls.id}: no reason in both languages"
    return found


def examples(cls: type[Declared]) -> Mapping[str, Sensitivity]:
    """What a rule says of the example tables that it is for; at least one."""
    tables = {"values": example_table(), "counts": example_table(counts=True)}
    tried = {name: attempt(_marks(cls, table), f"{cls.id}: {name}") for name, table in tables.items()}
    found = {name: answer for name, answer in tried.items() if isinstance(answer, Sensitivity)}
    assert found, f"{cls.id}: its example is refused: {tried}"
    return found


def marks_some_cells_of_the_example(cls: type[Declared]) -> None:
    """The example marks cells, and not all of them."""
    shares = [found.cells.mean() for found in examples(cls).values()]
    assert any(0 < share < 1 for share in shares), f"{cls.id}: marks nothing or everything in its example"


def same_table_same_marks(cls: type[Declared]) -> None:
    """A rule can be repeated."""
    one, two = examples(cls), examples(cls)
    for name, first in one.items():
        second = two[name]
        same = all(np.array_equal(getattr(first, p), getattr(second, p)) for p in ("cells", "lower", "upper"))
        assert same, f"{cls.id}: the same table gives other marks"


def table_is_left_alone(cls: type[Declared]) -> None:
    """Not a byte of the table changes."""
    for counts in (False, True):
        table = example_table(counts=counts)
        was = _bytes(table)
        attempt(_marks(cls, table), cls.id)
        assert _bytes(table) == was, f"{cls.id}: changes its table"


def sensitive_sums_are_marked(cls: type[Declared]) -> None:
    """What must not be known as a sum of cells must not be known as a cell."""
    for counts in (False, True):
        table = example_table(counts=counts)
        found = attempt(_marks(cls, table), cls.id)
        if isinstance(found, Sensitivity):
            alone = made(cls).sensitive(sums_of(table))
            assert not np.any(alone & ~found.cells), (
                f"{cls.id}: leaves a cell open that is sensitive as a sum"
            )


def variants_give_an_answer_or_an_error(cls: type[Declared]) -> None:
    """Empty, constant, huge, negative, without contributions …: an answer, or a refusal with a code."""
    for name, table in table_variants():
        if isinstance(table, Table):
            attempt(_marks(cls, table), f"{cls.id} on a table that is {name}")


def nothing_of_the_data_is_told(cls: type[Declared]) -> None:
    """Neither a message nor a reason shows a value."""
    for name, table in table_variants(marked_numbers()):
        where = f"{cls.id} on a marked table that is {name}"
        found = attempt(_marks(cls, table), where) if isinstance(table, Table) else table
        told = words_of(found) if isinstance(found, TarnkappeError) else f"{found.because!r}"
        assert_silent(told, where)


def _marks(cls: type[Declared], table: Table) -> Callable[[], Sensitivity]:
    return lambda: marked_by(cls, table)


def _bytes(table: Table) -> list[bytes]:
    arrays: list[NDArray[Any]] = [table.value, table.cells, table.key, table.up]
    for kept in (table.contributions, table.owners):
        if kept is not None:
            arrays += [kept.count, kept.largest, kept.who]
    return [array.tobytes() for array in arrays]
