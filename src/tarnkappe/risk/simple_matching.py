"""Simple matching: what an attacker finds by looking for the one record that agrees, without any statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field, field_validator

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.proportions import clopper_pearson
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.outside import CategoryKey, NumberKey, OnOutside, Outside
from tarnkappe.risk.populations import LEVEL
from tarnkappe.risk.size_profile import by_size
from tarnkappe.spec import Finding, Goal, Json, Source, measure

if TYPE_CHECKING:
    from tarnkappe.kernels.tolerance_matches import Fits

Tolerance = Annotated[float, Field(ge=0, le=10)]


@measure(
    "risk.simple-matching",
    title=Text("Simple matching", "Einfacher Abgleich"),
    does=Text(
        "Looks for every person of an attacker's file for the one released record with the same categories and numbers within a tolerance.",
        "Sucht zu jeder Person aus der Datei eines Angreifers den einen freigegebenen Datensatz mit denselben Kategorien und mit Zahlen "
        "innerhalb einer Toleranz.",
    ),
    sources=(
        Source("gottschalk2002", "section 3: simple matching must be defeated; spec G-R04, G-R10"),
        Source("hoehne2010", "section 1.1: single attack; spec R01"),
        Source("clopperpearson1934", "the interval"),
    ),
    reads=Text(
        "{value} of the persons searched are found: one record fits, and it is theirs.",
        "{value} der gesuchten Personen werden gefunden: Genau ein Datensatz passt, und es ist ihrer.",
    ),
    knows=Text(
        "The attacker has a file with the keys of persons, with the errors that are stated, filters the release by them, and believes a link if "
        "one record is left.",
        "Der Angreifer hat eine Datei mit den Schlüsseln von Personen, mit den angegebenen Fehlern, filtert damit die Freigabe und glaubt an "
        "eine Zuordnung, wenn ein Datensatz übrig bleibt.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "find what a patient attacker finds, for whom the nearest record will do: see risk.linkage",
            "finden, was ein geduldiger Angreifer findet, dem der nächste Datensatz genügt: siehe risk.linkage",
        ),
        Text(
            "say whether what is found is of use: see risk.useful-hits",
            "sagen, ob das Gefundene nützt: siehe risk.useful-hits",
        ),
        Text(
            "judge synthetic records, which belong to nobody",
            "synthetische Datensätze beurteilen, die zu niemandem gehören",
        ),
    ),
    words={
        "ambiguous": Text("several records fit", "mehrere Datensätze passen"),
        "best_tolerance": Text("tolerance that serves the attacker best", "Toleranz, die dem Angreifer am meisten nützt"),
        "by_tolerance": Text("by tolerance", "nach Toleranz"),
        "none_fits": Text("no record fits", "kein Datensatz passt"),
        "unique_right": Text("one record fits, the right one", "ein Datensatz passt, der richtige"),
        "unique_wrong": Text("one record fits, a wrong one", "ein Datensatz passt, ein falscher"),
    },
    example={
        "keys": ["sex", "age", "occupation", "income"], "within": ["region"], "known_share": 0.9, "number_error": 0.05,
        "category_error": 0.03, "gaps": 0.02, "tolerances": [0.0, 0.02, 0.2], "by": "employees", "top": 2, "presence_known": False,
    },
)  # fmt: skip
class SimpleMatching(OnOutside):
    """The share of the persons searched for whom exactly one released record fits, and it is their own.

    A record fits if it has the same categories and every number lies within ± t of the value the attacker has: with t = 0.05 within 5 %. For
    dates t counts in standard deviations of the released column. What is missing or suppressed, in either file, agrees with everything.
    The tolerances are tried one after the other; the value is that of the tolerance that serves the attacker best, and the details give
    for each how many links are unique and right, unique and wrong, ambiguous, or none.

    The value refers to the persons who are in the release, or, where the attacker does not know who is, to all he searches; the details
    give both. Whoever is not in the release can only be linked wrongly. `baseline`: pointing at any record of the block. Per record: 1 for
    a record that is found at that tolerance, else 0, not a number where nobody looks for it. The interval is that of Clopper and Pearson.
    """

    tolerances: Annotated[tuple[Tolerance, ...], Field(min_length=1)] = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5)
    """Parts of the value by which a number may differ, tried one after the other. | Teile des Werts, um die eine Zahl abweichen darf; sie
    werden nacheinander probiert."""
    presence_known: bool = True
    """The attacker knows who is in the release, and searches only those. | Der Angreifer weiß, wer in der Freigabe ist, und sucht nur diese."""

    @field_validator("tolerances")
    @classmethod
    def _ascending(cls, given: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(sorted(set(given)))

    def attack(self, outside: Outside) -> Finding:
        searched = outside.there if self.presence_known else np.ones(len(outside.known), dtype=np.bool_)
        found = _fits(outside, np.array(self.tolerances))
        right = (found.counts == 1) & found.own
        best = int(np.argmax(right[searched].sum(axis=0)))
        hits, cases = float(right[searched, best].sum()), int(searched.sum())
        low, high = clopper_pearson(hits, cases, LEVEL) if cases else (None, None)
        doubt = outside.doubt()
        return Finding(
            value=hits / cases if cases else float("nan"),
            low=low,
            high=high,
            baseline=float(outside.by_chance[searched].mean()) if cases else None,
            trusted=doubt == NOTHING,
            because=doubt,
            details={
                **self.knowledge(outside), "presence_known": self.presence_known, "level": LEVEL, "best_tolerance": self.tolerances[best],
                "hits": hits, "found_of_searched": hits / len(outside.known), "found_of_in_release": hits / max(int(outside.there.sum()), 1),
                "by_tolerance": [_row(t, found, searched, j) for j, t in enumerate(self.tolerances)],
                **by_size(outside, searched, right[:, best].astype(np.float64), self.by, self.top),
            },
            per_record=outside.of_released(right[:, best].astype(np.float64)),
        )  # fmt: skip


def _row(tolerance: float, found: Fits, searched: Bools, level: int) -> dict[str, Json]:
    counts, own = found.counts[searched, level], found.own[searched, level]
    return {
        "tolerance": tolerance,
        "unique_right": int(np.sum((counts == 1) & own)),
        "unique_wrong": int(np.sum((counts == 1) & ~own)),
        "ambiguous": int(np.sum(counts > 1)),
        "none_fits": int(np.sum(counts == 0)),
    }


def _fits(outside: Outside, tolerances: Floats) -> Fits:
    """Categories without gaps become blocks; the others, and numbers, are compared record by record."""
    from tarnkappe.kernels.tolerance_matches import Side, matches  # noqa: PLC0415 - numba is loaded when first used

    whole = [key for key in outside.keys if isinstance(key, CategoryKey) and not _gaps(key)]
    known_block, released_block = _blocks(outside, whole)
    others = [key for key in outside.keys if key not in whole]
    if not others:  # one number that is the same everywhere: the blocks tell all
        others = [NumberKey("", np.zeros(len(outside.known)), np.zeros(len(outside.released)))]
    known, released = (np.column_stack(side) for side in zip(*map(_values, others), strict=True))
    unit = np.column_stack([_unit(key, outside) for key in others])
    return matches(Side(known, known_block), Side(released, released_block), unit, outside.truth, tolerances)


def _gaps(key: CategoryKey) -> bool:
    return bool((key.known < 0).any() or (key.released < 0).any())


def _blocks(outside: Outside, keys: list[CategoryKey]) -> tuple[Ints, Ints]:
    n = len(outside.known)
    codes = [(np.concatenate([key.known, key.released]), key.count) for key in keys]
    found = classes([(np.concatenate([outside.known_block, outside.released_block]), outside.blocks), *codes])
    ids = found.ids.astype(np.int64)
    return ids[:n], ids[n:]


def _values(key: NumberKey | CategoryKey) -> tuple[Floats, Floats]:
    if isinstance(key, NumberKey):
        return key.known, key.released
    known, released = (np.where(codes < 0, np.nan, codes) for codes in (key.known, key.released))
    return known, released


def _unit(key: NumberKey | CategoryKey, outside: Outside) -> Floats:
    """What a tolerance is a part of: of a number its size, of a date the spread of the column; categories must be the same."""
    if isinstance(key, CategoryKey):
        return np.zeros(len(key.known))
    if not key.name or outside.released.column(key.name).kind.is_number:
        return np.nan_to_num(np.abs(key.known))
    there = key.released[~np.isnan(key.released)]
    return np.full(len(key.known), float(there.std()) if len(there) else 0.0)
