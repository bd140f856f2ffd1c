"""The series of units: all their records, place by place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.data.units import Units, units_of
from tarnkappe.kernels.classes import Classes, classes, first_records
from tarnkappe.vocab import Role


@dataclass(frozen=True)
class Series:
    """Units, numbered in the order in which they first appear, and which of them can be compared place by place."""

    units: Units
    presence: Ints
    """Of every unit: equal for those that have as many records in each place."""
    pattern: Ints
    """Of every unit: equal for those that have as many records in each place, with the same gaps."""

    def owners(self, data: Microdata) -> Ints:
        """Who stands behind every unit: units of one pattern that have, or had, an owner in common are one contributor.

        So of units of different contributors no two have the same owner in any place. A unit without an owner is its own, with all that was made of it.
        """
        codes = contributor_codes(data)
        unit, size = self.units.of, len(self.pattern)
        owner = classes([(self.pattern[unit], size), (codes, int(codes.max(initial=0)) + 1)])
        nodes = size + len(owner.sizes)
        edges = coo_array((np.ones(len(unit)), (unit, size + owner.ids)), shape=(nodes, nodes))
        together = connected_components(edges, directed=False)[1][:size]
        return np.unique(together, return_inverse=True)[1].astype(np.int64)

    def shared_by(self, who: Ints) -> Ints:
        """Of every unit, how many contributors have its pattern."""
        pairs = classes([(self.pattern, len(who)), (who, len(who))])
        people: Ints = np.bincount(self.pattern[first_records(pairs)], minlength=1)[self.pattern]
        return people

    def by_pattern(self) -> Iterator[tuple[Ints, Ints]]:
        """Units of one pattern and their records: a row for every unit, a column for every place."""
        start = np.cumsum(self.units.size) - self.units.size
        order = np.argsort(self.pattern, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(self.pattern[order])) + 1) if len(order) else ():
            yield some, self.units.order[start[some][:, None] + np.arange(self.units.size[some[0]])]

    def by_size(self, chosen: Bools) -> Iterator[tuple[Ints, Ints]]:
        """Chosen units with equally many records, and these records: a row for every unit, a column for every place."""
        start = np.cumsum(self.units.size) - self.units.size
        units = np.flatnonzero(chosen)
        units = units[np.argsort(self.units.size[units], kind="stable")]
        ends = np.flatnonzero(np.diff(self.units.size[units])) + 1
        for some in np.split(units, ends) if len(units) else ():
            places = np.arange(self.units.size[some[0]])
            yield some, self.units.order[start[some][:, None] + places]


def places_of(data: Microdata, within: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that tell the records of a unit apart: those of the strata, and the period where it is not treated itself."""
    period = (n for n in data.role(Role.PERIOD) if n not in columns)
    return tuple(dict.fromkeys((*within, *period)))


def series_of(data: Microdata, unit: Sequence[str], places: Sequence[str], names: Sequence[str]) -> Series:
    """The units that `unit` names, with their records by the columns `places`; those with the same place in the order of the file.

    Records with other gaps in the columns `names` stand apart: of one place, those with the same gaps are together.
    """
    ids, count = units_of(data, unit)
    found = classes([(ids, count)])
    of = found.ids.astype(np.int64)
    place, kind = strata_of(data, places), strata_of(data, places, names)
    units = Units(of, first_records(found), found.sizes, np.lexsort((kind.of, place.of, of)))
    presence, pattern = (units.profile(Classes(each.of, each.sizes)) for each in (place, kind))
    return Series(units, presence, pattern)
