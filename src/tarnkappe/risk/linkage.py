"""Linkage by distance: how many persons of an attacker's file are found in the release by their nearest record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats
from tarnkappe.kernels.proportions import clopper_pearson
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.distances import Distance, Unknown, points
from tarnkappe.risk.key_scales import Scale
from tarnkappe.risk.outside import OnOutside, Outside
from tarnkappe.risk.populations import LEVEL
from tarnkappe.risk.size_profile import by_size
from tarnkappe.spec import Finding, Goal, Json, Source, measure

Weight = Annotated[float, Field(ge=0)]
_NOT_PROVEN = Text(
    "The search for the assignment of least total distance was ended before it was proven; records still without a partner count as not found.",
    "Die Suche nach der Zuordnung mit dem kleinsten Gesamtabstand wurde vor dem Beweis beendet; Datensätze noch ohne Partner zählen als nicht "
    "gefunden.",
)
SOURCES = (
    Source("hoehne2010", "section 1.1 and 1.2: single attack, mass fishing, matching; spec R02–R04"),
    Source("gottschalk2002", "section 3: identification file, overlap variables; spec G-R05, G-R10"),
    Source("spruill1983", "share of masked records whose own original is the nearest"),
    Source("lenz2003", "assignment of whole files with the least total distance"),
    Source("gower1971", "distance of mixed data"),
    Source("clopperpearson1934", "the interval"),
)
KNOWS = Text(
    "The attacker has a file with the keys of persons, with the errors that are stated, and takes the released record that is nearest.",
    "Der Angreifer hat eine Datei mit den Schlüsseln von Personen, mit den angegebenen Fehlern, und nimmt den nächsten freigegebenen "
    "Datensatz.",
)


@dataclass(frozen=True, eq=False)
class Links:
    """What the attack found, for every record of the attacker's file."""

    outside: Outside
    searched: Bools
    right: Floats
    """The chance that the link is the right one: 1, 0, or in between where several records are equally near."""
    by_chance: Floats
    proven: bool

    def share(self, of: Floats) -> float:
        """The mean over those searched."""
        return float(of[self.searched].mean()) if self.searched.any() else float("nan")


