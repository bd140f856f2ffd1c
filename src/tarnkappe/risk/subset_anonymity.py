"""Anonymity against an attacker who knows some of the keys, whichever they are."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.risk.counting import BELOW, OnKeys
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Source, measure


@measure(
    "risk.subset-anonymity",
    title=Text("Anonymity on every few keys", "Anonymität auf je wenigen Schlüsseln"),
    does=Text(
        "Counts, for every person and every few of the keys, the released records that fit; the value is the smallest number.",
        "Zählt zu jeder Person und je wenigen der Schlüssel die freigegebenen Datensätze, die passen; der Wert ist die kleinste Zahl.",
    ),
    sources=(
        Source("mohammed2009", "the L and K of LKC-privacy"),
        Source("gottschalk2002", "4.2: combinations of few variables"),
    ),
    reads=Text(
        "Whichever of the keys are known, everybody is hidden among at least {value} records.",
        "Welche der Schlüssel auch bekannt sind, jede Person ist unter mindestens {value} Datensätzen verborgen.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data and the true values of some keys, at most as many as `subsets` says.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte einiger Schlüssel, höchstens so vieler, wie "
        "`subsets` sagt.",
    ),
    goal=Goal.HIGH,
    bounds=(1, math.inf),
    alone=True,
    does_not=(
        Text(
            "protect against somebody who knows more keys: see risk.k-anonymity",
            "vor denen schützen, die mehr Schlüssel kennen: siehe risk.k-anonymity",
        ),
        Text(
            "see what records of one class have in common: see risk.subset-confidence",
            "erkennen, was Datensätze einer Klasse gemeinsam haben: siehe risk.subset-confidence",
        ),
    ),
    revision=2,
    example={"keys": ["sex", "year", "region"], "missing": "wildcard", "suppressed": "category", "subsets": 1},
)  # fmt: skip
class SubsetAnonymity(OnKeys):
    """The smallest number of released records that fit a person on any so many of the keys.

    Fewer keys fit at least as many records, so all sets of exactly `subsets` keys are enough. It is the K of LKC-privacy; its C is
    `risk.subset-confidence`. Keys count as in `risk.k-anonymity`, with all its policies. The details name the set of keys on which a
    person is least hidden, and how many records are rare on some set.
    """

    subsets: Annotated[int, Field(ge=1)] = 2
    """The attacker knows any so many of the keys. | Der Angreifer kennt beliebige so viele der Schlüssel."""

    in_units = Text(
        "Whichever of the keys are known, every unit is hidden among at least {value} units.",
        "Welche der Schlüssel auch bekannt sind, jede Einheit ist unter mindestens {value} Einheiten verborgen.",
    )

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        counts, worst = self.least(after)
        doubt = self.doubt(after) or doubt_of(after, after.keys(self.keys))
        return Finding(
            value=float(counts.min()),
            baseline=None if before is None else float(self.least(before)[0].min()),
            trusted=not doubt,
            because=doubt,
            details={
                **self.policy(after),
                "records": len(after),
                "sets": math.comb(len(after.keys(self.keys)), len(worst)),
                "riskiest": worst,
                "below": {str(limit): int(np.sum(counts < limit)) for limit in BELOW},
            },
            per_record=counts.astype(np.float64),
            reads=self.reading(after),
        )

    def least(self, data: Microdata) -> tuple[Ints, tuple[str, ...]]:
        """For every person the fewest records that fit on some set of keys; and the set with the smallest number of all."""
        found: Ints | None = None
        lowest, worst = math.inf, data.keys(self.keys)
        for keys in key_sets(data.keys(self.keys), self.subsets):
            counts = self.model_copy(update={"keys": keys}).counts(data)
            found = counts if found is None else np.minimum(found, counts)
            if counts.min() < lowest:
                lowest, worst = int(counts.min()), keys
        assert found is not None
        return found, worst


def key_sets(keys: tuple[str, ...], size: int) -> list[tuple[str, ...]]:
    """All sets of so many keys; the one set of all where there are not so many."""
    return list(combinations(keys, min(size, len(keys))))
