"""Ratio attack: ratios that survived give records away, and one known value gives away all that share its factor."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from pydantic import Field

from tarnkappe.data.units import units_of
from tarnkappe.kernels.one_known import factors, scaled_back, unique_hits
from tarnkappe.kernels.proportions import share_of
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.one_known import NOT_FOUND, Attack, OneKnown, worst
from tarnkappe.risk.values_learnt import Sides, by_column, counted, near
from tarnkappe.spec import Finding, Goal, Json, Maturity, Source, measure
from tarnkappe.spec.fields import Unit
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Floats, Ints
    from tarnkappe.data.microdata import Microdata

_MOST = 0.9
"""From this share of ratios kept on, a factor counts as shared."""
_COLUMNS = Text(
    "The ratios between columns are as they were: all columns of a record were multiplied by one factor.",
    "Die Verhältnisse zwischen den Spalten sind wie vorher: Alle Spalten eines Datensatzes wurden mit einem Faktor multipliziert.",
)
_PERIODS = Text(
    "Growth from record to record of a unit is as it was: one factor was used for all of them.",
    "Die Veränderungen von Datensatz zu Datensatz einer Einheit sind wie vorher: Für alle wurde ein Faktor verwendet.",
)


_FAR = 1e4
"""Further than logarithms of numbers reach."""


class _Linked(NamedTuple):
    found: Bools
    by: list[int]


@measure(
    "risk.ratio-attack",
    title=Text("Ratio attack", "Verhältnisangriff"),
    does=Text(
        "Undoes random factors with one known value of a unit, and tells whether ratios give records away.",
        "Macht Zufallsfaktoren mit einem bekannten Wert einer Einheit rückgängig und zeigt, ob Verhältnisse Datensätze verraten.",
    ),
    sources=(
        Source("hoehne2010", "4.2.2, equations 4.2-3 and 4.2-4: row-constant factors (R15)"),
        Source("gottschalk2002", "5.1, one factor per enterprise; section 2.2 of the specification, G-R07: link on exact ratios"),
    ),
    reads=Text(
        "With one known value of a unit, a share of {value} of its other values comes out.",
        "Mit einem bekannten Wert einer Einheit kommt von ihren anderen Werten ein Anteil von {value} heraus.",
    ),
    knows=Text(
        "The attacker knows one true value of a unit and its released record; with several known values he finds the record by their ratios.",
        "Der Angreifer kennt einen wahren Wert einer Einheit und ihren freigegebenen Datensatz; mit mehreren bekannten Werten findet er den "
        "Datensatz über deren Verhältnisse.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        NOT_FOUND,
        Text(
            "undo noise that was added: see risk.value-disclosure",
            "addierte Überlagerungen rückgängig machen: siehe risk.value-disclosure",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "found_and_learnt": Text("values learnt where the record is found by ratios", "erfahrene Werte, wenn der Datensatz über Verhältnisse gefunden wird"),
        "found_by_ratios": Text("records found by ratios", "über Verhältnisse gefundene Datensätze"),
        "growth_kept": Text("growth rates of a unit that are as they were", "unveränderte Wachstumsraten einer Einheit"),
        "linked_by": Text("found by the ratio of", "gefunden über das Verhältnis von"),
        "ratios_kept": Text("ratios of columns that are as they were", "unveränderte Verhältnisse der Spalten"),
    },
    example={
        "columns": ["income", "wealth", "employees"], "within": ["region"], "weighted": True, "known": ["income", "employees"],
        "f": 0.1, "unit": ["household"], "tolerance": 0.01,
    },
)  # fmt: skip
class RatioAttack(OneKnown):
    """The share of values recovered within f as released value times true over released of one known value (equation 4.2-4).

    Without `unit` the known value stands in the same record. With `unit` (the firm of a panel) the attacker knows one value of the
    unit, that of its first record, and applies the factor to all its records. The column counts with which most is recovered; the
    known values themselves do not count. The naive attacker takes the values as they were released.

    The details tell whether ratios survived within the tolerance: between the columns of a record, and from record to record of a unit
    (in the order of the period, where a column has that role). *Found by ratios*: the share of records whose true ratios
    between the known columns fit one released record only, their own (if fewer than two are named, the ratio of those two columns that find
    most); *found and learnt*: the share of the remaining values recovered if the record must be found so first. Records with a gap or a
    zero have no ratios.
    """

    unit: Unit = ()
    """Columns that name the unit; without them, each record is one. | Spalten, die die Einheit nennen; ohne sie ist jeder Datensatz
    eine."""
    tolerance: Annotated[float, Field(gt=0, lt=1)] = 0.001
    """Relative difference up to which two ratios count as the same. | Relativer Unterschied, bis zu dem zwei Verhältnisse als gleich
    gelten."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before, needed=1 if self.unit else 2)
        kept = after.take(sides.place)
        units, _ = units_of(kept, self.unit)
        attacks = [self._attack(sides, units, known) for known in self.known_among(sides)]
        most = worst(attacks, sides)
        linked = self._found(sides, most.known)
        unknown = most.there.copy()
        unknown[:, linked.by] = False
        hits, cases = counted(most.hit, unknown)
        columns, periods = self._columns_kept(sides), self._periods_kept(sides, kept, units)
        details: dict[str, Json] = {
            "f": self.f, "tolerance": self.tolerance, "known": {sides.names[a.known]: a.share(sides) for a in attacks},
            "ratios_kept": columns, "growth_kept": periods, "linked_by": [sides.names[j] for j in linked.by],
            "found_by_ratios": float(linked.found.mean()) if len(linked.found) else None,
            "found_and_learnt": share_of(hits * linked.found, cases, sides.weights),
            "columns": by_column(sides, most.hit, most.there, most.naive),
        }  # fmt: skip
        said = _COLUMNS if (columns or 0.0) >= _MOST else _PERIODS if (periods or 0.0) >= _MOST else NOTHING
        return self.finding(after, sides, counted(most.hit, most.there), most.baseline(sides), details, said)

    def _attack(self, sides: Sides, units: Ints, known: int) -> Attack:
        factor = factors(sides.x[:, known], sides.y[:, known])
        usable = np.flatnonzero(np.isfinite(factor))
        _, first = np.unique(units[usable], return_index=True)
        told = usable[first]
        of_unit = np.full(int(units.max(initial=-1)) + 1, np.nan)
        of_unit[units[told]] = factor[told]
        there = sides.there.copy()
        there[told, known] = False
        if not self.unit:
            there[:, known] = False
        hit = near(scaled_back(sides.y, of_unit[units]), sides.x, self.f)
        return Attack(known, hit, near(sides.y, sides.x, self.f), there)

    def _columns_kept(self, sides: Sides) -> float | None:
        """Share of the ratios of two columns that are as they were."""
        changes = [
            _factor_of(sides, j) - _factor_of(sides, k) for j, k in combinations(range(len(sides.names)), 2)
        ]
        return self._kept(np.concatenate(changes)) if changes else None

    def _periods_kept(self, sides: Sides, kept: Microdata, units: Ints) -> float | None:
        """Share of the growth rates between successive records of a unit that are as they were."""
        if not self.unit:
            return None
        periods = [kept.column(name).true_codes()[0] for name in kept.role(Role.PERIOD)[:1]]
        order = np.lexsort([*periods, units])
        same = units[order][1:] == units[order][:-1]
        changes = [np.diff(_factor_of(sides, j)[order])[same] for j in range(len(sides.names))]
        return self._kept(np.concatenate(changes)) if changes else None

    def _kept(self, changes: Floats) -> float | None:
        there = changes[~np.isnan(changes)]
        return float(np.mean(np.abs(there) <= np.log1p(self.tolerance))) if len(there) else None

    def _found(self, sides: Sides, known: int) -> _Linked:
        """Records found by the ratios of the known columns; where these are not named, of the two columns that find most."""
        named = [j for j, name in enumerate(sides.names) if name in self.known and j != known]
        others = [named] if named else [[j] for j in range(len(sides.names)) if j != known]
        reach = float(np.log1p(self.tolerance))
        tried = [_Linked(unique_hits(*_ratios(sides, some, known), reach), [known, *some]) for some in others]
        nobody = _Linked(np.zeros(len(sides.x), dtype=np.bool_), [known])
        return max(tried, key=lambda linked: int(linked.found.sum()), default=nobody)


def _ratios(sides: Sides, others: list[int], known: int) -> tuple[Floats, Floats]:
    """Logarithms of true and of released ratios to the known column; those below zero lie far from the others."""
    true, released = (
        _logs(v[:, others]) - _logs(v[:, [known]]) + _FAR * (np.sign(v[:, others]) != np.sign(v[:, [known]]))
        for v in (sides.x, sides.y)
    )
    return true, released


def _logs(v: Floats) -> Floats:
    """Logarithms of the sizes; not a number for gaps and zeros."""
    out: Floats = np.log(np.abs(v), out=np.full(v.shape, np.nan), where=~np.isnan(v) & (v != 0))
    return out


def _factor_of(sides: Sides, j: int) -> Floats:
    """Logarithm of the factor by which a value was multiplied; not a number where it changed its sign or has none."""
    x, y = sides.x[:, j], sides.y[:, j]
    return np.where(np.sign(x) == np.sign(y), _logs(y) - _logs(x), np.nan)
