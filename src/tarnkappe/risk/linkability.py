"""Linkability: how often the release connects two files that an attacker has of the same person."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tarnkappe.errors.risk import SidesOverlap
from tarnkappe.language import Text
from tarnkappe.risk.legal_criteria import OnHoldout, Outcome, Sides, rate, some
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Maturity, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Ints


@measure(
    "risk.linkability",
    title=Text("Linkability", "Verknüpfbarkeit"),
    does=Text(
        "Looks up two files on the same persons in the release and counts how often both lead to a common record, beyond how often they do for "
        "others.",
        "Sucht zwei Dateien über dieselben Personen in der Freigabe auf und zählt, wie oft beide zu einem gemeinsamen Datensatz führen, und zwar "
        "öfter als bei anderen.",
    ),
    sources=(
        Source("wp216", "section 3: linkability"),
        Source("giomi2023", "linkability attack, excess over a control"),
        Source("dav2025", "section 2.4: the three risks"),
        Source("gower1971", "distance of records with numbers and categories"),
        Source("koopman1984", "interval of a ratio of two shares"),
    ),
    reads=Text(
        "For the share {value} of persons the release connects two files because their data was used.",
        "Für den Anteil {value} der Personen verbindet die Freigabe zwei Dateien, weil ihre Daten verwendet wurden.",
    ),
    knows=Text(
        "The attacker has two files on the same persons without a common column, true values in both, and the release.",
        "Der Angreifer hat zwei Dateien über dieselben Personen ohne gemeinsame Spalte, in beiden die wahren Werte, und die Freigabe.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "say whether the link is right for a person the attacker singles out: common neighbours also arise by chance, which the hold-out shows",
            "sagen, ob die Verknüpfung bei einer bestimmten Person stimmt: Gemeinsame Nachbarn entstehen auch zufällig, was die Vergleichsgruppe "
            "zeigt",
        ),
        Text(
            "look for the best way to link: it takes the nearest records, whichever columns tell most",
            "nach dem besten Weg der Verknüpfung suchen: Es nimmt die nächsten Datensätze, gleich welche Spalten am meisten verraten",
        ),
        Text(
            "separate what the release tells of its persons from what holds for everybody without a hold-out: then it is not trusted",
            "ohne Vergleichsgruppe trennen, was die Freigabe über ihre Personen verrät und was für alle gilt: Dann wird ihm nicht getraut",
        ),
    ),
    maturity=Maturity.REPLICATED,
    example={
        "left": ["age", "sex", "postcode"], "right": ["income", "diagnosis"], "nearest": 2, "attacks": 500, "holdout": "left-out",
    },
)  # fmt: skip
class Linkability(OnHoldout):
    """The share of persons for whom the release connects two files because their data was used, with an interval of 95 %.

    For every attacked person the nearest released records are found by the columns of the first file, and by those of the second. The attack
    succeeds if a record is among both. Distances are Gower's: numbers and dates by their difference in parts of the range that the release
    shows, categories by being equal or not; missing equals missing only; a suppressed value counts as half a difference. Of equally
    near records any are taken, by chance, so that ties connect nothing by themselves. Guessing means any records instead of the nearest;
    its chance is computed.

    The hold-out, which `against` takes, consists of persons whose data did not enter the release.
    """

    needs_roles = needs(left=Role.KEY, right=(Role.NUMERIC, Role.SENSITIVE))

    left: tuple[str, ...] = ()
    """Columns of the attacker's first file; without them, those with the role key. | Spalten der ersten Datei des Angreifers; ohne Angabe die
    mit der Rolle key."""
    right: tuple[str, ...] = ()
    """Columns of his second file; without them, numeric and sensitive ones that are not in the first. | Spalten seiner zweiten Datei; ohne
    Angabe numerische und sensible, die nicht in der ersten stehen."""
    nearest: Annotated[int, Field(ge=1)] = 1
    """So many nearest records are looked at on each side. | So viele nächste Datensätze werden auf jeder Seite betrachtet."""

    def attack(self, between: Sides) -> Finding:
        left, right = self._columns(between)
        draw = self.draw(between)
        k = min(self.nearest, len(between.release))
        targets = [self.targets(len(file), draw) for file in between.files[1:]]
        near = [_neighbours(between, names, targets, k, draw) for names in (left, right)]
        hits = [rate(_meet(a, b)) for a, b in zip(*near, strict=True)]
        outcome = Outcome(hits[0], hits[1] if len(hits) > 1 else None, by_chance(len(between.release), k))
        details = {"left": left, "right": right, "nearest": k}
        doubt = doubt_of(between.release, left) or doubt_of(between.release, right)
        return outcome.finding(between, details, doubt)

    def _columns(self, between: Sides) -> tuple[tuple[str, ...], tuple[str, ...]]:
        left = some(between.chosen(self.left, (Role.KEY,)))
        right = between.chosen(self.right, (Role.NUMERIC, Role.SENSITIVE))
        if self.right:
            for name in set(left) & set(right):
                raise SidesOverlap(name=name)
        return left, some(tuple(name for name in right if name not in left))


def by_chance(records: int, k: int) -> float:
    """The chance that two sets of k records have one in common: 1 - C(n-k, k)/C(n, k)."""
    return 1 - math.comb(records - k, k) / math.comb(records, k)


def _neighbours(
    between: Sides, names: tuple[str, ...], targets: list[Ints], k: int, draw: np.random.Generator
) -> list[Ints]:
    from tarnkappe.kernels.gower_tree import grow, nearest  # noqa: PLC0415 - numba is loaded when first used

    released, *others = between.cells(names)
    tree = grow(released)
    return [nearest(tree, cells[chosen], k, draw)[0] for cells, chosen in zip(others, targets, strict=True)]


def _meet(a: Ints, b: Ints) -> Bools:
    """Rows of two arrays that have a number in common."""
    both = np.sort(np.concatenate([np.sort(a, axis=1), np.sort(b, axis=1)], axis=1), axis=1)
    return np.asarray((both[:, 1:] == both[:, :-1]).any(axis=1))
