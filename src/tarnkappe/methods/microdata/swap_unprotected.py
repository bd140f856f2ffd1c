"""Noise, and an exchange for whom it does not protect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.data.masked import (
    not_rounded,
    refuse_infinite,
    rounded,
    side_by_side,
    with_masked,
    without_gaps,
)
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.data.units import units_of
from tarnkappe.kernels.added_noise import add_noise, filled_covariance
from tarnkappe.kernels.block_noise import proportional_noise
from tarnkappe.kernels.block_spread import block_spreads
from tarnkappe.kernels.near_series import near_some
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.methods.microdata.exchange import STATES_KEPT, Alone, blocks_of, treat_alone
from tarnkappe.methods.microdata.exchange_movers import movers_of
from tarnkappe.methods.microdata.limits import refuse_constants
from tarnkappe.methods.microdata.noise_claims import means_near
from tarnkappe.methods.microdata.noise_remarks import of_additive_noise
from tarnkappe.methods.microdata.recognised import Recognised, recognised
from tarnkappe.methods.microdata.unit_noise import ALIKE, UnitNoise, alike_in_units
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Source, method
from tarnkappe.spec.conditions import given, not_given, unless
from tarnkappe.spec.fields import Columns, Unit
from tarnkappe.spec.limits import ForAnalysis

FARTHEST, ROUNDING = 8.0, 1e-12
"""How far noise moves a value, in its standard deviations, and what the sum loses beside values near 1."""


def _none_found(m: SwapUnprotected, before: Microdata, after: Microdata) -> bool:
    was, now = before.paired(after)
    hidden = np.all([~now.column(n).observed for n in m.columns], axis=0)
    x, y = was.numbers(m.columns), now.numbers(m.columns)
    y[hidden] = x[hidden]  # who is suppressed is not found
    found = m.recognised(was, x, y)
    return bool(hidden[found.movers.rows(np.flatnonzero(found.seen))].all())


def _of_one_unit(m: SwapUnprotected, before: Microdata, after: Microdata) -> bool:
    """What a unit shows lies, in all its cells, within eight standard deviations of the noise of what one unit had."""
    was, now = before.paired(after)
    movers, x, y = movers_of(was, m.unit, m.within, m.columns), was.numbers(m.columns), now.numbers(m.columns)
    scale = power_scale(x)
    x, y = x / scale, y / scale
    reach = m.largest_noise(was, x)
    reach += np.where(np.isin(m.columns, rounded(was, m.columns, m.whole)), 1 / scale, 0.0)
    far = movers.having(np.any(np.abs(y - x) > reach, axis=1))
    for first, last in pairwise(movers.blocks.starts):
        units = movers.blocks.order[first:last]
        if far[units].any():
            rows = movers.rows(units).reshape(len(units), -1)
            old, new, most = (v[rows].reshape(len(units), -1) for v in (x, y, reach))
            shown = ~np.isnan(old[0])
            if not near_some(new[far[units]][:, shown], old[:, shown], most[0, shown]).all():
                return False
    return True


def _alike(m: SwapUnprotected, before: Microdata, after: Microdata) -> bool:
    """Of normal numbers with the correlation c the signs have the correlation 2/π·arcsin(c); unlike sizes they do not let exchanged units outweigh all others."""
    x, y = side_by_side(before, after, not_rounded(before, m.columns, m.whole))
    was = before.aligned_to(after)
    of, least = units_of(was, m.unit)[0], float(2 / np.pi * np.arcsin(m.common))
    return alike_in_units(np.zeros_like(x), np.sign(y - x), of, strata_of(was, ()), least)


@method(
    "microdata.swap-unprotected",
    family=Family.SWAP,
    title=Text(
        "Noise, then swapping of what it does not protect", "Überlagerung, dann Tausch des Ungeschützten"
    ),
    does=Text(
        "Random numbers were added; records that could still be recognised exchanged their values with others.",
        "Zufallszahlen wurden addiert; noch erkennbare Datensätze tauschten ihre Werte mit anderen.",
    ),
    sources=(
        Source("hoehne2010", "2.2.3, noise and swapping combined (S04), after Winkler"),
        Source("kimwinkler1995", "masking microdata files"),
    ),
    preserves=(
        Claim(
            Text("the mean of every chosen column", "den Mittelwert jeder gewählten Spalte"),
            lambda m, before, after: means_near(m, before, after, np.sqrt(m.variance_ratio)),
            Holds.ON_AVERAGE,
            when=unless("too_small", "suppress"),
        ),
        Claim(
            Text(
                "what a unit shows in all its strata is the series of one unit, its own or another's, but for the noise",
                "was eine Einheit in allen ihren Schichten zeigt, ist die Reihe einer Einheit, der eigenen oder einer anderen, bis auf die Überlagerung",
            ),
            _of_one_unit,
            when=given("unit"),
        ),
        WHOLE_KEPT,
        STATES_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no record is found in its stratum by the nearest original values and gives a value away to within `safety` percent",
                "kein Datensatz wird in seiner Schicht über die nächsten Originalwerte gefunden und verrät dabei einen Wert bis auf "
                "`safety` Prozent",
            ),
            _none_found,
            when=unless("too_small", "leave") & not_given("unit"),
        ),
        Claim(
            Text(
                "no record is found in its stratum, and no unit by its series over all strata, by the nearest original values and gives a value "
                "away to within `safety` percent",
                "kein Datensatz wird in seiner Schicht und keine Einheit über ihre Reihe in allen Schichten über die nächsten Originalwerte "
                "gefunden und verrät dabei einen Wert bis auf `safety` Prozent",
            ),
            _none_found,
            when=unless("too_small", "leave") & given("unit"),
        ),
        replace(ALIKE, check=_alike),
    ),
    does_not=(
        ForAnalysis(
            "keep the series of a unit over periods: every record is treated by itself",
            "die Zeitreihe einer Einheit erhalten: jeder Datensatz wird für sich behandelt",
            not_given("unit"),
        ),
        ForAnalysis(
            "keep variances: they grow by a share that the release tells",
            "Varianzen erhalten: sie wachsen um einen Anteil, den die Freigabe nennt",
        ),
        ForAnalysis(
            "keep signs or zeros: noise is added to every value",
            "Vorzeichen oder Nullen erhalten: zu jedem Wert wird Rauschen addiert",
        ),
        ForAnalysis(
            "keep relations of exchanged records to other columns",
            "Zusammenhänge getauschter Datensätze mit anderen Spalten erhalten",
        ),
        Text(
            "protect against an attacker who knows further columns, or some but not all periods of a unit: records and whole series are tried",
            "vor einem Angreifer schützen, der weitere Spalten kennt, oder einige, aber nicht alle Perioden einer Einheit: versucht werden einzelne "
            "Datensätze und ganze Reihen",
        ),
    ),
    advice=Text(
        "Random errors were added, and values of some records were exchanged. Means of the whole file are more reliable than details. "
        "There is no correction.",
        "Werten wurden Zufallsfehler überlagert, und Werte einiger Datensätze wurden getauscht. Mittelwerte der ganzen Datei sind "
        "verlässlicher als Einzelheiten. Eine Korrektur gibt es nicht.",
    ),
    words={
        "distribution": Text("distribution of the noise", "Verteilung der Fehler"),
        "noise_variance_ratio": Text(
            "variance of the noise over that of the column", "Varianz der Fehler zu der der Spalte"
        ),
        "normal": Text("normal", "normal"),
    },
    example={
        "columns": ["income", "wealth"],
        "variance_ratio": 0.2,
        "safety": 25.0,
        "unit": ["household"],
        "common": 0.4,
        "within": ["sex"],
        "too_small": "suppress",
        "whole": "nearest",
    },
    random=True,
    revision=4,
)
class SwapUnprotected(UnitNoise):
    """Add noise with the covariance of the data, and exchange the records that can still be recognised.

    Noise is normal with the covariance matrix of the columns in their stratum times variance_ratio. Then the attack is tried: with the original values of the
    chosen columns, standardised, each masked record is assigned to the nearest original one of its stratum. Where that is the right one (and no other is as near),
    and at least one value is off by less than `safety` percent, the noise does not protect. Such records exchange all chosen values with
    each other in random order; a single one in its stratum exchanges with any record that leads elsewhere. So the quality of noise is
    kept for nearly all records, and the safety of swapping is there where it is needed.

    In a panel, noise drawn anew in every period averages out, and all periods of a unit together show more than each. With `unit` the records of a
    unit have the part `common` of their noise in common, and the attack is tried on records and on units: by their series, that is the chosen
    values in all strata, among the units that are there in the same strata. Name the period under `within`. A unit of which a record or the series is
    recognised exchanges all chosen values of all its records with another one, each in its stratum. So entries and exits stay what they are; a
    unit without its like, with as many records in each stratum and the same gaps, is recognised by that alone. A record without a unit is one of
    its own; one whose unit is suppressed has noise of its own and exchanges with its unit. Several records of a unit in one stratum are
    compared and exchanged in the order of the file.

    Missing and suppressed cells keep their state; records are compared and exchanged with records that have the same columns shown.
    A column that does not vary is refused; a stratum with fewer than p + 2 records without gaps, or without variation, gets noise of the
    size for the whole file. Where a record or unit has nobody to exchange with, `too_small` says what happens. Infinite values are refused. Zeros and negative
    values get noise like others; equal values become different. Whole numbers get decimals unless `whole` says otherwise; the attack is
    tried on what is shown.
    """

    columns: Columns
    """Numeric columns to protect together. | Numerische Spalten, die gemeinsam geschützt werden."""
    variance_ratio: Annotated[float, Field(gt=0, le=1)] = 0.1
    """Variance of the noise, as a share of that of the data. | Varianz des Rauschens, als Anteil der Varianz der Daten."""
    safety: Annotated[float, Field(gt=0, le=1000)] = 10.0
    """A value that is off by less than these percent is useful to an attacker. | Ein Wert, der um weniger Prozent abweicht, nützt einem
    Angreifer."""
    unit: Unit = ()
    """Columns that name the unit whose records get noise in common and exchange together; without them, each record by itself. | Spalten, die die
    Einheit nennen, deren Datensätze teils gemeinsam überlagert und zusammen getauscht werden; ohne sie jeder Datensatz für sich."""
    too_small: Alone = "refuse"
    """What happens to a recognisable record or unit without a partner. | Was mit einem erkennbaren Datensatz oder einer solchen Einheit ohne
    Partner geschieht."""

    def named(self) -> tuple[str, ...]:
        return self.columns

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        x = data.numbers(self.columns, self.id)
        refuse_constants(data, self.columns, self.id)
        strata = strata_of(data, self.within)
        y = self._noisy(data, x, strata, stream)
        refuse_infinite(data, self.columns, y, self.id)
        if self.whole != "decimals":
            y = with_masked(data, self.columns, y, self.whole, strata).numbers(self.columns)
        found = self.recognised(data, x, y)
        partner, left = found.exchanged(stream.generator)
        after = data.with_numbers(self.columns, y[found.movers.records(partner)])
        lone = found.movers.members(left)
        return treat_alone(after, self, {n: lone[data.column(n).observed[lone]] for n in self.columns})

    def _noisy(self, data: Microdata, x: Floats, strata: Strata, stream: Stream) -> Floats:
        """X + e, e normal with covariance variance_ratio times that of x in its stratum."""
        scale, white = power_scale(x), self.white(data, stream.generator)
        if len(strata) > 1:
            z = x / scale
            z += proportional_noise(z, strata.blocks(), self.variance_ratio, white)
            with np.errstate(over="ignore"):
                z *= scale
            return z
        covariance = filled_covariance(x, scale)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0) * self.variance_ratio)
        root[np.diag(covariance) == 0] = 0.0
        out = white(np.arange(len(x)))
        add_noise(x, scale, root, out)
        return out

    def recognised(self, data: Microdata, x: Floats, y: Floats) -> Recognised:
        """Try to recognise records and units to an attacker's use; `x` may be overwritten."""
        movers = movers_of(data, self.unit, self.within, self.columns)
        blocks = movers.blocks if movers.units is None else blocks_of(data, self.within, self.columns)
        return recognised(x, y, blocks, movers, self.safety / 100)

    def largest_noise(self, data: Microdata, x: Floats) -> Floats:
        """Eight standard deviations of the noise of every cell, on the scale of `x`: a fair draw lies farther out once in 10¹⁵."""
        strata = strata_of(data, self.within)
        sd = block_spreads(x, strata.of, len(strata))
        if len(strata) > 1:  # strata with too few records have the noise of the file
            few = np.bincount(strata.of[without_gaps(x)], minlength=len(strata)) < x.shape[1] + 2
            sd[few] = block_spreads(x, np.zeros(len(x), dtype=np.int64), 1)
        out: Floats = (FARTHEST * np.sqrt(self.variance_ratio) * sd + ROUNDING)[strata.of]
        return out

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return of_additive_noise(before, after, self.columns, self.unit)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The share of noise, for estimates that allow for it; it does not tell who was exchanged, nor how many."""
        del after
        return {
            "columns": list(self.columns),
            "noise_variance_ratio": self.variance_ratio,
            "distribution": "normal",
            "within": list(self.within),
            **self.told_of_units(),
            "rounded": rounded(before, self.columns, self.whole),
        }
