"""Unique combinations of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.counting import OnKeys
from tarnkappe.spec import Finding, Goal, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.microdata import Microdata

_COUNTED = Text(
    "Counted over all records of the file, not estimated: there is no interval.",
    "Über alle Datensätze der Datei ausgezählt, nicht geschätzt: es gibt kein Intervall.",
)


@measure(
    "risk.uniques",
    title=Text("Unique records", "Einzigartige Datensätze"),
    does=Text(
        "Gives the share of persons to whom exactly one released record can belong.",
        "Gibt den Anteil der Personen an, zu denen genau ein freigegebener Datensatz gehören kann.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.1: combinations of key variables that occur once or twice"),
        Source("dav2025", "section 3.2.2: suppressed cells"),
    ),
    reads=Text(
        "A share of {value} of the persons can be singled out by their keys.",
        "Ein Anteil von {value} der Personen lässt sich an den Schlüsseln erkennen.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, the true values of all keys, and nothing else.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel, "
        "sonst nichts.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "estimate how many of them are unique in the population: in a sample it is fewer",
            "schätzen, wie viele davon in der Grundgesamtheit einzigartig sind: bei Stichproben weniger",
        ),
        Text(
            "find records that are unique on some of the keys only",
            "Datensätze finden, die schon auf einem Teil der Schlüssel einzigartig sind",
        ),
    ),
    revision=2,
    words={
        "share_twice": Text("share that occurs twice", "Anteil, der zweimal vorkommt"),
    },
    example={"keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category"},
)
class Uniques(OnKeys):
    """The share of records whose combination of keys occurs once, and how many occur twice.

    Who occurs twice matters because each of the two finds the other by leaving out the own record. Missing
    and suppressed keys count as in `risk.k-anonymity`, and so do several records of one unit.
    """

    in_units = Text(
        "A share of {value} of the records is of a unit that can be singled out by its keys.",
        "Ein Anteil von {value} der Datensätze gehört zu einer Einheit, die sich an den Schlüsseln erkennen lässt.",
    )

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        counts = self.counts(after)
        doubt = self.doubt(after)
        once, twice = int(np.sum(counts == 1)), int(np.sum(counts == 2))
        return Finding(
            value=once / len(after),
            baseline=None if before is None else float(np.mean(self.counts(before) == 1)),
            trusted=doubt == NOTHING,
            because=doubt or _COUNTED,
            details={
                **self.policy(after),
                "records": len(after),
                "once": once,
                "twice": twice,
                "share_twice": twice / len(after),
            },
            per_record=(counts == 1).astype(np.float64),
            reads=self.reading(after),
        )
