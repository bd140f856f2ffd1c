"""Which groups suffer: a figure of every group before and after."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from tarnkappe.data.quantities import LEAST
from tarnkappe.errors.utility import GroupsNeeded
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.displacement import NEAR
from tarnkappe.kernels.group_figures import GroupFigures, class_of, group_figures, weighted_cuts
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Source, measure
from tarnkappe.spec.needs import Needs
from tarnkappe.utility.by_column import GONE, OfNumbers, Sample, Sides, common_scale
from tarnkappe.utility.coded import coded
from tarnkappe.utility.comparing import joined, left_out
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Floats, Ints
    from tarnkappe.data.microdata import Microdata

MOST_SHOWN = 20
PARTS = 5
_FIGURE = {"mean": "mean", "sd": "sd", "total": "total", "count": "weight"}
_NO_GROUP = Text(
    f"No group has {LEAST} observed values in the original.",
    f"Keine Gruppe hat im Original {LEAST} vorhandene Werte.",
)


class _Groups(NamedTuple):
    """The groups of both files, numbered as they first appear in the original."""

    old: Ints
    new: Ints
    number: int
    by: tuple[str, ...]
    """The columns that make them."""


class _Errors(NamedTuple):
    """The errors of a figure in every group, one column per numeric column; NaN where a group is too small, infinite where it is gone."""

    groups: _Groups
    each: Floats

    @property
    def largest(self) -> Floats:
        """The largest error of each group; NaN where none was taken."""
        filled = np.where(np.isnan(self.each), -1.0, self.each).max(axis=1, initial=-1.0)
        return np.asarray(np.where(filled < 0, np.nan, filled))


@measure(
    "utility.subgroups",
    title=Text("Groups that suffer", "Gruppen, die leiden"),
    compares=True,
    does=Text(
        "Compares a figure of every group of records before and after and counts the groups whose error is too large.",
        "Vergleicht eine Kennzahl jeder Gruppe von Datensätzen vorher und nachher und zählt die Gruppen mit zu großem Fehler.",
    ),
    sources=(
        Source("hoehne2010", "section 2: results of sub-populations, also by size (U09)"),
        Source("dav2025", "section 6.5: interactions, not only single variables (D-U13)"),
    ),
    reads=Text(
        "In a share of {value} of the groups the figure is off by more than the bound.",
        "In einem Anteil von {value} der Gruppen weicht die Kennzahl um mehr als die Schranke ab.",
    ),
    knows=Text(
        "All records of the original against all of the release, by groups of the original.",
        "Alle Datensätze des Originals gegen alle der Freigabe, nach den Gruppen des Originals.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            f"look at groups with fewer than {LEAST} observed values: their figures would give records away",
            f"Gruppen mit weniger als {LEAST} vorhandenen Werten betrachten: Ihre Kennzahlen gäben Datensätze preis",
        ),
        Text(
            "name the groups: they are numbered in the order in which they first appear in the original",
            "die Gruppen nennen: Sie sind in der Reihenfolge nummeriert, in der sie im Original zuerst vorkommen",
        ),
        Text(
            "find groups again whose code changed: they count as lost",
            "Gruppen wiederfinden, deren Code sich geändert hat: Sie gelten als verloren",
        ),
    ),
    words={
        "bound": Text("relative error allowed", "zulässiger relativer Fehler"),
        "grouped_by": Text("groups by", "Gruppen nach"),
        "largest_error": Text("largest error", "größter Fehler"),
        "median_error": Text("median of the errors", "Median der Fehler"),
        "too_small": Text("groups too small to be shown", "Gruppen, die zu klein zum Zeigen sind"),
        "worst_groups": Text("groups that suffer most", "am stärksten betroffene Gruppen"),
    },
    example={
        "columns": ["wealth", "employees"], "weighted": False, "within": ["sex"], "fifths": "age", "statistic": "sd", "bound": 0.2,
    },
)  # fmt: skip
class Subgroups(OfNumbers):
    """The share of group figures with a relative error above a bound; a group that is gone counts as off.

    The groups are those of the columns `within` taken together (without them, of the keys), and beside them the
    fifths of a numeric column where `fifths` names one, so that small firms are looked at apart. The limits of
    the fifths are those of the original, and their numbers rise with size. A missing or suppressed code is a group of its own. Only
    groups with ten observed values in the original count; the others are counted as too small.

    The error is |after - before| / |before|. Where the figure before is near zero (below a hundredth of the
    standard deviation of the column; for totals, times the size of the group), that is the divisor, and the
    figure is counted as guarded. The worst groups are listed by number, for the office every record
    has the largest error of its group.
    """

    within: tuple[str, ...] = ()
    """Columns whose values form the groups; without them and `fifths`, the keys. | Spalten, deren Werte die
    Gruppen bilden; ohne sie und `fifths` die Schlüssel."""
    fifths: str | None = None
    """Numeric column whose fifths, from smallest to largest, form groups too. | Numerische Spalte, deren
    Fünftel vom kleinsten zum größten ebenfalls Gruppen bilden."""
    statistic: Literal["mean", "sd", "total", "count"] = "mean"
    """The figure of a group: mean, standard deviation, total or number of values. | Die Kennzahl einer
    Gruppe: Mittelwert, Standardabweichung, Summe oder Zahl der Werte."""
    bound: Annotated[float, Field(gt=0)] = 0.1
    """Relative error above which a figure is off. | Relativer Fehler, über dem eine Kennzahl falsch ist."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before)
        partitions = self._partitions(sides)
        found = [_Errors(g, np.full((g.number, len(sides.names)), np.nan)) for g in partitions]
        figures: dict[str, list[dict[str, Json]]] = {name: [] for name in sides.names}
        for j, name in enumerate(sides.names):
            old, new = sides.samples(name, self.id)
            for one in found:
                one.each[:, j], told = self._errors(old, new, one.groups)
                figures[name].append({"grouped_by": one.groups.by, **told})
        measured = np.concatenate([one.each[~np.isnan(one.each)] for one in found])
        return Finding(
            value=float(np.mean(measured > self.bound)) if len(measured) else math.nan,
            trusted=len(measured) > 0,
            because=joined(NOTHING if len(measured) else _NO_GROUP, left_out(sides.gone, GONE)),
            details={
                "statistic": self.statistic,
                "bound": self.bound,
                "groups": sum(len(np.unique(groups.old)) for groups in partitions),
                "figures_compared": len(measured),
                "columns": figures,
                "worst_groups": _worst(found),
                "weighted": sides.w_before is not None,
                "no_numbers_any_more": sides.gone,
            },
            per_record=_of_records(found),
        )

    def needed_roles(self) -> Needs:
        return {} if self.within or self.fifths else {"within": (Role.KEY,)}

    def _partitions(self, sides: Sides) -> list[_Groups]:
        """The groups by codes and those by size."""
        names = self.within or (() if self.fifths else sides.before.role(Role.KEY))
        if not names and not self.fifths:
            raise GroupsNeeded(who=self.id)
        by_codes = [_by_codes(sides, names)] if names else []
        return by_codes + ([self._by_size(sides, self.fifths)] if self.fifths else [])

    def _by_size(self, sides: Sides, name: str) -> _Groups:
        old, new = sides.samples(name, self.id)
        cuts = weighted_cuts(old.x, old.w, PARTS)
        return _Groups(class_of(old.x, cuts), class_of(new.x, cuts), len(cuts) + 2, (name,))

    def _errors(self, old: Sample, new: Sample, groups: _Groups) -> tuple[Floats, dict[str, Json]]:
        """The error of every group, NaN where it is too small; infinite where it is gone."""
        scale = common_scale(old.x, new.x)
        a = group_figures(old.x / scale, old.w, groups.old, groups.number)
        b = group_figures(new.x / scale, new.w, groups.new, groups.number)
        was, now = (np.asarray(getattr(side, _FIGURE[self.statistic])) for side in (a, b))
        error, near = _relative(was, now, self._unit(a))
        error[b.n == 0] = np.inf
        error[a.n < LEAST] = np.nan
        there = ~np.isnan(error)
        return error, {
            "figures_compared": int(there.sum()),
            "off": int((error[there] > self.bound).sum()),
            "lost": int(np.isinf(error[there]).sum()),
            "too_small": int(((a.n < LEAST) & (a.n > 0)).sum()),
            "median_error": float(np.median(error[there])) if there.any() else math.nan,
            "guarded": int((near & there).sum()),
        }

    def _unit(self, figures: GroupFigures) -> Floats:
        size = figures.weight if self.statistic in ("total", "count") else np.ones(len(figures.n))
        out: Floats = size * (1.0 if self.statistic == "count" else figures.whole_sd)
        return out


