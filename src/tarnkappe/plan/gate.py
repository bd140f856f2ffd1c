"""Release or refuse: the conditions of the plan, and those that no plan can leave out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tarnkappe.data.column import Bools, Column, Strings
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import NOTHING, Text, number
from tarnkappe.plan.ledger import GateEntry
from tarnkappe.plan.model import Gate
from tarnkappe.spec import Finding
from tarnkappe.vocab import Kind, Role

SHORTEST = 4
"""Texts with fewer characters than this are found everywhere by chance."""


def judge(gate: Gate, finding: Finding) -> GateEntry:
    """Hold a finding against the condition of the plan; what cannot be trusted does not hold."""
    value = finding.value
    held = (
        finding.trusted
        and np.isfinite(value)
        and (gate.at_least is None or value >= gate.at_least)
        and (gate.at_most is None or value <= gate.at_most)
        and (gate.holds is None or bool(value) == gate.holds)
    )
    found = gate.measure.reads.filled(value=Text(number(value, "en"), number(value, "de")))
    because = finding.because if not finding.trusted else found
    return GateEntry(says=gate.says, held=bool(held), because=because, gate=gate)


def identifiers_gone(before: Microdata, after: Microdata) -> Iterator[GateEntry]:
    """No column holds a direct identifier of the person in its row: neither whole nor inside a longer text."""
    original = before.aligned_to(after)
    for identifier in before.role(Role.IDENTIFIER):
        leaking = [
            name for name, column in after.columns.items() if _leaks(original.column(identifier), column)
        ]
        says = Text(
            f"no value of the direct identifier {identifier!r} is in the release",
            f"kein Wert des direkten Identifikators {identifier!r} ist in der Freigabe",
        )
        names = ", ".join(repr(n) for n in leaking)
        found = Text(f"found in the columns {names}", f"gefunden in den Spalten {names}") if leaking else NOTHING
        yield GateEntry(says=says, held=not leaking, because=found, public=False)


def something_left(after: Microdata) -> GateEntry:
    """There is something to release."""
    says = Text("the release has records and columns", "die Freigabe hat Datensätze und Spalten")
    held = len(after) > 0 and len(after.columns) > 0
    because = NOTHING if held else Text("nothing is left", "es ist nichts übrig")
    return GateEntry(says=says, held=held, because=because)


def _leaks(identifier: Column, released: Column) -> bool:
    """Does the released column tell the identifier of its own row?

    A text that holds the identifier counts at once. Numbers coincide by chance, so for them more rows must agree
    than independence explains.
    """
    if identifier.kind.is_number or released.kind is not Kind.CATEGORY:
        return _more_than_chance(identifier, released)
    return bool(_holds(identifier.texts(), released.texts()).any())


def _holds(inner: Strings, outer: Strings) -> Bools:
    """Row by row: is the inner text a part of the outer one? Compared without case."""
    pairs, rows = np.unique(
        np.stack([inner.astype(str), outer.astype(str)], axis=1), axis=0, return_inverse=True
    ) if len(inner) else (np.empty((0, 2)), np.empty(0, dtype=np.int64))
    hit = np.array(
        [len(a) >= SHORTEST and a != "None" and a.casefold() in b.casefold() for a, b in pairs], dtype=np.bool_
    )
    return hit[rows.ravel()] if len(hit) else np.zeros(len(inner), dtype=np.bool_)


def _more_than_chance(identifier: Column, released: Column) -> bool:
    a, b = identifier.texts().astype(str), released.texts().astype(str)
    shown = identifier.observed & released.observed
    a, b = a[shown], b[shown]
    if len(a) == 0:
        return False
    values, counts_a = np.unique(a, return_counts=True)
    others, counts_b = np.unique(b, return_counts=True)
    _, i, j = np.intersect1d(values, others, return_indices=True)
    expected = float((counts_a[i] / len(a) * counts_b[j]).sum())
    return bool(int((a == b).sum()) > expected + 5 * np.sqrt(expected) + 2)
