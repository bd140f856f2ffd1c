"""Linkage by the number of keys: how many an attacker must know before noise no longer protects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NoKeys
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.distances import Distance
from tarnkappe.risk.key_scales import Scale
from tarnkappe.risk.linkage import Linkage
from tarnkappe.risk.outside import CategoryKey, NumberKey, OnOutside, Outside
from tarnkappe.spec import Finding, Goal, Json, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

CRITICAL = (4, 6)
"""From four to six keys on, noise must be raised (Gottschalk 4.3, after Spruill 1983)."""
Keys = tuple[NumberKey | CategoryKey, ...]
_SAMPLED = Text(
    "The mean over up to {sets} random sets of each number of keys, always the same ones; the details tell how it varies among them.",
    "Das Mittel über bis zu {sets} zufällige Mengen jeder Zahl von Schlüsseln, immer dieselben; die Einzelheiten sagen, wie es unter ihnen schwankt.",
)


@measure(
    "risk.number-of-keys",
    title=Text("Linkage by the number of keys", "Zuordnung nach Zahl der Schlüssel"),
    does=Text(
        "Links persons by 1, 2, … keys and tells how the share that is found rises with their number.",
        "Ordnet Personen nach 1, 2, … Schlüsseln zu und sagt, wie der gefundene Anteil mit deren Zahl steigt.",
    ),
    sources=(
        Source(
            "gottschalk2002", "4.3: above four to six overlap variables noise must be raised; spec G-R14"
        ),
        Source("spruill1983", "share of masked records whose own original is the nearest"),
    ),
    reads=Text(
        "With the stated number of keys, {value} of the persons searched are found on average.",
        "Mit der angegebenen Zahl von Schlüsseln werden im Mittel {value} der gesuchten Personen gefunden.",
    ),
    knows=Text(
        "The attacker has a file with some of the keys of persons, whichever, and takes the released record that is nearest.",
        "Der Angreifer hat eine Datei mit einigen Schlüsseln von Personen, gleich welchen, und nimmt den nächsten freigegebenen Datensatz.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "say which of the keys do it: see risk.attribution",
            "sagen, welche der Schlüssel es sind: siehe risk.attribution",
        ),
        Text(
            "judge synthetic records, which belong to nobody",
            "synthetische Datensätze beurteilen, die zu niemandem gehören",
        ),
    ),
    words={
        "found_by_number_of_keys": Text(
            "share found by number of known keys", "gefundener Anteil nach Zahl der bekannten Schlüssel"
        ),
        "spread_by_number_of_keys": Text(
            "standard deviation among the sets", "Standardabweichung unter den Mengen"
        ),
        "critical_numbers": Text("critical numbers of keys", "kritische Zahlen von Schlüsseln"),
        "rise_over_critical": Text(
            "rise from four to six keys", "Anstieg von vier bis sechs Schlüsseln"
        ),
        "count": Text("keys that are known", "bekannte Schlüssel"),
        "sets": Text("sets of keys tried", "versuchte Schlüsselmengen"),
    },
    example={
        "keys": ["sex", "age", "occupation", "income"], "within": ["region"], "known_share": 0.9, "number_error": 0.05,
        "category_error": 0.03, "gaps": 0.02, "by": "employees", "top": 2, "distance": "gower", "scale": "rank", "count": 3, "sets": 2,
    },
)  # fmt: skip
class NumberOfKeys(OnOutside):
    """The share of the persons searched who are found by their nearest record, as a curve over 1, 2, … K keys.

    Every number of keys is tried with `sets` random sets of the keys, or with all where there are fewer; the mean over the sets is told, and
    how much it varies. The value is that of `count` keys (or of all, where there are fewer). Where the curve stays low up to four to six keys
    and rises beyond, the noise protects against simple knowledge only.

    Without `keys` the columns with the roles key and numeric count. How the attacker's file is made, distances, blocks and unknown values are
    as in `risk.linkage`. `baseline`: pointing at any record of the block.
    """

    needs_roles = needs(keys=(Role.KEY, Role.NUMERIC))

    distance: Distance = "standardised"
    """How the distance of two records is measured. | Wie der Abstand zweier Datensätze gemessen wird: standardisiert (standardised), nach
    Mahalanobis (mahalanobis) oder nach Gower (gower)."""
    scale: Scale = "sd"
    """What a difference of numbers is a part of: of the standard deviation (sd), of the value itself (value), or of all ranks (rank). | Woran
    ein Unterschied von Zahlen gemessen wird: an der Standardabweichung (sd), am Wert selbst (value) oder an allen Rängen (rank)."""
    count: Annotated[int, Field(ge=1)] = 6
    """The number of keys whose share is the value. | Die Zahl der Schlüssel, deren Anteil der Wert ist."""
    sets: Annotated[int, Field(ge=1, le=1000)] = 10
    """Random sets of keys of each number. | Zufällige Schlüsselmengen jeder Zahl."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if self.keys:
            return super().measure(after, before=before)
        both = (*after.role(Role.KEY), *after.role(Role.NUMERIC))
        there = tuple(n for n in dict.fromkeys(both) if before is None or n in before.names)
        if not there:
            raise NoKeys
        return self.model_copy(update={"keys": there}).measure(after, before=before)

    def attack(self, outside: Outside) -> Finding:
        link = Linkage(distance=self.distance, scale=self.scale)
        curve: dict[int, list[float]] = {}
        for keys in self._sets(outside.keys):
            links = link.links(replace(outside, keys=keys))
            curve.setdefault(len(keys), []).append(links.share(links.right))
        found = {count: round(float(np.mean(shares)), 9) for count, shares in curve.items()}
        told = min(self.count, len(outside.keys))
        doubt = outside.doubt()
        chance = outside.by_chance[outside.there]
        return Finding(
            value=found[told],
            baseline=float(chance.mean()) if len(chance) else float("nan"),
            trusted=doubt == NOTHING,
            because=doubt or _SAMPLED.filled(sets=self.sets),
            details={**self.knowledge(outside), **self._details(curve, found, told)},
        )

    def _details(self, curve: dict[int, list[float]], found: dict[int, float], told: int) -> dict[str, Json]:
        low, high = CRITICAL
        return {
            "distance": self.distance, "scale": self.scale, "count": told, "critical_numbers": CRITICAL,
            "sets": sum(map(len, curve.values())),
            "found_by_number_of_keys": {str(count): share for count, share in found.items()},
            "spread_by_number_of_keys": {str(count): round(float(np.std(shares)), 6) for count, shares in curve.items()},
            "rise_over_critical": found[min(high, max(found))] - found[low] if low in found else None,
        }  # fmt: skip

    def _sets(self, keys: Keys) -> Iterator[Keys]:
        """For every number of keys some sets, all where there are few; the same ones each time, so that a measure is repeatable."""
        drawn = np.random.default_rng((len(keys), self.sets))
        for count in range(1, len(keys) + 1):
            if comb(len(keys), count) <= self.sets:
                yield from combinations(keys, count)
                continue
            seen: dict[tuple[int, ...], None] = {}
            while len(seen) < self.sets:
                seen[tuple(sorted(drawn.permutation(len(keys))[:count].tolist()))] = None
            yield from (tuple(keys[i] for i in chosen) for chosen in seen)