def _by_codes(sides: Sides, names: tuple[str, ...]) -> _Groups:
    both = [coded(sides.before.column(n), sides.after.column(n)) for n in names]
    found = classes((np.concatenate([one.old, one.new]), one.size) for one in both)
    ids = found.ids.astype(np.int64)
    return _Groups(ids[: len(sides.before)], ids[len(sides.before) :], len(found.sizes), names)


def _relative(was: Floats, now: Floats, unit: Floats) -> tuple[Floats, Bools]:
    """|now - was| / |was|, and near zero over the unit; 0 where nothing changed."""
    near: Bools = np.abs(was) < NEAR * unit
    apart = np.abs(now - was)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        error: Floats = np.where(apart == 0, 0.0, apart / np.where(near, unit, np.abs(was)))
    return error, near


def _of_records(errors: Sequence[_Errors]) -> Floats:
    """For every released record the largest error of its groups."""
    out = np.full(len(errors[0].groups.new), np.nan)
    for one in errors:
        out = np.fmax(out, one.largest[one.groups.new])
    return out


def _worst(errors: Sequence[_Errors]) -> list[dict[str, Json]]:
    """The groups with the largest errors, by number; a group that is gone has no error but is told."""
    rows = []
    for one in errors:
        records = np.bincount(one.groups.old, minlength=one.groups.number)
        shown = np.flatnonzero(~np.isnan(one.largest))
        order = shown[np.argsort(-one.largest[shown], kind="stable")][:MOST_SHOWN]
        rows += [(float(one.largest[g]), one.groups.by, int(g) + 1, int(records[g])) for g in order]
    rows.sort(key=lambda row: -row[0])
    return [
        {"grouped_by": by, "group": group, "records": size, "lost": math.isinf(error), "largest_error": error}
        for error, by, group, size in rows[:MOST_SHOWN]
    ]
