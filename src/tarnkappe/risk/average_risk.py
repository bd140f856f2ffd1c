"""Average risk: how many persons an attacker would find on average."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.risk.counting import OnKeys
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Maturity, Source, measure


@measure(
    "risk.average-risk",
    title=Text("Average risk", "Mittleres Risiko"),
    does=Text(
        "Gives the share of records that an attacker who picks at random among those that fit would assign rightly.",
        "Gibt den Anteil der Datensätze an, die ein Angreifer richtig zuordnet, wenn er unter den passenden zufällig wählt.",
    ),
    sources=(
        Source("elemam2013", "average and strict average risk"),
        Source("dav2025", "section 2.4: attacker models"),
    ),
    reads=Text(
        "An attacker would find a share of {value} of the persons.",
        "Ein Angreifer würde einen Anteil von {value} der Personen finden.",
    ),
    knows=Text(
        "The attacker knows of all persons that they are in the data and the true values of their keys, and nothing else.",
        "Der Angreifer weiß von allen Personen, dass sie in den Daten sind, und kennt die wahren Werte ihrer Schlüssel, sonst nichts.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "protect single persons, unless k is given: a small average goes with unique records",
            "Einzelne schützen, solange k nicht angegeben ist: Auch bei kleinem Mittel gibt es einzigartige Datensätze",
        ),
        Text(
            "know the population: see risk.k-map",
            "die Grundgesamtheit kennen: siehe risk.k-map",
        ),
    ),
    maturity=Maturity.REPLICATED,
    revision=2,
    example={"keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "k": 2},
)  # fmt: skip
class AverageRisk(OnKeys):
    """The mean of 1/(records that could be a person's); without missing or suppressed keys, classes per record.

    With `k` it is the strict average risk: one person hidden among fewer than k records makes the value 1, so that no gate below 1
    lets the release pass. Keys count as in `risk.k-anonymity`, with all its policies; so do several records of one unit.
    """

    k: Annotated[int, Field(ge=2)] | None = None
    """Smallest class that is allowed; without it only the average counts. | Kleinste erlaubte Klasse; ohne sie zählt nur das Mittel."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        counts = self.counts(after)
        doubt = self.doubt(after) or doubt_of(after, after.keys(self.keys))
        return Finding(
            value=self._value(after),
            baseline=None if before is None else self._value(before),
            trusted=not doubt,
            because=doubt,
            details={
                **self.policy(after),
                "records": len(after),
                "average": float(np.mean(1 / counts)),
                "highest": float(1 / counts.min()),
                "records_below_k": int(np.sum(counts < (self.k or 1))),
            },
            per_record=1 / counts,
        )

    def _value(self, data: Microdata) -> float:
        counts = self.counts(data)
        return 1.0 if counts.min() < (self.k or 1) else float(np.mean(1 / counts))
