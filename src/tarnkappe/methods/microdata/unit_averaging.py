"""Microaggregation of whole units: the series that a unit shows over strata and periods is that of its group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from pydantic import model_validator

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.series import Series, places_of, series_of
from tarnkappe.data.strata import Strata
from tarnkappe.data.units import units_of
from tarnkappe.errors.masking import UnitsUnlike
from tarnkappe.language import Text
from tarnkappe.methods.microdata.averaging import Averaging, Cloud
from tarnkappe.randomness import Stream
from tarnkappe.spec import Json
from tarnkappe.spec.fields import Unit

UNIT_WORDS = {
    "unit": Text("units averaged with all their records, by", "Einheiten mit allen ihren Datensätzen gemittelt, nach")
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Wide(Cloud):
    """Units with equally many records as points: the columns of their first place, then those of the second, …"""

    scaled: Floats
    """The values, standardised in the stratum of each record."""
    places: int

    @cached_property
    def x(self) -> Floats:
        return self.scaled

    @property
    def leading(self) -> Floats:
        """The mean of the first column over all places."""
        first = self.values.reshape(len(self.values), self.places, -1)[:, :, 0]
        mean: Floats = (first / self.places).sum(axis=1)
        return mean


class UnitAveraging(Averaging):
    """Groups of similar records, or of similar units with all their records."""

    unit: Unit = ()
    """Columns that name the unit whose records are grouped together over strata and periods; without them, each record is one. | Spalten,
    die die Einheit nennen, deren Datensätze über Schichten und Perioden gemeinsam gruppiert werden; ohne sie ist jeder Datensatz eine."""

    @model_validator(mode="after")
    def _unit_is_not_treated(self) -> Self:
        if set(self.unit) & set(self.columns):
            raise ValueError(
                Text(
                    "unit must not name a column that is treated: averages would name other units",
                    "unit darf keine behandelte Spalte nennen: Mittelwerte würden andere Einheiten nennen",
                )
            )
        return self

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*super().named_columns(), *self.unit)))

    def places(self, data: Microdata) -> tuple[str, ...]:
        """The columns that tell the records of a unit apart."""
        return places_of(data, self.within, self.columns)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        told = super().tells(before, after)
        return {**told, "unit": list(self.unit)} if self.unit else told

    def without(self, data: Microdata, names: tuple[str, ...], alone: Bools) -> Microdata:
        if self.unit and self.too_small == "refuse" and alone.any():
            count = len(np.unique(units_of(data, self.unit)[0][alone]))
            raise UnitsUnlike(who=self.id, count=count, needed=self.k)
        return super().without(data, names, alone)

    def grouped(
        self, data: Microdata, names: tuple[str, ...], cloud: Cloud, stream: Stream
    ) -> tuple[Ints, Ints | None]:
        """Units are grouped; the records of such a group in one place are a group of records."""
        if not self.unit:
            return super().grouped(data, names, cloud, stream)
        series = series_of(data, self.unit, self.places(data), names)
        owned = self.counts_contributors(data)
        who = series.owners(data) if owned else np.arange(len(series.pattern))
        labels, drawn, count = np.full(len(data), -1, dtype=np.int64), [], 0
        for units, records in series.by_size(series.shared_by(who) >= self.k):
            wide = _wide(cloud, series, units, records, (who, owned))
            found, places = self.groups(wide, stream), records.shape[1]
            labels[records] = count + found[:, None] * places + np.arange(places)
            count += (int(found.max()) + 1) * places
            if (rows := self.drawn(found, wide, stream)) is not None:
                drawn.append(records[rows].transpose(0, 2, 1).reshape(-1, rows.shape[1]))
        return labels, np.concatenate(drawn) if drawn else None


def _wide(cloud: Cloud, series: Series, units: Ints, records: Ints, contributors: tuple[Ints, bool]) -> Wide:
    who, owned = contributors
    size, places = records.shape

    def side_by_side(values: Floats) -> Floats:
        return values[records].reshape(size, -1)

    return Wide(
        values=side_by_side(cloud.values),
        raw=side_by_side(cloud.raw),
        there=cloud.there[records].reshape(size, -1),
        blocks=_numbered(series.pattern[units]),
        who=np.unique(who[units], return_inverse=True)[1].astype(np.int64),
        owned=owned,
        strata=_numbered(series.presence[units]),
        scaled=side_by_side(cloud.x),
        places=places,
    )


def _numbered(of: Ints) -> Strata:
    _, numbers, sizes = np.unique(of, return_inverse=True, return_counts=True)
    return Strata(numbers.astype(np.int64), sizes)
