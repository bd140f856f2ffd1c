"""How far a step reaches: what it may change of columns and records. Everything else is the same afterwards, in every run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text, listed
from tarnkappe.vocab import Kind

if TYPE_CHECKING:
    from tarnkappe.spec.contract import Method


class Reach(NamedTuple):
    """The columns a step may change, take away and add; all others keep cells, states, labels and roles."""

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


_RECORDS_LOST = Text("no record is lost", "kein Datensatz geht verloren")
_RECORDS_MADE = Text("no record is added", "kein Datensatz kommt hinzu")
_RECORDS_TWICE = Text("every record is there once", "jeder Datensatz ist nur einmal da")
_ORDER = Text("records keep their order", "Datensätze behalten ihre Reihenfolge")
_REPORTED = Text(
    "it is known how many records were reported", "es ist bekannt, wie viele Datensätze gemeldet wurden"
)
_COLUMNS_GONE = Text("no other column goes ({names})", "keine andere Spalte entfällt ({names})")
_COLUMNS_NEW = Text("only columns that it names are new ({names})", "nur genannte Spalten sind neu ({names})")
_COLUMNS_KEPT = Text(
    "columns that it does not treat stay as they are ({names})",
    "Spalten, die er nicht behandelt, bleiben, wie sie sind ({names})",
)
_ROLES_KEPT = Text(
    "columns that it does not treat keep their roles ({names})",
    "Spalten, die er nicht behandelt, behalten ihre Rollen ({names})",
)
_KINDS_KEPT = Text("columns stay of their kind ({names})", "Spalten bleiben von ihrer Art ({names})")
_STILL_HIDDEN = Text(
    "suppressed cells stay suppressed ({names})", "unterdrückte Zellen bleiben unterdrückt ({names})"
)


def beyond_reach(method: Method, before: Microdata, after: Microdata) -> Iterator[Text]:
    """What a step did beyond what it declares, as sentences of what should have held."""
    if after is before:
        return
    reach = method.reach(before)
    yield from _records(method, before, after)
    yield from _names(reach, before, after)
    yield from _roles(reach, before, after)
    yield from _cells(method, reach, before, after)


def _records(method: Method, before: Microdata, after: Microdata) -> Iterator[Text]:
    """Records are neither lost nor added nor moved unless the method says so."""
    if after.reported != before.reported:
        yield _REPORTED
    if before.rows is after.rows or np.array_equal(before.rows, after.rows):
        return
    if len(np.unique(after.rows)) < len(after):
        yield _RECORDS_TWICE
    known = np.isin(after.rows, before.rows)
    if not known.all() and not (method.makes_records and bool((after.rows[~known] < 0).all())):
        yield _RECORDS_MADE
    kept = np.isin(before.rows, after.rows)
    if not kept.all() and not method.loses_records:
        yield _RECORDS_LOST
    if not method.reorders and not np.array_equal(before.rows[kept], after.rows[known]):
        yield _ORDER


def _names(reach: Reach, before: Microdata, after: Microdata) -> Iterator[Text]:
    """Columns go and come only where it is declared."""
    gone = [n for n in before.names if n not in after.columns and n not in reach.gone]
    if gone:
        yield _COLUMNS_GONE.filled(names=listed(gone))
    new = [n for n in after.names if n not in before.columns and n not in reach.new]
    if new:
        yield _COLUMNS_NEW.filled(names=listed(new))


def _roles(reach: Reach, before: Microdata, after: Microdata) -> Iterator[Text]:
    free = {*reach.changed, *reach.new}
    others = [n for n in before.names if n in after.columns and n not in free]
    changed = [n for n in others if set(before.roles_of(n)) != set(after.roles_of(n))]
    if changed:
        yield _ROLES_KEPT.filled(names=listed(changed))


def _cells(method: Method, reach: Reach, before: Microdata, after: Microdata) -> Iterator[Text]:
    """Cells of other columns are the same, record for record; those of treated ones keep their kind, and suppressed ones stay so."""
    changed: list[str] = []
    kinds: list[str] = []
    shown: list[str] = []
    places = _places(before, after)
    for name, old in before.columns.items():
        new = after.columns.get(name)
        if new is None or new is old:
            continue
        was, now = _of_shared(old, new, places)
        if name not in (*reach.changed, *reach.new):
            changed += [] if _same(was, now) else [name]
            continue
        if name in reach.new:
            continue
        kinds += [] if method.changes_kinds or _of_a_kind(old, new) else [name]
        shown += [name] if bool(np.any(was.suppressed & now.observed)) else []
    said = ((_COLUMNS_KEPT, changed), (_KINDS_KEPT, kinds), (_STILL_HIDDEN, shown))
    yield from (text.filled(names=listed(names)) for text, names in said if names)


def _places(before: Microdata, after: Microdata) -> tuple[Ints, Ints] | None:
    """Where the records that both have stand in each of them; None where they are the same in the same order."""
    if before.rows is after.rows or np.array_equal(before.rows, after.rows):
        return None
    _, old, new = np.intersect1d(before.rows, after.rows, return_indices=True)
    return old, new


def _of_shared(old: Column, new: Column, places: tuple[Ints, Ints] | None) -> tuple[Column, Column]:
    return (old, new) if places is None else (old.take(places[0]), new.take(places[1]))


def _same(old: Column, new: Column) -> bool:
    """Two columns with the same cells, states, categories, labels and hierarchy."""
    return (
        old.kind is new.kind
        and old.hierarchy is new.hierarchy
        and old.label == new.label
        and old.value_labels == new.value_labels
        and _equal(old.categories, new.categories)
        and _equal(old.state, new.state)
        and _equal(old.values, new.values)
    )


def _equal(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is other:
        return True
    if one is None or other is None or one.dtype != other.dtype:
        return False
    return bool(np.array_equal(one, other, equal_nan=bool(np.issubdtype(one.dtype, np.floating))))


def _of_a_kind(old: Column, new: Column) -> bool:
    """The same kind, or numbers that are no longer whole; a column without any value has no kind yet."""
    return old.kind is new.kind or (old.kind is Kind.INTEGER and new.kind is Kind.NUMBER) or old.empty
