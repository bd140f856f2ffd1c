"""Release or refuse: the conditions of the plan, and those that no plan can leave out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import NOTHING, Text, listed, number
from tarnkappe.plan.ledger import GateEntry
from tarnkappe.plan.model import Gate
from tarnkappe.plan.traces import traces
from tarnkappe.spec import Finding, Leaves, Method
from tarnkappe.vocab import Role


def judge(gate: Gate, finding: Finding) -> GateEntry:
    """Hold a finding against the condition of the plan; what cannot be trusted does not hold."""
    value = finding.value
    held = (
        finding.trusted
        and np.isfinite(value)
        and (gate.at_least is None or value >= gate.at_least)
        and (gate.at_most is None or value <= gate.at_most)
        and (gate.holds is None or value == gate.holds)
    )
    found = gate.measure.reads.filled(value=Text(number(value, "en"), number(value, "de")))
    because = finding.because if not finding.trusted else found
    return GateEntry(says=gate.says, held=bool(held), because=because, gate=gate)


def identifiers_gone(before: Microdata, after: Microdata) -> Iterator[GateEntry]:
    """No column holds a direct identifier: see `plan.traces` for where it is looked for."""
    for identifier in before.role(Role.IDENTIFIER):
        leaking = traces(before, after, identifier)
        says = Text(
            f"no value of the direct identifier {identifier!r} is in the release",
            f"kein Wert des direkten Identifikators {identifier!r} ist in der Freigabe",
        )
        names = ", ".join(repr(n) for n in leaking)
        found = (
            Text(f"found in the columns {names}", f"gefunden in den Spalten {names}") if leaking else NOTHING
        )
        yield GateEntry(says=says, held=not leaking, because=found, public=False)


def substitutes_hold(before: Microdata, after: Microdata, methods: Iterable[Method]) -> Iterator[GateEntry]:
    """No column that was replaced by another can be computed: `leak: masked-later` is a promise, and here it is due (Höhne 2010, 2.1.1)."""
    replacing = [method for method in methods if method.leaves is Leaves.DERIVED]
    if not replacing:
        return
    found = {name: how for method in replacing for name, how in method.given_back(before, after).items()}
    says = Text(
        "no column that was replaced can be computed from the release",
        "keine ersetzte Spalte lässt sich aus der Freigabe errechnen",
    )
    because = Text(
        listed([f"{name!r} is {how.en}" for name, how in found.items()]),
        listed([f"{name!r} ist {how.de}" for name, how in found.items()]),
    )
    yield GateEntry(says=says, held=not found, because=because if found else NOTHING)


def something_left(after: Microdata) -> GateEntry:
    """There is something to release."""
    says = Text("the release has records and columns", "die Freigabe hat Datensätze und Spalten")
    held = len(after) > 0 and len(after.columns) > 0
    because = NOTHING if held else Text("nothing is left", "es ist nichts übrig")
    return GateEntry(says=says, held=held, because=because)
