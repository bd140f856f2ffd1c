"""Checks of a method, run with the parameters of its example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import IdentifierTouched, TooNearZero
from tarnkappe.errors.release import ClaimBroken
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Declared, Method
from tarnkappe.spec.step import apply_step, broken_claims, refuse_identifiers
from tarnkappe.testing.declarations import example
from tarnkappe.testing.example import example_data
from tarnkappe.testing.telling import as_json, assert_silent, attempt, bytes_of, column_bytes, words_of
from tarnkappe.testing.variants import MARKERS, marked, nearly_zero, variants
from tarnkappe.vocab import Kind, Role

SECRET, OTHER_SECRET = "the first secret of the contract", "the second secret of the contract"


def run(cls: type[Declared], data: Microdata, secret: str = SECRET) -> Microdata:
    """Apply the example of a method as a plan would: identifiers refused, claims checked; what is observed is a number."""
    try:
        done = apply_step(made(cls), data, stream(secret, cls.id))
    except ClaimBroken as broken:
        raise AssertionError(f"{cls.id}: {broken}") from broken
    for name, column in done.columns.items():
        lost = column.kind.is_number and np.any(np.isnan(column.values[column.observed]))
        assert not lost, f"{cls.id}: a cell of {name!r} counts as observed and holds no number"
    return done


def made(cls: type[Declared]) -> Method:
    return cast("Method", example(cls))


def claims_hold_on_the_example(cls: type[Declared]) -> None:
    """The example works, and what it tells is plain."""
    before = example_data()
    done = attempt(lambda: run(cls, before), f"{cls.id}: example")
    assert isinstance(done, Microdata), f"{cls.id}: its example is refused: {done}"
    known = done.rows[done.rows >= 0] if made(cls).makes_records else done.rows
    assert set(known) <= set(before.rows), f"{cls.id}: records come from nowhere"
    assert len(set(done.rows)) == len(done), f"{cls.id}: two records have one number"
    as_json(made(cls).tells(before, done), f"{cls.id}: tells")
    for name, (header, rows) in made(cls).keeps(before, done).items():
        assert name.endswith(".csv"), f"{cls.id}: {name!r} is written as CSV and not called so"
        assert all(len(row) == len(header) for row in rows), f"{cls.id}: rows to keep do not fit their header"


def claims_hold_on(cls: type[Declared], data: Microdata) -> None:
    """On any data: every claim holds, or the step is refused with a code."""
    attempt(lambda: run(cls, data), cls.id)


def doing_nothing_breaks_a_claim(cls: type[Declared]) -> None:
    """Claims have teeth: one at least does not hold, or cannot be checked, for a method that does nothing."""
    data = example_data()
    try:
        broken = broken_claims(made(cls), data, data)
    except (LookupError, TarnkappeError):
        return
    assert broken, f"{cls.id}: all claims hold when nothing is done"


def input_is_left_alone(cls: type[Declared]) -> None:
    """Not a byte of the input changes."""
    data = example_data()
    was = bytes_of(data)
    run(cls, data)
    assert bytes_of(data) == was, f"{cls.id}: changes its input"


def result_is_frozen(cls: type[Declared]) -> None:
    """What is returned cannot be changed in place either."""
    done = run(cls, example_data())
    for name, column in done.columns.items():
        arrays = [a for a in (column.values, column.state, column.categories) if a is not None]
        assert not any(a.flags.writeable for a in arrays), (
            f"{cls.id}: column {name!r} can be changed in place"
        )


def same_secret_same_result(cls: type[Declared]) -> None:
    """A run can be repeated to the byte."""
    one, two = (_without_ids(run(cls, example_data())) for _ in range(2))
    assert one == two, f"{cls.id}: the same secret gives another result"


def other_secret_other_result(cls: type[Declared]) -> None:
    """Random is what says so, and nothing else."""
    one, two = (_without_ids(run(cls, example_data(), secret)) for secret in (SECRET, OTHER_SECRET))
    if made(cls).random:
        assert one != two, f"{cls.id}: says random, but another secret gives the same result"
    else:
        assert one == two, f"{cls.id}: does not say random, but another secret gives another result"


def _without_ids(data: Microdata) -> dict[str, Any]:
    """The bytes of data without the identity of hierarchies, which are built anew in every example."""
    return {part: held[:-1] if part.startswith("column ") else held for part, held in bytes_of(data).items()}


def other_columns_are_left_alone(cls: type[Declared]) -> None:
    """A column that the parameters do not name keeps its cells and its roles, record for record."""
    before = example_data()
    after = run(cls, before)
    aligned, kept = before.paired(after)
    for name in set(before.names) - set(made(cls).named_columns()):
        assert name in after.names, f"{cls.id}: loses the column {name!r}, which it does not name"
        same = column_bytes(aligned, name) == column_bytes(kept, name)
        assert same, f"{cls.id}: changes the column {name!r}, which it does not name"
        assert before.roles_of(name) == after.roles_of(name), f"{cls.id}: changes the role of {name!r}"


def suppressed_stays_suppressed(cls: type[Declared]) -> None:
    """No step brings a suppressed cell back to light."""
    before = example_data()
    after = run(cls, before)
    aligned, kept = before.paired(after)
    for name in set(before.names) & set(after.names):
        back = aligned.columns[name].suppressed & kept.columns[name].observed
        assert not np.any(back), f"{cls.id}: shows suppressed cells of {name!r} again"


def identifiers_are_refused(cls: type[Declared]) -> None:
    """A method that does not say it takes identifiers is kept from them, whichever column it names."""
    method = made(cls)
    data = example_data()
    for name in method.named_columns():
        roles = {role: tuple(n for n in names if n != name) for role, names in data.roles.items()}
        turned = data.with_roles({**roles, Role.IDENTIFIER: (name,)})
        allowed = method.takes_identifiers or name in method.unit_columns()
        assert _refused(method, turned) is not allowed, (
            f"{cls.id}: identifier {name!r} taken or refused wrongly"
        )


def _refused(method: Method, data: Microdata) -> bool:
    try:
        refuse_identifiers(method, data)
    except IdentifierTouched:
        return True
    return False


def variants_give_an_answer_or_an_error(cls: type[Declared]) -> None:
    """Empty, constant, missing, infinite …: claims hold, or the refusal has a code."""
    for name, data in variants().items():
        attempt(_runs(cls, data), f"{cls.id} on data that is {name}")


def numbers_without_digits_are_refused(cls: type[Declared]) -> None:
    """Below the smallest number with all its digits no claim could hold: in a column to be treated it is refused, elsewhere it does no harm."""
    for name, data in nearly_zero().items():
        where = f"{cls.id} on data that is {name}"
        done = attempt(_runs(cls, data), where)
        if any(data.column(n).kind is Kind.NUMBER for n in made(cls).treated_columns()):
            assert isinstance(done, TooNearZero), f"{where}: not refused as such"


def nothing_of_the_data_is_told(cls: type[Declared]) -> None:
    """No message shows a value, and what is told to the receiver shows no text of a cell."""
    for name, data in variants(marked()).items():
        where = f"{cls.id} on marked data that is {name}"
        done = attempt(_runs(cls, data), where)
        if isinstance(done, TarnkappeError):
            assert_silent(words_of(done), where)
        else:
            told = as_json(made(cls).tells(data, done), where)
            assert MARKERS[0] not in told, f"{where}: tells the receiver the text of a cell"


def _runs(cls: type[Declared], data: Microdata) -> Callable[[], Microdata]:
    return lambda: run(cls, data)
