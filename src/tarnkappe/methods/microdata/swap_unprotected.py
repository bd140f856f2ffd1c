"""Noise, and an exchange for whom it does not protect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.comparison import same_states
from tarnkappe.data.masked import Whole, refuse_infinite, rounded, with_masked
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.kernels.added_noise import add_noise, filled_covariance, near_in_any
from tarnkappe.kernels.block_noise import proportional_noise
from tarnkappe.kernels.nearest_original import Originals
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.standard import SMALLEST_SPREAD, power_scale
from tarnkappe.kernels.unit_noise import drawn_when_asked
from tarnkappe.language import Text
from tarnkappe.methods.microdata.exchange import Alone, Blocks, blocks_of, treat_alone
from tarnkappe.methods.microdata.limits import refuse_constants
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Method, Source, method
from tarnkappe.spec.fields import Columns

FEW, MANY = 16, 4096
"""Partners for a single record are looked at in parts: nearly always one is among the first."""


@dataclass(frozen=True)
class Known:
    """What an attacker compares with the masked values of some records: their true ones, over the standard deviations."""

    old: Floats
    masked: Callable[[Ints], Floats]
    """Masked values of records by their place among them, over the same standard deviations."""


@dataclass(frozen=True)
class Attacked:
    """The records of one block, who of them is recognised, and by what."""

    records: Ints
    found: Bools
    known: Known

    def elsewhere(self, others: Ints, one: int) -> Ints:
        """The first of the others, by place in the block, that does not lead to the one recognised: one, or none."""
        originals = Originals(self.known.old)
        for asked in np.array_split(others, range(FEW, len(others), MANY)):
            leads = originals.linked(self.known.masked(asked), np.full(len(asked), one))
            if not leads.all():
                return asked[~leads][:1]
        return others[:0]


def attacked(records: Ints, close: Bools, known: Known) -> Attacked:
    """Look for every record, of those that would give a value away, whose own original is the nearest."""
    found, own = close.copy(), np.flatnonzero(close)
    found[own] = Originals(known.old).linked(known.masked(own), own)
    return Attacked(records, found, known)


def _none_found(m: SwapUnprotected, before: Microdata, after: Microdata) -> bool:
    was, now = before.paired(after)
    hidden = np.all([~now.column(n).observed for n in m.columns], axis=0)
    x, y = was.numbers(m.columns), now.numbers(m.columns)
    y[hidden] = x[hidden]  # who is suppressed is not found
    found = [b.records[b.found] for b in m.attacked(x, y, blocks_of(was, m.within, m.columns))]
    return all(hidden[records].all() for records in found) or m.too_small == "leave"


def _states_kept(m: SwapUnprotected, before: Microdata, after: Microdata) -> bool:
    was, now = before.paired(after)
    pairs = [(was.column(n), now.column(n)) for n in m.columns]
    if m.too_small == "suppress":
        return all((a.missing == b.missing).all() and not (a.suppressed & b.observed).any() for a, b in pairs)
    return all(same_states(a, b) for a, b in pairs)


def _means_kept(m: SwapUnprotected, before: Microdata, after: Microdata) -> bool:
    """The total of a column moves by that of the noise: seven standard deviations at most."""
    x, y = before.aligned_to(after).numbers(m.columns), after.numbers(m.columns)
    shown = ~np.isnan(y)
    apart = np.where(shown, y - x, 0.0).sum(axis=0)
    spread = np.array([np.nanstd(x[shown[:, j], j]) if shown[:, j].any() else 0.0 for j in range(x.shape[1])])
    return bool(np.all(np.abs(apart) <= 7 * np.sqrt(m.variance_ratio * shown.sum(axis=0)) * spread + 1e-9))


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
            _means_kept,
            Holds.ON_AVERAGE,
            when=lambda m: m.too_small != "suppress",
        ),
        Claim(
            Text("which cells are missing or suppressed", "welche Zellen fehlen oder unterdrückt sind"),
            _states_kept,
        ),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no record is found in its stratum by the nearest original values and gives a value away to within `safety` percent",
                "kein Datensatz wird in seiner Schicht über die nächsten Originalwerte gefunden und verrät dabei einen Wert bis auf "
                "`safety` Prozent",
            ),
            _none_found,
            when=lambda m: m.too_small != "leave",
        ),
    ),
    does_not=(
        Text(
            "keep the series of a unit over periods: every record is treated by itself",
            "die Reihe einer Einheit über Perioden erhalten: jeder Datensatz wird für sich behandelt",
        ),
        Text(
            "keep variances: they grow by the share variance_ratio, which the release tells",
            "Varianzen erhalten: sie wachsen um den Anteil variance_ratio, den die Freigabe nennt",
        ),
        Text(
            "keep signs or zeros: noise is added to every value",
            "Vorzeichen oder Nullen erhalten: zu jedem Wert wird Rauschen addiert",
        ),
        Text(
            "keep relations of exchanged records to other columns",
            "Zusammenhänge getauschter Datensätze mit anderen Spalten erhalten",
        ),
        Text(
            "protect against an attacker who knows further columns",
            "vor einem Angreifer schützen, der weitere Spalten kennt",
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
        "within": ["sex"],
        "too_small": "suppress",
        "whole": "nearest",
    },
    random=True,
    revision=4,
)
class SwapUnprotected(Method):
    """Add noise with the covariance of the data, and exchange the records that can still be recognised.

    Noise is normal with the covariance matrix of the columns in their stratum times variance_ratio. Then the attack is tried: with the original values of the
    chosen columns, standardised, each masked record is assigned to the nearest original one of its stratum. Where that is the right one (and no other is as near),
    and at least one value is off by less than `safety` percent, the noise does not protect. Such records exchange all chosen values with
    each other in random order; a single one in its stratum exchanges with any record that leads elsewhere. So the quality of noise is
    kept for nearly all records, and the safety of swapping is there where it is needed.

    Missing and suppressed cells keep their state; records are compared and exchanged with records that have the same columns shown.
    A column that does not vary is refused; a stratum with fewer than p + 2 records without gaps, or without variation, gets noise of the
    size for the whole file. Where nobody can be exchanged, `too_small` says what happens. Infinite values are refused. Zeros and negative
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
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    too_small: Alone = "refuse"
    """What happens to a recognisable record without a partner. | Was mit einem erkennbaren Datensatz ohne Partner geschieht."""
    whole: Whole = "decimals"
    """What becomes of whole numbers: decimals, nearest or total (rounded with the total of the stratum kept to one half). | Was aus ganzen Zahlen wird: Nachkommastellen (decimals), gerundet (nearest) oder gerundet mit auf ein halb erhaltener
    Schichtsumme (total)."""

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within)))

    def named(self) -> tuple[str, ...]:
        return self.columns

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        x = data.numbers(self.columns, self.id)
        refuse_constants(data, self.columns, self.id)
        strata = strata_of(data, self.within)
        y = self._noisy(x, strata, stream)
        refuse_infinite(data, self.columns, y, self.id)
        if self.whole != "decimals":
            y = with_masked(data, self.columns, y, self.whole, strata).numbers(self.columns)
        blocks = blocks_of(data, self.within, self.columns)
        source, lone = self._exchanged(len(data), self.attacked(x, y, blocks), stream)
        after = data.with_numbers(self.columns, y[source])
        return treat_alone(after, self, {n: lone[data.column(n).observed[lone]] for n in self.columns})

    def _noisy(self, x: Floats, strata: Strata, stream: Stream) -> Floats:
        """X + e, e normal with covariance variance_ratio times that of x in its stratum."""
        scale, normal = power_scale(x), stream.generator.standard_normal
        if len(strata) > 1:
            z = x / scale
            white = drawn_when_asked(normal, x.shape[1])
            z += proportional_noise(z, strata.blocks(), self.variance_ratio, white)
            with np.errstate(over="ignore"):
                z *= scale
            return z
        covariance = filled_covariance(x, scale)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0) * self.variance_ratio)
        root[np.diag(covariance) == 0] = 0.0
        out: Floats = normal(x.shape)
        add_noise(x, scale, root, out)
        return out

    def attacked(self, x: Floats, y: Floats, blocks: Blocks) -> list[Attacked]:
        """Try to recognise the records of every block to an attacker's use; `x` may be overwritten, since new memory takes its time."""
        scale = power_scale(x)
        close = near_in_any(x, y, scale, self.safety / 100)

        def tried(ends: tuple[int, int]) -> Attacked:
            records = blocks.order[slice(*ends)]
            return attacked(records, close[records], _known(x, y, scale, records))

        parts = list(pairwise(blocks.starts))
        return on_cores(tried, parts, len(blocks.order) // max(len(parts), 1))

    def _exchanged(self, size: int, blocks: Iterable[Attacked], stream: Stream) -> tuple[Ints, Ints]:
        """Whose values each record gets, and who has nobody to exchange with."""
        source, lone = np.arange(size), []
        for block in blocks:
            known = stream.generator.permutation(np.flatnonzero(block.found))
            if len(known) == 1:
                others = stream.generator.permutation(np.delete(np.arange(len(block.records)), known))
                known = np.append(known, block.elsewhere(others, int(known[0])))
            if len(known) == 1:
                lone.append(int(block.records[known[0]]))
            source[block.records[known]] = block.records[np.roll(known, 1)]
        return source, np.array(lone, dtype=np.int64)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The share of noise, for estimates that allow for it; it does not tell who was exchanged, nor how many."""
        del after
        return {
            "columns": list(self.columns),
            "noise_variance_ratio": self.variance_ratio,
            "distribution": "normal",
            "within": list(self.within),
            "rounded": rounded(before, self.columns, self.whole),
        }


def _known(x: Floats, y: Floats, scale: Floats, records: Ints) -> Known:
    """With the columns that the records have, and the standard deviations among them; where they are all records, x is overwritten."""
    old = x[records] if len(records) < len(x) else x
    there = np.flatnonzero(~np.isnan(old[0]))
    old, scale = (old if len(there) == len(scale) else old[:, there]), scale[there]
    spread = np.sqrt(np.diag(filled_covariance(old, scale)))
    unit = scale * np.where(spread > SMALLEST_SPREAD, spread, 1.0)
    old /= unit

    def masked(places: Ints) -> Floats:
        out = y[records[places][:, None], there]
        out /= unit
        return out

    return Known(old, masked)