@measure(
    "risk.linkage",
    title=Text("Linkage by distance", "Zuordnung nach Abstand"),
    does=Text(
        "Searches for every person of an attacker's file the released record that is most similar, and counts how many are found.",
        "Sucht zu jeder Person aus der Datei eines Angreifers den ähnlichsten freigegebenen Datensatz und zählt, wie viele gefunden werden.",
    ),
    sources=SOURCES,
    reads=Text("{value} of the persons searched are found.", "{value} der gesuchten Personen werden gefunden."),
    knows=KNOWS,
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "say whether what is found is of use: see risk.useful-hits",
            "sagen, ob das Gefundene nützt: siehe risk.useful-hits",
        ),
        Text(
            "find what only an attacker with better weights would: see risk.probable-linkage and risk.bayes-linkage",
            "finden, was nur ein Angreifer mit besseren Gewichten fände: siehe risk.probable-linkage und risk.bayes-linkage",
        ),
        Text(
            "judge synthetic records, which belong to nobody",
            "synthetische Datensätze beurteilen, die zu niemandem gehören",
        ),
    ),
    example={
        "keys": ["sex", "age", "occupation", "income"], "within": ["region"], "known_share": 0.9, "number_error": 0.05,
        "category_error": 0.03, "gaps": 0.02, "by": "employees", "top": 2, "distance": "gower", "scale": "rank", "match": "one-to-one", "nearest": 2,
        "importance": {"sex": 2.0}, "unknown": "agrees", "presence_known": False,
    },
)  # fmt: skip
class Linkage(OnOutside):
    """The share of the persons searched who are found.

    Single attack (`match: nearest`): for every person the released record of the block with the smallest distance; found if the own one is
    among the `nearest`. Where t records are equally near, the own one among them, and some of the places go to nearer ones, the places left
    are drawn among the t: a tie is a chance, not a success. Mass attack (`match: one-to-one`): all persons are assigned at once, every
    released record at most once, so that the total distance is least; the result is exact, and the details say so if it could not be
    proven. `match: greedy` is the mass attack without a solver: the nearest pair of all first, then the nearest of those left, and so on.
    Equal persons and equal records share their hits.

    Distances are those of `distance` on the `scale`; missing and suppressed keys, in either file, count as `unknown` says, with Mahalanobis'
    distance as the mean of the release. Only records that agree on the columns `within` are compared; who is in another block than his
    record is lost, and the details tell how many.

    The value refers to the persons who are in the release, or, where the attacker does not know who is, to all he searches; the details
    give both. `baseline`: pointing at any record of the block. Per record: the chance that it is found, not a number where nobody looks for
    it. The interval is that of Clopper and Pearson, as if the persons searched were drawn from many.
    """

    distance: Distance = "standardised"
    """How the distance of two records is measured. | Wie der Abstand zweier Datensätze gemessen wird: standardisiert (standardised), nach
    Mahalanobis (mahalanobis) oder nach Gower (gower)."""
    scale: Scale = "sd"
    """What a difference of numbers is a part of: of the standard deviation (sd), of the value itself (value), or of all ranks (rank). | Woran
    ein Unterschied von Zahlen gemessen wird: an der Standardabweichung (sd), am Wert selbst (value) oder an allen Rängen (rank)."""
    match: Literal["nearest", "one-to-one", "greedy"] = "nearest"
    """Every person on its own (nearest), or all at once, each released record at most once: with the least total distance (one-to-one) or the
    nearest pair first (greedy). | Jede Person für sich (nearest) oder alle zugleich, jeder freigegebene Datensatz höchstens einmal: mit dem
    kleinsten Gesamtabstand (one-to-one) oder das nächste Paar zuerst (greedy)."""
    nearest: Annotated[int, Field(ge=1)] = 1
    """A person searched alone is found if the own record is among so many nearest ones. | Eine einzeln gesuchte Person ist gefunden, wenn ihr
    Datensatz unter so vielen nächsten ist."""
    importance: Mapping[str, Weight] = {}
    """Weights of keys; those not named have 1. | Gewichte der Schlüssel; nicht genannte haben 1."""
    unknown: Unknown = "average"
    """A missing or suppressed key counts as the average difference, or as none (agrees). | Ein fehlender oder unterdrückter Schlüssel zählt wie
    der durchschnittliche Unterschied (average) oder wie keiner (agrees)."""
    presence_known: bool = True
    """The attacker knows who is in the release, and searches only those. | Der Angreifer weiß, wer in der Freigabe ist, und sucht nur diese."""

    def attack(self, outside: Outside) -> Finding:
        links = self.links(outside)
        return self.finding(links, links.right, links.by_chance, {})

    def links(self, outside: Outside) -> Links:
        """Link, and compare with the truth."""
        for name in self.importance:
            outside.released.column(name)
        searched = outside.there if self.presence_known else np.ones(len(outside.known), dtype=np.bool_)
        if not outside.there.any():
            nothing = np.zeros(len(searched))
            return Links(outside, searched, nothing, nothing, proven=True)
        space = points(outside, self.distance, self.scale, self.importance, self.unknown)
        from tarnkappe.kernels import record_links  # noqa: PLC0415 - numba is loaded when first used

        files = record_links.files(space, (outside.known_block, outside.released_block), outside.blocks)
        if self.match != "nearest":
            way = record_links.assignment if self.match == "one-to-one" else record_links.greedy
            right, proven = record_links.by_assignment(files, outside.truth, outside.findable, searched, way)
            return Links(outside, searched, right, outside.by_chance, proven or self.match == "greedy")
        right = record_links.by_nearest(files, outside.truth, outside.findable, self.nearest)
        return Links(outside, searched, right, np.minimum(self.nearest * outside.by_chance, 1.0), proven=True)

    def finding(self, links: Links, gained: Floats, by_chance: Floats, more: dict[str, Json]) -> Finding:
        """The mean of what is gained from those searched, beside what pointing at any record gains."""
        outside, cases = links.outside, int(links.searched.sum())
        found, hits = float(links.right.sum()), min(float(gained.sum()), float(cases))
        low, high = clopper_pearson(hits, cases, LEVEL) if cases else (None, None)
        doubt = outside.doubt() or (NOTHING if links.proven else _NOT_PROVEN)
        details: dict[str, Json] = {
            **self.knowledge(outside), "distance": self.distance, "scale": self.scale, "match": self.match,
            "nearest": self.nearest if self.match == "nearest" else 1, "importance": self.importance, "unknown": self.unknown,
            "presence_known": self.presence_known, "level": LEVEL, "hits": found, "proven": links.proven,
            "found_of_searched": found / len(outside.known), "found_of_in_release": found / max(int(outside.there.sum()), 1), **more,
            **by_size(outside, links.searched, gained, self.by, self.top),
        }  # fmt: skip
        value, baseline = (links.share(of) for of in (gained, by_chance))
        return Finding(
            value, low, high, baseline, doubt == NOTHING, doubt, details, outside.of_released(gained)
        )
