"""k-anonymity: the smallest number of records an attacker cannot tell apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.kernels.classes import classes
from tarnkappe.language import Text
from tarnkappe.risk.counting import BELOW, OnKeys, banded, printed
from tarnkappe.spec import Finding, Goal, Maturity, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.microdata import Microdata


@measure(
    "risk.k-anonymity",
    title=Text("k-anonymity", "k-Anonymität"),
    does=Text(
        "Counts, for every person, the released records that fit what an attacker knows, or the units where several records belong to one; k is the smallest.",
        "Zählt zu jeder Person die freigegebenen Datensätze, die zum Wissen eines Angreifers passen, oder die Einheiten, wo mehrere Datensätze zu einer "
        "gehören; k ist die kleinste Anzahl.",
    ),
    sources=(
        Source("sweeney2002", "definition of k-anonymity"),
        Source("samarati1998", "suppression beside generalisation"),
        Source("dav2025", "section 4.2; suppressed cells: section 3.2.2"),
    ),
    reads=Text(
        "Every person is hidden among at least {value} records.",
        "Jede Person ist unter mindestens {value} Datensätzen verborgen.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, the true values of all keys, and nothing else.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel, "
        "sonst nichts.",
    ),
    goal=Goal.HIGH,
    bounds=(1, math.inf),
    alone=True,
    does_not=(
        Text(
            "see what records of one class have in common: if all share one diagnosis, it is disclosed",
            "erkennen, was die Datensätze einer Klasse gemeinsam haben: teilen alle eine Diagnose, ist sie "
            "aufgedeckt",
        ),
        Text(
            "count columns an attacker knows but that are not named as keys",
            "Spalten zählen, die ein Angreifer kennt, die aber nicht als Schlüssel benannt sind",
        ),
        Text(
            "know the population: classes are those of the file, which tends to the worst case",
            "die Grundgesamtheit kennen: gezählt wird in der Datei, das ist eher der ungünstigste Fall",
        ),
        Text(
            "count a household as one: its members are different persons; nor owners in a file without periods",
            "einen Haushalt als einen zählen: seine Mitglieder sind verschiedene Personen; auch Eigentümer nicht, wo es keine Perioden gibt",
        ),
    ),
    maturity=Maturity.REPLICATED,
    revision=2,
    words={
        "in_smallest": Text("in the smallest class", "in der kleinsten Klasse"),
    },
    example={"keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category"},
)
class KAnonymity(OnKeys):
    """The smallest number of released records that could belong to one person.

    Records that agree on all keys form an equivalence class; without missing or suppressed keys, k is the
    size of the smallest class. A suppressed key is a wildcard for an attacker who compares the release with a
    person he knows, so by default each person's *true* values are held against the *released* records. Before that he fills in what
    the release itself tells of suppressed keys: the value of a co-member of the household or of another period of the unit, and what another
    column, or two keys together, always tell.
    Counting a wildcard on both sides flatters the data: `(a,x), (a,x), (a,*), (*,y)` then looks
    2-anonymous although the last person, `(b,y)`, is unique.

    Where several records are one unit's, units are counted: a class of three years of one firm has k = 1. Units are those of the role
    `unit`; in a panel (role `period`) also owners, and identifiers that repeat. Members of a household are different persons, so that records
    count there. The details and the sentence say where units were counted.

    What was missing in the original already is a category of its own, a wildcard, or an error, as `missing`
    says. A missing value counted as a category is compatible with a suppressed cell.

    The details tell how many persons have 1, 2, 3, … such records, how many lie below the usual thresholds,
    and how many classes the release shows; they name no class.
    """

    in_units = Text(
        "Every unit is hidden among at least {value} units.",
        "Jede Einheit ist unter mindestens {value} Einheiten verborgen.",
    )

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        counts = self.counts(after)
        k = int(counts.min())
        doubt = self.doubt(after)
        return Finding(
            value=float(k),
            baseline=None if before is None else float(self.counts(before).min()),
            trusted=not doubt,
            because=doubt,
            details={
                **self.policy(after),
                "records": len(after),
                "classes": len(classes(printed(after, self.keys)).sizes),
                "bands": banded(counts),
                "below": {str(limit): int(np.sum(counts < limit)) for limit in BELOW},
                "in_smallest": int(np.sum(counts == k)),
            },
            per_record=counts.astype(np.float64),
            reads=self.reading(after),
        )
