"""Checks of a measure for tables, run with the parameters of its example on tables in every state."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import numpy as np

from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.errors import TarnkappeError
from tarnkappe.spec import Declared, Finding, Goal, TableMeasure
from tarnkappe.testing.declarations import example
from tarnkappe.testing.patterns import example_patterns, marked, random_pattern, reordered, states_of
from tarnkappe.testing.table_methods import bytes_of
from tarnkappe.testing.tables import example_table, marked_numbers, table_variants
from tarnkappe.testing.telling import as_json, assert_silent, attempt, words_of

SEEDS = 25
"""Random tables that every measure gets."""


def made(cls: type[Declared]) -> TableMeasure:
    return cast("TableMeasure", example(cls))


def measured(cls: type[Declared], pattern: Pattern) -> Finding:
    """The finding and the intervals, with what must be true of them checked."""
    found, (low, high) = made(cls).measure(pattern), made(cls).bounds
    assert math.isnan(found.value) or low <= found.value <= high, (
        f"{cls.id}: the value {found.value} lies outside its bounds"
    )
    assert not (found.trusted and math.isnan(found.value)), f"{cls.id}: trusts a value that it does not have"
    assert found.low is None or found.high is None or found.low <= found.high, (
        f"{cls.id}: interval upside down"
    )
    as_json(found.as_json(), f"{cls.id}: finding")
    for name, per_cell in found.per_cell.items():
        assert len(per_cell) == len(pattern.table), f"{cls.id}: {name} has not one answer per cell"
    _intervals_hold_the_truth(cls, pattern)
    return found


def _intervals_hold_the_truth(cls: type[Declared], pattern: Pattern) -> None:
    """No attacker rules the true value out, and an open cell is known."""
    low, high = made(cls).intervals(pattern)
    value = pattern.table.value
    assert len(low) == len(high) == len(value), f"{cls.id}: not one interval per cell"
    near = 1e-6 * np.maximum(1.0, np.abs(value))
    assert ((low <= value + near) & (value <= high + near)).all(), f"{cls.id}: rules the truth out"
    wide = (high - low > 2 * near) & ~pattern.hidden
    assert not wide.any(), f"{cls.id}: does not know cells that are open"


def finding_is_whole(cls: type[Declared]) -> None:
    """Every example table has a value that can be trusted."""
    for name, pattern in example_patterns().items():
        found = attempt(_measures(cls, pattern), f"{cls.id}: {name}")
        assert isinstance(found, Finding), f"{cls.id}: its example is refused: {found}"
        assert not math.isnan(found.value), f"{cls.id}: its example has no value"


def says_how_to_read_it(cls: type[Declared]) -> None:
    """The sentence that explains the value has a place for it, and the bounds are in order."""
    reads, (low, high) = made(cls).reads, made(cls).bounds
    assert "{value}" in reads.en and "{value}" in reads.de, f"{cls.id}: reads has no place for the value"  # noqa: PT018
    assert low < high, f"{cls.id}: its bounds are not in order"


def nothing_hidden_is_best(cls: type[Declared]) -> None:
    """Where nothing needs protection and nothing is hidden, nothing can leak and nothing is lost."""
    for counts in (False, True):
        found = measured(cls, Pattern(example_table(counts=counts))).value
        assert found == best(cls), f"{cls.id}: finds {found} where nothing is hidden"


def one_cell_alone_is_not_best(cls: type[Declared]) -> None:
    """One marked cell, suppressed alone, can be computed and is missing: a measure of either must notice."""
    table = example_table(counts=True)
    alone = np.arange(len(table)) == int(np.argmax(np.where(table.inner, table.value, 0)))
    assert measured(cls, marked(Pattern(table), alone)).value != best(cls), (
        f"{cls.id}: does not notice a cell suppressed alone"
    )


def best(cls: type[Declared]) -> float:
    """The best value that a measure can find."""
    measure = made(cls)
    return {Goal.HIGH: measure.bounds[1], Goal.LOW: measure.bounds[0], Goal.NEAR_ZERO: 0.0}[measure.goal]


def input_is_left_alone(cls: type[Declared]) -> None:
    """Not a byte of the input changes."""
    for pattern in example_patterns().values():
        was = bytes_of(pattern)
        measured(cls, pattern)
        assert bytes_of(pattern) == was, f"{cls.id}: changes its input"


def same_table_same_finding(cls: type[Declared]) -> None:
    """A measure can be repeated, and the order of codes does not matter to its value."""
    for pattern in example_patterns().values():
        one, two = (measured(cls, pattern) for _ in range(2))
        assert one.as_json() == two.as_json(), f"{cls.id}: the same table gives another finding"
        turned = measured(cls, reordered(pattern, 1))
        assert math.isclose(turned.value, one.value, rel_tol=1e-9, abs_tol=1e-9), (
            f"{cls.id}: the order of codes gives another value"
        )


def any_state_gives_an_answer_or_an_error(cls: type[Declared]) -> None:
    """Marked, suppressed, kept open, published, at random: a finding, or a refusal with a code."""
    for counts in (False, True):
        for name, pattern in states_of(example_table(counts=counts)).items():
            attempt(_measures(cls, pattern), f"{cls.id} on a table that is {name}")
    for seed in range(SEEDS):
        pattern_or_none = random_pattern(seed)
        if pattern_or_none is not None:
            attempt(_measures(cls, pattern_or_none), f"{cls.id}, seed {seed}")


def variants_give_an_answer_or_an_error(cls: type[Declared]) -> None:
    """Empty, constant, huge, negative, without contributions …: a finding, or a refusal with a code."""
    for name, table in table_variants():
        if isinstance(table, Table):
            for state in ("as it is", "marked", "suppressed"):
                where = f"{cls.id} on a table that is {name}, {state}"
                attempt(_measures(cls, states_of(table)[state]), where)


def nothing_of_the_data_is_told(cls: type[Declared]) -> None:
    """Neither a message nor a finding shows a value of a cell."""
    for name, table in table_variants(marked_numbers()):
        if isinstance(table, Table):
            where = f"{cls.id} on a marked table that is {name}"
            found = attempt(_measures(cls, states_of(table)["marked"]), where)
            told = (
                words_of(found)
                if isinstance(found, TarnkappeError)
                else as_json(found.as_json(), where) + repr(found)
            )
            assert_silent(told, where)


def _measures(cls: type[Declared], pattern: Pattern) -> Callable[[], Finding]:
    return lambda: measured(cls, pattern)
