"""Checks of a method for tables, run with the parameters of its example on tables in every state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.table import Table
from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.claimed import claims_of
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.table_audit import TableAudit
from tarnkappe.spec import Claim, Declared, Holds, TableMethod
from tarnkappe.testing.declarations import example
from tarnkappe.testing.methods import OTHER_SECRET, SECRET
from tarnkappe.testing.patterns import example_patterns, random_pattern, reordered, states_of
from tarnkappe.testing.tables import example_table, marked_numbers, table_variants
from tarnkappe.testing.telling import assert_silent, attempt, words_of

FROM_INSIDE = ("contribut", "insider", "respondent", "owner")
"""How a limit names attackers who take part themselves."""
SEEDS = 25
"""Random tables that every method gets."""
EVERYWHERE = ("status", "reason", "lower", "upper", "mark", "low", "high")


def made(cls: type[Declared]) -> TableMethod:
    return cast("TableMethod", example(cls))


def protected(cls: type[Declared], before: Pattern, secret: str = SECRET) -> Pattern:
    """Protect as a plan would, with what must be true of every result checked."""
    method = made(cls)
    after = method.protect(before, stream(secret, cls.id))
    tuple(claims_of(method, before, after))
    conditions = (
        _whole,
        _open_as_it_is,
        _kept_open,
        _still_hidden,
        _decisions_stay,
        _only_suppresses,
        _audited,
    )
    for condition in conditions:
        condition(cls, before, after)
    return after


def examples(cls: type[Declared]) -> Mapping[str, tuple[Pattern, Pattern]]:
    """The example patterns that a method takes, with what it makes of them; at least one."""
    patterns = example_patterns()
    tried = {name: attempt(_protects(cls, p), f"{cls.id}: {name}") for name, p in patterns.items()}
    done = {name: (patterns[name], found) for name, found in tried.items() if isinstance(found, Pattern)}
    assert done, f"{cls.id}: its example is refused: {[str(refused) for refused in tried.values()]}"
    return done


# -- what must be true of every result ------------------------------------------------------------------------------


def _whole(cls: type[Declared], before: Pattern, after: Pattern) -> None:
    """One answer per cell, and what is shown fits the status."""
    del before
    size, shown, low, high = len(after.table), after.shown, after.shown_low, after.shown_high
    arrays = [getattr(after, name) for name in EVERYWHERE] + [a for a in (shown, low, high) if a is not None]
    assert all(len(array) == size for array in arrays), f"{cls.id}: not one answer per cell"
    assert (after.reason < len(after.reasons)).all(), f"{cls.id}: a cell has a reason that is not there"
    changed = np.isin(after.status, (Status.ROUNDED, Status.PERTURBED))
    assert shown is not None or not changed.any(), f"{cls.id}: changed cells without what is shown of them"
    ranged = after.status == Status.RANGE
    if ranged.any():
        assert low is not None and high is not None, f"{cls.id}: ranges without ends"  # noqa: PT018
        upright = (low <= after.table.value) & (after.table.value <= high)
        assert upright[ranged].all(), f"{cls.id}: a range does not hold the value"


def _open_as_it_is(cls: type[Declared], before: Pattern, after: Pattern) -> None:
    """An open cell shows its value."""
    del before
    shown = after.table.value if after.shown is None else after.shown
    is_open = after.status == Status.OPEN
    assert np.array_equal(shown[is_open], after.table.value[is_open]), (
        f"{cls.id}: an open cell shows another value"
    )


def _kept_open(cls: type[Declared], before: Pattern, after: Pattern) -> None:
    """A cell that must stay open is there, open and exact."""
    was, now = common(before.table, after.table)
    lost = np.setdiff1d(np.flatnonzero(before.forced_open & (before.mark != Mark.ZERO)), was)
    assert not len(lost), f"{cls.id}: {len(lost)} cells that must stay open are gone"
    kept = before.forced_open[was]
    assert (after.status[now][kept] == Status.OPEN).all(), f"{cls.id}: hides cells that must stay open"
    same = after.table.value[now][kept] == before.table.value[was][kept]
    assert same.all(), f"{cls.id}: changes cells that must stay open"


def _still_hidden(cls: type[Declared], before: Pattern, after: Pattern) -> None:
    """A cell that was hidden, or must be, is not shown again."""
    was, now = common(before.table, after.table)
    same = np.isclose(after.table.value[now], before.table.value[was], rtol=1e-9, atol=0)
    secret = (before.hidden | (before.mark == Mark.SUPPRESS))[was] & same
    assert after.hidden[now][secret].all(), f"{cls.id}: shows suppressed cells again"


def _decisions_stay(cls: type[Declared], before: Pattern, after: Pattern) -> None:
    """What the office decided about a cell goes along with it."""
    was, now = common(before.table, after.table)
    decided = before.mark[was] != Mark.NONE
    assert np.array_equal(after.mark[now][decided], before.mark[was][decided]), f"{cls.id}: loses marks"


def _only_suppresses(cls: type[Declared], before: Pattern, after: Pattern) -> None:
    """A method that says it suppresses does nothing else: the table stays, and so does what is shown of open cells."""
    if not made(cls).suppresses:
        return
    same = np.array_equal(after.table.cells, before.table.cells) and np.array_equal(
        after.table.value, before.table.value
    )
    assert same, f"{cls.id}: says that it suppresses, but changes the table"
    moved = after.status != before.status
    assert (after.status[moved] == Status.SECONDARY).all(), (
        f"{cls.id}: says that it suppresses, but does something else to cells"
    )
    one, other = before.shown, after.shown
    alike = one is other if one is None or other is None else np.array_equal(one, other)
    assert alike, f"{cls.id}: says that it suppresses, but changes what is shown"


def _audited(cls: type[Declared], before: Pattern, after: Pattern) -> None:
    """The audit of every plan holds; against insiders it may fail where a limit says so."""
    del before
    if TableAudit().audit(after).holds:
        return
    assert TableAudit(insiders="none").audit(after).holds, f"{cls.id}: its result does not stand the audit"
    said = " ".join(limit.en for limit in cls.does_not)
    assert any(word in said for word in FROM_INSIDE), (
        f"{cls.id}: does not protect against insiders, and no limit says so"
    )


def common(before: Table, after: Table) -> tuple[Ints, Ints]:
    """Rows of the cells that have the same codes in both tables."""
    names = {h.name: j for j, h in enumerate(after.dimensions)}
    if set(names) != {h.name for h in before.dimensions} or not len(after):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    nodes = np.stack([h.positions(after.codes(names[h.name])) for h in before.dimensions], axis=1)
    there = np.flatnonzero((nodes >= 0).all(axis=1))
    rows = before.find(nodes[there].astype(np.int32))
    return rows[rows >= 0], there[rows >= 0]


# -- checks ---------------------------------------------------------------------------------------------------------


def claims_hold_on_the_example(cls: type[Declared]) -> None:
    """The example works on one of the example tables at least, and does something there."""
    done = examples(cls).values()
    assert any(bytes_of(before) != bytes_of(after) for before, after in done), (
        f"{cls.id}: its example does nothing"
    )


def doing_nothing_breaks_a_claim(cls: type[Declared]) -> None:
    """Claims have teeth: on some example one at least does not hold, or cannot be checked, for a method that does nothing."""
    method = made(cls)
    for before, _ in examples(cls).values():
        try:
            broken = any(not _holds(claim, method, before) for claim in _always(method))
        except (LookupError, TarnkappeError):
            return
        if broken:
            return
    raise AssertionError(f"{cls.id}: all claims hold when nothing is done")


def _always(method: TableMethod) -> Iterator[Claim]:
    for claim in (*method.preserves, *method.protects):
        if claim.holds is Holds.ALWAYS and claim.applies(method):
            yield claim


def _holds(claim: Claim, method: TableMethod, before: Pattern) -> bool:
    return claim.check is None or claim.check(method, before, before)


def input_is_left_alone(cls: type[Declared]) -> None:
    """Not a byte of the input changes."""
    for name, pattern in example_patterns().items():
        was = bytes_of(pattern)
        attempt(_protects(cls, pattern), f"{cls.id}: {name}")
        assert bytes_of(pattern) == was, f"{cls.id}: changes its input"


def result_is_frozen(cls: type[Declared]) -> None:
    """What is returned cannot be changed in place either."""
    for _, after in examples(cls).values():
        loose = [name for name, array in arrays_of(after) if array.flags.writeable]
        assert not loose, f"{cls.id}: {', '.join(loose)} can be changed in place"


def same_secret_same_result(cls: type[Declared]) -> None:
    """A run can be repeated to the byte."""
    one, two = ({name: bytes_of(after) for name, (_, after) in examples(cls).items()} for _ in range(2))
    assert one == two, f"{cls.id}: the same secret gives another result"


def other_secret_other_result(cls: type[Declared]) -> None:
    """Random is what says so, and nothing else."""
    differs = False
    for name, (before, after) in examples(cls).items():
        other = attempt(_protects(cls, before, OTHER_SECRET), f"{cls.id}: {name}")
        differs |= not isinstance(other, Pattern) or bytes_of(other) != bytes_of(after)
    if made(cls).random:
        assert differs, f"{cls.id}: says random, but another secret gives the same result"
    else:
        assert not differs, f"{cls.id}: does not say random, but another secret gives another result"


def any_state_gives_an_answer_or_an_error(cls: type[Declared]) -> None:
    """Marked, suppressed, kept open, published, with costs and bounds: what must be true is, or the refusal has a code."""
    for counts in (False, True):
        for name, pattern in states_of(example_table(counts=counts)).items():
            attempt(_protects(cls, pattern), f"{cls.id} on a table that is {name}")


def order_of_codes_does_not_matter(cls: type[Declared]) -> None:
    """With the codes of a dimension in another order the result is as sound."""
    for name, (before, _) in examples(cls).items():
        for dimension in range(len(before.table.dimensions)):
            where = f"{cls.id} on {name} with dimension {dimension + 1} turned round"
            attempt(_protects(cls, reordered(before, dimension)), where)


def random_tables_give_an_answer_or_an_error(cls: type[Declared]) -> None:
    """Random shapes, measures and marks: what must be true is, or the refusal has a code."""
    on_random_tables(cls, range(SEEDS))


def on_random_tables(cls: type[Declared], seeds: range) -> int:
    """How many random tables of these seeds a method protects; all others it refuses with a code."""
    done = 0
    for seed in seeds:
        pattern = random_pattern(seed)
        if pattern is not None:
            done += isinstance(attempt(_protects(cls, pattern), f"{cls.id}, seed {seed}"), Pattern)
    return done


def variants_give_an_answer_or_an_error(cls: type[Declared]) -> None:
    """Empty, constant, huge, negative, without contributions …: an answer, or a refusal with a code."""
    for name, table in table_variants():
        if isinstance(table, Table):
            for state, pattern in _two_states(table):
                attempt(_protects(cls, pattern), f"{cls.id} on a table that is {name}, {state}")


def nothing_of_the_data_is_told(cls: type[Declared]) -> None:
    """Neither a message nor a reason shows a value."""
    for name, table in table_variants(marked_numbers()):
        if isinstance(table, Table):
            for state, pattern in _two_states(table):
                where = f"{cls.id} on a marked table that is {name}, {state}"
                found = attempt(_protects(cls, pattern), where)
                told = words_of(found) if isinstance(found, TarnkappeError) else f"{found.reasons!r}"
                assert_silent(told, where)


def _two_states(table: Table) -> Iterator[tuple[str, Pattern]]:
    states = states_of(table)
    yield from ((name, states[name]) for name in ("as it is", "marked"))


def _protects(cls: type[Declared], pattern: Pattern, secret: str = SECRET) -> Callable[[], Pattern]:
    return lambda: protected(cls, pattern, secret)


# -- bytes ----------------------------------------------------------------------------------------------------------


def arrays_of(noun: Any, place: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    """Every array that a frozen noun is made of, by name; hierarchies are left to themselves."""
    for field in fields(noun):
        held, name = getattr(noun, field.name), f"{place}{field.name}"
        if isinstance(held, np.ndarray):
            yield name, held
        elif is_dataclass(held) and not isinstance(held, Hierarchy):
            yield from arrays_of(held, f"{name}.")


def bytes_of(pattern: Pattern) -> Mapping[str, Any]:
    """Everything a pattern consists of, to compare byte by byte."""
    codes = [tuple(h.codes) for h in pattern.table.dimensions]
    return {"codes": codes, "reasons": pattern.reasons} | {n: a.tobytes() for n, a in arrays_of(pattern)}
