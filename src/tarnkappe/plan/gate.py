"""Release or refuse: the conditions of the plan, and those that no plan can leave out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from tarnkappe.data.linear_relations import LinearRelation
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.substitutes import hidden_and_computed
from tarnkappe.language import NOTHING, Text, listed, number
from tarnkappe.plan.leaving_texts import Place
from tarnkappe.plan.ledger import GateEntry
from tarnkappe.plan.model import Gate
from tarnkappe.plan.sought_names import SoughtNames
from tarnkappe.plan.traces import traces
from tarnkappe.spec import Finding, Leaves, Method
from tarnkappe.vocab import Role

_NOT_FOUND = Text(
    "no value of the direct identifier {name!r} was found in the release: in columns, names, labels, codes and words",
    "kein Wert des direkten Identifikators {name!r} wurde in der Freigabe gefunden: in Spalten, Namen, Beschriftungen, Codes und Worten",
)
_NOT_IN_TABLES = Text(
    "no value of the direct identifier {name!r} was found in the tables: in names, labels, codes and words",
    "kein Wert des direkten Identifikators {name!r} wurde in den Tabellen gefunden: in Namen, Beschriftungen, Codes und Worten",
)
_FOUND = Text("found in {places}", "gefunden in {places}")


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
    found = (finding.reads or gate.measure.reads).filled(value=Text(number(value, "en"), number(value, "de")))
    because = finding.because if not finding.trusted else found
    return GateEntry(says=gate.says, held=bool(held), because=because, gate=gate)


def identifiers_gone(
    before: Microdata, after: Microdata | None, texts: Iterable[Place] = ()
) -> Iterator[GateEntry]:
    """No column and no other text of the release holds a direct identifier: see `plan.traces` and `plan.sought_names` for how it is looked for."""
    places = tuple(texts)
    for identifier in before.role(Role.IDENTIFIER):
        leaking = (
            [Text(repr(name), repr(name)) for name in traces(before, after, identifier)]
            if after is not None
            else []
        )
        sought = SoughtNames.of(before.column(identifier))
        leaking += [where for where, words in places if sought.found_in(words)]
        says = _NOT_FOUND if after is not None else _NOT_IN_TABLES
        found = _FOUND.filled(
            places=Text(listed([one.en for one in leaking]), listed([one.de for one in leaking]))
        )
        yield GateEntry(
            says=says.filled(name=identifier),
            held=not leaking,
            because=found if leaking else NOTHING,
            public=False,
        )


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


def nothing_computed(
    before: Microdata,
    after: Microdata,
    redundant: Collection[str] = (),
    declared: Sequence[LinearRelation] = (),
) -> Iterator[GateEntry]:
    """No number that the steps masked, suppressed or dropped can be computed from the other columns; told where one can (Höhne 2010, 2.1.1).

    Dropped columns that the plan calls redundant, with a reason, may be.
    """
    given_up = {name for name in redundant if name not in after.names}
    found = {
        name: how
        for name, how in hidden_and_computed(before, after, declared).items()
        if name not in given_up
    }
    if not found:
        return
    says = Text(
        "no number that was masked, suppressed or dropped can be computed from the other columns",
        "keine veränderte, unterdrückte oder entfernte Zahl lässt sich aus den anderen Spalten errechnen",
    )
    because = Text(
        listed([f"{name!r} is {how.en}" for name, how in found.items()]),
        listed([f"{name!r} ist {how.de}" for name, how in found.items()]),
    )
    helps = Text(
        "Mask or drop one of the columns named here as well, declare what adds up under relations, or, where a dropped column is merely "
        "redundant, say so (accept: what: computed, columns: …, reason: …).",
        "Verändern oder entfernen Sie auch eine der hier genannten Spalten, geben Sie unter relations an, was sich addiert, oder sagen Sie, dass "
        "eine entfernte Spalte nur überzählig ist (accept: what: computed, columns: …, reason: …).",
    )
    yield GateEntry(says=says, held=False, because=because, public=False, helps=helps)


def keys_made_of_keys(names: tuple[str, ...]) -> Iterator[GateEntry]:
    """Say which columns count as keys because they follow from keys."""
    if names:
        says = Text(
            "columns that follow from keys count as keys: {names}",
            "Spalten, die aus Schlüsseln folgen, zählen als Schlüssel: {names}",
        )
        yield GateEntry(says=says.filled(names=listed(names)), held=True, because=NOTHING)


def something_left(after: Microdata) -> GateEntry:
    """There is something to release."""
    says = Text("the release has records and columns", "die Freigabe hat Datensätze und Spalten")
    held = len(after) > 0 and len(after.columns) > 0
    because = NOTHING if held else Text("nothing is left", "es ist nichts übrig")
    return GateEntry(says=says, held=held, because=because)
