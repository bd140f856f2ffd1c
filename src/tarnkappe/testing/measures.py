"""Checks of a measure, run with the parameters of its example."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.spec import Declared, Finding, Measure
from tarnkappe.testing.declarations import example
from tarnkappe.testing.example import example_data
from tarnkappe.testing.telling import as_json, assert_silent, attempt, bytes_of, words_of
from tarnkappe.testing.variants import marked, variants


def made(cls: type[Declared]) -> Measure:
    return cast("Measure", example(cls))


def protected(data: Microdata) -> Microdata:
    """Something like a release of the data: fewer records in another order, and cells suppressed."""
    after = data.take(np.arange(len(data))[::-1][len(data) // 20 :])
    cells = np.arange(len(after)) % 7 == 3
    return after.with_columns({name: after.column(name).suppress(cells) for name in ("age", "income")})


def measured(cls: type[Declared], after: Microdata, before: Microdata | None) -> Finding:
    """The finding, with what must be true of every finding checked."""
    found = made(cls).measure(after, before=before)
    low, high = made(cls).bounds
    inside = math.isnan(found.value) or low <= found.value <= high
    assert inside, f"{cls.id}: the value {found.value} lies outside its bounds"
    assert not (found.trusted and math.isnan(found.value)), f"{cls.id}: trusts a value that it does not have"
    assert found.low is None or found.high is None or found.low <= found.high, (
        f"{cls.id}: interval upside down"
    )
    as_json(found.as_json(), f"{cls.id}: finding")
    if found.per_record is not None:
        assert len(found.per_record) == len(after), f"{cls.id}: not one value per record"
    return found


def finding_is_whole(cls: type[Declared]) -> None:
    """The example gives a value that can be trusted, with and without protection."""
    before = example_data()
    for after in (before, protected(before)):
        found = attempt(_measures(cls, after, before), f"{cls.id}: example")
        assert isinstance(found, Finding), f"{cls.id}: its example is refused: {found}"
        assert not math.isnan(found.value), f"{cls.id}: its example has no value"


def says_how_to_read_it(cls: type[Declared]) -> None:
    """The sentence that explains the value has a place for it, and the bounds are in order."""
    reads, (low, high) = made(cls).reads, made(cls).bounds
    assert "{value}" in reads.en and "{value}" in reads.de, f"{cls.id}: reads has no place for the value"  # noqa: PT018
    assert low < high, f"{cls.id}: its bounds are not in order"


def input_is_left_alone(cls: type[Declared]) -> None:
    """Not a byte of the input changes."""
    before = example_data()
    after = protected(before)
    was = bytes_of(before), bytes_of(after)
    measured(cls, after, before)
    assert (bytes_of(before), bytes_of(after)) == was, f"{cls.id}: changes its input"


def same_data_same_finding(cls: type[Declared]) -> None:
    """A measure can be repeated."""
    before = example_data()
    one, two = (measured(cls, protected(before), before) for _ in range(2))
    assert one.as_json() == two.as_json(), f"{cls.id}: the same data gives another finding"


def alone_needs_no_original(cls: type[Declared]) -> None:
    """What says it can be computed from the release alone is, also when the true values were wiped."""
    if not made(cls).alone:
        return
    found = attempt(
        _measures(cls, protected(example_data()).sealed(), None), f"{cls.id}: released file alone"
    )
    assert isinstance(found, Finding), f"{cls.id}: is refused without the original: {found}"


def variants_give_an_answer_or_an_error(cls: type[Declared]) -> None:
    """Empty, constant, missing, infinite …: a finding, or a refusal with a code."""
    for name, data in variants().items():
        for before in (data, None):
            attempt(_measures(cls, data, before), f"{cls.id} on data that is {name}")


def nothing_of_the_data_is_told(cls: type[Declared]) -> None:
    """Neither a message nor a finding shows a value of a cell."""
    for name, data in variants(marked()).items():
        where = f"{cls.id} on marked data that is {name}"
        found = attempt(_measures(cls, data, data), where)
        told = (
            words_of(found)
            if isinstance(found, TarnkappeError)
            else as_json(found.as_json(), where) + repr(found)
        )
        assert_silent(told, where)


def _measures(cls: type[Declared], after: Microdata, before: Microdata | None) -> Callable[[], Finding]:
    return lambda: measured(cls, after, before)
